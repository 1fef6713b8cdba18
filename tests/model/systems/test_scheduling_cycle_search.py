"""A search of the system is the component's; the bound of the start index is tight; what breaks it."""

from collections.abc import Iterator
from random import Random

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check, explore
from model.machine import Action
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree, next_node
from model.scheduler.filtering import FilteringRules, FilterSetup, Found, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Ask, Call, driven
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.systems.scheduling import fitting
from model.systems.scheduling_cycle import (
    SchedulingCycle,
    SchedulingCycleMachine,
    SchedulingCycleRules,
    SchedulingCycleScope,
)
from model.systems.scheduling_cycle.scope import named_nodes, names_nodes
from model.world.api_server import place
from properties.scheduling.pods import RUNS
from properties.scheduling_cycle.searching import ASKS_EACH_ONCE, EXAMINED_IN_TURN, KEEPS_TO_SNAPSHOT, latest_search

RELEASES = ("1.13.12", "1.16.15", "1.17.17", "1.21.14", "1.22.3", "1.24.0", "1.25.0", "1.28.10", "1.31.13")
OF_SEARCHES = [ASKS_EACH_ONCE, KEEPS_TO_SNAPSHOT, EXAMINED_IN_TURN, RUNS]
REFUSED = Status(Code.UNSCHEDULABLE, ("no",))
# With fine=1 a search begins in a state that has its snapshot.
SCOPES = [
    SchedulingCycleScope(pods=3, nodes=3, quota=1, fine=1, deletes=1, cordons=1),
    SchedulingCycleScope(pods=3, nodes=4, quota=2, fine=1, node_deletes=1, node_adds=1, node_zones=2),
    SchedulingCycleScope(pods=2, nodes=2, quota=1, fine=1, high=1, preemption=1, late_nodes=1, node_adds=1),
    SchedulingCycleScope(pods=3, nodes=3, quota=1, room=2, fine=1, named_nodes=2, named_pods=1, node_deletes=1),
]


def machine(release: str, scope: SchedulingCycleScope) -> SchedulingCycleMachine:
    return SchedulingCycleMachine(scope, rules_for(SchedulingCycleRules, parse_release(release)))


def by_component(m: SchedulingCycleMachine, release: str, state: SchedulingCycle) -> tuple[Found, NodeTree]:
    """The search of the cycle in `state` as `find_nodes_that_fit_pod` makes it, and the tree afterwards."""
    assert state.cycle is not None
    assert state.searches is not None
    pod, tree = state.cycle.pod, state.cache.node_tree
    nominator = fitting.nominations(m.setup.queue, state.queue)
    named = named_nodes(m.scope) if names_nodes(m.scope, place(pod.name)) else None

    def fits(node: str) -> bool:
        info = state.snapshot.get(node)
        if info is None or info.node is None or (named is not None and node not in named):
            return False
        return not fitting.rejected_by(info, nominator, pod)

    def answer(call: Call) -> object:
        nonlocal tree
        if call == Ask("number of nodes"):
            return tree.num_nodes
        name, tree = next_node(tree)
        return name

    def enough(nodes: int, percentage: int, of_profile: int | None) -> int:
        return min(nodes, m.scope.quota)

    setup = FilterSetup(
        evolve(rules_for(FilteringRules, parse_release(release)), num_feasible_nodes_to_find=enough),
        0,
        None,
        True,
        lambda node: answered(SUCCESS if fits(node) else REFUSED),
    )
    listed, nominated = state.snapshot.node_info_list, pod.nominated_node_name
    return driven(find_nodes_that_fit_pod(setup, listed, state.searches.start, nominated, named), answer), tree


