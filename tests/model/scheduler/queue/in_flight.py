"""A queue with queueing hints, and what the tests of pods in flight do to it."""

from attrs import evolve

from model.objects import Pod
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.scheduler.queue import events, scheduling_queue as queue
from model.scheduler.queue.events import ClusterEvent, Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import InFlightPod, Queue, QueueConfig, QueuedPodInfo

A = Pod("a", "a#1")
B = Pod("b", "b#1")
# What some plugin waits for, and what none does.
WANTED, UNWANTED = events.NODE_ADD, events.PV_ADD
WAITING = (
    Registration("OnNodeAdd", events.NODE_ADD),
    Registration("OnPodUpdate", ClusterEvent("Pod", events.UPDATE)),
    Registration("OnPodLabel", ClusterEvent("Pod", events.UPDATE_POD_LABEL)),
    Registration("Immediate", events.NODE_ADD, events.queue_immediately),
    Registration("Skip", events.NODE_ADD, events.queue_skip),
)
ON_NODE_ADD = frozenset({"OnNodeAdd"})


def setup_of(release: str, gate: bool | None = True) -> QueueSetup:
    """The queue of a release, with a backoff of 1 s; None: the gate as the release has it."""
    at = parse_release(release, EVERY_MINOR)
    hints = rules_for(QueueingHintRules, at)
    config = QueueConfig(max_backoff=1_000, cluster_event_map=WAITING)
    on = hints.queueing_hints_default() if gate is None else gate
    return QueueSetup(rules_for(QueueRules, at), rules_for(NominatorRules, at), config, hints, on)


def added(setup: QueueSetup, *pods: Pod) -> Queue:
    state = Queue()
    for now, pod in enumerate(pods):
        state = queue.add(setup, state, pod, now)
    return state


def came(setup: QueueSetup, state: Queue, event: ClusterEvent = WANTED, now: int = 10) -> Queue:
    return queue.move_all_to_active_or_backoff_queue(setup, state, now, event)


def fail(
    setup: QueueSetup,
    state: Queue,
    info: QueuedPodInfo,
    plugins: frozenset[str] = ON_NODE_ADD,
    pending: frozenset[str] = frozenset(),
    now: int = 20,
) -> Queue:
    """The pod comes back, rejected by these plugins."""
    info = evolve(info, unschedulable_plugins=plugins, pending_plugins=pending)
    error, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, now)
    assert error is None
    return state


def where(state: Queue, name: str = "a") -> str:
    """The sub-queues that have the pod of this name."""
    places = {"active": state.active, "backoff": state.backoff, "unschedulable": state.unschedulable}
    return " ".join(place for place, infos in places.items() if any(info.pod.name == name for info in infos))


def elements(state: Queue) -> list[str]:
    return [each.uid if isinstance(each, InFlightPod) else each.event.label for each in state.in_flight_events]
