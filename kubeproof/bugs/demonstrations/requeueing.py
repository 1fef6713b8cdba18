"""Changes that a pod is not told of: every run of the system requeueing, with two plugins at a time.

Each function explores all changes of a small cluster, however many, and shows the shortest run after which a pod waits
that every plugin would accept. A second exploration, without the rule in question, says whether this rule is to blame.
"""

from typing import Any

from attrs import evolve, frozen

from kubeproof.bugs.component import Demonstration, Under
from kubeproof.engines.explicit import check
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import Step, Trace
from model.scheduler import filters, told_rules
from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import (
    NODE_AFFINITY,
    TAINT_TOLERATION,
    every_event,
)
from model.scheduler.hint_objects import HintedNode
from model.scheduler.node_handlers import without_pre_check
from model.scheduler.node_plugin_events import every_event_with_gate
from model.scheduler.queue.events import always_worth_requeuing
from model.scheduler.queue.move import POD_TOPOLOGY_SPREAD
from model.systems.requeueing import RequeueingMachine, RequeueingRules, RequeueingScope
from model.systems.requeueing.records import Requeueing
from model.systems.requeueing.rules import BaseRules, HintRules
from model.which_rule import Rule, is_one_of
from properties.requeueing import no_event_lost


@frozen
class Rejection:
    """A plugin that rejects the pod, in the scope in which a run is looked for."""

    plugin: str
    scope: RequeueingScope


_NODES = {"joins": 1, "changes": 1}


def _rejection(plugin: str, *others: str, **bounds: int) -> Rejection:
    return Rejection(plugin, RequeueingScope(plugins=frozenset({plugin, *others}), **bounds))


# What was found, with the rules that the search looked up: other rules make no difference.
_FOUND: dict[tuple[Rejection, bool], list[tuple[dict[str, Any], Trace | None]]] = {}


def lost(under: Under, rejection: Rejection, gate: bool) -> Trace | None:
    """The shortest run after which a pod that the plugin rejected waits though it fits; None if there is none.

    With `gate` of a release that has the gate SchedulerQueueingHints only.
    """
    alone = Under(under.release, under.changed)
    rules, found = _rules(alone), _FOUND.setdefault((rejection, gate), [])
    own = rules.of_fields()
    for looked_up, trace in found:
        if all(own.get(field) is rule for field, rule in looked_up.items()):
            under.looked_up.update(looked_up)
            return trace
    (result,) = check(
        RequeueingMachine(evolve(rejection.scope, gate=int(gate)), rules), [no_event_lost(rejection.plugin)]
    )
    assert result.outcome in (Outcome.HOLDS, Outcome.VIOLATED), result.reason
    found.append(({field: own[field] for field in alone.looked_up}, result.trace))
    under.looked_up.update(alone.looked_up)
    return result.trace


def _rules(under: Under) -> RequeueingRules:
    return RequeueingRules(under.rules(BaseRules), under.rules(HintRules) if under.has(HintRules) else None)


def _lost_by_rules(under: Under, *asked: tuple[Rejection, dict[str, Rule]]) -> Demonstration:
    """The runs with the release's default of the gate in which the pod is lost, if the rules beside cure that."""
    # Up to 1.20.
    if is_one_of(under.rules(BaseRules).worth_requeuing, (always_worth_requeuing,)):
        return Demonstration((), ("In this release every event moves every pod.",))
    gate = under.has(HintRules) and under.rules(HintRules).queueing_hints_default()
    found = []
    for rejection, changed in asked:
        run = lost(under, rejection, gate)
        cured = run is not None and lost(under.but(**changed), rejection, gate) is None
        found.append((rejection.plugin, run if cured else None))
    return _told(found)


# --- QH-PLUGIN-HINT-MISS ------------------------------------------------------------------------------------------

