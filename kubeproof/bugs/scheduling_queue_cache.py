"""The documented bugs of the scheduling queue, the cache and its snapshot that runs of the system scheduling show.

Others take what the system has not, or one operation alone: they stand in scheduling_components.py. Those of the
nominator are elsewhere.
"""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.links import issues, pulls
from kubeproof.bugs.scheduling_scope import needs

_TOUCH = "Change an annotation of the waiting pod, or restart the scheduler."


SCHEDULING_QUEUE_BUGS: tuple[Bug, ...] = (
    Bug(
        id="QUEUE-LOST-MOVE-FLAG",
        title="A pod misses the event that would have brought it back, because another pod was popped",
        system="scheduling",
        release="1.13.0",
        violates="no-event-lost",
        properties=("no-event-lost", "fitting-pod-is-bound", "fitting-pod-is-not-starved"),
        consequence="A pod stays Pending on a cluster that has room for it, until some other event moves all pods.",
        mechanism=(
            "`MoveAllToActiveQueue` sets `receivedMoveRequest` for the pods that are in no queue because their failure "
            "is still being handled. The flag is one for all pods, and each `Pop` clears it. So a pod popped between "
            "the event and the first pod's `AddUnschedulableIfNotPresent` makes that one go to `unschedulableQ`."
        ),
        issues=(),
        fixes=pulls(73078, 73309, 73568),
        mitigation=_TOUCH,
        given=needs(late_nodes=1, room=2),
        powers=("late_nodes",),
        notes=(
            "The cycle numbers that replace the flag are read when the failure is handled. For a failed binding that "
            "is later than the pod's own cycle, so a move request of its own cycle is missed still; see "
            "QUEUE-ERROR-STUCK.",
        ),
    ),
    Bug(
        id="QUEUE-STUCK-NO-FLUSH",
        title="A pod that missed its event stays in unschedulableQ for ever",
        system="scheduling",
        release="1.13.0",
        violates="fitting-pod-is-bound",
        properties=("fitting-pod-is-bound", "fitting-pod-is-not-starved"),
        consequence="A pod stays Pending for ever on a quiet cluster that has room for it.",
        mechanism=(
            "Only events move pods out of `unschedulableQ`. A pod that comes there without reason (here as its binding "
            "was refused once), or after its event, stays. From 1.14.0 on, and in the patches of 1.11 to 1.13, "
            "`flushUnschedulableQLeftover` moves pods that have waited for 60 s (from 1.24 on 5 min)."
        ),
        issues=issues(72122),
        fixes=pulls(72558, 73454),
        mitigation=_TOUCH,
        given=needs(bind_errors=1, clock=1, flush=1),
        powers=("bind_errors",),
        notes=(
            "With `flush=0` every release up to 1.22 violates the property in this scope: the flush hides "
            "QUEUE-ERROR-STUCK, for a minute at a time.",
        ),
    ),
    Bug(
        id="QUEUE-STATUS-SELF-RETRY",
        title="The scheduler's own status update makes it try an unschedulable pod again at once",
        system="scheduling",
        release="1.17.10",
        violates="own-status-update-does-not-retry",
        properties=("own-status-update-does-not-retry",),
        consequence="An unschedulable pod is tried twice for each event, without backoff, before pods that could run.",
        mechanism=(
            "The error function GETs the pod in a goroutine of its own, and `recordSchedulingFailure` writes the "
            "PodScheduled condition meanwhile. If the update arrives first, the pod is in no queue, and "
            "`PriorityQueue.Update` puts it into activeQ like a new one. From 1.19.0 on the error function runs before "
            "the condition is written."
        ),
        issues=issues(90616),
        fixes=pulls(90660),
        mitigation="None.",
        given=needs(late_nodes=1),
        notes=(
            "Updates that arrive while the pod is in flight again do the same in every release: that is "
            "QUEUE-INFLIGHT-DUP.",
        ),
    ),
    Bug(
        id="QUEUE-ERROR-STUCK",
        title="A pod whose binding failed with an error waits as if no node fitted it",
        system="scheduling",
        release="1.22.3",
        violates="no-event-lost",
        properties=("no-event-lost", "fitting-pod-is-bound", "fitting-pod-is-not-starved"),
        consequence="After one refused request to the API server a pod that fits stays Pending until the flush.",
        mechanism=(
            "No plugin rejected the pod, nothing in the cluster has to change, and still "
            "`AddUnschedulableIfNotPresent` puts it into the unschedulable pods, unless a move request came "
            "meanwhile. From 1.29.0 on it goes to the backoff queue."
        ),
        issues=(),
        fixes=pulls(103805, 119105),
        mitigation=_TOUCH,
        given=needs(bind_errors=1),
        powers=("bind_errors",),
        notes=(
            "The dossier has 1.22 to 1.28. Before 1.22 it is the same: that no plugin is known only means that any "
            "event moves the pod, and here there is none.",
            "In 1.23 to 1.28 a failed binding moves all pods after ForgetPod, for the sake of others (#103805), and "
            "the move request reaches the pod itself. What stays there are errors within the scheduling cycle, such "
            "as an extender that does not answer (its rule can be replaced, see `--fix`); no power of this scope "
            "makes one.",
        ),
    ),
    Bug(
        id="QUEUE-FORGET-NO-EVENT",
        title="A pod that was rejected because of an assumed pod hears nothing when that one is forgotten",
        system="scheduling",
        release="1.22.3",
        violates="no-event-lost",
        properties=("no-event-lost", "fitting-pod-is-bound", "fitting-pod-is-not-starved"),
        consequence="A pod stays Pending until the flush although the room that it needs is free.",
        mechanism=(
            "An assumed pod holds room on its node. When its binding fails, because it was deleted say, `ForgetPod` "
            "frees the room; its delete event went to the handler of unassigned pods, which moves nobody. From 1.23.0 "
            "on pods are moved after `ForgetPod`."
        ),
        issues=issues(96478),
        fixes=pulls(103805),
        mitigation=_TOUCH,
        given=needs(deletes=1),
        powers=("deletes",),
        notes=(
            "The dossier begins with 1.15, where the Permit plugins came. A binding that fails is enough, so 1.13 and "
            "1.14 have it too.",
        ),
    ),
)

