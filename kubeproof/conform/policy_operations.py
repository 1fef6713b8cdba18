"""The forms of a case of `static_policy`: its config and the arguments of its operations."""

from typing import NotRequired, TypedDict

from kubeproof.conform.operations import Assigned, Topology


class RecordedContainer(TypedDict):
    name: str
    cpu: str
    restartable: NotRequired[bool]


class RecordedPod(TypedDict):
    qos: str
    init: list[RecordedContainer]
    app: list[RecordedContainer]


class Configured(TypedDict):
    num_reserved: NotRequired[int]
    reserved_cpus: NotRequired[str]
    options: NotRequired[dict[str, str]]


class Config(Configured):
    topology: Topology
    pods: dict[str, RecordedPod]
    feature_gates: NotRequired[dict[str, bool]]
    topology_manager_policy: NotRequired[str]
    state: NotRequired[Assigned]


class Restart(Configured):
    topology: NotRequired[Topology]


class OfPod(TypedDict):
    pod: str


class OfContainer(OfPod):
    container: str


class Allocate(OfContainer):
    hint: NotRequired[list[int]]
