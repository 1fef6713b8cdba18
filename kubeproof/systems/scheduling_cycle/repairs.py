"""The repairs of scheduling-cycle: those of scheduling, and rules of the points that scheduling does not have."""

from kubeproof.systems.repair import Repair
from kubeproof.systems.scheduling.repairs import REPAIRS as OF_SCHEDULING
from model.objects import Pod
from model.scheduler.preemption.waiting_victims import delete_by_name
from model.scheduler.waiting_pods import gone_pod_waits


def delete_by_uid() -> bool:
    """The DELETE of a victim has the UID as its precondition: refused if a pod of that name was created anew."""
    return True


def gone_pod_is_rejected(pod: Pod, listed: Pod | None) -> bool:
    """A pod that comes into the map of waiting pods is rejected if the informer's store lacks it."""
    return listed is None or listed.uid != pod.uid


REPAIRS = (
    *OF_SCHEDULING,
    Repair("PREEMPT-NAMESAKE", "delete_names_uid", delete_by_name, delete_by_uid),
    Repair("PERMIT-DELETED-EARLY", "rejects_gone_pod", gone_pod_waits, gone_pod_is_rejected),
)
