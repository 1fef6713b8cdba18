"""What a state of the system api-calls is, and its rules."""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.scheduler.api_calls import PodStatus
from model.scheduler.api_dispatcher import ApiDispatcherRules, CallQueue
from model.variables import Channel

POD = "p"
UNSCHEDULABLE, ERROR, SCHEDULED = "Unschedulable", "SchedulerError", "True"


@frozen(slots=False, kw_only=True)
class ApiCallsRules(ApiDispatcherRules):
    """All rules of this system in one choice. The last four are as in `CycleRules` and `CyclePointRules`."""

    # Whether a preemption by another pod that takes the nomination away ends the nomination in memory too.
    clears_nomination_in_memory: Callable[[], bool]
    # Whether a pod that failed goes back to the queue when its PATCH has ended. Asked with SchedulerAsyncAPICalls on.
    requeues_after_patch: Callable[[], bool]
    nominate_without_candidate: Callable[[], str | None]
    patches_from_attempt: Callable[[], bool]
    clears_nomination_of_bound: Callable[[], bool]
    # Whether NominatedNodeNameForExpectation is on. If so, a failed binding leaves the nomination alone.
    nominates_host: Callable[[], bool]


# Where the pod is for the scheduler. `tried`: from its Pop until it is back in the queue or assumed. `reserved`: a
# plugin works at PreBind. `binding`: the Binding is asked for. `failed`: the Binding was refused. `patching`: the
# attempt has failed, and the pod goes back to the queue after its PATCH; no release has this.
Place = Literal["queued", "tried", "reserved", "binding", "failed", "patching", "bound"]


@frozen(cache_hash=True)
class PodVersion:
    """The pod, as the API server has it, or had it."""

    status: PodStatus = PodStatus()
    # spec.nodeName.
    node: str = ""


@frozen
class LatePatch:
    """The PATCH of a failed binding, which its goroutine asks for after the pod is back in the queue."""

    status: PodStatus
    nominated: str | None


@frozen(cache_hash=True)
class ApiCalling:
    """A state of the system."""

    # The pod at the API server, and as the scheduler's informer and handlers know it.
    true: PodVersion = PodVersion()
    known: PodVersion = PodVersion()
    # What the informer sends, in order.
    events: Channel[PodVersion] = Channel()
    # To which node the pod is nominated in memory; "" for none.
    memory: str = ""
    place: Place = "queued"
    # The status of the attempt's pod, from the Pop until the attempt has ended.
    attempted: PodStatus = PodStatus()
    # The node of the binding.
    host: str = ""
    dispatcher: CallQueue = CallQueue()
    # Whether the API server has answered the call in flight, and whether it has refused.
    answered: Literal["", "done", "refused"] = ""
    # By which call the goroutine of the binding knows its answer, -1 for none.
    awaited: int = -1
    # After which call the pod goes back to the queue, -1 for none; in the place `patching`.
    back_after: int = -1
    # The first was the first to fail.
    late: Channel[LatePatch] = Channel()
    # What the scheduler wanted last that the status says; a bound pod has the condition True.
    meant: PodStatus = PodStatus()
    # Whether a caller was told the end of its call while the call was in flight.
    told_early: bool = False
    # How often it happened.
    attempts: int = 0
    refusals: int = 0
    clears: int = 0


def is_quiet(state: ApiCalling) -> bool:
    """Nothing is under way: no request, no event, no attempt."""
    busy = state.events or state.late or state.dispatcher.api_calls
    return not busy and state.place in ("queued", "bound")
