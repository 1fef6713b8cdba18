"""What one step does to a state of async-preemption: a write of the API server, an event, a move of the preemptor."""

from collections.abc import Callable, Mapping

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
from model.systems.async_preemption.records import (
    AFTER_DELETE,
    AFTER_PATCH,
    AT_PERMIT,
    TERMINATES,
    AsyncPreempting,
    Phase,
    PodEvent,
    victim_place,
)
from model.variables import Channel, whole


def is_untouched(state: AsyncPreempting) -> bool:
    """Whether nothing has happened yet."""
    if state.place != "active" or state.deletions or state.failures or state.goroutines:
        return False
    phases = whole(state.true)
    return set(phases) <= {"runs", "waits"} and whole(state.listed) == whole(state.known) == phases


def held(state: AsyncPreempting, at: int) -> AsyncPreempting:
    """The victim waits at Permit from the beginning, and everybody knows it."""
    return evolve(
        state,
        true=state.true.put(at, "waits"),
        listed=state.listed.put(at, "waits"),
        known=state.known.put(at, "waits"),
    )


def next_request(state: AsyncPreempting, goroutine: Goroutine, victim: str) -> str:
    """The action that is the next request for a victim. To a pod that waits at Permit no request is made."""
    phase = state.true[victim_place(victim)]
    if phase in AT_PERMIT:
        return "reject_waiting_victim"
    return "delete_victim" if victim in goroutine.marked or phase == "queued" else "patch_victim"


def written(state: AsyncPreempting, victim: str, becomes: Mapping[Phase, Phase]) -> AsyncPreempting:
    """A request for the victim, and what the informer will hear if the victim changes."""
    at = victim_place(victim)
    if (phase := becomes.get(state.true[at])) is None:
        return state
    return evolve(state, true=state.true.put(at, phase), events=state.events.send(PodEvent(victim, phase)))


def is_sent_after(events: Channel[PodEvent], number: int) -> bool:
    """Whether there are more events than this number of them."""
    return len(events) > number


def _event(events: Channel[PodEvent], at: int) -> PodEvent:
    return events[at]


def stored(state: AsyncPreempting) -> AsyncPreempting:
    event = state.events.ask(_event, state.stored)
    listed = state.listed.put(victim_place(event.victim), event.phase)
    return evolve(state, listed=listed, stored=state.stored + 1)


def handled(rules: AsyncPreemptionRules, state: AsyncPreempting) -> AsyncPreempting:
    """The handlers: the cache first, then the queue, which moves the preemptor if the pod is gone."""
    if not state.stored:
        state = stored(state)
    event = state.events.head()
    known = state.known.put(victim_place(event.victim), event.phase)
    told = evolve(state, known=known, events=state.events.rest(), stored=state.stored - 1)
    return moved(rules, told) if event.phase == "gone" else told


def moved(rules: AsyncPreemptionRules, state: AsyncPreempting) -> AsyncPreempting:
    """The queue would take the preemptor to activeQ: PreEnqueue is asked."""
    if state.place == "tried":
        return evolve(state, noted=True)
    if state.place not in ("unschedulable", "gated"):
        return state
    held = rules.is_pod_running_preemption(state.preempting, _is_listed(state))
    return evolve(state, place="gated" if held else "active")


def _is_listed(state: AsyncPreempting) -> Callable[[str], bool]:
    return lambda victim: state.listed[victim_place(victim)] not in TERMINATES


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
