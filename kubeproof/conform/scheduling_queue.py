"""Plays recordings of `scheduling_queue` (Go: scheduling_queue.go) on `model.scheduler.queue`."""

from collections.abc import Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

import attrs

from kubeproof.conform.operations import Bare, NotCovered
from kubeproof.conform.queue_records import Records
from kubeproof.conform.recorded_rules import rules_for
from model import releases
from model.evolve import evolve
from model.gates import HINTS, POP_FROM_BACKOFF_Q
from model.go.errors import GoError
from model.objects import Pairs, Pod
from model.releases import Release, has_rules
from model.scheduler.queue import events as queue_events, scheduling_queue as queue
from model.scheduler.queue.backoff import (
    back_off_pod_kept_for_max,
    back_off_pod_kept_for_twice_max,
    backoff_time_in_window,
    no_back_off_pod,
)
from model.scheduler.queue.events import ClusterEvent, HintFunction, Registration
from model.scheduler.queue.in_flight import note_event_counting_pods, note_event_in_list
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.pop import (
    pop_clearing_plugins,
    pop_counting_attempts,
    pop_keeping_failures,
    pop_pod_only,
)
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import InFlightEvent, InFlightPod, Queue, QueueConfig, QueuedPodInfo
from model.which_rule import is_one_of
from properties.forms import Forms

# Whether recordings show what the queue kept of a popped pod: its attempts, and the plugins that rejected it.
KEEPS_RECORD = Forms(
    "popped_record",
    {pop_pod_only: False} | dict.fromkeys((pop_counting_attempts, pop_clearing_plugins, pop_keeping_failures), True),
)
# The name under which recordings show what the queue keeps of events, and whether with what each event counts.
EVENTS_SHOWN = Forms(
    "note_event",
    {note_event_counting_pods: ("received_events", True), note_event_in_list: ("in_flight_events", False)},
)
# Whether a failed pod comes with the plugins that rejected it: since the queue itself counts the backoff.
NAMES_PLUGINS = Forms(
    "back_off_pod",
    {no_back_off_pod: True, back_off_pod_kept_for_max: False, back_off_pod_kept_for_twice_max: False},
)

_NODE = ClusterEvent(
    "Node",
    queue_events.ADD
    | queue_events.UPDATE_NODE_TAINT
    | queue_events.UPDATE_NODE_LABEL
    | queue_events.UPDATE_NODE_ALLOCATABLE,
)
_NODE_UPDATE = ClusterEvent("Node", queue_events.UPDATE_NODE_TAINT | queue_events.UPDATE_NODE_LABEL)
_POD = ClusterEvent("Pod", queue_events.ADD | queue_events.UPDATE | queue_events.DELETE)
_POD_UPDATE = ClusterEvent("Pod", queue_events.UPDATE)

_QUEUE, _SKIP = queue_events.queue_after_backoff, queue_events.queue_skip

# The hint functions that the recorder registered, and what they answered in 1.28.
_HINTS: tuple[tuple[str, ClusterEvent, HintFunction], ...] = (
    ("AlwaysQueue", _NODE, _QUEUE),
    ("AlwaysQueue", _POD, _QUEUE),
    ("AlwaysSkip", _NODE, _SKIP),
    ("AlwaysSkip", _POD, _SKIP),
    ("AlwaysImmediate", _NODE, queue_events.queue_immediately),
    ("AlwaysImmediate", _POD, queue_events.queue_immediately),
    ("OnNodeAdd", queue_events.NODE_ADD, _QUEUE),
    ("OnPodDelete", queue_events.ASSIGNED_POD_DELETE, _QUEUE),
    ("OnNodeUpdate", _NODE_UPDATE, _QUEUE),
    ("OnPodUpdate", _POD_UPDATE, _QUEUE),
)
_EVENTS = {
    event.label: event
    for event in (
        queue_events.NODE_ADD,
        queue_events.NODE_TAINT_CHANGE,
        queue_events.NODE_ALLOCATABLE_CHANGE,
        queue_events.NODE_LABEL_CHANGE,
        queue_events.ASSIGNED_POD_DELETE,
        queue_events.ASSIGNED_POD_UPDATE,
        queue_events.PV_ADD,
        queue_events.UNSCHEDULABLE_TIMEOUT,
    )
}
# The same from 1.32 on, where a label is made of resource and action.
_EVENTS_1_32 = {
    **_EVENTS,
    "NodeTaintChange": ClusterEvent("Node", queue_events.UPDATE_NODE_TAINT, "NodeUpdateNodeTaint"),
    "NodeAllocatableChange": ClusterEvent("Node", queue_events.UPDATE_NODE_ALLOCATABLE, "NodeUpdateNodeAllocatable"),
    "NodeLabelChange": ClusterEvent("Node", queue_events.UPDATE_NODE_LABEL, "NodeUpdateNodeLabel"),
    "AssignedPodDelete": ClusterEvent("AssignedPod", queue_events.DELETE, "AssignedPodDelete"),
    "AssignedPodUpdate": ClusterEvent("AssignedPod", queue_events.UPDATE, "AssignedPodUpdate"),
    "PvAdd": ClusterEvent("PersistentVolume", queue_events.ADD, "PersistentVolumeAdd"),
}
_ASSIGNED_POD_LABEL = ClusterEvent("AssignedPod", queue_events.UPDATE_POD_LABEL, "AssignedPodUpdatePodLabel")


