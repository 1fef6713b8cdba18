----------------------------- MODULE MCCpuManager -----------------------------
(* What TLC needs beside CpuManager: pods are interchangeable.  A .cfg gives    *)
(* Pods as a set of model values (p1, p2 ...) and puts operators in the place   *)
(* of the rules, as in AllocateRule <- AllocateReusing.  SYMMETRY is for        *)
(* invariants only.                                                             *)
EXTENDS CpuManagerProperties, TLC

Symmetry == Permutations(Pods)
===============================================================================
