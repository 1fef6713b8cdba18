------------------------------- MODULE HintsQueue -------------------------------
(***************************************************************************)
(* PriorityQueue with the gate SchedulerQueueingHints, where no time       *)
(* passes.  Operators without variables.  The same as                      *)
(* model/scheduler/queue/: scheduling_queue, move, hints, and              *)
(* update_with_hints.                                                      *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.28 to 1.31;     *)
(* pkg/scheduler/backend/queue/ from 1.32 on.  Each operation runs under   *)
(* PriorityQueue.lock.                                                     *)
(*                                                                         *)
(* A queue is a record: waiting (Waiting.tla), inFlight and events         *)
(* (InFlight.tla), and                                                     *)
(*   moved   there was a move request since the last Pop: Go says          *)
(*           moveRequestCycle >= schedulingCycle                           *)
(* An operation takes and gives a world: a record with these fields, and   *)
(* with any others.                                                        *)
(*   queue   the queue                                                     *)
(*   came    the events that came in this action, in order, whatever the   *)
(*           queue keeps of them; none with the gate off                   *)
(*   called  a function of the queue was called that wakes Pop             *)
(* An event is the name of a constant of model/scheduler/queue/events.py.  *)
(***************************************************************************)
EXTENDS Waiting, InFlight

CONSTANTS
    Gate,       \* SchedulerQueueingHints is on
    Registered, \* the plugins that wait for events.  None has a hint function.
    \* Rules, named after their fields.
    EventOfInterestRule(_),             \* event |-> is the event kept, and a move request
    HintForInFlightPodRule(_, _),       \* queue, record of a failed pod |-> is the pod tried again
    UpdateWithHintsRule(_, _, _)        \* world, old, new |-> world

EmptyQueue == [waiting |-> EmptyFunction, moved |-> FALSE, inFlight |-> EmptyFunction, events |-> <<>>]

-------------------------------------------------------------------------------
(* Events. *)

(* What the plugin has registered for (EventsToRegister).  Coscheduling has a pod *)
(* wait at Permit.                                                                *)
Waits(plugin, event) ==
    CASE plugin = "NodeResourcesFit" -> event \in {"NodeAllocatableChange", "AssignedPodDelete"}
      [] plugin = "NodeAffinity" -> event = "NodeLabelChange"
      [] plugin = "TaintToleration" -> event = "NodeTaintChange"
      [] plugin = "Coscheduling" -> event = "AssignedPodAdd"

(* up to 1.29 *)
EveryEventIsOfInterest(event) == TRUE

(* 1.30 *)
IsEventOfInterest(event) == \E plugin \in Registered : Waits(plugin, event)

(* isPodWorthRequeuing, for a pod that these plugins rejected. *)
Helps(event, plugins) == plugins = {} \/ \E plugin \in plugins : Waits(plugin, event)

(* The event came, and is kept for the pods in flight. *)
Kept(w, event) == [w EXCEPT !.came = Append(@, event), !.queue = NoteEventRule(@, event)]

NoteEvent(w, event) ==
    CASE ~Gate -> w
      [] Gate /\ EventOfInterestRule(event) -> Kept(w, event)
      [] OTHER -> [w EXCEPT !.came = Append(@, event)]

(* movePodsToActiveOrBackoffQueue *)
MovePods(w, names, event) ==
    LET waiting == w.queue.waiting
        goes    == {name \in names : Helps(event, waiting[name].plugins)}
        moved   == [name \in DOMAIN waiting |-> IF name \in goes THEN [waiting[name] EXCEPT !.place = "active"]
                                                                 ELSE waiting[name]]
        Noted(then) == NoteEvent(then, event)
    IN  WithValue(IF EventOfInterestRule(event)
                  THEN [w EXCEPT !.called = TRUE, !.queue.waiting = moved, !.queue.moved = TRUE]
                  ELSE [w EXCEPT !.called = TRUE], Noted)

(* MoveAllToActiveOrBackoffQueue *)
MoveAll(w, event) == MovePods(w, In(w.queue, "unschedulable"), event)

-------------------------------------------------------------------------------
(* Update. *)

WithWaiting(w, waiting) == [w EXCEPT !.queue.waiting = waiting]

(* Up to 1.30, and with the gate off. *)
UpdateRespectingBackoff(w, old, new) == WithWaiting(w, Updated(w.queue.waiting, old, new))

(* The hints for this event say where a pod of unschedulablePods goes. *)
UpdatedByHint(waiting, old, new, event) ==
    IF new.name \in DOMAIN waiting /\ waiting[new.name].place = "unschedulable"
    THEN [waiting EXCEPT ![new.name].pod   = new,
                         ![new.name].place = IF Helps(event, waiting[new.name].plugins) THEN "active" ELSE @]
    ELSE Updated(waiting, old, new)

(* 1.31.0-alpha.2 *)
UpdateAskingHints(w, old, new) ==
    WithWaiting(w, UpdatedByHint(w.queue.waiting, old, new, "UnschedulablePodUpdate"))

