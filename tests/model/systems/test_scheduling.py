"""scheduling agrees with itself: symmetry and normal form against brute force, release by release."""

import hashlib
from collections import Counter
from functools import cache
from typing import Any

import pytest
from attrs import asdict
from hypothesis import given, strategies as st

from kubeproof.engines.explicit import explore
from kubeproof.engines.explicit.search import Exploration
from model.go.errors import errors_met
from model.releases import known_release, rules_for
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.normal import normal
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingRules
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling.second_scheduler import NAMES as NAMES_OF_SECOND
from model.world.api_server import CPU, place
from properties.scheduling.cache import within_capacity
from tests.conftest import said_under_another_hash_seed
from tests.model.systems.plain import leaves_alone_what_is_normal, plain_counts, reachable, renamings, successors

# Together the scopes have every power and every switch; each release has rules that no other here has.
SCOPES = {
    "1.13.0": SchedulingScope(nodes=2, updates=1, deletes=1, recreates=1, node_deletes=1, node_adds=1, bind_errors=1),
    "1.14.10": SchedulingScope(
        pods=3, high=1, nodes=2, room=2, extender=1, preemption=1, clock=1, flush=1, deletes=1, lost_replies=1
    ),
    "1.17.10": SchedulingScope(
        nodes=2, extender=1, preemption=1, high=1, relists=1, clock=1, expiry=1, keep_snapshot=1, heartbeats=1
    ),
    "1.19.0": SchedulingScope(
        nodes=2,
        high=1,
        preemption=1,
        deletes=1,
        recreates=1,
        graceful=1,
        listeners=1,
        resyncs=1,
        other_binders=1,
        turned=1,
    ),
    "1.21.4": SchedulingScope(
        nodes=2,
        late_nodes=1,
        extender=1,
        finalizers=1,
        labels=1,
        fine=1,
        bind_errors=1,
        goroutines=1,
        together=1,
    ),
    "1.22.3": SchedulingScope(
        nodes=2, high=1, preemption=1, deletes=2, graceful=1, clock=1, flush=1, expiry=1, lost_replies=1, fine=1
    ),
    "1.24.0": SchedulingScope(
        nodes=2, high=1, preemption=1, extender=1, updates=1, deletes=1, recreates=1, node_deletes=1, keep_snapshot=1
    ),
    "1.26.0": SchedulingScope(
        nodes=2,
        high=1,
        top=1,
        big=1,
        preemption=1,
        shrinks=1,
        labels=2,
        anti_affinity=1,
        finalizers=1,
        deletes=1,
        blocked_deletes=1,
    ),
    "1.18.4": SchedulingScope(nodes=3, node_zones=2, late_nodes=1, deletes=1, keep_snapshot=1),
    "1.27.0": SchedulingScope(pods=3, high=2, top=1, big=2, room=2, preemption=1, node_shrinks=1, cordons=2),
    "1.30.0": SchedulingScope(nodes=2, big=1, node_grows=1, node_shrinks=1, cordons=2, deletes=1, fine=1),
    "1.28.0": SchedulingScope(
        pods=4, high=1, nodes=2, room=2, preemption=1, listeners=1, bound_at_start=2, deletes=1, recreates=1, resyncs=1
    ),
    "1.31.13": SchedulingScope(
        pods=3, high=1, nodes=3, late_nodes=1, preemption=1, clock=1, flush=1, relists=1, bind_errors=1, listeners=1
    ),
    "1.32.0": SchedulingScope(
        pods=3, high=1, big=1, nodes=2, preemption=1, labels=2, anti_affinity=1, shrinks=1, cordons=2, bind_errors=1
    ),
    "1.34.1": SchedulingScope(
        nodes=2,
        high=1,
        preemption=1,
        clock=1,
        flush=1,
        deletes=1,
        recreates=1,
        node_adds=1,
        node_deletes=1,
        listeners=1,
    ),
    "1.36.2": SchedulingScope(
        pods=3, high=1, nodes=2, preemption=1, deletes=1, graceful=1, updates=1, bind_errors=1, node_grows=1, fine=1
    ),
    "1.33.0": SchedulingScope(pods=3, high=1, big=1, nodes=2, room=2, preemption=1, resizes=2, shrinks=1, deletes=1),
}


def larger(release: str, scope: SchedulingScope) -> Any:
    """An entry of SMALL that takes a second or two, beside a smaller one of its kind."""
    return pytest.param(release, scope, marks=pytest.mark.slow)


