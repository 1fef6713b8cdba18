"""Plays recordings of `take_by_topology` (Go: cpu_assignment.go) on `model.cpu.assignment.assignment`."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict

from kubeproof.conform.operations import Topology, machine
from kubeproof.conform.recorded_rules import rules_for
from model.cpu.assignment.assignment import AssignmentRules, Hang, Taken, every_distributed, every_take
from model.cpu.cpuset import printed, to_string
from model.go.errors import GoError
from model.releases import Release


def observed(taken: Taken) -> dict[str, Any]:
    """One outcome as it is recorded."""
    if isinstance(taken, Hang):
        return {"hang": True}
    if isinstance(taken, GoError):
        return {"panic" if taken.panic else "error": taken.text}
    return {"cpus": to_string(taken)}


class Machine(TypedDict):
    topology: Topology


class Take(TypedDict):
    algorithm: str
    available: str
    num: int
    group: int


class TakeByTopologyPlayer:
    """One case: a machine. The operations do not depend on one another.

    Where the model has several outcomes, the answer has `alternatives`, as in recordings.
    """

    CONFIG: ClassVar[type] = Machine
    OPERATIONS: ClassVar[Mapping[str, type]] = {"take": Take}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(AssignmentRules, release)
        self._topology = machine(config["topology"])

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        if op["op"] != "take":
            raise ValueError(f"'{op['op']}'")
        available, num_cpus = printed(op["available"]), op["num"]
        outcomes: tuple[Taken, ...]
        match op["algorithm"]:
            case "packed":
                outcomes = every_take(self._rules, self._topology, available, num_cpus)
            case "packed-spread":
                outcomes = every_take(self._rules, self._topology, available, num_cpus, "spread")
            case "packed-uncore":
                outcomes = every_take(self._rules, self._topology, available, num_cpus, "packed-uncore")
            case "packed-spread-uncore":
                outcomes = every_take(self._rules, self._topology, available, num_cpus, "spread-uncore")
            case "distributed":
                outcomes = every_distributed(self._rules, self._topology, available, num_cpus, op["group"])
            case "distributed-spread":
                outcomes = every_distributed(self._rules, self._topology, available, num_cpus, op["group"], "spread")
            case unknown:
                raise ValueError(f"'{unknown}'")
        entries = sorted((observed(taken) for taken in outcomes), key=json.dumps)
        return entries[0] if len(entries) == 1 else {**entries[0], "alternatives": entries}

    def agrees(self, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
        """Whether the model has all recorded outcomes. The rarer orders of a Go map may not have been recorded."""
        seen = expected.get("alternatives", [expected])
        return all(entry in got.get("alternatives", [got]) for entry in seen)
