"""async-preemption in the words of Kubernetes."""

from kubeproof.systems.system import Facts
from model.machine import Action
from model.scheduler.preemption.async_preemption import Goroutine
from model.systems.async_preemption import AsyncPreempting
from model.systems.async_preemption.records import AT_PERMIT, Phase, PodEvent, victim_name, victim_place

_PHASES: dict[Phase, str] = {
    "runs": "runs",
    "marked": "runs, with the condition DisruptionTarget",
    "deleted": "terminates, without the condition DisruptionTarget",
    "ending": "terminates, with the condition DisruptionTarget",
    "gone": "gone",
    "waits": "waits at Permit",
    "rejected": "rejected at Permit",
    "queued": "waits for a node again",
}
_HEARD: dict[Phase, str] = {
    "marked": "has the condition DisruptionTarget",
    "deleted": "terminates",
    "ending": "terminates",
    "gone": "is gone",
}
_PLACES = {
    "active": "in activeQ",
    "tried": "being scheduled",
    "unschedulable": "in unschedulablePods",
    "gated": "in unschedulablePods, held back by PreEnqueue",
    "bound": "bound",
}


def sentence(before: AsyncPreempting, action: Action, after: AsyncPreempting) -> str:
    """What happened, and what came of it for the preemptor."""
    victim = str(dict(action.args).get("victim", ""))
    who = _who(before, action)
    match action.name:
        case "hold_at_permit":
            return f"{victim} has the node, and is not bound: it waits at Permit."
        case "try_preemptor":
            return _tried(before, after)
        case "requeue_preemptor":
            noted = ", for which an event came meanwhile," if before.noted else ""
            return f"The preemptor{noted} is back in the queue: {_PLACES[after.place]}."
        case "patch_victim" if before.true == after.true:
            why = "is not there any more" if _phase(before, victim) == "gone" else "has the condition already"
            return f"{who} patches {victim}, which {why}."
        case "patch_victim":
            return f"{who} gives {victim} the condition DisruptionTarget."
        case "delete_victim" if before.true == after.true:
            found = {"gone": "is not there any more", "queued": "waits for a node again"}
            return f"{who} deletes {victim}, which {found.get(_phase(before, victim), 'terminates already')}."
        case "delete_victim":
            return f"{who} deletes {victim}."
        case "reject_waiting_victim":
            again = " again" if _phase(before, victim) == "rejected" else ""
            return f"{who} rejects {victim}, which waits at Permit,{again} and makes no request."
        case "fail_request" if _phase(before, victim) in AT_PERMIT:
            return f"{who} does not come to {victim}, since another request has failed."
        case "fail_request":
            return f"{who} asks for {victim}, and the request fails."
        case "go_on_to_last_victim":
            return f"{who} has asked for all others. {_left(before, after, action)}"
        case "end_preemption":
            return f"{who} ends{_activated(before, after)}."
        case "delete_pod":
            return f"Somebody else deletes {victim}."
        case "end_pod":
            return f"{victim} ends, and the API server removes it."
        case "fail_binding":
            return f"The binding of {victim} fails, and the scheduler forgets {victim}; {_moved(before, after)}."
        case "store_event":
            return f"The informer's store hears that {_heard(before.events[before.stored])}."
        case "handle_event":
            event = before.events[0]
            moved = f"; {_moved(before, after)}" if event.phase == "gone" else ""
            return f"The handlers hear that {_heard(event)}{moved}."
    return str(action)


def _who(state: AsyncPreempting, action: Action) -> str:
    if "goroutine" not in dict(action.args) or len(state.goroutines) == 1:
        return "The preemption"
    return f"Preemption {action['goroutine'] + 1}"


def _phase(state: AsyncPreempting, victim: str) -> Phase:
    return state.true[victim_place(victim)]


def _heard(event: PodEvent) -> str:
    return f"{event.victim} {_HEARD[event.phase]}"


def _tried(before: AsyncPreempting, after: AsyncPreempting) -> str:
    if after.place == "bound":
        return "The preemptor is tried, and is bound."
    if len(after.goroutines) == len(before.goroutines):
        why = "a victim terminates already" if "ending" in before.known else "all victims terminate already"
        return f"The preemptor is tried, and fits nowhere. It preempts nobody: {why}."
    goroutine = after.goroutines[-1]
    victims = ", ".join(filter(None, (*goroutine.others, goroutine.last)))
    how = "A goroutine" if goroutine.last else "The cycle"
    return f"The preemptor is tried, and fits nowhere. {how} begins to preempt {victims}."


def _left(before: AsyncPreempting, after: AsyncPreempting, action: Action) -> str:
    goroutine = after.goroutines[action["goroutine"]]
    if goroutine.next == "end":
        return f"A request has failed, so it leaves {goroutine.last} out."
    if not after.preempting.running:
        return "The preemptor leaves `preempting`."
    return f"{goroutine.last} is written down as the last victim."


def _activated(before: AsyncPreempting, after: AsyncPreempting) -> str:
    if (before.place, before.noted) == (after.place, after.noted):
        return ""
    return f", and activates the preemptor; {_moved(before, after)}"


def _moved(before: AsyncPreempting, after: AsyncPreempting) -> str:
    """What a move of the preemptor comes to."""
    if after.place == "gated":
        return "PreEnqueue holds the preemptor back"
    if after.place == "active" and before.place != "active":
        return "the preemptor goes to activeQ"
    if after.place == "tried":
        return "the event is kept for the preemptor, which is being scheduled"
    return "nothing moves"


def facts(state: AsyncPreempting) -> Facts:
    """The victims, as each of those knows them that may differ; then the preemptor and its preemptions."""
    found: Facts = {}
    for at, phase in enumerate(state.true):
        name = victim_name(at)
        found[name] = _PHASES[phase]
        if state.listed[at] != phase:
            found[f"{name} in the informer's store"] = _PHASES[state.listed[at]]
        if state.known[at] != phase:
            found[f"{name} in the scheduler's cache"] = _PHASES[state.known[at]]
    if state.events:
        found["events on the way"] = tuple(
            f"{_heard(event)}{' (in the store)' if at < state.stored else ''}" for at, event in enumerate(state.events)
        )
    found["preemptor"] = _PLACES[state.place] + (", and an event came meanwhile" if state.noted else "")
    if state.preempting.running:
        last = state.preempting.last_victim
        found["`preempting`"] = f"has the preemptor{f', whose last victim is {last}' if last else ''}"
    for number, goroutine in enumerate(state.goroutines):
        found[f"preemption {number + 1}"] = _goroutine(goroutine)
    for name, times in (("deletions by others", state.deletions), ("failed requests", state.failures)):
        if times:
            found[name] = str(times)
    return found


def _goroutine(goroutine: Goroutine) -> str:
    if goroutine.next == "end":
        parts = ["has its last step before it"]
    else:
        still = (goroutine.last,) if goroutine.next == "last" else (*goroutine.others, goroutine.last)
        parts = [f"still has to ask for {', '.join(filter(None, still)) or 'nobody'}"]
        parts += ["is at the last victim"] if goroutine.next == "last" else []
    parts += [f"knows the condition of {', '.join(sorted(goroutine.marked))}"] if goroutine.marked else []
    parts += ["a request failed"] if goroutine.failed else []
    parts += [] if goroutine.all_gone else ["some victim was there"]
    return "; ".join(parts)
