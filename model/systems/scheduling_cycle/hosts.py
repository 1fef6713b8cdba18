"""selectHost: any of the nodes on which the pod fits, chosen by the first step after the filters. Pure."""

from collections.abc import Iterator, Mapping

from model.evolve import evolve
from model.machine import Value
from model.systems.scheduling_cycle.records import CycleGoroutine
from model.world.goroutines import Choice


def hosts(goroutine: CycleGoroutine) -> Iterator[Choice]:
    """Every host that may be chosen; no choice if it was chosen before."""
    if not goroutine.candidates:
        yield ()
    for node in goroutine.candidates:
        yield (("node", node),)


def choose_host(goroutine: CycleGoroutine, arguments: Mapping[str, Value]) -> CycleGoroutine:
    """The goroutine with the host that the action names."""
    if "node" not in arguments:
        return goroutine
    return evolve(goroutine, host=str(arguments["node"]), candidates=())
