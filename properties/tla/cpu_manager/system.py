"""cpu-manager in TLA+: specs/CpuManager.tla, its rules and properties, and how its states read."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import fields

from model.cpu import manager, new_manager, reconcile, stale
from model.cpu.assignment import chained as assignment_chained
from model.cpu.manager import Manager
from model.cpu.policy import (
    allocate as policy_allocate,
)
from model.cpu.policy import (
    pods as policy_pods,
)
from model.cpu.policy import (
    remove as policy_remove,
)
from model.cpu.policy import (
    static as policy,
)
from model.cpu.policy import (
    validate as policy_validate,
)
from model.cpu.policy.types import PolicyMemory
from model.cpu.rows import CPU_ROWS
from model.cpu.state import checkpoint
from model.cpu.state import format as checkpoint_format
from model.cpu.state.state import CPUManagerState, sorted_assignments
from model.systems.cpu_manager import CPUManagerRules, CPUManagerScope, CPUManagerSystem
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import Checkpoint, Container, Kubelet, Node, Pod, Used
from model.systems.cpu_manager.shapes import pod_spec
from properties.cpu_manager import (
    catalogue as cpu_manager,
)
from properties.cpu_manager import (
    pods as cpu_manager_pods,
)
from properties.cpu_manager import (
    running as cpu_manager_running,
)
from properties.cpu_manager import (
    sets as cpu_manager_sets,
)
from properties.cpu_manager import (
    starts as cpu_manager_starts,
)
from properties.tla.form import TlaForm, TlaProperty

MODULES = (
    "CpuPolicy.tla",
    "CpuPods.tla",
    "CpuMachine.tla",
    "Manager.tla",
    "CpuManager.tla",
    "CpuManagerProperties.tla",
    "MCCpuManager.tla",
)

# For each rule field that the modules leave open: the constant operator, and what a fix's own module calls it.
CONSTANT_OF = {
    "allocate": ("AllocateRule", "FixedAllocate"),
    "remove_container": ("RemoveContainerRule", "FixedRemoveContainer"),
    "validate_state": ("ValidateStateRule", "FixedValidateState"),
    "allocatable_cpus": ("AllocatableCPUsRule", "FixedAllocatableCPUs"),
    "active_pods": ("ActivePodsRule", "FixedActivePods"),
    "remove_stale_state": ("StaleRule", "FixedStale"),
    "manager_allocate": ("ManagerAllocateRule", "FixedManagerAllocate"),
    "manager_add_container": ("ManagerAddContainerRule", "FixedManagerAddContainer"),
    "post_stop_container": ("PostStopContainerRule", "FixedPostStopContainer"),
    "reconcile_state": ("ReconcileStateRule", "FixedReconcileState"),
}

OPERATOR_OF: Mapping[Callable[..., Any], str] = {
    policy_allocate.allocate: "AllocateReusing",
    policy_allocate.allocate_returning_init_cpus: "AllocateReturningInitCPUs",
    cpu_manager.allocate_reserved: "AllocateReserved",
    policy_remove.remove_container: "RemoveContainer",
    policy_remove.remove_container_freeing_all: "RemoveContainerFreeingAll",
    policy_validate.validate_state: "ValidateState",
    policy_allocate.allocatable_cpus: "AllocatableCPUs",
    policy_allocate.allocatable_cpus_free_now: "AllocatableCPUsFreeNow",
    policy_allocate.allocatable_cpus_not_reported: "AllocatableCPUsNotReported",
    manager.active_pods_not_terminal: "ActivePodsNotTerminal",
    manager.active_pods_with_workers: "ActivePodsWithWorkers",
    stale.remove_stale_assignments: "StaleAssignments",
    stale.remove_stale_assignments_and_ids: "StaleAssignmentsAndIds",
    manager.manager_allocate_as_it_is: "ManagerAllocateAsItIs",
    manager.manager_allocate_after_cleaning: "ManagerAllocateAfterCleaning",
    manager.manager_allocate_pending: "ManagerAllocatePending",
    manager.manager_add_container_updating: "AddContainerUpdating",
    manager.manager_add_container_mapping: "AddContainerMapping",
    manager.manager_add_container_noting: "AddContainerNoting",
    manager.post_stop_container_removing: "PostStopContainerRemoving",
    manager.post_stop_container_nothing: "PostStopContainerNothing",
    reconcile.reconcile_state_removing_terminated: "ReconcileRemovingTerminated",
    reconcile.reconcile_state_telling_all: "ReconcileTellingAll",
    reconcile.reconcile_state_telling_changes: "ReconcileTellingChanges",
}

# What the modules say once, so that no other function will do. In fields named neither here nor above they differ in
# nothing that a state keeps, and any function of a release will do.
OF_RELEASES: frozenset[Callable[..., Any]] = frozenset(row.rule for row in CPU_ROWS)
SAID_ONCE: Mapping[str, frozenset[Callable[..., Any]]] = {
    "reserve_cpus": frozenset({policy.reserve_cpus}),
    "guaranteed_cpus": frozenset({policy_pods.guaranteed_cpus, policy_pods.guaranteed_cpus_by_app_containers}),
    "manager_remove_container": frozenset({manager.manager_remove_container_by_id}),
    "initial_containers": frozenset({new_manager.initial_containers_from_runtime}),
    "store_checkpoint": frozenset({checkpoint.store_v2}),
    "get_checkpoint": frozenset({checkpoint.read_v1_then_v2}),
    "verify_checkpoint": frozenset({checkpoint_format.verify_checksum}),
    "migrate_checkpoint": frozenset({checkpoint.migrate_v1_checkpoint_to_v2_checkpoint}),
}
CHAINED = frozenset({assignment_chained.take_by_topology_chained, assignment_chained.take_by_topology_map_order})

PROPERTIES: Mapping[str, TlaProperty] = {
    cpu_manager_sets.PARTITION.name: TlaProperty("invariant", "CpusPartitionMachine"),
    cpu_manager_sets.DISJOINT.name: TlaProperty("invariant", "ExclusiveSetsDisjoint"),
    cpu_manager_sets.APART.name: TlaProperty("invariant", "RunningExclusiveApart"),
    cpu_manager_sets.RESERVED.name: TlaProperty("invariant", "ReservedNeverExclusive"),
    cpu_manager_sets.ALLOCATABLE.name: TlaProperty("invariant", "AllocatableIsUnreserved"),
    cpu_manager_running.ON_ITS_SET.name: TlaProperty("invariant", "ExclusiveOnItsSet"),
    cpu_manager_running.KEPT.name: TlaProperty("step", "ExclusiveSetKept"),
    cpu_manager_running.OFF_EXCLUSIVE.name: TlaProperty("step", "SharedOffExclusive"),
    cpu_manager_starts.RESTART.name: TlaProperty("step", "RestartUnchanged"),
    cpu_manager_starts.COMES_UP.name: TlaProperty("liveness", "KubeletComesUp"),
    cpu_manager_pods.COUNTED.name: TlaProperty("invariant", "HoldsWhatWasCounted"),
    cpu_manager_pods.GIVEN.name: TlaProperty("step", "CountedCpusAreGiven"),
    cpu_manager_pods.RETURNED.name: TlaProperty("liveness", "GonePodsReturnCpus"),
    cpu_manager_pods.FORGOTTEN.name: TlaProperty("liveness", "GonePodsAreForgotten"),
}


def form(scope: CPUManagerScope, rules: CPUManagerRules, operators: Mapping[str, Path] | None = None) -> TlaForm:
    """The TLA+ form of cpu-manager in `scope` under `rules`, or why there is none.

    `operators` gives, for fields of CONSTANT_OF whose function is not built in, a .tla file that says the same thing.
    Such a module `EXTENDS CpuPolicy` or, for rules of the manager, `CpuManager`, and defines the operator that
    CONSTANT_OF names for a fix; arguments and results stand beside the constants of the modules. With operators
    from outside there is no symmetry: a CHOOSE in them may prefer a name.
    """
    operators = operators or {}
    reason = _left_out(scope, rules)
    if reason is not None:
        return TlaForm(module="MCCpuManager", reason=reason)
    constants = _constants(scope)
    extra: list[Path] = []
    for rule_field, (constant, own) in CONSTANT_OF.items():
        rule = getattr(rules, rule_field)
        if rule in OPERATOR_OF:
            constants.append(f"  {constant} <- {OPERATOR_OF[rule]}")
        elif rule_field in operators:
            constants.append(f"  {constant} <- {own}")
            extra.append(operators[rule_field])
        else:
            return TlaForm(module="MCCpuManager", reason=f"{rule_field} is {_name(rule)}, which has no operator")
    unsupported = {}
    if rules.allocatable_cpus is policy_allocate.allocatable_cpus_not_reported:
        unsupported[cpu_manager_sets.ALLOCATABLE.name] = cpu_manager_sets.NOT_REPORTED
    return TlaForm(
        module="MCCpuManager",
        modules=tuple(files("specs") / name for name in MODULES),
        extra_modules=tuple(dict.fromkeys(extra)),
        constants=tuple(constants),
        properties={name: stated for name, stated in PROPERTIES.items() if name not in unsupported},
        unsupported=unsupported,
        decode=partial(decode, scope),
        # One pod alone has no permutation, and TLC 2.15 fails on that.
        symmetry=None if extra or scope.pods == 1 else "Symmetry",
    )


def _left_out(scope: CPUManagerScope, rules: CPUManagerRules) -> str | None:
    """What of the scope or the rules the modules do not say."""
    for switch in ("sidecars", "repolicy", "full_pcpus", "numbering"):
        if getattr(scope, switch):
            return f"CpuManager.tla does not say what {switch}={getattr(scope, switch)} adds"
    if rules.manager_allocate is manager.manager_allocate_nothing:
        return "CpuManager.tla is for releases from 1.18 on: before, containers are known by their ids"
    for each in fields(CPUManagerRules):
        rule = getattr(rules, each.name)
        if each.name not in CONSTANT_OF and rule not in SAID_ONCE.get(each.name, OF_RELEASES):
            return f"{each.name} is {_name(rule)}, which CpuManager.tla does not say"
    if rules.take_by_topology in CHAINED and scope.offline and scope.threads > 1:
        return "TakeByTopology is that of 1.22 on where CPUs of a core are offline; before, others are taken then"
    return None


def _constants(scope: CPUManagerScope) -> list[str]:
    names = pod_names(scope.pods)
    numbers = {
        "Threads": scope.threads,
        "Cores": scope.cores,
        "Reserved": scope.reserved,
        "MaxContainers": scope.containers,
        "MaxSize": scope.size,
        "Exits": scope.exits,
        "Restarts": scope.restarts,
        "Crashes": scope.crashes,
        "Hotplug": scope.hotplug,
        "Offline": scope.offline,
        "Rereserve": scope.rereserve,
        "Wipes": scope.wipes,
    }
    switches = {"InitContainers": scope.init, "Jobs": scope.jobs, "Removals": scope.removals}
    return [
        *(f"  {name} = {name}" for name in names),
        f"  Pods = {{{', '.join(names)}}}",
        *(f"  {name} = {value}" for name, value in numbers.items()),
        *(f"  {name} = {'TRUE' if value else 'FALSE'}" for name, value in switches.items()),
    ]


def _name(rule: object) -> str:
    return getattr(rule, "__name__", repr(rule))


# --- states ----------------------------------------------------------------------------------------------------------


def decode(scope: CPUManagerScope, variables: Mapping[str, Any]) -> CPUManagerSystem:
    """The machine's state of a TLA+ state. The words of an error are not in it."""
    file, kubelet, used = variables["file"], variables["kubelet"], variables["used"]
    return CPUManagerSystem(
        _node(scope, variables["node"]),
        Checkpoint("static", _state(file["state"])) if file["there"] else None,
        Kubelet(
            kubelet["phase"], _manager(kubelet["manager"]), _node(scope, kubelet["startedOn"]), kubelet["reserved"]
        ),
        tuple(_pod(variables["pods"][name]) for name in pod_names(scope.pods)),
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
