----------------------------- MODULE MCScheduling -----------------------------
(* What TLC needs beside Scheduling: pods of one priority are interchangeable,  *)
(* and so are nodes.  A .cfg gives names as model values (p1, p2 ..., n1 ...)   *)
(* and puts operators in the place of the rules, as in                          *)
(* NominatorAddRule <- AddUnchecked.  SYMMETRY is for invariants only.          *)
EXTENDS SchedulingProperties, TLC

Renamings(names) == IF Cardinality(names) < 2 THEN {} ELSE Permutations(names)

Symmetry == Renamings(HighPods) \union Renamings(Pods \ HighPods) \union Renamings(Nodes)
===============================================================================
