"""The answers of `kubeproof preemption` beside the model's own preemption, and beside every choice of pods."""

from itertools import islice, permutations, product
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from kubeproof.advise.preemption.choosing import choices
from kubeproof.advise.preemption.cluster import Cluster, cluster_of
from kubeproof.advise.preemption.least_harm import CHOICES, Harm, Kinds, by_brute_force, harm_of, kinds_of
from kubeproof.advise.preemption.orders import arranged, kind_of, look
from kubeproof.advise.preemption.searching import GIVEN_UP, by_optimiser, least_harm
from model.releases import known_release
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.preempt import MinCandidates, Preempted, preempt
from model.scheduler.preemption.victims import select_victims_on_node
from properties.components.least_sacrifice import Case, sufficing, violations
from tests.kubeproof.advise.preemption_lists import ask, budget, node, picture, pod, waiting

RELEASES = ("1.13.12", "1.17.10", "1.18.20", "1.19.0", "1.20.0", "1.26.15", "1.27.0", "1.31.13", "1.33.1",
            "1.36.2")  # fmt: skip
APPS = st.sampled_from(["a", "b", "c"])
PODS = st.tuples(st.sampled_from([0, 0, 5, 200]), st.integers(1, 3), APPS, st.integers(0, 3))
NODES = st.lists(st.lists(PODS, min_size=1, max_size=5), min_size=1, max_size=3)
ALLOWED = st.lists(st.tuples(st.integers(0, 2), APPS), max_size=2)


def cluster(nodes: Any, allowed: Any, cpu: int, release: str, *, apart: bool = False) -> Cluster:
    """Full nodes with pods (priority, CPUs, app, start). `apart`: no two pods have one start."""
    items = []
    for number, pods in enumerate(nodes):
        items.append(node(f"n{number}", cpu=str(sum(each[1] for each in pods))))
        for at, (priority, cpus, label, start) in enumerate(pods):
            start = start * 10 + at if apart else start
            labels = {"app": label}
            items.append(pod(f"v{number}{at}", f"n{number}", str(cpus), priority, start, labels=labels))
    for number, (left, label) in enumerate(allowed):
        items.append(budget(left, label) | {"metadata": {"name": f"b{number}", "namespace": "web"}})
    read = picture(*items, waiting(str(cpu)))
    return cluster_of(read, read.pods[-1], known_release(release))


def statuses_of(of: Cluster) -> dict[str, Status]:
    return {each.name: of.run_filters(each.name)(of.preemptor, each) for each in of.nodes}


def answers_of_the_model(of: Cluster, nodes: Any, budgets: Any, enough: MinCandidates) -> set[tuple[str, Any]]:
    """Node and victims of each answer of the model's `preempt`, with the nodes' pods and the budgets as given."""

    def filters(pod: PreemptionPod, there: PreemptionNode) -> Status:
        return of.run_filters(there.name)(pod, there)

    found = preempt(of.rules, filters, of.preemptor, nodes, statuses_of(of), budgets, enough)
    return {
        (each.nominated or "", each.victims)
        for each in found
        if isinstance(each, Preempted) and each.status.ok and each.victims
    }


