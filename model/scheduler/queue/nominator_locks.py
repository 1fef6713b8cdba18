"""Who touches the record that queue and nominator share, under which locks: what no step of a system shows. Pure data.

Go: pkg/scheduler/internal/queue/scheduling_queue.go; `PodInfo.Update` in framework/types.go. The error function puts
a record into the queue and hands the same record to `AddNominatedPod`. `Update` puts a new version of the pod into it
in place (`pi.Pod = pod`). That it is not seen in the system: each of the queue's operations holds its lock from begin
to end, so those under the nominator's lock alone come before or after all of it, as far as a state can tell.
"""

from collections.abc import Callable

from attrs import frozen

from model.locks import Access, Accesses

QUEUE_LOCK = frozenset({"PriorityQueue.lock"})
NOMINATOR_LOCK = frozenset({"nominator.lock"})

HANDLER = "the informer's handler"
CYCLE = "the scheduling cycle"
RECORD = "PodInfo.Pod"


def _accesses(of_nominator: frozenset[str], lists_share: bool) -> Accesses:
    """`of_nominator`: what AddNominatedPod holds. `lists_share`: what is nominated are the records themselves."""
    listed = (Access("NominatedPodsForNode", CYCLE, RECORD, False, of_nominator),) if lists_share else ()
    return (
        Access("Update", HANDLER, RECORD, True, QUEUE_LOCK),
        Access("UpdateNominatedPod", HANDLER, RECORD, False, QUEUE_LOCK | of_nominator),
        Access("AddNominatedPod", CYCLE, RECORD, False, of_nominator),
        *listed,
    )


def accesses_of_pods() -> Accesses:
    """Up to 1.18 the nominator lists pod objects, which nobody writes to, under the queue's lock."""
    return ()


def accesses_under_own_lock() -> Accesses:
    """1.19 to 1.26: `nominatedPodMap`, later `nominator`, has a RWMutex of its own (NOM-LOCK-RACE)."""
    return _accesses(NOMINATOR_LOCK, lists_share=True)


def accesses_under_queue_lock() -> Accesses:
    """#116395: nominator and queue have one lock."""
    return _accesses(QUEUE_LOCK, lists_share=True)


def accesses_under_own_lock_again() -> Accesses:
    """1.31: `nLock`. The lists hold names and uids, but `AddNominatedPod` still reads the record of the queue."""
    return _accesses(NOMINATOR_LOCK, lists_share=False)


def accesses_under_both_locks() -> Accesses:
    """1.35: `AddNominatedPod` is a function of the queue, which holds its own lock, then `nLock`."""
    return _accesses(QUEUE_LOCK | NOMINATOR_LOCK, lists_share=False)


@frozen(slots=False, kw_only=True)
class NominatorLockingRules:
    """Who touches the shared record of a pod in a release."""

    # Each access to the record, with the locks under which it is made.
    nominator_accesses: Callable[[], Accesses]
