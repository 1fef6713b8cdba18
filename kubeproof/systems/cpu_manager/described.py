"""What is known of cpu-manager beside its steps: powers taken, fields read, repairs, what nothing notices."""

from collections.abc import Iterable, Iterator, Mapping

from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.read_fields import ReadField
from kubeproof.systems.system import Repair
from model.cpu.assignment.accumulator import Hang
from model.cpu.manager import CPUManager, Effect, Manager, manager_add_container_noting
from model.cpu.policy import allocate as policy_allocate
from model.cpu.policy.pod_level import exclusive_cpus
from model.cpu.policy.pods import PodSpec
from model.cpu.policy.types import NO_CPUS, Affinity, Change, PolicyMemory, StaticPolicy
from model.cpu.state.state import (
    CPUManagerState,
    get_cpu_set,
    get_cpu_set_or_default,
    set_cpu_set,
    set_default_cpu_set,
)
from model.evolve import evolve
from model.go.errors import GoError
from model.machine import Action
from model.systems.cpu_manager import CPUManagerScope
from model.systems.cpu_manager.shapes import POD_LEVEL

# --- which powers of the environment a run of cpu-manager makes use of ------------------------------------------------

_OF_ACTION = {
    "complete_pod": "jobs", "remove_container": "removals", "stop_kubelet": "restarts", "crash_kubelet": "crashes",
    "add_core": "hotplug", "offline_cpu": "offline", "grow_reserved": "rereserve", "set_policy": "repolicy",
    "delete_state_file": "wipes",
}  # fmt: skip


def powers_taken(scope: CPUManagerScope, actions: Iterable[Action]) -> Iterator[str]:
    """The bounds of `scope` that let the actions happen. The end of an init container takes none."""
    for action in actions:
        if action.name in _OF_ACTION:
            yield _OF_ACTION[action.name]
        elif action.name == "create_pod":
            gate = ((POD_LEVEL, "pod_level_gate"),) if scope.pod_level_gate else ()
            kinds = (("init", "init"), ("sidecar", "sidecars"), (POD_LEVEL, "pod_level"), *gate)
            yield from (power for kind, power in kinds if kind in action["containers"])
        elif action.name == "exit_container" and not action["container"].startswith("i"):
            yield "exits"


# --- the fields of pods and of the kubelet's configuration that the CPU manager's rules read, and the powers ----------

READ_FIELDS = (
    ReadField("Pod.metadata.uid", ("pods",), "a static pod that keeps its UID"),
    ReadField("Pod.metadata.deletionTimestamp", ("pods",), "a grace period: a pod that is deleted stops at once"),
    ReadField("Pod.status.phase", ("jobs",)),
    ReadField("Pod.status.containerStatuses[].containerID", ("exits", "removals")),
    ReadField("Pod.spec.containers[].name", ("containers",)),
    ReadField(
        "Pod.spec.containers[].resources",
        ("size",),
        "requests that differ from limits: the container shares then",
    ),
    ReadField(
        "Pod.spec.resources",
        ("pod_level",),
        "requests that differ from limits, and PodLevelResourceManagers (1.36, off by default), with which a pod has "
        "CPUs of its own",
    ),
    ReadField(
        "Pod.status.containerStatuses[].allocatedResources",
        left_out="1.33 and 1.34 read it in place of the request; the kubelet sets it to the request",
    ),
    ReadField("Pod.spec.initContainers", ("init",)),
    ReadField("Pod.spec.initContainers[].restartPolicy", ("sidecars",)),
    ReadField("Node.status.allocatable", ("rereserve", "reserved")),
    ReadField("cpu_manager_state", ("restarts", "crashes", "wipes")),
    ReadField(
        "/sys/devices/system/cpu", ("cores", "threads", "hotplug", "offline"), "more than one socket or NUMA node"
    ),
    ReadField("KubeletConfiguration.cpuManagerPolicy", ("repolicy",)),
    ReadField(
        "KubeletConfiguration.cpuManagerPolicyOptions", ("full_pcpus", "strict_reservation"), "the other options"
    ),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "API server and kubelet have the gate PodLevelResources alike.",
    "With `strict_reservation` CPUManagerPolicyAlphaOptions is on, which is off by default: 1.32 asks it for the "
    "option strict-cpu-reservation, and does not start without it.",
)


# The gates that the system takes as off.
GATES_TAKEN = (
    GateTaken(
        "InPlacePodVerticalScaling",
        "no running pod is resized (of a pod with CPUs of its own the kubelet refuses another number of CPUs)",
    ),
)


# --- the repairs of cpu-manager: rules that no modelled release has, each without one documented bug ------------------


def allocate_reusable_first(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    numa_affinity: Affinity = None,
    container_id: str = "",
) -> Change:
    """`allocate`, except that CPUs of the pod's init containers are taken before free ones (as #139552 proposes)."""
    num_cpus, reusable = exclusive_cpus(policy, pod, container), memory.reusable(pod.uid)
    error = policy.rules.smt_alignment_error(policy, state, num_cpus)
    if num_cpus == 0 or error is not None or not reusable or get_cpu_set(state, pod.uid, container) is not None:
        return policy_allocate.allocate(policy, state, memory, pod, container, numa_affinity, container_id)
    again = policy.take(policy.topology, reusable, min(num_cpus, len(reusable)), policy.options)
    if isinstance(again, GoError | Hang):
        return Change(state, memory, error=again)
    left = set_default_cpu_set(state, state.default - again)
    found = policy_allocate.allocate_cpus(policy, left, num_cpus - len(again), numa_affinity, NO_CPUS)
    if isinstance(found, GoError | Hang):
        return Change(state, memory, error=found)
    new, without = found
    cpus = again | new
    entered = set_cpu_set(without, pod.uid, container, cpus)
    return Change(entered, policy.rules.update_cpus_to_reuse(memory, pod, container, cpus), (without, entered))


def add_container_telling(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pod: PodSpec, container: str, container_id: str
) -> Effect:
    """`AddContainer` of 1.22 on, except that a container in the shared pool is noted with what it starts on too."""
    effect = manager_add_container_noting(cpu, manager, state, pod, container, container_id)
    cpus = get_cpu_set_or_default(state, pod.uid, container)
    return evolve(effect, manager=effect.manager.telling((pod.uid, container), cpus))


REPAIRS = (
    Repair("CPU-INIT-LEAK", "allocate", policy_allocate.allocate, allocate_reusable_first),
    Repair("CPU-STALE-LAST-UPDATE", "manager_add_container", manager_add_container_noting, add_container_telling),
)


# --- fields of the state of cpu-manager in which no property notices a wrong value within a step, and why none has to

_BOOKS = "the books of the model: it bounds what the environment may do, and Kubernetes has no such field"
_LAST_ADMITTED = "a part of what the manager remembers of the last admitted pod, of which only the name is asked"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "CPUManagerSystem.used": _BOOKS,
    "Used.crashes": _BOOKS,
    "ContainerSpec.cpu": _LAST_ADMITTED,
    "ContainerSpec.name": _LAST_ADMITTED,
    "ContainerSpec.restartable": _LAST_ADMITTED,
    "Kubelet.error": "a text for people: nothing depends on it",
    "Manager.last_update_state": "what a container was told last: shared-off-exclusive notices who is told no more",
    "PodSpec.app": _LAST_ADMITTED,
    "PodSpec.init": _LAST_ADMITTED,
    "Used.exits": _BOOKS,
    "Used.restarts": _BOOKS,
}
