--------------------------------- MODULE Queue ---------------------------------
(***************************************************************************)
(* PriorityQueue.  Operators without variables.  Function by function the  *)
(* same as model/scheduler/queue/.                                         *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.31.     *)
(* Each operation runs under PriorityQueue.lock.  Before each but Pop and  *)
(* the flushes a moment passes.                                            *)
(*                                                                         *)
(* A queue is a record:                                                    *)
(*   waiting, backoffs  see Waiting.tla                                    *)
(*   moved        there was a move request since the last Pop: Go says     *)
(*                moveRequestCycle >= schedulingCycle, or                  *)
(*                receivedMoveRequest                                      *)
(*   nominations  see Nominator.tla                                        *)
(***************************************************************************)
EXTENDS Nominator, Waiting

CONSTANTS
    \* Rules, named after their fields.
    PodsForMoveRequestRule(_, _),         \* names, those that pass the check |-> names
    ComparesEvents,                       \* from 1.21 on: who rejected a pod is asked what it waits for
    UnschedulableEvents,                  \* what NodeUnschedulable waits for
    AffinityEvents,                       \* what InterPodAffinity waits for
    OtherUpdatesMove,                     \* a plugin waits for updates of bound pods that change no label
    MovesRespectBackoff,                  \* from 1.14 on: a pod that is moved backs off
    UpdateRespectsBackoff,                \* from 1.21 on: a pod that is updated backs off
    BackoffsKeptFor,                      \* how many times Backoff what is known of a name is kept
    NominatedPodRule(_, _)                \* queue, pod as the nominator has it |-> pod

-------------------------------------------------------------------------------
EmptyQueue ==
    [waiting |-> EmptyFunction, moved |-> FALSE, nominations |-> NoNominations, backoffs |-> EmptyFunction]

(* Add *)
QueueAdd(before, pod, listed) ==
    LET queue == Later(before, 1)
    IN  [queue EXCEPT !.waiting     = Joined(@, "active", Untried(pod)),
                      !.nominations = NominateAddedRule(@, pod, pod.name \in In(queue, "unschedulable"), listed)]

(* The pod goes to the backoff queue while it backs off, else to activeQ. *)
ToWait(queue, name) ==
    IF HasToWait(queue, queue.waiting[name])
    THEN [queue EXCEPT !.waiting[name].place = "backoff"]
    ELSE [queue EXCEPT !.waiting[name].place = "active"]

(* What is known of a backoff by name is forgotten. *)
ClearPodBackoff(queue, name) == [queue EXCEPT !.backoffs = Without(@, name)]

(* The pod of this name, which waits, was updated. *)
Updated(queue, old, new) ==
    LET name  == new.name
        then  == [queue EXCEPT !.waiting[name].pod = new]
    IN  CASE queue.waiting[name].place = "backoff" /\ ~UpdateRespectsBackoff ->
                 [then EXCEPT !.waiting[name].place = "active"]
          [] queue.waiting[name].place = "unschedulable" /\ StripForQueueRule(old) # StripForQueueRule(new) ->
                 IF UpdateRespectsBackoff
                 THEN ToWait(then, name)
                 ELSE [ClearPodBackoff(then, name) EXCEPT !.waiting[name].place = "active"]
          [] OTHER -> then

(* Update *)
QueueUpdate(before, old, new, listed) ==
    LET queue == Later(before, 1)
    IN  IF new.name \in DOMAIN queue.waiting
        THEN [Updated(queue, old, new) EXCEPT !.nominations = NominatorUpdateRule(@, old, new, listed)]
        ELSE [queue EXCEPT !.waiting     = Joined(@, "active", Untried(new)),
                           !.nominations = NominatorAddRule(@, new, None, listed)]

(* Delete *)
QueueDelete(before, pod) ==
    LET queue == Later(before, 1)
        known == IF pod.name \in In(queue, "active") THEN queue ELSE ClearPodBackoff(queue, pod.name)
    IN  [known EXCEPT !.waiting = TakenOut(@, pod.name), !.nominations = NominatorDeleteRule(@, pod)]

(* Pop *)
Popped(queue, name) == [queue EXCEPT !.waiting = TakenOut(@, name), !.moved = FALSE]

(* The queue, and the record that Pop hands out. *)
PopOfQueue(queue, name) == [queue |-> Popped(queue, name), info |-> PoppedRecordRule(queue.waiting[name])]

(* No pod is in flight: none is done, and a state keeps all of the queue. *)
AllOfQueue(queue) == queue

NothingIsDone(queue, uid) == queue

