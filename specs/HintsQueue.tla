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
    FitEvents, NodeAffinityEvents, TaintEvents, InterPodEvents, GatesEvents, CordonEvents,
    KeepsObjects,   \* some hint function looks at the objects of events
    AsksOfBound,    \* the hint functions of NodeResourcesFit and InterPodAffinity are asked of bound pods
    ClaimsAtFirst,  \* the ResourceClaims are missing at the start
    \* Rules, named after their fields.
    EventOfInterestRule(_),             \* event |-> is the event kept, and a move request
    WorthRequeuingRule(_, _),           \* record, event |-> hint
    \* Hint functions for pods.  Pod, event of a pod |-> may it help a pod that this plugin rejected
    TaintAfterPodRule(_, _), FitAfterPodRule(_, _), InterPodAfterPodRule(_, _),
    AfterNode(_, _, _),                 \* plugin, event of a node, pod |-> may it help the pod
    ToldOfBoundRule(_, _, _),           \* name of an event, bound pod before and after |-> call
    PassedOverRule(_, _),               \* record of a pod that is held back, event |-> does a move pass over the pod
    NoteActivationRule(_, _),           \* world, uid of a pod that does not wait |-> world
    HintForInFlightPodRule(_, _),       \* queue, record of a failed pod |-> hint
    UpdateRule(_, _, _),                \* world, old, new |-> world; where no hint is asked
    UpdateWithHintsRule(_, _, _)        \* world, old, new |-> world

EmptyHintsQueue ==
    [waiting |-> EmptyFunction, lacksClaims |-> ClaimsAtFirst, moved |-> FALSE, inFlight |-> EmptyFunction,
     events |-> <<>>]

-------------------------------------------------------------------------------
(* Events. *)

(* What the plugin has registered for (EventsToRegister).  Coscheduling has a pod *)
(* wait at Permit.  An extender and a plugin out of tree wait for everything.     *)
IsRegistered(plugin, event) ==
    CASE plugin = "NodeResourcesFit" -> event.is \in FitEvents
      [] plugin = "NodeAffinity" -> event.is \in NodeAffinityEvents
      [] plugin = "TaintToleration" -> event.is \in TaintEvents
      [] plugin = "InterPodAffinity" -> event.is \in InterPodEvents
      [] plugin = "Coscheduling" -> event.is = "AssignedPodAdd"
      [] plugin = "SchedulingGates" -> event.is \in GatesEvents
      [] plugin = "DynamicResources" -> event.is \in {"ResourceClaimAdd", "ResourceClaimUpdate"}
      [] plugin = "NodeUnschedulable" -> event.is \in CordonEvents
      [] plugin = "PodTopologySpread" -> event.is = "NodeDelete"
      [] plugin \in {"Extender", "OutOfTree"} -> TRUE

OfNode(event) ==
    event.is \in {"NodeAdd", "NodeDelete", "NodeAllocatableChange", "NodeLabelChange", "NodeTaintChange",
                  "NodeSpecUnschedulableChange"}

(* A pod hears of its own update. *)
IsOwnEvent(pod, event) == IF event.new = None THEN FALSE ELSE Uid(event.new) = Uid(pod)

(* No function asks what has changed of the node. *)
EveryNodeHelps(plugin, event, pod) == TRUE

(* The hint function of the plugin says that the event may help the pod.  An error of  *)
(* the function says so too.  Of claims no function asks what has changed.             *)
HintHelps(plugin, event, pod) ==
    IF ~Gate
    THEN TRUE
    ELSE IF OfNode(event)
         THEN AfterNode(plugin, event, pod)
         ELSE CASE plugin = "TaintToleration" -> TaintAfterPodRule(pod, event)
                [] plugin = "NodeResourcesFit" /\ AsksOfBound ->
                       IF event.is = "UnschedulablePodScaleDown" THEN IsOwnEvent(pod, event) ELSE FitAfterPodRule(pod, event)
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

(* NodeResourcesFit and InterPodAffinity, until they ask *)
AnyPodHelps(pod, event) == TRUE

(* NodeResourcesFit, 1.30 *)
BoundPodGoes(pod, event) == IF event.new # None \/ event.old = None THEN FALSE ELSE Bound(event.old)

(* 1.33: a pod that is nominated frees room too. *)
BoundOrNominatedPodGoes(pod, event) ==
    IF event.new # None \/ event.old = None THEN FALSE ELSE Bound(event.old) \/ event.old.nominated # NoNode

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
    \/ IF event.old = None THEN FALSE ELSE IsOwnEvent(pod, event)

(* Events for every pod, whoever rejected the pod. *)
IsWildCard(event) == event.is \in {"ForceActivate", "UnschedulableTimeout"}

(* up to 1.29 *)
EveryEventIsOfInterest(event) == TRUE

(* 1.30 *)
IsEventOfInterest(event) == IsWildCard(event) \/ \E plugin \in Registered : IsRegistered(plugin, event)

