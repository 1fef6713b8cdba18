------------------------------- MODULE CycleHolds -------------------------------
(***************************************************************************)
(* What the handlers of pods and of nodes do in one action: all that one   *)
(* notification makes them do, or, with Fine, one hold of a lock.          *)
(* Operators without variables.  The same as model/world/informers.py,     *)
(* and with Fine as model/world/moves.py up to 1.30, where a move of pods  *)
(* is one hold.                                                            *)
(*                                                                         *)
(* Go: pkg/scheduler/eventhandlers.go, 1.13 to 1.30.                       *)
(*                                                                         *)
(* A world has the fields of CyclePoints.tla, and                          *)
(*   calls   by handler (assigned, unassigned, nodes): the calls that are  *)
(*           left of the notification that the handler works on            *)
(* A call is one of PodHandlers.tla without what nobody reads any more, or *)
(*   add_node, update_node   node, versions                                *)
(*   num_unschedulable_pods  versions of a node                            *)
(*   move_pods               event, and the node and its NodeInfo that     *)
(*                           pods are checked against, or None             *)
(*   get_pod, reject_waiting_pod  pod                                      *)
(***************************************************************************)
EXTENDS Handlers, CyclePoints

CONSTANTS
    WaitsForHandlers,   \* with Fine: a handler gets its next notification when all are done with theirs
    \* What the operators of rules come to, call by call.
    LooksAssumedUp,     \* an update of an assumed pod is compared with the pod that the cache has
    RejectsWaiting,     \* a pod that goes is rejected, should it wait at Permit
    MovesIfItWaited,    \* and if it did wait, pods are moved
    MovesOnNodeUpdate,  \* by what: any, empty (if no pod is unschedulable, any), or change
    ChecksPods,         \* the event of a node is for pods alone that fit there
    \* Rules, named after their fields.
    DeleteFromQueueRule(_, _)   \* world, pod that the queue has deleted |-> world

-------------------------------------------------------------------------------
(* What follows where the handler has deleted a pod from the queue. *)
NobodyIsTold(w, pod) == w

(* From 1.17 on a pod that waits at Permit is rejected. *)
WaitingIsRejected(w, pod) ==
    IF Uid(pod) \in DOMAIN w.waitingPods THEN [w EXCEPT !.waitingPods[Uid(pod)] = Rejected(@)] ELSE w

(* From 1.23 on pods are moved then. *)
WaitingIsRejectedAndPodsMove(w, pod) ==
    IF Uid(pod) \in DOMAIN w.waitingPods
    THEN [WaitingIsRejected(w, pod) EXCEPT !.queue = MoveAll(@, Pods, "pod deleted")]
    ELSE w

CallOfCycleQueue(w, call) ==
    LET Then(done) == DeleteFromQueueRule(done, call.a[1])
    IN  IF call.f = "delete" /\ ~Fine THEN WithValue(CallOfQueue(w, call), Then) ELSE CallOfQueue(w, call)

-------------------------------------------------------------------------------
(* The calls of a handler, with Fine. *)

NoCalls == [handler \in {"assigned", "unassigned", "nodes"} |-> <<>>]

(* A move does not say which pod was deleted, and an update not what the pod was. *)
Kept(call) ==
    CASE call.f = "assigned_pod_updated" -> Call(call.f, <<call.a[1]>>)
      [] call.f = "move_all_to_active_or_backoff_queue" -> Call("move_pods", <<"pod deleted", None, None>>)
      [] OTHER -> call

AfterDelete(calls) ==
    LET pod == calls[1].a[1]
    IN  IF calls = <<>>
        THEN <<>>
        ELSE IF calls[1].f # "delete" \/ ~RejectsWaiting
             THEN calls
             ELSE calls \o <<Call("reject_waiting_pod", <<pod>>)>>
                        \o IF MovesIfItWaited THEN <<Call("move_pods", <<"pod deleted", None, None>>)>> ELSE <<>>

CallsOfPod(handler, notification) ==
    LET Unbound(pod) == ~Bound(pod)
        calls == IF handler = "assigned"
                 THEN OnAssigned(Filtered(notification, Bound))
                 ELSE AfterDelete(OnUnassigned(Filtered(OwnVersions(notification), Unbound)))
    IN  [i \in DOMAIN calls |-> Kept(calls[i])]

MoveOf(event) == IF event = "" THEN <<>> ELSE <<Call("move_pods", <<event, None, None>>)>>

