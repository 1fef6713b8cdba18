"""The bugs that are documented, of every system and of components, and the look-up by id or by number."""

import re

from kubeproof.bugs.bug import Bug as Bug, UnshownBug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.load import AnyBug, load_bugs
from kubeproof.errors import InputError, not_one_of

BUGS: tuple[Bug, ...] = tuple(bug for bug in load_bugs() if isinstance(bug, Bug))
COMPONENT_BUGS: tuple[ComponentBug, ...] = tuple(bug for bug in load_bugs() if isinstance(bug, ComponentBug))
# Those that a counterexample is kept of.
EVERY_BUG: tuple[Bug | ComponentBug, ...] = BUGS + COMPONENT_BUGS
UNSHOWN_BUGS: tuple[UnshownBug, ...] = tuple(bug for bug in load_bugs() if isinstance(bug, UnshownBug))

# An issue or a pull request of upstream: its number, or its address.
_NUMBER = re.compile(r"(?:#|\S*/(?:issues|pull)/)?(\d{1,9})", re.ASCII)


def upstream_number(text: str) -> str | None:
    """The number of the issue or pull request that `text` names ("81118", "#81118", an address); else None."""
    found = _NUMBER.fullmatch(text.strip())
    return None if found is None else found[1]


def upstream_numbers(bug: AnyBug) -> list[str]:
    """The numbers of upstream's issues about `bug`, then those of upstream's changes."""
    return [address.rpartition("/")[2] for address in (*bug.issues, *bug.fixes)]


def bugs_against(property: str) -> tuple[str, ...]:
    """The ids of the bugs whose run violates the property first of all, with one scheduler."""
    return tuple(bug.id for bug in BUGS if bug.violates == property and not bug.setups)


def documented_bug(name: str) -> AnyBug:
    """The bug of that id, in any case, or with that issue or pull request, shown or not. Raises InputError."""
    every = (*EVERY_BUG, *UNSHOWN_BUGS)
    number = upstream_number(name)
    if number is None:
        found = [bug for bug in every if bug.id.lower() == name.lower()]
    else:
        found = [bug for bug in every if number in upstream_numbers(bug)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"#{number} is of {len(found)} bugs: expected one of {', '.join(bug.id for bug in found)}")
    if number is not None:
        raise InputError(f"#{number} is of no bug: expected an issue or a pull request that `kubeproof bugs` names")
    raise InputError(not_one_of(name, "bug", [bug.id for bug in every], "kubeproof bugs"))


def any_bug_named(name: str) -> Bug | ComponentBug:
    """The bug that `documented_bug` finds. Raises InputError, also where nothing shows the bug."""
    bug = documented_bug(name)
    if isinstance(bug, UnshownBug):
        raise InputError(f"{bug.id} has no counterexample (`kubeproof show {bug.id}` says more): {bug.reason}")
    return bug


def bug_named(name: str) -> Bug:
    """The bug of a system that `documented_bug` finds. Raises InputError."""
    bug = any_bug_named(name)
    if isinstance(bug, Bug):
        return bug
    raise InputError(f"{bug.id} is shown on components: no run of a system is kept of it")
