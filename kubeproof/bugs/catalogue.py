"""The bugs that are documented, of every system and of components, and the look-up by id."""

from kubeproof.bugs.bug import Bug as Bug, UnshownBug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.load import load_bugs
from kubeproof.errors import InputError

BUGS: tuple[Bug, ...] = tuple(bug for bug in load_bugs() if isinstance(bug, Bug))
COMPONENT_BUGS: tuple[ComponentBug, ...] = tuple(bug for bug in load_bugs() if isinstance(bug, ComponentBug))
# Those that a counterexample is kept of.
EVERY_BUG: tuple[Bug | ComponentBug, ...] = BUGS + COMPONENT_BUGS
UNSHOWN_BUGS: tuple[UnshownBug, ...] = tuple(bug for bug in load_bugs() if isinstance(bug, UnshownBug))


def any_bug_named(name: str) -> Bug | ComponentBug:
    """The bug of that id, in any case, of a system or of components. Raises InputError."""
    for bug in EVERY_BUG:
        if bug.id.lower() == name.lower():
            return bug
    for unshown in UNSHOWN_BUGS:
        if unshown.id.lower() == name.lower():
            raise InputError(f"{unshown.id} has no counterexample: {unshown.reason}")
    raise InputError(f"'{name}' is not a bug: expected one of {', '.join(bug.id for bug in EVERY_BUG)}")


def bug_named(name: str) -> Bug:
    """The bug of a system of that id, in any case. Raises InputError."""
    bug = any_bug_named(name)
    if isinstance(bug, Bug):
        return bug
    raise InputError(f"{bug.id} is shown on components: no run of a system is kept of it")
