--------------------------- MODULE MCSchedulingCycle ---------------------------
(* What TLC needs beside SchedulingCycle: pods of one priority, size, group,     *)
(* schedulerName and budget are interchangeable if the same extenders are        *)
(* interested in them, nodes are named for all of them or none, and they have    *)
(* one preemptionPolicy; and so are nodes that are named, and nodes that are     *)
(* not.                                                                          *)
(* With Quota nodes have an order.                                               *)
(* A .cfg gives names as model values (p1, p2 ..., n1 ...) and puts operators in *)
(* the place of the rules, as in AllowSufficesRule <- EveryAllow.  SYMMETRY is   *)
(* for invariants only.                                                          *)
EXTENDS SchedulingCycleProperties, TLC

Renamings(names) == IF Cardinality(names) < 2 THEN {} ELSE Permutations(names)

Alike(names) == Renamings(names \ BigPods) \union Renamings(names \intersect BigPods)

ByPriority(names) ==
    Alike(TopPods \intersect names) \union Alike((HighPods \ TopPods) \intersect names) \union Alike(names \ HighPods)

Parted(sorts, names) == UNION {{sort \ names, sort \intersect names} : sort \in sorts}

SortsOfPods ==
    LET whole    == IF Groups = {} THEN {Pods} ELSE Groups
        asking   == Parted(Parted(whole, UnmanagedPods), NamedPods)
        profiles == Parted(Parted(asking, SecondProfilePods), OthersPods)
    IN  Parted(Parted(profiles, NeverPods), ProtectedPods)

Symmetry ==
    UNION {ByPriority(sort) : sort \in SortsOfPods}
        \union (IF Quota > 0 THEN {} ELSE Renamings(NamedNodes) \union Renamings(Nodes \ NamedNodes))
===============================================================================
