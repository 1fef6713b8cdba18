------------------------------- MODULE Handlers -------------------------------
(***************************************************************************)
(* The event handlers of scheduling: those of pods, which call the queue,  *)
(* and that of nodes.  Operators without variables.  The same as           *)
(* model/scheduler/eventhandlers.py and node_handlers.py.                  *)
(*                                                                         *)
(* Go: pkg/scheduler/eventhandlers.go, 1.13 to 1.31.                       *)
(*                                                                         *)
(* A world has the fields of PodHandlers.tla, and these.                   *)
(*   nodeWatch  the events on their way, the oldest first                  *)
(*   queue      see Queue.tla                                              *)
(***************************************************************************)
EXTENDS PodHandlers, Queue

CONSTANTS
    \* Rules, named after their fields.
    MoveOnNodeUpdateRule(_, _, _),      \* queue, the pods that pass the check, event |-> queue
    PreCheckRule(_, _)                  \* NodeInfo, pod |-> does the pod pass

-------------------------------------------------------------------------------
(* The pods of this pod's priority or less. *)
NotAbove(pod) == {name \in Pods : Priority(name) <= Priority(pod.name)}

(* A handler of pods calls the queue. *)
CallOfQueue(w, call) ==
    LET pod == call.a[1]
    IN  CASE call.f = "assigned_pod_added" -> [w EXCEPT !.queue = NoteMoveRequest(@)]
          [] call.f = "assigned_pod_updated" -> [w EXCEPT !.queue = NoteUpdate(@, call.a[2])]
          [] call.f = "move_all_to_active_or_backoff_queue" -> [w EXCEPT !.queue = MoveAll(@, Pods, "pod deleted")]
          [] call.f = "move_for_end_of_nomination" -> [w EXCEPT !.queue = MoveAll(@, NotAbove(pod), "pod deleted")]
          [] call.f = "add" -> [w EXCEPT !.queue = QueueAdd(@, pod, w.lister[pod.name])]
          [] call.f = "update" -> [w EXCEPT !.queue = QueueUpdate(@, pod, call.a[2], w.lister[pod.name])]
          [] call.f = "delete" -> [w EXCEPT !.queue = QueueDelete(@, pod)]

-------------------------------------------------------------------------------
(* What a node's update is for pods that wait; "" for nothing. *)
EventOf(was, is) ==
    IF was.cordoned /\ ~is.cordoned THEN "uncordoned" ELSE IF was.room # is.room THEN "allocatable" ELSE ""

MoveOnAnyNodeUpdate(q, passes, event) == MoveAll(q, passes, "any")

(* 1.21 on.  An update changes one thing. *)
MoveOnNodeChange(q, passes, event) == IF event = "" THEN q ELSE MoveAll(q, passes, event)

(* 1.14 to 1.20 *)
MoveIfNoneUnschedulable(q, passes, event) ==
    IF In(q, "unschedulable") = {} THEN MoveAll(q, Pods, "any") ELSE MoveOnNodeChange(q, passes, event)

WithoutPreCheck(info, pod) == TRUE

PreCheckForNode(info, pod) == pod.cpu <= info.is.room - Requested(info)

(* The oldest event of a node reaches the store and the handler. *)
NodeDelivered(w) ==
    LET event == Head(w.nodeWatch)
        told  == [w EXCEPT !.nodeWatch = Tail(@)]
        waiting == w.queue.waiting
        Passing(cache) ==
            {name \in DOMAIN waiting : PreCheckRule(cache.infos[event.node], waiting[name].pod)}
        Known(cache) == [told EXCEPT !.cache = cache, !.queue = MoveAll(@, Passing(cache), "node added")]
        Changed(cache) ==
            [told EXCEPT !.cache = cache,
                         !.queue = MoveOnNodeUpdateRule(@, Passing(cache), EventOf(event.was, event.is))]
    IN  CASE event.kind = "add" -> WithValue(AddNode(w.cache, event.node, event.is), Known)
          [] event.kind = "delete" -> [told EXCEPT !.cache = RemoveKnownNodeRule(@, event.node)]
          [] event.kind = "update" -> WithValue(UpdateNode(w.cache, event.node, event.is), Changed)
===============================================================================
