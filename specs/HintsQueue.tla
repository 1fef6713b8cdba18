------------------------------- MODULE HintsQueue -------------------------------
(***************************************************************************)
(* PriorityQueue with the gate SchedulerQueueingHints.  Operators without  *)
(* variables.  The same as model/scheduler/queue/: scheduling_queue, move, *)
(* hints, and update_with_hints.                                           *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.28 to 1.31;     *)
(* pkg/scheduler/backend/queue/ from 1.32 on.  Each operation runs under   *)
(* PriorityQueue.lock.                                                     *)
(*                                                                         *)
(* A queue is a record: waiting and lacksClaims (HintsWaiting.tla),        *)
(* inFlight and events (InFlight.tla), and                                 *)
(*   moved   there was a move request since the last Pop: Go says          *)
(*           moveRequestCycle >= schedulingCycle                           *)
(* An operation takes and gives a world: a record with these fields, and   *)
(* with any others.                                                        *)
(*   queue   the queue                                                     *)
(*   came    the events that came in this action, in order, whatever the   *)
(*           queue keeps of them; none with the gate off                   *)
(*   called  a function of the queue was called that wakes Pop             *)
(***************************************************************************)
EXTENDS HintsWaiting, InFlight

CONSTANTS
    Gate,       \* SchedulerQueueingHints is on
    Registered, \* the plugins that wait for events
    \* The names of the events that these plugins wait for.
    FitEvents, AffinityEvents, TaintEvents, InterPodEvents, GatesEvents,
    KeepsObjects,   \* some hint function looks at the objects of events
    AsksOfBound,    \* the hint functions of NodeResourcesFit and InterPodAffinity are asked of bound pods
    ClaimsAtFirst,  \* the ResourceClaims are missing at the start
    \* Rules, named after their fields.
    EventOfInterestRule(_),             \* event |-> is the event kept, and a move request
    WorthRequeuingRule(_, _),           \* record, event |-> hint
    \* Hint functions for pods.  Pod, event of a pod |-> may it help a pod that this plugin rejected
    TaintAfterPodRule(_, _), FitAfterPodRule(_, _), InterPodAfterPodRule(_, _),
    TellOfBoundRule(_, _, _, _),        \* world, name of an event, bound pod before and after |-> world
    PassedOverRule(_, _),               \* record of a pod that is held back, event |-> does a move pass over the pod
    NoteActivationRule(_, _),           \* world, uid of a pod that does not wait |-> world
    HintForInFlightPodRule(_, _),       \* queue, record of a failed pod |-> hint
    UpdateWithHintsRule(_, _, _)        \* world, old, new |-> world

EmptyQueue ==
    [waiting |-> EmptyFunction, lacksClaims |-> ClaimsAtFirst, moved |-> FALSE, inFlight |-> EmptyFunction,
     events |-> <<>>]

-------------------------------------------------------------------------------
(* Events. *)

(* What the plugin has registered for (EventsToRegister).  Coscheduling has a pod *)
(* wait at Permit.                                                                *)
Waits(plugin, event) ==
    CASE plugin = "NodeResourcesFit" -> event.is \in FitEvents
      [] plugin = "NodeAffinity" -> event.is \in AffinityEvents
      [] plugin = "TaintToleration" -> event.is \in TaintEvents
      [] plugin = "InterPodAffinity" -> event.is \in InterPodEvents
      [] plugin = "Coscheduling" -> event.is = "AssignedPodAdd"
      [] plugin = "SchedulingGates" -> event.is \in GatesEvents
      [] plugin = "DynamicResources" -> event.is \in {"ResourceClaimAdd", "ResourceClaimUpdate"}

OfNode(event) == event.is \in {"NodeAllocatableChange", "NodeLabelChange", "NodeTaintChange"}

(* The hint function of the plugin says that the event may help the pod.  An error of  *)
(* the function says so too.  Of nodes and claims no function asks what has changed.   *)
Helps(plugin, event, pod) ==
    IF ~Gate \/ OfNode(event)
    THEN TRUE
    ELSE CASE plugin = "TaintToleration" -> TaintAfterPodRule(pod, event)
           [] plugin = "NodeResourcesFit" /\ AsksOfBound -> FitAfterPodRule(pod, event)
           [] plugin = "InterPodAffinity" /\ AsksOfBound -> InterPodAfterPodRule(pod, event)
           [] OTHER -> TRUE

(* The event with the object before and after. *)
EvOf(name, old, new) == IF KeepsObjects THEN [is |-> name, old |-> old, new |-> new] ELSE Ev(name)

