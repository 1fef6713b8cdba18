"""What a kubelet asks of its configuration before it makes a CPU manager, release by release.

Go: ValidateKubeletConfiguration in pkg/kubelet/apis/config/validation/validation.go, then run and getReservedCPUs in
cmd/kubelet/app/server.go, then NewNonePolicy in pkg/kubelet/cm/cpumanager/policy_none.go. Pure functions.
"""

from collections.abc import Callable

from attrs import frozen

from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.types import Options
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.go.formats import quote

TOPOLOGY_MANAGER_POLICIES = ("none", "best-effort", "restricted", "single-numa-node")


# --- The list of reserved CPUs: reservedSystemCPUs, --reserved-cpus


def no_list_of_reserved_cpus(text: str, cpus: CPUSet, topology: CPUTopology) -> GoError | None:
    """1.13 to 1.16: there is no such list."""
    return None


def reserved_below_number_of_cpus(text: str, cpus: CPUSet, topology: CPUTopology) -> GoError | None:
    """Why the kubelet does not take the list `text` of `cpus`, or None (1.17 to 1.21; #83592).

    Ids are held against the number of CPUs, so a CPU that is online may be refused where others are offline (#98121).
    """
    if max(cpus, default=0) < topology.num_cpus:
        return None
    return GoError(f"Invalid cpuset {quote(text)} specified by --reserved-cpus")


def reserved_online(text: str, cpus: CPUSet, topology: CPUTopology) -> GoError | None:
    """The same from 1.22 on (#98152): each CPU has to be online (`getReservedCPUs`)."""
    if cpus <= topology.cpus:
        return None
    return GoError(f"reserved-cpus: {text} is not a subset of online-cpus: {to_string(topology.cpus)}")


def no_reserved_and_cgroup() -> str:
    """Why the list does not go together with a cgroup for what is reserved: up to 1.16 there is no list."""
    return ""


def reserved_and_cgroup_flags() -> str:
    """1.17 to 1.19."""
    return "can't use --reserved-cpus with --system-reserved-cgroup or --kube-reserved-cgroup"


def reserved_and_cgroup_fields() -> str:
    """1.20 to 1.23: the text names the fields of the configuration."""
    return (
        "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or "
        "kubeReservedCgroup (--kube-reserved-cgroup)"
    )


def reserved_and_cgroup() -> str:
    """From 1.24 on."""
    return f"invalid configuration: {reserved_and_cgroup_fields()}"


# --- The policy of the topology manager


def no_topology_manager(policy: str, gate: bool) -> GoError | None:
    """1.13 to 1.15: there is none, and the field is not known."""
    return None


def topology_manager_by_gate(policy: str, gate: bool) -> GoError | None:
    """Why the kubelet does not take the topology manager's `policy`, or None. `gate`: TopologyManager (1.16 to 1.19).

    A policy that does not exist is refused by the topology manager itself (`NewManager`).
    """
    if policy != "none" and not gate:
        return GoError(f"invalid configuration: TopologyManager {policy} requires feature gate TopologyManager")
    return None if policy in TOPOLOGY_MANAGER_POLICIES else GoError(f'unknown policy: "{policy}"')


def topology_manager_field_by_gate(policy: str, gate: bool) -> GoError | None:
    """1.20 to 1.23: the validation knows the policies."""
    if policy != "none" and not gate:
        return GoError(f"invalid configuration: topologyManagerPolicy {policy} requires feature gate TopologyManager")
    if policy in TOPOLOGY_MANAGER_POLICIES:
        return None
    return GoError(f"invalid configuration: topologyManagerPolicy non-allowable value: {policy}")


def topology_manager_one_of_by_gate(policy: str, gate: bool) -> GoError | None:
    """1.24 to 1.26: the text names the policies that there are."""
    return topology_manager_one_of(policy, gate) if gate else topology_manager_field_by_gate(policy, gate)


def topology_manager_one_of(policy: str, gate: bool) -> GoError | None:
    """From 1.27 on no gate is asked."""
    if policy in TOPOLOGY_MANAGER_POLICIES:
        return None
    names = " ".join(map(quote, TOPOLOGY_MANAGER_POLICIES))
    return GoError(
        f"invalid configuration: topologyManagerPolicy (--topology-manager-policy) {quote(policy)} must be one of: "
        f"[{names}]"
    )


def any_number_of_nodes(policy: str, nodes: int) -> GoError | None:
    """1.13 to 1.16: the topology manager, if there is one, does not count the NUMA nodes."""
    return None


def few_nodes_alone(policy: str, nodes: int) -> GoError | None:
    """Why there is no topology manager on so many NUMA nodes, or None: 1.17, whatever its policy (`NewManager`)."""
    if nodes <= MAX_NUMA_NODES:
        return None
    return GoError(f"unsupported on machines with more than {MAX_NUMA_NODES} NUMA Nodes")


def few_nodes_with_policy(policy: str, nodes: int) -> GoError | None:
    """From 1.18 on the policy none takes any number. The option max-allowable-numa-nodes (1.31) is not modelled."""
    return None if policy == "none" else few_nodes_alone(policy, nodes)


MAX_NUMA_NODES = 8


# --- The options of the CPU manager's policy


def go_map(options: Options) -> str:
    """The options as Go prints a map: by name.

    >>> go_map((("b", "2"), ("a", "1")))
    'map[a:1 b:2]'
    """
    return f"map[{' '.join(f'{name}:{value}' for name, value in sorted(options))}]"


def options_ask_no_gate(options: Options, gate: bool) -> GoError | None:
    """1.13 to 1.21: there are no options. From 1.33 on the gate is locked on, and nothing asks it."""
    return None


def options_ask_gate(options: Options, gate: bool) -> GoError | None:
    """Why the options are not handed on, or None (1.22 to 1.32). `gate`: CPUManagerPolicyOptions."""
    if gate or not options:
        return None
    needed = f'"CPUManager", "{POLICY_OPTIONS_GATE}" enabled'
    return GoError(f"CPU Manager policy options {go_map(options)} require feature gates {needed}")


def none_policy_takes_all(options: Options) -> GoError | None:
    """1.13 to 1.21: `NewNonePolicy` is given no options."""
    return None


def none_policy_takes_no_options(options: Options) -> GoError | None:
    """From 1.22 on (#101432) the policy none has no options."""
    if not options:
        return None
    return GoError(f"new none policy error: None policy: received unsupported options={go_map(options)}")


# --- The gates that decide here

MANAGER_GATE = "CPUManager"
POLICY_OPTIONS_GATE = "CPUManagerPolicyOptions"
TOPOLOGY_MANAGER_GATE = "TopologyManager"


@frozen(slots=False, kw_only=True)
class ConfigurationRules:
    """What a release asks of a kubelet's configuration."""

    check_reserved_cpus: Callable[[str, CPUSet, CPUTopology], GoError | None]
    reserved_and_cgroup: Callable[[], str]
    check_topology_manager: Callable[[str, bool], GoError | None]
    check_numa_nodes: Callable[[str, int], GoError | None]
    check_options: Callable[[Options, bool], GoError | None]
    new_none_policy: Callable[[Options], GoError | None]
