"""A fix of PERMIT-DELETE-MISSED: each pod without a node that is deleted is rejected at Permit, as up to 1.34.

From 1.35 on only a pod that the cache has as assumed is. The fix of PERMIT-DELETED-EARLY is here too, since either bug
has a gone pod wait. Nobody has proposed this upstream. Try it:

    kubeproof validate examples/fixes/reject_each_deleted_pod.py --release 1.36.2 --engine explicit \
      --system scheduling-cycle --scope 'only pods=1,nodes=1,room=1,goroutines=1,deletes=1,relists=1,permit=1'
"""

from model.objects import Pod
from model.scheduler.calls import Calls
from model.scheduler.eventhandlers import delete_pod_and_move_if_it_waited_or_was_nominated

CURES = "PERMIT-DELETE-MISSED"


def delete_pod_from_scheduling_queue(pod: Pod) -> Calls:
    """eventhandlers.go deletePodFromSchedulingQueue, where the pod is not assumed: RejectWaitingPod, and a move."""
    return delete_pod_and_move_if_it_waited_or_was_nominated(pod)


def rejects_gone_pod(pod: Pod, listed: Pod | None) -> bool:
    """schedule_one.go prepareForBindingCycle, after AddWaitingPod: look the pod up by its UID."""
    return listed is None or listed.uid != pod.uid
