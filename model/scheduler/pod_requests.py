"""What a pod asks of a node, and what a node counts for a pod that it has. Pure functions.

Go: `PodRequests` of k8s.io/component-helpers/resource (1.27 to 1.31: pkg/api/v1/resource; to 1.26 each caller has its
own sum), asked by `computePodResourceRequest` of NodeResourcesFit for the pod that is tried, and by `calculateResource`
of NodeInfo for pods on a node. Left out: what scores take for a container that requests nothing (`GetNonzeroRequests`),
and what resource claims add (DRANodeAllocatableResources, off by default).
"""

from collections import Counter
from collections.abc import Callable, Mapping

from attrs import frozen

# Resource -> amount, in the scheduler's units.
Amounts = Mapping[str, int]
NOTHING: Amounts = {}

POD_OVERHEAD = "PodOverhead"
SIDECARS = "SidecarContainers"
RESIZE = "InPlacePodVerticalScaling"
POD_LEVEL = "PodLevelResources"
POD_LEVEL_RESIZE = "InPlacePodLevelResourcesVerticalScaling"
SIDECARS_ARE_OFF = "Pod has a restartable init container and the SidecarContainers feature is disabled"
# The gates that decide.
GATES = (POD_OVERHEAD, SIDECARS, RESIZE, POD_LEVEL, POD_LEVEL_RESIZE)


@frozen
class Asked:
    """The requests of a container, or of a pod as a whole, in the pod's spec and in its status."""

    spec: Amounts = NOTHING
    # status.containerStatuses[].allocatedResources, or status.allocatedResources; None: no such field.
    allocated: Amounts | None = None
    # status.containerStatuses[].resources.requests, or status.resources.requests; None: the status has no resources.
    actual: Amounts | None = None
    # Whether the status names the container.
    in_status: bool = False
    # Whether an init container goes on while the others run: its restartPolicy is Always.
    restartable: bool = False


@frozen
class PodResources:
    """All of a pod that decides about its requests."""

    containers: tuple[Asked, ...] = ()
    init_containers: tuple[Asked, ...] = ()
    # spec.overhead
    overhead: Amounts = NOTHING
    # spec.resources; None: the pod has none of its own.
    own: Asked | None = None
    # Whether status.resize is Infeasible, and whether the first condition PodResizePending has that reason.
    resize_infeasible: bool = False
    resize_pending_infeasible: bool = False


def fields_of_gates(pod: PodResources) -> dict[str, str]:
    """The fields of the pod that count only where a gate is on, by the gate."""
    every = (*pod.containers, *pod.init_containers)
    found = {
        POD_OVERHEAD: ("spec.overhead", bool(pod.overhead)),
        SIDECARS: ("restartPolicy of init containers", any(each.restartable for each in pod.init_containers)),
        RESIZE: (
            "status.containerStatuses[].allocatedResources",
            any(each.allocated is not None and each.allocated != each.spec for each in every),
        ),
        POD_LEVEL: ("spec.resources", pod.own is not None),
    }
    return {gate: name for gate, (name, there) in found.items() if there}


# (container, pod) -> the requests of a container of a pod on a node, if the gate InPlacePodVerticalScaling is on.
RequestsInResize = Callable[[Asked, PodResources], Amounts]
# (requests of containers, init containers, what a sidecar requests) -> the requests of all of them.
WithInitContainers = Callable[[Counter[str], tuple[Asked, ...], Callable[[Asked], Amounts]], Counter[str]]


def _most(*amounts: Amounts | None) -> Amounts:
    """The largest amount of each resource (Go: `max`)."""
    most: Counter[str] = Counter()
    for each in amounts:
        most |= Counter(each or {})
    return most


# --- a container whose pod may be resized in place ------------------------------------------------------------------


def spec_or_allocated(container: Asked, pod: PodResources) -> Amounts:
    """1.27 to 1.31: what the spec says, or what the kubelet has allocated, if this is more.

    `status.resize: Infeasible` says that the kubelet cannot grant what the spec says: then what is allocated alone.
    """
    if not container.in_status:
        return container.spec
    return container.allocated or NOTHING if pod.resize_infeasible else _most(container.spec, container.allocated)


def spec_or_actual(container: Asked, pod: PodResources) -> Amounts:
    """1.32: what the container runs with, in place of what is allocated (#117765)."""
    if container.actual is None:
        return container.spec
    return container.actual if pod.resize_infeasible else _most(container.spec, container.actual)


def spec_allocated_or_actual(container: Asked, pod: PodResources) -> Amounts:
    """1.33 on: the most of all three (#129532); the condition PodResizePending says what is infeasible."""
    if container.actual is None:
        return container.spec
    spec = None if pod.resize_pending_infeasible else container.spec
    return _most(spec, container.actual, container.allocated)


# --- init containers ------------------------------------------------------------------------------------------------


def largest_init_container(
    containers: Counter[str], init_containers: tuple[Asked, ...], sidecar: Callable[[Asked], Amounts]
) -> Counter[str]:
    """To 1.27: the containers together, or one init container that asks for more of a resource."""
    return Counter(_most(containers, *(each.spec for each in init_containers)))


def with_sidecars(
    containers: Counter[str], init_containers: tuple[Asked, ...], sidecar: Callable[[Asked], Amounts]
) -> Counter[str]:
    """1.28 to 1.32: a restartable init container counts beside the containers, and beside the init containers after it.

    Whatever the gate SidecarContainers is: with the gate off NodeResourcesFit turns such a pod away.
    """
    return _beside(containers, init_containers, lambda each: each.spec)


