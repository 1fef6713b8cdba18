"""What a goroutine of async-preemption does next: requests, on to the last victim, the end."""

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.scheduler.preemption.async_preemption import (
    Answer,
    AsyncPreemptionRules,
    Goroutine,
    asked_for,
    asked_for_last,
    begin_last,
    finish,
    patched,
)
from model.systems.async_preemption.records import AFTER_DELETE, AFTER_PATCH, AT_PERMIT, AsyncPreempting, victim_place
from model.systems.async_preemption.steps import moved, written


def _with(state: AsyncPreempting, number: int, goroutine: Goroutine) -> AsyncPreempting:
    return evolve(state, goroutines=(*state.goroutines[:number], goroutine, *state.goroutines[number + 1 :]))


def on_to_last_victim(rules: AsyncPreemptionRules, state: AsyncPreempting, number: int) -> AsyncPreempting:
    preempting, goroutine = begin_last(rules, state.preempting, state.goroutines[number])
    return _with(evolve(state, preempting=preempting), number, goroutine)


def requested(rules: AsyncPreemptionRules, state: AsyncPreempting, action: Action) -> AsyncPreempting:
    """A request for a victim, or that it fails."""
    number, victim = action["goroutine"], action["victim"]
    goroutine = state.goroutines[number]
    ends = asked_for_last if goroutine.next == "last" else asked_for
    phase = state.true[victim_place(victim)]
    answer: Answer = "done"
    if action.name == "fail_request":
        if phase not in AT_PERMIT:
            met_error("PreemptPod", f"the request for {victim} fails")
        failures = state.failures if goroutine.failed else state.failures + 1
        return _with(evolve(state, failures=failures), number, ends(goroutine, victim, "failed"))
    if action.name == "reject_waiting_victim":
        state = evolve(state, true=state.true.put(victim_place(victim), "rejected"))
    elif action.name == "delete_victim":
        state, answer = written(state, victim, AFTER_DELETE), "gone" if phase == "gone" else "done"
    elif phase == "gone":
        answer = rules.answer_of_patch_without_pod()
    else:
        return _with(written(state, victim, AFTER_PATCH), number, patched(goroutine, victim))
    return _with(state, number, ends(goroutine, victim, answer))


def ended(rules: AsyncPreemptionRules, state: AsyncPreempting, number: int) -> AsyncPreempting:
    preempting, activates = finish(rules, state.preempting, state.goroutines[number])
    left = (*state.goroutines[:number], *state.goroutines[number + 1 :])
    after = evolve(state, preempting=preempting, goroutines=left)
    return moved(rules, after) if activates else after
