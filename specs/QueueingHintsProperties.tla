------------------------- MODULE QueueingHintsProperties -------------------------
(***************************************************************************)
(* What must hold of queueing-hints: the properties of                     *)
(* properties/queueing_hints/, under the same names.                       *)
(*                                                                         *)
(* What an action must not do is said of the state before it: there the    *)
(* action is enabled and would do it.                                      *)
(***************************************************************************)
EXTENDS QueueingHints

(* What is asked of a state (view.py). *)

AllGoroutines == (IF cycle = None THEN {} ELSE {cycle}) \union DOMAIN bindings

(* The cycles that have not called Done yet. *)
Running == {g \in AllGoroutines : ~g.done}

Elements == {i \in DOMAIN queue.events : IsPod(queue.events[i])}

Retained == Len(queue.events) - Cardinality(Elements)

(* Some plugin waits for the event, or it is the update of a pod that is not bound. *)
IsNeeded(event) ==
    \/ IsEventOfInterest(event)
    \/ event.is \in {"UnschedulablePodUpdate", "UnschedulablePodOtherUpdate", "UnschedulablePodGatesEliminated",
                     "UnschedulablePodTolerationsChange"}

Busy(name) == \E g \in AllGoroutines : g.pod.name = name

Tells(notification, name) ==
    \/ IF notification.old = None THEN FALSE ELSE notification.old.name = name
    \/ IF notification.new = None THEN FALSE ELSE notification.new.name = name

HasEvents(name) ==
    \/ \E i \in DOMAIN podWatch : podWatch[i].pod.name = name
    \/ \E i \in DOMAIN assigned : Tells(assigned[i], name)
    \/ \E i \in DOMAIN unassigned : Tells(unassigned[i], name)
    \/ \E i \in DOMAIN handler : Tells(handler[i], name)
    \/ calls # NoCalls

AtRest ==
    /\ AllGoroutines = {} /\ Runs
    /\ podWatch = <<>> /\ HandlersAreIdle
    /\ In(queue, "active") = {} /\ In(queue, "backoff") = {}

-------------------------------------------------------------------------------
(* in_flight.py *)

OneElementForEachPod ==
    LET ElementsOf(uid) == {i \in Elements : queue.events[i].uid = uid}
    IN  Elements # {} => /\ \A i \in Elements : IsInFlight(queue, queue.events[i].uid)
                         /\ \A uid \in DOMAIN queue.inFlight : Cardinality(ElementsOf(uid)) = 1

InFlightWhileScheduled == \A uid \in DOMAIN queue.inFlight : \E g \in Running : g.uid = uid

RunningAreInFlight == \A g \in Running : IsInFlight(queue, g.uid)

