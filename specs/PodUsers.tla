-------------------------------- MODULE PodUsers --------------------------------
(***************************************************************************)
(* Who writes pods to the API server besides the scheduler, as far as      *)
(* every system of the scheduler knows them: users, controllers, kubelets. *)
(* The same actions as model/world/users.py and                            *)
(* model/systems/queueing_hints/cluster.py.                                *)
(*                                                                         *)
(* This module has the variables of pods at the API server, and the        *)
(* counters of the powers.  A system extends this module, adds variables   *)
(* of its own, and leaves these unchanged where a user acts.               *)
(***************************************************************************)
EXTENDS ApiServer

CONSTANTS
    Updates, Deletes, Recreates    \* powers: how often, as in scope.py

VARIABLES
    pods,           \* by name: the live version, or None
    incarnations,   \* by pod name: how often a pod of this name was created
    podWatch,       \* the events of pods on their way, see ApiServer.tla
    used            \* how often each power was used

PodsInit ==
    /\ pods = [name \in Pods |-> None]
    /\ incarnations = [name \in Pods |-> 0]
    /\ podWatch = <<>>

(* The power is used once more, if that is allowed. *)
Uses(power, times) ==
    /\ used[power] < times
    /\ used' = [used EXCEPT ![power] = @ + 1]

-------------------------------------------------------------------------------
Api == [pods |-> pods, podWatch |-> podWatch]

(* A user writes nothing but pods.  w is the API server afterwards. *)
Writes(w) ==
    /\ pods' = w.pods
    /\ podWatch' = w.podWatch

Incarnates(name, isGated) ==
    /\ incarnations' = [incarnations EXCEPT ![name] = @ + 1]
    /\ Writes(WritePod(Api, [NewPod(name, incarnations[name] + 1) EXCEPT !.gated = isGated]))

NewIncarnation(name) == Incarnates(name, FALSE)

CreatePod(name) ==
    /\ pods[name] = None
    /\ incarnations[name] = 0
    /\ NewIncarnation(name)
    /\ UNCHANGED used

RecreatePod(name) ==
    /\ pods[name] = None
    /\ incarnations[name] > 0
    /\ Uses("recreates", Recreates)
    /\ NewIncarnation(name)

(* There is a pod of this name, and the pod does not terminate. *)
Settled(name) == IF pods[name] = None THEN FALSE ELSE ~pods[name].terminating

FinishTermination(name) ==
    /\ pods[name] # None
    /\ ~Settled(name)
    /\ Writes(DropPod(Api, name))
    /\ UNCHANGED <<incarnations, used>>

UpdateAnnotations(name) ==
    /\ Settled(name)
    /\ Uses("updates", Updates)
    /\ Writes(WritePod(Api, [pods[name] EXCEPT !.note = @ + 1]))
    /\ UNCHANGED incarnations
===============================================================================
