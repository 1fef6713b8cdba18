"""The bugs that counterexamples are kept of, of every system, and the look-up by id."""

from kubeproof.bugs.bug import Bug as Bug
from kubeproof.bugs.cpu_manager import CPU_MANAGER_BUGS
from kubeproof.bugs.cpu_manager_found import CPU_MANAGER_FOUND
from kubeproof.bugs.node_listing import NODE_LISTING_BUGS
from kubeproof.errors import InputError

BUGS: tuple[Bug, ...] = (*NODE_LISTING_BUGS, *CPU_MANAGER_BUGS, *CPU_MANAGER_FOUND)


def bug_named(name: str) -> Bug:
    """The bug of that id, in any case. Raises InputError."""
    for bug in BUGS:
        if bug.id.lower() == name.lower():
            return bug
    raise InputError(f"no bug '{name}': expected one of {', '.join(bug.id for bug in BUGS)}")
