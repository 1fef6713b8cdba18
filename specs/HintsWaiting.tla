------------------------------ MODULE HintsWaiting ------------------------------
(***************************************************************************)
(* The pods that a PriorityQueue has from 1.28 on: with PreEnqueue plugins *)
(* that hold pods back, with pods that a plugin left pending, and, with    *)
(* Clock, with backoffs.  Operators without variables.  The same as        *)
(* model/scheduler/queue/: sub_queues, pre_enqueue, backoff, and           *)
(* model/world/times.py.                                                   *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.28 to 1.31;     *)
(* pkg/scheduler/backend/queue/ from 1.32 on.                              *)
(*                                                                         *)
(* A queue is a record with these fields, and with any others:             *)
(*   waiting      by name, a record as in Waiting.tla:                     *)
(*     place      active, backoff or unschedulable                         *)
(*     at         without Clock the rank by timestamp.  With Clock the     *)
(*                timestamp in ms, where now is 0                          *)
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
    Clock,              \* a switch: time passes, and pods back off
    Backoff,            \* how long a pod backs off, in ms; with Clock
    Limit,              \* how long a pod stays in unschedulablePods until the flush, in ms: twice the backoff
    UntriedBacksOff,    \* a pod that was never popped backs off
    BacksOffAtEnd,      \* at its end a backoff is not yet over
    GatedBacksOff,      \* a pod that a plugin holds back may back off
    PopsFromBackoff,    \* an empty activeQ has Pop take from the backoff queue
    PreEnqueuePlugins,  \* the plugins that may hold a pod back
    GatesAskedFirst     \* SchedulingGates is asked before DynamicResources

(* Whoever rejected the pod. *)
Rejecting(record) == record.plugins \union record.pending

-------------------------------------------------------------------------------
(* Time. *)

(* The queue a moment later. *)
Later(queue, ms) ==
    IF Clock
    THEN [queue EXCEPT !.waiting = [name \in DOMAIN queue.waiting |-> [queue.waiting[name] EXCEPT !.at = @ - ms]]]
    ELSE queue

Moment(w) == [w EXCEPT !.queue = Later(@, 1)]

BackoffEnds(record) == record.at + Backoff

HasBackoff(record) == UntriedBacksOff \/ record.attempts > 0

BackingOff(record) ==
    /\ Clock
    /\ record.gating = "" \/ GatedBacksOff
    /\ HasBackoff(record)
    /\ IF BacksOffAtEnd THEN BackoffEnds(record) >= 0 ELSE BackoffEnds(record) > 0

(* When something ends, from now on. *)
Instants(queue, flushes) ==
    LET waits(place) == {queue.waiting[name] : name \in In(queue, place)}
        ends   == {BackoffEnds(r) : r \in {s \in waits("backoff") \union waits("unschedulable") : HasBackoff(s)}}
        limits == IF flushes THEN {r.at + Limit : r \in waits("unschedulable")} ELSE {}
    IN  {at \in ends \union limits : at >= 0}

(* Times that keep all that a rule can tell: regions, as in timed automata.  An age is *)
(* whole backoffs and a rest, and of the rests only the order counts.  Of times that   *)
(* are older than Limit only the order counts.                                         *)
Compressed(queue) ==
    LET ats   == {-queue.waiting[name].at : name \in DOMAIN queue.waiting}
        old   == {age \in ats : age > Limit}
        rests == {age % Backoff : age \in ats \ old} \union {0}
        Under(set, x) == Cardinality({y \in set : y < x})
        Age(age) == IF age \in old
                    THEN Limit + (Backoff \div 2) + Under(old, age)
                    ELSE (age \div Backoff) * Backoff + Under(rests, age % Backoff)
    IN  IF Clock
        THEN [queue EXCEPT !.waiting =
                 [name \in DOMAIN queue.waiting |-> [queue.waiting[name] EXCEPT !.at = -Age(-@)]]]
        ELSE queue

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

ToBackoffOrActive(queue, record) == IF BackingOff(record) THEN ToBackoff(queue, record) ELSE ToActive(queue, record)

(* hint is skip, after (the backoff) or immediately. *)
ByHint(queue, record, hint) ==
    CASE hint = "skip" -> [record EXCEPT !.place = "unschedulable"]
      [] hint = "after" -> ToBackoffOrActive(queue, record)
      [] hint = "immediately" -> ToActive(queue, record)

-------------------------------------------------------------------------------
(* Records come and go. *)

NewRecord(pod) ==
    [pod |-> pod, place |-> "active", at |-> 0, attempts |-> 0, plugins |-> {}, pending |-> {}, gating |-> ""]

TakenOut(waiting, name) == IF Clock /\ name \in DOMAIN waiting THEN Without(waiting, name) ELSE Left(waiting, name)

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
Completed(queue) == {name \in In(queue, "backoff") : ~BackingOff(queue.waiting[name])}

FlushBackoff(queue) ==
    LET Moved(record) == IF PopsFromBackoff THEN [record EXCEPT !.place = "active"] ELSE ToActive(queue, record)
        completed     == Completed(queue)
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN queue.waiting |-> IF name \in completed
                                                                     THEN Moved(queue.waiting[name])
                                                                     ELSE queue.waiting[name]]]

(* flushUnschedulablePodsLeftover moves these. *)
Leftover(queue) == {name \in In(queue, "unschedulable") : -queue.waiting[name].at > Limit}

(* popBackoff: with the pod in activeQ that Pop takes from the backoff queue. *)
WithHead(queue) ==
    LET tried == {name \in In(queue, "backoff") : Rejecting(queue.waiting[name]) # {}}
        first == CHOOSE name \in tried : \A other \in tried : queue.waiting[name].at <= queue.waiting[other].at
    IN  IF PopsFromBackoff /\ In(queue, "active") = {} /\ tried # {}
        THEN [queue EXCEPT !.waiting[first].place = "active"]
        ELSE queue
===============================================================================
