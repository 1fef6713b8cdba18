"""scheduling-cycle agrees with itself: symmetry and searches against brute force, release by release."""

import re
from functools import cache
from random import Random

import pytest
from attrs import evolve, fields
from hypothesis import given, strategies as st

from kubeproof.engines.explicit import check, explore
from model.places import place_in
from model.releases import known_release, parse_release, rules_for
from model.scheduler.error_func import kept
from model.systems.scheduling.normal import normal
from model.systems.scheduling_cycle import (
    SchedulingCycle,
    SchedulingCycleMachine,
    SchedulingCycleRules,
    SchedulingCycleScope,
)
from model.systems.scheduling_cycle.actors import SCHEDULER, SCHEDULING_CYCLE, STEPS
from properties.scheduling.catalogue import PROPERTIES
from properties.scheduling_cycle.node_repair import REMOVED_LEAVES_TREE
from tests.model.systems.plain import leaves_alone_what_is_normal, plain_counts, reachable, renamings, successors
from tests.model.systems.test_scheduling_steps import functions_in

SCOPES = {
    "1.14.10": SchedulingCycleScope(nodes=2, reserves=2, failures=2, deletes=1),
    "1.15.12": SchedulingCycleScope(nodes=2, reserves=1, permit=2, failures=1, timeouts=1),
    "1.17.10": SchedulingCycleScope(nodes=2, reserves=2, permit=1, failures=2, timeouts=1, deletes=1, listeners=1),
    "1.18.20": SchedulingCycleScope(pods=3, nodes=2, reserves=1, permit=1, groups=2, timeouts=1, failures=1, fine=1),
    "1.19.0-rc.4": SchedulingCycleScope(pods=1, nodes=2, reserves=2, permit=1, failures=2, bind_errors=1, updates=1),
    "1.23.17": SchedulingCycleScope(high=1, reserves=1, permit=2, failures=1, preemption=1, lost_replies=1),
    "1.28.8": SchedulingCycleScope(pods=2, nodes=3, named_nodes=2, node_deletes=2, node_adds=1, failures=1, deletes=1),
    "1.22.3": SchedulingCycleScope(pods=2, extender=1, extender_errors=2, ignorable=1, high=1, preemption=1, updates=1),
    "1.30.14": SchedulingCycleScope(pods=2, nodes=2, extender=1, extender_errors=2, failures=1, reserves=1),
    "1.15.3": SchedulingCycleScope(pods=3, nodes=2, binder_extenders=2, unmanaged=1, extender_errors=2, reserves=1),
    "1.30.5": SchedulingCycleScope(
        pods=2, nodes=2, binder_extenders=2, ignorable=1, extender_errors=2, deletes=1, recreates=1, bind_errors=1
    ),
    "1.17.9": SchedulingCycleScope(
        pods=2, nodes=2, node_zones=1, reserves=1, node_deletes=2, node_adds=1, node_not_found=1, listeners=1
    ),
    "1.29.9": SchedulingCycleScope(pods=1, nodes=2, node_deletes=2, node_adds=1, node_not_found=2, reserves=1),
    "1.13.12": SchedulingCycleScope(pods=2, nodes=2, volumes=1, failures=2, updates=1, bind_errors=1),
    "1.16.7": SchedulingCycleScope(pods=2, nodes=1, volumes=1, reserves=1, permit=1, failures=2, timeouts=1),
    "1.18.10": SchedulingCycleScope(pods=2, nodes=2, volumes=1, reserves=1, failures=2, deletes=1),
    "1.27.4": SchedulingCycleScope(
        pods=3, nodes=2, room=2, permit=1, groups=2, second_profile=1, timeouts=1, failures=1, deletes=1
    ),
    "1.26.5": SchedulingCycleScope(pods=2, nodes=2, volumes=1, reserves=1, permit=1, failures=2, bind_errors=1),
    "1.28.10": SchedulingCycleScope(pods=1, nodes=2, named_nodes=1, node_deletes=1, cordons=1, reserves=1),
    "1.16.15": SchedulingCycleScope(pods=2, nodes=3, quota=1, failures=1, node_deletes=1, node_adds=1, cordons=1),
    "1.24.0": SchedulingCycleScope(
        pods=3, nodes=3, quota=1, named_nodes=1, named_pods=1, late_nodes=1, node_adds=1, extender=1
    ),
    "1.17.13": SchedulingCycleScope(
        pods=3, nodes=3, room=2, quota=1, workers=2, failures=1, node_deletes=1, node_adds=1, reserves=1
    ),
    "1.25.2": SchedulingCycleScope(
        pods=3, nodes=3, quota=1, high=1, preemption=1, extender=1, extender_errors=1, fine=1, node_zones=2
    ),
    "1.17.17": SchedulingCycleScope(
        pods=3,
        nodes=2,
        high=2,
        never=1,
        protected=2,
        disruptions=1,
        preemption=1,
        preempt_extender=2,
        patch_errors=2,
        graceful=1,
        deletes=1,
        permit=1,
        fine=1,
    ),
    "1.20.15": SchedulingCycleScope(
        pods=3,
        nodes=2,
        high=1,
        preemption=1,
        preempt_extender=2,
        ignorable=1,
        patch_errors=2,
        cordons=1,
        recreates=1,
        deletes=1,
    ),
    "1.28.14": SchedulingCycleScope(
        pods=3,
        nodes=2,
        high=1,
        protected=2,
        preemption=1,
        named_nodes=1,
        patch_errors=2,
        graceful=1,
        permit=1,
        preempt_extender=1,
        fine=1,
    ),
    "1.14.8": SchedulingCycleScope(
        pods=3, nodes=2, room=2, reserves=1, failures=2, cycle_state=1, updates=1, deletes=1, bind_errors=1
    ),
    "1.21.1": SchedulingCycleScope(
        pods=3, nodes=2, high=1, preemption=1, late_nodes=1, clock=1, reserves=1, permit=1, failures=1, cycle_state=1
    ),
    "1.17.4": SchedulingCycleScope(
        pods=3, nodes=2, unknown_profile=2, deletes=2, recreates=2, failures=1, relists=1, other_binders=1, late_nodes=1
    ),
    "1.31.2": SchedulingCycleScope(
        pods=3, nodes=1, high=1, unknown_profile=3, deletes=1, recreates=2, preemption=1, listeners=1, failures=1
    ),
    "1.31.13": SchedulingCycleScope(
        room=2, reserves=1, permit=1, groups=1, failures=2, deletes=1, recreates=1, clock=1
    ),
    "1.32.0": SchedulingCycleScope(
        pods=2, nodes=2, reserves=1, permit=1, failures=2, timeouts=1, deletes=1, unknown_profile=1, recreates=1
    ),
    "1.33.1": SchedulingCycleScope(
        pods=3, high=1, nodes=1, preemption=1, permit=1, failures=1, patch_errors=1, fine=1, graceful=1, listeners=1
    ),
    "1.34.1": SchedulingCycleScope(
        pods=2, nodes=2, binder_extenders=2, ignorable=1, extender_errors=2, volumes=1, bind_errors=1, clock=1
    ),
    "1.35.1": SchedulingCycleScope(
        pods=3, high=1, nodes=2, preemption=1, permit=1, volumes=1, failures=2, patch_errors=1, deletes=1, listeners=1
    ),
    "1.36.2": SchedulingCycleScope(
        pods=3, high=1, nodes=2, preemption=1, permit=1, volumes=1, failures=2, patch_errors=1, deletes=1, fine=1
    ),
}
# Small enough for a search that remembers nothing and knows nothing of renaming.
SMALL = [
    (
        "1.17.12",
        SchedulingCycleScope(
            pods=1, nodes=1, node_zones=1, goroutines=1, node_deletes=1, node_adds=1, node_not_found=1
        ),
    ),
    ("1.17.9", SchedulingCycleScope(pods=1, nodes=2, volumes=1, reserves=1, failures=2, goroutines=1)),
    ("1.29.9", SchedulingCycleScope(pods=1, nodes=2, volumes=1, reserves=1, failures=2, goroutines=1)),
    ("1.17.10", SchedulingCycleScope(pods=1, nodes=2, reserves=2, permit=1, failures=1, timeouts=1, goroutines=1)),
    ("1.18.20", SchedulingCycleScope(pods=2, nodes=1, room=2, permit=1, groups=1, timeouts=1, goroutines=1)),
    ("1.31.13", SchedulingCycleScope(pods=1, nodes=2, reserves=1, permit=2, failures=1, deletes=1, goroutines=1)),
    ("1.28.8", SchedulingCycleScope(pods=1, nodes=3, named_nodes=2, node_deletes=1, node_adds=1, goroutines=1)),
    (
        "1.30.14",
        SchedulingCycleScope(
            pods=2, nodes=1, binder_extenders=2, ignorable=1, unmanaged=1, extender_errors=1, goroutines=1
        ),
    ),
    (
        "1.20.8",
        SchedulingCycleScope(
            pods=1, nodes=1, unknown_profile=1, deletes=1, recreates=1, failures=1, late_nodes=1, goroutines=1
        ),
    ),
    ("1.14.8", SchedulingCycleScope(pods=2, nodes=1, reserves=1, failures=1, cycle_state=1, goroutines=1)),
    ("1.16.15", SchedulingCycleScope(pods=2, nodes=3, quota=2, late_nodes=1, node_adds=1, goroutines=1)),
    ("1.24.0", SchedulingCycleScope(pods=2, nodes=3, quota=1, named_nodes=1, named_pods=1, cordons=1, goroutines=1)),
    (
        "1.22.3",
        SchedulingCycleScope(
            pods=2, high=1, goroutines=1, preemption=1, protected=1, preempt_extender=1, patch_errors=1, graceful=1
        ),
    ),
    ("1.31.0", SchedulingCycleScope(pods=2, nodes=2, high=1, goroutines=1, preemption=1, named_nodes=1, graceful=1)),
    ("1.29.14", SchedulingCycleScope(pods=2, nodes=3, quota=1, workers=2, goroutines=1)),
    ("1.21.14", SchedulingCycleScope(pods=2, nodes=2, room=2, scores=1, node_grows=1, goroutines=1)),
    ("1.32.0", SchedulingCycleScope(pods=2, nodes=1, reserves=1, permit=1, failures=1, goroutines=1)),
    ("1.34.1", SchedulingCycleScope(pods=1, nodes=1, volumes=1, failures=1, deletes=1, goroutines=1)),
    ("1.36.2", SchedulingCycleScope(pods=2, nodes=1, high=1, preemption=1, volumes=1, goroutines=1)),
]
releases = st.sampled_from(sorted(SCOPES))
runs = st.lists(st.integers(0, 199), max_size=60)


