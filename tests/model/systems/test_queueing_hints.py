"""queueing-hints agrees with itself: symmetry and normal form against brute force, release by release."""

from functools import cache
from itertools import permutations

import pytest
from attrs import asdict, evolve
from hypothesis import given, strategies as st

from kubeproof.engines.explicit import check, explore
from model.releases import KNOWN_MINORS, parse_release, rules_for
from model.scheduler.queue.state import Queue
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.normal import normal
from model.systems.queueing_hints.scope import GATE_OFF, GATE_ON
from properties.queueing_hints.catalogue import PROPERTIES
from tests.model.systems.plain import leaves_alone_what_is_normal, plain_counts, reachable, successors

# Together the scopes have every power and every switch; each release has rules that no other here has.
SCOPES = {
    "1.28.0-beta.0": QueueingHintsScope(pods=2, goroutines=2, gate=GATE_ON, bind_errors=2, errors=1, lost_replies=1),
    "1.28.0": QueueingHintsScope(pods=3, plugins=2, gate=GATE_ON, changes=2, events=1, uninteresting=1, clock=1),
    "1.28.4": QueueingHintsScope(
        pods=2, plugins=1, goroutines=2, gate=GATE_ON, changes=1, updates=2, deletes=1, graceful=1, resyncs=1, clock=1,
        flush=1, pending=2, stale_binds=2,
    ),
    "1.29.9": QueueingHintsScope(
        pods=2, plugins=3, gate=GATE_ON, changes=3, events=1, hint_errors=2, tolerations=1, assigned=2, pre_check=1,
        together=1, turned=1,
    ),
    "1.31.1": QueueingHintsScope(pods=2, gate=GATE_ON, tolerations=2, assigned=3, clock=1, fine=1),
    "1.30.14": QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1, permits=1, updates=1, listeners=1),
    "1.31.13": QueueingHintsScope(pods=2, goroutines=2, gate=GATE_ON, bind_errors=1, updates=1, relists=1, fine=1),
    "1.32.0": QueueingHintsScope(
        pods=2, plugins=1, goroutines=2, gate=GATE_ON, changes=1, deletes=1, recreates=1, unknown_profiles=1, fine=1,
        gates=1, claims=3,
    ),
    "1.33.1": QueueingHintsScope(
        pods=2, plugins=2, pop_from_backoff=GATE_OFF, changes=2, clock=1, permits=1, activations=1,
    ),
    "1.35.0": QueueingHintsScope(
        pods=2, goroutines=2, deletes=1, recreates=1, relists=1, updates=1, listeners=1, fine=1, clock=1, assigned=1,
    ),
    "1.36.2": QueueingHintsScope(pods=2, plugins=1, goroutines=2, changes=2, updates=1, claims=2, errors=1, clock=1),
}  # fmt: skip
# Small enough for a search that remembers nothing and knows nothing of renaming.
SMALL = [
    ("1.28.0-beta.0", QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=2, errors=1)),
    ("1.28.0", QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1)),
    ("1.28.4", QueueingHintsScope(plugins=1, goroutines=2, gate=GATE_ON, changes=1, updates=1, clock=1, flush=1)),
    ("1.28.4", QueueingHintsScope(plugins=1, goroutines=2, gate=GATE_OFF, changes=1, updates=1)),
    ("1.28.4", QueueingHintsScope(gate=GATE_ON, deletes=1, graceful=1, listeners=1)),
    ("1.28.4", QueueingHintsScope(pods=2, gate=GATE_ON, deletes=1, stale_binds=1)),
    ("1.30.14", QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, permits=1, lost_replies=1, uninteresting=1)),
    ("1.31.13", QueueingHintsScope(goroutines=2, gate=GATE_ON, updates=1, fine=1)),
    ("1.31.13", QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=1, fine=1, relists=1, resyncs=1)),
    ("1.32.0", QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, events=1, deletes=1, recreates=1)),
    ("1.32.0", QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=2, fine=1)),
    ("1.32.0", QueueingHintsScope(pods=2, gate=GATE_ON, unknown_profiles=1)),
    ("1.28.11", QueueingHintsScope(pods=2, gate=GATE_ON, gates=1, claims=1)),
    ("1.30.14", QueueingHintsScope(plugins=1, gate=GATE_ON, gates=1, claims=2, pending=1, clock=1, changes=1)),
    ("1.32.0", QueueingHintsScope(gate=GATE_OFF, gates=1, claims=2, pending=2)),
    ("1.33.1", QueueingHintsScope(pods=2, gate=GATE_ON, permits=1, clock=1)),
    ("1.34.1", QueueingHintsScope(plugins=1, gates=1, claims=2, changes=1, clock=1, errors=1)),
    ("1.35.0", QueueingHintsScope(plugins=1, goroutines=2, changes=1, updates=1, fine=1, clock=1)),
    ("1.36.2", QueueingHintsScope(plugins=1, changes=1, deletes=1, recreates=1, bind_errors=1)),
    ("1.32.0", QueueingHintsScope(pods=2, activations=1, errors=1, clock=1)),
    ("1.30.14", QueueingHintsScope(pods=2, gate=GATE_ON, activations=1, claims=2)),
    ("1.30.14", QueueingHintsScope(gate=GATE_ON, assigned=2, listeners=1)),
    ("1.31.13", QueueingHintsScope(gate=GATE_ON, assigned=2, tolerations=1)),
    ("1.29.9", QueueingHintsScope(plugins=2, gate=GATE_ON, changes=2, pre_check=1, hint_errors=1)),
    ("1.35.0", QueueingHintsScope(gate=GATE_ON, deletes=1, recreates=1, relists=1)),
    ("1.36.2", QueueingHintsScope(gate=GATE_ON, deletes=1, tolerations=1, listeners=1)),
    ("1.36.2", QueueingHintsScope(gate=GATE_ON, assigned=2, fine=1, clock=1)),
]
LARGER = "1.28.4", QueueingHintsScope(goroutines=2, gate=GATE_ON, deletes=1, graceful=1, listeners=1)

