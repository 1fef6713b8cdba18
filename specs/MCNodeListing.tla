----------------------------- MODULE MCNodeListing -----------------------------
(* What TLC needs beside NodeListing: nodes and zones are interchangeable.      *)
(* A .cfg gives Nodes and Zones as sets of model values (n1, n2 ...; z1 ...)    *)
(* and puts operators in the place of the rules, as in                          *)
(* ListNodesRule <- ListStateless.  SYMMETRY is for invariants only.            *)
EXTENDS NodeListing, TLC

Symmetry == Permutations(Nodes) \union Permutations(Zones)
===============================================================================
