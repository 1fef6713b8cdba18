"""How preemption ends a victim: by a DELETE, or at Permit, where the victim is assumed, and not bound yet.

Go: `preempt` in pkg/scheduler/scheduler.go (to 1.18), `PrepareCandidate` in framework/plugins/defaultpreemption/
default_preemption.go (1.19 on), `prepareCandidate` in framework/preemption/preemption.go (1.23 on), `NewExecutor` in
executor.go there (1.36 on).
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.rules import Row
from model.scheduler.go_files import EVALUATOR_GO, EXECUTOR_GO, PREEMPTION_GO, SCHEDULER_GO
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


WAITING_VICTIM_ROWS: tuple[Row, ...] = (
    Row("ends_of_waiting_victim", "1.13.0", deleted_and_rejected, "", f"{SCHEDULER_GO} preempt"),
    Row("ends_of_waiting_victim", "1.22.0-alpha.1", only_rejected, "in 1.22.3, not in 1.21.9",
        f"{PREEMPTION_GO} PrepareCandidate"),
    Row("ends_of_waiting_victim", "1.36.0-alpha.1", rejected_while_undecided,
        "#135719 (release note of 1.36.0-alpha.1); in 1.36.2, not in 1.35.7", f"{EXECUTOR_GO} NewExecutor"),
    Row("cancels_pre_bind", "1.13.0", deleted_at_pre_bind, "", f"{SCHEDULER_GO} preempt"),
    Row("cancels_pre_bind", "1.36.0-alpha.2", canceled_at_pre_bind,
        "#135502 (release note of 1.36.0-alpha.2); in 1.36.2, not in 1.35.7", f"{EXECUTOR_GO} NewExecutor"),
    Row("delete_names_uid", "1.13.0", delete_by_name, "", f"{SCHEDULER_GO} preempt"),
    Row("delete_names_uid", "1.19.0-alpha.1", delete_by_name, "preemption is a plugin; in 1.19.0, not in 1.18.20",
        f"{PREEMPTION_GO} PrepareCandidate"),
    Row("missing_victim_is_an_error", "1.13.0", missing_victim_ends_preemption, "", f"{SCHEDULER_GO} preempt"),
    Row("missing_victim_is_an_error", "1.19.0-alpha.1", missing_victim_ends_preemption,
        "preemption is a plugin; in 1.19.0, not in 1.18.20", f"{PREEMPTION_GO} PrepareCandidate"),
    Row("missing_victim_is_an_error", "1.34.0-rc.0", missing_victim_is_passed_over,
        "#133167 (release note of 1.34.0-rc.0); in 1.34.1, not in 1.33.13", f"{EVALUATOR_GO} prepareCandidate"),
    Row("missing_victim_is_an_error", "1.34.2", missing_victim_ends_preemption, "in 1.34.2, not in 1.34.1",
        f"{EVALUATOR_GO} prepareCandidate"),
    Row("missing_victim_is_an_error", "1.35.0-alpha.0", missing_victim_is_passed_over, "in 1.35.0, not in 1.34.9",
        f"{EVALUATOR_GO} prepareCandidate"),
)  # fmt: skip