releases = st.sampled_from(sorted(SCOPES))
runs = st.lists(st.integers(0, 199), max_size=60)


@cache
def machine(release: str, scope: QueueingHintsScope) -> QueueingHintsMachine:
    at = parse_release(release, KNOWN_MINORS["queueing-hints"])
    return QueueingHintsMachine(scope, rules_for(QueueingHintsRules, at))


def renamings(m: QueueingHintsMachine) -> list[dict[str, str]]:
    pods = m.sorts["pod"]
    return [dict(zip(pods, chosen, strict=True)) for chosen in permutations(pods)]


def test_every_power_of_a_scope_is_on_somewhere() -> None:
    for name, off in asdict(QueueingHintsScope()).items():
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


@pytest.mark.parametrize(("release", "scope"), [*SMALL, pytest.param(*LARGER, marks=pytest.mark.slow)])
def test_counts_equal_those_of_a_plain_search(release: str, scope: QueueingHintsScope) -> None:
    """The engine, which remembers what a step does, against a search that knows nothing but actions and steps."""
    counts = explore(machine(release, scope)).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine(release, scope))
    assert counts.distinct > 15


@pytest.mark.parametrize(("release", "scope"), [entry for entry in SMALL if entry[1].pods > 1])
def test_orbit_counts_equal_brute_force(release: str, scope: QueueingHintsScope) -> None:
    m = machine(release, scope)
    plain, reduced = explore(m), explore(m, symmetry=True)
    states = {plain.state(number) for number in range(plain.counts.distinct)}
    assert reduced.counts.distinct == len({frozenset(m.rename(s, by) for by in renamings(m)) for s in states})
    assert reduced.counts.distinct < plain.counts.distinct


@pytest.mark.parametrize("release", ["1.28.0", "1.28.4", "1.31.13", "1.32.0"])
def test_with_the_gate_off_nothing_is_in_flight(release: str) -> None:
    m = machine(
        release, QueueingHintsScope(plugins=1, goroutines=2, gate=GATE_OFF, changes=1, updates=1, bind_errors=1)
    )
    run = explore(m)
    queues = {run.state(number).queue for number in range(run.counts.distinct)}
    assert all(not queue.in_flight_pods and not queue.in_flight_events for queue in queues)
    assert queues - {Queue()}


