---------------------------------- MODULE Holds ----------------------------------
(***************************************************************************)
(* One hold of a lock at a time: what a handler of pods does in one action *)
(* where each hold of a lock is an action of its own.  Operators without   *)
(* variables.  The same as model/world/moves.py and, with fine=1,          *)
(* model/world/informers.py.                                               *)
(*                                                                         *)
(* Go: movePodsToActiveOrBackoffQueue and Update in scheduling_queue.go.   *)
(* From 1.31 on a move leaves the lock of Pop between the pods that go to  *)
(* activeQ, and up to 1.34 Update leaves it between its looks.  Who does   *)
(* so keeps PriorityQueue.lock meanwhile.                                  *)
(*                                                                         *)
(* A world has the fields of PodHandlers.tla and HintsQueue.tla, and       *)
(*   calls   by handler: the calls that are left of the notification that  *)
(*           the handler works on                                          *)
(* A call is one of PodHandlers.tla, with its event (WithEvent of          *)
(* HintsQueue.tla), or what is left of a call, with that call as argument: *)
(* go_on_moving, go_on_updating.                                           *)
(***************************************************************************)
EXTENDS PodHandlers, HintsQueue

CONSTANTS
    MovesPodByPod,      \* a move takes the lock of Pop for each pod that goes to activeQ
    UpdateLooksTwice,   \* Update leaves the lock of Pop between its looks
    RejectsDeleted      \* each pod without a node that is deleted is rejected: to 1.34

HandlersOfPods == {"assigned", "unassigned", "handler"}

NoCalls == [handler \in HandlersOfPods |-> <<>>]

-------------------------------------------------------------------------------
(* The calls of a handler. *)

(* A pod that is deleted is rejected, should it wait at Permit.  No pod waits there, *)
(* so the last call is never made.                                                   *)
WithRejections(calls) ==
    LET last == calls[Len(calls)]
    IN  IF calls = <<>>
        THEN <<>>
        ELSE IF last.f = "delete"
             THEN IF RejectsDeleted
                  THEN calls \o <<Call("reject_waiting_pod", last.a), MoveAfterDelete(last.a[1])>>
                  ELSE calls
             ELSE calls

(* The calls of the handler for this notification. *)
CallsOf(handler, notification) ==
    LET Unbound(pod) == ~Bound(pod)
        calls == CASE handler = "assigned" -> OnAssigned(Filtered(notification, Bound))
                   [] handler = "unassigned" -> WithRejections(OnUnassigned(Filtered(notification, Unbound)))
                   [] handler = "handler" -> IF notification.new = None
                                             THEN WithRejections(OnPod(notification))
                                             ELSE OnPod(notification)
    IN  [i \in DOMAIN calls |-> WithEvent(calls[i])]

(* The calls that the handler makes next. *)
NextCalls(w, handler) ==
    CASE w.calls[handler] # <<>> -> w.calls[handler]
      [] w.calls[handler] = <<>> /\ w[handler] # <<>> -> CallsOf(handler, Head(w[handler]))
      [] OTHER -> <<>>

(* The handler is in the midst of a move, or of an Update. *)
HasBegun(calls) == IF calls = <<>> THEN FALSE ELSE calls[1].f \in {"go_on_moving", "go_on_updating"}

OfQueue(call) == call.f \in AsMoves \union {"add", "update", "delete"}

-------------------------------------------------------------------------------
(* One hold. *)

MoveOf(call) == IF call.f = "go_on_moving" THEN call.a[1] ELSE call

(* The names of the pods of which one goes to activeQ in the next hold. *)
GoToActive(w, calls) ==
    LET move  == MoveOf(calls[1])
        event == EventOfMove(move)
        Goes(name) == LET record == w.queue.waiting[name]
                          hint   == HintOfMove(record, event)
                      IN  hint # "skip" /\ ByHint(w.queue, record, hint).place = "active"
    IN  IF MovesPodByPod /\ EventOfInterestRule(event)
        THEN {name \in MovedBy(w.queue, move) : Goes(name)}
        ELSE {}

(* What the next hold of the calls may choose: the name of a pod, or None. *)
Choices(w, calls) ==
    IF calls = <<>>
    THEN {None}
    ELSE IF MoveOf(calls[1]).f \in AsMoves
         THEN LET Of(later) == GoToActive(later, calls)
                  Or(names) == IF names = {} THEN {None} ELSE names
              IN  WithValue(WithValue(Moment(w), Of), Or)
         ELSE {None}

(* The pod goes to activeQ; the move goes on. *)
MovesOne(w, calls, name) ==
    LET record == w.queue.waiting[name]
        move   == MoveOf(calls[1])
    IN  [w  |-> [w EXCEPT !.called = TRUE,
                          !.queue  = Put(@, ByHint(@, record, HintOfMove(record, EventOfMove(move))))],
         is |-> <<Call("go_on_moving", <<move>>)>> \o Tail(calls)]

(* Update goes on with a pod that it has not found in flight. *)
GoesOnUpdating(before, old, new) ==
    LET Updates(w) ==
            LET hidden == [w EXCEPT !.called = TRUE, !.queue.inFlight = [uid \in DOMAIN @ \ {Uid(new)} |-> @[uid]]]
            IN  [UpdateOfWaiting(hidden, old, new) EXCEPT !.queue.inFlight = w.queue.inFlight]
    IN  WithValue(Moment(before), Updates)

(* Update finds the pod not in flight, and leaves the lock of Pop before it goes on. *)
LooksAgain(w, call) ==
    IF call.f = "update" /\ UpdateLooksTwice THEN ~IsInFlight(w.queue, Uid(call.a[2])) ELSE FALSE

(* The first of the calls, as far as one hold goes: the world, and the calls that are left. *)
Hold(w, calls, name) ==
    LET call == calls[1]
        Rest(then)  == [w |-> then, is |-> Tail(calls)]
        Moves(later) == MovesOne(later, calls, name)
        Goes(then)  == [w |-> then, is |-> After(w, calls)]
    IN  CASE LooksAgain(w, call) -> [w |-> w, is |-> <<Call("go_on_updating", call.a)>> \o Tail(calls)]
          [] MoveOf(call).f \in AsMoves /\ name # None -> WithValue(Moment(w), Moves)
          [] MoveOf(call).f \in AsMoves /\ name = None -> WithValue(MakesCall(w, MoveOf(call)), Rest)
          [] call.f = "go_on_updating" -> WithValue(GoesOnUpdating(w, call.a[1], call.a[2]), Rest)
          [] call.f \in {"add", "update", "delete"} /\ ~LooksAgain(w, call) -> WithValue(MakesCall(w, call), Rest)
          [] call.f = "reject_waiting_pod" -> [w |-> w, is |-> <<>>]
          [] call.f \in {"add_pod", "update_pod", "remove_pod", "is_assumed_pod"} -> WithValue(Execute(w, call), Goes)

(* The handler takes its next notification if it has no calls left, and makes one hold. *)
TakeHold(w, handler, name) ==
    LET calls == NextCalls(w, handler)
        taken == IF w.calls[handler] = <<>> THEN [w EXCEPT ![handler] = Tail(@)] ELSE w
        Then(after) == [after.w EXCEPT !.calls[handler] = IF after.w.crashed = <<>> THEN after.is ELSE <<>>]
    IN  IF calls = <<>> THEN taken ELSE WithValue(Hold(taken, calls, name), Then)
===============================================================================