def _fails(pod: object, old: object, new: object) -> GoError:
    return GoError("the hint function fails")


# More of them in 1.31: an error counts as Queue.
_HINTS_1_31: tuple[tuple[str, ClusterEvent, HintFunction], ...] = (
    ("ErrorHint", _NODE, _fails),
    ("ErrorHint", _POD, _fails),
    ("OnPodLabel", queue_events.POD_LABEL_CHANGE, _QUEUE),
)
# Releases without hint functions: what a plugin would answer says nothing, what it waits for does.
_ERROR_HINT: tuple[tuple[str, ClusterEvent, HintFunction], ...] = (
    ("ErrorHint", _NODE, _SKIP),
    ("ErrorHint", _POD, _SKIP),
)


def _setup(release: Release, queueing_hints: bool | None, pop_from_backoff: bool | None) -> QueueSetup:
    hints = _HINTS + (_HINTS_1_31 if release.minor >= 31 else _ERROR_HINT)
    config = QueueConfig(cluster_event_map=tuple(Registration(*hint) for hint in hints))
    rules, nominator_rules = rules_for(QueueRules, release), rules_for(NominatorRules, release)
    if not has_rules(QueueingHintRules, release):
        if queueing_hints:
            raise NotCovered(f"no gate {HINTS.name} before {HINTS.since}")
        return QueueSetup(rules, nominator_rules, config)
    hint_rules = rules_for(QueueingHintRules, release)
    on = hint_rules.queueing_hints_default()
    if queueing_hints is not None:
        if HINTS.is_locked(release) and queueing_hints != on:
            raise NotCovered(f"the gate {HINTS.name} is locked in {release}")
        on = queueing_hints
    pops = hint_rules.pop_from_backoff_q()
    if pop_from_backoff is not None:
        if pop_from_backoff and not pops:
            raise NotCovered(f"no gate {POP_FROM_BACKOFF_Q.name} in {release}")
        pops = pop_from_backoff
    return QueueSetup(rules, nominator_rules, config, hint_rules, on, pop_from_backoff=pops)


class Config(TypedDict):
    # The gate SchedulerQueueingHints; without an entry it is as the release has it by default.
    queueing_hints: NotRequired[bool]
    # The gate SchedulerPopFromBackoffQ, in the same way; 1.33 on.
    pop_from_backoff_q: NotRequired[bool]


class RecordedPod(TypedDict):
    uid: str
    priority: NotRequired[int]
    cpu_milli: NotRequired[int]
    node: NotRequired[str]
    nominated: NotRequired[str]
    labels: NotRequired[dict[str, str]]
    annotations: NotRequired[dict[str, str]]
    affinity_app: NotRequired[str]
    toleration: NotRequired[str]
    condition: NotRequired[str]
    resource_version: NotRequired[int]


class OfPod(TypedDict):
    pod: RecordedPod


class Update(TypedDict):
    old: RecordedPod
    new: RecordedPod


class AddUnschedulable(OfPod):
    cycle: int
    # The uid under which the pod was popped, if this is another one.
    record: NotRequired[str]
    # A copy of the record was passed.
    repeat: NotRequired[bool]
    unschedulable_plugins: NotRequired[list[str]]
    pending_plugins: NotRequired[list[str]]


class MoveAll(TypedDict):
    event: str


class Advance(TypedDict):
    ms: int


class OfNode(TypedDict):
    node: str


class Nominate(OfPod):
    node: str


_OF_POD = ("add", "add_if_not_present", "delete", "assigned_pod_added", "delete_nominated", "activate", "done")


