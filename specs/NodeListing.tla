------------------------------ MODULE NodeListing ------------------------------
(***************************************************************************)
(* node-listing: nodes join, leave and change zone while kube-scheduler    *)
(* takes snapshots.  The same states, steps and names as                   *)
(* model/systems/node_listing.py, and so the same counts.                  *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/cache/cache.go (UpdateNodeInfoSnapshot up to *)
(* 1.17, UpdateSnapshot and updateNodeInfoSnapshotList from 1.18),         *)
(* snapshot.go, node_tree.go, releases 1.13 to 1.31.                       *)
(*                                                                         *)
(* One action is one hold of schedulerCache.mu; up to 1.16 one of          *)
(* NodeTree.mu for each call of Next.  A snapshot that a node event        *)
(* interrupts is not modelled here.  Left out with the pods: generations;  *)
(* the nodes of the cache are those of the tree.                           *)
(***************************************************************************)
EXTENDS NodeTree

CONSTANTS
    Nodes,                    \* node names
    Zones,                    \* zone keys
    Moves,                    \* may a node change its zone?
    ListNodesRule(_),         \* tree |-> [names, tree]
    AddNodeRule(_, _, _),     \* tree, node, zone |-> tree
    RemoveNodeRule(_, _, _),  \* tree, node, zone |-> tree
    UpdateSnapshotRule(_, _), \* tree, snapshot |-> [tree, snapshot]
    RebuildsAlways            \* UpdateSnapshotRule reads nothing of the last snapshot

ASSUME Moves \in BOOLEAN /\ RebuildsAlways \in BOOLEAN

VARIABLES
    tree,     \* schedulerCache.nodeTree, a record as in NodeTree
    snapshot, \* [nodeInfoList |-> names in listing order, nodeInfoMap |-> set of names]
    fresh,    \* the tree has not changed since the snapshot was taken
    failed    \* the last UpdateSnapshot returned an error: its cycle offered the pod no node

vars == <<tree, snapshot, fresh, failed>>

EmptySnapshot == [nodeInfoList |-> <<>>, nodeInfoMap |-> {}]

TypeOK ==
    /\ Range(tree.zones) \subseteq Zones
    /\ Len(tree.tree) = Len(tree.zones)
    /\ \A i \in DOMAIN tree.tree : /\ Range(tree.tree[i].nodes) \subseteq Nodes
                                   /\ tree.tree[i].lastIndex \in Nat
    /\ tree.zoneIndex \in Nat
    /\ tree.numNodes \in Nat
    /\ Range(snapshot.nodeInfoList) \subseteq Nodes
    /\ snapshot.nodeInfoMap \subseteq Nodes
    /\ fresh \in BOOLEAN
    /\ failed \in BOOLEAN

-------------------------------------------------------------------------------
(* The rules for a snapshot. *)