@pytest.mark.parametrize(("release", "on"), [("1.28.4", True), ("1.28.5", False), ("1.31.14", False), ("1.32.0", True)])
def test_the_gate_is_the_release_s_unless_the_scope_names_it(release: str, on: bool) -> None:
    assert machine(release, QueueingHintsScope()).setup.gate is on
    assert machine(release, QueueingHintsScope(gate=GATE_ON)).setup.gate
    assert not machine(release, QueueingHintsScope(gate=GATE_OFF)).setup.gate


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.28.4", "1.30.14"])
def test_up_to_1_30_the_fine_grain_violates_what_the_coarse_one_does(release: str) -> None:
    """Pop takes the lock that whoever hands a pod back keeps, so nothing new comes of telling the holds apart."""
    coarse = QueueingHintsScope(goroutines=2, gate=GATE_ON, bind_errors=1, updates=1)
    found = [
        {result.property for result in check(machine(release, scope), PROPERTIES) if result.trace is not None}
        for scope in (coarse, evolve(coarse, fine=1))
    ]
    assert found[0] == found[1]


@pytest.mark.slow
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


def violated(release: str, scope: QueueingHintsScope) -> dict[str, int]:
    """The properties that the release violates in the scope, with the number of actions."""
    results = check(machine(release, scope), PROPERTIES)
    return {result.property: len(result.trace.steps) - 1 for result in results if result.trace is not None}


@pytest.mark.parametrize(
    ("release", "powers", "length"),
    [
        # The second call finds nothing in flight.
        *((release, {"bind_errors": 2}, None) for release in ("1.32.0", "1.33.13", "1.36.3")),
        *((release, {"goroutines": 2, "deletes": 1}, None) for release in ("1.31.13", "1.32.0", "1.36.3")),
        # QH-BINDFAIL-FALLTHROUGH: time passes, and the pod is popped again before the second call.
        ("1.28.0-beta.0", {"goroutines": 2, "bind_errors": 1, "clock": 1}, 13),
        ("1.28.0", {"goroutines": 2, "bind_errors": 1, "clock": 1}, None),
        # QH-UPDATE-AFTER-DONE: the update by which the pod begins to terminate has the pod popped again.
        ("1.32.0", {"goroutines": 2, "deletes": 1, "graceful": 1}, 12),
        ("1.36.3", {"goroutines": 2, "deletes": 1, "graceful": 1}, 13),
    ],
)
def test_a_second_done_harms_where_it_ends_the_pop_of_another_cycle(
    release: str, powers: dict[str, int], length: int | None
) -> None:
    found = violated(release, QueueingHintsScope(gate=GATE_ON, **powers))
    assert found.get("one-done-for-each-pop") == length
    assert length is None or found["scheduled-while-in-flight"] <= length


@pytest.mark.parametrize("gate", [GATE_ON, GATE_OFF])
@pytest.mark.parametrize(
    ("release", "skip", "twice"),
    [
        ("1.28.10", None, None), ("1.28.11", 3, 3), ("1.28.14", None, None), ("1.29.5", None, None),
        ("1.29.6", 3, 3), ("1.30.1", None, None), ("1.30.2", 3, 3), ("1.30.3", None, 5), ("1.31.14", None, 5),
        ("1.32.13", None, 5), ("1.33.13", None, 5), ("1.34.1", None, None), ("1.36.2", None, None),
    ],
)  # fmt: skip
def test_a_pod_whose_claim_comes_is_let_in_unless_a_move_passes_over_the_pod(
    release: str, skip: int | None, twice: int | None, gate: int
) -> None:
    """QUEUE-GATED-SKIP; with a scheduling gate too, QUEUE-GATED-TWICE."""
    assert violated(release, QueueingHintsScope(gate=gate, claims=1)).get("no-event-lost") == skip
    assert violated(release, QueueingHintsScope(gate=gate, gates=1, claims=1)).get("no-event-lost") == twice


def test_up_to_1_29_the_claims_have_to_go_first_for_a_pod_to_be_held_twice() -> None:
    for release in ("1.28.14", "1.29.14"):
        assert violated(release, QueueingHintsScope(gate=GATE_ON, gates=1, claims=3))["no-event-lost"] == 7


@pytest.mark.parametrize("release", ["1.28.0", "1.30.14", "1.31.13", "1.32.0"])
@pytest.mark.parametrize("gate", [GATE_ON, GATE_OFF])
def test_a_pod_with_a_scheduling_gate_is_bound_once_the_gate_is_off(release: str, gate: int) -> None:
    found = violated(release, QueueingHintsScope(gate=gate, gates=1))
    assert {"no-event-lost", "accepted-pod-is-bound"}.isdisjoint(found)


