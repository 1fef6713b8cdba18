"""What users, controllers and the cluster do: pods come, change and go; conditions change; events come.

An event is a step of the node handler's goroutine, which has changed the cache before. Nobody sees a condition but
through the cache, so the change of the condition and its event are one step.
"""

from collections.abc import Iterator
from functools import partial, reduce

from model.evolve import evolve
from model.machine import Action, Offer
from model.objects import Pod
from model.places import always
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.events import PV_ADD, RESOURCE_CLAIM_ADD, with_objects
from model.scheduler.queue.rules import PreEnqueueCheck
from model.systems.queueing_hints.plugins import APP, PENDING, PLUGINS, TAINT, UNREADABLE, passes_pre_check
from model.systems.queueing_hints.records import QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.queueing_hints.scope import QueueingHintsScope
from model.world.api_server import CPU, create_pod, delete_pod, place, pod_name, remove_pod, write_pod
from model.world.calls_in import with_queue
from model.world.go_files import HANDLERS_GO, QUEUE_GO, at, via
from model.world.state import left, used
from model.world.step import Step
from model.world.times import NOW, later, stored

_MOVE = via(at(HANDLERS_GO, "updateNodeInCache"), at(QUEUE_GO, "MoveAllToActiveOrBackoffQueue"))
_CLAIM_MOVE = via(at(HANDLERS_GO, "addAllEventHandlers"), at(QUEUE_GO, "MoveAllToActiveOrBackoffQueue"))
_LOCK = "PriorityQueue.lock"
# The power by which the hint functions of the plugins answer an error of the event.
_ERROR = {"error": "hint_errors"}
STEPS = (
    Step(name="create_pod", place=always("a user")),
    Step(name="create_gated_pod", place=always("a user"), power=("gates",)),
    Step(name="create_asking_pod", place=always("a user"), power=("assigned",)),
    Step(name="add_toleration", place=always("a user or controller"), power=("tolerations",)),
    Step(name="take_off_gate", place=always("a controller"), power=("gates",)),
    Step(name="recreate_pod", place=always("a controller"), power=("recreates",)),
    Step(name="update_annotations", place=always("a user or controller"), power=("updates",)),
    Step(name="delete_pod", place=always("a user"), power=("deletes",)),
    Step(
        name="finish_termination",
        place=always("a controller or the kubelet"),
        power=("graceful",),
        needs=lambda scope: scope.deletes,
    ),
    Step(
        name="change_condition",
        place=_MOVE,
        lock=_LOCK,
        power_of_choice=_ERROR,
        power=("changes",),
        needs=lambda scope: scope.plugins,
    ),
    Step(
        name="cluster_event",
        place=_MOVE,
        lock=_LOCK,
        power_of_choice=_ERROR,
        power=("events",),
        needs=lambda scope: scope.plugins,
    ),
    Step(name="change_claims", place=_CLAIM_MOVE, lock=_LOCK, power=("claims",)),
    Step(name="change_allocation", place=_CLAIM_MOVE, lock=_LOCK, power=("pending",)),
    Step(name="uninteresting_event", place=_MOVE, lock=_LOCK, power=("uninteresting",)),
)
# The name of the one scheduling gate.
GATE = "example.com/gate"
# How often an event is allowed: the scope's bound for each action. First the events that a plugin of PLUGINS waits for.
_OF_PLUGIN = {"change_condition": "changes", "cluster_event": "events"}
_OTHER_EVENTS = {"change_allocation": "pending", "change_claims": "claims", "uninteresting_event": "uninteresting"}
EVENTS = _OF_PLUGIN | _OTHER_EVENTS
# The updates of a pod, and how often each is allowed; "": as often as pods are created with a gate.
_UPDATES = {"add_toleration": "tolerations", "take_off_gate": "", "update_annotations": "updates"}


def offers(setup: HintsSetup) -> tuple[Offer[QueueingHints], ...]:
    """Every request that somebody may make, pod by pod, then every event that may come."""
    scope = setup.scope
    found: list[Offer[QueueingHints]] = [partial(_of_pod, scope, at_) for at_ in range(scope.pods)]
    if scope.changes or scope.events:
        found += [partial(_of_plugin, setup, plugin) for plugin, _ in PLUGINS[: scope.plugins]]
    for name, power in _OTHER_EVENTS.items():
        if getattr(scope, power):
            found.append(partial(_other_event, scope, name, power))
    return tuple(found)


