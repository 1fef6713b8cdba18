----------------------- MODULE MCSchedulingCycleWithHints -----------------------
(* What TLC needs for scheduling-cycle from 1.32 on: as MCSchedulingCycle, with  *)
(* the queue of QueueWithHints.                                                  *)
EXTENDS MCSchedulingCycle, QueueWithHints
===============================================================================
