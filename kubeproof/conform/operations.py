"""What several players have in common: forms of operations, and the error for a case that the model does not cover.

A key that a form does not name is passed over.
"""

from typing import Any, TypedDict

from model.cpu.topology import CPUTopology

# The largest recorded machine has 64 CPUs. Kubernetes' topology manager refuses more than 8 NUMA nodes
# (maxAllowableNUMANodes), and the time for a distributed take doubles with each node.
MAX_CPUS = 512
MAX_NUMA_NODES = 8


class NotCovered(Exception):
    """The case is a sound recording of something that is not modelled. The text says what this is."""


class Bare(TypedDict):
    """An operation without arguments, and a config without entries that count."""


class Topology(TypedDict):
    """A machine."""

    # CPU, core, socket and NUMA node of each CPU; from 1.32 on also its uncore cache, if that is not the socket.
    cpus: list[list[int]]


class Assigned(TypedDict):
    """The CPU sets of a state."""

    default: str
    # Pod -> container -> set.
    assignments: dict[str, dict[str, str]]


def machine(recorded: dict[str, Any]) -> CPUTopology:
    """The machine of a recorded `Topology`. Raises ValueError for one that is none, or too large to play."""
    rows = recorded["cpus"]
    if any(len(row) not in (4, 5) for row in rows):
        raise ValueError("a CPU of 'topology' has four numbers or five: CPU, core, socket, NUMA node, uncore cache")
    if len(rows) > MAX_CPUS or len({row[3] for row in rows}) > MAX_NUMA_NODES:
        raise ValueError(f"'topology' has more than {MAX_CPUS} CPUs or {MAX_NUMA_NODES} NUMA nodes")
    return CPUTopology.of(rows)