def with_resized_sidecars(
    containers: Counter[str], init_containers: tuple[Asked, ...], sidecar: Callable[[Asked], Amounts]
) -> Counter[str]:
    """1.33 on: a restartable init container can be resized too."""
    return _beside(containers, init_containers, sidecar)


def _beside(
    containers: Counter[str], init_containers: tuple[Asked, ...], sidecar: Callable[[Asked], Amounts]
) -> Counter[str]:
    sidecars: Counter[str] = Counter()
    peak: Counter[str] = Counter()
    for each in init_containers:
        if each.restartable:
            sidecars.update(sidecar(each))
            peak |= sidecars
        else:
            peak |= Counter(each.spec) + sidecars
    return (containers + sidecars) | peak


def init_containers_do_not_count() -> bool:
    """Whether a node counts the init containers of its pods: no (#89092). Those of the pod that is tried count.

    `calculateResource` to 1.16.9, 1.17.5 and 1.18.2.
    """
    return False


def init_containers_count() -> bool:
    """As for the pod that is tried (#89222)."""
    return True


# --- what is compared with the room of a node -----------------------------------------------------------------------


def every_resource_is_compared() -> bool:
    """Whether a pod that asks for something is turned away by a node with less than nothing left of another resource.

    `fitsRequest` to 1.27 (`PodFitsResources` to 1.17), of CPU, memory and ephemeral storage. A pod that asks for
    nothing at all is compared with nothing.
    """
    return True


def only_what_is_asked_is_compared() -> bool:
    """From 1.28 on (#116408)."""
    return False


# --- resources of the pod itself ------------------------------------------------------------------------------------


def cpu_and_memory(resource: str) -> bool:
    """Whether spec.resources of a pod decides about the resource: CPU and memory (1.32)."""
    return resource in ("cpu", "memory")


def cpu_memory_and_huge_pages(resource: str) -> bool:
    """From 1.33 on hugepages too."""
    return cpu_and_memory(resource) or resource.startswith("hugepages-")


# --- requests that grow ----------------------------------------------------------------------------------------------


def requests_stay() -> bool:
    """Whether the API server lets the requests of a pod grow: no, unless somebody sets InPlacePodVerticalScaling."""
    return False


def requests_may_grow() -> bool:
    """The gate is on by default: a pod is resized at its subresource `resize` (`ValidatePodResize`)."""
    return True


@frozen(slots=False, kw_only=True)
class ResizeRules:
    """What releases do differently when a pod is resized."""

    requests_may_grow: Callable[[], bool]


@frozen(slots=False, kw_only=True)
class PodRequestsRules:
    """What releases do differently."""

    requests_in_resize: RequestsInResize
    with_init_containers: WithInitContainers
    node_counts_init_containers: Callable[[], bool]
    is_pod_level_resource: Callable[[str], bool]
    compares_every_resource: Callable[[], bool]


@frozen
class PodRequests:
    """How a release computes requests."""

    rules: PodRequestsRules
    # Those of `GATES` that the release has, and whether each is on.
    gates: Mapping[str, bool]

    def of_tried(self, pod: PodResources) -> Counter[str]:
        """What a pod asks for when the scheduler tries it: its status does not count."""
        return self._requests(pod, with_status=False, with_init=True)

    def compared(self, pod: PodResources) -> Counter[str]:
        """`of_tried`, with 0 of what the pod does not ask for and is compared with the room of a node too."""
        asked = self.of_tried(pod)
        if asked and self.rules.compares_every_resource():
            return Counter(dict.fromkeys(("cpu", "memory", "ephemeral-storage"), 0) | asked)
        return asked

    def on_node(self, pod: PodResources) -> Counter[str]:
        """What a node counts for a pod that it has, or that is nominated to it."""
        with_init = self.rules.node_counts_init_containers()
        return self._requests(pod, with_status=self.gates.get(RESIZE, False), with_init=with_init)

    def refusals(self, pod: PodResources) -> tuple[str, ...]:
        """Why the pod fits on no node, whatever it requests: `PreFilter` of NodeResourcesFit, from 1.28 on."""
        has_sidecar = any(each.restartable for each in pod.init_containers)
        return (SIDECARS_ARE_OFF,) if has_sidecar and self.gates.get(SIDECARS) is False else ()

    def _requests(self, pod: PodResources, *, with_status: bool, with_init: bool) -> Counter[str]:
        def of(container: Asked) -> Amounts:
            return self.rules.requests_in_resize(container, pod) if with_status else container.spec

        total: Counter[str] = Counter()
        for container in pod.containers:
            total.update(of(container))
        if with_init:
            total = self.rules.with_init_containers(total, pod.init_containers, of)
        if pod.own is not None and self.gates.get(POD_LEVEL):
            # The requests of the whole pod replace those of its containers.
            resized = with_status and self.gates.get(POD_LEVEL_RESIZE)
            # status.allocatedResources has the overhead in it, which is added once more (#139627).
            asked = spec_allocated_or_actual(pod.own, pod) if resized else pod.own.spec
            total.update(
                {
                    name: asked.get(name, 0) - total[name]
                    for name in pod.own.spec
                    if self.rules.is_pod_level_resource(name)
                }
            )
        if self.gates.get(POD_OVERHEAD):
            total.update(pod.overhead)
        return +total
