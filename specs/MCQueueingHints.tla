---------------------------- MODULE MCQueueingHints ----------------------------
(* What TLC needs beside QueueingHints: pods are interchangeable.  A .cfg gives *)
(* names as model values (p1, p2 ...) and puts operators in the place of the    *)
(* rules, as in NotePoppedRule <- NotePoppedInList.  SYMMETRY is for invariants *)
(* only.                                                                        *)
EXTENDS QueueingHintsProperties, TLC

Symmetry == IF Cardinality(Pods) < 2 THEN {} ELSE Permutations(Pods)
===============================================================================
