"""Fields of the state of async-preemption in which no property notices a wrong value in a step, and why none has to."""

from collections.abc import Mapping

_LATER = "decides what the informer tells later: the properties read what the scheduler knows then"
_REQUESTS = "decides which request comes next: the properties read whether a preemption runs, and who is gone"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "AsyncPreempting.events": _LATER,
    "AsyncPreempting.listed": "PreEnqueue asks the store in a later step, when an event comes for the preemptor",
    "AsyncPreempting.stored": _LATER,
    "AsyncPreempting.true": _REQUESTS,
    "Goroutine.all_gone": "decides in the last step of a goroutine, and that in 1.34.0 and 1.34.1 alone",
    "Goroutine.last": _REQUESTS,
    "Goroutine.marked": _REQUESTS,
    "Goroutine.others": _REQUESTS,
    "PodEvent.phase": _LATER,
    "PodEvent.victim": _LATER,
    "Preempting.last_victim": "PreEnqueue asks it in a later step, when an event comes for the preemptor",
}
