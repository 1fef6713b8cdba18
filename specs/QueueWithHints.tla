----------------------------- MODULE QueueWithHints -----------------------------
(***************************************************************************)
(* The queue of scheduling from 1.32 on, where pods are in flight and hint *)
(* functions are asked: HintsQueue.tla with the nominations of             *)
(* Nominator.tla.  Operators without variables.  They stand in the place   *)
(* of those of Queue.tla, and of the node handler of Handlers.tla.         *)
(*                                                                         *)
(* Go: pkg/scheduler/backend/queue/ and pkg/scheduler/eventhandlers.go,    *)
(* 1.32 to 1.36.                                                           *)
(*                                                                         *)
(* A queue is a record as in HintsQueue.tla, and of                        *)
(*   nominations  see Nominator.tla                                        *)
(* The object of an event of a node is [node, room, cordoned].             *)
(***************************************************************************)
EXTENDS Handlers, HintsQueue

EmptyQueueWithHints ==
    [waiting |-> EmptyHintsQueue.waiting, lacksClaims |-> EmptyHintsQueue.lacksClaims,
     moved |-> EmptyHintsQueue.moved, inFlight |-> EmptyHintsQueue.inFlight, events |-> EmptyHintsQueue.events,
     nominations |-> NoNominations]

-------------------------------------------------------------------------------
(* Hint functions that are asked of nodes. *)

