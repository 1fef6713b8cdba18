"""Plays recordings of `cpu_checkpoint` (Go: checkpoint.go, state_checkpoint.go) on `model.cpu.state.checkpoint`."""

from collections.abc import Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

from kubeproof.conform.operations import Assigned, Bare
from kubeproof.conform.recorded_rules import rules_for
from model.cpu.cpuset import CPUSet, CPUSetRules, parse, to_string
from model.cpu.state.checkpoint import (
    FILE_NAME,
    CheckpointRules,
    Outcome,
    keep_container_ids,
    migrate_v1_checkpoint_if_not_v2,
    migrate_v1_checkpoint_to_v2_checkpoint,
    new_checkpoint_state,
    store_state,
)
from model.cpu.state.format import CheckpointV1, hashed_text, marshal_checkpoint
from model.cpu.state.state import ContainerKey, CPUManagerState, sorted_assignments
from model.go.errors import GoError
from model.releases import Release
from properties.forms import Forms

_PATH = f"<DIR>/{FILE_NAME}"

# Whether the state has container ids as keys. Then the recordings show an id as a pod and a container.
BY_ID = Forms(
    "migrate_checkpoint",
    {
        keep_container_ids: True,
        migrate_v1_checkpoint_to_v2_checkpoint: False,
        migrate_v1_checkpoint_if_not_v2: False,
    },
)


class Write(Assigned):
    policy: str


class WriteV1(TypedDict):
    policy: str
    default: str
    entries: dict[str, str]


class Read(TypedDict):
    policy: str
    # No file: there is none.
    file: NotRequired[str]
    # Container id -> pod and container.
    initial_containers: NotRequired[dict[str, list[str]]]


class CPUCheckpointPlayer:
    """One case: operations, each in an empty directory of its own. The config has no entries."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"write": Write, "write_v1": WriteV1, "read": Read}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(CheckpointRules, release)
        self._cpuset_rules = rules_for(CPUSetRules, release)
        self._by_id = BY_ID.of(self._rules)

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        match op["op"]:
            case "write":
                state = self._state(op)
                checkpoint = self._rules.store_checkpoint(op["policy"], state)
                file = store_state(self._rules, op["policy"], state)
                return {"file": file, "hashed": hashed_text(checkpoint)}
            case "write_v1":
                # From 1.18 on the name of the type that is marshalled and hashed is CPUManagerCheckpointV1.
                name = "CPUManagerCheckpoint" if self._by_id else "CPUManagerCheckpointV1"
                entries = tuple(sorted(op["entries"].items()))
                v1 = CheckpointV1(op["policy"], op["default"], entries)
                return {"file": marshal_checkpoint(v1, name), "hashed": hashed_text(v1, name)}
            case "read":
                return self._read(op)[0]
            case unknown:
                raise ValueError(f"'{unknown}'")

    def agrees(self, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
        """The order of a Go map decides which of several bad entries a read reports."""
        return op["op"] == "read" and expected in self._read(op)

    def _read(self, op: dict[str, Any]) -> list[dict[str, Any]]:
        file: str | None = op.get("file")
        raw = None if file is None else file.encode()
        containers = {key: (pod, name) for key, (pod, name) in op.get("initial_containers", {}).items()}
        outcomes = new_checkpoint_state(self._rules, self._cpuset_rules, raw, op["policy"], containers, _PATH)
        written = {"file": store_state(self._rules, op["policy"], CPUManagerState())} if file is None else {}
        return [self._observed(outcome) | written for outcome in outcomes]

    def _observed(self, outcome: Outcome) -> dict[str, Any]:
        if isinstance(outcome, GoError):
            return {"error": outcome.text}
        assignments: dict[str, dict[str, str]] = {pod: {} for pod in outcome.empty_pods}
        for key, cpus in outcome.state.assignments:
            pod, container = self._shown(key)
            assignments.setdefault(pod, {})[container] = to_string(cpus)
        return {"default": to_string(outcome.state.default), "assignments": assignments}

    def _shown(self, key: ContainerKey) -> ContainerKey:
        if not self._by_id:
            return key
        pod, slash, container = key[1].partition("/")
        return (pod, container) if slash else ("", pod)

    def _state(self, op: dict[str, Any]) -> CPUManagerState:
        assignments = {
            self._key(pod, container): self._set(cpus)
            for pod, containers in op["assignments"].items()
            for container, cpus in containers.items()
        }
        return CPUManagerState(self._set(op["default"]), sorted_assignments(assignments.items()))

    def _key(self, pod: str, container: str) -> ContainerKey:
        if not self._by_id:
            return (pod, container)
        return ("", f"{pod}/{container}" if pod else container)

    def _set(self, text: str) -> CPUSet:
        cpus = parse(text, self._cpuset_rules)
        if isinstance(cpus, GoError):
            raise ValueError(cpus.text)
        return cpus
