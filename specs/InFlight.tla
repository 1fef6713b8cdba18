-------------------------------- MODULE InFlight --------------------------------
(***************************************************************************)
(* Pods in flight, and the events that came meanwhile, with the gate       *)
(* SchedulerQueueingHints.  Operators without variables.  The same as      *)
(* model/scheduler/queue/in_flight.py.                                     *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.28 to 1.31;     *)
(* pkg/scheduler/backend/queue/active_queue.go from 1.32 on.               *)
(*                                                                         *)
(* A queue is a record with these fields, and with any others.             *)
(*   inFlight  inFlightPods, by uid.  1.28.0 and 1.28.1: the place in      *)
(*             events of the last event before the Pop (previousEvent),    *)
(*             0 if there was none, Gone if the event has gone.  Later     *)
(*             releases: 0.                                                *)
(*   events    inFlightEvents, 1.28.0 and 1.28.1 receivedEvents: elements  *)
(*             [uid, event, pods, only].  An element is a pod, and has a   *)
(*             uid, or an event, and has NoUid.  pods is inFlightPodsNum   *)
(*             of 1.28.0 and 1.28.1, and 0 in later releases.  only is the *)
(*             uid of the one pod that the event is for, or NoUid.         *)
(* An event is [is, old, new]: the name of a constant of                   *)
(* model/scheduler/queue/events.py, and the object before and after, or    *)
(* None.  If no hint function looks at objects, both are None.             *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    MostRetained,   \* a larger number of events counts as one more than this: see Reduced
    \* Rules, named after their fields.
    NotePoppedRule(_, _),       \* queue, uid |-> queue
    NoteEventRule(_, _),        \* queue, event |-> queue
    ForgetDoneRule(_, _),       \* queue, uid |-> queue
    EventsForPodRule(_, _),     \* queue, uid of a pod in flight |-> elements
    DiscardPoppedRule(_, _)     \* queue, uid |-> does Pop discard the pod

NoUid == <<>>

Gone == -1

(* An event of this name: what the object was before and after does not matter. *)
Ev(name) == [is |-> name, old |-> None, new |-> None]

NoEvent == Ev("")

PodElement(uid) == [uid |-> uid, event |-> NoEvent, pods |-> 0, only |-> NoUid]

EventElement(event, pods) == [uid |-> NoUid, event |-> event, pods |-> pods, only |-> NoUid]

IsPod(element) == element.uid # NoUid

IsEvent(element) == element.uid = NoUid

IsInFlight(queue, uid) == uid \in DOMAIN queue.inFlight

Behind(seq, place) == SubSeq(seq, place + 1, Len(seq))

-------------------------------------------------------------------------------
(* Events that count pods: 1.28.0, 1.28.1. *)

NotePoppedWithPreviousEvent(queue, uid) == [queue EXCEPT !.inFlight = Extended(@, uid, Len(queue.events))]

NoteEventCountingPods(queue, event) ==
    IF DOMAIN queue.inFlight = {}
    THEN queue
    ELSE [queue EXCEPT !.events = Append(@, EventElement(event, Cardinality(DOMAIN queue.inFlight)))]

(* How many events came before the Pop, as far as the pod knows. *)
BeforePop(queue, uid) == IF queue.inFlight[uid] = Gone THEN 0 ELSE queue.inFlight[uid]

(* Each event that came since the Pop needs one pod less.  When the event before *)
(* the Pop has gone, Go counts from the front on.                                *)
ForgetDoneCountingDown(queue, uid) ==
    LET first    == BeforePop(queue, uid)
        counted  == [i \in DOMAIN queue.events |->
                        IF i <= first THEN queue.events[i] ELSE [queue.events[i] EXCEPT !.pods = @ - 1]]
        Stays(element) == element.pods > 0
        NowAt(place) == CASE place \in {0, Gone} -> place
                          [] Stays(counted[place]) -> Cardinality({i \in 1 .. place : Stays(counted[i])})
                          [] OTHER -> Gone
        others   == Without(queue.inFlight, uid)
    IN  IF ~IsInFlight(queue, uid)
        THEN queue
        ELSE [queue EXCEPT !.inFlight = [other \in DOMAIN others |-> NowAt(others[other])],
                           !.events   = SelectSeq(counted, Stays)]

EventsAfterPreviousEvent(queue, uid) ==
    IF queue.inFlight[uid] = Gone THEN <<>> ELSE Behind(queue.events, queue.inFlight[uid])

-------------------------------------------------------------------------------
(* One list of pods and events: 1.28.2 on. *)

NotePoppedInList(queue, uid) ==
    [queue EXCEPT !.inFlight = Extended(@, uid, 0), !.events = Append(@, PodElement(uid))]

NoteEventInList(queue, event) ==
    IF DOMAIN queue.inFlight = {} THEN queue ELSE [queue EXCEPT !.events = Append(@, EventElement(event, 0))]

(* An event for one pod, which is in flight. *)
NoteEventOfPodInList(queue, event, uid) ==
    [queue EXCEPT !.events = Append(@, [EventElement(event, 0) EXCEPT !.only = uid])]

(* The place of the element that the entry in inFlightPods means: the last one. *)
PlaceOf(queue, uid) ==
    CHOOSE i \in DOMAIN queue.events : /\ queue.events[i].uid = uid
                                       /\ \A j \in i + 1 .. Len(queue.events) : queue.events[j].uid # uid

(* The pod's element goes, and then every event before the first pod. *)
ForgetDoneInList(queue, uid) ==
    LET Pruned(left) ==
            LET pods  == Places(left, IsPod)
                first == IF pods = {} THEN Len(left) + 1 ELSE Least(pods)
            IN  [queue EXCEPT !.inFlight = Without(@, uid), !.events = SubSeq(left, first, Len(left))]
    IN  IF IsInFlight(queue, uid)
        THEN WithValue(Dropped(queue.events, PlaceOf(queue, uid)), Pruned)
        ELSE queue

EventsAfterPod(queue, uid) == SelectSeq(Behind(queue.events, PlaceOf(queue, uid)), IsEvent)

-------------------------------------------------------------------------------
(* A list that does not count events without end, for 1.28.2 on.  No hint asks  *)
(* how often an event came: between two pods only which events came decides, and *)
(* in which order each came first.  The first of each stays, and its field pods  *)
(* says how many there were, up to one more than MostRetained.                   *)

Times(element) == IF element.pods = 0 THEN 1 ELSE element.pods

UpTo(most, number) == IF number > most THEN most ELSE number

(* The list with one element more. *)
WithElement(list, element) ==
    LET Same(i) == /\ list[i].event = element.event /\ list[i].only = element.only
                   /\ \A j \in i .. Len(list) : IsEvent(list[j])
        same == {i \in DOMAIN list : Same(i)}
        most == MostRetained + 1
    IN  IF IsPod(element)
        THEN Append(list, element)
        ELSE IF same = {}
             THEN Append(list, [element EXCEPT !.pods = UpTo(most, Times(element))])
             ELSE [list EXCEPT ![Least(same)].pods = UpTo(most, @ + Times(element))]

RECURSIVE ReducedFrom(_, _)
ReducedFrom(list, rest) ==
    LET Then(longer) == ReducedFrom(longer, Tail(rest))
    IN  IF rest = <<>> THEN list ELSE WithValue(WithElement(list, Head(rest)), Then)

Reduced(events) == ReducedFrom(<<>>, events)

(* How many events the list stands for. *)
Number(events) ==
    UpTo(MostRetained + 1, SumOver([i \in DOMAIN events |-> Times(events[i])],
                                   {i \in DOMAIN events : IsEvent(events[i])}))

-------------------------------------------------------------------------------
(* A pod that is in flight already. *)

(* 1.28 to 1.31 *)
DiscardNothing(queue, uid) == FALSE

(* 1.32 on *)
DiscardWhatIsInFlight(queue, uid) == IsInFlight(queue, uid)
===============================================================================
