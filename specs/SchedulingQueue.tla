----------------------------- MODULE SchedulingQueue -----------------------------
(***************************************************************************)
(* PriorityQueue and nominator, as pure operators.  Function by function   *)
(* the same as model/scheduler/queue.py, queue_move.py, queue_update.py    *)
(* and nominator.py, where no time passes, so that nobody backs off.       *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.30.     *)
(* Each operation runs under PriorityQueue.lock.                           *)
(*                                                                         *)
(* A queue is a record:                                                    *)
(*   waiting  by name: [pod, place, at, attempts, plugins].  place is      *)
(*            active or unschedulable; at is its rank by timestamp, the    *)
(*            oldest 1, or 0 where no times are kept; attempts only as far *)
(*            as a release can tell; plugins rejected it.                  *)
(*   moved    there was a move request since the last Pop: moveRequestCycle*)
(*            >= schedulingCycle, or receivedMoveRequest                   *)
(*   nominations  [pods, to]: node |-> pods in the order they joined; uid  *)
(*            |-> node, which 1.13.0 does not have                         *)
(***************************************************************************)
EXTENDS SchedulingObjects

CONSTANTS
    KeepsTimes,     \* the queue keeps timestamps
    MostAttempts,   \* from how many attempts on none counts
    \* Rules, named after their fields.  nominations, pod, node, what the lister has |-> nominations
    NominatorAddRule(_, _, _, _),
    NominatorDeleteRule(_, _),            \* nominations, pod |-> nominations
    NominatorUpdateRule(_, _, _, _),      \* nominations, old, new, listed |-> nominations
    NominateAddedRule(_, _, _, _),        \* nominations, pod, was it unschedulable, listed |-> nominations
    NominateWaitingRule(_, _, _),         \* nominations, pod, listed |-> nominations
    NominateForNodeRule(_, _, _, _),      \* nominations, pod, node, listed |-> nominations
    PoppedRecordRule(_),                  \* record |-> record
    FailedPodRule(_, _),                  \* was there a move request, record |-> place
    StripForQueueRule(_),                 \* pod |-> pod without what an update does not count by
    PodsForMoveRequestRule(_, _)          \* names, do they pass the check |-> names

-------------------------------------------------------------------------------
(* The nominator. *)

NoNominations == [pods |-> EmptyFunction, to |-> EmptyFunction]

PodsForNode(nominations, node) == IF node \in DOMAIN nominations.pods THEN nominations.pods[node] ELSE <<>>

Knows(seq, uid) == \E i \in DOMAIN seq : Uid(seq[i]) = uid

Appended(nominations, node, pod) ==
    Extended(nominations.pods, node, Append(PodsForNode(nominations, node), pod))

(* Without the first pod of this uid on the node; a node without pods goes too. *)
TakenOff(nominations, node, uid) ==
    LET seq   == PodsForNode(nominations, node)
        own   == {i \in DOMAIN seq : Uid(seq[i]) = uid}
    IN  IF own = {}
        THEN nominations.pods
        ELSE IF Len(seq) = 1
             THEN Without(nominations.pods, node)
             ELSE [nominations.pods EXCEPT ![node] = Dropped(seq, Least(own))]

