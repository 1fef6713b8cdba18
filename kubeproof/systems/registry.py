"""The systems that can be checked, and the look-up by name."""

from kubeproof.errors import InputError
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System

SYSTEMS: dict[str, System] = {system.name: system for system in (NODE_LISTING, CPU_MANAGER, SCHEDULING)}


def system_named(name: str) -> System:
    """The system of that name, hyphens or underscores. Raises InputError."""
    system = SYSTEMS.get(name.replace("_", "-"))
    if system is None:
        raise InputError(f"no system '{name}': expected one of {', '.join(SYSTEMS)}")
    return system
