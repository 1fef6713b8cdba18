"""The bugs that counterexamples are kept of, of every system and of components, and the look-up by id."""

from kubeproof.bugs.bug import Bug as Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.cpu_components import CPU_COMPONENT_BUGS
from kubeproof.bugs.cpu_manager import CPU_MANAGER_BUGS
from kubeproof.bugs.cpu_manager_found import CPU_MANAGER_FOUND
from kubeproof.bugs.node_listing import NODE_LISTING_BUGS
from kubeproof.bugs.scheduling_cache_found import SCHEDULING_CACHE_FOUND
from kubeproof.bugs.scheduling_components import SCHEDULING_COMPONENT_BUGS
from kubeproof.bugs.scheduling_locks import SCHEDULING_LOCK_BUGS
from kubeproof.bugs.scheduling_nominations import SCHEDULING_NOMINATION_BUGS
from kubeproof.bugs.scheduling_nominations_found import SCHEDULING_NOMINATION_FOUND
from kubeproof.bugs.scheduling_queue_cache import SCHEDULING_CACHE_BUGS, SCHEDULING_QUEUE_BUGS
from kubeproof.errors import InputError

BUGS: tuple[Bug, ...] = (
    *NODE_LISTING_BUGS,
    *CPU_MANAGER_BUGS,
    *CPU_MANAGER_FOUND,
    *SCHEDULING_QUEUE_BUGS,
    *SCHEDULING_CACHE_BUGS,
    *SCHEDULING_CACHE_FOUND,
    *SCHEDULING_NOMINATION_BUGS,
    *SCHEDULING_NOMINATION_FOUND,
)
COMPONENT_BUGS: tuple[ComponentBug, ...] = (
    *CPU_COMPONENT_BUGS,
    *SCHEDULING_COMPONENT_BUGS,
    *SCHEDULING_LOCK_BUGS,
)
EVERY_BUG: tuple[Bug | ComponentBug, ...] = BUGS + COMPONENT_BUGS


def any_bug_named(name: str) -> Bug | ComponentBug:
    """The bug of that id, in any case, of a system or of components. Raises InputError."""
    for bug in EVERY_BUG:
        if bug.id.lower() == name.lower():
            return bug
    raise InputError(f"no bug '{name}': expected one of {', '.join(bug.id for bug in EVERY_BUG)}")


def bug_named(name: str) -> Bug:
    """The bug of a system of that id, in any case. Raises InputError."""
    bug = any_bug_named(name)
    if isinstance(bug, Bug):
        return bug
    raise InputError(f"{bug.id} is shown on components: no run of a system is kept of it")
