"""Runs of scheduling and of scheduling-cycle, played by the driver `scheduler`."""

from collections.abc import Iterable
from typing import Any

from kubeproof.players.player import CannotPlayError, Player, camel, do
from kubeproof.systems.component_facts import pod_text
from kubeproof.systems.system import Facts
from model.evolve import evolve
from model.machine import Action, Machine
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.extender import filter_empty_when_allocated
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling_cycle.machine import SchedulingCycleMachine
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.world.events import PodEvent

# Bounds of the scope -> the fields of playedScope, a number or a truth value.
_NUMBERS = {
    "pods": "pods", "high": "high", "top": "top", "big": "big", "nodes": "nodes", "late_nodes": "lateNodes",
    "node_zones": "zones", "room": "room", "bound_at_start": "boundAtStart", "permit": "permit",
    "reserves": "reserves", "unknown_profile": "unknownProfile",
    "binder_extenders": "extenders",
}  # fmt: skip
# Bounds that are a field of this name, written as Go writes names.
_SWITCHES = frozenset(
    {
        "extender", "failures", "volumes", "preemption", "graceful", "blocked_deletes", "listeners", "ignorable",
        "anti_affinity",
    }
)  # fmt: skip
# Bounds that need nothing of the driver: how often somebody else acts, and how many goroutines the model has.
_OF_THE_RUN = frozenset(
    {
        "goroutines", "attempts", "updates", "finalizers", "labels", "deletes", "recreates", "resyncs", "relists",
        "node_deletes", "node_adds", "cordons", "lost_replies", "bind_errors", "other_binders", "extender_errors",
        "keep_snapshot", "node_grows", "node_not_found", "shrinks",
    }
)  # fmt: skip
_WHY_NOT = {
    "clock": "the run lets time pass, and the driver has no clock",
    "fine": "each hold of a lock is an action of its own, and goroutines do not stop there",
    "quota": "Go searches all nodes if there are fewer than 100",
}
ACTIONS = frozenset(
    {
        "create_pod", "recreate_pod", "delete_pod", "finish_termination", "update_annotations", "update_labels",
        "update_finalizers", "bind_elsewhere", "add_node", "delete_node", "cordon_node", "uncordon_node", "deliver_pod",
        "handle_assigned", "handle_unassigned", "deliver_node", "relist_pods", "resync_pod", "pop", "schedule",
        "assume", "post_filter", "permit", "listen", "wait_on_permit", "allow_waiting_pod", "requeue",
        "add_nominated_pod", "bind_by_extender", "bind", "bind_failed", "grow_node", "record_failure", "preempt",
        "set_nominated_node_name", "delete_victims", "get_pod", "add_unschedulable", "find_nodes", "assume_volumes",
        "bind_volumes", "reserve", "get_node", "remove_missing_node", "move_others_after_forget",
        "shrink_pod", "nominate_host", "pre_bind",
    }
)  # fmt: skip


def _begin(machine: Machine[Any], run: str, further: tuple[str, ...] = ()) -> list[str]:
    assert isinstance(machine, SchedulingMachine)
    scope = machine.scope
    fields = list(further)
    for name in type(scope).__attrs_attrs__:
        bound, value = name.name, getattr(scope, name.name)
        if not value or bound in _OF_THE_RUN:
            continue
        if bound in _NUMBERS:
            fields.append(f"{_NUMBERS[bound]}: {value}")
        elif bound in _SWITCHES:
            fields.append(f"{camel(bound)}: true")
        else:
            raise CannotPlayError(_WHY_NOT.get(bound, f"the driver has nothing for the bound {bound}"))
    if scope.extender and machine.rules.extender_filter is not filter_empty_when_allocated:
        raise CannotPlayError(
            "the driver's extender is that of NOM-EXT-LEAK: for a pod with its annotation no node fits"
        )
    if isinstance(machine, SchedulingCycleMachine):
        _no_plugin_that_is_missing(machine)
    if not machine.rules.binding_honours_uid():
        fields.append("bindsAnyUID: true")
    if machine.rules.clears_nomination_of_bound():
        fields.append("clearsNomination: true")
    return [f"k := newPlayedScheduler(t, playedScope{{{', '.join(fields)}}}, {run})"]


def _no_plugin_that_is_missing(machine: SchedulingCycleMachine) -> None:
    """Raises CannotPlayError if the run needs what only other halves of the driver have: of 1.16, 1.17, or 1.36."""
    scope = machine.scope
    if scope.reserves > 1:
        raise CannotPlayError("the driver has one plugin at Reserve")
    if machine.rules.error_func().own_goroutine:
        return
    if scope.reserves or scope.volumes:
        raise CannotPlayError("the driver has a plugin at Reserve, and volumes, only up to 1.17")
    if scope.failures and (scope.permit or not machine.rules.nominates_host()):
        raise CannotPlayError("from 1.18 on plugins of the driver fail only in 1.36, before the filters and at PreBind")