@cache
def machine(release: str, scope: SchedulingCycleScope) -> SchedulingCycleMachine:
    return SchedulingCycleMachine(scope, rules_for(SchedulingCycleRules, known_release(release)))


@pytest.mark.slow
@given(releases, runs, st.data())
def test_renaming_commutes_with_every_step(release: str, choices: list[int], data: st.DataObject) -> None:
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    renamed = m.rename(state, data.draw(st.sampled_from(renamings(m))))
    assert m.canonical(renamed) == m.canonical(state)
    assert successors(m, renamed) == successors(m, state)


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_counts_equal_those_of_a_plain_search(release: str, scope: SchedulingCycleScope) -> None:
    """The engine, which remembers what a step does, against a search that knows nothing but actions and steps."""
    m = machine(release, scope)
    run = explore(m)
    assert (run.counts.distinct, run.counts.generated, run.counts.depth) == plain_counts(m)
    states = {m.canonical(run.state(number)) for number in range(run.counts.distinct)}
    assert explore(m, symmetry=True).counts.distinct == len(states)
    assert run.counts.distinct > 100


@pytest.mark.parametrize("release", SCOPES)
def test_what_is_said_never_to_be_offered_is_never_taken(release: str) -> None:
    m = machine(release, SCOPES[release])
    taken: set[str] = set()
    drawn = Random(release)
    for _ in range(60):
        state = m.initial_states()[0]
        for _ in range(60):
            if not (enabled := list(m.actions(state))):
                break
            action = drawn.choice(enabled)
            taken.add(action.name)
            state = m.step(state, action)
    assert "bind" in taken
    assert not taken & SCHEDULING_CYCLE.never_offered(m.scope, m.rules)


