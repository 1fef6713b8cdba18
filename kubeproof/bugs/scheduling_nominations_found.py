"""Bugs of scheduling's nominations that the general properties found and the list of documented ones did not have."""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.links import pulls
from kubeproof.bugs.scheduling_scope import needs

SCHEDULING_NOMINATION_FOUND: tuple[Bug, ...] = (
    Bug(
        id="NOM-CLEAR-OVERTAKEN",
        title="A nomination that was cleared comes back with the update that tells of it",
        system="scheduling",
        release="1.28.0",
        violates="nomination-can-come-true",
        properties=("nomination-can-come-true",),
        consequence="status.nominatedNodeName names a node that is gone, and stays so until the pod is tried again.",
        mechanism=(
            "A failure clears the nomination in memory, and in the API only if the pod object at hand has one "
            "(`updatePod`: `nnnNeedsUpdate`). If the update with status.nominatedNodeName has not arrived, the object "
            "has none: nothing is written. Then the update arrives and nominates the pod anew."
        ),
        issues=(),
        fixes=(),
        mitigation="Any event that has the pod tried again.",
        given=needs(high=1, preemption=1, node_deletes=1),
        powers=("node_deletes",),
        notes=(
            "Read in the Go source: `updatePod` and `handleSchedulingFailure` in pkg/scheduler/schedule_one.go of "
            "1.24 to 1.28, `UpdateNominatedPod` in internal/queue/scheduling_queue.go. Nobody has run it on a cluster, "
            "and no upstream report was found: it is UNCONFIRMED.",
            "Up to 1.23.1 the table shows NOM-NOT-CLEARED, where nothing is ever cleared. From 1.29 on a pod that "
            "failed with an error is tried again soon, and the second time its object has the nomination.",
        ),
        unconfirmed=True,
    ),
    Bug(
        id="NOM-STALE-RETRY",
        title="The error function's retry brings back a pod that was deleted, with its nomination",
        system="scheduling",
        release="1.17.0",
        violates="nominated-pod-is-pending",
        properties=("nominated-pod-is-pending",),
        consequence=(
            "Room is kept for a pod that does not exist, and its ghost waits in the queue, until some event has it "
            "scheduled and its binding fails."
        ),
        mechanism=(
            "Up to 1.18 the error function GETs the pod in a goroutine of its own and hands what it got to "
            "`AddUnschedulableIfNotPresent`, which nominates it by its status. When the pod is deleted in between, and "
            "the delete event arrives, the queue has nothing to forget yet. A pod that is bound in between comes back "
            "in the same way."
        ),
        issues=(),
        fixes=pulls(90660),
        mitigation="Any event that has all pods tried again.",
        given=needs(extender=1, preemption=1, bind_errors=1, deletes=1),
        powers=("bind_errors", "deletes"),
        notes=(
            "Read in the Go source: `MakeDefaultErrorFunc` in pkg/scheduler/factory/factory.go of 1.13 to 1.16 and "
            "factory.go of 1.17, `AddUnschedulableIfNotPresent` in internal/queue/scheduling_queue.go. Nobody has run "
            "it on a cluster, and no upstream report was found: it is UNCONFIRMED. #90660 put the look-up into the "
            "cycle for other reasons.",
            "What the table shows from 1.19 on is NOM-PHANTOM-DELETED.",
        ),
        unconfirmed=True,
    ),
)
