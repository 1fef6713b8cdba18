-------------------------------- MODULE Waiting --------------------------------
(***************************************************************************)
(* The pods that a PriorityQueue has, and time.  Without Clock no time     *)
(* passes: no pod backs off, and podBackoffQ is empty.  Operators without  *)
(* variables.  The same as model/scheduler/queue/ and model/world/times.py. *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.32.     *)
(*                                                                         *)
(* A queue is a record with these fields, and with any others:             *)
(*   waiting      by name: [pod, place, at, attempts, plugins]             *)
(*     place      active, backoff or unschedulable                         *)
(*     at         without Clock the rank by timestamp, the oldest is 1.    *)
(*                With Clock the timestamp in ms, where now is 0.  0 for   *)
(*                all where the queue keeps no timestamps                  *)
(*     attempts   counted as far as a release can tell the numbers apart   *)
(*     plugins    those that rejected the pod                              *)
(*   backoffs     where backoffs are kept by name: of some names           *)
(*                [attempts, at], how many backoffs began, and when the    *)
(*                last one did                                             *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    KeepsTimes,     \* the queue keeps timestamps
    MostAttempts,   \* a larger number of attempts counts as this one
    Clock,          \* a switch: time passes, and pods back off
    Backoff,        \* how long a pod backs off, in ms; with Clock
    Limit,          \* how long a pod stays in unschedulableQ until the flush, in ms: twice the backoff
    BackoffsOf,     \* of what a queue knows when a backoff ends: "none", "names" or "records"
    UntriedBacksOff,    \* a record that was never popped backs off
    BacksOffAtEnd,      \* at its end a backoff is not yet over
    \* Rules, named after their fields.
    PoppedRecordRule(_),                  \* record |-> record
    FailedPodRule(_, _),                  \* was there a move request, record |-> place
    StripForQueueRule(_),                 \* pod |-> pod without the fields that an update does not count by
    GoesBackRule(_, _)                    \* uid that was popped, that of the lister's pod |-> does the pod go back

-------------------------------------------------------------------------------
In(queue, place) == {name \in DOMAIN queue.waiting : queue.waiting[name].place = place}

(* Without the record of this name.  The ranks stay without a gap. *)
Left(waiting, name) ==
    IF name \notin DOMAIN waiting
    THEN waiting
    ELSE LET at == waiting[name].at
         IN  [other \in DOMAIN waiting \ {name} |->
                 [waiting[other] EXCEPT !.at = IF @ > at THEN @ - 1 ELSE @]]

(* The same, whether times are ranks or not. *)
TakenOut(waiting, name) == IF Clock /\ name \in DOMAIN waiting THEN Without(waiting, name) ELSE Left(waiting, name)

(* With a record that gets a timestamp now. *)
Joined(waiting, place, info) ==
    LET rest == TakenOut(waiting, info.pod.name)
        now  == IF KeepsTimes /\ ~Clock THEN Cardinality(DOMAIN rest) + 1 ELSE 0
    IN  Extended(rest, info.pod.name,
                 [pod |-> info.pod, place |-> place, at |-> now, attempts |-> info.attempts, plugins |-> info.plugins])

Untried(pod) == [pod |-> pod, attempts |-> 0, plugins |-> {}]

(* isPodUpdated *)
StripStatus(pod) == [pod EXCEPT !.nominated = NoNode, !.condition = FALSE, !.disrupted = FALSE]

StripStatusAndFinalizers(pod) == [StripStatus(pod) EXCEPT !.kept = 0]

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

(* Up to 1.34.7 and 1.35.4. *)
NamesakeGoesBack(uid, listed) == TRUE

OnlyPoppedPodGoesBack(uid, listed) == uid = listed

FailedPodByFlag(moved, info) == IF ~moved /\ info.pod.condition THEN "unschedulable" ELSE "active"

FailedPodByCycle(moved, info) == IF moved THEN "backoff" ELSE "unschedulable"

FailedPodByCycleOrError(moved, info) == IF moved \/ info.plugins = {} THEN "backoff" ELSE "unschedulable"

-------------------------------------------------------------------------------
(* Time. *)

(* The queue a moment later. *)
Later(queue, ms) ==
    LET then == [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> [@[name] EXCEPT !.at = @ - ms]]]
    IN  IF ~Clock \/ ~KeepsTimes
        THEN queue
        ELSE IF BackoffsOf = "names"
             THEN [then EXCEPT !.backoffs = [name \in DOMAIN @ |-> [@[name] EXCEPT !.at = @ - ms]]]
             ELSE then

Moment(w) == [w EXCEPT !.queue = Later(@, 1)]

HasBackoff(queue, record) ==
    CASE BackoffsOf = "none" -> FALSE
      [] BackoffsOf = "names" -> record.pod.name \in DOMAIN queue.backoffs
      [] BackoffsOf = "records" -> UntriedBacksOff \/ record.attempts > 0

BackoffEnds(queue, record) ==
    (IF BackoffsOf = "names" THEN queue.backoffs[record.pod.name].at ELSE record.at) + Backoff

(* isPodBackingOff *)
HasToWait(queue, record) ==
    /\ Clock
    /\ HasBackoff(queue, record)
    /\ IF BacksOffAtEnd THEN BackoffEnds(queue, record) >= 0 ELSE BackoffEnds(queue, record) > 0

(* When something ends, from now on.  What is known of a name is forgotten after one or *)
(* two backoffs.                                                                        *)
Instants(queue, flushes) ==
    LET waits(place) == {queue.waiting[name] : name \in In(queue, place)}
        having  == {r \in waits("backoff") \union waits("unschedulable") : HasBackoff(queue, r)}
        limits  == IF flushes THEN {r.at + Limit : r \in waits("unschedulable")} ELSE {}
        ofNames == IF BackoffsOf = "names"
                   THEN {queue.backoffs[name].at + times * Backoff : name \in DOMAIN queue.backoffs, times \in {1, 2}}
                   ELSE {}
    IN  {at \in {BackoffEnds(queue, r) : r \in having} \union limits \union ofNames : at >= 0}

(* flushUnschedulableQLeftover moves these. *)
Leftover(queue) == {name \in In(queue, "unschedulable") : -queue.waiting[name].at > Limit}

(* Times that keep all that a rule can tell: regions, as in timed automata.  An age is *)
(* whole backoffs and a rest, and of the rests only the order counts.  Of times that   *)
(* are older than Limit only the order counts.                                         *)
Compressed(queue) ==
    LET byName == IF BackoffsOf = "names" THEN queue.backoffs ELSE EmptyFunction
        ages   == {-queue.waiting[name].at : name \in DOMAIN queue.waiting}
                      \union {-byName[name].at : name \in DOMAIN byName}
        old    == {age \in ages : age > Limit}
        rests  == {age % Backoff : age \in ages \ old} \union {0}
        Under(set, x) == Cardinality({y \in set : y < x})
        Age(age) == IF age \in old
                    THEN Limit + (Backoff \div 2) + Under(old, age)
                    ELSE (age \div Backoff) * Backoff + Under(rests, age % Backoff)
        then == [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> [@[name] EXCEPT !.at = -Age(-@)]]]
    IN  IF ~Clock
        THEN queue
        ELSE IF BackoffsOf = "names"
             THEN [then EXCEPT !.backoffs = [name \in DOMAIN @ |-> [@[name] EXCEPT !.at = -Age(-@)]]]
             ELSE then
===============================================================================
