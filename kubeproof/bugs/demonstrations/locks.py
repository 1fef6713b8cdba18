"""Accesses without a lock in common, which no run of a system shows: there an operation is one step."""

from kubeproof.bugs.component import Demonstration, Under
from model.cpu.locking import LockingRules
from model.locks import Accesses
from model.scheduler.queue.nominator_locks import NominatorLockingRules
from properties.locks import explain_race, races


def container_map_race(under: Under) -> Demonstration:
    """CPU-CONTAINERMAP-RACE: every pair of accesses that may meet."""
    return _raced(under.rules(LockingRules).manager_accesses(), "the containerMap")


def shared_record_race(under: Under) -> Demonstration:
    """NOM-LOCK-RACE: every pair of accesses to the shared record that may meet."""
    return _raced(under.rules(NominatorLockingRules).nominator_accesses(), "a queued record")


def _raced(accesses: Accesses, what: str) -> Demonstration:
    found = races(accesses)
    if not found:
        return Demonstration((), (f"no two goroutines touch {what} without a lock in common",))
    number = "1 pair" if len(found) == 1 else f"{len(found)} pairs"
    return Demonstration((f"{number} of accesses",), tuple(explain_race(pair) for pair in found))