# Each plugin, with another one that keeps the pod from a node for a while: where some release loses a pod.
LOST_SOMEWHERE = (
    _rejection(NODE_AFFINITY, TAINT_TOLERATION, **_NODES),
    _rejection(NODE_UNSCHEDULABLE, TAINT_TOLERATION, **_NODES),
    _rejection(NODE_UNSCHEDULABLE, nodes=1, own_tolerations=1),
    _rejection(TAINT_TOLERATION, NODE_RESOURCES_FIT, **_NODES),
    _rejection(POD_TOPOLOGY_SPREAD, NODE_UNSCHEDULABLE, assigned=1, changes=1),
    _rejection(POD_TOPOLOGY_SPREAD, NODE_UNSCHEDULABLE, assigned=1, own_labels=1),
    # Another pod's anti-affinity rejects the pod.
    _rejection(INTER_POD_AFFINITY, assigned=1, joins=1),
    _rejection(INTER_POD_AFFINITY, assigned=1, assigned_changes=1),
    _rejection(INTER_POD_AFFINITY, assigned=1, own_labels=1),
    # The pod's affinity to pods like itself, and the pod's anti-affinity.
    _rejection(INTER_POD_AFFINITY, NODE_UNSCHEDULABLE, assigned=1, terms=2, assigned_changes=1),
    _rejection(INTER_POD_AFFINITY, assigned=1, terms=3, joins=1),
    # The domains of nodes, for both anti-affinities.
    _rejection(INTER_POD_AFFINITY, assigned=1, changes=1),
    _rejection(INTER_POD_AFFINITY, assigned=1, terms=3, changes=1),
)


def missed_by_hint(under: Under, rejection: Rejection) -> Trace | None:
    """The shortest run in which the pod is lost with the gate on, if with the gate off none is."""
    run = lost(under, rejection, True) if under.has(HintRules) else None
    return run if run is not None and lost(under, rejection, False) is None else None


def hint_misses(under: Under) -> Demonstration:
    """Which plugins do not hear with the gate on of what they hear of with the gate off."""
    if not under.has(HintRules):
        return Demonstration((), ("This release has no hint functions.",))
    return _told([(rejection.plugin, missed_by_hint(under, rejection)) for rejection in LOST_SOMEWHERE])


# --- QUEUE-EVENT-REG ----------------------------------------------------------------------------------------------

REGISTERED = (
    (_rejection(NODE_RESOURCES_FIT, TAINT_TOLERATION, **_NODES), {"fit_events": every_event}),
    (_rejection(NODE_AFFINITY, TAINT_TOLERATION, **_NODES), {"affinity_events": every_event_with_gate}),
    (_rejection(TAINT_TOLERATION, NODE_RESOURCES_FIT, **_NODES), {"taint_events": every_event_with_gate}),
)


def waits_for_too_little(under: Under) -> Demonstration:
    """Which plugins wait for too few events of nodes."""
    return _lost_by_rules(under, *REGISTERED)


# --- QUEUE-NODE-DELETE-EVENT, QUEUE-NODE-DELETE-EARLY -------------------------------------------------------------

_GOES = {"assigned": 1, "removals": 1}
GONE = _rejection(POD_TOPOLOGY_SPREAD, NODE_UNSCHEDULABLE, **_GOES)
GONE_FINE = _rejection(POD_TOPOLOGY_SPREAD, NODE_UNSCHEDULABLE, fine=1, **_GOES)


# The cache forgets the node first, and the event follows.
_CACHE_FIRST = {"node_deleted": told_rules.cache_before_queue}


def node_goes(under: Under) -> Demonstration:
    """A node goes, and with it the domain that had too few pods."""
    return _lost_by_rules(under, (GONE, _CACHE_FIRST))


def node_goes_while_tried(under: Under) -> Demonstration:
    """The same, and the pod may be tried between the event and the removal from the cache."""
    if node_goes(under).appears:
        return _told([])
    return _lost_by_rules(under, (GONE_FINE, _CACHE_FIRST))


# --- QUEUE-PREFILTER-RESULT ---------------------------------------------------------------------------------------

BY_NAME = _rejection(POD_TOPOLOGY_SPREAD, NODE_RESOURCES_FIT, NODE_AFFINITY, by_name=1, changes=1)


