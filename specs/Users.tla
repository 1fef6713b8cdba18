--------------------------------- MODULE Users ---------------------------------
(***************************************************************************)
(* Who writes to the API server besides the scheduler: users, controllers, *)
(* kubelets, other schedulers.  The same actions as                        *)
(* model/world/users.py.                                                   *)
(*                                                                         *)
(* This module adds nodes to PodUsers.tla.                                 *)
(***************************************************************************)
EXTENDS PodUsers

CONSTANTS
    LateNodes,      \* how many nodes are not there at first
    \* Powers: how often, as in scope.py.
    Finalizers, Labels, Shrinks, OtherBinders, NodeDeletes, NodeAdds, NodeGrows, NodeShrinks, Cordons,
    Heartbeats      \* a switch: kubelets write their nodes' status

VARIABLES
    nodes,          \* by name: the versions of the nodes that are there
    nodeWatch       \* the events of nodes on their way, the oldest first: [kind, node, was, is]

cluster == <<pods, nodes, incarnations, podWatch, nodeWatch, used>>

FirstNodes == Range(SubSeq(NodeOrder, 1, Len(NodeOrder) - LateNodes))

ClusterInit ==
    /\ PodsInit
    /\ nodes = [node \in FirstNodes |-> NewNode]
    /\ nodeWatch = <<>>

(* How often each power was used at first. *)
NothingUsed ==
    [updates |-> 0, finalizers |-> 0, labels |-> 0, shrinks |-> 0, node_grows |-> 0, node_shrinks |-> 0,
     cordons |-> 0, deletes |-> 0, recreates |-> 0, resyncs |-> 0, relists |-> 0, node_deletes |-> 0, node_adds |-> 0,
     lost_replies |-> 0, bind_errors |-> 0, other_binders |-> 0]

-------------------------------------------------------------------------------
(* Pods. *)

UpdateFinalizers(name) ==
    /\ Settled(name)
    /\ Uses("finalizers", Finalizers)
    /\ Writes(WritePod(Api, [pods[name] EXCEPT !.kept = @ + 1]))
    /\ UNCHANGED incarnations

UpdateLabels(name) ==
    /\ Settled(name)
    /\ Uses("labels", Labels)
    /\ Writes(WritePod(Api, [pods[name] EXCEPT !.app = @ + 1]))
    /\ UNCHANGED incarnations

(* In-place resize of a pod that is pending. *)
ShrinkPod(name) ==
    /\ Settled(name)
    /\ ~Bound(pods[name])
    /\ pods[name].cpu > 1
    /\ Uses("shrinks", Shrinks)
    /\ Writes(WritePod(Api, [pods[name] EXCEPT !.cpu = 1]))
    /\ UNCHANGED incarnations

DeletePod(name) ==
    /\ Settled(name)
    /\ Uses("deletes", Deletes)
    /\ Writes(RequestDelete(Api, name).w)
    /\ UNCHANGED incarnations

(* Another scheduler binds the pod. *)
BindElsewhere(name, node) ==
    /\ Settled(name)
    /\ ~Bound(pods[name])
    /\ Uses("other_binders", OtherBinders)
    /\ Writes(RequestBind(Api, pods[name], node, TRUE).w)
    /\ UNCHANGED incarnations

-------------------------------------------------------------------------------
(* Nodes. *)

(* The version before and after; of a node that joins or goes the only one. *)
SendsNode(kind, node, was, is) ==
    /\ nodeWatch' = Append(nodeWatch, [kind |-> kind, node |-> node, was |-> was, is |-> is])
    /\ UNCHANGED <<pods, incarnations, podWatch>>

(* The kubelet writes the node's status.  Nothing that is modelled changes. *)
Heartbeat(node) ==
    /\ Heartbeats
    /\ nodeWatch = <<>>
    /\ SendsNode("update", node, nodes[node], nodes[node])
    /\ UNCHANGED <<nodes, used>>

DeleteNode(node) ==
    /\ Uses("node_deletes", NodeDeletes)
    /\ nodes' = Without(nodes, node)
    /\ SendsNode("delete", node, nodes[node], nodes[node])

CreateNode(node) ==
    /\ Uses("node_adds", NodeAdds + LateNodes)
    /\ nodes' = Extended(nodes, node, NewNode)
    /\ SendsNode("add", node, NewNode, NewNode)

(* The node has another version. *)
NodeBecomes(node, is) ==
    /\ is # nodes[node]
    /\ nodes' = [nodes EXCEPT ![node] = is]
    /\ SendsNode("update", node, nodes[node], is)

GrowNode(node) ==
    /\ Uses("node_grows", NodeGrows)
    /\ NodeBecomes(node, [nodes[node] EXCEPT !.room = @ + 1])

ShrinkNode(node) ==
    /\ Uses("node_shrinks", NodeShrinks)
    /\ NodeBecomes(node, [nodes[node] EXCEPT !.room = IF @ > 0 THEN @ - 1 ELSE 0])

CordonNode(node) ==
    /\ Uses("cordons", Cordons)
    /\ NodeBecomes(node, [nodes[node] EXCEPT !.cordoned = ~@])

-------------------------------------------------------------------------------
OnPods ==
    \/ \E name \in Pods : CreatePod(name)
    \/ \E name \in Pods : RecreatePod(name)
    \/ \E name \in Pods : FinishTermination(name)
    \/ \E name \in Pods : UpdateAnnotations(name)
    \/ \E name \in Pods : UpdateFinalizers(name)
    \/ \E name \in Pods : UpdateLabels(name)
    \/ \E name \in Pods : ShrinkPod(name)
    \/ \E name \in Pods : DeletePod(name)
    \/ \E name \in Pods, node \in DOMAIN nodes : BindElsewhere(name, node)

OnNodes ==
    \/ \E node \in DOMAIN nodes : Heartbeat(node)
    \/ \E node \in DOMAIN nodes : DeleteNode(node)
    \/ \E node \in Nodes \ DOMAIN nodes : CreateNode(node)
    \/ \E node \in DOMAIN nodes : GrowNode(node)
    \/ \E node \in DOMAIN nodes : ShrinkNode(node)
    \/ \E node \in DOMAIN nodes : CordonNode(node)

UserActs == (OnPods /\ UNCHANGED <<nodes, nodeWatch>>) \/ OnNodes
===============================================================================