CallsOfNode(event) ==
    IF event.kind = "add"
    THEN <<Call("add_node", <<event.node, event.is>>)>> \o MoveOf("node added")
    ELSE <<Call("update_node", <<event.node, event.was, event.is>>)>>
             \o (CASE MovesOnNodeUpdate = "any" -> MoveOf("any")
                   [] MovesOnNodeUpdate = "empty" -> <<Call("num_unschedulable_pods", <<event.node, event.was, event.is>>)>>
                   [] MovesOnNodeUpdate = "change" -> MoveOf(EventOf(event.was, event.is)))

-------------------------------------------------------------------------------
(* One hold. *)

(* The moves, for the pods that fit beside what the NodeInfo has now. *)
CheckedAgainst(node, info, calls) ==
    LET Checked(call) == IF call.f = "move_pods" THEN Call(call.f, <<call.a[1], node, info>>) ELSE call
    IN  IF ChecksPods THEN [i \in DOMAIN calls |-> Checked(calls[i])] ELSE calls

(* The names of the pods that the move may take. *)
Passing(w, info) ==
    IF info = None
    THEN Pods
    ELSE {name \in DOMAIN w.queue.waiting : PreCheckRule(info, w.queue.waiting[name].pod)}

(* The world after the first of the calls. *)
Held(w, call) ==
    CASE call.f \in {"is_assumed_pod", "get_pod", "num_unschedulable_pods"} -> w
      [] call.f = "reject_waiting_pod" -> WaitingIsRejected(w, call.a[1])
      [] call.f = "add_node" -> [w EXCEPT !.cache = AddNode(@, call.a[1], call.a[2])]
      [] call.f = "update_node" -> [w EXCEPT !.cache = UpdateNode(@, call.a[1], call.a[3])]
      [] call.f = "move_pods" -> [w EXCEPT !.queue = MoveAll(@, Passing(w, call.a[3]), call.a[1])]
      [] OTHER -> Execute(w, call)

(* The calls that are left after the first one.  was and is: the worlds before and after it. *)
LeftOf(was, is, calls) ==
    LET call == calls[1]
        pod  == call.a[1]
        rest == Tail(calls)
        isEqual == IF Uid(pod) \in DOMAIN was.cache.pods
                   THEN DiffersOnlyInStripped(was.cache.pods[Uid(pod)].pod, pod)
                   ELSE FALSE
    IN  CASE call.f = "is_assumed_pod" ->
                 IF ~IsAssumedPod(was.cache, pod)
                 THEN rest
                 ELSE IF LooksAssumedUp THEN <<Call("get_pod", <<pod>>)>> \o rest ELSE <<>>
          [] call.f = "get_pod" -> IF isEqual THEN <<>> ELSE rest
          [] call.f = "reject_waiting_pod" -> IF Uid(pod) \in DOMAIN was.waitingPods THEN rest ELSE <<>>
          [] call.f \in {"add_node", "update_node"} -> CheckedAgainst(call.a[1], is.cache.infos[call.a[1]], rest)
          [] call.f = "num_unschedulable_pods" ->
                 IF In(was.queue, "unschedulable") = {} THEN MoveOf("any") ELSE MoveOf(EventOf(call.a[2], call.a[3]))
          [] OTHER -> rest

TakesHold(w, handler, calls) ==
    LET Then(after) == [after EXCEPT !.calls[handler] = IF after.crashed = <<>> THEN LeftOf(w, after, calls) ELSE <<>>]
    IN  IF calls = <<>> THEN w ELSE WithValue(Held(w, calls[1]), Then)

(* A handler of pods goes on, or takes its next notification and makes the first hold. *)
GoesOnHandling(w, handler) ==
    IF w.calls[handler] # <<>>
    THEN TakesHold(w, handler, w.calls[handler])
    ELSE LET taken == [w EXCEPT ![handler] = Tail(@)]
             Takes(calls) == TakesHold(taken, handler, calls)
         IN  WithValue(CallsOfPod(handler, Head(w[handler])), Takes)

AssignedIsHandled(w) == IF Fine THEN GoesOnHandling(w, "assigned") ELSE HandleAssigned(w)

UnassignedIsHandled(w) == IF Fine THEN GoesOnHandling(w, "unassigned") ELSE HandleUnassigned(w)

(* The error function may have taken a node out of the cache that goes. *)
NodeIsHandled(w) ==
    LET told == [w EXCEPT !.nodeWatch = Tail(@)]
        Takes(calls) == TakesHold(told, "nodes", calls)
    IN  IF w.calls.nodes # <<>>
        THEN TakesHold(w, "nodes", w.calls.nodes)
        ELSE IF Head(w.nodeWatch).kind = "delete"
             THEN NodeRemoved(told, Head(w.nodeWatch).node)
             ELSE IF Fine THEN WithValue(CallsOfNode(Head(w.nodeWatch)), Takes) ELSE NodeDelivered(w)
===============================================================================
