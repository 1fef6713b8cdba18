"""The system cpu-manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubeproof.systems.cpu_manager import words
from kubeproof.systems.cpu_manager.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, REPAIRS, UNNOTICED, powers_taken
from kubeproof.systems.cpu_manager.picture import PICTURE
from kubeproof.systems.cpu_manager.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System, rules_of
from model.places import always
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope
from properties.cpu_manager import catalogue as cpu_manager, effects as cpu_manager_effects
from properties.cpu_manager.alone import effects_alone
from properties.tla.cpu_manager import system as tla_cpu_manager

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _cpu_manager_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.cpu_manager.system import encode

    return encode(scope, rules, forms)


_LIFECYCLE = "internal_container_lifecycle.go"
_ADD_CONTAINER = "cpu_manager.go AddContainer"
CPU_MANAGER = System(
    name="cpu-manager",
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    unnoticed=UNNOTICED,
    summary="the kubelet's static CPU policy: pods, restarts, crashes, a machine that changes, the state file",
    scope_class=CPUManagerScope,
    rules_class=CPUManagerRules,
    machine=lambda scope, rules: CPUManagerMachine(scope, rules, rules_of(cpu_manager.MUTANTS, REPAIRS)),
    properties=cpu_manager.PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={
        "create_pod": always("the scheduler"),
        "admit": always("kubelet.go HandlePodAdditions, canAdmitPod"),
        "allocate": always("cpu_manager.go Allocate -> policy_static.go Allocate"),
        "sources_ready": always("kubelet.go syncLoopIteration -> sources.go AddSource"),
        "start_container": (
            (
                "1.13.0",
                f"{_LIFECYCLE} PreStartContainer -> {_ADD_CONTAINER} -> policy_static.go AddContainer",
            ),
            ("1.18.0", f"{_LIFECYCLE} PreStartContainer -> {_ADD_CONTAINER}"),
        ),
        # Until 1.18.3 the hook after a container's end calls RemoveContainer (#90377 took that away).
        "exit_container": (("1.13.0", f"the container -> {_LIFECYCLE} PostStopContainer"), ("1.18.4", "the container")),
        "complete_pod": (("1.13.0", f"the containers -> {_LIFECYCLE} PostStopContainer"), ("1.18.4", "the containers")),
        "delete_pod": (
            ("1.13.0", f"kubelet.go HandlePodRemoves -> {_LIFECYCLE} PreStopContainer, PostStopContainer"),
            ("1.18.4", "kubelet.go HandlePodRemoves"),
        ),
        "remove_container": (
            ("1.13.0", "cpu_manager.go RemoveContainer -> policy_static.go RemoveContainer"),
            ("1.18.0", "cpu_manager.go RemoveContainer, policyRemoveContainerByID -> policy_static.go RemoveContainer"),
        ),
        "reconcile_state": (
            ("1.13.0", "cpu_manager.go reconcileState"),
            ("1.17.0", "cpu_manager.go reconcileState, removeStaleState"),
        ),
        "stop_kubelet": always("the operator, or an upgrade"),
        "start_kubelet": always(
            "cpu_manager.go NewManager, Start -> state_checkpoint.go NewCheckpointState, policy_static.go validateState"
        ),
        "crash_kubelet": always("state_checkpoint.go storeState"),
        "add_core": always("the machine"),
        "offline_cpu": always("the machine"),
        "grow_reserved": always("the kubelet's configuration"),
        "set_policy": always("the kubelet's configuration"),
        "delete_state_file": always("the operator"),
    },
    recorded={
        ("static_policy", "allocate"): "allocate",
        ("static_policy", "remove"): "remove_container",
        ("static_policy", "start"): "start_kubelet",
    },
    tla_form=tla_cpu_manager.form,
    smt_form=_cpu_manager_smt,
    sentence=words.sentence,
    picture=PICTURE,
    facts=words.facts,
    options=("full_pcpus", "strict_reservation"),
    powers_taken=powers_taken,
    effects=cpu_manager_effects.effects_of_rules,
    effects_alone=effects_alone,
    mutants=cpu_manager.MUTANTS,
    repairs=REPAIRS,
)
