"""Plays recordings of `cpuset` (Go: cpuset.go) on `model.cpu.cpuset`."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict

from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model.cpu.cpuset import CPUSet, CPUSetRules, parse, to_string
from model.go.errors import GoError
from model.releases import Release


class Parse(TypedDict):
    text: str


class Print(TypedDict):
    list: list[int]


class OfTwo(TypedDict):
    a: str
    b: str


class CPUSetPlayer:
    """One case: operations that do not depend on one another. The config has no entries."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        "parse": Parse,
        "print": Print,
        **dict.fromkeys(("union", "difference", "intersection", "equals", "subset"), OfTwo),
    }

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(CPUSetRules, release)

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        match op["op"]:
            case "parse":
                cpus = parse(op["text"], self._rules)
                if isinstance(cpus, GoError):
                    return {"error": cpus.text}
                return {"list": sorted(cpus), "string": to_string(cpus)}
            case "print":
                cpus = frozenset(op["list"])
                return {"list": sorted(cpus), "string": to_string(cpus), "size": len(cpus)}
            case "union":
                return {"string": to_string(self._set(op, "a") | self._set(op, "b"))}
            case "difference":
                return {"string": to_string(self._set(op, "a") - self._set(op, "b"))}
            case "intersection":
                return {"string": to_string(self._set(op, "a") & self._set(op, "b"))}
            case "equals":
                return {"bool": self._set(op, "a") == self._set(op, "b")}
            case "subset":
                return {"bool": self._set(op, "a") <= self._set(op, "b")}
            case unknown:
                raise ValueError(f"'{unknown}'")

    def _set(self, op: dict[str, Any], name: str) -> CPUSet:
        cpus = parse(op[name], self._rules)
        if isinstance(cpus, GoError):
            raise ValueError(f"'{name}': {cpus}")
        return cpus