def _call(action: Action, before: Scheduling | None) -> str:
    if action.name not in ACTIONS:
        raise CannotPlayError(f"no goroutine stops at {action.name}")
    of = None if before is None else _object(action, before)
    return do(action, without=("by", "nth"), of=of or "")


def _object(action: Action, before: Scheduling) -> str:
    """The object that tells the acting goroutine from others of the same pod that stand at the same gate; or ""."""
    args = dict(action.args)
    there = before.bindings if args.get("by") == "binding" else before.retries if args.get("by") == "retry" else ()
    at = [each for each in there if (each.steps[0], each.pod.name) == (action.name, args["pod"])]
    # A popped pod has no node: the model's goroutine has the assumed object.
    objects = [pod_text(evolve(each.pod, node_name="")) for each in dict.fromkeys(at)]
    return objects[int(args.get("nth", 1)) - 1] if len(set(objects)) > 1 else ""


def _facts(state: Scheduling) -> Facts:
    """What the driver can see: fewer words than on the pages."""
    found: dict[str, str] = {}

    def say(subject: str, parts: Iterable[str]) -> None:
        if text := "; ".join(parts):
            found[subject] = text

    if state.crashed:
        found["scheduler"] = "its process has ended"
    found |= {f"API server: {pod.name}": pod_text(pod) for pod in state.pods if pod is not None}
    say("API server: nodes", (node.name for node in state.nodes if node is not None))
    events = [pod_event(event) for event in state.pod_watch]
    say("informers: on the way", [*events, *(f"{event.kind} {event.node.name}" for event in state.node_watch)])
    found |= {f"informers: {pod.name}": pod_text(pod) for pod in state.lister if pod is not None}
    for name, listener in (("assigned", state.assigned), ("unassigned", state.unassigned)):
        if listener.pending:
            found[f"handler of {name} pods"] = f"has to hear of {len(listener.pending)}"
    for name, infos in (("activeQ", state.queue.active), ("backoffQ", state.queue.backoff)):
        say(f"queue: {name}", queued(infos))
    say("queue: unschedulableQ", queued(state.queue.unschedulable))
    for node, pods in state.queue.nominator.nominated_pods:
        say(f"queue: nominated to {node or 'no name'}", (pod.uid for pod in pods))
    for each in state.cache.pod_states:
        found[f"cache: {each.pod.uid}"] = f"{'assumed, ' if each.assumed else ''}on {each.pod.node_name}"
    found |= {f"cache: node {info.name}": _node(info) for info in state.cache.nodes}
    if state.cycle is not None:
        to = f"to {state.cycle.node}, " if state.cycle.node and _failed(state.cycle) else ""
        found[f"scheduling cycle: {state.cycle.pod.name}"] = f"{to}next {state.cycle.steps[0]}"
    for kind, goroutines in (("binding goroutine", state.bindings), ("error func's goroutine", state.retries)):
        for name in {each.pod.name for each in goroutines}:
            # A pod may have two.
            say(f"{kind}: {name}", sorted(f"next {each.steps[0]}" for each in goroutines if each.pod.name == name))
    if isinstance(state, SchedulingCycle):
        for waiting in state.waiting_pods:
            found[f"waiting pods: {waiting.uid}"] = f"waits for {waiting.pending}, sent: {waiting.signal or ''}"
    return dict(found)


def _failed(goroutine: Goroutine) -> bool:
    return goroutine.steps[0] in ("requeue", "add_nominated_pod")


def pod_event(event: PodEvent) -> str:
    return f"{event.kind} {pod_text(event.pod)}{', final state unknown' if event.final_state_unknown else ''}"


def queued(infos: Iterable[QueuedPodInfo]) -> list[str]:
    return [pod_text(info.pod) for info in sorted(infos, key=lambda info: info.pod.uid)]


def _node(info: NodeInfo) -> str:
    return ", ".join(["a node" if info.node is not None else "no Node object", *sorted(pod.uid for pod in info.pods)])


_RELEASES = ("1.16.15", "1.17.17", "1.22.6", "1.27.16", "1.28.14", "1.31.13", "1.34.1", "1.36.2")
SCHEDULING = Player("scheduling", "scheduler", _begin, _call, _facts, _RELEASES)
SCHEDULING_CYCLE = Player("scheduling-cycle", "scheduler", _begin, _call, _facts, _RELEASES)
