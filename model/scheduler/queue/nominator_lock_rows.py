"""Which release has which locks around the record that queue and nominator share."""

from model.rules import Row
from model.scheduler.go_files import BACKEND_QUEUE_GO, QUEUE_GO
from model.scheduler.queue import nominator_locks

NOMINATOR_LOCK_ROWS: tuple[Row, ...] = (
    Row("nominator_accesses", "1.13.0", nominator_locks.accesses_of_pods, "", f"{QUEUE_GO} WaitingPodsForNode"),
    Row("nominator_accesses", "1.19.0-alpha.1", nominator_locks.accesses_under_own_lock,
        "PodNominator; in 1.19.0, not in 1.18.20", f"{QUEUE_GO} AddNominatedPod, UpdateNominatedPod"),
    Row("nominator_accesses", "1.24.12", nominator_locks.accesses_under_queue_lock,
        "#116395, in the round of patches of 1.25.8 and 1.26.3; in 1.24.12, not in 1.24.10",
        f"{QUEUE_GO} addNominatedPodUnlocked, updateNominatedPodUnlocked"),
    Row("nominator_accesses", "1.25.0-alpha.0", nominator_locks.accesses_under_own_lock,
        "#116395 comes with 1.25.8", f"{QUEUE_GO} AddNominatedPod, UpdateNominatedPod"),
    Row("nominator_accesses", "1.25.8", nominator_locks.accesses_under_queue_lock, "#116395; not in 1.25.7",
        f"{QUEUE_GO} addNominatedPodUnlocked, updateNominatedPodUnlocked"),
    Row("nominator_accesses", "1.26.0-alpha.0", nominator_locks.accesses_under_own_lock,
        "#116395 comes with 1.26.3", f"{QUEUE_GO} AddNominatedPod, UpdateNominatedPod"),
    Row("nominator_accesses", "1.26.3", nominator_locks.accesses_under_queue_lock, "#116395; not in 1.26.2",
        f"{QUEUE_GO} addNominatedPodUnlocked, updateNominatedPodUnlocked"),
    Row("nominator_accesses", "1.27.0-alpha.0", nominator_locks.accesses_under_own_lock,
        "#116395 comes with 1.27.0-beta.0", f"{QUEUE_GO} AddNominatedPod, UpdateNominatedPod"),
    Row("nominator_accesses", "1.27.0-beta.0", nominator_locks.accesses_under_queue_lock, "#116395",
        f"{QUEUE_GO} addNominatedPodUnlocked, updateNominatedPodUnlocked"),
    Row("nominator_accesses", "1.31.0-alpha.3", nominator_locks.accesses_under_own_lock_again,
        "nLock; in 1.31.0, not in 1.31.0-alpha.2", f"{QUEUE_GO} AddNominatedPod, UpdateNominatedPod"),
    Row("nominator_accesses", "1.35.0", nominator_locks.accesses_under_both_locks,
        "AddNominatedPod is the queue's; in 1.35.0, not in 1.34.9", f"{BACKEND_QUEUE_GO} AddNominatedPod"),
)  # fmt: skip
