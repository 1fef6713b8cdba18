"""The filters of five plugins, and what counts as a plugin that rejected a pod."""

import pytest
from attrs import evolve

from model.releases import parse_release, rules_for
from model.scheduler.filters import FilterRules, passes_pre_check, rejected_by
from model.scheduler.hint_functions import CORDON_TAINT
from model.scheduler.hint_objects import HintedNode, HintedPod, SpreadConstraint

WEB = (("app", "web"),)
POD = HintedPod("p", "p#1", cpu_milli=2, node_selector=(("gpu", "yes"),))
NODE = HintedNode("n1", cpu_milli=2, labels=(("gpu", "yes"), ("zone", "z1")))
BOUND = HintedPod("q", "q#1", node_name="n1", cpu_milli=1, labels=WEB)
SPREAD = HintedPod("p", "p#1", labels=WEB, spread=(SpreadConstraint("zone", WEB),))
OTHER = HintedNode("n2", labels=(("zone", "z2"),))


def rules(release: str = "1.31.14") -> FilterRules:
    return rules_for(FilterRules, parse_release(release))


def rejecting(pod: HintedPod, *nodes: HintedNode, bound: tuple[HintedPod, ...] = ()) -> set[str] | None:
    found = rejected_by(rules(), pod, nodes, bound)
    return None if found is None else set(found)


@pytest.mark.parametrize(
    ("pod", "node", "plugins"),
    [
        (POD, NODE, None),
        (POD, evolve(NODE, unschedulable=True), {"NodeUnschedulable"}),
        (evolve(POD, toleration=CORDON_TAINT), evolve(NODE, unschedulable=True), None),
        (POD, evolve(NODE, taint="x"), {"TaintToleration"}),
        (evolve(POD, toleration="x"), evolve(NODE, taint="x"), None),
        (POD, evolve(NODE, labels=()), {"NodeAffinity"}),
        (POD, evolve(NODE, cpu_milli=1), {"NodeResourcesFit"}),
        # The first plugin ends the filters of the node.
        (POD, evolve(NODE, taint="x", cpu_milli=1), {"TaintToleration"}),
        (SPREAD, evolve(NODE, labels=()), {"PodTopologySpread"}),
    ],
)
def test_each_plugin(pod: HintedPod, node: HintedNode, plugins: set[str] | None) -> None:
    assert rejecting(pod, node) == plugins


def test_the_plugins_of_all_nodes_count() -> None:
    assert rejecting(POD) == set()
    assert rejecting(POD, evolve(NODE, taint="x"), OTHER) == {"TaintToleration", "NodeAffinity"}
    assert rejecting(POD, NODE, OTHER) is None


def test_bound_pods_take_room() -> None:
    assert rejecting(POD, NODE, bound=(BOUND,)) == {"NodeResourcesFit"}
    assert rejecting(POD, NODE, bound=(evolve(BOUND, node_name="n2"),)) is None


def test_a_domain_may_have_one_pod_more_than_the_emptiest() -> None:
    full = evolve(OTHER, unschedulable=True)
    assert rejecting(SPREAD, NODE, bound=(BOUND,)) is None
    assert rejecting(SPREAD, NODE, full, bound=(BOUND,)) == {"PodTopologySpread", "NodeUnschedulable"}
    # Not counted: the bound pod by its labels, the pod itself, the other node for its name or its labels.
    assert rejecting(SPREAD, NODE, full, bound=(evolve(BOUND, labels=()),)) is None
    assert rejecting(evolve(SPREAD, labels=()), NODE, full, bound=(BOUND,)) is None
    assert rejecting(evolve(SPREAD, node_names=("n1",)), NODE, full, bound=(BOUND,)) is None
    assert rejecting(evolve(SPREAD, node_selector=(("gpu", "yes"),)), NODE, full, bound=(BOUND,)) is None


def test_terms_of_the_pod_and_of_others() -> None:
    hater = evolve(BOUND, labels=(), anti_affinity_app="web")
    web, plain = evolve(SPREAD, spread=()), HintedPod("p", "p#1")
    no_zone = HintedNode("n1")
    assert rejecting(web, NODE, bound=(hater,)) == {"InterPodAffinity"}
    assert rejecting(plain, NODE, bound=(hater,)) is None
    assert rejecting(web, no_zone, bound=(hater,)) is None
    assert rejecting(web, NODE, OTHER, bound=(hater,)) is None
    assert rejecting(evolve(plain, anti_affinity_app="web"), NODE, bound=(BOUND,)) == {"InterPodAffinity"}
    asks = evolve(plain, affinity_app="web")
    assert rejecting(asks, NODE, bound=(BOUND,)) is None
    assert rejecting(asks, NODE) == {"InterPodAffinity"}
    assert rejecting(asks, no_zone, bound=(BOUND,)) == {"InterPodAffinity"}
    assert rejecting(asks, OTHER, bound=(BOUND,)) == {"InterPodAffinity"}
    # The first of its kind may go anywhere, the second only to the first.
    own = evolve(web, affinity_app="web")
    assert rejecting(own, OTHER) is None
    full = evolve(NODE, unschedulable=True)
    assert rejecting(own, full, OTHER, bound=(BOUND,)) == {"NodeUnschedulable", "InterPodAffinity"}


def test_a_constraint_may_honor_taints() -> None:
    tainted = evolve(OTHER, taint="x")
    honest = evolve(SPREAD, spread=(SpreadConstraint("zone", WEB, honors_taints=True),))
    assert rejecting(SPREAD, NODE, tainted, bound=(BOUND,)) == {"PodTopologySpread", "TaintToleration"}
    assert rejecting(honest, NODE, tainted, bound=(BOUND,)) is None


@pytest.mark.parametrize(
    ("release", "plugins"),
    [
        ("1.23.17", {"NodeResourcesFit", "NodeAffinity"}),
        ("1.24.0", {"NodeResourcesFit"}),
        ("1.30.14", {"NodeResourcesFit"}),
        ("1.31.0", {"NodeResourcesFit", "NodeAffinity"}),
    ],
)
def test_who_left_out_the_nodes_of_other_names(release: str, plugins: set[str]) -> None:
    pod = HintedPod("p", "p#1", cpu_milli=9, node_names=("n1",))
    assert rejected_by(rules(release), pod, (NODE, OTHER), ()) == plugins
    assert rejected_by(rules(release), evolve(pod, cpu_milli=1), (NODE, OTHER), ()) is None


@pytest.mark.parametrize(
    ("node", "passes"),
    [
        (NODE, True),
        (evolve(NODE, taint="x"), False),
        (evolve(NODE, labels=()), False),
        (evolve(NODE, cpu_milli=1), False),
        # The check does not look at spec.unschedulable.
        (evolve(NODE, unschedulable=True), True),
    ],
)
def test_pre_check(node: HintedNode, passes: bool) -> None:
    assert passes_pre_check(POD, node, ()) == passes
    assert not passes_pre_check(POD, node, (BOUND,))
    assert not passes_pre_check(evolve(POD, node_names=("n2",)), node, ())
