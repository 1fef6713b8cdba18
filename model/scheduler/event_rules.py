"""Which event handlers a release has: the rules that they follow, as one choice. Types only.

Go: pkg/scheduler/eventhandlers.go. The functions stand in eventhandlers, node_handlers, skip and error_func.
"""

from collections.abc import Callable

from attrs import frozen

from model.objects import Node, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.calls import Calls
from model.scheduler.error_func import ErrorFuncRule
from model.scheduler.skip import SkipPodSchedule, SkipPodUpdate, StripPod

# Does a handler that selects pods so take a missed delete, of which only the last known version is at hand?
FinalStateUnknownRule = Callable[[Callable[[Pod], bool], Pod], bool]
UpdateIsIgnored = Callable[[Pod, Pod], bool]
DeleteFromQueue = Callable[[Pod], Calls]
UpdateInQueue = Callable[[Pod, Pod], Calls]
OwnVersions = Callable[[Pod | None, Pod | None], tuple[Pod | None, Pod | None]]
UpdateInCache = Callable[[Pod, Pod], Calls]
MoveOnNodeUpdate = Callable[[Node, Node], Calls]
PreCheck = Callable[[NodeInfo | None], NodeInfo | None]


@frozen(slots=False, kw_only=True)
class EventRules:
    """What releases do differently in event handlers, before a cycle, and after a failure."""

    # See FinalStateUnknownRule.
    final_state_unknown: FinalStateUnknownRule
    # (old, new) -> whether the handlers leave the update alone.
    update_is_ignored: UpdateIsIgnored
    # (pod, the calls that an update makes) -> the calls that are left. Go: skipPodUpdate.
    skip_pod_update: SkipPodUpdate
    # What skipPodUpdate does not compare is taken off. Go: skipPodUpdate.
    strip_pod: StripPod
    # The calls that decide whether a popped pod is left alone. Go: skipPodSchedule.
    skip_pod_schedule: SkipPodSchedule
    # Go: deletePodFromSchedulingQueue.
    delete_pod_from_scheduling_queue: DeleteFromQueue
    # (old, new), None where there is none -> the versions of which the queue hears, as this scheduler's own.
    # Go: responsibleForPod.
    own_versions: OwnVersions
    # (old, new) -> the moves that an update of a pod without a node makes besides. Go: hasNominatedNodeNameChanged.
    moves_of_renomination: UpdateInQueue
    # (old, new). Go: updatePodInCache.
    update_pod_in_cache: UpdateInCache
    # (old, new) -> the moves that a changed node makes. Go: updateNodeInCache.
    move_on_node_update: MoveOnNodeUpdate
    # The NodeInfo against which waiting pods are checked, None for no check. Go: preCheckForNode.
    pre_check: PreCheck
    # What the error function does after a failed attempt. Go: MakeDefaultErrorFunc, handleSchedulingFailure.
    error_func: ErrorFuncRule
