"""Which rules of the queue are recorded from 1.32 on: those that recordings tell from each other rule of the field.

The files of the queue are the same, byte for byte, in all patch releases of a minor that were at hand. The recordings
of 1.34.1, 1.35.0 and 1.36.2 answer the same, case by case. From 1.34 on SchedulerQueueingHints is locked on. So nothing
is recorded of rules that are asked with the gate off. `tests/model/test_seen_in_queue.py` computes the fields.
"""

from collections.abc import Mapping

from model.rules import Seen, read
from model.scheduler.go_files import TYPES_GO

_BACKEND_QUEUE = "pkg/scheduler/backend/queue/"
# What the recordings of 1.33.1 and of 1.34.1 tell.
_BOTH = (
    "active_q_order already_present_error back_off_pod backoff_time begin_cycle discard_popped events_for_pod "
    "forget_deleted forget_done move_pods nominate_added nominate_for_node nominate_waiting nominated_pod "
    "nominator_delete note_activation note_event note_move_request note_popped queue_timestamp still_backs_off "
    "unschedulable_time_limit update_with_hints worth_requeuing"
)
_LOCKED_ON = f"{_BOTH} count_failure popped_record"
# Recorded release -> the fields whose rules replay, and no other rule does. Of 1.32.0 those that 1.31.13 does not tell.
BY_REPLAY: Mapping[str, str] = {
    "1.32.0": "forget_deleted still_backs_off",
    "1.33.1": f"{_BOTH} queue_for_failed_pod queue_update",
    "1.34.1": _LOCKED_ON,
    "1.35.0": _LOCKED_ON,
    "1.36.2": _LOCKED_ON,
}
# Recorded release -> the first and the last release with the same files, and the branch that was recorded.
_FILES: Mapping[str, tuple[str, str, str]] = {
    "1.32.0": ("1.32.0", "1.32.13", "release-4.19"),
    "1.33.1": ("1.33.0", "1.33.13", "release-4.20"),
    "1.34.1": ("1.34.1", "1.34.9", "release-4.21"),
    "1.35.0": ("1.35.0", "1.35.7", "release-4.22"),
    "1.36.2": ("1.36.2", "1.36.3", "main"),
}

_RECORDED = tuple(
    Seen(
        path,
        first,
        last,
        "recorded",
        f"openshift/kubernetes-autoscaler branch {branch}",
        frozenset(BY_REPLAY[release].split()),
    )
    for release, (first, last, branch) in _FILES.items()
    # From 1.34 on a rule of what plugins wait for stands in types.go, which is the same in these releases too.
    for path in (_BACKEND_QUEUE, *((TYPES_GO,) if BY_REPLAY[release] is _LOCKED_ON else ()))
)
SEEN_IN_QUEUE: tuple[Seen, ...] = (
    *_RECORDED,
    Seen(_BACKEND_QUEUE, "1.32.0", "1.32.13", "recorded", "openshift/kubernetes-autoscaler branch release-4.19"),
    *read(_BACKEND_QUEUE, "openshift/kubernetes-autoscaler", "1.32.0=33b149850474"),
    *read(_BACKEND_QUEUE, "kubernetes-sigs/cluster-capacity", "1.32.2=21fdf5dfaa"),
    *read(_BACKEND_QUEUE, "openshift/microshift", "1.32.4=004d9bd35815 1.32.13=d4b43f374a5b"),
)
