--------------------------- MODULE MCSchedulingCycle ---------------------------
(* What TLC needs beside SchedulingCycle: pods of one priority, size and group   *)
(* in which the same extenders are interested are interchangeable, and so are nodes that are named, and nodes that are not. *)
(* A .cfg gives names as model values (p1, p2 ..., n1 ...) and puts operators in *)
(* the place of the rules, as in AllowSufficesRule <- EveryAllow.  SYMMETRY is   *)
(* for invariants only.                                                          *)
EXTENDS SchedulingCycleProperties, TLC

Renamings(names) == IF Cardinality(names) < 2 THEN {} ELSE Permutations(names)

Alike(names) == Renamings(names \ BigPods) \union Renamings(names \intersect BigPods)

ByPriority(names) ==
    Alike(TopPods \intersect names) \union Alike((HighPods \ TopPods) \intersect names) \union Alike(names \ HighPods)

Symmetry ==
    UNION {ByPriority(group \ UnmanagedPods) \union ByPriority(group \intersect UnmanagedPods) :
               group \in IF Groups = {} THEN {Pods} ELSE Groups}
        \union Renamings(NamedNodes) \union Renamings(Nodes \ NamedNodes)
===============================================================================