ScheduledWhileInFlight == [][Gate => RunningAreInFlight']_vars

(* The goroutine takes the step. *)
Steps(g) ==
    \/ cycle = g /\ cycle' # g
    \/ g \in DOMAIN bindings /\ (g \in DOMAIN bindings' => bindings'[g] < bindings[g])

(* How many failure handlers have looked for the pod, and will call Done. *)
Due(uid) ==
    LET Is(g) == g.uid = uid /\ (Head(g.steps) = "done_after_requeue" \/ "done_after_failure" \in Range(g.steps))
    IN  SumOver(bindings, {g \in DOMAIN bindings : Is(g)})
        + (IF cycle = None THEN 0 ELSE IF Is(cycle) THEN 1 ELSE 0)

(* The goroutine has called Done before, and calls Done now: where a Done is still to *)
(* come, the step before it has not.                                                  *)
CallsDoneAgain(g) ==
    /\ g.done
    /\ Steps(g)
    /\ \/ Due(g.uid)' < Due(g.uid)
       \/ Due(g.uid)' = Due(g.uid) /\ Head(g.steps) \in {"requeue", "done_again"}

OneDoneForEachPop ==
    [][Runs => \A g \in AllGoroutines : CallsDoneAgain(g) => DOMAIN queue.inFlight \subseteq DOMAIN queue'.inFlight]_vars

NothingInFlightNothingRetained == DOMAIN queue.inFlight # {} \/ queue.events = <<>>

ListBeginsWithAPodInFlight ==
    Elements # {} => 1 \in Elements /\ IsInFlight(queue, queue.events[1].uid)

(* How many events that somebody needs came since the Pop. *)
Needed(g) == Cardinality({i \in DOMAIN g.came : IsNeeded(g.came[i])})

RetainsNoMore == Retained = 0 \/ \E g \in Running : Retained <= Needed(g)

RetainsWhatARunningCycleNeeds == [][Gate => RetainsNoMore']_vars

DoneBeforeBind == \A g \in Bindings("bind") : ~IsInFlight(queue, g.uid)

(* The uid of the pod that goes back, NoUid if none does. *)
HandedBack(g) ==
    LET listed == lister[g.pod.name]
    IN  IF listed = None
        THEN NoUid
        ELSE IF Bound(listed) \/ listed.name \in DOMAIN queue.waiting THEN NoUid ELSE Uid(listed)

(* An Update keeps its event for the pod in flight whether or not a plugin waits *)
(* for such events.  An activation is for one pod alone.                         *)
SeesAll(g) ==
    LET IsKept(event) == event.is # "ForceActivate" /\ EventOfInterestRule(event)
        ForIt(element) == element.only \in {NoUid, HandedBack(g)}
        came     == SelectSeq(g.came, IsKept)
        answered == IF IsInFlight(queue, HandedBack(g))
                    THEN SelectSeq(EventsForPodRule(queue, HandedBack(g)), ForIt)
                    ELSE <<>>
        names    == [i \in DOMAIN answered |-> answered[i].event]
        HasCome(event) == event \in Range(came)
    IN  SelectSeq(names, HasCome) = came

FailureSeesEventsSincePop ==
    [][Gate /\ MayTake("requeue") =>
           \A g \in Running : Head(g.steps) = "requeue" /\ HandedBack(g) # NoUid => SeesAll(g)]_vars

-------------------------------------------------------------------------------
(* pods.py *)

Attempting == {"schedule", "assume", "wait_on_permit", "done_after_permit", "pre_bind", "bind", "finish_binding"}

PodInOnePlace ==
    \A g \in AllGoroutines :
        Head(g.steps) \in Attempting /\ g.pod.name \in DOMAIN queue.waiting =>
            Uid(queue.waiting[g.pod.name].pod) # g.uid

Forgotten(name) ==
    IF lister[name] = None
    THEN FALSE
    ELSE /\ ~Bound(lister[name])
         /\ ~lister[name].terminating
         /\ ~Busy(name)
         /\ ~HasEvents(name)
         /\ name \notin DOMAIN queue.waiting

PendingPodNotForgotten == Runs /\ used.unknown_profiles = 0 => \A name \in Pods : ~Forgotten(name)

QueuedObjectIsCurrent ==
    \A name \in DOMAIN queue.waiting : Busy(name) \/ HasEvents(name) \/ queue.waiting[name].pod = lister[name]

-------------------------------------------------------------------------------
(* progress.py *)

(* In PreEnqueue, in Filter and in Reserve every plugin would accept the pod of the API server. *)
EveryPluginAccepts(pod) == ~pod.gated /\ ~queue.lacksClaims /\ RejectingInFilter(World, pod) = {} /\ ~unallocated

Accepted(name) ==
    IF pods[name] = None
    THEN FALSE
    ELSE EveryPluginAccepts(pods[name]) /\ ~Bound(pods[name]) /\ ~pods[name].terminating

RejectedBy(name) == Rejecting(queue.waiting[name])

NoEventLost ==
    AtRest => \A name \in In(queue, "unschedulable") :
                  ~(Accepted(name) /\ RejectedBy(name) # {} /\ PermitPlugin \notin RejectedBy(name))

FailedByErrorIsTriedAgain ==
    AtRest => \A name \in In(queue, "unschedulable") : ~(Accepted(name) /\ RejectedBy(name) = {})

EventsAreReleased == []<>(queue.events = <<>>)

ActivePodIsPopped == \A name \in Pods : []<>(name \notin In(queue, "active"))

(* Nothing is known of the plugin that rejects pods at Permit. *)
Placed(name) ==
    IF pods[name] = None
    THEN TRUE
    ELSE \/ Bound(pods[name])
         \/ pods[name].terminating
         \/ ~EveryPluginAccepts(pods[name])
         \/ used.unknown_profiles > 0
         \/ IF name \in In(queue, "unschedulable") THEN PermitPlugin \in RejectedBy(name) ELSE FALSE

AcceptedPodIsBound == \A name \in Pods : []<>Placed(name)

(* FailedByErrorIsTriedAgain as a formula of time. *)
ErrorStays(name) ==
    IF name \in In(queue, "unschedulable") THEN Accepted(name) /\ RejectedBy(name) = {} ELSE FALSE

FailedPodIsTriedAgain == \A name \in Pods : []<>~ErrorStays(name)

(* Of a state that Reduces: the queue keeps no more events than MostRetained. *)
RetainsAtMost == Number(queue.events) <= MostRetained

-------------------------------------------------------------------------------
(* backoff.py *)

(* The pod still backs off when the next operation of the queue looks, a moment later. *)
BacksOff(name) == name \in In(queue, "backoff") /\ BackoffEnds(queue, queue.waiting[name]) > 1

WithoutStatus(pod) == [pod EXCEPT !.condition = FALSE, !.nominated = NoNode]

LeavesBackoffQueueInTime ==
    [][Clock => \A name \in Pods :
           BacksOff(name) /\ name \in In(queue', "active") =>
               \/ WithoutStatus(queue'.waiting[name].pod) # WithoutStatus(queue.waiting[name].pod)
               \/ IF cycle = None THEN FALSE ELSE cycle.activates = name]_vars

-------------------------------------------------------------------------------
TypeOK ==
    /\ \A name \in Pods : pods[name] # None => pods[name].name = name /\ incarnations[name] >= pods[name].inc
    /\ conditions \subseteq Plugins
    /\ \A name \in DOMAIN queue.waiting : /\ queue.waiting[name].pod.name = name
                                          /\ queue.waiting[name].place \in {"active", "backoff", "unschedulable"}
                                          /\ queue.waiting[name].gating # "" => name \in In(queue, "unschedulable")
    /\ IF Clock
       THEN \A name \in DOMAIN queue.waiting : queue.waiting[name].at < 0
       ELSE /\ {queue.waiting[name].at : name \in DOMAIN queue.waiting} = 1 .. Cardinality(DOMAIN queue.waiting)
            /\ In(queue, "backoff") = {}
    /\ ~Gate => queue.inFlight = EmptyFunction /\ queue.events = <<>>
    /\ \A uid \in DOMAIN queue.inFlight : queue.inFlight[uid] \in {Gone} \union 0 .. Len(queue.events)
    /\ DOMAIN cache.infos \subseteq Nodes
    /\ \A g \in AllGoroutines : g.steps # <<>>
===============================================================================
