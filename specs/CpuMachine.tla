------------------------------- MODULE CpuMachine -------------------------------
(***************************************************************************)
(* The machine under the kubelet: its CPUs, its configuration, the state   *)
(* file.  An administrator changes them while the kubelet is down.         *)
(*                                                                         *)
(* A system extends this module, adds variables of its own, and leaves     *)
(* these unchanged where somebody changes the machine.                     *)
(***************************************************************************)
EXTENDS CpuPods

CONSTANTS Hotplug, Offline, Rereserve  \* how often, as in scope.py

VARIABLES
    node,    \* the machine and its configuration, a record as in CpuPolicy.tla
    file     \* [there, state]: the state file; while the kubelet is up, its memory

FirstNode == [cores |-> Cores, offline |-> {}, reserved |-> Reserved]

AddCore ==
    /\ node.cores < Cores + Hotplug
    /\ node' = [node EXCEPT !.cores = @ + 1]
    /\ UNCHANGED file

OfflineCpu(cpu) ==
    /\ Cardinality(node.offline) < Offline
    /\ cpu \notin node.offline
    /\ node' = [node EXCEPT !.offline = @ \union {cpu}]
    /\ UNCHANGED file

GrowReserved ==
    /\ node.reserved < Reserved + Rereserve
    /\ node' = [node EXCEPT !.reserved = @ + 1]
    /\ UNCHANGED file

NoFile == [there |-> FALSE, state |-> EmptyState]

DeleteStateFile ==
    /\ file.there
    /\ file' = NoFile
    /\ UNCHANGED node

MachineChanges ==
    \/ AddCore
    \/ \E cpu \in 1 .. node.cores * Threads - 1 : OfflineCpu(cpu)
    \/ GrowReserved
===============================================================================
