"""The functions of PriorityQueue that nominate pods to nodes, or ask who is nominated. Pure.

Go: pkg/scheduler/internal/queue/scheduling_queue.go. All run under the nominator's lock: the queue's up to 1.18 and
from 1.27 on, a lock of its own from 1.19 to 1.26 and in 1.31 (see nominator.py).
"""

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.queue.nominator import NominatorCall, PodLister, apply_call, pods_for_node
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import Queue, find


def nominate(setup: QueueSetup, queue: Queue, call: NominatorCall | None, lister: PodLister | None = None) -> Queue:
    """The queue after the nominator did `call`.

    An operation of the queue asks this last, whenever Go does: the sub-queues never read the nominator.
    """
    nominator = apply_call(setup.nominator_rules, queue.nominator, call, lister)
    return queue if nominator is queue.nominator else evolve(queue, nominator=nominator)


def delete_nominated_pod_if_exists(setup: QueueSetup, queue: Queue, pod: Pod) -> Queue:
    """Forget the nomination of the pod (`DeleteNominatedPodIfExists`)."""
    return nominate(setup, queue, NominatorCall("delete", pod))


def nominated_by_status_only(pod: Pod, node: str | None) -> NominatorCall | None:
    """There is no `UpdateNominatedPodForNode`: the update of the status must come first (1.13, NOM-RACE-SETTING)."""
    return None


def nominated_at_once(pod: Pod, node: str | None) -> NominatorCall | None:
    """`UpdateNominatedPodForNode` (1.14, pull request #72259), `AddNominatedPod` (1.19)."""
    return NominatorCall("add", pod, node=node)


def add_nominated_pod(
    setup: QueueSetup, queue: Queue, pod: Pod, node: str | None, lister: PodLister | None = None
) -> Queue:
    """Nominate the pod to `node` (`UpdateNominatedPodForNode` up to 1.18, `AddNominatedPod`; `node` as in nominator).

    From 1.19 to 1.26 nobody holds the queue's lock meanwhile (NOM-LOCK-RACE).
    """
    return nominate(setup, queue, setup.rules.nominate_for_node(pod, node), lister)


def nominated_as_kept(queue: Queue, pod: Pod) -> Pod:
    """A nominated pod as the nominator has it (1.13 to 1.30)."""
    return pod


def nominated_as_queued(queue: Queue, pod: Pod) -> Pod:
    """A nominated pod as a sub-queue has its namesake, otherwise a pod of no more than name and uid (1.31).

    `nominatedPodToInfo`: a pod in flight asks for nothing then, and has priority 0.
    """
    for infos in (queue.active, queue.unschedulable, queue.backoff):
        info = find(infos, pod.name)
        if info is not None:
            return info.pod
    return pod


def nominated_pods_for_node(setup: QueueSetup, queue: Queue, node: str) -> tuple[Pod, ...]:
    """The pods nominated to the node (`NominatedPodsForNode`; 1.13 `WaitingPodsForNode`).

    In 1.31 Go gives back the nominator's lock before `nominatedPodsToInfo` takes the queue's; here both are one step.
    """
    return tuple(setup.rules.nominated_pod(queue, pod) for pod in pods_for_node(queue.nominator, node))
