"""queueing-hints agrees with itself: symmetry, footprints and normal form against brute force, release by release."""

from collections import Counter
from functools import cache
from itertools import permutations

import pytest
from attrs import asdict, evolve
from hypothesis import given, strategies as st

from kubeproof.engines.explicit import check, explore
from model.releases import KNOWN_MINORS, parse_release, rules_for
from model.scheduler.queue.state import Queue
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_OFF, GATE_ON
from properties.queueing_hints.catalogue import PROPERTIES
from tests.model.systems.plain import plain_counts

# Together the scopes have every power and every switch; each release has rules that no other here has.
SCOPES = {
    "1.28.0-beta.0": QueueingHintsScope(pods=2, goroutines=2, gate=GATE_ON, bind_errors=2, errors=1, lost_replies=1),
    "1.28.0": QueueingHintsScope(pods=3, plugins=2, gate=GATE_ON, changes=2, events=1, uninteresting=1, clock=1),
    "1.28.4": QueueingHintsScope(
        pods=2, plugins=1, goroutines=2, gate=GATE_ON, changes=1, updates=2, deletes=1, graceful=1, resyncs=1, clock=1,
        flush=1,
    ),
    "1.30.14": QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1, permits=1, updates=1, listeners=1),
    "1.31.13": QueueingHintsScope(pods=2, goroutines=2, gate=GATE_ON, bind_errors=1, updates=1, relists=1, fine=1),
    "1.32.0": QueueingHintsScope(
        pods=2, plugins=1, goroutines=2, gate=GATE_ON, changes=1, deletes=1, recreates=1, unknown_profiles=1, fine=1,
    ),
}  # fmt: skip
# Small enough for a search that knows nothing of footprints and renaming.
SMALL = [
    ("1.28.0-beta.0", QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=2, errors=1)),
    ("1.28.0", QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1)),
    ("1.28.4", QueueingHintsScope(plugins=1, goroutines=2, gate=GATE_ON, changes=1, updates=1, clock=1, flush=1)),
    ("1.28.4", QueueingHintsScope(plugins=1, goroutines=2, gate=GATE_OFF, changes=1, updates=1)),
    ("1.28.4", QueueingHintsScope(goroutines=2, gate=GATE_ON, deletes=1, graceful=1, listeners=1)),
    ("1.30.14", QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, permits=1, lost_replies=1, uninteresting=1)),
    ("1.31.13", QueueingHintsScope(goroutines=2, gate=GATE_ON, updates=1, fine=1)),
    ("1.31.13", QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=1, fine=1, relists=1, resyncs=1)),
    ("1.32.0", QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, events=1, deletes=1, recreates=1)),
    ("1.32.0", QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=2, fine=1)),
    ("1.32.0", QueueingHintsScope(pods=2, gate=GATE_ON, unknown_profiles=1)),
]

releases = st.sampled_from(sorted(SCOPES))
runs = st.lists(st.integers(0, 199), max_size=60)


@cache
def machine(release: str, scope: QueueingHintsScope) -> QueueingHintsMachine:
    at = parse_release(release, KNOWN_MINORS["queueing-hints"])
    return QueueingHintsMachine(scope, rules_for(QueueingHintsRules, at))


def reachable(m: QueueingHintsMachine, choices: list[int]) -> QueueingHints:
    state = m.initial_states()[0]
    for choice in choices:
        enabled = list(m.actions(state))
        if not enabled:
            break
        state = m.step(state, enabled[choice % len(enabled)])
    return state


def renamings(m: QueueingHintsMachine) -> list[dict[str, str]]:
    pods = m.sorts["pod"]
    return [dict(zip(pods, chosen, strict=True)) for chosen in permutations(pods)]


def successors(m: QueueingHintsMachine, state: QueueingHints) -> Counter[tuple[str, QueueingHints]]:
    """What each action leads to, up to renaming."""
    return Counter((action.name, m.canonical(m.step(state, action))) for action in m.actions(state))


def test_every_power_of_a_scope_is_on_somewhere() -> None:
    for name, off in asdict(QueueingHintsScope()).items():
        assert any(getattr(scope, name) != off for scope in SCOPES.values()), name