SCHEDULING_CACHE_BUGS: tuple[Bug, ...] = (
    Bug(
        id="CACHE-ASSUME-TTL",
        title="An assumed pod expires while its bind event is on its way, and its room is given away",
        system="scheduling",
        release="1.22.3",
        violates="within-capacity",
        properties=("within-capacity",),
        consequence="More is bound to a node than it has: the kubelet rejects a pod with OutOfcpu.",
        mechanism=(
            "After a binding the cache keeps an assumed pod for 30 s only (2 min in patches, 15 min in 1.23 and 1.24) "
            "unless the bind event confirms it. When the watch lags for longer, `cleanupAssumedPods` forgets a pod "
            "that is bound. From 1.25.0 on assumed pods do not expire."
        ),
        issues=issues(106361),
        fixes=pulls(106412, 110925),
        mitigation="Find out why the watch lags: an overloaded API server, or a scheduler short of CPU.",
        given=needs(clock=1, expiry=1),
        powers=("expiry",),
        notes=(
            "How long the watch may lag is nothing that the model bounds, so a longer time to live changes nothing "
            "here, and 1.20.14, 1.21.8, 1.22.5, 1.23 and 1.24 count as affected as well.",
        ),
    ),
    Bug(
        id="CACHE-MISSED-DELETE",
        title="A pod that was deleted while the watch was broken stays in the cache",
        system="scheduling",
        release="1.22.3",
        violates="cache-says-what-api-server-says",
        properties=("cache-says-what-api-server-says",),
        consequence="Room on a node is never given to anybody again, until the scheduler restarts.",
        mechanism=(
            "Bind and delete happen while the watch is broken. The relist knows the pod's last state, unbound, and the "
            "handlers are chosen by it: only the one for unassigned pods hears of the delete, and it does not touch "
            "the cache, where the pod is assumed. From 1.23.0 on both handlers hear, and `RemovePod` takes an assumed "
            "pod as well."
        ),
        issues=issues(51313, 55587, 69926),
        fixes=pulls(106102, 106684, 106685, 106695),
        mitigation="Restart the scheduler.",
        given=needs(deletes=1, relists=1),
        powers=(
            "deletes",
            "relists",
        ),
        notes=(
            "Up to 1.24 the assumed pod expires some time after its binding, which frees the room again; this scope "
            "has no time.",
        ),
    ),
    Bug(
        id="CACHE-RECREATE-UID",
        title="The scheduler ends itself when a pod comes back under its name on another node",
        system="scheduling",
        release="1.17.10",
        violates="scheduler-keeps-running",
        properties=("scheduler-keeps-running",),
        consequence="The scheduler's process ends with `Schedulercache is corrupted`, and again on whoever leads next.",
        mechanism=(
            "While the watch is broken a bound pod is deleted, created again, and bound to another node by another "
            "scheduler. Informers go by name, so a relist makes one update of it, from the old pod to the new. "
            "`UpdatePod` finds another nodeName than it has and takes its own state for corrupted. From 1.19.0 on "
            "another UID is a delete and an add (#91126); 1.24.0 takes that back (#106744), but for the same node."
        ),
        issues=issues(85726),
        fixes=pulls(91126),
        mitigation="None but the restart that happens anyway; the new process lists all pods.",
        given=needs(deletes=1, recreates=1, relists=1, other_binders=1),
        powers=(
            "deletes",
            "recreates",
            "relists",
            "other_binders",
        ),
        notes=("#141255, which is open, is about the releases from 1.24 on.",),
    ),
    Bug(
        id="CACHE-NODE-BEFORE-PODS-CRASH",
        title="The scheduler panics when a pod is updated whose node is gone",
        system="scheduling",
        release="1.18.1",
        violates="scheduler-keeps-running",
        properties=("scheduler-keeps-running",),
        consequence="The scheduler's process ends with a nil pointer dereference.",
        mechanism=(
            "`RemoveNode` deletes the NodeInfo at once (#86964), though pods of the node are still in `podStates`. "
            "Whatever adds a pod of the node afterwards makes a NodeInfo without Node that has only this pod. The next "
            "update of another one of the node's pods looks for it there, and the text of the error that it is not "
            "there takes the name of a Node that is nil."
        ),
        issues=issues(89552, 90004),
        fixes=pulls(89908, 93938),
        mitigation="None; the scheduler is started again by its supervisor.",
        given=needs(node_deletes=1, updates=1, room=2),
        powers=(
            "node_deletes",
            "updates",
        ),
        notes=(
            "The dossier ends it with #89908 (1.18.2, 1.19.0), which drops an update while the node is unknown. But a "
            "pod that is assumed on the node by a cycle begun before makes the node known again, so the panic stays "
            "possible in 1.18.2 to 1.18.8 and 1.19.0: read in `addPod`, `updatePod` and `removePod` of 1.19.0-rc.1. "
            "#93938 (1.18.9, 1.19.1) keeps the NodeInfo until its last pod is gone.",
            "The reported way takes updates of two pods; here the first is an assumption.",
        ),
    ),
    Bug(
        id="CACHE-ASSUMED-OBJ-STALE",
        title="Affinity is computed from labels that a pod no longer has",
        system="scheduling",
        release="1.25.5",
        violates="cached-objects-are-current",
        properties=("cached-objects-are-current",),
        consequence="Pods are placed by the old labels of a pod, until its next update.",
        mechanism=(
            "Labels change after the pod was popped. `AddPod`, when it confirms an assumed pod, replaces the object "
            "in `podStates`, but NodeInfo keeps the object that was assumed. From 1.26.0 on it does `updatePod`."
        ),
        issues=(),
        fixes=pulls(110279),
        mitigation="Any update of the pod, an annotation say.",
        given=needs(labels=1),
        powers=("labels",),
    ),
    Bug(
        id="SNAP-GHOST-COUNT",
        title="Taking the snapshot fails because a removed node is counted",
        system="scheduling",
        release="1.18.9",
        violates="no-event-lost",
        properties=("no-event-lost", "fitting-pod-is-bound", "fitting-pod-is-not-starved"),
        consequence=(
            "A scheduling cycle fails with `snapshot state is not consistent`, and its pod waits until the flush "
            "although it fits; the removed node stays in the snapshot's map."
        ),
        mechanism=(
            "`UpdateSnapshot` deletes nodes from its map when that is longer than `cache.nodes`. A node removed before "
            "its pods is in both, without its Node, so the lengths are equal and nothing is deleted. The list still "
            "has the node, the tree does not: an error, after which the list is made anew."
        ),
        issues=issues(95124),
        fixes=pulls(95130, 95153, 95154),
        mitigation="None; the next cycle has a right list.",
        given=needs(node_deletes=1, keep_snapshot=1),
        powers=(
            "node_deletes",
            "keep_snapshot",
        ),
        notes=(
            "The dossier has 1.18.9, 1.19.1 and 1.19.2, where #93938 keeps a removed node's NodeInfo. The same "
            "comparison is in 1.18.0 to 1.18.8 and 1.19.0, and there a pod assumed on the node after its removal "
            "makes a NodeInfo without Node as well. The shortest run takes that way.",
        ),
    ),
)
