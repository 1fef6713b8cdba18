------------------------------- MODULE CycleHolds -------------------------------
(***************************************************************************)
(* What the handlers of pods and of nodes do in one action: all that one   *)
(* notification makes them do, or, with Fine, one hold of a lock.          *)
(* Operators without variables.  The same as model/world/informers.py,     *)
(* and with Fine as model/world/moves.py.  From 1.31 on a move leaves the  *)
(* lock of Pop between the pods that go to activeQ.  Who moves keeps       *)
(* PriorityQueue.lock meanwhile.                                           *)
(*                                                                         *)
(* Go: pkg/scheduler/eventhandlers.go, 1.13 to 1.36; with Fine to 1.31.    *)
(*                                                                         *)
(* A world has the fields of CyclePoints.tla, and                          *)
(*   calls   by handler (assigned, unassigned, nodes): the calls that are  *)
(*           left of the notification that the handler works on            *)
(* A call is one of PodHandlers.tla without what nobody reads any more, or *)
(*   add_node, update_node   node, versions                                *)
(*   num_unschedulable_pods  versions of a node                            *)
(*   move_pods               event, and the node and its NodeInfo that     *)
(*                           pods are checked against, or None             *)
(*   go_on_moving            the rest of a move, with what the move had     *)
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
    MovesPodByPod,      \* a move takes the lock of Pop for each pod that goes to activeQ
    ChecksPods,         \* the event of a node is for pods alone that fit there
    \* The queue's side, and the node handler's: of Queue.tla and Handlers.tla, or from 1.32 on of QueueWithHints.tla.
    CallInQueue(_, _),          \* world, call of a function of the queue |-> world
    NodeHandled(_),             \* world with an event of a node |-> world
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
    THEN CallInQueue(WaitingIsRejected(w, pod), MoveAfterDelete(pod))
    ELSE w

(* From 1.33 on so they are where a pod that did not wait was nominated. *)
WaitingIsRejectedOrNominationEnds(w, pod) ==
    IF Uid(pod) \in DOMAIN w.waitingPods \/ pod.nominated = NoNode
    THEN WaitingIsRejectedAndPodsMove(w, pod)
    ELSE CallInQueue(w, Call("move_for_end_of_nomination", <<pod>>))

(* From 1.35 on only an assumed pod is asked whether it waits: see AssumedForgotten. *)
OnlyTheNominationEnds(w, pod) ==
    IF pod.nominated = NoNode THEN w ELSE CallInQueue(w, Call("move_for_end_of_nomination", <<pod>>))

CallOfCycleQueue(w, call) ==
    CASE call.f = "reject_waiting_pod" -> DeleteFromQueueRule(w, call.a[1])
      [] call.f = "reject_assumed_pod" -> WaitingIsRejected(w, call.a[1])
      [] OTHER -> CallInQueue(w, call)

-------------------------------------------------------------------------------
(* The calls of a handler, with Fine. *)

NoCalls == [handler \in {"assigned", "unassigned", "nodes"} |-> <<>>]

(* A move does not say which pod was deleted, and an update not what the pod was. *)
WithoutUnread(call) ==
    CASE call.f = "assigned_pod_updated" -> Call(call.f, <<call.a[1], call.a[2]>>)
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
    IN  [i \in DOMAIN calls |-> WithoutUnread(calls[i])]

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

IsMove(call) == call.f \in {"move_pods", "go_on_moving"}

(* What the next hold of a move may choose: the name of a pod, or None. *)
PodByPod(names) == IF MovesPodByPod /\ Fine /\ names # {} THEN names ELSE {None}

ChoicesOfMove(w, passes, event) == PodByPod(GoByMove(w.queue, passes, event))

ChoicesOf(w, calls) ==
    IF calls = <<>>
    THEN {None}
    ELSE IF IsMove(calls[1]) THEN ChoicesOfMove(w, Passing(w, calls[1].a[3]), calls[1].a[1]) ELSE {None}