(* Up to 1.30 TaintToleration waits for no events of pods. *)
NoPodHelps(pod, event) == FALSE

(* 1.31 *)
OwnTolerationsGrow(pod, event) ==
    IF event.old = None \/ event.new = None
    THEN FALSE
    ELSE Uid(event.new) = Uid(pod) /\ event.old.tolerates # event.new.tolerates

(* 1.32 on *)
IsOwnEvent(pod, event) == IF event.new = None THEN FALSE ELSE Uid(event.new) = Uid(pod)

(* NodeResourcesFit and InterPodAffinity, until they ask *)
AnyPodHelps(pod, event) == TRUE

(* NodeResourcesFit, 1.30 *)
BoundPodGoes(pod, event) == IF event.new # None \/ event.old = None THEN FALSE ELSE Bound(event.old)

(* InterPodAffinity, 1.31 *)
BoundPodSuits(pod, event) ==
    LET had == IF event.old = None THEN FALSE ELSE event.old.web
    IN  IF event.new = None
        THEN FALSE
        ELSE /\ Bound(event.new)
             /\ IF event.old = None THEN TRUE ELSE Bound(event.old)
             /\ pod.asks /\ event.new.web /\ ~had

(* 1.36 *)
BoundOrOwnPodSuits(pod, event) ==
    \/ BoundPodSuits(pod, event)
    \/ IF event.old = None \/ event.new = None THEN FALSE ELSE Uid(event.new) = Uid(pod)

(* Events for every pod, whoever rejected the pod. *)
IsWildCard(event) == event.is \in {"ForceActivate", "UnschedulableTimeout"}

(* up to 1.29 *)
EveryEventIsOfInterest(event) == TRUE

(* 1.30 *)
IsEventOfInterest(event) == IsWildCard(event) \/ \E plugin \in Registered : Waits(plugin, event)

(* isPodWorthRequeuing.  A hint is skip, after or immediately. *)

(* 1.28.  With the gate on DynamicResources says that the pod need not back off. *)
WorthRequeuing(record, event) ==
    LET waits == {plugin \in record.plugins : Waits(plugin, event) /\ Helps(plugin, event, record.pod)}
    IN  CASE record.plugins = {} \/ IsWildCard(event) -> "after"
          [] Gate /\ "DynamicResources" \in waits -> "immediately"
          [] waits # {} -> "after"
          [] OTHER -> "skip"

(* 1.29: what does not back off is a pod that a plugin left pending. *)
WorthRequeuingPending(record, event) ==
    LET waits == {plugin \in Rejecting(record) : Waits(plugin, event) /\ Helps(plugin, event, record.pod)}
    IN  CASE Rejecting(record) = {} \/ IsWildCard(event) -> "after"
          [] waits \intersect record.pending # {} -> "immediately"
          [] waits # {} -> "after"
          [] OTHER -> "skip"

(* Whether a move passes over a pod that is held back. *)

(* up to 1.28.10, 1.29.5 and 1.30.1 *)
NoneIsPassedOver(record, event) == FALSE

