-------------------------------- MODULE Fitting --------------------------------
(***************************************************************************)
(* Which nodes have room for a pod, what extenders and preferences leave   *)
(* of them, and which pods may be preempted.  Operators without variables. *)
(* The same as model/systems/scheduling/fitting.py,                        *)
(* model/scheduler/cycle.py and extender.py.                               *)
(*                                                                         *)
(* The filters are NodeUnschedulable, NodeResourcesFit, and                *)
(* InterPodAffinity against pods of others.  They run in this order.  w is *)
(* a world that has a queue and a snapshot.                                *)
(***************************************************************************)
EXTENDS Queue, Cache

CONSTANTS
    AsksAgain,                          \* preemption asks why the nominated node was rejected
    SmallNodeIsUnresolvable,            \* a node that has less than the pod asks for is hopeless: 1.34 on
    AntiAffinity,                       \* on every node a pod of others keeps pods with the label app=1 away
    \* Rules, named after their fields.
    ExtenderFilterRule(_, _),           \* pod, nodes |-> [nodes, error, annotates]
    PreferRule(_, _),                   \* nominated, feasible |-> nodes
    PreemptsWithRule(_),                \* number of victims |-> is the node a candidate
    TerminatingPodCountsRule(_)         \* pod |-> does it keep the pod from preempting again

(* What the pods ask for that are nominated to the node and count for this pod:   *)
(* other pods of the same priority or of a higher one.                            *)
Competing(queue, node, pod) ==
    LET Counts(other) == PriorityOf(other) >= Priority(pod.name) /\ Uid(other) # Uid(pod)
        list == NominatedPods(queue, node)
    IN  SumOver([i \in DOMAIN list |-> list[i].cpu], Places(list, Counts))

Free(info) == info.is.room - Requested(info)

KeptAway(pod) == AntiAffinity /\ pod.app = 1

(* Does the node let the pod in, apart from resources?  A bound pod is let in by    *)
(* its own node alone.                                                            *)
Tolerates(is, node, pod) == ~is.cordoned /\ ~KeptAway(pod) /\ pod.node \in {NoNode, node}

(* The plugin that rejects the node first, or "". *)
RejectedBy(w, node, pod) ==
    IF w.snapshot[node].is.cordoned
    THEN "NodeUnschedulable"
    ELSE IF pod.cpu + Competing(w.queue, node, pod) > Free(w.snapshot[node])
         THEN "NodeResourcesFit"
         ELSE IF KeptAway(pod) THEN "InterPodAffinity" ELSE ""

(* Of each node that is listed. *)
Verdicts(w, pod) == [node \in Listed(w.snapshot) |-> RejectedBy(w, node, pod)]

FilterEmptyWhenAllocated(pod, fitting) ==
    [nodes |-> IF pod.gpu THEN {} ELSE fitting, error |-> FALSE, annotates |-> ~pod.gpu]

FilterErrorWhenAllocated(pod, fitting) ==
    [nodes |-> IF pod.gpu THEN {} ELSE fitting, error |-> pod.gpu, annotates |-> ~pod.gpu]

FilterKeepsAll(pod, fitting) == [nodes |-> fitting, error |-> FALSE, annotates |-> FALSE]

FilterRejectsAll(pod, fitting) == [nodes |-> {}, error |-> FALSE, annotates |-> FALSE]

LookAtAllNodes(nominated, feasible) == feasible

(* From 1.22 on. *)
NominatedNodeFirst(nominated, feasible) == IF nominated \in feasible THEN {nominated} ELSE feasible

-------------------------------------------------------------------------------
(* Preemption. *)

AnyTerminatingPod(pod) == pod.terminating

(* 1.27 on. *)
TerminatingByPreemption(pod) == pod.terminating /\ pod.disrupted

(* A mutant. *)
NoPodCounts(pod) == FALSE

