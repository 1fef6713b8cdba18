"""Of each system with many bugs: the scopes of the second pass, and which powers of the environment a run takes.

Each scope switches on a few powers, none of them for the sake of one bug. What it does not name is off.
"""

from collections.abc import Callable, Iterable

from attrs import frozen

from model.machine import Action
from model.systems.scheduling.actors import STEPS

CPU_MANAGER_SCOPES = (
    "cores=3,pods=2,containers=2,size=1,init=1,exits=0,restarts=0",
    "cores=2,pods=2,containers=1,size=1,init=0,exits=1,restarts=1",
    "cores=3,pods=3,containers=1,size=1,init=0,exits=1,restarts=0",
    "cores=3,pods=1,containers=2,size=2,init=1,sidecars=1,exits=1,restarts=1",
    "cores=3,pods=1,containers=2,size=1,init=1,removals=1,exits=0,restarts=1",
    "cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=1,crashes=1",
    "cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=1,hotplug=1,rereserve=1",
    "cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=1,repolicy=1,wipes=1",
    "cores=3,threads=2,pods=1,containers=2,size=2,init=0,exits=0,restarts=1,offline=1,wipes=1",
    "cores=2,threads=2,pods=1,containers=1,size=2,init=0,exits=1,restarts=1,full_pcpus=1",
)
SCHEDULING_SCOPES = (
    "pods=1,nodes=1,room=1,goroutines=1,labels=1,finalizers=1,resyncs=1",
    "pods=1,nodes=1,room=1,goroutines=1,lost_replies=1,bind_errors=1,clock=1,flush=1",
    "pods=1,nodes=1,room=1,goroutines=1,deletes=1,relists=1,graceful=1",
    "pods=1,nodes=2,room=1,goroutines=1,updates=1,extender=1,preemption=1",
    "pods=1,nodes=2,room=1,goroutines=1,late_nodes=1,node_deletes=1,updates=1",
    "pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1,relists=1,other_binders=1",
    "pods=2,nodes=1,room=1,goroutines=1,deletes=1",
    "pods=1,nodes=2,room=1,goroutines=1,extender=1,preemption=1,bind_errors=1,deletes=1",
    "pods=2,nodes=1,room=1,goroutines=1,high=1,preemption=1,node_deletes=1",
    "pods=3,nodes=1,room=1,goroutines=1,high=1,preemption=1",
    "pods=2,nodes=1,room=1,goroutines=1,clock=1,expiry=1",
    "pods=2,nodes=1,room=2,goroutines=1,late_nodes=1",
    "pods=2,nodes=1,room=2,goroutines=1,node_deletes=1,updates=1",
    "pods=2,nodes=2,room=1,goroutines=1,node_deletes=1,keep_snapshot=1",
)

_CPU_MANAGER_ACTIONS = {
    "complete_pod": "jobs", "remove_container": "removals", "stop_kubelet": "restarts", "crash_kubelet": "crashes",
    "add_core": "hotplug", "offline_cpu": "offline", "grow_reserved": "rereserve", "set_policy": "repolicy",
    "delete_state_file": "wipes",
}  # fmt: skip
# What is on in a scope without an action that shows it.
_SCHEDULING_OPTIONS = ("high", "extender", "preemption", "clock", "listeners", "fine", "keep_snapshot")


def cpu_manager_powers(scope: str, actions: Iterable[Action]) -> frozenset[str]:
    """The powers of the environment that a run makes use of, and the options of its scope."""
    taken = {"full_pcpus"} if "full_pcpus=1" in scope else set()
    for action in actions:
        if action.name in _CPU_MANAGER_ACTIONS:
            taken.add(_CPU_MANAGER_ACTIONS[action.name])
        elif action.name == "create_pod":
            taken |= {
                power for kind, power in (("init", "init"), ("sidecar", "sidecars")) if kind in action["containers"]
            }
        elif action.name == "exit_container" and not action["container"].startswith("i"):
            taken.add("exits")
    return frozenset(taken)


def scheduling_powers(scope: str, actions: Iterable[Action]) -> frozenset[str]:
    """The same of scheduling: each step says which power it uses."""
    named = {bound: int(value) for bound, value in (part.split("=") for part in scope.split(",") if part)}
    taken = {option for option in _SCHEDULING_OPTIONS if named.get(option)}
    for action in actions:
        taken.update(STEPS[action.name].powers_used(named, action))
    return frozenset(taken)


@frozen
class SecondPass:
    """`scopes` to explore; `powers_taken(scope, actions)` of a run."""

    scopes: tuple[str, ...]
    powers_taken: Callable[[str, Iterable[Action]], frozenset[str]]


PASSES: dict[str, SecondPass] = {
    "cpu-manager": SecondPass(CPU_MANAGER_SCOPES, cpu_manager_powers),
    "scheduling": SecondPass(SCHEDULING_SCOPES, scheduling_powers),
}
