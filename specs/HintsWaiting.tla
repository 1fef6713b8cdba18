------------------------------ MODULE HintsWaiting ------------------------------
(***************************************************************************)
(* The pods that a PriorityQueue has from 1.28 on: with PreEnqueue plugins *)
(* that hold pods back, and with pods that a plugin left pending.          *)
(* Operators without variables.  The same as model/scheduler/queue/:       *)
(* sub_queues, pre_enqueue, backoff.                                       *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.28 to 1.31;     *)
(* pkg/scheduler/backend/queue/ from 1.32 on.                              *)
(*                                                                         *)
(* A queue is a record with these fields, and with any others:             *)
(*   waiting      by name, a record as in Waiting.tla, and                 *)
(*     pending    the plugins that left the pod pending                    *)
(*     gating     the PreEnqueue plugin that holds the pod back, or ""     *)
(*   lacksClaims  the ResourceClaims that the pods name are missing        *)
(*                                                                         *)
(* A pod is in one place.  Up to 1.30 Activate of a pod of the backoff     *)
(* queue that a plugin holds back leaves the pod in two places, and so may *)
(* an Add.  That has no form.                                              *)
(***************************************************************************)
EXTENDS Waiting

CONSTANTS
    GatedBacksOff,      \* a pod that a plugin holds back may back off
    PopsFromBackoff,    \* an empty activeQ has Pop take from the backoff queue
    PreEnqueuePlugins,  \* the plugins that may hold a pod back
    GatesAskedFirst     \* SchedulingGates is asked before DynamicResources

(* Whoever rejected the pod. *)
Rejecting(record) == record.plugins \union record.pending

(* Whether the pod backs off. *)
BackingOff(queue, record) == (record.gating = "" \/ GatedBacksOff) /\ HasToWait(queue, record)

-------------------------------------------------------------------------------
(* PreEnqueue. *)

RejectsBefore(queue, plugin, pod) ==
    CASE plugin = "SchedulingGates" -> pod.gated
      [] plugin = "DynamicResources" -> queue.lacksClaims

(* runPreEnqueuePlugins: the record, held back or not. *)
AskedOf(queue, record) ==
    LET rejecting == {plugin \in PreEnqueuePlugins : RejectsBefore(queue, plugin, record.pod)}
        asked     == IF GatesAskedFirst THEN "SchedulingGates" ELSE "DynamicResources"
        first     == IF asked \in rejecting THEN asked ELSE CHOOSE plugin \in rejecting : TRUE
    IN  IF rejecting = {}
        THEN [record EXCEPT !.gating = ""]
        ELSE [record EXCEPT !.plugins = @ \union {first}, !.gating = first]

(* The record in activeQ, where it was not before, or held back. *)
ToActive(queue, record) ==
    LET asked == IF PreEnqueuePlugins = {} THEN record ELSE AskedOf(queue, record)
    IN  [asked EXCEPT !.place = IF asked.gating = "" THEN "active" ELSE "unschedulable"]

ToBackoff(queue, record) ==
    LET asked == IF PopsFromBackoff /\ PreEnqueuePlugins # {} THEN AskedOf(queue, record) ELSE record
        held  == PopsFromBackoff /\ asked.gating # ""
    IN  [asked EXCEPT !.place = IF held THEN "unschedulable" ELSE "backoff"]

ToBackoffOrActive(queue, record) == IF BackingOff(queue, record) THEN ToBackoff(queue, record) ELSE ToActive(queue, record)

(* hint is skip, after (the backoff) or immediately. *)
ByHint(queue, record, hint) ==
    CASE hint = "skip" -> [record EXCEPT !.place = "unschedulable"]
      [] hint = "after" -> ToBackoffOrActive(queue, record)
      [] hint = "immediately" -> ToActive(queue, record)

-------------------------------------------------------------------------------
(* Records come and go. *)

NewRecord(pod) ==
    [pod |-> pod, place |-> "active", at |-> 0, attempts |-> 0, plugins |-> {}, pending |-> {}, gating |-> ""]

(* With the record, which gets a timestamp now. *)
Stamped(queue, record) ==
    LET rest == TakenOut(queue.waiting, record.pod.name)
        now  == IF Clock THEN 0 ELSE Cardinality(DOMAIN rest) + 1
    IN  [queue EXCEPT !.waiting = Extended(rest, record.pod.name, [record EXCEPT !.at = now])]

(* With the record in place of the one of this name. *)
Put(queue, record) == [queue EXCEPT !.waiting[record.pod.name] = record]

IsIn(queue, name, place) == IF name \in DOMAIN queue.waiting THEN queue.waiting[name].place = place ELSE FALSE

(* Add.  A pod that activeQ has is not asked for again. *)
Add(queue, pod) ==
    LET new == NewRecord(pod)
    IN  Stamped(queue, IF IsIn(queue, pod.name, "active") THEN new ELSE ToActive(queue, new))

(* Update where no hint is asked. *)
UpdateRespecting(queue, old, new) ==
    LET record == [queue.waiting[new.name] EXCEPT !.pod = new]
    IN  IF new.name \notin DOMAIN queue.waiting
        THEN Stamped(queue, ToActive(queue, NewRecord(new)))
        ELSE Put(queue, IF record.place = "unschedulable" /\ StripForQueueRule(old) # StripForQueueRule(new)
                        THEN ToBackoffOrActive(queue, record)
                        ELSE record)

(* flushBackoffQCompleted *)
Completed(queue) == {name \in In(queue, "backoff") : ~BackingOff(queue, queue.waiting[name])}

FlushBackoff(queue) ==
    LET Moved(record) == IF PopsFromBackoff THEN [record EXCEPT !.place = "active"] ELSE ToActive(queue, record)
        completed     == Completed(queue)
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN queue.waiting |-> IF name \in completed
                                                                     THEN Moved(queue.waiting[name])
                                                                     ELSE queue.waiting[name]]]

(* popBackoff: with the pod in activeQ that Pop takes from the backoff queue. *)
WithHead(queue) ==
    LET tried == {name \in In(queue, "backoff") : Rejecting(queue.waiting[name]) # {}}
        first == CHOOSE name \in tried : \A other \in tried : queue.waiting[name].at <= queue.waiting[other].at
    IN  IF PopsFromBackoff /\ In(queue, "active") = {} /\ tried # {}
        THEN [queue EXCEPT !.waiting[first].place = "active"]
        ELSE queue
===============================================================================
