"""The systems that can be checked, and the look-up by name."""

import copyreg
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kubeproof.errors import InputError, not_one_of
from kubeproof.systems.system import System


def _node_listing() -> System:
    from kubeproof.systems.node_listing import NODE_LISTING

    return NODE_LISTING


def _cpu_manager() -> System:
    from kubeproof.systems.cpu_manager import CPU_MANAGER

    return CPU_MANAGER


def _scheduling() -> System:
    from kubeproof.systems.scheduling import SCHEDULING

    return SCHEDULING


def _queueing_hints() -> System:
    from kubeproof.systems.queueing_hints import QUEUEING_HINTS

    return QUEUEING_HINTS


def _preemption() -> System:
    from kubeproof.systems.preemption import PREEMPTION

    return PREEMPTION


def _async_preemption() -> System:
    from kubeproof.systems.async_preemption import ASYNC_PREEMPTION

    return ASYNC_PREEMPTION


def _api_calls() -> System:
    from kubeproof.systems.api_calls import API_CALLS

    return API_CALLS


def _scheduling_cycle() -> System:
    from kubeproof.systems.scheduling_cycle import SCHEDULING_CYCLE

    return SCHEDULING_CYCLE


class _Systems(Mapping[str, System]):
    """The systems by name. The code of one is read when it is asked for: all of it takes half a second."""

    def __init__(self, *described: Callable[[], System]) -> None:
        self._described = {each.__name__[1:].replace("_", "-"): each for each in described}
        # A system travels to another process as its name. Said here and not in the module: whoever imports the module
        # would depend on the code of all systems.
        copyreg.pickle(System, lambda system: (system_named, (system.name,)))

    def __getitem__(self, name: str) -> System:
        return self._described[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __len__(self) -> int:
        return len(self._described)

    def __contains__(self, name: object) -> bool:
        return name in self._described


SYSTEMS: Mapping[str, System] = _Systems(
    _node_listing,
    _cpu_manager,
    _scheduling,
    _queueing_hints,
    _preemption,
    _async_preemption,
    _api_calls,
    _scheduling_cycle,
)


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