@pytest.mark.slow
@given(NODES, ALLOWED, st.integers(1, 5), st.sampled_from(RELEASES[1:]), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_without_ties_the_answers_are_those_of_the_model(
    nodes: Any, allowed: Any, cpu: int, release: str, enough: int
) -> None:
    of = cluster(nodes, allowed[:1], cpu, release, apart=True)
    statuses, few = statuses_of(of), MinCandidates(0, enough)
    if not any(status.ok for status in statuses.values()):
        made = choices(of, statuses, frozenset(statuses), few)
        budgets = tuple({each.name: each for found in of.counted.values() for each in found}.values())
        chosen = {(name, tuple(pod.name for pod in victims.pods)) for name, victims in made.chosen}
        assert chosen == answers_of_the_model(of, of.nodes, budgets, few)


@pytest.mark.slow
@given(
    st.lists(st.lists(PODS, min_size=1, max_size=3), min_size=2, max_size=3).filter(
        lambda nodes: sum(map(len, nodes)) <= 6
    ),
    ALLOWED,
    st.integers(1, 4),
    st.sampled_from(RELEASES),
    st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_with_ties_the_answers_are_those_of_the_model_in_every_order(
    nodes: Any, allowed: Any, cpu: int, release: str, enough: int
) -> None:
    of = cluster(nodes, allowed, cpu, release)
    statuses, few = statuses_of(of), MinCandidates(0, enough)
    if any(status.ok for status in statuses.values()):
        return
    made = choices(of, statuses, frozenset(statuses), few)
    assert made.whole
    budgets = tuple({each.name: each for found in of.counted.values() for each in found}.values())
    expected: set[tuple[str, Any]] = set()
    for in_order in permutations(budgets):
        for pods in product(*(permutations(each.pods) for each in of.nodes)):
            turned = tuple(evolve(each, pods=order) for each, order in zip(of.nodes, pods, strict=True))
            expected |= answers_of_the_model(of, turned, in_order, few)
    names = {pod.name: pod for each in of.nodes for pod in each.pods}
    assert {(name, *sorted(repr(kind_of(of, name, pod)) for pod in victims.pods)) for name, victims in made.chosen} == {
        (name, *sorted(repr(kind_of(of, name, names[each])) for each in going)) for name, going in expected
    }


@pytest.mark.slow
@given(st.lists(PODS, min_size=1, max_size=5), ALLOWED, st.integers(1, 5), st.sampled_from(RELEASES))
@settings(max_examples=60, deadline=None)
def test_every_order_of_a_node_is_looked_at(pods: Any, allowed: Any, cpu: int, release: str) -> None:
    of = cluster([pods], allowed, cpu, release)
    (there,) = of.nodes
    looked = look(of, there, 120)
    assert looked.all_orders
    found = set()
    budgets = of.counted.get("n0", ())
    for order, in_order in product(permutations(there.pods), permutations(budgets)):
        answer = select_victims_on_node(
            of.rules, of.run_filters("n0"), of.preemptor, PreemptionNode("n0", 0, there.allowed_pods, order), in_order
        )
        if isinstance(answer, Victims):
            found.add(as_kinds(of, answer))
    assert {as_kinds(of, each) for each in looked.victims} == found


def test_in_a_map_of_more_than_eight_nodes_not_every_order_is_tried() -> None:
    """From 1.32 on. With fewer nodes the orders of the map are the turned ones, which are all tried."""
    for nodes, release, all_tried in ((8, "1.36.2", True), (9, "1.36.2", False), (9, "1.31.13", True)):
        of = cluster([[(0, 1, "a", at)] for at in range(nodes)], [], 1, release)
        statuses = statuses_of(of)
        assert choices(of, statuses, frozenset(statuses), MinCandidates(0, 2)).all_tried is all_tried


def test_a_pod_that_fits_on_no_empty_node_is_told_so_from_1_34_on() -> None:
    for release, code in (("1.33.13", Code.UNSCHEDULABLE), ("1.34.1", Code.UNSCHEDULABLE_AND_UNRESOLVABLE)):
        (status,) = statuses_of(cluster([[(0, 1, "a", 0)]], [], 2, release)).values()
        assert status.code is code


def test_orders_are_all_there_and_each_once() -> None:
    pods = tuple(PreemptionPod(name) for name in "abcd")
    kinds = {"a": (1,), "b": (2,), "c": (1,), "d": (3,)}
    found = list(arranged(pods, kinds, 12))
    assert len(found) == 12 == len({tuple(kinds[pod.name] for pod in order) for order in found})
    assert {order[0].name for order in islice(arranged(pods, kinds, 3), 3)} == {"a", "b", "d"}


def as_kinds(of: Cluster, victims: Victims) -> tuple[Any, ...]:
    first = victims.pods[0].priority
    return (victims.num_pdb_violations, first, *sorted(repr(kind_of(of, "n0", pod)) for pod in victims.pods))


@pytest.mark.slow
@given(NODES, ALLOWED, st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_the_least_harm_is_that_of_all_sets_of_pods(nodes: Any, allowed: Any, cpu: int) -> None:
    of = cluster(nodes, allowed, cpu, "1.31.13")
    statuses = statuses_of(of)
    made = choices(of, statuses, frozenset(statuses)) if not any(each.ok for each in statuses.values()) else None
    if made is None or not made.chosen:
        return
    budgets = tuple({each.name: each for found in of.true.values() for each in found}.values())
    harms = []
    for there in of.nodes:
        case = Case(of.preemptor, (there,), budgets, of.run_filters(there.name))
        for victims in sufficing(case, there):
            harm = harm_of(of, there.name, victims)
            assert harm.violations == violations(case, victims)
            harms.append(harm)
    assert least_harm(of, of.nodes, made.chosen).least.harm == min(harms)


@given(st.lists(PODS, min_size=1, max_size=6), ALLOWED, st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_the_optimiser_finds_what_brute_force_finds(pods: Any, allowed: Any, cpu: int) -> None:
    of = cluster([pods], allowed, cpu, "1.31.13")
    kinds = kinds_of(of, of.nodes[0], None)
    counts = by_brute_force(kinds)
    assert (counts is not None) == kinds.suffice
    if counts is not None:
        found = by_optimiser(kinds)
        assert found is not None
        assert harm_of(of, "n0", kinds.chosen(found)) == harm_of(of, "n0", kinds.chosen(counts))


def many(number: int) -> list[Any]:
    """A full node of so many pods, no two of one size. The oldest one is large: several others go in its place."""
    sizes = [4000, *range(1001, 1000 + number)]
    there = node() | {"status": {"allocatable": {"cpu": f"{sum(sizes)}m", "pods": "99"}}}
    return [there, *(pod(f"v{at:02d}", "n1", f"{size}m", at=at) for at, size in enumerate(sizes))]


def test_the_optimiser_looks_where_there_are_too_many_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    items = (*many(18), waiting("3500m"))
    answer = ask(*items)
    assert answer.less_harm is not None
    assert answer.less_harm.proved
    assert [victim.pod for victim in answer.less_harm.victims] == ["web/v00"]
    assert answer.evictions[0].needless == "4 pods go, where 1 would do"
    # An optimiser that finds nothing leaves the least harm unknown. It is asked so often, and no more.
    asked: list[Kinds] = []
    monkeypatch.setattr("kubeproof.advise.preemption.searching.by_optimiser", asked.append)
    answer = ask(*items)
    assert answer.less_harm is not None
    assert answer.less_harm.not_known == ("n1",)
    assert len(asked) == 1 <= GIVEN_UP
    assert "too many choices" in answer.undecided[0]
    assert not answer.evictions[0].needless


def test_a_bound_leaves_out_only_pods_that_do_more_harm() -> None:
    of = cluster([[(0, 1, "a", 0), (5, 1, "b", 1), (5, 2, "c", 2)]], [(0, "a")], 1, "1.31.13")
    assert len(kinds_of(of, of.nodes[0], None).pods) == 3
    within = kinds_of(of, of.nodes[0], Harm(0, 5, 2**31 + 5, 1))
    assert sorted(pods[0].name for pods in within.pods) == ["web/v01", "web/v02"]
    assert kinds_of(of, of.nodes[0], Harm(0, 4, 2**31 + 4, 1)).pods == ()
    assert CHOICES == 2**15