def left_out_by_name(under: Under) -> Demonstration:
    """A pod asks for a node by name, and nobody says that NodeAffinity left the other node out."""
    return _lost_by_rules(under, (BY_NAME, {"narrowed_by_name": filters.by_registered_pre_filter_result}))


# --- QUEUE-ROOM-MISS ----------------------------------------------------------------------------------------------

# One node that changes, and a pod on the node that goes.
_ROOM = {"nodes": 1, "assigned": 1, "changes": 1, "assigned_changes": 1}
FULL = tuple(
    _rejection(plugin, NODE_RESOURCES_FIT, **_ROOM) for plugin in (NODE_UNSCHEDULABLE, TAINT_TOLERATION, NODE_AFFINITY)
)


def room_comes_later(under: Under) -> Demonstration:
    """A full node begins to suit the plugin that rejected the pod, and then there is room on the node."""
    return _lost_by_rules(under, *((rejection, {"pre_check": without_pre_check}) for rejection in FULL))


# --- in words -----------------------------------------------------------------------------------------------------


def _told(found: list[tuple[str, Trace | None]]) -> Demonstration:
    """The plugins with a run, and these runs in words."""
    runs = [(plugin, run) for plugin, run in found if run is not None]
    lines = [f"{plugin}: {line}" if len(found) > 1 else line for plugin, run in runs for line in told(run)]
    shown = dict.fromkeys(f"a pod that {plugin} rejected waits" for plugin, _ in runs)
    return Demonstration(tuple(shown), tuple(lines) or ("The pod is told of every change that makes it fit.",))


def told(run: Trace) -> list[str]:
    """The run, a line for each step."""
    lines = [f"at first {_cluster(run.steps[0].state)}"]
    lines += [_sentence(before.state, after) for before, after in zip(run.steps, run.steps[1:], strict=False)]
    return [*lines, f"now the pod fits, and waits in unschedulablePods: {_cluster(run.last)}"]


def _sentence(before: Requeueing, step: Step) -> str:
    action, after = step.action, step.state
    assert action is not None
    args = dict(action.args)
    node = next((each for each in after.nodes if each is not None and each.name == args.get("node")), None)
    match action.name:
        case "attempt":
            plugins = after.queue.unschedulable[0].unschedulable_plugins
            return f"the pod is tried; rejected by {' and '.join(sorted(plugins))}"
        case "handle_node":
            event = before.handler[0].event
            return "the cache forgets the node" if event is None else f"the queue hears {event.label}"
        case "add_node":
            return f"{args['node']} joins ({_node(after, node)}): {_heard(after)}"
        case "change_node":
            return f"{args['node']} changes to ({_node(after, node)}): {_heard(after)}"
        case "remove_node":
            return f"{args['node']} goes: {_heard(after)}"
        case "bind_pod":
            return f"{args['pod']} is bound to {args['node']}: {_heard(after)}"
        case "label_pod":
            return f"the labels of {args['pod']} change: {_heard(after)}"
        case "remove_pod":
            return f"{args['pod']} goes: {_heard(after)}"
        case "tolerate":
            return f"the pod gets a toleration of {args['key']}: {_heard(after)}"
    return f"the labels of the pod itself change: {_heard(after)}"


def _heard(after: Requeueing) -> str:
    if after.handler:
        return "nobody has heard of it yet"
    return "the pod is to be tried" if after.queue.active else "no event moves the pod"


def _cluster(state: Requeueing) -> str:
    nodes = [f"{node.name} ({_node(state, node)})" for node in state.nodes if node is not None]
    return ", ".join(nodes) or "no node"


def _node(state: Requeueing, node: HintedNode | None) -> str:
    assert node is not None
    bound = [pod.name for pod in state.assigned if pod is not None and pod.node_name == node.name]
    marks = [
        *([f"CPU {node.cpu_milli}"] if state.pod.cpu_milli else []),
        *(f"{key} {value}" for key, value in node.labels),
        *([f"taint {node.taint}"] if node.taint else []),
        *(["cordoned"] if node.unschedulable else []),
        *(f"with {name}" for name in bound),
    ]
    return ", ".join(marks) or "nothing special"
