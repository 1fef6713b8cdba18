"""Documented bugs of the scheduler that are shown on components: their texts.

They take what the system scheduling does not have (an operation of a heap that fails, a second informer, an extender
that changes its mind, images, taints, spread constraints, a bound on how long things take), or one call between two
others. What shows them stands in scheduling_demonstrations.py.
"""

from kubeproof.bugs import scheduling_demonstrations as demonstrations
from kubeproof.bugs.component import ComponentBug

_ISSUE = "https://github.com/kubernetes/kubernetes/issues/"
_PULL = "https://github.com/kubernetes/kubernetes/pull/"


def _issues(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{_ISSUE}{number}" for number in numbers)


def _pulls(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{_PULL}{number}" for number in numbers)


SCHEDULING_COMPONENT_BUGS: tuple[ComponentBug, ...] = (
    ComponentBug(
        id="QUEUE-BACKOFF-LOST",
        title="A pod that failed many times backs off as after its first failure",
        release="1.17.0",
        consequence="Unschedulable pods of high priority are tried again and again, and others wait.",
        mechanism=(
            "Backoffs are kept by pod name, and `CleanupPodsCompletesBackingoff` forgets entries older than the "
            "maximal backoff, 10 s, before each use. A pod that is tried again later than that, as its cycle was "
            "delayed, begins anew with 1 s. Entries are kept for 20 s after #87616, and from 1.18.0 on the queued "
            "record itself counts the attempts."
        ),
        issues=_issues(86373),
        fixes=_pulls(87616, 87694, 87728, 87817),
        mitigation="None.",
        demonstrate=demonstrations.backoffs,
        rules=("back_off_pod", "backoff_time", "popped_record"),
        notes=("1.13 has no backoff at all: QUEUE-HOL.",),
    ),
    ComponentBug(
        id="QUEUE-HOL",
        title="An unschedulable pod of high priority keeps all others from being tried",
        release="1.13.0",
        consequence="Pods of lower priority that fit stay Pending for as long as events keep coming, as heartbeats do.",
        mechanism=(
            "Every event moves all unschedulable pods to activeQ, and activeQ is ordered by priority. If the next "
            "event comes within an attempt, the pod of the highest priority is on top of activeQ again each time. From "
            "1.14.0 on a pod that is moved while it backs off goes to the backoff queue."
        ),
        issues=_issues(56721),
        fixes=_pulls(57057, 73700),
        mitigation="Delete the pod that does not fit, or lower its priority.",
        demonstrate=demonstrations.popped_first,
        rules=("move_pods", "active_q_order", "active_q_heads", "backoff_time", "queue_for_failed_pod"),
        notes=(
            "The system cannot tell it from 1.14 to 1.20: with `high=1,room=2,extender=1,bind_errors=1,heartbeats=1` "
            "fitting-pod-is-not-starved is violated in all of them, up to the release that moves nobody for a "
            "heartbeat (#98899). There nothing bounds how long the scheduler takes, and a backoff that ends before "
            "anybody is popped keeps no pod out.",
        ),
    ),
    ComponentBug(
        id="QUEUE-MOVE-DROP-ON-ERR",
        title="A pod is lost when a queue refuses it",
        release="1.15.11",
        consequence="The pod is in no queue, and Pending until its next update.",
        mechanism=(
            "`MoveAllToActiveQueue` adds each pod to activeQ or to the backoff queue, logs an error of Add, and "
            "empties `unschedulableQ` all the same. From 1.16.0 on a pod that was not taken stays."
        ),
        issues=_issues(78631),
        fixes=_pulls(78632),
        mitigation="Change an annotation of the pod, or restart the scheduler.",
        demonstrate=demonstrations.refused_by_heap,
        rules=("move_pods",),
        notes=("The heaps' Add fails only if the key of a pod cannot be told, which nobody has seen.",),
    ),
    ComponentBug(
        id="QUEUE-EXTENDER-REJECT-MISS",
        title="A pod that an extender rejected is not tried again when the extender would take it",
        release="1.28.4",
        consequence="The pod stays Pending until the flush, 5 minutes from 1.24 on.",
        mechanism=(
            "Events move the pods that a plugin rejected which waits for such an event. An extender is no plugin: of a "
            "pod that a plugin rejected on one node and an extender on another, only the plugin is known. After "
            "#122022 `ExtenderName` stands for the extender, and is matched by every event."
        ),
        issues=_issues(122019),
        fixes=_pulls(122022, 122043, 122044, 122045, 127715),
        mitigation="Change an annotation of the pod.",
        demonstrate=demonstrations.rejected_by_extender,
        rules=("extender_plugins", "move_pods", "worth_requeuing", "event_of_interest"),
        notes=("Events are compared with plugins from 1.21 on; the dossier begins with 1.22, the first it has seen.",),
    ),
    ComponentBug(
        id="QUEUE-ASSIGNED-POD-AFFINITY-ONLY",
        title="A pod that PodTopologySpread rejected is not tried again when another pod is bound",
        release="1.30.11",
        consequence="The pod stays Pending until the flush, 5 minutes from 1.24 on, although it fits.",
        mechanism=(
            "PodTopologySpread waits for pods that are bound elsewhere, as they may even out the zones. But "
            "`AssignedPodAdded` and `AssignedPodUpdated` look only at waiting pods with a pod affinity that the bound "
            "pod satisfies. After #122627 also at those of its namespace that PodTopologySpread rejected."
        ),
        issues=(),
        fixes=_pulls(122627),
        mitigation="Change an annotation of the pod.",
        demonstrate=demonstrations.rejected_by_spread,
        rules=("pods_for_assigned_pod", "move_pods", "worth_requeuing", "event_of_interest", "spread_events"),
        notes=(
            "The dossier begins with 1.22, the first queue it has seen that compares events with plugins. By the "
            "rules of 1.16 to 1.21 a bound pod moves no more than that, so it is shown for these as well; up to 1.17 "
            "spread constraints are alpha, behind the gate EvenPodsSpread.",
            "Plugins from outside are not helped by the fix; they need the gate SchedulerQueueingHints, which is off "
            "here.",
        ),
    ),
    ComponentBug(
        id="QUEUE-PRECHECK-MISS",
        title="A pod is not tried again when a node that joined gets ready",
        release="1.23.3",
        consequence="The pod stays Pending until the flush, 5 minutes from 1.24 on, beside a new node where it fits.",
        mechanism=(
            "A node joins with a not-ready taint: `preCheckForNode` keeps its NodeAdd from pods that do not tolerate "
            "that. When the taint is removed, the event is NodeTaintChange, for which a plugin that rejected the pod "
            "does not wait: NodeResourcesFit up to #109442, PodTopologySpread and others up to #122292."
        ),
        issues=_issues(109437, 110175),
        fixes=_pulls(109442, 109446, 109447, 109466, 122292),
        mitigation="Change an annotation of the pod.",
        demonstrate=demonstrations.joined_with_taint,
        rules=("pre_check", "pods_for_move_request", "move_pods", "worth_requeuing", "fit_events", "spread_events"),
        notes=(
            "The dossier has it up to 1.29 and leaves 1.22 open. In 1.22.3, 1.23.0, 1.23.3 and 1.24.0-beta.0 "
            "NodeResourcesFit waits for NodeAdd and for changes of what a node has to give, in 1.23.9 and 1.24.0 for "
            "every update of a node. So from 1.24 to 1.29 the pods that wait are those of PodTopologySpread, and, not "
            "modelled, of InterPodAffinity, VolumeBinding, VolumeZone and DynamicResources.",
            "In 1.31.13 VolumeRestrictions and NodeVolumeLimits of volumes without CSI still wait for NodeAdd alone.",
            "1.21 compares events with plugins, but has no `preCheck` yet.",
        ),
    ),
    ComponentBug(
        id="QUEUE-TWO-INFORMERS",
        title="A failed pod is dropped because a second informer has not heard of it yet",
        release="1.19.13",
        consequence="The pod is in no queue: Pending until its next update, or a restart of the scheduler.",
        mechanism=(
            "From #90660 on the error function looks the pod up in an informer's store. In 1.19.0 to 1.19.14 that was "
            "another informer than the one whose events fill the queue. What it does not have is taken for deleted."
        ),
        issues=_issues(104521),
        fixes=_pulls(93044, 93566, 105015),
        mitigation="Change an annotation of the pod, or restart the scheduler.",
        demonstrate=demonstrations.failed_pod_not_yet_listed,
        rules=("error_func",),
        notes=("No source of scheduler.go of 1.19 was seen: its rule is what issue and fix say.",),
    ),
    ComponentBug(
        id="CACHE-UPDATE-NONATOMIC",
        title="A node looks free while one pod on it is replaced by another of the same name",
        release="1.22.3",
        consequence="More is bound to a node than it has: the kubelet rejects a pod with OutOfcpu.",
        mechanism=(
            "An update to another UID is a `deletePodFromCache` and an `addPodToCache` (#91126), each with its own "
            "hold of `schedulerCache.mu`. A scheduling cycle that takes its snapshot in between finds room. From "
            "1.24.0 on `UpdatePod` does both at once."
        ),
        issues=_issues(106545),
        fixes=_pulls(106744),
        mitigation="None.",
        demonstrate=demonstrations.replaced_on_its_node,
        rules=("update_pod_in_cache", "update_added_pod", "remove_known_pod", "take_snapshot"),
        notes=(
            "It takes another scheduler, or a binding of the old pod that reaches the new one (BIND-UID), for both to "
            "be bound to one node while the watch is broken. In the system another scheduler may overcommit a node by "
            "itself, so within-capacity does not ask then.",
            "The price of the cure is CACHE-RECREATE-UID in 1.24 to 1.31.",
        ),
    ),
    ComponentBug(
        id="CACHE-BINDING-DELETED-OCCUPIES",
        title="A pod that is deleted while it is being bound holds its room until its binding fails",
        release="1.31.13",
        consequence="The pod of higher priority for which it was deleted does not fit, and preempts again.",
        mechanism=(
            "The delete of a pod that is not bound yet goes to the handler of unassigned pods, which takes it out of "
            "the queue and leaves the cache alone. The pod stays assumed until its binding cycle, which may wait for "
            "volumes, comes to its end."
        ),
        issues=_issues(134217),
        fixes=_pulls(134157),
        mitigation="None.",
        demonstrate=demonstrations.deleted_while_binding,
        rules=("delete_pod_from_scheduling_queue", "remove_known_pod", "final_state_unknown"),
        variants=(("the delete told to the cache as well, as #134157 does", demonstrations.forgotten_when_deleted),),
        notes=("Cured in 1.35.0. What a binding waits for is not in the system: there it ends soon.",),
    ),
    ComponentBug(
        id="CACHE-IMAGESTATE-STALE",
        title="Two nodes with the same images score differently",
        release="1.28.14",
        consequence="ImageLocality prefers one of two nodes that are equal.",
        mechanism=(
            "`ImageStateSummary.NumNodes` is copied when a node's images are set. A node that gets an image later "
            "counts both nodes, the first one still counts itself. From 1.29.0 on the count is shared."
        ),
        issues=(),
        fixes=_pulls(116938),
        mitigation="None.",
        demonstrate=demonstrations.image_counts,
        rules=("image_counts",),
        notes=(
            "In 1.29 and later a snapshot keeps the old count of a node, too, until something else of that node "
            "changes: a node's generation is not bumped when another node gets its image.",
        ),
    ),
    ComponentBug(
        id="SNAP-NIL-NODE-PANIC",
        title="The filter is given a node of which the cycle's snapshot knows nothing",
        release="1.16.7",
        consequence="Reported: the scheduler panics, nil pointer dereference, when nodes come and go.",
        mechanism=(
            "Up to 1.16 `findNodesThatFit` takes each node's name from the live tree, and its NodeInfo from the "
            "snapshot that the cycle began with. A node that joins between the two has none. #89224 and #89270 make it "
            "a node where the pod does not fit."
        ),
        issues=_issues(89006, 92050),
        fixes=_pulls(89224, 89270),
        mitigation="None; the scheduler is started again by its supervisor.",
        demonstrate=demonstrations.filtered_nodes,
        rules=("take_snapshot", "panics_at_nil_node"),
        notes=(
            "Which dereference ended the process is not in the sources read. The first predicates of 1.16.0-beta.2 "
            "answer `node(s) had unknown conditions` for a NodeInfo that is nil.",
            "The dossier has 1.17 up to its patch as well. By its sources (1.17.0-rc.1, 1.17.10) the filter walks the "
            "snapshot's own list there, in which every NodeInfo has its Node, so it is not shown.",
        ),
    ),
)
