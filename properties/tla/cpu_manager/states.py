"""States of specs/CpuManager.tla, read into those of model.systems.cpu_manager. Pure."""

from collections.abc import Mapping
from typing import Any

from model.cpu.manager import Manager
from model.cpu.policy.types import PolicyMemory
from model.cpu.state.state import CPUManagerState, sorted_assignments
from model.systems.cpu_manager import CPUManagerScope, CPUManagerSystem
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import Checkpoint, Container, Kubelet, Node, Pod, Used
from model.systems.cpu_manager.shapes import pod_spec
from model.variables import Places


def decode(scope: CPUManagerScope, variables: Mapping[str, Any]) -> CPUManagerSystem:
    """The machine's state of a TLA+ state. The words of an error are not in it."""
    file, kubelet, used = variables["file"], variables["kubelet"], variables["used"]
    return CPUManagerSystem(
        _node(scope, variables["node"]),
        Checkpoint("static", _state(file["state"])) if file["there"] else None,
        Kubelet(
            kubelet["phase"], _manager(kubelet["manager"]), _node(scope, kubelet["startedOn"]), kubelet["reserved"]
        ),
        Places(_pod(variables["pods"][name]) for name in pod_names(scope.pods)),
        Used(used["exits"], used["restarts"], used["crashes"]),
    )


def _node(scope: CPUManagerScope, node: Mapping[str, Any]) -> Node:
    return Node(node["cores"], scope.threads, node["offline"], node["reserved"])


def _items(function: Any) -> list[tuple[Any, Any]]:
    """A function's pairs; one without any is printed as the empty sequence."""
    return list(function.items()) if isinstance(function, Mapping) else []


def _ref(ref: tuple[str, str, int]) -> tuple[str, str]:
    pod, kind, number = ref
    return pod, f"{kind}{number}"


def _state(state: Mapping[str, Any]) -> CPUManagerState:
    return CPUManagerState(state["default"], sorted_assignments((_ref(r), c) for r, c in _items(state["entries"])))


def _shape(shape: Mapping[str, Any]) -> str:
    parts = [("init", size) for size in shape["init"]] + [("app", size) for size in shape["app"]]
    return ", ".join(f"{kind} {size or 'shared'}" for kind, size in parts)


def _manager(kept: Mapping[str, Any]) -> Manager:
    refs = sorted(_ref(ref) for ref in kept["containerMap"])
    (noted,) = kept["pending"] or (None,)
    (allocatable,) = kept["allocatable"] or (None,)
    return Manager(
        PolicyMemory(tuple(_items(kept["cpusToReuse"]))),
        tuple((f"{pod}/{name}", (pod, name)) for pod, name in refs),
        sorted_assignments((_ref(ref), cpus) for ref, cpus in _items(kept["lastUpdateState"])),
        None if noted is None else pod_spec(noted["pod"], _shape(noted["shape"])),
        kept["sourcesReady"],
        allocatable,
    )


def _pod(pod: Mapping[str, Any]) -> Pod:
    containers = tuple(Container(each["state"], each["cpus"]) for each in pod["containers"])
    return Pod(pod["phase"], _shape(pod["shape"]), pod["seen"], pod["admitted"], containers)