def searches(m: SchedulingCycleMachine, seed: str) -> Iterator[tuple[SchedulingCycle, SchedulingCycle]]:
    """The states before and after searches of random runs, in which nobody else acts during a search."""
    drawn = Random(seed)
    for _ in range(6):
        state = m.initial_states()[0]
        for _ in range(70):
            if not (enabled := list(m.actions(state))):
                break
            if state.cycle is not None and state.cycle.steps[0] == "find_nodes":
                before, state = state, m.step(state, Action.of("find_nodes", pod=state.cycle.pod.name))
                while state.cycle is not None and state.cycle.steps[0] == "ask_node":
                    state = m.step(state, Action.of("ask_node", pod=state.cycle.pod.name))
                yield before, state
            else:
                state = m.step(state, drawn.choice(enabled))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("scope", SCOPES)
def test_a_search_is_that_of_the_component(release: str, scope: SchedulingCycleScope) -> None:
    m, ends = machine(release, scope), set()
    for before, after in searches(m, release):
        found, tree = by_component(m, release, before)
        assert after.searches is not None
        if found.error is not None:
            assert after.crashed or not after.cycle or not after.cycle.candidates
            continue
        assert after.cycle is not None
        assert after.cycle.search is not None
        search = after.cycle.search
        own = [*({before.cycle.pod.nominated_node_name} if search.tried and before.cycle else ())]
        assert [node for node in found.examined if node not in own] == [n for n in search.examined if n not in own]
        assert (found.feasible, found.start) == (search.found, after.searches.start)
        if m.rules.takes_nodes_from_tree():
            assert tree == after.cache.node_tree
        ends.add((bool(search.found), search.stopped, search.alone))
    assert ends


