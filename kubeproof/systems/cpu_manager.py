"""The system cpu-manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubeproof.systems import cpu_manager_words as cpu_narration
from kubeproof.systems.system import System
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope
from properties.cpu_manager import catalogue as cpu_manager
from properties.cpu_manager import effects as cpu_manager_effects
from properties.tla.cpu_manager import system as tla_cpu_manager

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _cpu_manager_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.cpu_manager.system import encode

    return encode(scope, rules, forms)


_CPU_MANAGER_GO = "cpu_manager.go"
CPU_MANAGER = System(
    name="cpu-manager",
    summary="the kubelet's static CPU policy: pods, restarts, crashes, a machine that changes, the state file",
    scope_class=CPUManagerScope,
    rules_class=CPUManagerRules,
    machine=lambda scope, rules: CPUManagerMachine(scope, rules),
    properties=cpu_manager.PROPERTIES,
    scope=CPUManagerScope(cores=2, pods=2, containers=2, size=1, init=1, removals=1, restarts=1, crashes=1, hotplug=1),
    fix_scope=CPUManagerScope(cores=4, pods=2, containers=1, size=1, exits=1, restarts=1),
    fix_scopes=(
        CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, jobs=1, exits=1, restarts=1),
        CPUManagerScope(cores=4, pods=1, containers=2, size=2, init=1, exits=1, removals=1, restarts=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, hotplug=1),
        CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=1, crashes=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, offline=1),
        CPUManagerScope(cores=3, pods=1, containers=1, size=1, restarts=1, hotplug=1, rereserve=1),
        CPUManagerScope(cores=3, threads=2, reserved=2, pods=1, containers=2, size=2, init=1, restarts=1, full_pcpus=1),
    ),
    large_scope=CPUManagerScope(
        cores=5, pods=3, containers=2, size=2, init=1, jobs=1, exits=2, removals=1, restarts=2, crashes=1, hotplug=1
    ),
    sources={
        "create_pod": "the scheduler; kubelet.go HandlePodAdditions",
        "admit": "kubelet.go HandlePodAdditions, canAdmitPod",
        "allocate": f"{_CPU_MANAGER_GO} Allocate -> policy_static.go Allocate",
        "sources_ready": "kubelet.go syncLoopIteration -> config SourcesReady.AddSource",
        "start_container": f"internal_container_lifecycle.go PreStartContainer -> {_CPU_MANAGER_GO} AddContainer",
        "exit_container": "the container; up to 1.18.3 internal_container_lifecycle.go PostStopContainer",
        "complete_pod": "the containers; up to 1.18.3 internal_container_lifecycle.go PostStopContainer",
        "delete_pod": "kubelet.go HandlePodRemoves; up to 1.18.3 PreStopContainer, PostStopContainer",
        "remove_container": f"{_CPU_MANAGER_GO} RemoveContainer -> policy_static.go RemoveContainer",
        "reconcile_state": f"{_CPU_MANAGER_GO} reconcileState, removeStaleState",
        "stop_kubelet": "the operator, or an upgrade",
        "start_kubelet": f"{_CPU_MANAGER_GO} NewManager, Start -> state_checkpoint.go, policy_static.go validateState",
        "crash_kubelet": "state_checkpoint.go storeState, called for each change",
        "add_core": "the machine",
        "offline_cpu": "the machine",
        "grow_reserved": "the kubelet's configuration",
        "set_policy": "the kubelet's configuration",
        "delete_state_file": "the operator",
    },
    tla_form=tla_cpu_manager.form,
    smt_form=_cpu_manager_smt,
    describe_action=cpu_narration.describe_action,
    describe_state=cpu_narration.describe_state,
    describe_damage=cpu_narration.describe_damage,
    effects=cpu_manager_effects.effects_of_rules,
    mutants=cpu_manager.MUTANTS,
)
