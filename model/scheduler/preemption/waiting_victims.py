"""How preemption ends a victim: by a DELETE, or at Permit, where the victim is assumed, and not bound yet.

Go: `preempt` in pkg/scheduler/scheduler.go (to 1.18), `PrepareCandidate` in framework/plugins/defaultpreemption/
default_preemption.go (1.19 on), `prepareCandidate` in framework/preemption/preemption.go (1.23 on), `NewExecutor` in
executor.go there (1.36 on).
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.scheduler.waiting_pods import WaitingPods, get

Ends = tuple[Literal["delete", "reject", "preempt", "preempt or delete"], ...]


def deleted_and_rejected() -> Ends:
    """To 1.21: the pod is deleted as any victim, then `waitingPod.Reject`."""
    return ("delete", "reject")


def only_rejected() -> Ends:
    """1.22 to 1.35: the pod stays, and is queued again when its wait has ended."""
    return ("reject",)


def rejected_while_undecided() -> Ends:
    """1.36 on (#135719): `waitingPod.Preempt` says whether the wait goes on; a pod whose wait is decided is deleted."""
    return ("preempt or delete",)


def deleted_at_pre_bind() -> bool:
    """Up to 1.35: a pod that is assumed and does not wait at Permit is deleted as any victim."""
    return False


def canceled_at_pre_bind() -> bool:
    """1.36 on (#135502): the binding of a pod that is in PreBind is cancelled, and the pod goes back to the queue."""
    return True


def delete_by_name() -> bool:
    """Every release: the DELETE has no precondition (Go: `DeletePod` in util/utils.go; to 1.18 in factory.go)."""
    return False


def missing_victim_ends_preemption() -> bool:
    """To 1.31 nobody asks whether the error of a request about a victim is NotFound.

    1.32, 1.33, and 1.34.2 on ask this of the DELETE, and not of the patch of the status that comes before.
    """
    return True


def missing_victim_is_passed_over() -> bool:
    """1.34.0, 1.34.1, and 1.35 on: NotFound is no error of the patch either."""
    return False


@frozen(slots=False, kw_only=True)
class WaitingVictimRules:
    """What releases do differently."""

    # What is done with a victim that is in the map of waiting pods, in order.
    ends_of_waiting_victim: Callable[[], Ends]
    # Whether a victim that is in PreBind is not deleted: its binding ends with an error.
    cancels_pre_bind: Callable[[], bool]
    # Whether the DELETE of a victim says of which UID the pod has to be.
    delete_names_uid: Callable[[], bool]
    # Whether preemption ends with an error if there is no pod of a victim's name.
    missing_victim_is_an_error: Callable[[], bool]


def ends_of(rules: WaitingVictimRules, pods: WaitingPods, uid: str) -> Ends:
    """What is done with the victim of this UID, in order. `pods`: the map of waiting pods."""
    waiting = get(pods, uid)
    if waiting is None:
        return ("delete",)
    ends = rules.ends_of_waiting_victim()
    if "preempt or delete" in ends:
        return ("delete",) if waiting.decided else ("preempt",)
    return ends