# Small enough to try every renaming of every state.
SMALL = [
    ("1.13.0", SchedulingScope(nodes=2, deletes=1)),
    ("1.14.10", SchedulingScope(extender=1, clock=1, flush=1, goroutines=1)),
    ("1.17.10", SchedulingScope(high=1, preemption=1, graceful=1, goroutines=1)),
    ("1.17.10", SchedulingScope(pods=1, nodes=2, preemption=1, extender=1, fine=1, goroutines=1)),
    larger("1.17.10", SchedulingScope(high=1, preemption=1, fine=1, goroutines=1)),
    ("1.17.10", SchedulingScope(pods=1, finalizers=1, labels=1)),
    larger("1.17.10", SchedulingScope(pods=1, nodes=2, finalizers=1, labels=1)),
    ("1.17.10", SchedulingScope(relists=1, resyncs=1, goroutines=1)),
    ("1.19.0", SchedulingScope(nodes=2, listeners=1)),
    ("1.27.0", SchedulingScope(pods=3, nodes=1, room=2, listeners=1, bound_at_start=1, goroutines=1)),
    ("1.21.4", SchedulingScope(updates=1)),
    ("1.22.3", SchedulingScope(pods=1, fine=1, bind_errors=1, clock=1, deletes=1, recreates=1, goroutines=1)),
    larger("1.22.3", SchedulingScope(pods=1, fine=1, bind_errors=1, clock=1, deletes=1, recreates=1)),
    ("1.22.3", SchedulingScope(nodes=2, clock=1, lost_replies=1, expiry=1, goroutines=1)),
    ("1.24.0", SchedulingScope(pods=1, nodes=2, late_nodes=1, node_deletes=1, keep_snapshot=1)),
    larger("1.24.0", SchedulingScope(nodes=2, late_nodes=1, node_deletes=1, keep_snapshot=1)),
    ("1.24.0", SchedulingScope(pods=1, fine=1, other_binders=1, heartbeats=1, goroutines=1)),
    larger("1.24.0", SchedulingScope(pods=1, nodes=2, fine=1, other_binders=1, heartbeats=1, goroutines=1)),
    larger("1.26.0", SchedulingScope(pods=3, big=1, high=2, top=1, room=2, shrinks=1, goroutines=1)),
    ("1.26.0", SchedulingScope(pods=2, big=1, high=1, top=1, room=2, shrinks=1, goroutines=1)),
    ("1.27.0", SchedulingScope(cordons=1, node_grows=1, goroutines=1)),
    larger("1.27.0", SchedulingScope(nodes=2, cordons=1, node_grows=1, goroutines=1)),
    ("1.22.3", SchedulingScope(pods=1, nodes=1, room=2, cordons=2, node_shrinks=1, goroutines=1)),
    ("1.18.4", SchedulingScope(pods=1, nodes=3, node_zones=2, goroutines=1, node_deletes=1)),
    ("1.31.13", SchedulingScope(high=1, preemption=1, graceful=1)),
    ("1.31.13", SchedulingScope(pods=3, nodes=2)),
    larger("1.31.13", SchedulingScope(bind_errors=1, fine=1, goroutines=1)),
    ("1.32.0", SchedulingScope(nodes=2, deletes=1, goroutines=1)),
    ("1.34.1", SchedulingScope(high=1, preemption=1, clock=1, goroutines=1)),
    ("1.34.1", SchedulingScope(pods=1, fine=1, bind_errors=1, deletes=1, goroutines=1)),
    ("1.34.1", SchedulingScope(pods=2, room=2, resizes=1, goroutines=1)),
    ("1.36.2", SchedulingScope(pods=2, deletes=1, listeners=1, goroutines=1)),
    ("1.36.2", SchedulingScope(pods=3, nodes=1, bound_at_start=1, room=2, listeners=1, goroutines=1)),
]

# What no scope makes an action of its own: it touches nothing.
ONLY_INSIDE = {"choose"}

releases = st.sampled_from(sorted(SCOPES))
runs = st.lists(st.integers(0, 199), max_size=60)


@cache
def machine(release: str, scope: SchedulingScope) -> SchedulingMachine:
    return SchedulingMachine(scope, rules_for(SchedulingRules, known_release(release)))


@cache
def explored(release: str, scope: SchedulingScope) -> Exploration:
    return explore(machine(release, scope))


def states(release: str, scope: SchedulingScope) -> list[Scheduling]:
    found = explored(release, scope)
    return [found.state(number) for number in range(found.counts.distinct)]


