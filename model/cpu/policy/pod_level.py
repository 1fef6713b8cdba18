"""Pods with resources of their own (spec.resources, the gate PodLevelResources), as the static policy sees them.

Go: ComputePodQOS in pkg/apis/core/v1/helper/qos/qos.go, and Allocate, GetTopologyHints and GetPodTopologyHints in
pkg/kubelet/cm/cpumanager/policy_static.go, releases 1.32 to 1.36. The gate PodLevelResourceManagers (1.36, off by
default) is not modelled: with it a pod has CPUs of its own. API server and kubelet are taken to have the gate alike:
`GetPodQOS` reads the class in the pod's status first, which the API server computes by its own gate. Pure functions.
"""

from model.cpu.policy.pods import PodSpec, whole_cpus
from model.cpu.policy.types import StaticPolicy


def exclusive_cpus(policy: StaticPolicy, pod: PodSpec, container: str) -> int:
    """The exclusive CPUs that the policy gives to `container` of `pod`; 0: the container runs in the shared pool."""
    cpus = policy.rules.guaranteed_cpus(pod, container)
    if pod.pod_level is None:
        return cpus
    return policy.rules.pod_level_cpus(pod, container, cpus, policy.pod_level_resources)


def pod_level_unknown(pod: PodSpec, container: str, by_containers: int, gate: bool) -> int:
    """Exclusive CPUs for a container of a pod with resources of its own, up to 1.31: there is no such field.

    `by_containers`: what `guaranteed_cpus` answers, which looks at the containers alone. `gate`: PodLevelResources is
    on. `guaranteedCPUs` in policy_static.go, `GetPodQOS` in qos.go.
    """
    return by_containers


def pod_level_decides_qos(pod: PodSpec, container: str, by_containers: int, gate: bool) -> int:
    """The same in 1.32 and 1.33: with the gate on, the resources of the pod decide its QoS class (`ComputePodQOS`).

    A container of a Guaranteed pod gets the CPUs of its request, if this is a whole number. The container needs no
    limits for that: `guaranteedCPUs` reads the request alone.
    """
    if not gate:
        return by_containers
    return whole_cpus(pod.container(container).cpu) if pod.pod_level else 0


def pod_level_shares(pod: PodSpec, container: str, by_containers: int, gate: bool) -> int:
    """The same in 1.34 and 1.35 (#133279): with the gate on, `Allocate` and both functions of hints pass over the pod.

    `guaranteedCPUs` is the one of 1.33, but nobody takes CPUs by its answer.
    """
    return 0 if gate else by_containers


def pod_level_shares_without_gate(pod: PodSpec, container: str, by_containers: int, gate: bool) -> int:
    """The same from 1.36 on: the pod is passed over unless PodLevelResources and PodLevelResourceManagers are on.

    The second gate is off by default, so the pod is passed over whatever the first one is.
    """
    return 0


def no_pod_level_gate() -> bool | None:
    """Whether PodLevelResources is on by default; None: there is no such gate (up to 1.31)."""
    return None


def pod_level_gate_off() -> bool | None:
    """The gate is alpha, and off by default (1.32, 1.33)."""
    return False


def pod_level_gate_on() -> bool | None:
    """The gate is beta, and on by default (from 1.34 on)."""
    return True