@pytest.mark.parametrize(
    ("release", "gate", "place"),
    [("1.28.4", GATE_ON, "active"), ("1.29.0", GATE_ON, "active"), ("1.32.0", GATE_ON, "active"),
     ("1.29.0", GATE_OFF, "active"), ("1.28.4", GATE_OFF, "backoff")],
)  # fmt: skip
def test_what_a_pending_plugin_queues_does_not_back_off(release: str, gate: int, place: str) -> None:
    """The pod is popped, left pending, and its claim is allocated while the pod would still back off.

    In 1.28 the plugin rejects the pod, and with the gate on its hint function says QueueImmediately.
    """
    m = machine(release, QueueingHintsScope(gate=gate, pending=1, clock=1))
    state = m.initial_states()[0]
    for name in ("create_pod", "deliver_pod", "pop", "schedule", "requeue", "patch_failure", "change_allocation"):
        state = m.step(state, next(action for action in m.actions(state) if action.name == name))
        if name == "requeue":
            assert state.queue.unschedulable
    assert len(getattr(state.queue, place)) == 1


def after(m: QueueingHintsMachine, *names: str, **chosen: str) -> QueueingHints:
    """The state after actions of these names; `chosen`: an argument that an action has if it has such an argument."""
    state = m.initial_states()[0]
    for name in names:
        named = [action for action in m.actions(state) if action.name == name]
        state = m.step(state, next(a for a in named if dict(a.args).items() >= chosen.items() or len(named) == 1))
    return state


_BACKS_OFF = ("create_pod", "deliver_pod", "pop", "schedule", "requeue", "patch_failure", "change_condition")


@pytest.mark.parametrize(
    ("release", "off", "popped"),
    [("1.32.13", 0, False), ("1.33.0", 0, True), ("1.33.0", GATE_OFF, False), ("1.36.2", 0, True)],
)
def test_pop_takes_a_pod_from_the_backoff_queue_from_1_33_on(release: str, off: int, popped: bool) -> None:
    m = machine(release, QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, clock=1, pop_from_backoff=off))
    state = after(m, *_BACKS_OFF)
    assert state.queue.backoff
    assert not state.queue.active
    pops = [action for action in m.actions(state) if action.name == "pop"]
    assert bool(pops) is popped
    if popped:
        state = m.step(state, pops[0])
        assert state.cycle is not None
        assert not state.queue.backoff


def test_pop_leaves_a_pod_alone_that_met_an_error() -> None:
    m = machine("1.33.0", QueueingHintsScope(gate=GATE_ON, errors=1, clock=1))
    state = after(m, "create_pod", "deliver_pod", "pop", "schedule", "requeue", outcome="error")
    assert state.queue.backoff
    assert "pop" not in {action.name for action in m.actions(state)}


@pytest.mark.parametrize("release", ["1.28.0", "1.31.14", "1.36.3"])
def test_a_failed_pod_that_is_gone_is_done_at_the_end_of_the_failure_handler(release: str) -> None:
    """After the condition, which the API server refuses to write; with `fine` in an action of its own."""
    for fine, ends in ((0, ("patch_failure",)), (1, ("patch_failure", "done_after_failure"))):
        m = machine(release, QueueingHintsScope(gate=GATE_ON, errors=1, deletes=1, fine=fine))
        state = m.initial_states()[0]
        for name in ("create_pod", "deliver_pod", "pop", "schedule", "delete_pod", "deliver_pod", "requeue"):
            named = [action for action in m.actions(state) if action.name == name]
            state = m.step(state, named[-1])
            # The handlers hear of it.
            while handles := [action for action in m.actions(state) if action.name.startswith("handle_")]:
                state = m.step(state, handles[0])
        for name in ends:
            assert [pod.uid for pod in state.queue.in_flight_pods] == ["p1#1"]
            state = m.step(state, next(action for action in m.actions(state) if action.name == name))
        assert not state.queue.in_flight_pods
        assert state.cycle is None


@pytest.mark.parametrize(
    ("release", "done_after"),
    [("1.31.14", "bind"), ("1.32.13", "pre_bind"), ("1.33.0", "done_after_permit"), ("1.36.3", "done_after_permit")],
)
def test_where_a_binding_is_done(release: str, done_after: str) -> None:
    m = machine(release, QueueingHintsScope(gate=GATE_ON))
    state = after(m, "create_pod", "deliver_pod", "pop", "schedule", "assume")
    taken = ""
    while state.queue.in_flight_pods:
        action = next(action for action in m.actions(state) if action.name != "deliver_pod")
        taken, state = action.name, m.step(state, action)
    assert taken == done_after


