"""Before a popped pod is scheduled, ask the cache whether it is assumed already (upstream's #86230, 1.18; for 1.17).

A pod that is updated while it is being scheduled is put into activeQ again, and is popped a second time when its first
binding is under way (NOM-EXT-LEAK). With this fix such a cycle ends before it begins, unless the bind was confirmed in
between: then the pod is not assumed any more, is scheduled a second time, and may get a FailedScheduling event.
"""

from model.objects import Pod
from model.scheduler.calls import NOTHING, Call, Calls


def skip_pod_schedule(pod: Pod) -> Calls:
    """scheduler.go skipPodSchedule: a pod being deleted, and one that is assumed."""
    if pod.terminating:
        return NOTHING
    return (Call("cache", "is_assumed_pod", (pod,)), Call("cycle", "schedule_pod", (pod,)))