(* A plugin that waits for nodes that join waits for other taints too: of these no *)
(* function is asked.  InterPodAffinity looks for a pod's own terms, and no pod    *)
(* has any.                                                                        *)
HelpsAfterNode(plugin, event, pod) ==
    LET was == event.old
        is  == event.new
    IN  CASE event.is = "NodeSpecUnschedulableChange" /\ plugin # "NodeUnschedulable" -> TRUE
          [] plugin = "NodeUnschedulable" ->
                 IF is = None THEN FALSE ELSE ~is.cordoned /\ (IF was = None THEN TRUE ELSE was.cordoned)
          [] event.is # "NodeSpecUnschedulableChange" /\ plugin = "NodeResourcesFit" ->
                 IF is = None
                 THEN FALSE
                 ELSE pod.cpu <= is.room /\ (IF was = None THEN TRUE ELSE pod.cpu > 0 /\ is.room > was.room)
          [] event.is # "NodeSpecUnschedulableChange" /\ plugin = "InterPodAffinity" -> FALSE
          [] plugin \in {"Extender", "OutOfTree"} -> TRUE

-------------------------------------------------------------------------------
(* The operations. *)

AddWithHints(w, pod) ==
    LET waited == IsIn(w.queue, pod.name, "unschedulable")
    IN  [w EXCEPT !.queue = [Add(@, pod) EXCEPT
                                !.nominations = NominateAddedRule(@, pod, waited, w.lister[pod.name])]]

(* A pod in flight stays nominated as it is.  A pod that goes from unschedulablePods to *)
(* activeQ by another update is nominated anew as its status says.                      *)
UpdateWithHints(w, old, new) ==
    LET name   == new.name
        listed == w.lister[name]
        known  == w.queue.nominations
        Nominations(after) ==
            IF IsInFlight(w.queue, Uid(new))
            THEN known
            ELSE IF name \notin DOMAIN w.queue.waiting
                 THEN NominatorAddRule(known, new, None, listed)
                 ELSE IF /\ IsIn(w.queue, name, "unschedulable")
                         /\ IsIn(after.queue, name, "active")
                         /\ ChangedProperties(old, new) = <<"UnschedulablePodOtherUpdate">>
                      THEN NominatorAddRule(NominatorDeleteRule(known, old), new, None, listed)
                      ELSE NominatorUpdateRule(known, old, new, listed)
        Then(after) == [after EXCEPT !.queue.nominations = Nominations(after)]
    IN  WithValue(UpdateOfWaiting(w, old, new), Then)

DeleteWithHints(w, pod) ==
    [w EXCEPT !.queue.waiting     = TakenOut(@, pod.name),
              !.queue.nominations = NominatorDeleteRule(@, pod)]

(* A handler of pods calls the queue. *)
CallOfQueueWithHints(before, call) ==
    LET pod == call.a[1]
        Calls(w) ==
            CASE call.f = "add" -> AddWithHints(w, pod)
              [] call.f = "update" -> UpdateWithHints(w, pod, call.a[2])
              [] call.f = "delete" -> DeleteWithHints(w, pod)
              [] call.f = "move_for_end_of_nomination" ->
                     MovePods(w, PodsForMoveRequestRule(In(w.queue, "unschedulable"), NotAbove(pod)),
                              EvOf("AssignedPodDelete", pod, None))
    IN  IF call.f \in {"add", "update", "delete", "move_for_end_of_nomination"}
        THEN WithValue(Moment(before), Calls)
        ELSE CallOfHintsQueue(before, call)

(* The names at which Pop may look first. *)
HeadsWithHints(queue) == Heads(WithHead(queue))

(* Pop, which discards a pod that is in flight. *)
PopWithHints(queue, first) ==
    LET Then(left) ==
            IF Heads(left) = {}
            THEN [queue |-> left, info |-> None]
            ELSE LET name == CHOOSE head \in Heads(left) : TRUE
                 IN  [queue |-> PoppedInFlight(left, name), info |-> PoppedRecordRule(left.waiting[name])]
    IN  WithValue(DiscardBeforePop(queue), Then)

(* AddUnschedulableIfNotPresent, with its deferred Done. *)
PutBackWithHints(queue, info, moved, listed) ==
    LET record == [NewRecord(info.pod) EXCEPT !.attempts = info.attempts, !.plugins = info.plugins]
        Nominated(back) == IF info.pod.name \in DOMAIN queue.waiting
                           THEN back
                           ELSE [back EXCEPT !.nominations = NominateWaitingRule(@, info.pod, listed)]
        Then(back) == Done(Nominated(back), Uid(info.pod))
        PutBack(later) == WithValue(PutBackIfNotPresent(later, record), Then)
    IN  WithValue(Later(queue, 1), PutBack)

(* A move after a delete, which spares the pod itself. *)
MoveOthersByHints(w, pod) ==
    LET waiting == w.queue.waiting
        others  == {name \in In(w.queue, "unschedulable") : Uid(waiting[name].pod) # Uid(pod)}
        Moves(later) == MovePods(later, others, EvOf("AssignedPodDelete", pod, None))
    IN  WithValue(Moment(w), Moves)

(* flushUnschedulablePodsLeftover *)
LeftoverByHints(w) == MovePods(w, Leftover(w.queue), Ev("UnschedulableTimeout"))

(* Of flushes right behind each other the list has one.  A pod that waits in its    *)
(* binding is in flight, while others are flushed and tried without end.            *)
IsFlush(element) == IsEvent(element) /\ element.event = Ev("UnschedulableTimeout")

RECURSIVE WithOneFlush(_)
WithOneFlush(events) ==
    IF Len(events) < 2
    THEN events
    ELSE IF IsFlush(events[1]) /\ IsFlush(events[2])
         THEN WithOneFlush(Tail(events))
         ELSE <<Head(events)>> \o WithOneFlush(Tail(events))

QueueWithOneFlush(queue) == [queue EXCEPT !.events = WithOneFlush(@)]

-------------------------------------------------------------------------------
(* The node handler.  Pods are told of every node, whether they fit there or not, *)
(* and of a node that goes before the cache forgets it.                           *)

EventOfUpdate(was, is) ==
    CASE EventOf(was, is) = "uncordoned" -> "NodeSpecUnschedulableChange"
      [] EventOf(was, is) = "allocatable" -> "NodeAllocatableChange"
      [] EventOf(was, is) = "" -> ""

NodeHandledWithHints(w) ==
    LET event == Head(w.nodeWatch)
        told  == [w EXCEPT !.nodeWatch = Tail(@)]
        name  == EventOfUpdate(event.was, event.is)
        Version(is) == [node |-> event.node, room |-> is.room, cordoned |-> is.cordoned]
        Moves(then, ev) == LET All(w2) == MoveAllByHints(w2, ev) IN WithValue(Moment(then), All)
        Joins(cache) == Moves([told EXCEPT !.cache = cache], EvOf("NodeAdd", None, Version(event.is)))
        Changed(cache) ==
            IF name = ""
            THEN [told EXCEPT !.cache = cache]
            ELSE Moves([told EXCEPT !.cache = cache], EvOf(name, Version(event.was), Version(event.is)))
        \* A failed binding may have taken the node out of the cache before.
        CacheForgets(then) == IF event.node \in DOMAIN then.cache.infos
                              THEN [then EXCEPT !.cache = RemoveKnownNodeRule(@, event.node)]
                              ELSE then
    IN  CASE event.kind = "add" -> WithValue(AddNode(w.cache, event.node, event.is), Joins)
          [] event.kind = "delete" -> WithValue(Moves(told, EvOf("NodeDelete", Version(event.is), None)), CacheForgets)
          [] event.kind = "update" -> WithValue(UpdateNode(w.cache, event.node, event.is), Changed)
===============================================================================
