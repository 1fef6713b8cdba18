------------------------------ MODULE CycleSearch ------------------------------
(***************************************************************************)
(* The search for nodes with Quota: it begins where the one before has     *)
(* ended, and ends when enough nodes are found.  One worker asks, and no   *)
(* node joins or leaves.  Operators without variables.  The same as        *)
(* model/systems/scheduling_cycle/search.py, from 1.17 on.                 *)
(*                                                                         *)
(* Go: findNodesThatFit in core/generic_scheduler.go (1.17),               *)
(* findNodesThatFitPod later, from 1.24 on in schedule_one.go.             *)
(*                                                                         *)
(* A world has the fields of CyclePreemption.tla, and searches, a record;  *)
(* without Quota it is None:                                               *)
(*   start       nextStartNodeIndex                                        *)
(*   nodes       the nodes of the last search over all nodes, in order     *)
(*   passedOver  of each of them, how many searches over all nodes in a    *)
(*               row have not examined it.  Go keeps no such note.         *)
(* A goroutine has besides: search, what its search has come to, or None:  *)
(* the nodes in the order in which they were examined, found and refused;  *)
(* stopped: more than enough were feasible; tried: the pod was tried on    *)
(* its nominated node; alone: that node is all that was found.             *)
(***************************************************************************)
EXTENDS CyclePreemption

CONSTANTS
    Quota,                           \* how many feasible nodes are enough; 0: all are asked
    \* Rules, named after their fields.
    RoundTheNodesAsked,              \* the next search begins at a number modulo the nodes that were asked
    NominatedNodeMovesStartRule      \* the search of the nominated node alone says where the next one begins

-------------------------------------------------------------------------------
FirstSearches == IF Quota = 0 THEN None ELSE [start |-> 0, nodes |-> <<>>, passedOver |-> <<>>]

NewSearch ==
    [examined |-> <<>>, found |-> <<>>, refused |-> <<>>, stopped |-> FALSE, alone |-> FALSE, tried |-> FALSE]

SearchOf(g) == IF g.search = None THEN NewSearch ELSE g.search

InOrder(names) == LET IsOne(node) == node \in names IN SelectSeq(NodeOrder, IsOne)

(* A node has one status. *)
WithRefused(list, node) == IF node \in Range(list) THEN list ELSE Append(list, node)

RECURSIVE RefusedToo(_, _)
RefusedToo(list, more) == IF more = <<>> THEN list ELSE RefusedToo(WithRefused(list, Head(more)), Tail(more))

FitsOn(w, pod, node) == RejectedBy(w, node, pod) = "" /\ ~KeptOut(pod.name, node)

(* The nodes are asked in this order, until one more than enough is feasible. *)
RECURSIVE AsksInTurn(_, _, _, _, _)
AsksInTurn(w, pod, search, list, enough) ==
    IF list = <<>> \/ search.stopped
    THEN search
    ELSE LET asked == [search EXCEPT !.examined = Append(@, Head(list))]
             then  == IF ~FitsOn(w, pod, Head(list))
                      THEN [asked EXCEPT !.refused = WithRefused(@, Head(list))]
                      ELSE IF Len(search.found) = enough
                           THEN [asked EXCEPT !.stopped = TRUE]
                           ELSE [asked EXCEPT !.found = Append(@, Head(list))]
         IN  AsksInTurn(w, pod, then, Tail(list), enough)

Ends(w, pod, search, list) ==
    AsksInTurn(w, pod, [search EXCEPT !.examined = <<>>, !.found = <<>>, !.stopped = FALSE], list,
               IF Quota < Len(list) THEN Quota ELSE Len(list))

(* The next search begins after as many nodes as are feasible or have a status. *)
MovedStart(searches, search, round) ==
    [searches EXCEPT !.start = (@ + Len(search.found) + Len(search.refused)) % round]

CountedSearches(searches, list, search) ==
    LET before == IF searches.nodes = list THEN searches.passedOver ELSE [i \in DOMAIN list |-> 0]
        More(number) == IF number < Len(list) THEN number + 1 ELSE number
    IN  [searches EXCEPT !.nodes = list,
                         !.passedOver = [i \in DOMAIN list |->
                                            IF list[i] \in Range(search.examined) THEN 0 ELSE More(before[i])]]

Searched(w, g, search) ==
    LET looked == [g EXCEPT !.search = search,
                            !.rejectedBy = {RejectedBy(w, node, g.pod) : node \in Range(search.examined)} \ {""}]
    IN  IF search.found = <<>>
        THEN Step(w, Failed(looked, TRUE))
        ELSE Step(w, [looked EXCEPT !.candidates = Range(search.found),
                                    !.steps = IF Extender THEN <<"call_extenders", "choose">> ELSE <<"choose">>])

(* findNodesThatPassFilters *)
SearchAll(w, g) ==
    LET listed == InOrder(Listed(w.snapshot))
        answer == AnswerOfNames(g.pod.name, Listed(w.snapshot))
        asked  == InOrder(answer.asked)
        start  == IF asked = <<>> THEN 0 ELSE w.searches.start % Len(asked)
        inTurn == SubSeq(asked, start + 1, Len(asked)) \o SubSeq(asked, 1, start)
        before == [NewSearch EXCEPT !.refused = RefusedToo(SearchOf(g).refused, InOrder(answer.refused)),
                                    !.tried = SearchOf(g).tried]
        search == Ends(w, g.pod, before, inTurn)
        round  == IF RoundTheNodesAsked THEN Len(asked) ELSE Len(listed)
        moved  == MovedStart(w.searches, search, round)
        then   == IF asked = listed THEN CountedSearches(moved, listed, search) ELSE moved
    IN  IF answer.error
        THEN Step(w, Failed(g, FALSE))
        ELSE IF round = 0
        THEN Ended([w EXCEPT !.crashed = <<"findNodesThatFitPod", "zero">>], g)
        ELSE Searched([w EXCEPT !.searches = then], g, search)

(* From 1.22 on the pod is tried on its nominated node first. *)
LooksAtNominated(w, g) ==
    /\ g.pod.nominated \in Listed(w.snapshot)
    /\ NoNode \notin PreferRule(g.pod.nominated, {g.pod.nominated, NoNode})
    /\ ~SearchOf(g).tried

SearchWithQuota(w, g) ==
    LET looked == Ends(w, g.pod, SearchOf(g), <<g.pod.nominated>>)
        search == [looked EXCEPT !.tried = TRUE, !.alone = looked.found # <<>>]
        then   == IF NominatedNodeMovesStartRule THEN [w EXCEPT !.searches.start = 0] ELSE w
    IN  IF ~LooksAtNominated(w, g)
        THEN SearchAll(w, g)
        ELSE IF search.alone
             THEN Searched(then, g, search)
             ELSE SearchAll(then, [g EXCEPT !.search = search])

(* A pod that an extender has refused on its nominated node is tried on all nodes. *)
TriedOnAll(g, isRefused) ==
    LET search == [g.search EXCEPT !.refused = IF isRefused THEN g.search.found ELSE @, !.alone = FALSE]
    IN  [g EXCEPT !.steps = <<"find_nodes">>, !.candidates = {}, !.search = search]
===============================================================================