def _of_pod(scope: QueueingHintsScope, at_: int, state: QueueingHints) -> Iterator[Action]:
    """The requests about the pod in this place."""
    pod, name = state.pods[at_], pod_name(at_)
    if pod is None:
        if not state.incarnations[at_]:
            yield Action.of("create_pod", pod=name)
            if scope.assigned:
                yield Action.of("create_asking_pod", pod=name)
            if left(state, "gates", scope.gates):
                yield Action.of("create_gated_pod", pod=name)
        elif left(state, "recreates", scope.recreates):
            yield Action.of("recreate_pod", pod=name)
        return
    if pod.terminating:
        yield Action.of("finish_termination", pod=name)
        return
    if pod.scheduling_gates:
        yield Action.of("take_off_gate", pod=name)
    if not pod.toleration and left(state, "tolerations", scope.tolerations):
        yield Action.of("add_toleration", pod=name)
    if left(state, "updates", scope.updates):
        yield Action.of("update_annotations", pod=name)
    if left(state, "deletes", scope.deletes):
        yield Action.of("delete_pod", pod=name)


def _of_plugin(setup: HintsSetup, plugin: str, state: QueueingHints) -> Iterator[Action]:
    """The events that the plugin waits for. The hint functions may answer an error of each."""
    scope = setup.scope
    names = [name for name, power in _OF_PLUGIN.items() if left(state, power, getattr(scope, power))]
    if not names:
        return
    read: tuple[dict[str, str], ...] = ({},)
    if setup.gate and left(state, "hint_errors", scope.hint_errors) and setup.rules.hint_functions_answer_errors():
        read = ({}, {"hint": "error"})
    for how in read:
        for name in names:
            yield Action.of(name, plugin=plugin, **how)


def _other_event(scope: QueueingHintsScope, name: str, power: str, state: QueueingHints) -> Iterator[Action]:
    if left(state, power, getattr(scope, power)):
        yield Action(name)


def act(setup: HintsSetup, state: QueueingHints, action: Action) -> QueueingHints:
    """The state after a request or an event."""
    if action.name in EVENTS:
        return _event(setup, used(state, EVENTS[action.name]), action)
    at_, turned = place(action["pod"]), setup.scope.turned
    pod = state.pods[at_]
    match action.name:
        case "create_pod":
            return create_pod(state, at_, 0, CPU, turned=turned)
        case "create_asking_pod":
            return create_pod(state, at_, 0, CPU, affinity_app=APP, turned=turned)
        case "create_gated_pod":
            return used(create_pod(state, at_, 0, CPU, (GATE,), turned=turned), "gates")
        case "recreate_pod":
            return used(create_pod(state, at_, 0, CPU, turned=turned), "recreates")
    assert pod is not None
    match action.name:
        case "finish_termination":
            return remove_pod(state, at_)
        case "delete_pod":
            if setup.scope.graceful:
                return used(write_pod(state, evolve(pod, terminating=True)), "deletes")
            return used(delete_pod(state, pod, graceful=False).state, "deletes")
    new = reduce(_updated, _UPDATES if setup.scope.together else (action.name,), pod)
    power = _UPDATES[action.name]
    return used(write_pod(state, new), power) if power else write_pod(state, new)


def _updated(pod: Pod, name: str) -> Pod:
    """A new version of the pod."""
    if name == "add_toleration":
        return evolve(pod, toleration=TAINT)
    if name == "take_off_gate":
        return evolve(pod, scheduling_gates=())
    times = int(dict(pod.annotations).get("note", "0")) + 1
    return evolve(pod, annotations=(("note", str(times)),))


def _event(setup: HintsSetup, state: QueueingHints, action: Action) -> QueueingHints:
    """The event comes to the queue (`MoveAllToActiveOrBackoffQueue`)."""
    event = PV_ADD
    match action.name:
        case "change_condition" | "cluster_event":
            event = dict(PLUGINS)[action["plugin"]]
        case "change_claims":
            state = with_queue(state, evolve(state.queue, lacks_claims=not state.queue.lacks_claims))
            if state.queue.lacks_claims:
                # No plugin waits for claims that go, so the scheduler has no handler for them.
                return state
            event = RESOURCE_CLAIM_ADD
        case "change_allocation":
            state, event = evolve(state, unallocated=not state.unallocated), PENDING[1]
    if action.name == "change_condition":
        changed = [plugin for plugin, _ in PLUGINS].index(action["plugin"])
        state = evolve(state, conditions=state.conditions.put(changed, not state.conditions[changed]))
    if "hint" in dict(action.args):
        state, event = used(state, "hint_errors"), with_objects(event, None, UNREADABLE)
    state = later(setup, state)
    move = queue_functions.move_all_to_active_or_backoff_queue
    return stored(setup, state, move(setup.queue, state.queue, NOW, event, _pre_check(setup, state, action)))


def _pre_check(setup: HintsSetup, state: QueueingHints, action: Action) -> PreEnqueueCheck | None:
    """The check that an event of the node comes with, None for no check."""
    if action.name not in ("change_condition", "cluster_event") or not setup.checks_nodes:
        return None
    return lambda pod: passes_pre_check(state, pod)
