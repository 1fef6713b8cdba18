-------------------------------- MODULE Fitting --------------------------------
(***************************************************************************)
(* Which nodes have room for a pod, what extenders and preferences leave   *)
(* of them, and which pods may be preempted.  Operators without variables. *)
(* The same as model/systems/scheduling/fitting.py,                        *)
(* model/scheduler/cycle.py and extender.py.                               *)
(*                                                                         *)
(* The one filter is NodeResourcesFit.  w is a world that has a queue and  *)
(* a snapshot.                                                             *)
(***************************************************************************)
EXTENDS Queue, Cache

CONSTANTS
    \* Rules, named after their fields.
    ExtenderFilterRule(_, _),           \* pod, nodes |-> [nodes, error, annotates]
    PreferRule(_, _),                   \* nominated, feasible |-> nodes
    PreemptsWithRule(_)                 \* number of victims |-> is the node a candidate

(* How many pods that are nominated to the node count for this pod: other pods of *)
(* the same priority or of a higher one.                                          *)
Competing(nominations, node, pod) ==
    LET Counts(other) == Priority(other.name) >= Priority(pod.name) /\ Uid(other) # Uid(pod)
    IN  Cardinality(Places(PodsForNode(nominations, node), Counts))

Free(info) == Room - Requested(info)

FeasibleNodes(w, pod) ==
    {node \in Listed(w.snapshot) : 1 + Competing(w.queue.nominations, node, pod) <= Free(w.snapshot[node])}

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

(* May the pod preempt?  Not while a pod of lower priority terminates on the node *)
(* to which the pod is nominated.                                                 *)
Eligible(w, pod) ==
    IF pod.nominated \notin DOMAIN w.snapshot
    THEN TRUE
    ELSE \A uid \in DOMAIN w.snapshot[pod.nominated].pods :
             \A i \in DOMAIN w.snapshot[pod.nominated].pods[uid] :
                 LET other == w.snapshot[pod.nominated].pods[uid][i]
                 IN  ~(other.terminating /\ Priority(other.name) < Priority(pod.name))

(* The pods of lower priority on a node, each as <<uid, which of its copies>>. *)
Lower(info, pod) ==
    UNION {{<<uid, i>> : i \in DOMAIN info.pods[uid]} :
               uid \in {u \in DOMAIN info.pods : Priority(u[1]) < Priority(pod.name)}}

(* The sequences that have each element of the set once. *)
InEveryOrder(set) ==
    {seq \in [1 .. Cardinality(set) -> set] : \A i, j \in DOMAIN seq : seq[i] = seq[j] => i = j}

(* The victims that may be chosen on a node: as many as have to go, in any order. *)
(* All are of the same priority.                                                  *)
VictimsOn(w, node, pod) ==
    LET info  == w.snapshot[node]
        lower == Lower(info, pod)
        free  == Free(info) + Cardinality(lower) - 1 - Competing(w.queue.nominations, node, pod)
        going == IF free >= Cardinality(lower) THEN 0 ELSE Cardinality(lower) - free
    IN  IF free < 0
        THEN {}
        ELSE {[node |-> node, victims |-> [i \in DOMAIN seq |-> seq[i][1]]] :
                  seq \in UNION {InEveryOrder(chosen) : chosen \in {v \in SUBSET lower : Cardinality(v) = going}}}

AnyNumberOfVictims(number) == TRUE

AtLeastOneVictim(number) == number > 0

(* Where the pod may preempt: [node, victims] with the fewest victims.  All       *)
(* victims are of the lower priority.                                             *)
Candidates(w, pod) ==
    LET all == UNION {VictimsOn(w, node, pod) : node \in Listed(w.snapshot)}
        may == {c \in all : PreemptsWithRule(Len(c.victims))}
    IN  IF Eligible(w, pod)
        THEN {c \in may : \A other \in may : Len(c.victims) <= Len(other.victims)}
        ELSE {}
===============================================================================