def test_every_power_of_a_scope_is_on_somewhere() -> None:
    plain = asdict(SchedulingScope())
    # `attempts` counts for rules from outside only: test_rules_from_outside.py.
    del plain["attempts"]
    # test_second_scheduler.py
    del plain["second"], plain["controllers"]
    for name, off in plain.items():
        assert any(getattr(scope, name) != off for scope in SCOPES.values()), name


@pytest.mark.slow
@given(releases, runs, st.data())
def test_renaming_commutes_with_every_step(release: str, choices: list[int], data: st.DataObject) -> None:
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    renamed = m.rename(state, data.draw(st.sampled_from(renamings(m))))
    assert m.canonical(renamed) == m.canonical(state)
    assert m.canonical(m.canonical(state)) == m.canonical(state)
    assert successors(m, renamed) == successors(m, state)


@pytest.mark.slow
@given(releases, runs, st.data())
def test_an_observed_pod_or_node_keeps_its_name(release: str, choices: list[int], data: st.DataObject) -> None:
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    observed = data.draw(st.sampled_from([name for names in m.sorts.values() for name in names]))
    fixing = [names for names in renamings(m) if names[observed] == observed]
    orbit = {m.canonical(m.rename(state, names), frozenset({observed})) for names in fixing}
    assert orbit == {m.canonical(state, frozenset({observed}))}
    assert orbit <= {m.rename(state, names) for names in fixing}


def orbits(m: SchedulingMachine, states: set[Scheduling]) -> int:
    """How many orbits `states` are in, by trying every renaming."""
    every, left, found = renamings(m), set(states), 0
    while left:
        orbit = {m.rename(next(iter(left)), names) for names in every}
        left -= orbit
        found += 1
    return found


def _release_and_scope(entry: Any) -> tuple[str, SchedulingScope]:
    release, scope = getattr(entry, "values", entry)
    return release, scope


@pytest.mark.slow
def test_every_action_is_taken_somewhere() -> None:
    fired: Counter[str] = Counter()
    for release, scope in map(_release_and_scope, SMALL):
        fired.update(explored(release, scope).counts.fired)
    # Of a second scheduler and a controller: test_second_scheduler.py.
    names = set(machine(*_release_and_scope(SMALL[0])).action_names) - NAMES_OF_SECOND - {"replace_pod"}
    assert {name for name in names if not fired[name]} == ONLY_INSIDE


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_orbit_counts_equal_brute_force(release: str, scope: SchedulingScope) -> None:
    m = machine(release, scope)
    plain, reduced = explored(release, scope), explore(m, symmetry=True)
    states = {plain.state(number) for number in range(plain.counts.distinct)}
    assert (reduced.counts.distinct, reduced.counts.depth) == (orbits(m, states), plain.counts.depth)
    assert {m.canonical(state) for state in states} == {
        m.canonical(reduced.state(number)) for number in range(reduced.counts.distinct)
    }


@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_counts_equal_those_of_a_plain_search(release: str, scope: SchedulingScope) -> None:
    """The engine, which remembers what a step does, against a search that knows nothing but actions and steps."""
    counts = explored(release, scope).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine(release, scope))
    assert counts.distinct > 100


@pytest.mark.slow
@given(releases, runs)
def test_normal_form_changes_nothing_that_can_be_told(release: str, choices: list[int]) -> None:
    """A run that keeps times, cycle numbers and generations as they come, beside one in normal form."""
    m = machine(release, SCOPES[release])
    bare = m.initial_states()[0]
    for choice in choices:
        small = normal(m.setup, bare)
        assert normal(m.setup, small) == small
        enabled = [(action, m.bare_step(bare, action)) for action in m.actions(bare)]
        # Goroutines that only their cycle numbers tell apart are one and the same in normal form.
        assert {(action.name, normal(m.setup, after)) for action, after in enabled} == {
            (action.name, m.step(small, action)) for action in m.actions(small)
        }
        if not enabled:
            return
        _, bare = enabled[choice % len(enabled)]


@pytest.mark.slow
@given(releases, runs, runs)
def test_actions_and_steps_depend_on_nothing_but_the_state(release: str, one: list[int], other: list[int]) -> None:
    """A machine that has been asked about other states first, and in another order, says the same."""
    fresh = SchedulingMachine(SCOPES[release], rules_for(SchedulingRules, known_release(release)))
    m = machine(release, SCOPES[release])
    state = reachable(fresh, one)
    enabled = list(m.actions(state))
    reachable(m, other)
    after = [m.step(state, action) for action in reversed(enabled)]
    assert list(fresh.actions(state)) == enabled
    assert [fresh.step(state, action) for action in enabled] == after[::-1]
    assert len(set(enabled)) == len(enabled)


