"""The systems that can be checked, and the look-up by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from kubeproof.errors import InputError
from kubeproof.names import not_one_of
from kubeproof.systems.api_calls import API_CALLS
from kubeproof.systems.async_preemption import ASYNC_PREEMPTION
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.preemption import PREEMPTION
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.scheduling_cycle import SCHEDULING_CYCLE
from kubeproof.systems.system import System

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        NODE_LISTING,
        CPU_MANAGER,
        SCHEDULING,
        QUEUEING_HINTS,
        PREEMPTION,
        ASYNC_PREEMPTION,
        API_CALLS,
        SCHEDULING_CYCLE,
    )
}


def system_named(name: str, among: Mapping[str, System] = SYSTEMS) -> System:
    """The system of that name, hyphens or underscores. Raises InputError."""
    system = among.get(name.replace("_", "-"))
    if system is None:
        raise InputError(not_one_of(name, "system", among, "kubeproof list"))
    return system


def scopes_named(
    systems: Sequence[System], text: str | None, *, every: bool
) -> tuple[dict[str, Any | None], tuple[tuple[str, str], ...]]:
    """The scope that `text` names, by the name of each system that has such bounds; and (system, why not) of others.

    Without a text every scope is None. Raises InputError if no system has such bounds, and if `every` system must.
    """
    scopes: dict[str, Any | None] = {}
    refused: dict[str, InputError] = {}
    for system in systems:
        try:
            scopes[system.name] = None if text is None else system.parse_scope(text)
        except InputError as error:
            refused[system.name] = error
    if refused and (every or not scopes):
        raise next(iter(refused.values()))
    return scopes, tuple((name, str(error)) for name, error in refused.items())
