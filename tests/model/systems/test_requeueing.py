"""requeueing: which changes a pod that waits is told of, in each release."""

import pytest

from kubeproof.bugs.component import Under
from kubeproof.bugs.demonstrations.requeueing import (
    BY_NAME,
    FULL,
    GONE,
    GONE_FINE,
    LOST_SOMEWHERE,
    REGISTERED,
    Rejection,
    hint_misses,
    lost,
    missed_by_hint,
)
from kubeproof.engines.explicit import check
from kubeproof.verdict.result import Outcome
from model.releases import known_release
from model.scheduler.node_handlers import without_pre_check
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.systems.requeueing import RequeueingMachine, RequeueingScope, requeueing_rules
from properties.requeueing import no_event_lost


def under(release: str) -> Under:
    return Under(known_release(release))


def run_of(release: str, asked: Rejection, gate: bool = False) -> list[str] | None:
    trace = lost(under(release), asked, gate)
    return None if trace is None else [action.name for action in trace.actions]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "missed"),
    [
        ("1.29.0", ["NodeAffinity", "NodeUnschedulable"]),
        (
            "1.31.14",
            ["NodeUnschedulable", "TaintToleration", *["PodTopologySpread"] * 2, *["InterPodAffinity"] * 7],
        ),
        ("1.32.0", ["InterPodAffinity"] * 7),
        ("1.33.1", ["InterPodAffinity"] * 5),
        ("1.36.2", ["InterPodAffinity"] * 3),
    ],
)
def test_which_plugins_hear_less_with_hints(release: str, missed: list[str]) -> None:
    assert [asked.plugin for asked in LOST_SOMEWHERE if missed_by_hint(under(release), asked) is not None] == missed


@pytest.mark.slow
def test_the_runs_of_issues_122284_127427_127447_and_127478() -> None:
    cordoned, node_labels, own_labels = LOST_SOMEWHERE[2], LOST_SOMEWHERE[4], LOST_SOMEWHERE[5]
    for asked in LOST_SOMEWHERE[:2]:
        assert run_of("1.29.0", asked, gate=True) == ["attempt", "add_node", "change_node"]
    assert run_of("1.31.14", cordoned, gate=True) == ["attempt", "tolerate"]
    assert run_of("1.31.14", own_labels, gate=True) == ["attempt", "label_own"]
    assert run_of("1.30.14", own_labels, gate=True) is None
    assert run_of("1.30.14", node_labels, gate=True) == ["attempt", "change_node"]


# The scopes of InterPodAffinity in LOST_SOMEWHERE: what changes, and in which release the pod is lost with the gate on.
@pytest.mark.parametrize(
    ("number", "run", "lost_in"),
    [
        # No report is known of a node that joins, or that leaves its domain.
        (6, ["attempt", "add_node"], "1.31.14 1.32.13 1.35.0 1.36.2"),
        (11, ["attempt", "change_node"], "1.31.14 1.32.13 1.35.0 1.36.2"),
        # #134393, #135325.
        (7, ["attempt", "remove_pod"], "1.31.14 1.32.13 1.35.0"),
        (8, ["attempt", "label_own"], "1.31.14 1.32.13 1.35.0"),
        # #141354.
        (9, ["attempt", "remove_pod"], "1.31.14 1.32.13 1.35.0 1.36.2"),
        # #127470.
        (10, ["attempt", "add_node"], "1.31.14 1.32.13"),
    ],
)
def test_what_inter_pod_affinity_passes_over(number: int, run: list[str], lost_in: str) -> None:
    asked = LOST_SOMEWHERE[number]
    for release in ("1.28.14", "1.30.14", "1.31.14", "1.32.13", "1.35.0", "1.36.2"):
        assert run_of(release, asked) is None
        assert run_of(release, asked, gate=True) == (run if release in lost_in.split() else None)


def test_without_hint_functions_there_is_nothing_to_miss() -> None:
    assert not hint_misses(under("1.27.16")).appears


@pytest.mark.parametrize(
    ("release", "waits"),
    [("1.21.2", False), ("1.22.3", True), ("1.22.17", False), ("1.23.3", True), ("1.23.9", False), ("1.24.0", False)],
)
def test_events_of_109442(release: str, waits: bool) -> None:
    assert [run_of(release, asked) is not None for asked, _ in REGISTERED] == [waits] * 3


@pytest.mark.parametrize("release", ["1.22.3", "1.32.0"])
def test_a_registration_is_too_small_only_beside_the_pre_check(release: str) -> None:
    own = under(release)
    unchecked = own.but(pre_check=without_pre_check)
    assert any(lost(own, asked, False) for asked, _ in REGISTERED)
    assert not any(lost(unchecked, asked, False) for asked, _ in REGISTERED)


@pytest.mark.parametrize(("release", "told"), [("1.22.3", False), ("1.31.14", False), ("1.32.0", True)])
def test_a_node_that_goes(release: str, told: bool) -> None:
    assert run_of(release, GONE) == (None if told else ["attempt", "remove_node"])
    if told:
        assert run_of(release, GONE_FINE) == ["remove_node", "handle_node", "attempt", "handle_node"]


@pytest.mark.parametrize(
    ("release", "told"), [("1.23.9", True), ("1.24.0", False), ("1.30.14", False), ("1.31.0", True)]
)
def test_nodes_asked_for_by_name(release: str, told: bool) -> None:
    assert (run_of(release, BY_NAME) is None) == told


@pytest.mark.parametrize("release", ["1.21.14", "1.22.3", "1.30.14", "1.31.14", "1.32.0"])
def test_a_pod_that_goes_does_not_help_where_another_plugin_rejected_the_pod(release: str) -> None:
    """QUEUE-ROOM-MISS: the pre-check compares what is free."""
    runs = [run_of(release, asked, gate=release == "1.32.0") for asked in FULL]
    if release in ("1.21.14", "1.32.0"):
        assert runs == [None] * 3
    elif release != "1.22.3":
        assert runs == [["attempt", "change_node", "remove_pod"]] * 3
    else:
        # Their events were few, so that room by a change of the node does not help either.
        assert [run is not None and run[:2] for run in runs] == [["attempt", "change_node"]] * 3


def test_the_property_has_witnesses() -> None:
    asked = LOST_SOMEWHERE[0]
    (result,) = check(
        RequeueingMachine(asked.scope, requeueing_rules(known_release("1.32.0"))), [no_event_lost(asked.plugin)]
    )
    assert result.outcome is Outcome.HOLDS
    assert result.claim is not None
    assert result.claim.details["witnesses"] > 0


def test_a_scope_refuses_what_is_no_plugin() -> None:
    with pytest.raises(ValueError, match=r"not plugins: ImageLocality; expected some of NodeUnschedulable, Taint"):
        RequeueingScope(plugins=frozenset({POD_TOPOLOGY_SPREAD, "ImageLocality"}))


def test_nothing_is_looked_for_again_under_rules_that_were_not_looked_up() -> None:
    own = under("1.31.14")
    other = own.but(strip_pod=lambda pod: pod)
    assert lost(other, LOST_SOMEWHERE[0], True) is lost(own, LOST_SOMEWHERE[0], True)
