--------------------------------- MODULE Queue ---------------------------------
(***************************************************************************)
(* PriorityQueue.  Operators without variables.  Function by function the  *)
(* same as model/scheduler/queue/, where no time passes.  So no pod backs  *)
(* off, and podBackoffQ is empty.                                          *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.30.     *)
(* Each operation runs under PriorityQueue.lock.                           *)
(*                                                                         *)
(* A queue is a record:                                                    *)
(*   waiting      by name: [pod, place, at, attempts, plugins]             *)
(*     place      active or unschedulable                                  *)
(*     at         the rank by timestamp, the oldest is 1; 0 for all where  *)
(*                the queue keeps no timestamps                            *)
(*     attempts   counted as far as a release can tell the numbers apart   *)
(*     plugins    those that rejected the pod                              *)
(*   moved        there was a move request since the last Pop: Go says     *)
(*                moveRequestCycle >= schedulingCycle, or                  *)
(*                receivedMoveRequest                                      *)
(*   nominations  see Nominator.tla                                        *)
(***************************************************************************)
EXTENDS Nominator

CONSTANTS
    KeepsTimes,     \* the queue keeps timestamps
    MostAttempts,   \* a larger number of attempts counts as this one
    \* Rules, named after their fields.
    PoppedRecordRule(_),                  \* record |-> record
    FailedPodRule(_, _),                  \* was there a move request, record |-> place
    StripForQueueRule(_),                 \* pod |-> pod without the fields that an update does not count by
    PodsForMoveRequestRule(_, _),         \* names, those that pass the check |-> names
    ComparesEvents,                       \* from 1.21 on: who rejected a pod is asked what it waits for
    UnschedulableEvents                   \* what NodeUnschedulable waits for

-------------------------------------------------------------------------------
EmptyQueue == [waiting |-> EmptyFunction, moved |-> FALSE, nominations |-> NoNominations]

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

(* Add *)
QueueAdd(queue, pod, listed) ==
    [queue EXCEPT !.waiting     = Joined(@, "active", Untried(pod)),
                  !.nominations = NominateAddedRule(@, pod, pod.name \in In(queue, "unschedulable"), listed)]

(* isPodUpdated *)
StripStatus(pod) == [pod EXCEPT !.nominated = NoNode, !.condition = FALSE]

StripStatusAndFinalizers(pod) == [StripStatus(pod) EXCEPT !.kept = 0]

(* Update.  Both rules are this one, since no pod backs off. *)
QueueUpdate(queue, old, new, listed) ==
    LET name == new.name
    IN  IF name \notin DOMAIN queue.waiting
        THEN [queue EXCEPT !.waiting     = Joined(@, "active", Untried(new)),
                           !.nominations = NominatorAddRule(@, new, None, listed)]
        ELSE [queue EXCEPT !.waiting[name].pod   = new,
                           !.waiting[name].place = IF StripForQueueRule(old) = StripForQueueRule(new)
                                                   THEN @
                                                   ELSE "active",
                           !.nominations         = NominatorUpdateRule(@, old, new, listed)]

(* Delete *)
QueueDelete(queue, pod) ==
    [queue EXCEPT !.waiting = Left(@, pod.name), !.nominations = NominatorDeleteRule(@, pod)]

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

(* Pop *)
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

ThosePassingPreCheck(names, passes) == names \intersect passes

(* Does the plugin wait for the event?  "any" is the wildcard, an extender waits  *)
(* for everything.                                                                *)
Waits(plugin, event) ==
    CASE event = "any" -> TRUE
      [] plugin = "NodeResourcesFit" -> event \in {"pod deleted", "node added", "allocatable"}
      [] plugin = "InterPodAffinity" -> event \in {"pod deleted", "node added"}
      [] plugin = "NodeUnschedulable" -> event \in UnschedulableEvents
      [] OTHER -> TRUE

(* podMatchesEvent *)
Helps(event, plugins) == ~ComparesEvents \/ plugins = {} \/ \E plugin \in plugins : Waits(plugin, event)

(* MoveAllToActiveOrBackoffQueue *)
MoveAll(queue, passes, event) ==
    LET goes == {name \in PodsForMoveRequestRule(In(queue, "unschedulable"), passes) :
                     Helps(event, queue.waiting[name].plugins)}
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> IF name \in goes THEN [@[name] EXCEPT !.place = "active"]
                                                                          ELSE @[name]],
                      !.moved   = TRUE]

(* AssignedPodAdded and AssignedPodUpdated.  No pod asks for affinity. *)
NoteMoveRequest(queue) == [queue EXCEPT !.moved = TRUE]

AddNominatedPod(queue, pod, node, listed) ==
    [queue EXCEPT !.nominations = NominateForNodeRule(@, pod, node, listed)]

DeleteNominatedPodIfExists(queue, pod) == [queue EXCEPT !.nominations = NominatorDeleteRule(@, pod)]
===============================================================================
