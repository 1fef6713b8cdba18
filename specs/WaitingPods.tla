------------------------------ MODULE WaitingPods ------------------------------
(***************************************************************************)
(* The pods that wait at Permit: the map, the pending plugins, the timers, *)
(* the channel.  Operators without variables.  Function by function the    *)
(* same as model/scheduler/waiting_pods.py.                                *)
(*                                                                         *)
(* Go: waiting_pods_map.go in pkg/scheduler/framework, 1.15 to 1.36.       *)
(*                                                                         *)
(* The map is a function by uid.  A waiting pod is a record:               *)
(*   pending    how many of the plugins that said Wait have not said Allow *)
(*   listening  the goroutine receives from the channel                    *)
(*   signal     what was sent and has arrived: "", allowed, rejected, or   *)
(*              preempted (1.36 on)                                        *)
(*   decided    what the plugins decided first, likewise                   *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    \* Rules, named after their fields.
    AllowSufficesRule(_),    \* plugins that are pending after an Allow |-> is the pod told
    SignalArrivesRule(_),    \* waiting pod |-> does arrive what is sent now
    TimerRunsRule(_)         \* waiting pod |-> does a timer run

OneAllow(pending) == TRUE

(* From 1.17 on. *)
EveryAllow(pending) == pending = 0

ArrivesAtListener(waiting) == waiting.listening /\ waiting.signal = ""

(* From 1.18 on. *)
ArrivesInBuffer(waiting) == waiting.signal = ""

TimerOfTheWait(waiting) == waiting.listening

(* From 1.17 on. *)
TimerOfEachPlugin(waiting) == waiting.pending > 0 /\ waiting.decided \notin {"rejected", "preempted"}

-------------------------------------------------------------------------------
NewWaitingPod(pending) == [pending |-> pending, listening |-> FALSE, signal |-> "", decided |-> ""]

Decided(waiting, how) == [waiting EXCEPT !.decided = IF @ = "" THEN how ELSE @]

Sent(waiting, signal) == IF SignalArrivesRule(waiting) THEN [waiting EXCEPT !.signal = signal] ELSE waiting

(* A pending plugin says Allow. *)
Allowed(waiting) ==
    LET left == waiting.pending - 1
        less == Decided([waiting EXCEPT !.pending = left], IF left = 0 THEN "allowed" ELSE "")
    IN  IF AllowSufficesRule(left) THEN Sent(less, "allowed") ELSE less

(* A plugin says Reject, a timer fires, or the pod is deleted. *)
Rejected(waiting) == Sent(Decided(waiting, "rejected"), "rejected")

(* 1.36 on: the wait ends with an error, and not with a rejection. *)
Preempted(waiting) == Sent(Decided(waiting, "preempted"), "preempted")
===============================================================================
