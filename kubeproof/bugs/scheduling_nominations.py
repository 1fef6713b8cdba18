"""Bugs of scheduling: pods that are scheduled twice, and nominations that lead nowhere, with the report's questions.

Family 1 of the dossier, its part 5, and what parts 7 and 8 have of bindings and of preemption.
"""

from kubeproof.bugs.bug import Bug, Question
from kubeproof.bugs.links import issues, pulls
from kubeproof.bugs.scheduling_scope import needs

_RESTART = "Restart the scheduler: nominations in memory are gone then."
_WITH_EXTENDER = needs(extender=1, preemption=1, goroutines=2)
_REPORT = (
    Question(
        asked="Why is the same pod scheduled twice?",
        violates="one-attempt-at-a-time",
        given=_WITH_EXTENDER,
        answer=(
            "The extender writes its choice into the pod's annotations while the pod is in a scheduling cycle. To the "
            "scheduler that is an update of a pod that is in none of its queues, and `PriorityQueue.Update` puts such "
            "a pod into activeQ. `skipPodUpdate` would drop the update if the pod was assumed; it is not yet. So it "
            "is popped again, and scheduled again while its binding is under way."
        ),
    ),
    Question(
        asked="Why is there a FailedScheduling event for a pod that runs?",
        violates="no-failure-of-bound-pod",
        given=_WITH_EXTENDER,
        answer=(
            "The second cycle works with the annotated pod. The extender has served it already and answers with an "
            "empty list of nodes; in the run below the node is full besides, with the pod itself, which is assumed "
            "there. Nothing fits, a FitError. By the time that `recordSchedulingFailure` makes the event the binding "
            "of the first cycle is done, and nobody looks: the event goes to a pod that is bound and running."
        ),
    ),
    Question(
        asked="Why do other pods stay Pending while a node is empty?",
        violates="no-event-lost",
        given=_WITH_EXTENDER,
        answer=(
            "After the FitError `preempt` finds a node that would do (an extender's rejection counts as one that "
            "preemption may help against, and nobody needs to go) and nominates the pod there: room is kept on a "
            "second node for a pod that is bound to the first. What would end a nomination, the pod's leaving the "
            "queue when its bind event arrives, is over. From then on the filter counts the phantom on that node for "
            "every pod of its priority or a lower one. No event helps, nor does the flush of unschedulableQ: only a "
            "restart of the scheduler."
        ),
    ),
)

