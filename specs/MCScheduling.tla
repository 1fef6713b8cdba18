----------------------------- MODULE MCScheduling -----------------------------
(* What TLC needs beside Scheduling: pods of one priority and size are          *)
(* interchangeable, and so are nodes.  A .cfg gives names as model values (p1, p2 ..., n1 ...)   *)
(* and puts operators in the place of the rules, as in                          *)
(* NominatorAddRule <- AddUnchecked.  SYMMETRY is for invariants only.          *)
EXTENDS SchedulingProperties, TLC

Renamings(names) == IF Cardinality(names) < 2 THEN {} ELSE Permutations(names)

Alike(names) == Renamings(names \ BigPods) \union Renamings(names \intersect BigPods)

Symmetry ==
    Alike(TopPods) \union Alike(HighPods \ TopPods) \union Alike(Pods \ HighPods) \union Renamings(Nodes)
===============================================================================