(* The tree is listed anew in every cycle (1.17, pull request #84014).  Up to 1.16  *)
(* findNodesThatFit calls Next itself.  Such a cycle is a snapshot, too, if the pod *)
(* looks at every node.                                                             *)
UpdateSnapshotEveryCycle(t, s) ==
    LET Taken(listed) == [tree     |-> listed.tree,
                          snapshot |-> [nodeInfoList |-> listed.names, nodeInfoMap |-> {}]]
    IN  WithValue(ListNodesRule(t), Taken)

(* The tree is listed anew only when a node was added to the cache or removed from *)
(* the cache (1.18, pull request #85738).  The check at the end compares lengths   *)
(* only, and lists once more.                                                      *)
UpdateSnapshotOnNodeChange(t, s) ==
    LET nodeInfoMap   == NamesOf(t)
        kept          == [names |-> s.nodeInfoList, tree |-> t]
        Again(listed) == IF Len(listed.names) # listed.tree.numNodes
                         THEN ListNodesRule(listed.tree)
                         ELSE listed
        Taken(listed) == [tree     |-> listed.tree,
                          snapshot |-> [nodeInfoList |-> listed.names,
                                        nodeInfoMap  |-> nodeInfoMap]]
        first         == IF nodeInfoMap # s.nodeInfoMap THEN ListNodesRule(t) ELSE kept
    IN  WithValue(WithValue(first, Again), Taken)

(* From 1.18 on UpdateSnapshot returns an error if the list is not as long as the *)
(* tree has nodes.  This scheduling cycle fails, and the list is made anew.       *)
SnapshotFails(t, s) ==
    LET kept           == [names |-> s.nodeInfoList, tree |-> t]
        Short(listed)  == Len(listed.names) # listed.tree.numNodes
    IN  /\ ~RebuildsAlways
        /\ WithValue(IF NamesOf(t) # s.nodeInfoMap THEN ListNodesRule(t) ELSE kept, Short)

-------------------------------------------------------------------------------
Init ==
    /\ tree = EmptyTree
    /\ snapshot = EmptySnapshot
    /\ fresh = FALSE
    /\ failed = FALSE

(* If no rule reads the old snapshot, a change forgets it: no later step can tell. *)
Changed(newTree) ==
    /\ tree' = newTree
    /\ snapshot' = IF RebuildsAlways THEN EmptySnapshot ELSE snapshot
    /\ fresh' = FALSE
    /\ UNCHANGED failed

(* schedulerCache.AddNode: nodeTree.addNode, under schedulerCache.mu *)
AddNode(node, zone) ==
    /\ node \notin NamesOf(tree)
    /\ Changed(AddNodeRule(tree, node, zone))

(* schedulerCache.RemoveNode: nodeTree.removeNode, under schedulerCache.mu *)
RemoveNode(node) ==
    /\ node \in NamesOf(tree)
    /\ Changed(RemoveNodeRule(tree, node, ZoneOf(tree, node)))

(* schedulerCache.UpdateNode: nodeTree.updateNode, under schedulerCache.mu *)
UpdateNode(node, zone) ==
    /\ Moves
    /\ node \in NamesOf(tree)
    /\ zone # ZoneOf(tree, node)
    /\ Changed(AddNodeRule(RemoveNodeRule(tree, node, ZoneOf(tree, node)), node, zone))

(* schedulerCache.UpdateSnapshot, under schedulerCache.mu.  A second snapshot of   *)
(* nothing changes nothing, and is no action.  A disjunction here would count each *)
(* step twice, since TLC tries both sides.                                         *)
UpdateSnapshot ==
    /\ NamesOf(tree) \union snapshot.nodeInfoMap # {}
    /\ \E taken \in {UpdateSnapshotRule(tree, snapshot)} : /\ tree' = taken.tree
                                                          /\ snapshot' = taken.snapshot
    /\ fresh' = TRUE
    /\ failed' = SnapshotFails(tree, snapshot)

Next ==
    \/ \E node \in Nodes, zone \in Zones : AddNode(node, zone)
    \/ \E node \in Nodes : RemoveNode(node)
    \/ \E node \in Nodes, zone \in Zones : UpdateNode(node, zone)
    \/ UpdateSnapshot

Spec == Init /\ [][Next]_vars /\ WF_vars(UpdateSnapshot)

-------------------------------------------------------------------------------
(* The properties of properties/node_listing/, under the same names. *)

Occurrences(seq, x) == Len(SelectSeq(seq, LAMBDA y : y = x))

InTree(node) == node \in NamesOf(tree)

ListedExactlyOnce ==
    fresh => \A node \in Nodes :
                Occurrences(snapshot.nodeInfoList, node) = IF InTree(node) THEN 1 ELSE 0

ListAsLongAsTree == fresh => Len(snapshot.nodeInfoList) = tree.numNodes

SameNodesAgain ==
    \A node \in Nodes : Occurrences(snapshot.nodeInfoList, node)
                            = Occurrences(snapshot'.nodeInfoList, node)

RelistingPermutes == [][UpdateSnapshot /\ fresh /\ tree.numNodes > 0 => SameNodesAgain]_vars

NoNeedlessError == [][UpdateSnapshot => ~SnapshotFails(tree, snapshot)]_vars

Offered(node) == (node \in Range(snapshot.nodeInfoList) /\ ~failed) \/ ~InTree(node)

OfferedAgainUnderChurn == \A node \in Nodes : []<>Offered(node)

OfferedAgainWhenQuiet == <>[][UpdateSnapshot]_vars => OfferedAgainUnderChurn
===============================================================================
