"""api-calls: every order of a small surrounding, with the gate and without it, as a plain search has it."""

import pytest
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.systems.api_calls import API_CALLS
from model.machine import Action
from model.releases import known_release, rules_for
from model.scheduler.api_calls import PodStatus
from model.systems.api_calls import ApiCalling, ApiCallsMachine, ApiCallsRules, ApiCallsScope
from model.systems.api_calls.records import PodVersion, is_quiet
from model.systems.api_calls.scope import GATE_OFF, GATE_ON
from tests.model.systems.plain import plain_counts

RELEASES = ("1.34.1", "1.35.0", "1.36.2")
ON, OFF = ApiCallsScope(asynchronous_calls=GATE_ON), ApiCallsScope(asynchronous_calls=GATE_OFF)


def rules(release: str) -> ApiCallsRules:
    return rules_for(ApiCallsRules, known_release(release))


def lengths(name: str, scope: ApiCallsScope) -> list[int | None]:
    """How long the shortest run is that violates the property, in each release."""
    found = []
    for release in RELEASES:
        (result,) = explicit.check(ApiCallsMachine(scope, rules(release)), [API_CALLS.property_named(name)])
        found.append(result.trace.length if result.trace else None)
    return found


def test_a_nomination_that_is_to_go_stays_with_the_gate_and_without_it() -> None:
    assert lengths("nomination-is-as-meant", ON) == [11, 11, 11]
    assert lengths("nomination-is-as-meant", OFF) == [5, 5, 5]
    assert lengths("nomination-is-as-meant", evolve(ON, attempts=1)) == [None] * 3


def test_memory_and_api_server_differ() -> None:
    """A PATCH from the object of the attempt ends with 1.35. What a merge does needs the gate."""
    assert lengths("nominated-in-memory-as-in-api", ON) == [11, 11, None]
    assert lengths("nominated-in-memory-as-in-api", OFF) == [5, 5, None]
    assert lengths("nominated-in-memory-as-in-api", evolve(ON, clears=1)) == [7, 7, 7]
    assert lengths("nominated-in-memory-as-in-api", evolve(OFF, clears=1)) == [5, 5, None]


@pytest.mark.slow
def test_a_late_patch_of_a_failed_binding() -> None:
    assert lengths("bound-pod-is-shown-bound", evolve(ON, refusals=1)) == [17, 17, 17]
    assert lengths("bound-pod-is-shown-bound", evolve(OFF, refusals=1)) == [10, 10, 10]
    assert lengths("bound-pod-is-shown-bound", evolve(ON, attempts=3)) == [None] * 3
    assert lengths("condition-is-of-last-attempt", evolve(ON, refusals=1)) == [13, 13, 13]


def test_who_is_answered_too_early() -> None:
    assert lengths("answered-when-done", ON) == [5, 5, 5]
    assert lengths("answered-when-done", OFF) == lengths("answered-when-done", evolve(ON, attempts=1)) == [None] * 3


@pytest.mark.slow
def test_no_binding_is_skipped_or_overwritten() -> None:
    scope = evolve(ON, refusals=2, clears=1, pre_bind=1, attempts=3)
    assert lengths("bound-if-said-so", scope) == [None] * 3


def test_a_binding_takes_the_place_of_a_patch_that_waits() -> None:
    machine = ApiCallsMachine(ON, rules("1.36.2"))
    state = machine.initial_states()[0]
    for action in ("try_pod", "find_no_candidate", "try_pod"):
        state = machine.step(state, Action.of(action))
    state = machine.step(state, Action.of("assume", node="n1"))
    assert [each.call.call_type for each in state.dispatcher.api_calls] == ["pod_binding"]
    for action in ("start_call", "make_request", "end_call", "handle_event"):
        state = machine.step(state, Action.of(action))
    assert state.true == PodVersion(PodStatus("", "True"), "n1")
    assert (state.place, is_quiet(state)) == ("bound", True)


