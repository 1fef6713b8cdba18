"""What becomes of a pod when the informer brings a new version of it. Pure.

Go: `PriorityQueue.Update`, pkg/scheduler/internal/queue/scheduling_queue.go; under `PriorityQueue.lock`. In every
release a pod that is in no sub-queue is put into activeQ, also when it is in flight (QUEUE-INFLIGHT-DUP). Releases:
 - 1.13: looked up by the new object; an update of spec or metadata moves an unschedulable pod to activeQ;
 - 1.14: any update, of the status too, moves a pod from the backoff queue to activeQ; the end of the backoff is
   forgotten when an unschedulable pod is moved;
 - 1.21 (#98829): a pod in the backoff queue stays there; an unschedulable one still backs off.

Go's Update may be called without an old pod, and then looks into unschedulableQ only; no handler does that.
"""

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue.backoff import clear_pod_backoff, is_pod_backing_off
from model.scheduler.queue.in_flight import without_pod
from model.scheduler.queue.nominations import delete_nominated_pod_if_exists, nominate
from model.scheduler.queue.nominator import NominatorCall, PodLister
from model.scheduler.queue.rules import Effect, QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, find, without
from model.scheduler.queue.sub_queues import put_active, put_backoff, put_unschedulable
from model.variables import became


def strip_status(pod: Pod) -> Pod:
    """`pod` less resource version and status, which `isPodUpdated` does not compare (to 1.21)."""
    return evolve(pod, resource_version=0, nominated_node_name="", condition="", disruption_target=False)


def strip_status_and_finalizers(pod: Pod) -> Pod:
    """As `strip_status`, less managed fields and finalizers (1.22 on)."""
    return evolve(strip_status(pod), managed_fields="", finalizers=())


def is_pod_updated(setup: QueueSetup, old: Pod, new: Pod) -> bool:
    """Whether the update may make an unschedulable pod schedulable (`isPodUpdated`)."""
    strip = setup.rules.strip_for_queue
    return strip(old) != strip(new)


def _new_in_active(setup: QueueSetup, queue: Queue, new: Pod, now: int) -> Effect:
    info = QueuedPodInfo(new, setup.rules.queue_timestamp(now))
    return put_active(setup, queue, info), NominatorCall("add", new)


def update_from_backoff_to_active(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """An updated pod waits no longer (1.13 to 1.20; 1.13 has no backoff queue)."""
    call = NominatorCall("update", new, old)
    active = find(queue.active, old.name)
    if active is not None:
        return put_active(setup, queue, evolve(active, pod=new)), call
    waiting = find(queue.backoff, old.name)
    if waiting is not None:
        queue = evolve(queue, backoff=without(queue.backoff, old.name))
        return put_active(setup, queue, evolve(waiting, pod=new)), call
    unschedulable = find(queue.unschedulable, new.name)
    if unschedulable is None:
        return _new_in_active(setup, queue, new, now)
    info = evolve(unschedulable, pod=new)
    if not is_pod_updated(setup, old, new):
        return put_unschedulable(setup, queue, info), call
    queue = clear_pod_backoff(queue, new.name)
    queue = evolve(queue, unschedulable=without(queue.unschedulable, new.name))
    return put_active(setup, queue, info), call


def update_respecting_backoff(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """A pod that backs off goes on doing so (1.21 to 1.31, from 1.28 on with SchedulerQueueingHints off)."""
    call = NominatorCall("update", new, old)
    active = find(queue.active, old.name)
    if active is not None:
        return put_active(setup, queue, evolve(active, pod=new)), call
    waiting = find(queue.backoff, old.name)
    if waiting is not None:
        return put_backoff(setup, queue, evolve(waiting, pod=new)), call
    unschedulable = find(queue.unschedulable, new.name)
    if unschedulable is None:
        return _new_in_active(setup, queue, new, now)
    info = evolve(unschedulable, pod=new)
    if not is_pod_updated(setup, old, new):
        return put_unschedulable(setup, queue, info), call
    queue = evolve(queue, unschedulable=without(queue.unschedulable, new.name))
    if is_pod_backing_off(setup, queue, info, now):
        return put_backoff(setup, queue, info), call
    return put_active(setup, queue, info), call


def update_nominating_anew(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """The same; a pod that goes from unschedulablePods to activeQ is nominated as its status says (1.33).

    What was nominated in memory alone is forgotten: the label of the event is that of a pod which the queue did not
    have (`moveToActiveQ`).
    """
    waited = find(queue.unschedulable, new.name) is not None and find(queue.active, old.name) is None
    queue, call = update_respecting_backoff(setup, queue, old, new, now)
    if waited and find(queue.active, new.name) is not None:
        return delete_nominated_pod_if_exists(setup, queue, old), NominatorCall("add", new)
    return queue, call


def update(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int, lister: PodLister | None = None) -> Queue:
    """The informer brought version `new` of a pod that was `old` (`Update`)."""
    rule = setup.rules.queue_update if setup.hints is None else setup.hints.update_with_hints
    queue, call = rule(setup, queue, old, new, now)
    return nominate(setup, queue, call, lister)


def update_of_pod_not_in_flight(
    setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int, lister: PodLister | None = None
) -> Queue:
    """`update` of a pod that was not in flight when Update asked; Pop may have taken the pod meanwhile (1.31, 1.32)."""
    as_asked = evolve(queue, in_flight_pods=became(queue.in_flight_pods, without_pod, new.uid))
    return evolve(update(setup, as_asked, old, new, now, lister), in_flight_pods=queue.in_flight_pods)
