"""The hint functions of plugins: what each release answers to a change of a node or a pod, and what that misses."""

import pytest
from attrs import evolve

from model.releases import EVERY_MINOR, has_rules, known_release, parse_release, row_at, rules_for
from model.scheduler.hint_functions import CORDON_TAINT, HintFunctionRules, queue_if_less_is_asked_for
from model.scheduler.hint_objects import HintedNode, HintedPod, SpreadConstraint

QUEUE, SKIP = "QueueAfterBackoff", "QueueSkip"
# A release of each kind, in order.
KINDS = (
    "1.28.4",
    "1.29.0-alpha.1",
    "1.29.0-alpha.3",
    "1.29.0",
    "1.29.1",
    "1.30.0",
    "1.31.0-alpha.2",
    "1.31.14",
    "1.32.0",
)

ZONES = SpreadConstraint("zone", (("app", "web"),))
POD = HintedPod("p", "p#1", cpu_milli=2, node_selector=(("gpu", "yes"),), toleration="mine", spread=(ZONES,))
BOUND = HintedPod("q", "q#1", cpu_milli=1, node_name="n", labels=(("app", "web"),))
NODE = HintedNode("n", cpu_milli=4, labels=(("gpu", "yes"), ("zone", "z1")))


def rules(release: str) -> HintFunctionRules:
    return rules_for(HintFunctionRules, parse_release(release, EVERY_MINOR))


def answers(field: str, pod: HintedPod, old: object, new: object) -> list[str]:
    """By the releases of `KINDS`, Q or S for each."""
    given = [getattr(rules(release), field)(pod, old, new) for release in KINDS]
    assert set(given) <= {QUEUE, SKIP}
    return ["Q" if answer == QUEUE else "S" for answer in given]


@pytest.mark.parametrize(
    ("field", "old", "new", "by_release"),
    [
        ("fit_after_node", None, NODE, "QQQQQQQQQ"),
        ("fit_after_node", None, evolve(NODE, cpu_milli=1), "QQQQQSSSS"),
        ("fit_after_node", evolve(NODE, cpu_milli=1), NODE, "QQQQQQQQQ"),
        # It fitted before, and has more now; it fits, and something else changed.
        ("fit_after_node", evolve(NODE, cpu_milli=3), NODE, "QQQQQQQQQ"),
        ("fit_after_node", evolve(NODE, taint="x"), NODE, "QQQQQQQQS"),
        ("affinity_after_node", None, NODE, "QQQQQQQQQ"),
        ("affinity_after_node", None, evolve(NODE, labels=()), "QQSSQSSSS"),
        ("affinity_after_node", evolve(NODE, labels=()), NODE, "QQQQQQQQQ"),
        ("affinity_after_node", evolve(NODE, taint="x"), NODE, "QQSSQQQQS"),
        ("unschedulable_after_node", None, NODE, "QQQQQQQQQ"),
        ("unschedulable_after_node", None, evolve(NODE, unschedulable=True), "QSSSQSSSS"),
        ("unschedulable_after_node", evolve(NODE, unschedulable=True), NODE, "QQQQQQQQQ"),
        ("unschedulable_after_node", evolve(NODE, cpu_milli=1), NODE, "QSSSQQQQS"),
        ("taint_after_node", None, NODE, "QQQQQQQQQ"),
        ("taint_after_node", None, evolve(NODE, taint="mine"), "QQQQQQQQQ"),
        ("taint_after_node", None, evolve(NODE, taint="other"), "QQQQQQSSS"),
        ("taint_after_node", evolve(NODE, taint="other"), NODE, "QQQQQQQQQ"),
        ("taint_after_node", evolve(NODE, cpu_milli=1), NODE, "QQQQQQSSS"),
        ("spread_after_node", None, NODE, "QQQQQQQQQ"),
        ("spread_after_node", None, evolve(NODE, labels=()), "QQQQQSSSS"),
        ("spread_after_node", NODE, None, "QQQQQQQQQ"),
        ("spread_after_node", evolve(NODE, labels=()), None, "QQQQQSSSS"),
        # The node leaves its domain, joins one, goes to another, or changes in what is nothing to the constraint.
        ("spread_after_node", NODE, evolve(NODE, labels=()), "QQQQQSSSQ"),
        ("spread_after_node", evolve(NODE, labels=()), NODE, "QQQQQQQQQ"),
        ("spread_after_node", NODE, evolve(NODE, labels=(("zone", "z2"),)), "QQQQQQQQQ"),
        ("spread_after_node", NODE, evolve(NODE, taint="x"), "QQQQQQQQQ"),
        ("spread_after_node", NODE, evolve(NODE, cpu_milli=9), "QQQQQQQQS"),
    ],
)
def test_changes_of_nodes(field: str, old: HintedNode | None, new: HintedNode | None, by_release: str) -> None:
    assert "".join(answers(field, POD, old, new)) == by_release