def test_who_clears_what_after_a_failed_binding() -> None:
    """With NominatedNodeNameForExpectation, 1.35 on, the nomination is left alone."""
    for release, nominated in (("1.34.1", ""), ("1.35.0", None)):
        machine = ApiCallsMachine(evolve(OFF, refusals=1), rules(release))
        state = machine.step(machine.initial_states()[0], Action.of("try_pod"))
        for action in (Action.of("assume", node="n1"), Action.of("refuse_binding"), Action.of("recover_from_binding")):
            assert action in machine.actions(state)
            state = machine.step(state, action)
        assert [each.nominated for each in state.late] == [nominated]


@pytest.mark.slow
def test_every_call_ends() -> None:
    """From every state the calls can come to their end, and nothing but an attempt or an event is left."""
    machine = ApiCallsMachine(evolve(ON, refusals=1, clears=1, pre_bind=1), rules("1.36.2"))
    for state in states(machine, every=7):
        for _ in range(40):
            moves = [each for each in machine.actions(state) if each.name in ("start_call", "make_request", "end_call")]
            if not moves:
                break
            state = machine.step(state, moves[0])
        assert state.dispatcher.api_calls == state.dispatcher.in_flight == ()
        assert state.awaited < 0


def states(machine: ApiCallsMachine, every: int) -> list[ApiCalling]:
    run = explicit.explore(machine)
    return [run.state(number) for number in range(0, run.counts.distinct, every)]


def test_a_refusal_is_an_error_that_is_met() -> None:
    machine = ApiCallsMachine(evolve(OFF, refusals=1), rules("1.36.2"))
    state = machine.step(machine.initial_states()[0], Action.of("try_pod"))
    state = machine.step(state, Action.of("assume", node="n1"))
    assert [error.function for error in machine.errors(state, Action.of("refuse_binding"))] == ["Bind"]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("gate", [GATE_ON, GATE_OFF])
def test_counts_equal_those_of_a_plain_search(release: str, gate: int) -> None:
    scope = ApiCallsScope(asynchronous_calls=gate, refusals=1, clears=1, pre_bind=1, nodes=2)
    machine = ApiCallsMachine(scope, rules(release))
    counts = explicit.explore(machine).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine)
    assert sum(times > 0 for times in counts.fired.values()) > (12 if gate == GATE_ON else 9)


def requeues_after_patch(scope: ApiCallsScope) -> ApiCallsMachine:
    return ApiCallsMachine(scope, evolve(rules("1.36.2"), requeues_after_patch=lambda: True))


def test_a_pod_that_waits_for_its_patch_is_back_when_somebody_answers_the_call() -> None:
    machine = requeues_after_patch(evolve(ON, clears=1))
    state = machine.step(machine.initial_states()[0], Action.of("try_pod"))
    state = machine.step(state, Action.of("nominate", node="n1"))
    assert (state.place, state.back_after, state.memory) == ("patching", 0, "n1")
    assert Action.of("try_pod") not in set(machine.actions(state))
    # The call is overwritten by the one that clears the nomination: that is an answer too.
    cleared = machine.step(state, Action.of("clear_nomination"))
    assert (cleared.place, cleared.back_after) == ("queued", -1)
    for action in ("start_call", "make_request", "end_call"):
        assert state.place == "patching"
        state = machine.step(state, Action.of(action))
    assert (state.place, state.back_after) == ("queued", -1)
    # A call without effect is answered at once.
    state = machine.step(machine.step(state, Action.of("handle_event")), Action.of("try_pod"))
    again = machine.step(state, Action.of("nominate", node="n1"))
    assert (again.place, again.back_after, again.dispatcher.api_calls) == ("queued", -1, ())


def test_without_the_gate_nobody_waits_for_a_patch() -> None:
    state = requeues_after_patch(OFF).initial_states()[0]
    for action in (Action.of("try_pod"), Action.of("nominate", node="n1")):
        state = requeues_after_patch(OFF).step(state, action)
    assert state.place == "queued"


def test_counts_equal_those_of_a_plain_search_where_a_pod_waits_for_its_patch() -> None:
    machine = requeues_after_patch(evolve(ON, refusals=1, clears=1, pre_bind=1))
    counts = explicit.explore(machine).counts
    assert (counts.distinct, counts.generated, counts.depth) == plain_counts(machine)