(* #124618 *)
EveryIsPassedOver(record, event) == TRUE

(* #125527 *)
WithGatesIsPassedOver(record, event) == "SchedulingGates" \in record.plugins

(* 1.34 *)
UnlessTheEventMatters(record, event) == ~Waits(record.gating, event)

(* The event came, and is kept for the pods in flight. *)
Kept(w, event) == [w EXCEPT !.came = Append(@, event), !.queue = NoteEventRule(@, event)]

NoteEvent(w, event) ==
    CASE ~Gate -> w
      [] Gate /\ EventOfInterestRule(event) -> Kept(w, event)
      [] OTHER -> [w EXCEPT !.came = Append(@, event)]

(* movePodsToActiveOrBackoffQueue *)
MovePods(w, names, event) ==
    LET waiting == w.queue.waiting
        Hint(record) == IF record.gating # "" /\ PassedOverRule(record, event)
                        THEN "skip"
                        ELSE WorthRequeuingRule(record, event)
        goes  == {name \in names : Hint(waiting[name]) # "skip"}
        moved == [name \in DOMAIN waiting |->
                     IF name \in goes THEN ByHint(w.queue, waiting[name], Hint(waiting[name])) ELSE waiting[name]]
        Noted(then) == NoteEvent(then, event)
    IN  WithValue(IF EventOfInterestRule(event)
                  THEN [w EXCEPT !.called = TRUE, !.queue.waiting = moved, !.queue.moved = TRUE]
                  ELSE [w EXCEPT !.called = TRUE], Noted)

(* MoveAllToActiveOrBackoffQueue *)
MoveAll(w, event) == MovePods(w, In(w.queue, "unschedulable"), event)

-------------------------------------------------------------------------------
(* Update. *)

(* Up to 1.30, and with the gate off. *)
UpdateRespectingBackoff(w, old, new) == [w EXCEPT !.queue = UpdateRespecting(@, old, new)]

(* The hints for this event say where a pod of unschedulablePods goes. *)
UpdateByHint(w, old, new, name) ==
    LET record == [w.queue.waiting[new.name] EXCEPT !.pod = new]
        event  == EvOf(name, old, new)
    IN  IF IsIn(w.queue, new.name, "unschedulable")
        THEN [w EXCEPT !.queue = Put(@, ByHint(@, record, WorthRequeuingRule(record, event)))]
        ELSE UpdateRespectingBackoff(w, old, new)

(* 1.31.0-alpha.2 *)
UpdateAskingHints(w, old, new) == UpdateByHint(w, old, new, "UnschedulablePodUpdate")

(* 1.31 *)
UpdateKeepingEvent(w, old, new) ==
    IF IsInFlight(w.queue, Uid(new))
    THEN Kept(w, EvOf("UnschedulablePodUpdate", old, new))
    ELSE UpdateByHint(w, old, new, "AssignedPodOtherUpdate")

(* 1.32 on.  An update never takes off the gate and brings the toleration: that has *)
(* no form.                                                                         *)
UpdateKeepingChanges(w, old, new) ==
    LET name == CASE old.gated /\ ~new.gated -> "UnschedulablePodGatesEliminated"
                  [] old.tolerates # new.tolerates -> "UnschedulablePodTolerationsChange"
                  [] OTHER -> "UnschedulablePodOtherUpdate"
    IN  IF IsInFlight(w.queue, Uid(new)) THEN Kept(w, EvOf(name, old, new)) ELSE UpdateByHint(w, old, new, name)

QueueUpdate(w, old, new) ==
    IF Gate THEN UpdateWithHintsRule(w, old, new) ELSE UpdateRespectingBackoff(w, old, new)

-------------------------------------------------------------------------------
(* Who is told of a bound pod.  old is None if the pod is new. *)

(* Up to 1.30, and with the gate off: those who ask for such a pod. *)
TellWhoMayCare(w, name, old, new) ==
    LET Cares(waiting) == w.queue.waiting[waiting].pod.asks /\ new.web
    IN  MovePods(w, {waiting \in In(w.queue, "unschedulable") : Cares(waiting)}, EvOf(name, old, new))

(* 1.31 *)
TellEverybodyOfUpdate(w, name, old, new) ==
    MoveAll(w, EvOf(IF old = None THEN name ELSE "AssignedPodUpdate", old, new))

(* 1.32 on *)
TellEverybody(w, name, old, new) == MoveAll(w, EvOf(name, old, new))

TellOfBound(w, name, old, new) ==
    IF Gate THEN TellOfBoundRule(w, name, old, new) ELSE TellWhoMayCare(w, name, old, new)

(* A handler of pods calls the queue. *)
CallOfQueue(before, call) ==
    LET pod == call.a[1]
        Calls(w) ==
            LET called == [w EXCEPT !.called = TRUE]
            IN  CASE call.f = "assigned_pod_added" -> TellOfBound(w, "AssignedPodAdd", None, pod)
                  [] call.f = "assigned_pod_updated" -> TellOfBound(w, call.a[2], call.a[3], pod)
                  [] call.f = "move_all_to_active_or_backoff_queue" -> MoveAll(w, EvOf(pod, call.a[2], None))
                  [] call.f = "add" -> [called EXCEPT !.queue = Add(@, pod)]
                  [] call.f = "update" -> QueueUpdate(called, pod, call.a[2])
                  [] call.f = "delete" -> [called EXCEPT !.queue.waiting = TakenOut(@, pod.name)]
    IN  WithValue(Moment(before), Calls)

-------------------------------------------------------------------------------
(* Activate. *)

(* 1.28 to 1.31 *)
ActivationIsLost(w, uid) == w

(* 1.32 on: an event for the pod alone, if it is in flight, and a move request. *)
ActivationIsKept(w, uid) ==
    LET kept == IF Gate /\ IsInFlight(w.queue, uid)
                THEN [w EXCEPT !.came = Append(@, Ev("ForceActivate")),
                               !.queue = NoteEventOfPodInList(@, Ev("ForceActivate"), uid)]
                ELSE w
    IN  [kept EXCEPT !.queue.moved = TRUE]

ActivatePod(before, pod) ==
    LET Activates(w) ==
            IF pod.name \in DOMAIN w.queue.waiting /\ ~IsIn(w.queue, pod.name, "active")
            THEN [w EXCEPT !.called = TRUE, !.queue = Put(@, ToActive(@, @.waiting[pod.name]))]
            ELSE NoteActivationRule(w, Uid(pod))
    IN  WithValue(Moment(before), Activates)

-------------------------------------------------------------------------------
(* Pop, and Done. *)

(* The queue without the pods at the head of activeQ that Pop discards. *)
RECURSIVE DiscardBeforePop(_)
DiscardBeforePop(queue) ==
    LET Discards(headed) ==
            LET discarded == {name \in Heads(headed) :
                                 Gate /\ DiscardPoppedRule(headed, Uid(headed.waiting[name].pod))}
                Then(left) == DiscardBeforePop([headed EXCEPT !.waiting = left])
            IN  IF discarded = {}
                THEN headed
                ELSE WithValue(TakenOut(headed.waiting, CHOOSE name \in discarded : TRUE), Then)
    IN  WithValue(WithHead(queue), Discards)

(* Pop of the pod of this name. *)
Popped(queue, name) ==
    LET uid  == Uid(queue.waiting[name].pod)
        left == [queue EXCEPT !.waiting = TakenOut(@, name), !.moved = FALSE]
    IN  IF Gate THEN NotePoppedRule(left, uid) ELSE left

Done(queue, uid) == IF Gate THEN ForgetDoneRule(queue, uid) ELSE queue

-------------------------------------------------------------------------------
(* AddUnschedulableIfNotPresent, up to its deferred Done. *)

(* The strongest hint of the events that are for the pod. *)
StrongestHint(elements, info) ==
    LET hints == {WorthRequeuingRule(info, elements[i].event) :
                     i \in {j \in DOMAIN elements : elements[j].only \in {NoUid, Uid(info.pod)}}}
    IN  CASE "immediately" \in hints -> "immediately"
          [] "immediately" \notin hints /\ "after" \in hints -> "after"
          [] OTHER -> "skip"

AfterIf(condition) == IF condition THEN "after" ELSE "skip"

HintOfEvents(queue, info) == StrongestHint(EventsForPodRule(queue, Uid(info.pod)), info)

(* Some event of the queue, of whenever, or one that helps and came since the Pop. *)
HintByAnyEvent(queue, info) ==
    CASE info.plugins = {} -> AfterIf(queue.events # <<>>)
      [] info.plugins # {} /\ ~IsInFlight(queue, Uid(info.pod)) -> "after"
      [] OTHER -> HintOfEvents(queue, info)

(* Of a pod that is not in flight: in Go's list are events if the list is longer *)
(* than the map.                                                                 *)
HintForUnknownPod(queue, info) ==
    AfterIf(info.plugins # {} \/ Len(queue.events) > Cardinality(DOMAIN queue.inFlight))

(* 1.28.2 *)
HintByEventSincePop(queue, info) ==
    CASE ~IsInFlight(queue, Uid(info.pod)) -> HintForUnknownPod(queue, info)
      [] IsInFlight(queue, Uid(info.pod)) /\ info.plugins = {} ->
             AfterIf(EventsForPodRule(queue, Uid(info.pod)) # <<>>)
      [] OTHER -> HintOfEvents(queue, info)

(* 1.29 *)
HintAfterError(queue, info) ==
    CASE ~IsInFlight(queue, Uid(info.pod)) -> HintForUnknownPod(queue, info)
      [] IsInFlight(queue, Uid(info.pod)) /\ Rejecting(info) = {} -> "after"
      [] OTHER -> HintOfEvents(queue, info)

(* 1.31, and 1.32 on, which differ in what they log. *)
HintAfterErrorOrUnknown(queue, info) ==
    IF Rejecting(info) = {} \/ ~IsInFlight(queue, Uid(info.pod)) THEN "after" ELSE HintOfEvents(queue, info)

(* info is a record as in HintsWaiting.tla. *)
PutBackIfNotPresent(queue, info) ==
    LET tried == FailedPodRule(queue.moved, [info EXCEPT !.plugins = Rejecting(info)]) = "active"
        hint  == IF Gate THEN HintForInFlightPodRule(queue, info) ELSE AfterIf(tried)
        Placed(stamped) == Put(stamped, ByHint(stamped, stamped.waiting[info.pod.name], hint))
    IN  IF info.pod.name \in DOMAIN queue.waiting THEN queue ELSE WithValue(Stamped(queue, info), Placed)
===============================================================================
