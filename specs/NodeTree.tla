------------------------------- MODULE NodeTree -------------------------------
(***************************************************************************)
(* nodeTree: node names by zone, and the order in which kube-scheduler     *)
(* lists them.  Pure operators on a record, no constants and no variables. *)
(* Function by function the same as model/scheduler/cache/node_tree.py.    *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/cache/node_tree.go, releases 1.13 to 1.31.   *)
(* From 1.17 on each function runs under schedulerCache.mu, up to 1.16     *)
(* under the tree's own NodeTree.mu.                                       *)
(*                                                                         *)
(* A tree is a record:                                                     *)
(*   zones      sequence of zones, in the order they joined                *)
(*   tree       sequence beside it: tree[i] is the node array of zones[i], *)
(*              [nodes |-> sequence of names, lastIndex |-> cursor]        *)
(*   zoneIndex  the cursor over zones as stored, may equal Len(zones)      *)
(*   numNodes   how many nodes the tree has                                *)
(* Cursors are Go's: they count from 0.                                    *)
(***************************************************************************)
EXTENDS Naturals, Sequences

EmptyTree == [zones |-> <<>>, tree |-> <<>>, zoneIndex |-> 0, numNodes |-> 0]

Range(seq) == {seq[i] : i \in DOMAIN seq}

RemoveAt(seq, i) == SubSeq(seq, 1, i - 1) \o SubSeq(seq, i + 1, Len(seq))

FirstIndex(seq, Test(_)) == CHOOSE i \in DOMAIN seq :
                               Test(seq[i]) /\ \A j \in 1 .. i - 1 : ~Test(seq[j])

(* Apply(value).  TLC computes the value once.  Under ENABLED, which fairness needs, *)
(* TLC computes a LET or an argument again wherever the name stands.  In a recursion *)
(* that takes exponential time.  TLC computes an element of a set once.              *)
WithValue(value, Apply(_)) == CHOOSE result \in {Apply(x) : x \in {value}} : TRUE

NamesOf(t) == UNION {Range(array.nodes) : array \in Range(t.tree)}

(* The first zone that has the node, which must be in the tree. *)
ZoneOf(t, node) == LET Has(array) == node \in Range(array.nodes)
                   IN  t.zones[FirstIndex(t.tree, Has)]

-------------------------------------------------------------------------------
(* addNode.  The name is appended to the zone's array.  A name that is there already *)
(* is ignored.                                                                       *)
AddNodeToTree(t, node, zone) ==
    IF zone \notin Range(t.zones)
    THEN [t EXCEPT !.zones    = Append(@, zone),
                   !.tree     = Append(@, [nodes |-> <<node>>, lastIndex |-> 0]),
                   !.numNodes = @ + 1]
    ELSE LET at == CHOOSE i \in DOMAIN t.zones : t.zones[i] = zone
         IN  IF node \in Range(t.tree[at].nodes)
             THEN t
             ELSE [t EXCEPT !.tree[at].nodes = Append(@, node), !.numNodes = @ + 1]

(* removeNode and removeZone.  An empty zone is removed, too.  Neither the zone's *)
(* cursor nor zoneIndex moves.  For a name that is not there Go returns an error. *)
RemoveNodeFromTree(t, node, zone) ==
    IF zone \notin Range(t.zones)
    THEN t
    ELSE LET at    == CHOOSE i \in DOMAIN t.zones : t.zones[i] = zone
             nodes == t.tree[at].nodes
             Is(x) == x = node
         IN  IF node \notin Range(nodes)
             THEN t
             ELSE IF Len(nodes) = 1
             THEN [t EXCEPT !.zones    = RemoveAt(@, at),
                            !.tree     = RemoveAt(@, at),
                            !.numNodes = @ - 1]
             ELSE [t EXCEPT !.tree[at].nodes = RemoveAt(@, FirstIndex(nodes, Is)),
                            !.numNodes       = @ - 1]

-------------------------------------------------------------------------------
(* resetExhausted.  All cursors go back to the start. *)
ResetExhausted(t) ==
    [t EXCEPT !.tree      = [i \in DOMAIN @ |-> [@[i] EXCEPT !.lastIndex = 0]],
              !.zoneIndex = 0]

(* next, up to 1.16 Next.  The next name, round robin over the zones.  A zone is     *)
(* asked even if it was exhausted before; so a node that was added since is found.   *)
(* When all zones are exhausted, the cursors are reset.  The tree must not be empty. *)
RECURSIVE NextNode(_, _)
NextNode(t, numExhaustedZones) ==
    LET index == IF t.zoneIndex >= Len(t.zones) THEN 0 ELSE t.zoneIndex
        array == t.tree[index + 1]
        moved == [t EXCEPT !.zoneIndex = index + 1]
    IN  IF array.lastIndex < Len(array.nodes)
        THEN [name |-> array.nodes[array.lastIndex + 1],
              tree |-> [moved EXCEPT !.tree[index + 1].lastIndex = @ + 1]]
        ELSE LET all       == numExhaustedZones + 1 >= Len(t.zones)
                 Retry(t2) == NextNode(t2, numExhaustedZones + 1)
             IN  WithValue(IF all THEN ResetExhausted(moved) ELSE moved, Retry)

RECURSIVE CallNext(_, _, _)
CallNext(t, calls, names) ==
    IF calls = 0
    THEN [names |-> names, tree |-> t]
    ELSE LET Continue(next) == CallNext(next.tree, calls - 1, Append(names, next.name))
         IN  WithValue(NextNode(t, 0), Continue)

(* The rules for a listing.  Each takes a tree, and gives the names and the tree *)
(* with the cursors that the listing leaves.                                     *)

(* numNodes calls of Next that begin where the last listing stopped (1.13 to   *)
(* 1.18.6, 1.19 pre-releases).                                                 *)
ListFromResumingCursors(t) ==
    IF t.zones = <<>> THEN [names |-> <<>>, tree |-> t] ELSE CallNext(t, t.numNodes, <<>>)

(* resetExhausted first (1.19.0, pull request #93355; 1.18 by #93387). *)
ListFromResetCursors(t) == WithValue(ResetExhausted(t), ListFromResumingCursors)

(* list: round robin with local indices (1.20 to 1.31, pull request #93473). *)
RECURSIVE Rounds(_, _, _)
Rounds(t, round, names) ==
    LET Longer(array) == Len(array.nodes) >= round
        rest          == SelectSeq(t.tree, Longer)
    IN  IF Len(names) >= t.numNodes \/ rest = <<>>
        THEN names
        ELSE Rounds(t, round + 1, names \o [i \in DOMAIN rest |-> rest[i].nodes[round]])

ListStateless(t) == [names |-> Rounds(t, 1, <<>>), tree |-> t]

(* A mutant: stops after the first round over the zones. *)
ListOnePerZone(t) == [names |-> [i \in DOMAIN t.tree |-> t.tree[i].nodes[1]], tree |-> t]
===============================================================================
