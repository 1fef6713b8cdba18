"""Pods as cpu-manager's environment: who may come, what the kubelet sees of them, which container may start or end.

Pure functions of the state; they change nothing.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from model.cpu.manager import ContainerStatus, Pods, PodView
from model.cpu.policy.pods import PodSpec
from model.systems.cpu_manager.records import Container, CPUManagerSystem, Pod
from model.systems.cpu_manager.shapes import scheduler_request

STATES = {"waiting": "waiting", "running": "running", "exited": "terminated"}


@lru_cache(maxsize=16)
def pod_names(count: int) -> tuple[str, ...]:
    """p1, p2, … in the order of `CPUManagerSystem.pods`."""
    return tuple(f"p{i + 1}" for i in range(count))


def container_id(uid: str, name: str, container: Container) -> str:
    """The id of the container's last instance; "" before its first start."""
    if container.state == "waiting":
        return ""
    return f"{uid}/{name}" if container.instance == 0 else f"{uid}/{name}#{container.instance}"


def is_phase_running(pod: Pod, spec: PodSpec) -> bool:
    """The pod's phase is Running: init containers are through, and an app container has been started."""
    apps = pod.containers[len(spec.init) :]
    return pod.phase == "active" and any(app.state != "waiting" for app in apps)


def view(pod: Pod, spec: PodSpec) -> PodView:
    """The pod as the kubelet's pod manager and status manager give it, with no delay."""
    statuses = tuple(
        ContainerStatus(each.name, container_id(spec.uid, each.name, container), STATES[container.state])
        for each, container in zip(spec.containers, pod.containers, strict=True)
    )
    terminal = pod.phase in ("succeeded", "failed")
    return PodView(spec, statuses, pod.seen == "admitting", terminal, is_phase_running(pod, spec))


def views(state: CPUManagerSystem, specs: dict[int, PodSpec]) -> Pods:
    """The pods that the kubelet knows; `specs` by index."""
    return tuple(view(pod, specs[i]) for i, pod in enumerate(state.pods) if i in specs and pod.seen != "no")


def counted(pods: tuple[Pod, ...], specs: dict[int, PodSpec]) -> Fraction:
    """The CPUs that the scheduler counts on this node: pods that are neither through nor gone."""
    return sum((scheduler_request(specs[i]) for i, pod in enumerate(pods) if pod.phase == "active"), Fraction(0))


def startable(pod: Pod, spec: PodSpec) -> Iterator[int]:
    """The containers that the kubelet may start now, by index.

    Init containers one after the other, each when those before it have ended, or run if they are sidecars; then the
    app containers in any order. A sidecar or app container that has exited is started again.
    """
    for index, (each, container) in enumerate(zip(spec.containers, pod.containers, strict=True)):
        if index >= len(spec.init):
            if container.state != "running":
                yield index
        elif each.restartable:
            if container.state != "running":
                yield index
                # Before its first start the containers after it wait.
                if container.state == "waiting":
                    return
        elif container.state != "exited":
            if container.state == "waiting":
                yield index
            return


def is_init(spec: PodSpec, index: int) -> bool:
    """The container is an init container that ends before the next one starts."""
    return index < len(spec.init) and not spec.containers[index].restartable
