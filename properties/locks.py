"""Two goroutines never touch one map or record unless both hold the same lock.

A data race is a fault of the Go source, not of a run of the model. Go stops the process when a goroutine writes a map
while another goroutine reads or writes this map ("fatal error: concurrent map read and map write").
"""

from itertools import combinations_with_replacement

from model.cpu.locking import POD_WORKER
from model.locks import Access, Accesses


def races(accesses: Accesses) -> list[tuple[Access, Access]]:
    """The pairs of accesses to one field on two goroutines without a common lock, of which at least one writes.

    There are many pod workers, so an access of a pod worker also meets itself.
    """
    found = []
    for a, b in combinations_with_replacement(accesses, 2):
        apart = a.goroutine != b.goroutine or a.goroutine == POD_WORKER
        if apart and a.field == b.field and (a.writes or b.writes) and not a.locks & b.locks:
            found.append((a, b))
    return found


def explain_race(pair: tuple[Access, Access]) -> str:
    """One line that says which two functions race on which field."""
    a, b = pair
    does = ["writes" if each.writes else "reads" for each in pair]
    return f"{a.function} on {a.goroutine} {does[0]} {a.field} while {b.function} on {b.goroutine} {does[1]} it"