@pytest.mark.parametrize(
    ("field", "old", "new", "by_release"),
    [
        ("fit_after_pod", BOUND, None, "QQQQQQQQQ"),
        ("fit_after_pod", evolve(BOUND, node_name=""), None, "QQQQQSSSS"),
        # The gate InPlacePodVerticalScaling is off.
        ("fit_after_pod", BOUND, evolve(BOUND, cpu_milli=0), "QQQQQSSSS"),
        ("unschedulable_after_pod", POD, evolve(POD, toleration=CORDON_TAINT), "SSSSSSSSQ"),
        ("unschedulable_after_pod", BOUND, evolve(BOUND, toleration=CORDON_TAINT), "SSSSSSSSS"),
        ("unschedulable_after_pod", evolve(POD, toleration=""), POD, "SSSSSSSSS"),
        ("taint_after_pod", evolve(POD, toleration=""), POD, "SSSSSSQQQ"),
        ("taint_after_pod", evolve(BOUND, toleration=""), evolve(BOUND, toleration="mine"), "SSSSSSSSS"),
        ("taint_after_pod", POD, evolve(POD, labels=(("a", "b"),)), "SSSSSSSSQ"),
        ("spread_after_pod", None, BOUND, "QQQQQQQQQ"),
        ("spread_after_pod", BOUND, None, "QQQQQQQQQ"),
        ("spread_after_pod", None, evolve(BOUND, labels=()), "QQQQQSSSS"),
        ("spread_after_pod", None, evolve(BOUND, node_name=""), "QQQQQSSSS"),
        ("spread_after_pod", BOUND, evolve(BOUND, labels=()), "QQQQQQQQQ"),
        ("spread_after_pod", BOUND, evolve(BOUND, labels=(("app", "web"), ("x", "y"))), "QQQQQSSSS"),
        # The labels of the pod that waits itself: no release before 1.32 tries the pod again.
        ("spread_after_pod", POD, evolve(POD, labels=(("app", "web"),)), "QQQQQSSSQ"),
        ("gates_after_pod", evolve(POD, scheduling_gates=("a",)), POD, "QQQSSSQQQ"),
        ("gates_after_pod", POD, evolve(POD, scheduling_gates=("a",)), "QQQSSSSSQ"),
        ("gates_after_pod", evolve(BOUND, scheduling_gates=("a",)), BOUND, "QQQSSSSSS"),
    ],
)
def test_changes_of_pods(field: str, old: HintedPod | None, new: HintedPod | None, by_release: str) -> None:
    assert "".join(answers(field, POD, old, new)) == by_release


@pytest.mark.parametrize(("release", "hint"), [("1.32.13", "QueueSkip"), ("1.33.0", "QueueAfterBackoff")])
def test_a_nominated_pod_that_goes_leaves_room_from_1_33_on(release: str, hint: str) -> None:
    nominated = evolve(BOUND, node_name="", nominated_node_name="n1")
    assert row_at("fit_after_pod", known_release(release).version).rule(POD, nominated, None) == hint


def test_who_asks_for_less_counts_if_it_is_bound_or_the_pod_itself() -> None:
    less = evolve(BOUND, cpu_milli=0)
    more = evolve(less, cpu_milli=1)
    assert queue_if_less_is_asked_for(POD, more, less) == "QueueAfterBackoff"
    assert queue_if_less_is_asked_for(POD, less, more) == "QueueSkip"
    assert queue_if_less_is_asked_for(POD, evolve(more, node_name=""), evolve(less, node_name="")) == "QueueSkip"
    assert queue_if_less_is_asked_for(POD, evolve(POD, cpu_milli=9), POD) == "QueueAfterBackoff"


def test_a_new_toleration_counts_where_a_constraint_honors_taints() -> None:
    honest = evolve(POD, spread=(evolve(ZONES, honors_taints=True),))
    tolerant = evolve(honest, toleration="other")
    assert "".join(answers("spread_after_pod", honest, honest, tolerant)) == "QQQQQSSSQ"
    assert "".join(answers("spread_after_pod", POD, POD, evolve(POD, toleration="other"))) == "QQQQQSSSS"


@pytest.mark.parametrize(
    ("field", "joined", "missing"),
    [
        # The node joins tainted, and preCheckForNode keeps NodeAdd from the queue. Then the taint goes.
        ("affinity_after_node", evolve(NODE, taint="not-ready"), {"1.29.0-alpha.3", "1.29.0"}),
        ("unschedulable_after_node", evolve(NODE, taint="not-ready"), {"1.29.0-alpha.1", "1.29.0-alpha.3", "1.29.0"}),
        # The node joins without the resource that its device plugin brings later; the check asks for room too.
        ("taint_after_node", evolve(NODE, cpu_milli=0), {"1.31.0-alpha.2", "1.31.14"}),
        ("fit_after_node", evolve(NODE, taint="not-ready"), set()),
        ("spread_after_node", evolve(NODE, cpu_milli=0), set()),
    ],
)
def test_which_plugin_misses_a_node_that_joined_unfit(field: str, joined: HintedNode, missing: set[str]) -> None:
    """QH-PLUGIN-HINT-MISS: up to 1.31 the plugin is asked of the update alone, and the node fits the pod in the end."""
    asked_of_update_alone = [release for release in KINDS if rules(release).pre_check_with_hints()]
    assert asked_of_update_alone == list(KINDS[:-1])
    found = {each for each in asked_of_update_alone if getattr(rules(each), field)(POD, joined, NODE) == SKIP}
    assert found == missing


def test_there_are_no_hint_functions_before_1_28() -> None:
    assert not has_rules(HintFunctionRules, parse_release("1.27.16"))
    assert has_rules(HintFunctionRules, parse_release("1.28.0-beta.0"))