(* isPodWorthRequeuing.  A hint is skip, after or immediately. *)

(* 1.28.  With the gate on DynamicResources says that the pod need not back off. *)
WorthRequeuing(record, event) ==
    LET waits == {plugin \in record.plugins : IsRegistered(plugin, event) /\ HintHelps(plugin, event, record.pod)}
    IN  CASE record.plugins = {} \/ IsWildCard(event) -> "after"
          [] Gate /\ "DynamicResources" \in waits -> "immediately"
          [] waits # {} -> "after"
          [] OTHER -> "skip"

(* 1.29: what does not back off is a pod that a plugin left pending. *)
WorthRequeuingPending(record, event) ==
    LET waits == {plugin \in Rejecting(record) : IsRegistered(plugin, event) /\ HintHelps(plugin, event, record.pod)}
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
UnlessTheEventMatters(record, event) == ~IsRegistered(record.gating, event)

(* The event came, and is kept for the pods in flight. *)
Kept(w, event) == [w EXCEPT !.came = Append(@, event), !.queue = NoteEventRule(@, event)]

NoteEvent(w, event) ==
    CASE ~Gate -> w
      [] Gate /\ EventOfInterestRule(event) -> Kept(w, event)
      [] OTHER -> [w EXCEPT !.came = Append(@, event)]

(* Whether and where a move takes the pod. *)
HintOfMove(record, event) ==
    IF record.gating # "" /\ PassedOverRule(record, event) THEN "skip" ELSE WorthRequeuingRule(record, event)

