"""One pod, from what `Pop` gave to PostBind, call by call: the scheduling cycle, the binding cycle, and their failures.

Go: `ScheduleOne`, `bindingCycle`, `handleBindingCycleError`, `handleSchedulingFailure` in pkg/scheduler/
schedule_one.go (1.26 on). Before, `scheduleOne` has both cycles; to 1.23 it is in scheduler.go, and the failure is
`recordSchedulingFailure` there. What is asked is yielded: see model/scheduler/framework/calls.py. The binding cycle has
a goroutine of its own in Go. Here it comes after the scheduling cycle, as in the recordings. Of 1.19 to 1.27 there are
no recordings of whole cycles.
"""

from attrs import evolve

from model.objects import NAMESPACE, Pod
from model.scheduler.cycle_failure import Failure, failure_of
from model.scheduler.extenders import extenders_binding
from model.scheduler.framework import runtime
from model.scheduler.framework.calls import Ask, CacheCall, Event, Panic, PatchStatus, QueueCall, Steps
from model.scheduler.framework.runtime import rejects
from model.scheduler.framework.status import Code, Status
from model.scheduler.scheduling_cycle import CycleResult, CycleSetup, scheduling_cycle


def binding_cycle(setup: CycleSetup, pod: Pod, result: CycleResult) -> Steps[Failure | None]:
    """From the wait for Permit to PostBind. The failure, if there is one."""
    rules, profile, host = setup.rules, setup.profile, result.host
    if result.waiting:
        status: Status = yield Ask("permit", waiting=result.waiting)
        if not status.ok:
            if rejects(status.code):
                rejection = rules.rejection_at_permit(True, pod.name, status)
                return evolve(rules.rejected_while_waiting(rejection), at="wait")
            return Failure(Code.ERROR, rules.plugin_error("WaitOnPermit", "", pod.name, status), at="wait")
    status = yield from runtime.run_pre_bind_plugins(rules, profile, pod.name, host)
    if not status.ok:
        failure = rules.rejected_in_pre_bind(status) if rejects(status.code) else failure_of(status)
        return evolve(failure, at="pre_bind")
    bound = yield from extenders_binding(setup.extenders, host, rules.asks_on_after_bind_error)
    if bound is None:
        bound = yield from runtime.run_bind_plugins(rules, profile, pod.name, host)
    yield CacheCall("FinishBinding", evolve(pod, node_name=host))
    if not bound.ok:
        return evolve(rules.bind_failure(bound), at="bind")
    text = f"Successfully assigned {NAMESPACE}/{pod.name} to {host}"
    yield Event("Normal", "Scheduled", "Binding", text)
    yield from runtime.run_post_bind_plugins(profile, host)
    return None


def handle_binding_cycle_error(setup: CycleSetup, pod: Pod, host: str, failure: Failure) -> Steps[None]:
    """What was reserved is given back, the pod is forgotten, and from 1.23 on others hear of the room."""
    yield from runtime.run_unreserve_plugins(setup.profile, host)
    error = yield CacheCall("ForgetPod", evolve(pod, node_name=host))
    waits = setup.rules.move_waits(failure.at, rejects(failure.code))
    move = QueueCall("MoveAllToActiveOrBackoffQueue", pod, not_itself=waits)
    moves = error is None and "move_after_forget" in setup.rules.after_bind_error()
    if moves and not waits:
        yield move
    yield from handle_scheduling_failure(setup, pod, failure, setup.rules.nominate_without_candidate())
    if moves and waits:
        yield move


def handle_scheduling_failure(setup: CycleSetup, pod: Pod, failure: Failure, nominated: str | None) -> Steps[None]:
    """The pod goes back into the queue, unless it is gone or bound; its nomination and the failure are noted."""
    cached: Pod | None = yield Ask("pod")
    back = cached is not None and not cached.node_name
    put_back = cached if cached is not None and back else pod
    if back:
        plugins = failure.unschedulable_plugins, failure.pending_plugins
        yield QueueCall("AddUnschedulableIfNotPresent", put_back, *plugins)
    yield QueueCall("AddNominatedPod", put_back, nominated=nominated)
    if not failure.no_error:
        yield Event("Warning", "FailedScheduling", "Scheduling", setup.rules.event_text(failure.text))
        reason = "Unschedulable" if rejects(failure.code) else "SchedulerError"
        changed = None if nominated == pod.nominated_node_name else nominated
        yield PatchStatus(reason, failure.text, changed)
    if not back and setup.rules.tells_done():
        yield QueueCall("Done", pod)


def schedule_one(setup: CycleSetup, pod: Pod, start: int, known_profile: bool = True) -> Steps[int]:
    """All that happens to a popped pod. Answers nextStartNodeIndex afterwards.

    `known_profile`: whether a profile has the pod's schedulerName. If none has, nothing happens.
    """
    if not known_profile:
        return start
    if pod.terminating:
        text = f"skip schedule deleting pod: {NAMESPACE}/{pod.name}"
        yield Event("Warning", "FailedScheduling", "Scheduling", text)
        return start
    if (yield Ask("assumed")):
        return start
    result = yield from scheduling_cycle(setup, pod, start)
    if result.panic:
        yield Panic(result.panic)
        return result.start
    if result.failure is not None:
        yield from handle_scheduling_failure(setup, pod, result.failure, result.nominated)
        return result.start
    failure = yield from binding_cycle(setup, pod, result)
    if failure is not None:
        yield from handle_binding_cycle_error(setup, pod, result.host, failure)
    elif setup.rules.tells_done():
        yield QueueCall("Done", pod)
    return result.start
