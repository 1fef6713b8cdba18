"""NOM-LOCK-RACE: the documented bug of the nominator that is one of locks, which no run of the system shows."""

from kubeproof.bugs.component import ComponentBug, Demonstration
from model.releases import Release, rules_for
from model.scheduler.queue.nominator_locks import NominatorLockingRules
from properties.locks import explain_race, races


def shared_record_race(release: Release) -> Demonstration:
    """Every pair of accesses to the shared record that may meet."""
    found = races(rules_for(NominatorLockingRules, release).nominator_accesses())
    if not found:
        return Demonstration((), ("no two goroutines touch a queued record without a lock in common",))
    number = "1 pair" if len(found) == 1 else f"{len(found)} pairs"
    return Demonstration((f"{number} of accesses",), tuple(explain_race(pair) for pair in found))


SCHEDULING_LOCK_BUGS: tuple[ComponentBug, ...] = (
    ComponentBug(
        id="NOM-LOCK-RACE",
        title="The nominator reads a pod's record while the queue writes to it",
        release="1.24.0",
        consequence="A data race: what preemption nominates, and filters count, is read while it is being replaced.",
        mechanism=(
            "The error function's record is in the queue and in the nominator's list at once. `PriorityQueue.Update` "
            "puts a new pod object into it under `PriorityQueue.lock`; `AddNominatedPod` and `NominatedPodsForNode` "
            "read it under the nominator's lock alone."
        ),
        issues=(),
        fixes=("https://github.com/kubernetes/kubernetes/pull/116395",),
        mitigation="None.",
        demonstrate=shared_record_race,
        rules=("nominator_accesses",),
        notes=(
            "A race is a property of the sources: who touches what under which lock was read in them, function by "
            "function, and the pairs are computed from that. As orders of steps the two locks cannot be told from one: "
            "every operation of the queue holds its lock until the nominator's half is done, and neither half reads "
            "what the other writes.",
            "UNCONFIRMED: 1.31 gives the nominator a lock of its own again (`nLock`). Its lists hold names now, but "
            "`AddNominatedPod` still reads the record that `handleSchedulingFailure` has just put into the queue, and "
            "`updatePod` still writes to it in place under `PriorityQueue.lock`. Read in the source of 1.31.13; no "
            "report was found. The dossier has the bug end with 1.27.0.",
        ),
    ),
)