@pytest.mark.parametrize("minor", [16, 17, 18, 19, 22, 25, 28, 31])
def test_the_place_of_each_step_is_in_the_sources_of_the_release(minor: int) -> None:
    scope = SchedulingCycleScope(
        nodes=2,
        reserves=1,
        permit=1,
        groups=1,
        failures=1,
        timeouts=1,
        bind_errors=1,
        lost_replies=1,
        fine=1,
        binder_extenders=1,
        volumes=1,
    )
    rules = rules_for(SchedulingCycleRules, parse_release(f"1.{minor}"))
    there, version = functions_in(minor), parse_release(f"1.{minor}").version
    for name in STEPS.keys() - SCHEDULING_CYCLE.never_offered(scope, rules):
        for part in place_in(STEPS[name].place, version).split(" -> "):
            if part.startswith("client-go ") or not re.search(r"\.go\b", part):
                continue
            file, _, functions = part.partition(" ")
            assert {f"{file} {function}" for function in functions.split(", ") if function} <= there, (name, part)


def test_declarations_name_fields_bounds_and_steps_that_there_are() -> None:
    of_state, of_scope = ({f.name for f in fields(record)} for record in (SchedulingCycle, SchedulingCycleScope))
    for step in STEPS.values():
        assert {*getattr(step, "goroutines", ())} <= of_state, step.name
        assert step.powers <= of_scope, step.name
        assert {*step.part_of} <= STEPS.keys(), step.name
        assert bool(step.part_of) == bool(step.why), step.name
    assert SCHEDULER.need_snapshot <= STEPS.keys()


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ({"groups": 1}, "groups=1 groups of pods: expected permit=1"),
        ({"pods": 1, "groups": 2, "permit": 1}, "groups=2 groups of pods: there are only 1 pods"),
    ],
)
def test_a_scope_with_groups_that_cannot_be_is_refused(bounds: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        SchedulingCycleScope(**bounds)


@pytest.mark.parametrize(
    ("release", "named", "violated"),
    [
        ("1.23.17", 2, set()),
        ("1.28.8", 2, {"fitting-pod-is-bound", "no-event-lost"}),
        ("1.28.10", 1, {"scheduler-keeps-running"}),
        ("1.28.10", 2, set()),
        ("1.28.11", 1, set()),
        ("1.28.11", 2, set()),
    ],
)
def test_a_node_that_a_plugin_names_is_gone(release: str, named: int, violated: set[str]) -> None:
    """CYCLE-PREFILTER-NONEXISTENT-NODE: one of the named nodes, or the only one, is deleted."""
    scope = SchedulingCycleScope(pods=1, nodes=2, goroutines=1, node_deletes=1, named_nodes=named)
    asked = [
        each for each in PROPERTIES if each.name in ("scheduler-keeps-running", "fitting-pod-is-bound", "no-event-lost")
    ]
    results = check(machine(release, scope), asked)
    assert {result.property for result in results if result.trace is not None} == violated


@pytest.mark.parametrize(("ignorable", "goes_on"), [(0, False), (1, True)])
def test_without_an_answer_of_the_extender_the_cycle_fails_unless_the_extender_is_ignorable(
    ignorable: int, goes_on: bool
) -> None:
    m = machine("1.31.13", SchedulingCycleScope(pods=1, extender=1, extender_errors=1, ignorable=ignorable))
    state = m.initial_states()[0]
    while not (failing := [each for each in m.actions(state) if dict(each.args).get("fails") in ("error", "lost")]):
        state = m.step(state, next(iter(m.actions(state))))
    assert [action["fails"] for action in failing] == ["error", "lost"]
    for action in failing:
        after = m.step(state, action)
        assert after.cycle is not None
        assert ("assume" in after.cycle.steps) == goes_on
        # What the extender has written is there, whoever hears of it.
        (pod,) = after.pods
        assert pod is not None
        assert bool(pod.annotations) == (action["fails"] == "lost")


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ({"nodes": 1, "named_nodes": 2}, "there are only 1 nodes"),
        ({"protected": 1}, "protected=1: expected preemption=1"),
        ({"preempt_extender": 1}, "preempt_extender=1: expected preemption=1"),
        ({"pods": 1, "never": 2, "preemption": 1}, "there are only 1 pods"),
        ({"protected": 1, "disruptions": 2, "preemption": 1}, "the budget has only 1 pods"),
        ({"ignorable": 1}, "binder_extenders=1 or preempt_extender=1"),
    ],
)
def test_a_scope_that_cannot_be_is_refused(bounds: dict[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        SchedulingCycleScope(**bounds)


@pytest.mark.parametrize(
    ("release", "repair"),
    [("1.13.12", True), ("1.17.10", True), ("1.18.20", False), ("1.28.14", False), ("1.30.14", False)],
)
def test_only_to_1_17_the_error_function_hears_that_the_node_of_a_binding_is_gone(release: str, repair: bool) -> None:
    m = machine(release, SchedulingCycleScope(pods=1, nodes=1, goroutines=1, node_deletes=1, node_not_found=1))
    state = m.initial_states()[0]
    order = ("create_pod", "deliver_pod", "pop", "schedule", "find_nodes", "assume", "delete_node")
    for name in order:
        for action in [each for each in m.actions(state) if each.name == name]:
            state = m.step(state, action)
    (found,) = [each for each in m.actions(state) if dict(each.args).get("reply") == "node not found"]
    (binding,) = m.step(state, found).bindings
    assert ("get_node" in binding.steps) == repair
    if repair:
        assert binding.steps.index("get_node") + 1 == binding.steps.index("start_error_func")


def test_a_fix_may_let_the_error_function_of_1_28_hear_of_the_node() -> None:
    rules = evolve(rules_for(SchedulingCycleRules, parse_release("1.28.14")), binding_error_is_kept=kept)
    scope = SchedulingCycleScope(pods=1, nodes=1, node_zones=1, goroutines=1, node_deletes=1, node_not_found=1)
    results = {result.property: result for result in check(SchedulingCycleMachine(scope, rules), [REMOVED_LEAVES_TREE])}
    assert results["removed-node-leaves-the-tree"].trace is not None


@pytest.mark.parametrize(("release", "last"), [("1.19.0-rc.4", "unreserve"), ("1.19.0", "patch_failure")])
def test_in_1_19_0_rc_4_unreserve_follows_the_record_of_a_failed_reserve(release: str, last: str) -> None:
    """`scheduleOne` of 1.19.0-rc.4 records the failure first (kubernetes-sigs/cluster-capacity 4f63337b8)."""
    m = machine(release, SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=2, failures=1, fine=1))
    state = m.initial_states()[0]
    while not (failing := [each for each in m.actions(state) if dict(each.args).get("plugin") == 2]):
        state = m.step(state, next(iter(m.actions(state))))
    state = m.step(state, failing[0])
    assert state.cycle is not None
    assert state.cycle.steps[-1] == last


@pytest.mark.slow
@given(releases, runs)
def test_what_an_action_leaves_alone_is_in_normal_form(release: str, run: list[int]) -> None:
    m = machine(release, SCOPES[release])
    leaves_alone_what_is_normal(m, normal, reachable(m, run))
