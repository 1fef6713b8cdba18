"""Whom the update of a bound pod moves from 1.34 on. Pure.

Go: `AssignedPodUpdated`, pkg/scheduler/backend/queue/scheduling_queue.go; under `PriorityQueue.lock`.
"""

from model.objects import Pod
from model.scheduler.queue.events import UPDATE_POD_SCALE_DOWN, ClusterEvent
from model.scheduler.queue.move import those_for_assigned_pod
from model.scheduler.queue.narrow_events import matches_narrowly
from model.scheduler.queue.rules import Moved, QueueRules
from model.scheduler.queue.state import Queue


def all_by_event_of_scale_down(rules: QueueRules, queue: Queue, pod: Pod, event: ClusterEvent) -> Moved:
    """`all_by_event_if_scaled_down`, but not by an event that tells of every kind of update (1.34)."""
    if matches_narrowly(ClusterEvent("Pod", UPDATE_POD_SCALE_DOWN), event):
        return rules.pods_for_move_request(queue, None), event
    return those_for_assigned_pod(rules, queue, pod, event)
