------------------------------ MODULE PodHandlers ------------------------------
(***************************************************************************)
(* Informers of pods and the scheduler's event handlers: an event reaches  *)
(* the informer's store, then the handlers; each handler calls the cache   *)
(* and the queue.  Operators without variables.  The same as               *)
(* model/scheduler/eventhandlers.py and model/world/informers.py.          *)
(*                                                                         *)
(* Go: pkg/scheduler/eventhandlers.go, 1.13 to 1.36, and                   *)
(* client-go/tools/cache.                                                  *)
(*                                                                         *)
(* An operator takes and gives a world: a record with these fields, and    *)
(* with any others.                                                        *)
(*   podWatch  the events on their way, the oldest first                   *)
(*   lister    the informer's store, by pod name                           *)
(*   assigned, unassigned  what each of the two pod handlers is still to   *)
(*             hear, the oldest first: [old, new, unknown]                 *)
(*   handler   what the one handler of pods is still to hear; in place of  *)
(*             the two, where there is OnePodHandler                       *)
(*   cache     see Cache.tla                                               *)
(*   crashed   <<call, how>> when the process ended, or <<>>               *)
(* A call is [f, a]: a function and its arguments.                         *)
(***************************************************************************)
EXTENDS Skip

CONSTANTS
    Listeners,      \* a switch: each pod handler lags behind the store
    OnePodHandler,  \* one handler hears of every pod: 1.35 on
    ForgetsDeleted, \* it forgets an assumed pod that is deleted: 1.35 on
    MovesWhenRenominated,       \* pods are moved when a pod is no longer nominated for its node: 1.33 on
    MovesWhenNominatedGoes,     \* and when a nominated pod is deleted: 1.33 on
    TellsWaitingPods,           \* a pod that is deleted may wait at Permit: ExecuteInQueue has reject_waiting_pod and reject_assumed_pod
    ExecuteInQueue(_, _),               \* world, call of a function of the queue |-> world
    \* Rules, named after their fields.
    UnknownIsSelectedRule(_, _),        \* does the handler's filter select the pod, last known pod |-> is it handled
    UpdateIsIgnoredRule(_, _),          \* old, new |-> is the update dropped
    UpdatePodInCacheRule(_, _)          \* old, new |-> calls

-------------------------------------------------------------------------------
(* The calls of each handler. *)

Call(f, a) == [f |-> f, a |-> a]

MoveAfterDelete(pod) == Call("move_all_to_active_or_backoff_queue", <<"AssignedPodDelete", pod>>)

UnknownByLastState(selected, pod) == selected

UnknownIsSelected(selected, pod) == TRUE

(* FilteringResourceEventHandler: what the handler is told, as [old, new].  Both are *)
(* None if the handler is told nothing.                                              *)
Filtered(notification, Selects(_)) ==
    LET old == notification.old
        new == notification.new
        Kept(pod) == IF pod = None THEN None ELSE IF Selects(pod) THEN pod ELSE None
    IN  IF old # None /\ new = None /\ notification.unknown
        THEN [old |-> IF UnknownIsSelectedRule(Selects(old), old) THEN old ELSE None, new |-> None]
        ELSE [old |-> Kept(old), new |-> Kept(new)]

AddToCache(pod) == <<Call("add_pod", <<pod>>), Call("assigned_pod_added", <<pod>>)>>

DeleteFromCache(pod) == <<Call("remove_pod", <<pod>>), MoveAfterDelete(pod)>>

UpdateInCache(old, new, event) ==
    <<Call("update_pod", <<old, new>>), Call("assigned_pod_updated", <<new, event, old>>)>>

(* Up to 1.18, and 1.24 to 1.30. *)
UpdatePodInCache(old, new) == UpdateInCache(old, new, "AssignedPodUpdate")

(* 1.31.  An update of what no plugin asks for is one event. *)
UpdatePodInCacheByProperties(old, new) ==
    UpdateInCache(old, new, IF ChangesLabels(old, new) THEN "AssignedPodLabelChange" ELSE "AssignedPodOtherUpdate")

(* 1.19 to 1.23 *)
UpdatePodInCacheByUid(old, new) ==
    IF Uid(old) # Uid(new) THEN DeleteFromCache(old) \o AddToCache(new) ELSE UpdatePodInCache(old, new)

OnAssigned(heard) ==
    IF heard.new = None
    THEN IF heard.old = None THEN <<>> ELSE DeleteFromCache(heard.old)
    ELSE IF heard.old = None THEN AddToCache(heard.new) ELSE UpdatePodInCacheRule(heard.old, heard.new)

NoUpdateIsIgnored(old, new) == FALSE

EqualVersionIsIgnored(old, new) == old = new

(* A move of those that count the pod on the node that it was nominated for: of its *)
(* priority or less.                                                                *)
NominationEnds(pod) == IF pod.nominated = NoNode THEN <<>> ELSE <<Call("move_for_end_of_nomination", <<pod>>)>>

UpdateInQueue(old, new) ==
    LET forgotten == IF ForgetsDeleted /\ new.terminating /\ ~old.terminating
                     THEN <<Call("forget_assumed_pod", <<new>>)>>
                     ELSE <<>>
        moves     == IF MovesWhenRenominated /\ old.nominated # new.nominated THEN NominationEnds(old) ELSE <<>>
    IN  IF UpdateIsIgnoredRule(old, new)
        THEN <<>>
        ELSE forgotten \o <<Call("is_assumed_pod", <<new>>), Call("update", <<old, new>>)>> \o moves

DeleteFromQueue(pod) ==
    <<Call("delete", <<pod>>)>>
    \o (IF ForgetsDeleted THEN <<Call("forget_assumed_pod", <<pod>>)>> ELSE <<>>)
    \o (IF TellsWaitingPods
        THEN <<Call("reject_waiting_pod", <<pod>>)>>
        ELSE IF MovesWhenNominatedGoes THEN NominationEnds(pod) ELSE <<>>)

OnUnassigned(heard) ==
    IF heard.new = None
    THEN IF heard.old = None THEN <<>> ELSE DeleteFromQueue(heard.old)
    ELSE IF heard.old = None THEN <<Call("add", <<heard.new>>)>> ELSE UpdateInQueue(heard.old, heard.new)

(* The one handler hears of every pod, also of pods that name another scheduler:  *)
(* the queue has none of these.  A pod of which the delete was missed is taken    *)
(* out of both.                                                                   *)
ForQueue(pod, made) == IF IsOfOthers(pod) THEN <<>> ELSE made

OnDelete(pod, unknown) ==
    (IF unknown \/ Bound(pod) THEN DeleteFromCache(pod) ELSE <<>>)
    \o (IF unknown \/ ~Bound(pod) THEN ForQueue(pod, DeleteFromQueue(pod)) ELSE <<>>)

OnPod(heard) ==
    LET old == heard.old
        new == heard.new
    IN  IF new = None
        THEN IF old = None THEN <<>> ELSE OnDelete(old, heard.unknown)
        ELSE IF old = None
             THEN IF Bound(new) THEN AddToCache(new) ELSE ForQueue(new, <<Call("add", <<new>>)>>)
             ELSE CASE Bound(old) -> UpdatePodInCacheRule(old, new)
                    [] ~Bound(old) /\ Bound(new) -> AddToCache(new) \o ForQueue(old, <<Call("delete", <<old>>)>>)
                    [] OTHER -> ForQueue(old, UpdateInQueue(old, new))

-------------------------------------------------------------------------------
(* The calls are made. *)

(* handleAssumedPodDeletion: the cache's pod, if it is assumed, is forgotten; one   *)
(* that waits at Permit is rejected instead.  The three holds of the cache's lock   *)
(* are one call.                                                                    *)
AssumedForgotten(w, pod) ==
    CASE ~IsAssumedPod(w.cache, pod) -> w
      [] IsAssumedPod(w.cache, pod) /\ TellsWaitingPods /\ Uid(pod) \in DOMAIN w.waitingPods ->
             ExecuteInQueue(w, Call("reject_assumed_pod", <<pod>>))
      [] OTHER -> Called(w, "forget_pod", ForgetPod(w.cache, w.cache.pods[Uid(pod)].pod))

(* The world after one call.  Each call holds one lock once. *)
Execute(w, call) ==
    LET pod == call.a[1]
    IN  CASE call.f = "add_pod" -> Called(w, call.f, AddPod(w.cache, pod))
          [] call.f = "update_pod" -> Called(w, call.f, UpdateAddedPodRule(w.cache, pod, call.a[2]))
          [] call.f = "remove_pod" -> Called(w, call.f, RemoveKnownPodRule(w.cache, pod))
          [] call.f = "is_assumed_pod" -> w
          [] call.f = "forget_assumed_pod" -> AssumedForgotten(w, pod)
          [] OTHER -> ExecuteInQueue(w, call)

(* The calls that are left after the first one.  If an assumed pod was forgotten, *)
(* a move is all that follows.                                                   *)
After(w, calls) ==
    LET pod == calls[1].a[1]
    IN  IF calls[1].f \in {"is_assumed_pod", "forget_assumed_pod"} /\ IsAssumedPod(w.cache, pod)
        THEN IF calls[1].f = "is_assumed_pod"
             THEN SkipPodUpdateRule(w.cache, pod, Tail(calls))
             ELSE <<MoveAfterDelete(w.cache.pods[Uid(pod)].pod)>>
        ELSE Tail(calls)

(* The world after all calls, or after the one that ends the process. *)
RECURSIVE GoOn(_, _)
GoOn(w, calls) ==
    IF calls = <<>> \/ w.crashed # <<>>
    THEN w
    ELSE LET Then(next) == GoOn(next, After(w, calls)) IN WithValue(Execute(w, calls[1]), Then)

-------------------------------------------------------------------------------
(* Events are delivered. *)

MakesCalls(w, calls) ==
    LET Makes(these) == LET Then(then) == GoOn(then, these) IN WithValue(w, Then)
    IN  WithValue(calls, Makes)

(* A handler takes one notification, and makes all its calls. *)
HandleAssigned(w) ==
    MakesCalls([w EXCEPT !.assigned = Tail(@)], OnAssigned(Filtered(Head(w.assigned), Bound)))

(* Versions of a pod that names another scheduler are left out (responsibleForPod). *)
OwnVersions(notification) ==
    LET Own(pod) == IF pod = None THEN None ELSE IF IsOfOthers(pod) THEN None ELSE pod
    IN  [notification EXCEPT !.old = Own(@), !.new = Own(@)]

HandleUnassigned(w) ==
    LET Unbound(pod) == ~Bound(pod)
    IN  MakesCalls([w EXCEPT !.unassigned = Tail(@)], OnUnassigned(Filtered(OwnVersions(Head(w.unassigned)), Unbound)))

HandlePod(w) == MakesCalls([w EXCEPT !.handler = Tail(@)], OnPod(Head(w.handler)))

(* Without Listeners the handlers run at once, of two the assigned one first. *)
Notify(w, old, new, unknown) ==
    LET notification == [old |-> old, new |-> new, unknown |-> unknown]
        told == IF OnePodHandler
                THEN [w EXCEPT !.handler = Append(@, notification)]
                ELSE [w EXCEPT !.assigned = Append(@, notification), !.unassigned = Append(@, notification)]
        Handled(now) == IF OnePodHandler THEN HandlePod(now) ELSE WithValue(HandleAssigned(now), HandleUnassigned)
    IN  IF Listeners THEN told ELSE WithValue(told, Handled)

(* The oldest event of a pod reaches the informer's store, then the handlers. *)
PodDelivered(w) ==
    LET event == Head(w.podWatch)
        name  == event.pod.name
        old   == w.lister[name]
        new   == IF event.kind = "delete" THEN None ELSE event.pod
        known == [w EXCEPT !.podWatch = Tail(@), !.lister[name] = new]
    IN  IF old = None /\ new = None
        THEN known
        ELSE Notify(known, IF new = None THEN event.pod ELSE old, new, event.unknown)

(* The watch begins anew with a list: what the informer may make of the list.  It *)
(* learns what the list and its store differ in: first the pods that are listed,  *)
(* then the pods that are gone, each in any order.                                *)
Relistings(w) ==
    LET Missed(name) == IF w.pods[name] = None
                        THEN [kind |-> "delete", pod |-> w.lister[name], unknown |-> TRUE]
                        ELSE [kind |-> IF w.lister[name] = None THEN "add" ELSE "update",
                              pod |-> w.pods[name], unknown |-> FALSE]
        listed == InEveryOrder({name \in Pods : w.pods[name] \notin {None, w.lister[name]}})
        gone   == InEveryOrder({name \in Pods : w.pods[name] = None /\ w.lister[name] # None})
        Events(order) == [i \in DOMAIN order |-> Missed(order[i])]
    IN  {Events(first \o then) : first \in listed, then \in gone}
===============================================================================
