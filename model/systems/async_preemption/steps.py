"""What one step does to a state of async-preemption: a write of the API server, an event, a move of the preemptor."""

from collections.abc import Callable, Mapping

from model.evolve import evolve
from model.scheduler.preemption.async_preemption import AsyncPreemptionRules, Goroutine
from model.systems.async_preemption.records import AT_PERMIT, TERMINATES, AsyncPreempting, Phase, PodEvent, victim_place
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
