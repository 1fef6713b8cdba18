"""Which powers of the environment a run of cpu-manager makes use of."""

from collections.abc import Iterable

from model.machine import Action
from model.systems.cpu_manager import CPUManagerScope
from model.systems.cpu_manager.shapes import POD_LEVEL

_OF_ACTION = {
    "complete_pod": "jobs", "remove_container": "removals", "stop_kubelet": "restarts", "crash_kubelet": "crashes",
    "add_core": "hotplug", "offline_cpu": "offline", "grow_reserved": "rereserve", "set_policy": "repolicy",
    "delete_state_file": "wipes",
}  # fmt: skip


def powers_used(scope: CPUManagerScope, actions: Iterable[Action]) -> frozenset[str]:
    """The bounds of `scope` that let the actions happen, and its options. The end of an init container takes none."""
    used = {option for option in ("full_pcpus", "strict_reservation") if getattr(scope, option)}
    for action in actions:
        if action.name in _OF_ACTION:
            used.add(_OF_ACTION[action.name])
        elif action.name == "create_pod":
            kinds = (("init", "init"), ("sidecar", "sidecars"), (POD_LEVEL, "pod_level"))
            used |= {power for kind, power in kinds if kind in action["containers"]}
        elif action.name == "exit_container" and not action["container"].startswith("i"):
            used.add("exits")
    if "pod_level" in used and scope.pod_level_gate:
        used.add("pod_level_gate")
    return frozenset(used)