(* backoffPod: the name backs off, unless it does already.  What is old is       *)
(* forgotten first.                                                              *)
BackOffPod(queue, name) ==
    LET kept  == {each \in DOMAIN queue.backoffs : -queue.backoffs[each].at <= BackoffsKeptFor * Backoff}
        known == [each \in kept |-> queue.backoffs[each]]
        times == IF name \in kept THEN known[name].attempts ELSE 0
        runs  == IF name \in kept THEN known[name].at + Backoff >= 0 ELSE FALSE
    IN  IF ~Clock \/ BackoffsOf # "names"
        THEN queue
        ELSE [queue EXCEPT !.backoffs = IF runs THEN known ELSE Extended(known, name, [attempts |-> times + 1, at |-> 0])]

AddUnschedulableIfNotPresent(before, info, moved, listed) ==
    LET queue == Later(before, 1)
        place == FailedPodRule(moved, info)
        filed == [BackOffPod(queue, info.pod.name) EXCEPT !.waiting     = Joined(@, place, info),
                                                          !.nominations = NominateWaitingRule(@, info.pod, listed)]
    IN  IF info.pod.name \in DOMAIN queue.waiting
        THEN queue
        ELSE IF place = "backoff" THEN ToWait(filed, info.pod.name) ELSE filed

AllUnschedulable(names, passes) == names

ThosePassingPreCheck(names, passes) == names \intersect passes

(* Does the plugin wait for the event?  "any" is the wildcard, an extender waits  *)
(* for everything.                                                                *)
Waits(plugin, event) ==
    CASE event = "any" -> TRUE
      [] plugin = "NodeResourcesFit" -> event \in {"pod deleted", "node added", "allocatable"}
      [] plugin = "InterPodAffinity" -> event \in AffinityEvents
      [] plugin = "NodeUnschedulable" -> event \in UnschedulableEvents
      [] OTHER -> TRUE

(* podMatchesEvent *)
Helps(event, plugins) == ~ComparesEvents \/ plugins = {} \/ \E plugin \in plugins : Waits(plugin, event)

(* movePodsToActiveOrBackoffQueue, for these names of unschedulableQ *)
MovedNow(queue, names, event) ==
    LET goes == {name \in names : Helps(event, queue.waiting[name].plugins)}
        Place(record) == IF MovesRespectBackoff /\ HasToWait(queue, record) THEN "backoff" ELSE "active"
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> IF name \in goes
                                                         THEN [@[name] EXCEPT !.place = Place(queue.waiting[name])]
                                                         ELSE @[name]],
                      !.moved   = TRUE]

(* MoveAllToActiveOrBackoffQueue *)
MoveAll(before, passes, event) ==
    LET Moved(queue) == MovedNow(queue, PodsForMoveRequestRule(In(queue, "unschedulable"), passes), event)
    IN  WithValue(Later(before, 1), Moved)

(* Of these a move that takes pod by pod puts one into activeQ in its next hold. *)
GoByMove(before, passes, event) ==
    LET Found(queue) == {name \in PodsForMoveRequestRule(In(queue, "unschedulable"), passes) :
                             /\ Helps(event, queue.waiting[name].plugins)
                             /\ ~HasToWait(queue, queue.waiting[name])}
    IN  WithValue(Later(before, 1), Found)

(* One of them goes. *)
GoesByMove(queue, name) == [Later(queue, 1) EXCEPT !.waiting[name].place = "active"]

(* flushBackoffQCompleted moves these. *)
BackoffsOver(queue) == {name \in In(queue, "backoff") : ~HasToWait(queue, queue.waiting[name])}

BackoffsFlushed(queue) ==
    LET over == BackoffsOver(queue)
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> IF name \in over THEN [@[name] EXCEPT !.place = "active"]
                                                                          ELSE @[name]]]

LeftoverFlushed(w) == [w EXCEPT !.queue = MovedNow(@, Leftover(@), "any")]

(* AssignedPodAdded.  No pod asks for affinity. *)
NoteMoveRequest(queue) == [Later(queue, 1) EXCEPT !.moved = TRUE]

(* AssignedPodUpdated.  From 1.30 on only what a plugin waits for is a move       *)
(* request (isEventOfInterest).                                                   *)
NoteUpdate(queue, event) ==
    IF event = "AssignedPodOtherUpdate" /\ ~OtherUpdatesMove THEN Later(queue, 1) ELSE NoteMoveRequest(queue)

NominatedAsKept(queue, pod) == pod

(* 1.31.  A pod that does not wait stays a reference. *)
NominatedAsQueued(queue, pod) ==
    IF pod.name \in DOMAIN queue.waiting THEN queue.waiting[pod.name].pod ELSE pod

(* NominatedPodsForNode *)
NominatedPods(queue, node) ==
    LET kept == PodsForNode(queue.nominations, node) IN [i \in DOMAIN kept |-> NominatedPodRule(queue, kept[i])]

AddNominatedPod(queue, pod, node, listed) ==
    [queue EXCEPT !.nominations = NominateForNodeRule(@, pod, node, listed)]

DeleteNominatedPodIfExists(queue, pod) == [queue EXCEPT !.nominations = NominatorDeleteRule(@, pod)]
===============================================================================
