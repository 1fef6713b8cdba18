"""What one step does to a state of async-preemption: a write of the API server, an event, a move of the preemptor."""

from collections.abc import Callable, Mapping

from model.evolve import evolve
from model.scheduler.preemption.async_preemption import AsyncPreemptionRules, Goroutine
from model.systems.async_preemption.records import AT_PERMIT, TERMINATES, AsyncPreempting, Phase, PodEvent, victim_place


def is_untouched(state: AsyncPreempting) -> bool:
    """Whether nothing has happened yet."""
    phases = state.true
    heard = state.listed == state.known == phases and not (state.deletions or state.failures or state.goroutines)
    return heard and state.place == "active" and set(phases) <= {"runs", "waits"}


def next_request(state: AsyncPreempting, goroutine: Goroutine, victim: str) -> str:
    """The action that is the next request for a victim. To a pod that waits at Permit no request is made."""
    phase = state.true[victim_place(victim)]
    if phase in AT_PERMIT:
        return "reject_waiting_victim"
    return "delete_victim" if victim in goroutine.marked or phase == "queued" else "patch_victim"


def put(phases: tuple[Phase, ...], at: int, phase: Phase) -> tuple[Phase, ...]:
    return (*phases[:at], phase, *phases[at + 1 :])


def written(state: AsyncPreempting, victim: str, becomes: Mapping[Phase, Phase]) -> AsyncPreempting:
    """A request for the victim, and what the informer will hear if the victim changes."""
    at = victim_place(victim)
    if (phase := becomes.get(state.true[at])) is None:
        return state
    return evolve(state, true=put(state.true, at, phase), events=(*state.events, PodEvent(victim, phase)))


def stored(state: AsyncPreempting) -> AsyncPreempting:
    event = state.events[state.stored]
    listed = put(state.listed, victim_place(event.victim), event.phase)
    return evolve(state, listed=listed, stored=state.stored + 1)


def handled(rules: AsyncPreemptionRules, state: AsyncPreempting) -> AsyncPreempting:
    """The handlers: the cache first, then the queue, which moves the preemptor if the pod is gone."""
    if not state.stored:
        state = stored(state)
    event, *events = state.events
    known = put(state.known, victim_place(event.victim), event.phase)
    told = evolve(state, known=known, events=tuple(events), stored=state.stored - 1)
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
