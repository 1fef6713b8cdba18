"""What preemption does otherwise from 1.32 on, where no recording shows it."""

from itertools import permutations

from attrs import evolve
from hypothesis import given, strategies as st

from model.releases import known_release, rules_for
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.dry_run import DryRun, dry_run, dry_runs_in_any_order
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.preempt import MinCandidates, Preempted, PreemptionRules, preempt

VICTIM = PreemptionPod("v", cpu_milli=10)
PREEMPTOR = PreemptionPod("p", 9, 10)


def rules(release: str) -> PreemptionRules:
    return rules_for(PreemptionRules, known_release(release))


def node(name: str, cpu_milli: int = 10) -> PreemptionNode:
    return PreemptionNode(name, cpu_milli, 110, (evolve(VICTIM, name=f"v-{name}"),))


def answers(release: str, nodes: int, enough: int) -> set[str | None]:
    """The nodes that may be nominated, where all of them fail, and the first is the best one."""
    there = tuple(node(f"n{at}") for at in range(nodes))
    statuses = {each.name: Status(Code.UNSCHEDULABLE) for each in there}
    asked = rules(release)
    found = preempt(asked, asked.fits_node, PREEMPTOR, there, statuses, (), MinCandidates(0, enough))
    return {answer.nominated for answer in found if isinstance(answer, Preempted)}


@given(st.lists(st.sampled_from((None, 0, 1)), max_size=5), st.integers(1, 5))
def test_any_order_is_every_order(kinds: list[int | None], enough: int) -> None:
    asked = rules("1.32.0")
    nodes = tuple(PreemptionNode(str(at), 1, 1) for at in range(len(kinds)))

    def look(node: PreemptionNode) -> Victims | Status:
        violations = kinds[int(node.name)]
        return Status(Code.UNSCHEDULABLE) if violations is None else Victims((VICTIM,), violations)

    def kept(found: DryRun) -> frozenset[str]:
        return frozenset(found.candidates)

    in_turn = {kept(dry_run(asked, look, order, enough)) for order in permutations(nodes)}
    assert {kept(found) for found in dry_runs_in_any_order(asked, look, nodes, enough)} == in_turn


def test_a_map_of_more_than_eight_nodes_has_no_order() -> None:
    """Two candidates of nine equal nodes: each pair may be found, and not only neighbours."""
    asked = rules("1.32.0")
    nodes = tuple(node(f"n{at}") for at in range(9))
    found = list(dry_runs_in_any_order(asked, lambda each: Victims(each.pods, 0), nodes, 2))
    assert len(found) == 36
    assert asked.looks_in_any_order(9)
    assert not asked.looks_in_any_order(8)
    assert not rules("1.31.13").looks_in_any_order(9)
    assert answers("1.32.0", 9, 2) == {f"n{at}" for at in range(9)}


def test_a_pod_that_fits_on_no_empty_node_preempts_nobody() -> None:
    small = (node("n1", cpu_milli=5),)
    asked = {release: rules(release).fits_node(PREEMPTOR, small[0]).code for release in ("1.33.13", "1.34.0")}
    assert asked == {"1.33.13": Code.UNSCHEDULABLE, "1.34.0": Code.UNSCHEDULABLE_AND_UNRESOLVABLE}


def test_a_pod_preempts_again_if_its_nominated_node_has_no_status() -> None:
    """The pod fits on its nominated node, where a victim of it still terminates, and elsewhere it does not."""
    going = evolve(VICTIM, terminating=True, disruption_target=True)
    nodes = (PreemptionNode("n1", 20, 110, (going,)), node("n2"))
    preemptor = evolve(PREEMPTOR, nominated_node_name="n1")
    for release, nominated in (("1.31.13", None), ("1.32.0", "n2")):
        asked = rules(release)
        statuses = {"n2": Status(Code.UNSCHEDULABLE)}
        (found,) = preempt(asked, asked.fits_node, preemptor, nodes, statuses, (), MinCandidates())
        assert isinstance(found, Preempted), release
        assert found.nominated == nominated, release


def test_a_terminating_victim_is_left_in_some_releases() -> None:
    going = (evolve(VICTIM, terminating=True),)
    left = {release: rules(release).victims_to_delete(going) == () for release in (
        "1.33.13", "1.34.1", "1.34.2", "1.34.9", "1.35.0", "1.36.2")}  # fmt: skip
    assert left == {
        "1.33.13": False, "1.34.1": True, "1.34.2": False, "1.34.9": False, "1.35.0": True, "1.36.2": True,
    }  # fmt: skip
