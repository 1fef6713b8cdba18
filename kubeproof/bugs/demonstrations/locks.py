"""Accesses without a lock in common, which no run of a system shows: there an operation is one step."""

from kubeproof.bugs.component import Demonstration, Under
from model.scheduler.queue.nominator_locks import NominatorLockingRules
from properties.locks import explain_race, races


def shared_record_race(under: Under) -> Demonstration:
    """NOM-LOCK-RACE: every pair of accesses to the shared record that may meet."""
    found = races(under.rules(NominatorLockingRules).nominator_accesses())
    if not found:
        return Demonstration((), ("no two goroutines touch a queued record without a lock in common",))
    number = "1 pair" if len(found) == 1 else f"{len(found)} pairs"
    return Demonstration((f"{number} of accesses",), tuple(explain_race(pair) for pair in found))