@pytest.mark.parametrize("release", ["1.16.15", "1.17.17", "1.31.13"])
@pytest.mark.parametrize(("nodes", "quota"), [(3, 1), (4, 1), (4, 2), (4, 3)])
def test_the_bound_is_tight(release: str, nodes: int, quota: int) -> None:
    """Some node is not examined in as many searches as the bound allows. To 1.16 the tree goes one node further."""
    m = machine(release, SchedulingCycleScope(pods=latest_search(nodes, quota), nodes=nodes, quota=quota, goroutines=1))
    run = explore(m, symmetry=True)
    states = (run.state(number) for number in range(run.counts.distinct))
    longest = max((n for s in states if s.searches for n in s.searches.passed_over), default=0)
    bound = latest_search(nodes, quota)
    from_tree = max(1, -(-nodes // (quota + 1)))
    assert longest + 1 == (from_tree if m.rules.takes_nodes_from_tree() else bound)
    assert from_tree <= bound


NOMINATED = SchedulingCycleScope(pods=2, nodes=1, quota=1, fine=1, high=1, preemption=1, goroutines=1, cordons=1)
NAMED = SchedulingCycleScope(pods=3, nodes=3, room=3, goroutines=1, quota=1, named_nodes=1, named_pods=1)


@pytest.mark.parametrize(
    ("release", "named_pods", "violated"),
    [
        ("1.23.17", 1, set()),
        ("1.24.0", 1, {"node-is-examined-in-turn"}),
        ("1.30.1", 1, {"node-is-examined-in-turn"}),
        ("1.30.2", 1, set()),
        ("1.31.13", 1, set()),
    ],
)
def test_a_pod_whose_node_is_named_sets_the_start_back(release: str, named_pods: int, violated: set[str]) -> None:
    """FILTER-START-RESET."""
    found = check(machine(release, evolve(NAMED, named_pods=named_pods)), OF_SEARCHES)
    assert {each.property for each in found if each.trace is not None} == violated


@pytest.mark.slow
def test_two_pods_whose_node_is_named_move_the_start_past_a_node() -> None:
    """FILTER-START-SKIP."""
    found = check(machine("1.31.13", evolve(NAMED, pods=4, room=4, named_pods=2)), OF_SEARCHES)
    assert {each.property for each in found if each.trace is not None} == {"node-is-examined-in-turn"}


JOINING = SchedulingCycleScope(pods=1, nodes=3, node_zones=2, late_nodes=1, node_adds=1, goroutines=1, quota=3)
BOTH = {"search-asks-each-node-once", "search-keeps-to-its-snapshot"}


@pytest.mark.parametrize(
    ("release", "violated"),
    [
        ("1.15.12", BOTH),
        ("1.16.2", {"scheduler-keeps-running"}),
        ("1.16.15", BOTH),
        ("1.17.10", set()),
        ("1.31.13", set()),
    ],
)
def test_a_node_that_joins_during_a_search(release: str, violated: set[str]) -> None:
    """NODETREE-LIVE-ITER, and SNAP-NIL-NODE-PANIC in 1.16.0 to 1.16.8."""
    found = check(machine(release, JOINING), OF_SEARCHES)
    assert {each.property for each in found if each.trace is not None} == violated


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("release", ["1.16.15", "1.17.10", "1.21.14", "1.31.13"])
def test_a_node_that_a_worker_has_taken_may_wait_longer(release: str, workers: int) -> None:
    """FILTER-START-PARALLEL. To 1.16 each node that is taken is asked; there the model has one worker."""
    found = check(
        machine(release, SchedulingCycleScope(nodes=3, room=2, quota=1, workers=workers, goroutines=1)), OF_SEARCHES
    )
    violated = {"node-is-examined-in-turn"} if workers == 2 and release != "1.16.15" else set()
    assert {each.property for each in found if each.trace is not None} == violated


@pytest.mark.slow
@pytest.mark.parametrize("extender", [0, 1])
@pytest.mark.parametrize(("scores", "both_on_one_node"), [(0, {True, False}), (1, {False}), (2, {True})])
def test_the_host_has_the_highest_total(scores: int, both_on_one_node: set[bool], extender: int) -> None:
    """The second pod finds one node empty and one half full. The first one may go to either."""
    scope = SchedulingCycleScope(nodes=2, room=2, goroutines=1, scores=scores, extender=extender, fine=extender)
    run = explore(machine("1.31.13", scope))
    placed = [
        [pod.node_name for pod in state.pods if pod is not None and pod.node_name]
        for state in map(run.state, range(run.counts.distinct))
    ]
    assert {len({*nodes}) == 1 for nodes in placed if len(nodes) == 2} == both_on_one_node
    assert {node for nodes in placed for node in nodes} == {"n1", "n2"}


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ({"named_pods": 1}, "named_pods=1 pods whose nodes are named"),
        ({"pods": 1, "named_nodes": 1, "named_pods": 2}, "named_pods=2 pods whose nodes are named: there are 1 pods"),
    ],
)
def test_a_scope_whose_bounds_say_nothing_is_refused(bounds: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        SchedulingCycleScope(**bounds)


def test_the_searches_compared_end_in_every_way() -> None:
    """With and without a feasible node, early and at the end of the list, on the nominated node alone."""
    ends = set()
    for scope in SCOPES[:2]:
        m = machine("1.31.13", scope)
        found = (after.cycle.search for _, after in searches(m, "1.31.13") if after.cycle is not None)
        ends |= {(bool(each.found), each.stopped) for each in found if each is not None}
    assert ends >= {(False, False), (True, False), (True, True)}


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.22.3", "1.25.0"])
def test_a_search_on_the_nominated_node_is_that_of_the_component(release: str) -> None:
    """In 1.22 to 1.24 it sets the start back (FILTER-START-RESET)."""
    m, ends = machine(release, NOMINATED), set()
    run = explore(m)
    for before in map(run.state, range(run.counts.distinct)):
        if before.cycle is None or before.cycle.steps[0] != "find_nodes" or not before.cycle.pod.nominated_node_name:
            continue
        after, (found, _) = m.step(before, Action.of("find_nodes", pod="p1")), by_component(m, release, before)
        assert after.cycle is not None
        assert after.cycle.search is not None
        assert after.searches is not None
        assert (found.feasible, found.start) == (after.cycle.search.found, after.searches.start)
        ends.add(after.cycle.search.alone)
    assert ends == {True, False}