(* movePodsToActiveOrBackoffQueue *)
MovePods(w, names, event) ==
    LET waiting == w.queue.waiting
        Hint(record) == HintOfMove(record, event)
        goes  == {name \in names : Hint(waiting[name]) # "skip"}
        moved == [name \in DOMAIN waiting |->
                     IF name \in goes THEN ByHint(w.queue, waiting[name], Hint(waiting[name])) ELSE waiting[name]]
        Noted(then) == NoteEvent(then, event)
    IN  WithValue(IF EventOfInterestRule(event)
                  THEN [w EXCEPT !.called = TRUE, !.queue.waiting = moved, !.queue.moved = TRUE]
                  ELSE [w EXCEPT !.called = TRUE], Noted)

(* MoveAllToActiveOrBackoffQueue *)
MoveAllByHints(w, event) == MovePods(w, In(w.queue, "unschedulable"), event)

-------------------------------------------------------------------------------
(* Update. *)

(* Up to 1.30, and with the gate off. *)
UpdateRespectingBackoff(w, old, new) == [w EXCEPT !.queue = UpdateRespecting(@, old, new)]

(* Up to 1.20; here a mutant. *)
UpdateEndingBackoff(w, old, new) ==
    LET record  == [w.queue.waiting[new.name] EXCEPT !.pod = new]
        isAsked == record.place = "unschedulable" /\ StripForQueueRule(old) # StripForQueueRule(new)
    IN  IF new.name \notin DOMAIN w.queue.waiting
        THEN UpdateRespectingBackoff(w, old, new)
        ELSE [w EXCEPT !.queue = Put(@, IF record.place = "backoff" \/ isAsked THEN ToActive(@, record) ELSE record)]

(* The hints for these events say where a pod of unschedulablePods goes: one event   *)
(* after the other, until the pod is in one of these places.                         *)
UpdateUntil(places, w, old, new, names) ==
    LET record    == [w.queue.waiting[new.name] EXCEPT !.pod = new]
        Goes(i)   == ByHint(w.queue, record, WorthRequeuingRule(record, EvOf(names[i], old, new)))
        ends      == {i \in DOMAIN names : Goes(i).place \in places}
        last      == IF ends = {} THEN Len(names) ELSE Least(ends)
    IN  IF IsIn(w.queue, new.name, "unschedulable")
        THEN [w EXCEPT !.queue = Put(@, Goes(last))]
        ELSE UpdateRespectingBackoff(w, old, new)

UpdateByHints(w, old, new, names) == UpdateUntil({"active"}, w, old, new, names)

(* 1.31.0-alpha.2 *)
UpdateAskingHints(w, old, new) == UpdateByHints(w, old, new, <<"UnschedulablePodUpdate">>)

(* 1.31 *)
UpdateKeepingEvent(w, old, new) ==
    IF IsInFlight(w.queue, Uid(new))
    THEN Kept(w, EvOf("UnschedulablePodUpdate", old, new))
    ELSE UpdateByHints(w, old, new, <<"AssignedPodOtherUpdate">>)

(* The events of an update: one for each property that changed. *)
ChangedProperties(old, new) ==
    LET label      == IF ChangesLabels(old, new) THEN <<"UnschedulablePodLabelChange">> ELSE <<>>
        less       == IF old.cpu > new.cpu THEN <<"UnschedulablePodScaleDown">> ELSE <<>>
        gate       == IF old.gated /\ ~new.gated THEN <<"UnschedulablePodGatesEliminated">> ELSE <<>>
        toleration == IF old.tolerates # new.tolerates THEN <<"UnschedulablePodTolerationsChange">> ELSE <<>>
        changed    == label \o less \o gate \o toleration
    IN  IF changed = <<>> THEN <<"UnschedulablePodOtherUpdate">> ELSE changed

RECURSIVE AllKept(_, _, _, _)
AllKept(w, old, new, names) ==
    LET Then(kept) == AllKept(kept, old, new, Tail(names))
    IN  IF names = <<>> THEN w ELSE WithValue(Kept(w, EvOf(Head(names), old, new)), Then)

(* 1.32 on *)
UpdateKeepingChanges(w, old, new) ==
    LET names == ChangedProperties(old, new)
    IN  IF IsInFlight(w.queue, Uid(new)) THEN AllKept(w, old, new, names) ELSE UpdateByHints(w, old, new, names)

(* 1.33 on *)
UpdateUntilMoved(w, old, new) ==
    LET names  == ChangedProperties(old, new)
        places == IF PopsFromBackoff THEN {"active", "backoff"} ELSE {"active"}
    IN  IF IsInFlight(w.queue, Uid(new))
        THEN AllKept(w, old, new, names)
        ELSE UpdateUntil(places, w, old, new, names)

UpdateOfWaiting(w, old, new) ==
    IF Gate THEN UpdateWithHintsRule(w, old, new) ELSE UpdateRule(w, old, new)

-------------------------------------------------------------------------------
(* A call of a handler of pods, with its event.  A handler names the event, and *)
(* gives the objects: see PodHandlers.tla.                                      *)

ToldCall(f, a) == [f |-> f, a |-> a]

TellsAll(name, old, new) == ToldCall("move_all_to_active_or_backoff_queue", <<EvOf(name, old, new)>>)

(* Who is told of a bound pod.  old is None if the pod is new. *)

(* Up to 1.30, and with the gate off: those who ask for such a pod. *)
TellsWhoMayCare(name, old, new) ==
    IF old = None
    THEN ToldCall("assigned_pod_added", <<new>>)
    ELSE ToldCall("assigned_pod_updated", <<new, EvOf(name, old, new)>>)

(* 1.31 *)
TellsAllOfUpdate(name, old, new) == TellsAll(IF old = None THEN name ELSE "AssignedPodUpdate", old, new)

TellsOfBound(name, old, new) ==
    IF Gate THEN ToldOfBoundRule(name, old, new) ELSE TellsWhoMayCare(name, old, new)

WithEvent(call) ==
    CASE call.f = "assigned_pod_added" -> TellsOfBound("AssignedPodAdd", None, call.a[1])
      [] call.f = "assigned_pod_updated" -> TellsOfBound(call.a[2], call.a[3], call.a[1])
      [] call.f = "move_all_to_active_or_backoff_queue" -> TellsAll(call.a[1], call.a[2], None)
      [] OTHER -> call

-------------------------------------------------------------------------------
(* The queue is called. *)

AsMoves == {"assigned_pod_added", "assigned_pod_updated", "move_all_to_active_or_backoff_queue"}

EventOfMove(call) ==
    CASE call.f = "assigned_pod_added" -> EvOf("AssignedPodAdd", None, call.a[1])
      [] call.f = "assigned_pod_updated" -> call.a[2]
      [] call.f = "move_all_to_active_or_backoff_queue" -> call.a[1]

(* The names of the pods that the call may move. *)
MovedBy(queue, call) ==
    LET waits == In(queue, "unschedulable")
    IN  IF call.f = "move_all_to_active_or_backoff_queue"
        THEN waits
        ELSE {name \in waits : queue.waiting[name].pod.asks /\ call.a[1].web}

MakesCall(before, call) ==
    LET pod == call.a[1]
        Calls(w) ==
            LET called == [w EXCEPT !.called = TRUE]
            IN  CASE call.f \in AsMoves -> MovePods(w, MovedBy(w.queue, call), EventOfMove(call))
                  [] call.f = "add" -> [called EXCEPT !.queue = Add(@, pod)]
                  [] call.f = "update" -> UpdateOfWaiting(called, pod, call.a[2])
                  [] call.f = "delete" -> [called EXCEPT !.queue.waiting = TakenOut(@, pod.name)]
    IN  WithValue(Moment(before), Calls)

CallOfHintsQueue(w, call) == MakesCall(w, WithEvent(call))

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
PoppedInFlight(queue, name) ==
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
    LET tried == FailedPodRule(queue.moved, [info EXCEPT !.plugins = Rejecting(info)]) # "unschedulable"
        hint  == IF Gate THEN HintForInFlightPodRule(queue, info) ELSE AfterIf(tried)
        Placed(stamped) == Put(stamped, ByHint(stamped, stamped.waiting[info.pod.name], hint))
    IN  IF info.pod.name \in DOMAIN queue.waiting THEN queue ELSE WithValue(Stamped(queue, info), Placed)
===============================================================================
