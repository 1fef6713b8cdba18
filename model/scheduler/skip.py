"""What the scheduler skips: updates of pods it has assumed already, and popped pods it need not schedule.

Pure functions; they read and change nothing but their arguments. Go: `skipPodUpdate` in pkg/scheduler/
eventhandlers.go (1.14 to 1.21; factory/factory.go in 1.13), `skipPodSchedule` in scheduler.go (1.18 to 1.23),
schedule_one.go (1.24 on). Neither is atomic: each reads the cache once or twice under `schedulerCache.mu`, and what
follows takes another lock. So they are given as calls (model/scheduler/calls.py), which end in `cycle.schedule_pod`
when the popped pod is to be scheduled.

How releases differ. Up to 1.21 an assumed pod's update is skipped if it is equal to the assumed pod except for some
fields (`strip_pod`); from 1.22 on every update is (#100286). Up to 1.17 only a pod being deleted is not scheduled;
from 1.18 on neither is a pod whose update would be skipped (#86230).
"""

from collections.abc import Callable

from model.evolve import evolve
from model.objects import Pod
from model.scheduler.calls import NOTHING, Call, Calls

StripPod = Callable[[Pod], Pod]


def strip_annotations(pod: Pod) -> Pod:
    """`pod` less resourceVersion, nodeName and all annotations (#54008).

    Up to 1.16.10, 1.17.6 and 1.18.2. An update of finalizers, conditions or managed fields schedules an assumed pod
    again (CYCLE-EXTRA-ATTEMPT-STATUS).
    """
    return evolve(pod, resource_version=0, node_name="", annotations=())


def strip_managed_fields(pod: Pod) -> Pod:
    """As `strip_annotations`, less managedFields (#90373): 1.18.3."""
    return evolve(strip_annotations(pod), managed_fields="")


def strip_finalizers_and_conditions(pod: Pod) -> Pod:
    """As `strip_annotations`, less finalizers and conditions (#91953): 1.16.11 on, and 1.17.7.

    The comment in Go names managedFields too, but the code leaves them: #90373 did not come to 1.16.
    """
    return evolve(strip_annotations(pod), finalizers=(), condition="")


def strip_all_benign_fields(pod: Pod) -> Pod:
    """As `strip_annotations`, less managedFields, finalizers and conditions (#90373, #91252): to 1.21.

    What stays is compared: labels, deletionTimestamp, status.nominatedNodeName, the spec.
    """
    return evolve(strip_annotations(pod), managed_fields="", finalizers=(), condition="")


def differs_only_in_stripped_fields(strip_pod: StripPod, assumed: Pod, pod: Pod) -> bool:
    """Whether `pod` is the same as `assumed`, the pod in the cache, as far as `strip_pod` leaves them."""
    return strip_pod(assumed) == strip_pod(pod)


SkipPodUpdate = Callable[[Pod, Calls], Calls]


def skip_pod_update_if_benign(pod: Pod, rest: Calls) -> Calls:
    """`pod` is assumed: get the cache's pod and compare it, then do `rest` or nothing (`skipPodUpdate`, to 1.21).

    `GetPod` is a second hold of `schedulerCache.mu`: the pod may be forgotten or confirmed since `IsAssumedPod`.
    """
    return (Call("cache", "get_pod", (pod,)), *rest)


def skip_any_pod_update(pod: Pod, rest: Calls) -> Calls:
    """`pod` is assumed: drop `rest`, whatever the update changes (1.22 on, #100286)."""
    return NOTHING


SkipPodSchedule = Callable[[Pod], Calls]


def skip_terminating_pod(pod: Pod) -> Calls:
    """What `scheduleOne` does with the popped `pod` before scheduling it: nothing is read (1.13 to 1.17).

    A pod with a deletionTimestamp gets a FailedScheduling event and is dropped. A pod that was updated between Pop
    and assume is in the queue again, and is scheduled a second time (NOM-EXT-LEAK).
    """
    return NOTHING if pod.terminating else (Call("cycle", "schedule_pod", (pod,)),)


def skip_terminating_or_assumed_pod(pod: Pod) -> Calls:
    """As `skip_terminating_pod`, but an assumed pod is skipped as its update would be (1.18 on, #86230).

    Windows it leaves open: the pod is not assumed yet, or not any more since its bind was confirmed.
    """
    if pod.terminating:
        return NOTHING
    return (Call("cache", "is_assumed_pod", (pod,)), Call("cycle", "schedule_pod", (pod,)))
