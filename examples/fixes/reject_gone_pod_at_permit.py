"""A fix of PERMIT-DELETED-EARLY: a pod that begins to wait at Permit is rejected if the informer lacks it.

The informer's store hears of a delete before the handler. So either the store lacks the pod, or the handler still comes
and finds the pod in the map of waiting pods. Nobody has proposed this upstream. Try it:

    kubeproof validate examples/fixes/reject_gone_pod_at_permit.py --release 1.36.2 --engine explicit \
      --system scheduling-cycle --scope 'only pods=1,nodes=1,room=1,goroutines=1,deletes=1,permit=1'
"""

from model.objects import Pod

CURES = "PERMIT-DELETED-EARLY"


def rejects_gone_pod(pod: Pod, listed: Pod | None) -> bool:
    """schedule_one.go prepareForBindingCycle, after AddWaitingPod: look the pod up by its UID."""
    return listed is None or listed.uid != pod.uid