class SchedulingQueuePlayer:
    """One case: a queue that starts empty at 0 ms, and the pod lister and popped records of the recorder."""

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        **dict.fromkeys(_OF_POD, OfPod),
        **dict.fromkeys(("update", "assigned_pod_updated"), Update),
        **dict.fromkeys(("pop", "flush_backoff", "flush_unschedulable"), Bare),
        "add_unschedulable": AddUnschedulable,
        "move_all": MoveAll,
        "advance": Advance,
        "nominate": Nominate,
        "nominated_pods_for_node": OfNode,
    }

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._release = release
        setup = _setup(release, config.get("queueing_hints"), config.get("pop_from_backoff_q"))
        self._records = Records(setup.rules.backoff_time)
        # By the release, whatever rule is in the place of its own.
        self._keeps_ends = is_one_of(releases.rules_for(QueueRules, release).backoff_time, (backoff_time_in_window,))
        keeping = attrs.evolve(setup.rules, backoff_time=self._records.kept_end) if self._keeps_ends else setup.rules
        self._setup = evolve(setup, rules=keeping)
        # With the gate off nobody asks of a pod that is handed back whether it still backs off.
        self._setup_to_hand_back = setup if setup.hints is None else self._setup
        self._events = _EVENTS_1_32 if release.minor >= 32 else _EVENTS
        self._queue = Queue()
        self._now = 0
        self._listed: dict[str, Pod] = {}

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        self._now += 1
        error: str | None = None
        seen: dict[str, Any] = {}
        setup, state, now, lister = self._setup, self._queue, self._now, self._listed.get
        match op["op"]:
            case "add":
                state = queue.add(setup, state, self._list(op["pod"]), now, lister)
            case "add_if_not_present":
                state = queue.add_if_not_present(setup, state, self._list(op["pod"]), now, lister)
            case "pop":
                state, seen = self._pop(state)
            case "add_unschedulable":
                failed, setup = self._failed(op), self._setup_to_hand_back
                if KEEPS_RECORD.of(setup.rules) and not queue.sub_queue_of(state, failed.pod.name):
                    counted = setup.rules.count_failure(failed)
                    self._records.hand_back(self._record(op), counted, bool(op.get("repeat")))
                error, state = queue.add_unschedulable_if_not_present(setup, state, failed, op["cycle"], now, lister)
            case "update":
                old, new = _pod(op["old"]), self._list(op["new"])
                state = queue.update(setup, state, old, new, now, lister)
            case "delete":
                pod = _pod(op["pod"])
                self._listed.pop(pod.name, None)
                state = queue.delete(setup, state, pod)
            case "assigned_pod_added":
                state = queue.assigned_pod_added(setup, state, self._list(op["pod"]), now)
            case "assigned_pod_updated":
                state = queue.assigned_pod_updated(setup, state, self._list(op["new"]), self._update_event, now)
            case "move_all":
                state = queue.move_all_to_active_or_backoff_queue(setup, state, now, self._events[op["event"]])
            case "advance":
                self._now += int(op["ms"])
            case "flush_backoff":
                state = queue.flush_backoff_q_completed(setup, state, now)
            case "flush_unschedulable":
                state = queue.flush_unschedulable_q_leftover(setup, state, now)
            case "nominate":
                state = queue.add_nominated_pod(setup, state, _pod(op["pod"]), op["node"], lister)
            case "delete_nominated":
                state = queue.delete_nominated_pod_if_exists(setup, state, _pod(op["pod"]))
            case "nominated_pods_for_node":
                pods = queue.nominated_pods_for_node(setup, state, op["node"])
                seen = {"result": [pod.uid for pod in pods]}
            case "activate":
                state = queue.activate(setup, state, _pod(op["pod"]), lister)
            case "done":
                state = queue.done(setup, state, _pod(op["pod"]).uid)
            case unknown:
                raise ValueError(f"'{unknown}'")
        self._queue = state
        if self._keeps_ends:
            self._compare_ends(state)
        return {"error": error, "now": self._now, **seen, **self._observed(state)}

    @property
    def _errors_apart(self) -> bool:
        """Whether there is a second queue for pods that back off after an error, which Pop leaves alone."""
        return self._setup.hint_rules is not None and self._setup.hint_rules.pop_from_backoff_q()

    @property
    def may_pop(self) -> bool:
        """Whether Pop finds a pod, if only to discard it."""
        return queue.head(self._setup, self._queue) is not None

    def _pop(self, state: Queue) -> tuple[Queue, dict[str, Any]]:
        setup, waiting = self._setup, self.may_pop
        state = queue.discard_before_pop(setup, state)
        if not queue.heads(setup, state):
            if not waiting:
                raise ValueError("pop of an empty queue")
            return state, {"popped": None, "blocked": True}
        info, state = queue.pop(setup, state)
        self._records.pop(info)
        seen: dict[str, Any] = {"popped": info.pod.uid}
        if KEEPS_RECORD.of(setup.rules):
            seen["attempts"] = info.attempts
        return state, seen

    @property
    def _update_event(self) -> ClusterEvent:
        """The event that the recorder handed to AssignedPodUpdated; up to 1.30 the queue makes the event itself."""
        if self._release.minor >= 32:
            return _ASSIGNED_POD_LABEL
        return queue_events.POD_LABEL_CHANGE if self._release.minor >= 31 else queue_events.ASSIGNED_POD_UPDATE

    def _list(self, recorded: dict[str, Any]) -> Pod:
        """The pod of an informer's event, which the lister knows before the queue hears of it."""
        pod = _pod(recorded)
        self._listed[pod.name] = pod
        return pod

    def _failed(self, op: dict[str, Any]) -> QueuedPodInfo:
        pod = _pod(op["pod"])
        if not KEEPS_RECORD.of(self._setup.rules):
            return QueuedPodInfo(pod)
        info = evolve(self._records.popped(self._record(op)), pod=pod)
        if NAMES_PLUGINS.of(self._setup.rules):
            info = evolve(
                info,
                unschedulable_plugins=frozenset(op.get("unschedulable_plugins", ())),
                pending_plugins=frozenset(op.get("pending_plugins", ())),
            )
        return info

    def _record(self, op: dict[str, Any]) -> str:
        """The uid under which the record was popped that `op` hands back."""
        return str(op.get("record", op["pod"]["uid"]))

    def _compare_ends(self, state: Queue) -> None:
        """The heaps of pods that back off compare the ends of all their pods, if there are several."""
        for rejected in (True, False):
            heap = [info for info in state.backoff if info.rejected is rejected]
            for info in heap if len(heap) > 1 else ():
                self._setup.rules.backoff_time(self._setup, state, info)

    def _observed(self, state: Queue) -> dict[str, Any]:
        setup = self._setup
        ends = [(self._records.end(setup, state, info), info) for info in state.backoff]
        # Pods of one end are in the order in which Pop would take them, where Pop takes pods from there.
        by_name = not self._errors_apart
        ends.sort(key=lambda entry: (entry[0] is not None, entry[0] or 0, entry[1].pod.name if by_name else ""))
        observed: dict[str, Any] = {
            "active": [info.pod.uid for info in state.active],
            "backoff": [[info.pod.uid, end] for end, info in ends],
            "unschedulable": sorted(info.pod.uid for info in state.unschedulable),
            "nominated": {node: [pod.uid for pod in pods] for node, pods in state.nominator.nominated_pods},
            "cycle": state.scheduling_cycle,
            "move_request_cycle": state.move_request_cycle,
        }
        if self._errors_apart:
            observed["error_backoff"] = [info.pod.uid for _, info in ends if not info.rejected]
        if setup.hint_rules is not None:
            observed["in_flight"] = [pod.uid for pod in state.in_flight_pods]
            name, counting = EVENTS_SHOWN.of(setup.hint_rules)
            observed[name] = [_element(each, counting) for each in state.in_flight_events]
        return observed


def _element(each: InFlightPod | InFlightEvent, counting: bool) -> str | list[str | int]:
    """An element of the list of events, as the recorder wrote it."""
    if isinstance(each, InFlightPod):
        return f"pod:{each.uid}"
    return [each.event.label, each.in_flight_pods_num] if counting else f"event:{each.event.label}"


def _pod(recorded: dict[str, Any]) -> Pod:
    uid = recorded["uid"]
    return Pod(
        name=uid.partition("#")[0],
        uid=uid,
        priority=recorded.get("priority", 0),
        cpu_milli=recorded.get("cpu_milli", 0),
        node_name=recorded.get("node", ""),
        nominated_node_name=recorded.get("nominated", ""),
        labels=_pairs(recorded, "labels"),
        annotations=_pairs(recorded, "annotations"),
        affinity_app=recorded.get("affinity_app", ""),
        toleration=recorded.get("toleration", ""),
        condition=recorded.get("condition", ""),
        resource_version=recorded.get("resource_version", 0),
    )


def _pairs(recorded: dict[str, Any], name: str) -> Pairs:
    return tuple(sorted(dict(recorded.get(name, {})).items()))
