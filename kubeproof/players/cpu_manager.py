"""Runs of cpu-manager, played by the driver `cpumanager`."""

from typing import Any

from kubeproof.players.player import CannotPlayError, Player, call
from kubeproof.systems.cpu_manager import words
from kubeproof.systems.system import Facts
from model.cpu.manager import active_pods_with_workers, manager_allocate_nothing, post_stop_container_removing
from model.machine import Action, Machine
from model.systems.cpu_manager.kubelet import CPUManagerRules
from model.systems.cpu_manager.machine import CPUManagerMachine
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.shapes import LAST_BY_NAME, POD_LEVEL
from model.which_rule import is_one_of

# Actions without a line of their own: what is said of them.
_NOT_PLAYED = {
    "admit": "up to 1.17 containers get their CPUs when they start, and the driver begins with 1.18",
}


def _begin(machine: Machine[Any], run: str, _: tuple[str, ...] = ()) -> list[str]:
    """The kubelet on its machine. What of the kubelet is outside of the package goes by the rules of the release."""
    assert isinstance(machine, CPUManagerMachine)
    scope, rules = machine.scope, machine.rules
    if is_one_of(rules.manager_allocate, (manager_allocate_nothing,)):
        raise CannotPlayError(_NOT_PLAYED["admit"])
    node = machine.initial_states()[0].node
    full = ", fullPCPUs: true" if node.full_pcpus else ""
    strict = ", strictReservation: true" if node.strict_reservation else ""
    made = f"playedMachine{{cores: {scope.cores}, threads: {scope.threads}, reserved: {scope.reserved}{full}{strict}}}"
    lines = [f"k := newPlayedKubelet(t, {made}, {run})"]
    if seen_after_admission(rules):
        lines.append("// GetActivePods of this release lacks a pod whose admission is under way.")
        lines.append("k.activeAfterAdmission = true")
    if removes_at_stop(rules):
        lines.append("// The hooks around the end of a container call RemoveContainer in this release.")
        lines.append("k.removesAtStop = true")
    return lines


def seen_after_admission(rules: CPUManagerRules) -> bool:
    """Whether GetActivePods leaves out a pod whose admission is under way."""
    return is_one_of(rules.active_pods, (active_pods_with_workers,))


def removes_at_stop(rules: CPUManagerRules) -> bool:
    """Whether the hooks around the end of a container call RemoveContainer."""
    return is_one_of(rules.post_stop_container, (post_stop_container_removing,))


def _call(action: Action, _: CPUManagerSystem | None) -> str:
    args = dict(action.args)
    if action.name == "crash_kubelet":
        return _crash(args)
    if action.name in _NOT_PLAYED:
        raise CannotPlayError(_NOT_PLAYED[action.name])
    if "pods" in args:
        raise CannotPlayError("the run takes the pods in another order than the list has, which is Go's map order")
    if "cpus" in args:
        raise CannotPlayError("the run takes CPUs as under another numbering of the machine (the bound numbering)")
    match action.name:
        case "create_pod":
            if str(args["containers"]).startswith(POD_LEVEL):
                raise CannotPlayError("the driver's pods have no resources of their own")
            if LAST_BY_NAME in str(args["containers"]):
                raise CannotPlayError("the driver calls its app containers a0, a1, …")
            return call("createPod", args["pod"], args["containers"])
        case "offline_cpu":
            return call("offlineCPU", args["cpu"])
        case "set_policy":
            return call("setPolicy", args["policy"])
    return call(action.name, *(args[name] for name in ("pod", "container") if name in args))


def _crash(args: dict[str, Any]) -> str:
    if args["order"]:
        raise CannotPlayError("the crash depends on the order in which Go goes through a map")
    match args["during"]:
        case "allocate":
            return call("crashInAllocate", args["pod"], args["container"], args["write"])
        case "reconcile_state":
            return call("crashInReconcileState", args["write"])
    raise CannotPlayError(f"the driver has no crash during {args['during']}")


def _facts(state: CPUManagerSystem) -> Facts:
    """Those of the pages. Why a kubelet does not start is Go's text, with names of the machine where it is played."""
    facts = words.facts(state)
    return {**facts, "kubelet": state.kubelet.phase}


CPU_MANAGER = Player("cpu-manager", "cpumanager", _begin, _call, _facts)
