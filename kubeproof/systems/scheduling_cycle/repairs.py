"""The repairs of scheduling-cycle: those of scheduling, and rules of the points that scheduling does not have."""

from kubeproof.systems.repair import Repair
from kubeproof.systems.scheduling.repairs import REPAIRS as OF_SCHEDULING
from model.scheduler.preemption.waiting_victims import delete_by_name


def delete_by_uid() -> bool:
    """The DELETE of a victim has the UID as its precondition: refused if a pod of that name was created anew."""
    return True


REPAIRS = (*OF_SCHEDULING, Repair("PREEMPT-NAMESAKE", "delete_names_uid", delete_by_name, delete_by_uid))
