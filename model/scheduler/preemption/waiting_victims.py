"""How preemption ends a victim: by a DELETE, or at Permit, where the victim is assumed, and not bound yet.

Go: `preempt` in pkg/scheduler/scheduler.go (to 1.18), `PrepareCandidate` in framework/plugins/defaultpreemption/
default_preemption.go (1.19 on), `prepareCandidate` in framework/preemption/preemption.go (1.23 on), `NewExecutor` in
executor.go there (1.36 on).
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.rules import Row
from model.scheduler.go_files import EXECUTOR_GO, PREEMPTION_GO, SCHEDULER_GO
from model.scheduler.waiting_pods import WaitingPods, get

Ends = tuple[Literal["delete", "reject", "reject or delete"], ...]


def deleted_and_rejected() -> Ends:
    """To 1.21: the pod is deleted as any victim, then `waitingPod.Reject`."""
    return ("delete", "reject")


def only_rejected() -> Ends:
    """1.22 to 1.35: the pod stays, and is queued again when its wait has ended."""
    return ("reject",)


def rejected_while_undecided() -> Ends:
    """1.36 on (#135719): `waitingPod.Preempt` says whether the wait goes on; a pod whose wait is decided is deleted."""
    return ("reject or delete",)


def delete_by_name() -> bool:
    """Every release: the DELETE has no precondition (Go: `DeletePod` in util/utils.go; to 1.18 in factory.go)."""
    return False


def missing_victim_ends_preemption() -> bool:
    """To 1.31 nobody asks whether the error of a request about a victim is NotFound.

    1.32 asks this of the DELETE, and not of the patch before; 1.34.1 of both.
    """
    return True


@frozen(slots=False, kw_only=True)
class WaitingVictimRules:
    """What releases do differently."""

    # What is done with a victim that is in the map of waiting pods, in order.
    ends_of_waiting_victim: Callable[[], Ends]
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
    if "reject or delete" in ends:
        return ("delete",) if waiting.decided else ("reject",)
    return ends


WAITING_VICTIM_ROWS: tuple[Row, ...] = (
    Row("ends_of_waiting_victim", "1.13.0", deleted_and_rejected, "", f"{SCHEDULER_GO} preempt"),
    Row("ends_of_waiting_victim", "1.22.0-alpha.1", only_rejected, "in 1.22.3, not in 1.21.9",
        f"{PREEMPTION_GO} PrepareCandidate"),
    Row("ends_of_waiting_victim", "1.36.0-alpha.1", rejected_while_undecided,
        "#135719 (release note of 1.36.0-alpha.1); in 1.36.2, not in 1.35.7", f"{EXECUTOR_GO} NewExecutor"),
    Row("delete_names_uid", "1.13.0", delete_by_name, "", f"{SCHEDULER_GO} preempt"),
    Row("delete_names_uid", "1.19.0-alpha.1", delete_by_name, "preemption is a plugin; in 1.19.0, not in 1.18.20",
        f"{PREEMPTION_GO} PrepareCandidate"),
    Row("missing_victim_is_an_error", "1.13.0", missing_victim_ends_preemption, "", f"{SCHEDULER_GO} preempt"),
    Row("missing_victim_is_an_error", "1.19.0-alpha.1", missing_victim_ends_preemption,
        "preemption is a plugin; in 1.19.0, not in 1.18.20", f"{PREEMPTION_GO} PrepareCandidate"),
)  # fmt: skip
