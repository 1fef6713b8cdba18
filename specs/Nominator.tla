------------------------------- MODULE Nominator -------------------------------
(***************************************************************************)
(* The nominator: pods that wait for room on a node, by the node's name.   *)
(* Operators without variables.  Function by function the same as          *)
(* model/scheduler/queue/nominator.py.                                     *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.30,     *)
(* nominator.go in 1.31.                                                   *)
(*                                                                         *)
(* Nominations are a record:                                               *)
(*   pods  by node: the pods in the order in which they joined             *)
(*   to    by uid: the node.  1.13.0 does not have this map.               *)
(* In 1.31 a pod there is a reference: its name and uid, and nothing that  *)
(* it asks for.                                                            *)
(* listed is the pod of the same name that the informer's store has, or    *)
(* None.                                                                   *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    \* Rules, named after their fields.
    NominatorAddRule(_, _, _, _),         \* nominations, pod, node, listed |-> nominations
    NominatorDeleteRule(_, _),            \* nominations, pod |-> nominations
    NominatorUpdateRule(_, _, _, _),      \* nominations, old, new, listed |-> nominations
    NominateAddedRule(_, _, _, _),        \* nominations, pod, was the pod unschedulable, listed |-> nominations
    NominateWaitingRule(_, _, _),         \* nominations, pod, listed |-> nominations
    NominateForNodeRule(_, _, _, _)       \* nominations, pod, node, listed |-> nominations

-------------------------------------------------------------------------------
NoNominations == [pods |-> EmptyFunction, to |-> EmptyFunction]

PodsForNode(nominations, node) == IF node \in DOMAIN nominations.pods THEN nominations.pods[node] ELSE <<>>

Knows(seq, uid) == \E i \in DOMAIN seq : Uid(seq[i]) = uid

Appended(nominations, node, pod) ==
    Extended(nominations.pods, node, Append(PodsForNode(nominations, node), pod))

(* Without the first pod of this uid on the node.  A node without pods is left   *)
(* out.                                                                          *)
TakenOff(nominations, node, uid) ==
    LET seq   == PodsForNode(nominations, node)
        own   == {i \in DOMAIN seq : Uid(seq[i]) = uid}
    IN  IF own = {}
        THEN nominations.pods
        ELSE IF Len(seq) = 1
             THEN Without(nominations.pods, node)
             ELSE [nominations.pods EXCEPT ![node] = Dropped(seq, Least(own))]

(* 1.13.0: the pod's own status names the node. *)
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

(* From 1.14 on "" means the node that the status names. *)
AddUnchecked(nominations, pod, node, listed) ==
    AddUnlessNowhere(DeleteByUid(nominations, pod), pod, IF node \in {None, NoNode} THEN pod.nominated ELSE node)

AddIfListed(nominations, pod, node, listed) ==
    IF listed = None THEN DeleteByUid(nominations, pod) ELSE AddUnchecked(nominations, pod, node, listed)

AddIfListedUnbound(nominations, pod, node, listed) ==
    IF listed = None
    THEN DeleteByUid(nominations, pod)
    ELSE IF Bound(listed) THEN DeleteByUid(nominations, pod) ELSE AddUnchecked(nominations, pod, node, listed)

(* From 1.23.2 on "" replaces the node of the status, too. *)
AddOverriding(nominations, pod, node, listed) ==
    LET rest == DeleteByUid(nominations, pod)
    IN  IF listed = None \/ (node = None /\ pod.nominated = NoNode)
        THEN rest
        ELSE AddAnew(rest, pod, IF node = None THEN pod.nominated ELSE node)

AddOverridingUnlessBound(nominations, pod, node, listed) ==
    IF listed = None
    THEN DeleteByUid(nominations, pod)
    ELSE IF Bound(listed) THEN DeleteByUid(nominations, pod) ELSE AddOverriding(nominations, pod, node, listed)

(* 1.31 *)
AddReference(nominations, pod, node, listed) ==
    LET named == IF node = None /\ pod.nominated # NoNode THEN pod.nominated ELSE node
    IN  AddOverridingUnlessBound(nominations, Reference(pod), named, listed)

UpdateByStatus(nominations, old, new, listed) ==
    NominatorAddRule(NominatorDeleteRule(nominations, old), new, None, listed)

(* From 1.15 on a nomination that neither status names is kept. *)
UpdateKeepingMemory(nominations, old, new, listed) ==
    LET node == IF old.nominated = NoNode /\ new.nominated = NoNode THEN NodeOf(nominations, Uid(old)) ELSE None
    IN  NominatorAddRule(NominatorDeleteRule(nominations, old), new, node, listed)

(* 1.21 to 1.30: the lists hold the records of the queue.  These have the new pod *)
(* already.                                                                       *)
UpdateSharingRecord(nominations, old, new, listed) ==
    LET Renamed(pod) == IF Uid(pod) = Uid(old) THEN new ELSE pod
        shared == [node \in DOMAIN nominations.pods |->
                      [i \in DOMAIN nominations.pods[node] |-> Renamed(nominations.pods[node][i])]]
    IN  UpdateKeepingMemory(IF Uid(old) = Uid(new) THEN nominations ELSE [nominations EXCEPT !.pods = shared],
                            old, new, listed)

-------------------------------------------------------------------------------
(* What the queue's operations ask of the nominator. *)

NominateAddedByStatus(nominations, pod, waited, listed) == NominatorAddRule(nominations, pod, None, listed)

NominateAddedAnew(nominations, pod, waited, listed) ==
    IF waited
    THEN NominatorUpdateRule(nominations, pod, pod, listed)
    ELSE NominatorAddRule(nominations, pod, None, listed)

NominateWaitingByStatus(nominations, pod, listed) == NominatorAddRule(nominations, pod, None, listed)

(* 1.31 *)
NominateWaitingAsBefore(nominations, pod, listed) == nominations

NominatedAtOnce(nominations, pod, node, listed) == NominatorAddRule(nominations, pod, node, listed)

NominatedByStatusOnly(nominations, pod, node, listed) == nominations
===============================================================================
