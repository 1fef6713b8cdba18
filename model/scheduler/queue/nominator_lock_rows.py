"""Which release has which locks around the record that queue and nominator share, each row with its source."""

from model.rules import Row
from model.scheduler.queue import nominator_locks

QUEUE_GO = "pkg/scheduler/internal/queue/scheduling_queue.go"

NOMINATOR_LOCK_ROWS: tuple[Row, ...] = (
    Row("nominator_accesses", "1.13.0", nominator_locks.accesses_of_pods, "", f"{QUEUE_GO} nominatedPodMap", "read"),
    Row("nominator_accesses", "1.19.0-alpha.1", nominator_locks.accesses_under_own_lock,
        "PodNominator; first seen in 1.21.4", f"{QUEUE_GO} nominatedPodMap", "inferred"),
    Row("nominator_accesses", "1.21.0", nominator_locks.accesses_under_own_lock, "seen in 1.21.4",
        f"{QUEUE_GO} nominatedPodMap, updatePod", "read"),
    Row("nominator_accesses", "1.24.12", nominator_locks.accesses_under_queue_lock,
        "#116395; in 1.24.12, not in 1.24.10", f"{QUEUE_GO} nominator", "inferred"),
    Row("nominator_accesses", "1.25.0-alpha.1", nominator_locks.accesses_under_own_lock,
        "the branch got #116395 in a patch", f"{QUEUE_GO} nominator", "read"),
    Row("nominator_accesses", "1.25.8", nominator_locks.accesses_under_queue_lock,
        "#116395; in 1.25.8, not in 1.25.6", f"{QUEUE_GO} nominator", "inferred"),
    Row("nominator_accesses", "1.26.0-alpha.1", nominator_locks.accesses_under_own_lock,
        "the branch got #116395 in a patch", f"{QUEUE_GO} nominator", "read"),
    Row("nominator_accesses", "1.26.3", nominator_locks.accesses_under_queue_lock,
        "#116395; in 1.26.3, not in 1.26.1", f"{QUEUE_GO} nominator", "inferred"),
    Row("nominator_accesses", "1.27.0-beta.0", nominator_locks.accesses_under_queue_lock, "#116395",
        f"{QUEUE_GO} nominator", "read"),
    Row("nominator_accesses", "1.31.0-alpha.3", nominator_locks.accesses_under_own_lock_again,
        "nLock; seen in 1.31.13", f"{QUEUE_GO} nominator, AddNominatedPod; schedule_one.go handleSchedulingFailure",
        "read"),
)  # fmt: skip
