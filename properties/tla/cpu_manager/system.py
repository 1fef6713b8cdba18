"""cpu-manager in TLA+: specs/CpuManager.tla, what of a scope and of rules it says, its properties."""

from collections.abc import Mapping
from functools import partial

from model.systems.cpu_manager import CPUManagerRules, CPUManagerScope
from model.systems.cpu_manager.pods import pod_names
from properties.cpu_manager import (
    errors as cpu_manager_errors,
    pods as cpu_manager_pods,
    running as cpu_manager_running,
    sets as cpu_manager_sets,
    starts as cpu_manager_starts,
)
from properties.forms import without_form
from properties.tla.cpu_manager.operators import CONSTANTS, TABLES, TAKES_BESIDE_OFFLINE, WHY_NOT, reports_allocatable
from properties.tla.cpu_manager.states import decode
from properties.tla.form import Module, TlaForm, TlaProperty, form_under

MODULE = "MCCpuManager"
MODULES = (
    "CpuPolicy.tla",
    "CpuPods.tla",
    "CpuMachine.tla",
    "Manager.tla",
    "CpuManager.tla",
    "CpuManagerProperties.tla",
    "MCCpuManager.tla",
)

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
    cpu_manager_errors.NO_NEEDLESS_ERROR.name: TlaProperty("step", "NoNeedlessError"),
    cpu_manager_pods.RETURNED.name: TlaProperty("liveness", "GonePodsReturnCpus"),
    cpu_manager_pods.FORGOTTEN.name: TlaProperty("liveness", "GonePodsAreForgotten"),
}

# What the modules leave out, by the property that asks for it.
UNSUPPORTED = {
    cpu_manager_sets.WHOLE_CORES.name: "CpuManager.tla does not say what full_pcpus=1 adds",
    cpu_manager_starts.POLICY.name: "CpuManager.tla has the static policy alone: no policy is configured anew",
}


def form(scope: CPUManagerScope, rules: CPUManagerRules, operators: Mapping[str, Module] | None = None) -> TlaForm:
    """The TLA+ form of cpu-manager in `scope` under `rules`, or why there is none.

    `operators` gives, for fields of CONSTANTS whose function is not built in, a .tla file that says the same thing.
    Such a module `EXTENDS CpuPolicy` or, for rules of the manager, `CpuManager`, and defines the operator that
    CONSTANTS name for a fix; arguments and results stand beside the constants of the modules. With operators
    from outside there is no symmetry: a CHOOSE in them may prefer a name.
    """
    reason = _left_out(scope, rules)
    if reason is not None:
        return TlaForm(module=MODULE, reason=reason)
    unsupported = dict(UNSUPPORTED)
    if not reports_allocatable(rules):
        unsupported[cpu_manager_sets.ALLOCATABLE.name] = cpu_manager_sets.NOT_REPORTED
    return form_under(
        rules,
        operators,
        CONSTANTS,
        module=MODULE,
        modules=MODULES,
        constants=_constants(scope),
        properties={name: stated for name, stated in PROPERTIES.items() if name not in unsupported},
        unsupported=unsupported,
        decode=partial(decode, scope),
        # One pod alone has no permutation, and TLC 2.15 fails on that.
        interchangeable=scope.pods > 1,
    )


def _left_out(scope: CPUManagerScope, rules: CPUManagerRules) -> str | None:
    """What of the scope or the rules the modules do not say."""
    for switch in ("sidecars", "repolicy", "full_pcpus", "strict_reservation", "pod_level", "numbering", "turned"):
        if getattr(scope, switch):
            return f"CpuManager.tla does not say what {switch}={getattr(scope, switch)} adds"
    if WHY_NOT.has(rules):
        return WHY_NOT.of(rules)
    # In a field that has no table the rules of releases differ in nothing that a state keeps.
    unknown = without_form(rules, TABLES, (constant.operators.field for constant in CONSTANTS))
    if unknown is not None:
        return f"the rule {unknown} is not one that CpuManager.tla says"
    if scope.offline and scope.threads > 1 and not TAKES_BESIDE_OFFLINE.of(rules):
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
