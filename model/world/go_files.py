"""In which file of pkg/scheduler a function stands, release by release; a pre-release counts as the minor it leads to.

Seen in the sources of every minor, 1.16 to 1.36; 1.14 too, and 1.13 except for scheduler.go.
"""

from packaging.version import Version

from model.places import Place, always, place_in

SCHEDULER_GO: Place = (("1.13.0", "scheduler.go"), ("1.24.0-alpha.1", "schedule_one.go"))
GENERIC_GO: Place = (("1.13.0", "generic_scheduler.go"), ("1.24.0-alpha.1", "schedule_one.go"))
ERROR_FUNC_GO: Place = (
    ("1.13.0", "factory.go"),
    ("1.24.0-alpha.1", "scheduler.go"),
    ("1.25.0-alpha.1", "schedule_one.go"),
)
HANDLERS_GO: Place = (("1.13.0", "factory.go"), ("1.14.0-alpha.1", "eventhandlers.go"))
QUEUE_GO = always("scheduling_queue.go")
NOMINATOR_GO: Place = (("1.13.0", "scheduling_queue.go"), ("1.32.0-alpha.1", "nominator.go"))
CACHE_GO = always("cache.go")


def at(files: Place, functions: Place | str) -> Place:
    """The place of `functions` (the same in all releases, or by release) in `files`.

    >>> at((("1.13.0", "a.go"), ("1.20.0", "b.go")), (("1.13.0", "f"), ("1.20.0", "F")))
    (('1.13.0', 'a.go f'), ('1.20.0', 'b.go F'))
    """
    return _joined(files, always(functions) if isinstance(functions, str) else functions, " ")


def via(caller: Place, callee: Place) -> Place:
    """`callee` as it is called from `caller`."""
    return _joined(caller, callee, " -> ")


def _joined(one: Place, other: Place, by: str) -> Place:
    found = []
    for since in sorted({since for since, _ in (*one, *other)}, key=Version):
        found.append((since, f"{place_in(one, Version(since))}{by}{place_in(other, Version(since))}"))
    return tuple(found)
