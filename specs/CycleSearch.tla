------------------------------ MODULE CycleSearch ------------------------------
(***************************************************************************)
(* The search for nodes with Quota: it begins where the one before has     *)
(* ended, and ends when enough nodes are found.  No node joins or leaves.  *)
(* Operators without variables.  The same as                               *)
(* model/systems/scheduling_cycle/search.py, from 1.17 on, and             *)
(* model/scheduler/parallel_search.py.                                     *)
(*                                                                         *)
(* Go: findNodesThatFit in core/generic_scheduler.go (1.17),               *)
(* findNodesThatFitPod later, from 1.24 on in schedule_one.go, and         *)
(* ParallelizeUntil in client-go's util/workqueue.                         *)
(*                                                                         *)
(* A world has the fields of CyclePreemption.tla, and searches, a record;  *)
(* without Quota it is None:                                               *)
(*   start       nextStartNodeIndex                                        *)
(*   nodes       the nodes of the last search over all nodes, in order     *)
(*   passedOver  of each of them, how many searches over all nodes in a    *)
(*               row have not examined it.  Go keeps no such note.         *)
(* A goroutine has besides: search, what its search has come to, or None:  *)
(* the nodes that were examined, found and refused, in the order in which  *)
(* workers take them; stopped: more than enough were feasible; tried: the  *)
(* pod was tried on its nominated node; alone: that node is all that was   *)
(* found.                                                                  *)
(***************************************************************************)
EXTENDS CyclePreemption

CONSTANTS
    Quota,                           \* how many feasible nodes are enough; 0: all are asked
    Workers,                         \* how many nodes are asked at the same time
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

-------------------------------------------------------------------------------
(* The workers.  fits: of each place in the list of nodes, whether the pod fits    *)
(* there.  A worker is what it does next, and at which place.  A moment is         *)
(* [examined, found, refused, stopped, workers, taken]: sets of places, and how    *)
(* many of them are taken.                                                         *)

FirstMoment ==
    [examined |-> {}, found |-> {}, refused |-> {}, stopped |-> FALSE,
     workers |-> [i \in 1 .. Workers |-> <<"take", 0>>], taken |-> 0]

(* One more than enough cancels the search.  Workers who have begun to ask go on. *)
WorkerGoesOn(fits, enough, moment, i) ==
    LET at == moment.workers[i][2]
        Next(does, place) == [moment EXCEPT !.workers[i] = <<does, place>>]
    IN  CASE moment.workers[i][1] = "take" ->
                 IF moment.taken < Len(fits)
                 THEN [Next("look", moment.taken + 1) EXCEPT !.taken = @ + 1]
                 ELSE Next("return", 0)
          [] moment.workers[i][1] = "look" -> IF moment.stopped THEN Next("return", 0) ELSE Next("ask", at)
          [] moment.workers[i][1] = "ask" ->
                 IF ~fits[at]
                 THEN [Next("take", 0) EXCEPT !.examined = @ \union {at}, !.refused = @ \union {at}]
                 ELSE IF Cardinality(moment.found) = enough
                      THEN [Next("cancel", 0) EXCEPT !.examined = @ \union {at}]
                      ELSE [Next("take", 0) EXCEPT !.examined = @ \union {at}, !.found = @ \union {at}]
          [] moment.workers[i][1] = "cancel" -> [Next("take", 0) EXCEPT !.stopped = TRUE]

Going(moment) == {i \in 1 .. Workers : moment.workers[i][1] # "return"}

RECURSIVE LastMoments(_, _, _, _)
LastMoments(fits, enough, seen, new) ==
    IF new = {}
    THEN {moment \in seen : Going(moment) = {}}
    ELSE LET next == UNION {{WorkerGoesOn(fits, enough, moment, i) : i \in Going(moment)} : moment \in new}
         IN  LastMoments(fits, enough, seen \union next, next \ seen)

WaysToEnd(fits) ==
    LET Then(last) == {[examined |-> m.examined, found |-> m.found, refused |-> m.refused, stopped |-> m.stopped] :
                           m \in last}
    IN  WithValue(LastMoments(fits, IF Quota < Len(fits) THEN Quota ELSE Len(fits), {FirstMoment}, {FirstMoment}), Then)

(* Computed once.  With one worker there is one end. *)
Ends ==
    LET lists == IF Quota = 0 THEN {} ELSE UNION {[1 .. number -> BOOLEAN] : number \in 0 .. Cardinality(Nodes)}
    IN  [fits \in lists |-> WaysToEnd(fits)]

(* How the nodes of this list may be asked. *)
EndsOver(w, pod, list) == Ends[[i \in DOMAIN list |-> FitsOn(w, pod, list[i])]]

RECURSIVE AtPlaces(_, _)
AtPlaces(list, places) ==
    IF places = {} THEN <<>> ELSE <<list[Least(places)]>> \o AtPlaces(list, places \ {Least(places)})

WithEnd(search, list, end) ==
    [search EXCEPT !.examined = AtPlaces(list, end.examined), !.found = AtPlaces(list, end.found),
                   !.refused = RefusedToo(@, AtPlaces(list, end.refused)), !.stopped = end.stopped]

-------------------------------------------------------------------------------
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

(* The nodes from nextStartNodeIndex on. *)
InTurn(w, asked) ==
    LET start == IF asked = <<>> THEN 0 ELSE w.searches.start % Len(asked)
    IN  SubSeq(asked, start + 1, Len(asked)) \o SubSeq(asked, 1, start)

(* findNodesThatPassFilters.  end: how the nodes were asked; None where that can   *)
(* only be in one way.                                                             *)
SearchAll(w, g, end) ==
    LET listed == InOrder(Listed(w.snapshot))
        answer == AnswerOfNames(g.pod.name, Listed(w.snapshot))
        asked  == InOrder(answer.asked)
        inTurn == InTurn(w, asked)
        before == [NewSearch EXCEPT !.refused = RefusedToo(SearchOf(g).refused, InOrder(answer.refused)),
                                    !.tried = SearchOf(g).tried]
        search == WithEnd(before, inTurn,
                          IF end = None THEN CHOOSE only \in EndsOver(w, g.pod, inTurn) : TRUE ELSE end)
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

SearchWithQuota(w, g, end) ==
    LET list   == <<g.pod.nominated>>
        looked == WithEnd(SearchOf(g), list, CHOOSE only \in EndsOver(w, g.pod, list) : TRUE)
        search == [looked EXCEPT !.tried = TRUE, !.alone = looked.found # <<>>]
        then   == IF NominatedNodeMovesStartRule THEN [w EXCEPT !.searches.start = 0] ELSE w
    IN  IF ~LooksAtNominated(w, g)
        THEN SearchAll(w, g, end)
        ELSE IF search.alone
             THEN Searched(then, g, search)
             ELSE SearchAll(then, [g EXCEPT !.search = search], end)

(* In which ways the search of this goroutine may end. *)
EndsOfSearch(w, g) ==
    LET answer == AnswerOfNames(g.pod.name, Listed(w.snapshot))
        found  == IF LooksAtNominated(w, g) THEN FitsOn(w, g.pod, g.pod.nominated) ELSE FALSE
    IN  IF Quota = 0 \/ found \/ answer.error THEN {None} ELSE EndsOver(w, g.pod, InTurn(w, InOrder(answer.asked)))

(* A pod that an extender has refused on its nominated node is tried on all nodes. *)
TriedOnAll(g, isRefused) ==
    LET search == [g.search EXCEPT !.refused = IF isRefused THEN g.search.found ELSE @, !.alone = FALSE]
    IN  [g EXCEPT !.steps = <<"find_nodes">>, !.candidates = {}, !.search = search]
===============================================================================