@given(releases, runs)
def test_goroutines_of_a_pod_are_no_more_than_the_scope_says(release: str, choices: list[int]) -> None:
    """The one that the cycle begins is the last: the pod is popped again when it, or another, has come to an end."""
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    under_way = Counter(goroutine.pod.name for goroutine in (*state.bindings, *state.retries))
    assert max(under_way.values(), default=0) <= m.scope.goroutines


def digests() -> str:
    """A digest of a run in each scope: of the actions in order, and so of the states too."""
    lines = []
    for release, scope in SCOPES.items():
        m, digest = machine(release, scope), hashlib.sha256()
        state = m.initial_states()[0]
        for turn in range(60):
            enabled = list(m.actions(state))
            digest.update("; ".join(map(str, enabled)).encode())
            if enabled:
                state = m.canonical(m.step(state, enabled[turn * 7 % len(enabled)]))
        lines.append(f"{release} {digest.hexdigest()}")
    return "\n".join(lines)


@pytest.mark.slow
def test_nothing_depends_on_the_hash_seed() -> None:
    assert said_under_another_hash_seed(digests) == digests()


def test_the_errors_of_a_step_do_not_depend_on_who_took_the_step() -> None:
    """An engine asks for them after the step, a page without the step; whoever listens to the step hears of them."""
    rules = rules_for(SchedulingRules, known_release("1.17.10"))
    scope = SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, goroutines=1)
    engines = SchedulingMachine(scope, rules)
    run = explore(engines)
    met = 0
    for number in range(run.counts.distinct):
        state = run.state(number)
        for action in engines.actions(state):
            heard = errors_met(lambda action=action, state=state: engines.step(state, action))
            assert heard == engines.errors(state, action) == SchedulingMachine(scope, rules).errors(state, action)
            met += bool(heard)
    assert met


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"pods": 1, "listeners": 1}, "of 1 pods: expected"),
        ({"pods": 2}, "expected listeners=1 and fine=0 too"),
        ({"pods": 2, "listeners": 1, "nodes": 2, "late_nodes": 1}, "expected late_nodes=0"),
        ({"pods": 2, "listeners": 1, "big": 1}, "there is no room"),
    ],
)
def test_a_start_that_cannot_be_is_refused(bounds: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SchedulingScope(**bounds, bound_at_start=1)


@pytest.mark.slow
@given(releases, runs)
def test_what_an_action_leaves_alone_is_in_normal_form(release: str, run: list[int]) -> None:
    m = machine(release, SCOPES[release])
    leaves_alone_what_is_normal(m, normal, reachable(m, run))


@pytest.mark.parametrize(("release", "grows"), [("1.32.0", False), ("1.33.0", True), ("1.36.2", True)])
def test_a_pod_is_resized_where_the_gate_is_on_and_its_kubelet_has_the_room(release: str, grows: bool) -> None:
    m = machine(release, SchedulingScope(pods=2, nodes=1, room=2, goroutines=1, resizes=1))
    asked = states(release, m.scope)
    resized = [state for state in asked if any(pod is not None and pod.cpu_milli > CPU for pod in state.pods)]
    assert bool(resized) is grows
    offered = {
        (pod.node_name, sum(other.cpu_milli for other in state.pods if other is not None and other.node_name))
        for state in asked
        for action in m.actions(state)
        if action.name == "resize_pod" and (pod := state.pods[place(action["pod"])]) is not None
    }
    # Pods that wait are resized whatever there is; one on the node only if it is alone there.
    assert {each for each in offered if each[0]} == ({("n1", CPU)} if grows else set())


def test_the_pod_that_is_bound_already_may_grow_while_another_one_is_scheduled() -> None:
    """#126891: the pod whose requests grew is not the one that the kubelet rejects."""
    m = machine("1.34.1", SchedulingScope(pods=2, nodes=1, room=2, goroutines=1, resizes=1))
    both = [
        state
        for state in states("1.34.1", m.scope)
        if sorted(pod.cpu_milli for pod in state.pods if pod is not None and pod.node_name) == [CPU, 2 * CPU]
    ]
    assert both
    assert all(not within_capacity(state) for state in both)
    assert all(within_capacity(state) for state in states("1.32.0", m.scope))