(* 1.31 *)
UpdateKeepingEvent(w, old, new) ==
    IF IsInFlight(w.queue, Uid(new))
    THEN Kept(w, "UnschedulablePodUpdate")
    ELSE WithWaiting(w, UpdatedByHint(w.queue.waiting, old, new, "AssignedPodOtherUpdate"))

(* 1.32 on *)
UpdateKeepingChanges(w, old, new) ==
    IF IsInFlight(w.queue, Uid(new))
    THEN Kept(w, "UnschedulablePodOtherUpdate")
    ELSE WithWaiting(w, UpdatedByHint(w.queue.waiting, old, new, "UnschedulablePodOtherUpdate"))

QueueUpdate(w, old, new) ==
    IF Gate THEN UpdateWithHintsRule(w, old, new) ELSE UpdateRespectingBackoff(w, old, new)

-------------------------------------------------------------------------------
(* A handler of pods calls the queue.  Nobody asks for affinity, so no pod is    *)
(* moved by a bound one.                                                         *)
CallOfQueue(w, call) ==
    LET pod    == call.a[1]
        called == [w EXCEPT !.called = TRUE]
    IN  CASE call.f = "assigned_pod_added" -> MovePods(w, {}, "AssignedPodAdd")
          [] call.f = "assigned_pod_updated" -> MovePods(w, {}, call.a[2])
          [] call.f = "move_all_to_active_or_backoff_queue" -> MoveAll(w, pod)
          [] call.f = "add" -> [called EXCEPT !.queue.waiting = Joined(@, "active", Untried(pod))]
          [] call.f = "update" -> QueueUpdate(called, pod, call.a[2])
          [] call.f = "delete" -> [called EXCEPT !.queue.waiting = Left(@, pod.name)]

-------------------------------------------------------------------------------
(* Pop, and Done. *)

(* The queue without the pods at the head of activeQ that Pop discards. *)
RECURSIVE DiscardBeforePop(_)
DiscardBeforePop(queue) ==
    LET discarded == {name \in Heads(queue) : Gate /\ DiscardPoppedRule(queue, Uid(queue.waiting[name].pod))}
        Then(left) == DiscardBeforePop([queue EXCEPT !.waiting = left])
    IN  IF discarded = {} THEN queue ELSE WithValue(Left(queue.waiting, CHOOSE name \in discarded : TRUE), Then)

(* Pop of the pod of this name. *)
Popped(queue, name) ==
    LET uid  == Uid(queue.waiting[name].pod)
        left == [queue EXCEPT !.waiting = Left(@, name), !.moved = FALSE]
    IN  IF Gate THEN NotePoppedRule(left, uid) ELSE left

Done(queue, uid) == IF Gate THEN ForgetDoneRule(queue, uid) ELSE queue

-------------------------------------------------------------------------------
(* AddUnschedulableIfNotPresent, up to its deferred Done. *)

HelpsAny(elements, plugins) == \E i \in DOMAIN elements : Helps(elements[i].event, plugins)

(* Some event of the queue, of whenever, or one that helps and came since the Pop. *)
HintByAnyEvent(queue, info) ==
    CASE info.plugins = {} -> queue.events # <<>>
      [] info.plugins # {} /\ ~IsInFlight(queue, Uid(info.pod)) -> TRUE
      [] OTHER -> HelpsAny(EventsForPodRule(queue, Uid(info.pod)), info.plugins)

(* Of a pod that is not in flight: in Go's list are events if the list is longer *)
(* than the map.                                                                 *)
HintForUnknownPod(queue, info) ==
    info.plugins # {} \/ Len(queue.events) > Cardinality(DOMAIN queue.inFlight)

(* 1.28.2 *)
HintByEventSincePop(queue, info) ==
    IF ~IsInFlight(queue, Uid(info.pod))
    THEN HintForUnknownPod(queue, info)
    ELSE HelpsAny(EventsForPodRule(queue, Uid(info.pod)), info.plugins)

(* 1.29 *)
HintAfterError(queue, info) ==
    IF ~IsInFlight(queue, Uid(info.pod))
    THEN HintForUnknownPod(queue, info)
    ELSE info.plugins = {} \/ HelpsAny(EventsForPodRule(queue, Uid(info.pod)), info.plugins)

(* 1.31, and 1.32 on, which differ in what they log. *)
HintAfterErrorOrUnknown(queue, info) ==
    IF info.plugins = {} \/ ~IsInFlight(queue, Uid(info.pod))
    THEN TRUE
    ELSE HelpsAny(EventsForPodRule(queue, Uid(info.pod)), info.plugins)

PutBackIfNotPresent(queue, info) ==
    LET place == IF Gate
                 THEN IF HintForInFlightPodRule(queue, info) THEN "active" ELSE "unschedulable"
                 ELSE FailedPodRule(queue.moved, info)
    IN  IF info.pod.name \in DOMAIN queue.waiting
        THEN queue
        ELSE [queue EXCEPT !.waiting = Joined(@, place, info)]
===============================================================================