(* 1.13.0: by the pod's own status. *)
AddByStatus(nominations, pod, node, listed) ==
    IF pod.nominated = NoNode \/ Knows(PodsForNode(nominations, pod.nominated), Uid(pod))
    THEN nominations
    ELSE [nominations EXCEPT !.pods = Appended(nominations, pod.nominated, pod)]

DeleteByStatus(nominations, pod) == [nominations EXCEPT !.pods = TakenOff(nominations, pod.nominated, Uid(pod))]

NodeOf(nominations, uid) == IF uid \in DOMAIN nominations.to THEN nominations.to[uid] ELSE None

DeleteByUid(nominations, pod) ==
    LET uid == Uid(pod)
    IN  IF uid \notin DOMAIN nominations.to
        THEN nominations
        ELSE [pods |-> TakenOff(nominations, nominations.to[uid], uid), to |-> Without(nominations.to, uid)]

AddAnew(nominations, pod, node) ==
    [pods |-> IF Knows(PodsForNode(nominations, node), Uid(pod))
              THEN nominations.pods
              ELSE Appended(nominations, node, pod),
     to   |-> Extended(nominations.to, Uid(pod), node)]

AddUnlessNowhere(nominations, pod, node) ==
    IF node = NoNode THEN nominations ELSE AddAnew(nominations, pod, node)

(* From 1.14 on "" stands for what the status says. *)
AddUnchecked(nominations, pod, node, listed) ==
    AddUnlessNowhere(DeleteByUid(nominations, pod), pod, IF node \in {None, NoNode} THEN pod.nominated ELSE node)

AddIfListed(nominations, pod, node, listed) ==
    IF listed = None THEN DeleteByUid(nominations, pod) ELSE AddUnchecked(nominations, pod, node, listed)

AddIfListedUnbound(nominations, pod, node, listed) ==
    IF listed = None
    THEN DeleteByUid(nominations, pod)
    ELSE IF Bound(listed) THEN DeleteByUid(nominations, pod) ELSE AddUnchecked(nominations, pod, node, listed)

(* From 1.23.2 on "" overrides, too. *)
AddOverriding(nominations, pod, node, listed) ==
    LET rest == DeleteByUid(nominations, pod)
    IN  IF listed = None \/ (node = None /\ pod.nominated = NoNode)
        THEN rest
        ELSE AddAnew(rest, pod, IF node = None THEN pod.nominated ELSE node)

AddOverridingUnlessBound(nominations, pod, node, listed) ==
    IF listed = None
    THEN DeleteByUid(nominations, pod)
    ELSE IF Bound(listed) THEN DeleteByUid(nominations, pod) ELSE AddOverriding(nominations, pod, node, listed)

UpdateByStatus(nominations, old, new, listed) ==
    NominatorAddRule(NominatorDeleteRule(nominations, old), new, None, listed)

(* 1.15: a nomination that neither status names is kept. *)
UpdateKeepingMemory(nominations, old, new, listed) ==
    LET node == IF old.nominated = NoNode /\ new.nominated = NoNode THEN NodeOf(nominations, Uid(old)) ELSE None
    IN  NominatorAddRule(NominatorDeleteRule(nominations, old), new, node, listed)

(* 1.19 to 1.30: lists hold the records of the queue, which have the new pod by then. *)
UpdateSharingRecord(nominations, old, new, listed) ==
    LET Renamed(pod) == IF Uid(pod) = Uid(old) THEN new ELSE pod
        shared == [node \in DOMAIN nominations.pods |->
                      [i \in DOMAIN nominations.pods[node] |-> Renamed(nominations.pods[node][i])]]
    IN  UpdateKeepingMemory(IF Uid(old) = Uid(new) THEN nominations ELSE [nominations EXCEPT !.pods = shared],
                            old, new, listed)

NominateAddedByStatus(nominations, pod, waited, listed) == NominatorAddRule(nominations, pod, None, listed)

NominateAddedAnew(nominations, pod, waited, listed) ==
    IF waited
    THEN NominatorUpdateRule(nominations, pod, pod, listed)
    ELSE NominatorAddRule(nominations, pod, None, listed)

NominateWaitingByStatus(nominations, pod, listed) == NominatorAddRule(nominations, pod, None, listed)

NominatedAtOnce(nominations, pod, node, listed) == NominatorAddRule(nominations, pod, node, listed)

NominatedByStatusOnly(nominations, pod, node, listed) == nominations

-------------------------------------------------------------------------------
(* The queue. *)

EmptyQueue == [waiting |-> EmptyFunction, moved |-> FALSE, nominations |-> NoNominations]

In(queue, place) == {name \in DOMAIN queue.waiting : queue.waiting[name].place = place}

(* Without the record of this name, and ranks without a gap. *)
Left(waiting, name) ==
    IF name \notin DOMAIN waiting
    THEN waiting
    ELSE LET at == waiting[name].at
         IN  [other \in DOMAIN waiting \ {name} |->
                 [waiting[other] EXCEPT !.at = IF @ > at THEN @ - 1 ELSE @]]

(* With a record that gets its timestamp now. *)
Joined(waiting, place, info) ==
    LET rest == Left(waiting, info.pod.name)
        now  == IF KeepsTimes THEN Cardinality(DOMAIN rest) + 1 ELSE 0
    IN  Extended(rest, info.pod.name,
                 [pod |-> info.pod, place |-> place, at |-> now, attempts |-> info.attempts, plugins |-> info.plugins])

Untried(pod) == [pod |-> pod, attempts |-> 0, plugins |-> {}]

QueueAdd(queue, pod, listed) ==
    [queue EXCEPT !.waiting     = Joined(@, "active", Untried(pod)),
                  !.nominations = NominateAddedRule(@, pod, pod.name \in In(queue, "unschedulable"), listed)]

(* isPodUpdated *)
StripStatus(pod) == [pod EXCEPT !.nominated = NoNode, !.condition = FALSE]

StripStatusAndFinalizers(pod) == [StripStatus(pod) EXCEPT !.kept = 0]

(* Both rules of Update: nobody backs off. *)
QueueUpdate(queue, old, new, listed) ==
    LET name == new.name
    IN  IF name \notin DOMAIN queue.waiting
        THEN [queue EXCEPT !.waiting     = Joined(@, "active", Untried(new)),
                           !.nominations = NominatorAddRule(@, new, None, listed)]
        ELSE [queue EXCEPT !.waiting[name].pod   = new,
                           !.waiting[name].place = IF StripForQueueRule(old) = StripForQueueRule(new) THEN @ ELSE "active",
                           !.nominations         = NominatorUpdateRule(@, old, new, listed)]

QueueDelete(queue, pod) ==
    [queue EXCEPT !.waiting = Left(@, pod.name), !.nominations = NominatorDeleteRule(@, pod)]

(* The names that Pop may take: 1.13.0 does not say which of one priority. *)
Heads(queue) ==
    LET active  == In(queue, "active")
        highest == IF active \intersect HighPods = {} THEN active ELSE active \intersect HighPods
    IN  {name \in highest : \A other \in highest : queue.waiting[name].at <= queue.waiting[other].at}

PopPodOnly(record) == Untried(record.pod)

OneMore(attempts) == IF attempts < MostAttempts THEN attempts + 1 ELSE MostAttempts

PopCountingAttempts(record) ==
    [pod |-> record.pod, attempts |-> OneMore(record.attempts), plugins |-> record.plugins]

PopClearingPlugins(record) == [PopCountingAttempts(record) EXCEPT !.plugins = {}]

Popped(queue, name) == [queue EXCEPT !.waiting = Left(@, name), !.moved = FALSE]

FailedPodByFlag(moved, info) == IF ~moved /\ info.pod.condition THEN "unschedulable" ELSE "active"

FailedPodByCycle(moved, info) == IF moved THEN "active" ELSE "unschedulable"

FailedPodByCycleOrError(moved, info) == IF moved \/ info.plugins = {} THEN "active" ELSE "unschedulable"

AddUnschedulableIfNotPresent(queue, info, moved, listed) ==
    IF info.pod.name \in DOMAIN queue.waiting
    THEN queue
    ELSE [queue EXCEPT !.waiting     = Joined(@, FailedPodRule(moved, info), info),
                       !.nominations = NominateWaitingRule(@, info.pod, listed)]

AllUnschedulable(names, passes) == names

ThosePassingPreCheck(names, passes) == IF passes THEN names ELSE {}

(* Every event that moves pods here is one that each plugin of the model waits *)
(* for, so what rejected a pod makes no difference (podMatchesEvent).          *)
MoveAll(queue, passes) ==
    LET goes == PodsForMoveRequestRule(In(queue, "unschedulable"), passes)
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> IF name \in goes THEN [@[name] EXCEPT !.place = "active"]
                                                                          ELSE @[name]],
                      !.moved   = TRUE]

(* AssignedPodAdded, AssignedPodUpdated: no pod asks for affinity. *)
NoteMoveRequest(queue) == [queue EXCEPT !.moved = TRUE]

AddNominatedPod(queue, pod, node, listed) ==
    [queue EXCEPT !.nominations = NominateForNodeRule(@, pod, node, listed)]

DeleteNominatedPodIfExists(queue, pod) == [queue EXCEPT !.nominations = NominatorDeleteRule(@, pod)]
===============================================================================