@pytest.mark.parametrize(
    ("release", "leaks"),
    [("1.33.13", True), ("1.34.7", True), ("1.34.8", False), ("1.35.4", True), ("1.35.5", False), ("1.36.2", False)],
)
def test_the_leak_of_a_pod_that_is_created_again_is_mended_in_1_34_8(release: str, leaks: bool) -> None:
    """QH-RECREATE-LEAK."""
    found = violated(release, QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, deletes=1, recreates=1))
    assert ("in-flight-while-scheduled" in found) is leaks


@pytest.mark.parametrize(
    ("release", "length", "asked_before"),
    [("1.31.0", 10, False), ("1.34.9", 10, False), ("1.35.0", 11, True), ("1.36.2", 11, True)],
)
def test_from_1_35_on_nobody_pops_a_pod_in_the_midst_of_its_update(
    release: str, length: int, asked_before: bool
) -> None:
    """QH-UPDATE-POP-RACE.

    What is left: the handler asked whether the pod is assumed before the pod was popped, and calls Update after Done.
    """
    scope = QueueingHintsScope(gate=GATE_ON, goroutines=1, updates=1, clock=1, fine=1)
    (result,) = (each for each in check(machine(release, scope), PROPERTIES) if each.property == "pod-in-one-place")
    assert result.trace is not None
    assert len(result.trace.steps) - 1 == length
    actions = [step.action.name for step in result.trace.steps if step.action is not None]
    assert ("done_after_permit" in actions) is asked_before


@pytest.mark.parametrize(
    ("release", "place"), [("1.31.14", "unschedulable"), ("1.32.13", "backoff"), ("1.36.2", "backoff")]
)
def test_from_1_32_on_the_activation_of_a_pod_in_flight_is_kept(release: str, place: str) -> None:
    """p2 waits at Permit while p1 is scheduled, whose plugin asks for p2; then p2 is rejected at Permit."""
    m = machine(release, QueueingHintsScope(pods=2, gate=GATE_ON, permits=1, activations=1, clock=1))
    state = m.initial_states()[0]
    for name, chosen in (
        ("create_pod", {"pod": "p2"}), ("deliver_pod", {}), ("pop", {}), ("schedule", {}),
        ("assume", {"permit": "wait"}),
        ("create_pod", {"pod": "p1"}), ("deliver_pod", {}), ("pop", {}), ("schedule", {}),
        ("assume", {"activates": "p2"}), ("activate", {}), ("wait_on_permit", {"permit": "rejected"}),
        ("binding_failed", {"pod": "p2"}), ("requeue", {"pod": "p2"}),
    ):  # fmt: skip
        state = m.step(
            state, next(a for a in m.actions(state) if a.name == name and dict(a.args).items() >= chosen.items())
        )
    assert [info.pod.name for info in getattr(state.queue, place)] == ["p2"]


@pytest.mark.parametrize("release", ["1.28.4", "1.36.2"])
def test_a_pod_that_waits_goes_to_active_q_when_a_plugin_asks_for_it(release: str) -> None:
    m = machine(release, QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1, activations=1, clock=1))
    state = after(
        m, "create_pod", "deliver_pod", "pop", "schedule", "requeue", "patch_failure", "deliver_pod", pod="p2"
    )
    assert state.queue.unschedulable
    for name, chosen in (
        ("change_condition", {}), ("create_pod", {"pod": "p1"}), ("deliver_pod", {}), ("pop", {"pod": "p1"}),
        ("schedule", {}), ("assume", {"activates": "p2"}), ("activate", {}),
    ):  # fmt: skip
        state = m.step(
            state, next(a for a in m.actions(state) if a.name == name and dict(a.args).items() >= chosen.items())
        )
    assert [info.pod.name for info in state.queue.active] == ["p2"]
    assert not state.queue.backoff


@pytest.mark.slow
@given(releases, runs)
def test_what_an_action_leaves_alone_is_in_normal_form(release: str, run: list[int]) -> None:
    m = machine(release, SCOPES[release])
    leaves_alone_what_is_normal(m, normal, reachable(m, run))
