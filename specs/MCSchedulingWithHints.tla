------------------------- MODULE MCSchedulingWithHints -------------------------
(* What TLC needs for scheduling from 1.32 on: as MCScheduling, with the queue  *)
(* of QueueWithHints.                                                           *)
EXTENDS MCScheduling, QueueWithHints
===============================================================================