(* Nobody's leaving would let the pod onto the node. *)
Hopeless(is, pod) == is.cordoned \/ (SmallNodeIsUnresolvable /\ pod.cpu > is.room)

(* May the pod preempt?  Not while a pod of lower priority terminates on the node *)
(* to which the pod is nominated, and counts.  From 1.19 on that matters only as  *)
(* long as the node is not cordoned, and from 1.34 on not too small.              *)
Eligible(w, pod) ==
    IF pod.nominated \notin DOMAIN w.snapshot
    THEN TRUE
    ELSE IF AsksAgain /\ Hopeless(w.snapshot[pod.nominated].is, pod)
    THEN TRUE
    ELSE \A uid \in DOMAIN w.snapshot[pod.nominated].pods :
             \A i \in DOMAIN w.snapshot[pod.nominated].pods[uid] :
                 LET other == w.snapshot[pod.nominated].pods[uid][i]
                 IN  ~(TerminatingPodCountsRule(other) /\ Priority(other.name) < Priority(pod.name))

(* The pods of lower priority on a node, each as <<uid, which of its copies>>. *)
Lower(info, pod) ==
    UNION {{<<uid, i>> : i \in DOMAIN info.pods[uid]} :
               uid \in {u \in DOMAIN info.pods : Priority(u[1]) < Priority(pod.name)}}

(* Whoever of these does not fit when they come back in this order. *)
RECURSIVE NotSpared(_, _, _)
NotSpared(info, order, free) ==
    IF order = <<>>
    THEN <<>>
    ELSE LET cpu == info.pods[Head(order)[1]][Head(order)[2]].cpu
         IN  IF cpu <= free
             THEN NotSpared(info, Tail(order), free - cpu)
             ELSE <<Head(order)>> \o NotSpared(info, Tail(order), free)

(* The victims that may be chosen on a node.  All pods of lower priority leave,   *)
(* then those come back that fit, the more important first.  Among equals the     *)
(* start time decides: any order is possible.                                     *)
VictimsOn(w, node, pod) ==
    LET info  == w.snapshot[node]
        lower == Lower(info, pod)
        freed == SumOver([v \in lower |-> info.pods[v[1]][v[2]].cpu], lower)
        free  == Free(info) + freed - pod.cpu - Competing(w.queue, node, pod)
        Importance(v) == Priority(v[1][1])
        orders == {order \in InEveryOrder(lower) :
                       \A i, j \in DOMAIN order : i < j => Importance(order[i]) >= Importance(order[j])}
        going == {NotSpared(info, order, free) : order \in orders}
    IN  IF free < 0 \/ ~Tolerates(info.is, node, pod)
        THEN {}
        ELSE {[node |-> node, victims |-> [i \in DOMAIN seq |-> seq[i][1]]] : seq \in going}

AnyNumberOfVictims(number) == TRUE

AtLeastOneVictim(number) == number > 0

(* What a choice of victims costs: the highest priority of them, the sum of their *)
(* priorities, their number.  Each priority is shifted so far that one pod more   *)
(* is always more harm.                                                           *)
Cost(victims) ==
    LET importance == [i \in DOMAIN victims |-> Priority(victims[i][1])]
        shifted    == [i \in DOMAIN victims |-> 1000 + importance[i]]
    IN  <<IF victims = <<>> THEN -1 ELSE CHOOSE p \in Range(importance) : \A q \in Range(importance) : p >= q,
          SumOver(shifted, DOMAIN shifted), Len(victims)>>

NotMore(a, b) ==
    \/ a[1] < b[1]
    \/ a[1] = b[1] /\ a[2] < b[2]
    \/ a[1] = b[1] /\ a[2] = b[2] /\ a[3] <= b[3]

(* Where the pod may preempt: [node, victims].  Start times decide which victims  *)
(* each node has.  So some victims of each other node are no less harm, or do not *)
(* make that node a candidate.                                                    *)
Candidates(w, pod) ==
    LET on == [node \in Listed(w.snapshot) |-> VictimsOn(w, node, pod)]
        May(c) == PreemptsWithRule(Len(c.victims))
        IsLeast(c, node) ==
            \/ node = c.node
            \/ on[node] = {}
            \/ \E other \in on[node] : May(other) => NotMore(Cost(c.victims), Cost(other.victims))
    IN  IF Eligible(w, pod)
        THEN {c \in UNION {on[node] : node \in DOMAIN on} : May(c) /\ \A node \in DOMAIN on : IsLeast(c, node)}
        ELSE {}
===============================================================================
