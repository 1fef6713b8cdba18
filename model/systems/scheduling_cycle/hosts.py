"""selectHost: any of the nodes with the highest total, chosen by the first step after the filters. Pure."""

from collections.abc import Iterator, Mapping

from model.evolve import evolve
from model.machine import Value
from model.objects import Pod
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.filtering import of_highest_total
from model.scheduler.scoring import MAX_NODE_SCORE
from model.systems.scheduling_cycle.records import CycleGoroutine
from model.systems.scheduling_cycle.scope import SchedulingCycleScope
from model.world.goroutines import Choice


def best(scope: SchedulingCycleScope, snapshot: CacheSnapshot, pod: Pod, nodes: tuple[str, ...]) -> tuple[str, ...]:
    """The feasible nodes with the highest total. A single one gets no score.

    Go: leastRequestedScore, mostRequestedScore of noderesources, for CPU; the highest score is 100, to 1.16 it is 10.
    """
    if not scope.scores or len(nodes) < 2:
        return nodes
    totals = []
    for info in snapshot.node_info_map:
        if info.name in nodes:
            requested = info.requested_cpu + pod.cpu_milli
            counted = requested if scope.scores == 2 else info.allocatable_cpu - requested
            totals.append((info.name, counted * MAX_NODE_SCORE // info.allocatable_cpu))
    return of_highest_total(totals)


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
