-------------------------------- MODULE Waiting --------------------------------
(***************************************************************************)
(* The pods that a PriorityQueue has, where no time passes: no pod backs   *)
(* off, and podBackoffQ is empty.  Operators without variables.  The same  *)
(* as model/scheduler/queue/.                                              *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.32.     *)
(*                                                                         *)
(* A queue is a record with this field, and with any others:               *)
(*   waiting      by name: [pod, place, at, attempts, plugins]             *)
(*     place      active or unschedulable                                  *)
(*     at         the rank by timestamp, the oldest is 1; 0 for all where  *)
(*                the queue keeps no timestamps                            *)
(*     attempts   counted as far as a release can tell the numbers apart   *)
(*     plugins    those that rejected the pod                              *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    KeepsTimes,     \* the queue keeps timestamps
    MostAttempts,   \* a larger number of attempts counts as this one
    \* Rules, named after their fields.
    PoppedRecordRule(_),                  \* record |-> record
    FailedPodRule(_, _),                  \* was there a move request, record |-> place
    StripForQueueRule(_)                  \* pod |-> pod without the fields that an update does not count by

-------------------------------------------------------------------------------
In(queue, place) == {name \in DOMAIN queue.waiting : queue.waiting[name].place = place}

(* Without the record of this name.  The ranks stay without a gap. *)
Left(waiting, name) ==
    IF name \notin DOMAIN waiting
    THEN waiting
    ELSE LET at == waiting[name].at
         IN  [other \in DOMAIN waiting \ {name} |->
                 [waiting[other] EXCEPT !.at = IF @ > at THEN @ - 1 ELSE @]]

(* With a record that gets a timestamp now. *)
Joined(waiting, place, info) ==
    LET rest == Left(waiting, info.pod.name)
        now  == IF KeepsTimes THEN Cardinality(DOMAIN rest) + 1 ELSE 0
    IN  Extended(rest, info.pod.name,
                 [pod |-> info.pod, place |-> place, at |-> now, attempts |-> info.attempts, plugins |-> info.plugins])

Untried(pod) == [pod |-> pod, attempts |-> 0, plugins |-> {}]

(* isPodUpdated *)
StripStatus(pod) == [pod EXCEPT !.nominated = NoNode, !.condition = FALSE, !.disrupted = FALSE]

StripStatusAndFinalizers(pod) == [StripStatus(pod) EXCEPT !.kept = 0]

(* Update.  Both rules are this one, since no pod backs off. *)
Updated(waiting, old, new) ==
    LET name == new.name
    IN  IF name \notin DOMAIN waiting
        THEN Joined(waiting, "active", Untried(new))
        ELSE [waiting EXCEPT ![name].pod   = new,
                             ![name].place = IF StripForQueueRule(old) = StripForQueueRule(new) THEN @ ELSE "active"]

(* The names that Pop may take.  1.13.0 does not say which pod of one priority    *)
(* is first.                                                                      *)
Heads(queue) ==
    LET active  == In(queue, "active")
        highest == {name \in active : \A other \in active : Priority(name) >= Priority(other)}
    IN  {name \in highest : \A other \in highest : queue.waiting[name].at <= queue.waiting[other].at}

PopPodOnly(record) == Untried(record.pod)

OneMore(attempts) == IF attempts < MostAttempts THEN attempts + 1 ELSE MostAttempts

PopCountingAttempts(record) ==
    [pod |-> record.pod, attempts |-> OneMore(record.attempts), plugins |-> record.plugins]

PopClearingPlugins(record) == [PopCountingAttempts(record) EXCEPT !.plugins = {}]

FailedPodByFlag(moved, info) == IF ~moved /\ info.pod.condition THEN "unschedulable" ELSE "active"

FailedPodByCycle(moved, info) == IF moved THEN "active" ELSE "unschedulable"

FailedPodByCycleOrError(moved, info) == IF moved \/ info.plugins = {} THEN "active" ELSE "unschedulable"
===============================================================================
