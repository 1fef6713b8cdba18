--------------------------------- MODULE Room ---------------------------------
(***************************************************************************)
(* What really fits, by the API server's pods and nodes, which pods wait   *)
(* or lack a node though they fit, and for whom room is kept.  Operators   *)
(* without variables.  The same as view.py, progress.py and nominations.py *)
(* in properties/scheduling.                                               *)
(*                                                                         *)
(* A world has the fields of Attempt.tla, and nodes.                       *)
(***************************************************************************)
EXTENDS Fitting

BoundOn(w, node) == {name \in Pods : IF w.pods[name] = None THEN FALSE ELSE w.pods[name].node = node}

FreeOn(w, node) ==
    LET there == BoundOn(w, node) IN w.nodes[node].room - SumOver([name \in there |-> w.pods[name].cpu], there)

HasRoom(w, node, pod, kept) == Tolerates(w.nodes[node], node, pod) /\ pod.cpu + kept <= FreeOn(w, node)

(* The live version of the pod, if it is pending and of this incarnation, else None. *)
PendingNow(w, pod) ==
    LET live == w.pods[pod.name]
    IN  IF live = None THEN None ELSE IF Uid(live) = Uid(pod) /\ ~Bound(live) THEN live ELSE None

(* What is kept on the node for pods that are pending, nominated there and as important. *)
KeptBeside(w, pod, node) ==
    LET list == PodsForNode(w.queue.nominations, node)
        Keeps(other) == /\ Priority(other.name) >= Priority(pod.name)
                        /\ Uid(other) # Uid(pod)
                        /\ PendingNow(w, other) # None
        keeping == Places(list, Keeps)
    IN  SumOver([i \in keeping |-> PendingNow(w, list[i]).cpu], keeping)

(* The pod could be placed on the node, if pods of lower priority left. *)
CouldCome(w, pod, node) ==
    /\ node \in DOMAIN w.nodes
    /\ LET lower == {name \in BoundOn(w, node) : Priority(name) < Priority(pod.name)}
       IN  w.pods[pod.name].cpu <= FreeOn(w, node) + SumOver([name \in lower |-> w.pods[name].cpu], lower)

(* What goroutines of this bag are about to bind to the node. *)
HeldBy(w, bag, node) ==
    SumOver([g \in DOMAIN bag |-> bag[g] * g.pod.cpu],
            {g \in DOMAIN bag : g.pod.node = node /\ w.pods[g.pod.name] # None})

(* On the node the pod takes room of a pod of higher priority that is nominated there. *)
TakesRoomOf(w, pod, node, name) ==
    IF w.pods[name] = None
    THEN FALSE
    ELSE /\ ~Bound(w.pods[name])
         /\ w.pods[name].nominated = node
         /\ Priority(name) > Priority(pod.name)
         /\ (IF node \in DOMAIN w.nodes THEN FreeOn(w, node) ELSE 0) - HeldBy(w, w.bindings, node)
                < w.pods[name].cpu + pod.cpu

(* The pod in unschedulableQ fits on one of these nodes, beside those nominated.  *)
(* A pod that the extender has annotated is placed by the extender.               *)
Stuck(w, name, among) ==
    IF w.pods[name] = None
    THEN FALSE
    ELSE /\ ~Bound(w.pods[name])
         /\ ~w.pods[name].gpu
         /\ ~w.pods[name].terminating
         /\ ~IsOfOthers(w.pods[name])
         /\ \E node \in among :
                HasRoom(w, node, w.pods[name], KeptBeside(w, w.queue.waiting[name].pod, node))

(* The pod is bound, gone or about to go, or fits on none of these nodes.  A pod  *)
(* that names another scheduler is for that one to place.                         *)
Placed(w, name, among) ==
    IF w.pods[name] = None
    THEN TRUE
    ELSE \/ Bound(w.pods[name])
         \/ w.pods[name].gpu
         \/ w.pods[name].terminating
         \/ IsOfOthers(w.pods[name])
         \/ \A node \in among : ~HasRoom(w, node, w.pods[name], 0)

-------------------------------------------------------------------------------
(* Nominations. *)

Tells(notification, name) ==
    \/ IF notification.old = None THEN FALSE ELSE notification.old.name = name
    \/ IF notification.new = None THEN FALSE ELSE notification.new.name = name

EventsOf(w, name) ==
    \/ \E i \in DOMAIN w.podWatch : w.podWatch[i].pod.name = name
    \/ \E i \in DOMAIN w.assigned : Tells(w.assigned[i], name)
    \/ \E i \in DOMAIN w.unassigned : Tells(w.unassigned[i], name)
    \/ \E i \in DOMAIN w.handler : Tells(w.handler[i], name)

(* A goroutine has the pod. *)
Busy(w, name) ==
    \E g \in (IF w.cycle = None THEN {} ELSE {w.cycle}) \union DOMAIN w.bindings \union DOMAIN w.retries :
        g.pod.name = name

(* The version is of this incarnation, and is not bound. *)
IsPendingVersion(version, uid) == IF version = None THEN FALSE ELSE Uid(version) = uid /\ ~Bound(version)

(* A pod that is nominated to NoNode keeps no room. *)
NominatedArePending(w) ==
    \A node \in DOMAIN w.queue.nominations.pods \ {NoNode} :
        \A pod \in Range(w.queue.nominations.pods[node]) :
            IsPendingVersion(w.lister[pod.name], Uid(pod)) \/ EventsOf(w, pod.name) \/ Busy(w, pod.name)
===============================================================================