@given(releases, runs, st.data())
def test_renaming_commutes_with_every_step(release: str, choices: list[int], data: st.DataObject) -> None:
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    renamed = m.rename(state, data.draw(st.sampled_from(renamings(m))))
    assert m.canonical(renamed) == m.canonical(state)
    assert m.canonical(m.canonical(state)) == m.canonical(state)
    assert successors(m, renamed) == successors(m, state)


@given(releases, runs)
def test_a_step_depends_on_its_footprint_only(release: str, choices: list[int]) -> None:
    """An action replaces no field but those it writes."""
    m = machine(release, SCOPES[release])
    state = reachable(m, choices)
    for action in m.actions(state):
        after = m.step(state, action)
        changed = {name for name in asdict(state, recurse=False) if getattr(state, name) != getattr(after, name)}
        assert changed <= m.footprints[action.name].writes, action


@pytest.mark.parametrize(("release", "scope"), SMALL)
def test_counts_equal_those_of_a_plain_search(release: str, scope: QueueingHintsScope) -> None:
    """The component store, which trusts the footprints, against a search that knows nothing but actions and steps."""
    counts = explore(machine(release, scope)).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine(release, scope))
    assert counts.distinct > 15


@pytest.mark.parametrize(("release", "scope"), [entry for entry in SMALL if entry[1].pods > 1])
def test_orbit_counts_equal_brute_force(release: str, scope: QueueingHintsScope) -> None:
    m = machine(release, scope)
    plain, reduced = explore(m), explore(m, symmetry=True)
    states = {plain.store.state(number) for number in range(plain.counts.distinct)}
    assert reduced.counts.distinct == len({frozenset(m.rename(s, by) for by in renamings(m)) for s in states})
    assert reduced.counts.distinct < plain.counts.distinct


@pytest.mark.parametrize("release", ["1.28.0", "1.28.4", "1.31.13", "1.32.0"])
def test_with_the_gate_off_nothing_is_in_flight(release: str) -> None:
    m = machine(
        release, QueueingHintsScope(plugins=1, goroutines=2, gate=GATE_OFF, changes=1, updates=1, bind_errors=1)
    )
    run = explore(m)
    queues = {run.store.state(number).queue for number in range(run.counts.distinct)}
    assert all(not queue.in_flight_pods and not queue.in_flight_events for queue in queues)
    assert queues - {Queue()}


@pytest.mark.parametrize(("release", "on"), [("1.28.4", True), ("1.28.5", False), ("1.31.14", False), ("1.32.0", True)])
def test_the_gate_is_the_release_s_unless_the_scope_names_it(release: str, on: bool) -> None:
    assert machine(release, QueueingHintsScope()).setup.gate is on
    assert machine(release, QueueingHintsScope(gate=GATE_ON)).setup.gate
    assert not machine(release, QueueingHintsScope(gate=GATE_OFF)).setup.gate


@pytest.mark.parametrize("release", ["1.28.4", "1.30.14"])
def test_up_to_1_30_the_fine_grain_violates_what_the_coarse_one_does(release: str) -> None:
    """Pop takes the lock that whoever hands a pod back keeps, so nothing new comes of telling the holds apart."""
    coarse = QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=1, updates=1)
    found = [
        {result.property for result in check(machine(release, scope), PROPERTIES) if result.trace is not None}
        for scope in (coarse, evolve(coarse, fine=1))
    ]
    assert found[0] == found[1]


def test_a_rule_from_outside_is_given_what_reductions_would_drop() -> None:
    seen = set()

    def reading_attempts(info):  # type: ignore[no-untyped-def]
        seen.add(info.attempts)
        return rules.popped_record(info)

    scope = QueueingHintsScope(gate=GATE_ON, goroutines=2, bind_errors=3)
    rules = machine("1.28.4", scope).rules
    m = QueueingHintsMachine(scope, evolve(rules, popped_record=reading_attempts))
    assert explore(m).counts.distinct > explore(machine("1.28.4", scope)).counts.distinct
    assert seen == {0, 1, 2, 3}
    assert m.cuts == {"attempts": "up to 3", "cycles since": "up to 3"}
