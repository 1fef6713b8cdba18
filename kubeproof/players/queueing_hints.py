"""Runs of queueing-hints, played by the driver `scheduler` with the gate SchedulerQueueingHints on."""

from collections.abc import Iterable
from typing import Any

from kubeproof.players.player import CannotPlayError, Player, camel, do
from kubeproof.players.scheduling import pod_event, queued
from kubeproof.systems.component_facts import pod_text
from kubeproof.systems.system import Facts
from model.machine import Action, Machine
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES, SCHEDULING_GATES
from model.scheduler.queue.state import InFlightEvent, InFlightPod
from model.systems.queueing_hints.machine import QueueingHintsMachine
from model.systems.queueing_hints.records import QueueingHints

# Bounds of the scope that are fields of playedScope: how many, or whether there are any.
_NUMBERS = frozenset({"pods", "plugins"})
_SWITCHES = frozenset({"listeners", "graceful", "gates", "claims"})
# Bounds that need nothing of the driver.
_OF_THE_RUN = frozenset(
    {
        "goroutines", "stale_binds", "changes", "events", "uninteresting", "updates", "deletes", "recreates", "resyncs",
        "relists", "errors", "lost_replies", "bind_errors",
    }
)  # fmt: skip
_WHY_NOT = {
    "fine": "each hold of a lock is an action of its own, and goroutines do not stop there",
    "clock": "the run lets time pass, and the driver has no clock",
}
ACTIONS = frozenset(
    {
        "create_pod", "create_gated_pod", "take_off_gate", "recreate_pod", "update_annotations", "delete_pod",
        "finish_termination", "change_condition", "cluster_event", "change_claims", "uninteresting_event",
        "deliver_pod", "handle_assigned", "handle_unassigned", "resync_pod", "relist_pods", "pop", "schedule", "assume",
        "done_after_permit", "pre_bind", "bind", "binding_failed", "requeue", "patch_failure",
    }
)  # fmt: skip


def _begin(machine: Machine[Any], run: str, further: tuple[str, ...] = ()) -> list[str]:
    assert isinstance(machine, QueueingHintsMachine)
    if not machine.setup.gate:
        raise CannotPlayError("the gate SchedulerQueueingHints is off in the run")
    for bound, why in _WHY_NOT.items():
        if getattr(machine.scope, bound):
            raise CannotPlayError(why)
    # The one node has room for every pod: plugins of the driver reject pods.
    fields = ["hints: true", "nodes: 1", "room: 100", *further]
    scope, asked = machine.scope, machine.rules.pre_enqueue_order()
    if scope.gates and scope.claims and asked.index(DYNAMIC_RESOURCES) < asked.index(SCHEDULING_GATES):
        fields.append("claimsFirst: true")
    for name in type(scope).__attrs_attrs__:
        bound, value = name.name, getattr(scope, name.name)
        if not value or bound in _OF_THE_RUN or bound == "gate":
            continue
        if bound in _NUMBERS:
            fields.append(f"{bound}: {value}")
        elif bound in _SWITCHES:
            fields.append(f"{camel(bound)}: true")
        else:
            raise CannotPlayError(f"the driver has nothing for the bound {bound}")
    return [f"k := newPlayedScheduler(t, playedScope{{{', '.join(fields)}}}, {run})"]


def _call(action: Action, _: QueueingHints | None) -> str:
    if action.name not in ACTIONS:
        raise CannotPlayError(f"no goroutine stops at {action.name}")
    if action.name == "pre_bind" and "reply" in dict(action.args):
        raise CannotPlayError("a plugin at PreBind fails, and the driver has none")
    return do(action, without=("by",))


def _facts(state: QueueingHints) -> Facts:
    """What the driver can see: fewer words than on the pages."""
    found: dict[str, str] = {}

    def say(subject: str, parts: Iterable[str]) -> None:
        if text := "; ".join(parts):
            found[subject] = text

    if state.crashed:
        found["scheduler"] = "its process has ended"
    found |= {f"API server: {pod.name}": pod_text(pod) for pod in state.pods if pod is not None}
    say("informers: on the way", map(pod_event, state.pod_watch))
    found |= {f"informers: {pod.name}": pod_text(pod) for pod in state.lister if pod is not None}
    for name, listener in (("assigned", state.assigned), ("unassigned", state.unassigned)):
        if listener.pending:
            found[f"handler of {name} pods"] = f"has to hear of {len(listener.pending)}"
    say("queue: activeQ", queued(state.queue.active))
    say("queue: backoffQ", queued(state.queue.backoff))
    say("queue: unschedulableQ", queued(state.queue.unschedulable))
    say("queue: inFlightPods", sorted(pod.uid for pod in state.queue.in_flight_pods))
    say("queue: inFlightEvents", map(_element, state.queue.in_flight_events))
    for each in state.cache.pod_states:
        found[f"cache: {each.pod.uid}"] = f"{'assumed, ' if each.assumed else ''}on {each.pod.node_name}"
    if state.cycle is not None:
        found[f"scheduling cycle: {state.cycle.pod.name}"] = f"next {state.cycle.steps[0]}"
    for name in {each.pod.name for each in state.bindings}:
        # A pod may have several.
        steps = sorted(f"next {each.steps[0]}" for each in state.bindings if each.pod.name == name)
        say(f"binding goroutine: {name}", steps)
    return dict(found)


def _element(element: InFlightPod | InFlightEvent) -> str:
    if isinstance(element, InFlightPod):
        return element.uid
    # Which of a pod's two lists an event is about, each release says in another way.
    kind = element.event.resource
    return f"an event of a {'Pod' if kind.endswith('Pod') else kind}"


_RELEASES = ("1.28.14", "1.31.13", "1.34.1", "1.36.2")
QUEUEING_HINTS = Player("queueing-hints", "scheduler", _begin, _call, _facts, _RELEASES)
