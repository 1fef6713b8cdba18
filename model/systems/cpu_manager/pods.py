"""Pods as cpu-manager's environment: who may come, what the kubelet sees of them, which container may start or end.

Pure functions of the state; they change nothing.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from model.cpu.cpuset import CPUSet
from model.cpu.manager import ContainerStatus, Pods, PodView
from model.cpu.policy.pods import PodSpec
from model.evolve import evolve
from model.systems.cpu_manager.records import Container, CPUManagerSystem, Pod
from model.systems.cpu_manager.shapes import pod_spec, scheduler_request
from model.variables import whole

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


def states(pod: Pod) -> tuple[str, ...]:
    """The state of each container."""
    return pod.containers.ask(_states)


def _states(containers: tuple[Container, ...]) -> tuple[str, ...]:
    return tuple(each.state for each in containers)


def ids(pod: Pod, spec: PodSpec) -> tuple[str, ...]:
    """The id of each container."""
    return pod.containers.ask(_ids, spec)


def _ids(containers: tuple[Container, ...], spec: PodSpec) -> tuple[str, ...]:
    return tuple(container_id(spec.uid, each.name, is_) for each, is_ in zip(spec.containers, containers, strict=True))


def _statuses(containers: tuple[Container, ...], spec: PodSpec) -> tuple[ContainerStatus, ...]:
    return tuple(
        ContainerStatus(each.name, container_id(spec.uid, each.name, is_), STATES[is_.state])
        for each, is_ in zip(spec.containers, containers, strict=True)
    )


def confined(pod: Pod, spec: PodSpec, told: tuple[tuple[str, CPUSet], ...]) -> Pod:
    """The pod with its running containers confined to what they were told: (container id, CPUs)."""
    return evolve(pod, containers=pod.containers.turned(_confined, spec, told))


def _confined(
    containers: tuple[Container, ...], spec: PodSpec, told: tuple[tuple[str, CPUSet], ...]
) -> tuple[Container, ...]:
    cpus = dict(told)
    return tuple(
        evolve(each, cpus=cpus[id_]) if each.state == "running" and id_ in cpus else each
        for each, id_ in zip(containers, _ids(containers, spec), strict=True)
    )


class _View(PodView):
    """A pod as the kubelet's pod manager and status manager give it, with no delay: looked at as far as it is asked."""

    __slots__ = ("_known", "_pod")
    _known: PodSpec
    _pod: Pod

    def __init__(self, pod: Pod, spec: PodSpec) -> None:
        object.__setattr__(self, "_pod", pod)
        object.__setattr__(self, "_known", spec)

    def read_whole(self) -> PodView:
        return PodView(self.spec, self.statuses, self.admitting, self.terminal, self.running)

    def __eq__(self, other: object) -> bool:
        return self.read_whole() == whole(other)

    def __hash__(self) -> int:
        return hash(self.read_whole())

    def __repr__(self) -> str:
        return repr(self.read_whole())

    def __reduce__(self) -> tuple[Any, ...]:
        return PodView, (self.spec, self.statuses, self.admitting, self.terminal, self.running)

    @staticmethod
    def evolved(view: PodView, changes: dict[str, Any]) -> PodView:
        return evolve(whole(view), **changes)

    @property
    def spec(self) -> PodSpec:
        return self._known

    @property
    def statuses(self) -> tuple[ContainerStatus, ...]:
        return self._pod.containers.ask(_statuses, self.spec)

    @property
    def admitting(self) -> bool:
        return self._pod.seen == "admitting"

    @property
    def terminal(self) -> bool:
        return self._pod.phase in ("succeeded", "failed")

    @property
    def running(self) -> bool:
        """Init containers are through, and an app container has been started."""
        apps = states(self._pod)[len(self.spec.init) :]
        return self._pod.phase == "active" and any(app != "waiting" for app in apps)


def views(state: CPUManagerSystem) -> Pods:
    """The pods that the kubelet knows."""
    named = zip(pod_names(len(state.pods)), state.pods, strict=True)
    return tuple(_View(pod, pod_spec(name, pod.shape)) for name, pod in named if pod.seen != "no" and pod.containers)


def counted(pods: tuple[Pod, ...], specs: dict[int, PodSpec]) -> Fraction:
    """The CPUs that the scheduler counts on this node: pods that are neither through nor gone."""
    return sum((scheduler_request(specs[i]) for i, pod in enumerate(pods) if pod.phase == "active"), Fraction(0))


def startable(pod: Pod, spec: PodSpec) -> Iterator[int]:
    """The containers that the kubelet may start now, by index.

    Init containers one after the other, each when those before it have ended, or run if they are sidecars; then the
    app containers in any order. A sidecar or app container that has exited is started again.
    """
    for index, (each, state) in enumerate(zip(spec.containers, states(pod), strict=True)):
        if index >= len(spec.init):
            if state != "running":
                yield index
        elif each.restartable:
            if state != "running":
                yield index
                # Before its first start the containers after it wait.
                if state == "waiting":
                    return
        elif state != "exited":
            if state == "waiting":
                yield index
            return


def is_init(spec: PodSpec, index: int) -> bool:
    """The container is an init container that ends before the next one starts."""
    return index < len(spec.init) and not spec.containers[index].restartable