(* Who makes the first of the calls needs PriorityQueue.lock, and has not begun. *)
NeedsQueue(calls) ==
    IF calls = <<>>
    THEN FALSE
    ELSE calls[1].f \in {"add", "update", "delete", "assigned_pod_added", "assigned_pod_updated", "move_pods"}

HasBegun(calls) == IF calls = <<>> THEN FALSE ELSE calls[1].f = "go_on_moving"

(* Nobody is in the midst of a move. *)
QueueIsFree(w) ==
    IF MovesPodByPod /\ Fine
    THEN /\ \A handler \in DOMAIN w.calls : ~HasBegun(w.calls[handler])
         /\ \A g \in DOMAIN w.bindings : Head(g.steps) # "go_on_moving"
    ELSE TRUE

(* The world after the first of the calls. *)
Held(w, call, name) ==
    CASE IsMove(call) /\ name # None -> [w EXCEPT !.queue = GoesByMove(@, name)]
      [] call.f \in {"is_assumed_pod", "get_pod", "num_unschedulable_pods"} -> w
      [] call.f = "reject_waiting_pod" -> WaitingIsRejected(w, call.a[1])
      [] call.f = "add_node" -> [w EXCEPT !.cache = AddNode(@, call.a[1], call.a[2])]
      [] call.f = "update_node" -> [w EXCEPT !.cache = UpdateNode(@, call.a[1], call.a[3])]
      [] IsMove(call) /\ name = None -> [w EXCEPT !.queue = MoveAll(@, Passing(w, call.a[3]), call.a[1])]
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

TakesHold(w, handler, calls, name) ==
    LET Rest(after) == IF name = None
                       THEN LeftOf(w, after, calls)
                       ELSE <<Call("go_on_moving", calls[1].a)>> \o Tail(calls)
        Then(after) == [after EXCEPT !.calls[handler] = IF after.crashed = <<>> THEN Rest(after) ELSE <<>>]
    IN  IF calls = <<>> THEN w ELSE WithValue(Held(w, calls[1], name), Then)

(* The calls that a handler makes next.  The event of a node is not looked at before. *)
NextCalls(w, handler) ==
    IF w.calls[handler] # <<>> \/ handler = "nodes" \/ ~Fine
    THEN w.calls[handler]
    ELSE IF w[handler] = <<>> THEN <<>> ELSE CallsOfPod(handler, Head(w[handler]))

(* A handler of pods goes on, or takes its next notification and makes the first hold. *)
GoesOnHandling(w, handler, name) ==
    LET taken == IF w.calls[handler] # <<>> THEN w ELSE [w EXCEPT ![handler] = Tail(@)]
        Takes(calls) == TakesHold(taken, handler, calls, name)
    IN  WithValue(NextCalls(w, handler), Takes)

AssignedIsHandled(w, name) == IF Fine THEN GoesOnHandling(w, "assigned", name) ELSE HandleAssigned(w)

UnassignedIsHandled(w, name) == IF Fine THEN GoesOnHandling(w, "unassigned", name) ELSE HandleUnassigned(w)

(* The error function may have taken a node out of the cache that goes. *)
NodeDeliveredOrRemoved(w) ==
    IF Head(w.nodeWatch).kind = "delete"
    THEN NodeRemoved([w EXCEPT !.nodeWatch = Tail(@)], Head(w.nodeWatch).node)
    ELSE NodeDelivered(w)

NodeIsHandled(w, name) ==
    LET told == [w EXCEPT !.nodeWatch = Tail(@)]
        Takes(calls) == TakesHold(told, "nodes", calls, None)
    IN  IF w.calls.nodes # <<>>
        THEN TakesHold(w, "nodes", w.calls.nodes, name)
        ELSE IF Fine /\ Head(w.nodeWatch).kind # "delete"
             THEN WithValue(CallsOfNode(Head(w.nodeWatch)), Takes)
             ELSE NodeHandled(w)
===============================================================================