SCHEDULING_NOMINATION_BUGS: tuple[Bug, ...] = (
    Bug(
        id="NOM-EXT-LEAK",
        title="A pod is scheduled twice, and stays nominated to a node after it was bound to another",
        system="scheduling",
        release="1.13.12",
        violates="nominated-pod-is-pending",
        properties=("nominated-pod-is-pending", "no-event-lost"),
        consequence=(
            "Room for the pod is kept for ever on a node where it does not run: other pods stay Pending although the "
            "node is empty. The pod itself runs, with a FailedScheduling event."
        ),
        mechanism=(
            "An update of a pod in its scheduling cycle (here: the annotations that an extender writes) puts it into "
            "activeQ again, so it is scheduled a second time. That cycle fails, as the extender finds no node for a "
            "pod that it has served, and `preempt` nominates the pod (`UpdateNominatedPodForNode`) without asking "
            "whether it is bound by now. Nominations go when the pod is assumed or leaves the queue; both are over."
        ),
        issues=issues(86942, 86198, 52914),
        fixes=pulls(86230, 109245),
        mitigation=(
            f"{_RESTART} Let the extender answer with an error, not with an empty list, when it is asked about a pod "
            "that it has served: then nobody preempts. Or let it write its annotations when it binds."
        ),
        given=_WITH_EXTENDER,
        powers=("extender",),
        notes=(
            "#86230 (1.18, `skipPodSchedule`) closes one window: from there on the second cycle is skipped while the "
            "pod is assumed. It is open again once the bind event has confirmed the pod, and when that event arrives "
            "between `Pop` and `skipPodSchedule` the run is as long as before. So the table says yes up to 1.21.11, "
            "where the dossier, by the report, has 1.18.0 with a window left.",
            "What ends it is 1.21.12, with 1.22.9, 1.23.6 and 1.24.0 (#109245): the nominator refuses a bound pod. In "
            "1.22.0 to 1.22.8 and 1.23.0 to 1.23.5 this run does not exist because a node that needs no victim is no "
            "candidate any more; with a victim it does, which is NOM-THREE-ATTEMPTS.",
            "1.13.0 and 1.13.1 nominate by the pod's status alone, when its update arrives, and the bind event ends "
            "that again; what they show takes two events more, a retry that comes after it (NOM-STALE-RETRY).",
            "What stays in every release up to 1.31 are the first two answers: see QUEUE-INFLIGHT-DUP.",
        ),
        questions=_REPORT,
    ),
    Bug(
        id="NOM-THREE-ATTEMPTS",
        title="The pod's own nomination has it scheduled again, and a bound pod is nominated",
        system="scheduling",
        release="1.22.0",
        violates="nominated-pod-is-pending",
        properties=("nominated-pod-is-pending",),
        consequence="Room is kept for ever for a pod that runs already, and lower pods find the node too small.",
        mechanism=(
            "The first attempt preempts and nominates. The update of status.nominatedNodeName arrives while the "
            "second is under way and puts the pod into activeQ. The second binds it. The third fails, and "
            "`AddNominatedPod` nominates it to what its status says. It asks whether the pod exists, not whether it "
            "is bound."
        ),
        issues=issues(109236),
        fixes=pulls(109245),
        mitigation=_RESTART,
        given=needs(high=1, preemption=1),
        powers=("preemption",),
        notes=(
            "1.23.2 to 1.23.5 are free of this run, though the nominator still takes bound pods: from #106816 on a "
            "failure without a candidate clears the nomination. A third attempt that finds a victim elsewhere takes "
            "one more node and pod.",
            "Up to 1.18 a nomination is made for a candidate only, never from the status, so there too the third "
            "attempt has to find a victim on another node. The scope of this table is too small for that; in "
            "`pods=3,high=1,nodes=2,preemption=1,goroutines=1` 1.17.10 shows it, after 38 events. With goroutines=2, "
            "when the retry of the first attempt may be late, the smallest scope is enough: the retry puts back the "
            "pod that it read before the bind (NOM-STALE-RETRY).",
        ),
    ),
    Bug(
        id="QUEUE-INFLIGHT-DUP",
        title="A pod is in activeQ and in a scheduling cycle at the same time",
        system="scheduling",
        release="1.27.0",
        violates="pod-in-one-place",
        properties=("pod-in-one-place", "one-attempt-at-a-time", "no-failure-of-bound-pod"),
        consequence="The pod is scheduled twice: a FailedScheduling event for a running pod, useless preemption.",
        mechanism=(
            "`Pop` takes the pod out of activeQ and no queue knows it any more. `PriorityQueue.Update` takes a pod "
            "that no queue knows for a new one, and puts it into activeQ."
        ),
        issues=issues(118226, 120662),
        fixes=pulls(125578, 127016),
        mitigation="Write to pods before they are created or after they are bound, not in between.",
        given=needs(updates=1, goroutines=2),
        powers=("updates",),
        notes=(
            "#125578 (1.31.0) lets `Update` ignore a pod in flight, with SchedulerQueueingHints on only, which is off "
            "by default up to 1.31; the table is for the default. #127016 (1.32.0) is beyond the modelled releases.",
        ),
    ),
    Bug(
        id="QUEUE-RESYNC-DUP",
        title="An informer's resync puts a pod in its scheduling cycle into activeQ",
        system="scheduling",
        release="1.19.0",
        violates="pod-in-one-place",
        properties=("pod-in-one-place", "one-attempt-at-a-time", "no-failure-of-bound-pod"),
        consequence="The pod is scheduled twice although nobody has touched it.",
        mechanism=(
            "A resync hands every object in the store to the handlers as an update of itself. "
            "`updatePodInSchedulingQueue` does not compare the versions, and `PriorityQueue.Update` puts a pod that "
            "no queue knows into activeQ."
        ),
        issues=(),
        fixes=pulls(96071),
        mitigation="None; the scheduler's informers resync when it is configured so, and when a handler asks for it.",
        given=needs(resyncs=1, goroutines=2),
        powers=("resyncs",),
    ),
    Bug(
        id="CYCLE-EXTRA-ATTEMPT-STATUS",
        title="A change of an assumed pod's finalizers has it scheduled again",
        system="scheduling",
        release="1.17.0",
        violates="assumed-pod-not-queued",
        properties=("assumed-pod-not-queued",),
        consequence='A second attempt that ends with "pod is in the cache, so can\'t be assumed", or with a FitError.',
        mechanism=(
            "`skipPodUpdate` ignores an update of an assumed pod if it is equal to the assumed one but for some "
            "fields. Finalizers, conditions and managedFields were none of these."
        ),
        issues=issues(91249, 100261),
        fixes=pulls(90373, 91252, 91298, 91950, 91953, 100286),
        mitigation="None but to leave pods alone while they are bound.",
        given=needs(finalizers=1),
        powers=("finalizers",),
        notes=(
            "For other fields, such as labels (`labels=1` in place of `finalizers=1`), it lasts to 1.21.14: from "
            "1.22.0 on every update of an assumed pod is ignored (#100286). The dossier says 1.23, by a source that it "
            "took for 1.22.3 and that is 1.21.4.",
        ),
    ),
    Bug(
        id="NOM-STATUS-KEYED",
        title="A pod is nominated to two nodes",
        system="scheduling",
        release="1.13.0",
        violates="nominated-to-one-node",
        properties=("nominated-to-one-node",),
        consequence="Room is kept twice for one pod.",
        mechanism=(
            "`nominatedPods` is a map from nodes to pods, and `addNominatedPodIfNeeded` looks for the pod under the "
            "node that the object at hand names. The error function's retry adds the object that it has just read, "
            "which names the new node, while the one of the old update is still listed under the old."
        ),
        issues=issues(70622, 85447),
        fixes=pulls(70898, 72259),
        mitigation=_RESTART,
        given=needs(extender=1, preemption=1, bind_errors=1),
        powers=("extender", "bind_errors"),
        notes=(
            "It takes a pod that is nominated to one node and then to another. In the smallest scope that is one whose "
            "binding failed and that an extender keeps refusing.",
        ),
    ),
    Bug(
        id="NOM-RACE-SETTING",
        title="The room that preemption made is taken by another pod, because the nomination is not known yet",
        system="scheduling",
        release="1.13.0",
        violates="preempted-room-is-kept",
        properties=("preempted-room-is-kept",),
        consequence="Victims die for nothing: a pod of lower priority takes their room, and is the next victim.",
        mechanism=(
            "1.13 writes status.nominatedNodeName and deletes the victims; in memory the pod is nominated when its "
            "update comes back. A cycle in between knows nothing of it."
        ),
        issues=issues(72124),
        fixes=pulls(70898, 72259),
        mitigation="None.",
        given=needs(high=1, preemption=1),
        powers=("preemption",),
        notes=(
            "The 20 events of 1.13.0 and 1.13.1 need no event that arrives. The 21 of later releases, up to 1.18, do: "
            "there the nomination is in memory at once, and an update of the pod deletes it again, which is "
            "PREEMPT-RACE-BEFORE-NOMINATE.",
        ),
    ),
    Bug(
        id="PREEMPT-RACE-BEFORE-NOMINATE",
        title="An update of the preempting pod deletes its nomination, and another takes the room",
        system="scheduling",
        release="1.18.4",
        violates="preempted-room-is-kept",
        properties=("preempted-room-is-kept",),
        consequence="Victims die for nothing: a pod of lower priority takes their room, and is the next victim.",
        mechanism=(
            "`preempt` nominates the pod in memory while no queue knows it, as the error function's goroutine has not "
            "put it back yet. The update of its condition, which the scheduler itself has written a moment before, "
            "arrives: `PriorityQueue.Update` takes it for a new pod and calls `nominatedPods.add` for an object whose "
            "status names no node, and that begins with a delete."
        ),
        issues=issues(93505),
        fixes=pulls(90660),
        mitigation="None.",
        given=needs(high=1, preemption=1),
        powers=("preemption",),
        notes=(
            "#93505 tells of the outcome; how an update comes to delete the nomination was read in the Go source "
            "(`nominatedPodMap.add` and the last branch of `PriorityQueue.Update` in 1.17).",
            "From 1.19 on the error function runs in the cycle, before `AddNominatedPod`: the pod is in a queue by "
            "then, an update keeps the nomination, and no other cycle begins in between. So the table has no, where "
            "the dossier says that every release is affected. #93505 is open; what is left of it is asynchronous "
            "preemption, from 1.32 on.",
            "1.13.0 and 1.13.1 have NOM-RACE-SETTING.",
        ),
    ),
    Bug(
        id="NOM-PHANTOM-DELETED",
        title="A pod that was deleted while its failure was handled is nominated afterwards",
        system="scheduling",
        release="1.19.0",
        violates="nominated-pod-is-pending",
        properties=("nominated-pod-is-pending",),
        consequence="Room is kept for ever for a pod that does not exist.",
        mechanism=(
            "The delete event finds nothing nominated. Then `recordSchedulingFailure` calls `AddNominatedPod`, "
            "whatever the error function has found."
        ),
        issues=issues(102339),
        fixes=pulls(102498, 102675, 102674, 109248),
        mitigation=_RESTART,
        given=needs(extender=1, preemption=1, deletes=1),
        powers=("deletes",),
        notes=(
            "In the smallest scope no victim is needed: the extender's rejection is what preemption answers.",
            "The release note has 1.21.2. The source of 1.21.4 has the question whether the pod exists, and factory.go "
            "makes the nominator without the lister that could answer it (`NewPodNominator`); that came with #109248 "
            "in 1.21.12. So the dossier's 1.21.2 is wrong. That is inferred for the other patches of 1.21.",
        ),
    ),
    Bug(
        id="NOM-NOT-CLEARED",
        title="A pod stays nominated to a node on which it can never be placed",
        system="scheduling",
        release="1.23.0",
        violates="nomination-can-come-true",
        properties=("nomination-can-come-true",),
        consequence="status.nominatedNodeName names a node that is gone or full, and lower pods are kept out of it.",
        mechanism=(
            "A failure without a candidate nominates the pod to what its status says, so to the old node "
            "(`AddNominatedPod` with an empty node name), and the status is never cleared."
        ),
        issues=issues(85677, 106780, 95752),
        fixes=pulls(91750, 92604, 106816, 107109),
        mitigation="Delete the pod, or restart the scheduler after its status.nominatedNodeName was cleared by hand.",
        given=needs(high=1, preemption=1, node_deletes=1),
        powers=("node_deletes",),
        notes=(
            "From 1.23.2 on a failure clears the nomination, and the run below violates nothing any more. What the "
            "table still shows from there to 1.28 is NOM-CLEAR-OVERTAKEN, which is as long.",
            "Up to 1.22 it is shorter, or other events lead there: nothing moves the pod again after its victim's "
            "binding failed (QUEUE-FORGET-NO-EVENT), so that it does not even try a second time.",
        ),
    ),
    Bug(
        id="NOM-EMPTY-KEY",
        title='A cleared nomination is kept as one to the node ""',
        system="scheduling",
        release="1.31.0",
        violates="nominated-node-has-a-name",
        properties=("nominated-node-has-a-name",),
        consequence="Memory grows with pods that cannot be placed. No node has that name, so no room is kept.",
        mechanism='`add` deletes the pod, and then files it under what NominatingInfo says, `ModeOverride` and "".',
        issues=(),
        fixes=pulls(139904),
        mitigation="None needed.",
        given=needs(preemption=1),
        powers=("preemption",),
        notes=("#139904 came with 1.37, beyond the modelled releases.",),
    ),
    Bug(
        id="BIND-TIMEOUT-BOUND",
        title="The binding is done, its answer is lost, and FailedScheduling is recorded for a running pod",
        system="scheduling",
        release="1.22.0",
        violates="no-failure-of-bound-pod",
        properties=("no-failure-of-bound-pod",),
        consequence="A running pod has a FailedScheduling event; it may be scheduled again, and preempt others.",
        mechanism=(
            "For the scheduler a lost answer is an error: `ForgetPod`, then the failure is recorded. The guard in the "
            "error function, a look at the pod's node name, keeps a bound pod from the queue if it knows of the bind, "
            "and keeps nobody from recording."
        ),
        issues=issues(108665, 100140),
        fixes=(),
        mitigation="None; look at the pod, not at the event.",
        given=needs(lost_replies=1),
        powers=("lost_replies",),
        notes=("Proposed and closed: #108667.",),
    ),
    Bug(
        id="BIND-UID",
        title="A pod is bound to the node that was chosen for its predecessor of the same name",
        system="scheduling",
        release="1.22.0",
        violates="binds-what-was-decided",
        properties=("binds-what-was-decided",),
        consequence="A pod runs where nobody has looked whether it fits.",
        mechanism="A Binding names the pod, and up to 1.22 the API server does not look at its UID.",
        issues=issues(102761, 105261),
        fixes=pulls(105913, 116550, 116763, 116776),
        mitigation="Let controllers give pods new names, as all of Kubernetes' own but StatefulSets do.",
        given=needs(deletes=1, recreates=1),
        powers=("deletes", "recreates"),
        notes=(
            "1.25 and 1.26 have it again (#110646). The patches that end it there (#116776, #116763, of 03/2023) were "
            "not located, so the table shows them to the end.",
        ),
    ),
)
