---------------------------- MODULE CyclePreemption ----------------------------
(***************************************************************************)
(* Preemption in scheduling-cycle: budgets, an extender, victims that wait *)
(* at Permit, requests that are not answered.  Operators without           *)
(* variables.  The same as preempting.py and preemption_steps.py in        *)
(* model/systems/scheduling_cycle, in the place of what Attempt.tla does.  *)
(*                                                                         *)
(* Go: Preempt in core/generic_scheduler.go to 1.18, then                  *)
(* framework/plugins/defaultpreemption, from 1.23 on                       *)
(* framework/preemption/preemption.go.                                     *)
(*                                                                         *)
(* A world has the fields of Attempt.tla and WaitingPods.tla, and these.   *)
(*   disruptionsAllowed  status.disruptionsAllowed of the budget           *)
(*   evictions           whom preemption has deleted, as long as these     *)
(*                       pods terminate: a set of                          *)
(*                       [preemptor, victim, node]                         *)
(***************************************************************************)
EXTENDS Attempt, WaitingPods

CONSTANTS
    NamedNodes,              \* the nodes that a PreFilter plugin names; {}: no plugin does
    NamedPods,               \* for these pods
    NeverPods,               \* the pods with the preemptionPolicy Never
    ProtectedPods,           \* the pods of the disruption budget
    PreemptExtender,         \* powers: how often, as in scope.py
    PatchErrors,
    Ignorable,               \* the scheduler goes on without an extender that fails
    \* Rules, named after their fields.
    NamedNodesRule(_, _),            \* names, nodes of the snapshot |-> [error, asked, refused]
    PreemptionMightHelpRule(_),      \* the status of a node |-> might preemption help there
    LowerPodsAreNeededRule,          \* a node without pods of lower priority is no candidate
    ViolatesRule(_, _),              \* pods of the budget that left before, what it allows |-> does one more violate it
    OrderOfVictimsRule(_, _),        \* victims, are there pods with and without violation |-> victims
    PickOneNodeRule(_),              \* candidates |-> nodes; {}: Go panics
    TakesASingleCandidateRule,       \* a single candidate is not looked at
    AsksExtendersToPreemptRule,
    ViolationsOfAnswerRule(_),       \* the number in an extender's answer |-> the number that counts
    NodeWithoutVictimsIsAnErrorRule, \* in an extender's answer
    EndsOfWaitingVictimRule,         \* what is done with a victim that waits at Permit, in order
    \* What other rules come to.
    AbsentIsUnresolvable,            \* so counts a node of which nobody has said anything: 1.32 on
    SparesTerminating,               \* a victim that terminates already is not deleted: 1.34.0, 1.34.1, 1.35 on
    CancelsPreBind                   \* the binding of a victim that is in PreBind ends with an error: 1.36 on

-------------------------------------------------------------------------------
(* What releases do: filtering_rules.py, preemption/ and extender_preemption.py   *)
(* say which.                                                                     *)

NamesAreNotLookedAt(names, listed) == [error |-> FALSE, asked |-> listed, refused |-> {}]

ErrorForMissingNode(names, listed) == [error |-> ~(names \subseteq listed), asked |-> names, refused |-> {}]

OthersAreUnresolvable(names, listed) ==
    [error |-> FALSE, asked |-> names \intersect listed, refused |-> listed \ names]

MissingNodesAreLeftOut(names, listed) == [error |-> FALSE, asked |-> names \intersect listed, refused |-> {}]

HelpsUnlessUnresolvable(status) == status # "unresolvable"

HelpsIfUnschedulable(status) == status = "unschedulable"

BudgetStays(before, allowed) == allowed <= 0

(* 1.18 on. *)
BudgetIsUsedUp(before, allowed) == allowed - before <= 0

AsRefused(victims, both) == victims

MostImportantFirst(victims, both) ==
    LET Of(priority) == LET Has(uid) == Priority(uid[1]) = priority IN SelectSeq(victims, Has)
    IN  IF both THEN Of(2) \o Of(1) \o Of(0) ELSE victims

(* Candidates are a function from nodes to [victims, violations].  The criteria   *)
(* are asked only while more than one node is left.                               *)
LeastBy(candidates, among, Harm(_)) ==
    {node \in among : \A other \in among : Harm(candidates[node]) <= Harm(candidates[other])}

Violations(candidate) == candidate.violations

(* Go takes the first victim for the most important one. *)
HighestPriority(candidate) == Priority(candidate.victims[1][1])

(* Each priority is shifted so far that one pod more is always more harm. *)
SumOfPriorities(candidate) ==
    SumOver([i \in DOMAIN candidate.victims |-> 1000 + Priority(candidate.victims[i][1])], DOMAIN candidate.victims)

LeastHarm(candidates) ==
    LET spared == LeastBy(candidates, DOMAIN candidates, Violations)
    IN  IF Cardinality(spared) = 1
        THEN spared
        ELSE IF \E node \in spared : candidates[node].victims = <<>>
             THEN {}
             ELSE LeastBy(candidates, LeastBy(candidates, spared, HighestPriority), SumOfPriorities)

(* A mutant. *)
AnyCandidate(candidates) == DOMAIN candidates

(* To 1.18. *)
AnyNodeWithoutVictimsFirst(candidates) ==
    LET free == {node \in DOMAIN candidates : candidates[node].victims = <<>>}
    IN  IF free # {} THEN free ELSE LeastHarm(candidates)

NoViolations(answered) == 0

ViolationsAsAnswered(answered) == answered

DeletedAndRejected == <<"delete", "reject">>

(* 1.22 to 1.35. *)
OnlyRejected == <<"reject">>

(* 1.36 on: a pod whose wait is decided already is deleted. *)
PreemptedOrDeleted == <<"preempt or delete">>

-------------------------------------------------------------------------------
(* Whom the pod may preempt, and where. *)

NamesFor(name) == IF name \in NamedPods THEN NamedNodes ELSE {}

(* The Filter plugin of the names refuses the node. *)
KeptOut(name, node) == NamesFor(name) # {} /\ node \notin NamedNodes

AnswerOfNames(name, listed) ==
    IF NamesFor(name) = {}
    THEN [error |-> FALSE, asked |-> listed, refused |-> {}]
    ELSE NamedNodesRule(NamedNodes, listed)

(* What preemption hears of a node: no node is left, so each node that was asked  *)
(* was refused.                                                                   *)
StatusOf(w, name, node) ==
    LET answer == AnswerOfNames(name, Listed(w.snapshot))
    IN  IF node \in answer.asked
        THEN IF w.snapshot[node].is.cordoned \/ KeptOut(name, node) THEN "unresolvable" ELSE "unschedulable"
        ELSE IF node \in answer.refused THEN "unresolvable" ELSE ""

Absent == IF AbsentIsUnresolvable THEN {""} ELSE {}

MayPreempt(w, pod) ==
    IF pod.name \in NeverPods
    THEN FALSE
    ELSE IF pod.nominated \notin Listed(w.snapshot)
    THEN TRUE
    ELSE IF AsksAgain /\ StatusOf(w, pod.name, pod.nominated) \in ({"unresolvable"} \union Absent)
    THEN TRUE
    ELSE \A uid \in DOMAIN w.snapshot[pod.nominated].pods :
             \A i \in DOMAIN w.snapshot[pod.nominated].pods[uid] :
                 LET other == w.snapshot[pod.nominated].pods[uid][i]
                 IN  ~(TerminatingPodCountsRule(other) /\ Priority(other.name) < Priority(pod.name))

(* The uids of the pods that the budget protects, if they leave in this order. *)
Violating(w, order) ==
    LET Protects(v) == v[1][1] \in ProtectedPods
        ours == Places(order, Protects)
    IN  {order[i][1] : i \in {j \in ours : ViolatesRule(Cardinality({k \in ours : k < j}), w.disruptionsAllowed)}}

(* What preemption may find on a node: [victims, violations]; {} if the pods that *)
(* leave do not help.  Of each group the more important come back first.  Pods of *)
(* one priority come in any order, as start times are not modelled.               *)
WhoLeaves(w, node, pod) ==
    LET info  == w.snapshot[node]
        lower == Lower(info, pod)
        freed == SumOver([v \in lower |-> info.pods[v[1]][v[2]].cpu], lower)
        free  == Free(info) + freed - pod.cpu - Competing(w.queue, node, pod)
        Importance(v) == Priority(v[1][1])
        orders == {order \in InEveryOrder(lower) :
                       \A i, j \in DOMAIN order : i < j => Importance(order[i]) >= Importance(order[j])}
        Found(order) ==
            LET violating == Violating(w, order)
                Violates(v) == v[1] \in violating
                Others(v) == v[1] \notin violating
                first == SelectSeq(order, Violates)
                last  == SelectSeq(order, Others)
                left  == NotSpared(info, first \o last, free)
                uids  == [i \in DOMAIN left |-> left[i][1]]
            IN  [victims |-> OrderOfVictimsRule(uids, first # <<>> /\ last # <<>>),
                 violations |-> Cardinality(Places(left, Violates))]
    IN  IF free < 0 \/ ~Tolerates(info.is, node, pod) \/ KeptOut(pod.name, node) \/ (lower = {} /\ LowerPodsAreNeededRule)
        THEN {}
        ELSE {Found(order) : order \in orders}

(* What the extender may answer: <<>> agrees. *)
Answers(w, candidates) ==
    IF w.used.preempt_extender >= PreemptExtender
    THEN {<<>>}
    ELSE {<<>>, <<"no answer">>} \union {<<what, node>> : what \in {"refuses", "no victims"}, node \in DOMAIN candidates}

(* The candidates that are left, and whether the answer is an error. *)
Answered(candidates, said) ==
    LET Says(what, node) == said = <<what, node>>
        kept  == {node \in DOMAIN candidates : ~Says("refuses", node)}
        told  == [node \in kept |->
                     [victims    |-> IF Says("no victims", node) THEN <<>> ELSE candidates[node].victims,
                      violations |-> ViolationsOfAnswerRule(candidates[node].violations)]]
        wrong == IF NodeWithoutVictimsIsAnErrorRule THEN {node \in kept : told[node].victims = <<>>} ELSE {}
    IN  IF PreemptExtender = 0 \/ ~AsksExtendersToPreemptRule
        THEN [left |-> candidates, error |-> FALSE]
        ELSE IF said = <<"no answer">>
             THEN [left |-> candidates, error |-> ~Ignorable]
             ELSE [left |-> [node \in kept \ wrong |-> told[node]], error |-> wrong # {} /\ ~Ignorable]

Picked(candidates) ==
    IF Cardinality(DOMAIN candidates) = 1 /\ TakesASingleCandidateRule
    THEN DOMAIN candidates
    ELSE PickOneNodeRule(candidates)

(* What preemption comes to: a node and the uids of the victims; or no node, and  *)
(* what becomes of the nomination.  hopeless: no pod that goes helps.  said: what *)
(* the extender has answered.  panics: Go does.                                   *)
Nothing ==
    [node |-> NoNode, victims |-> <<>>, nominated |-> None, hopeless |-> FALSE, said |-> <<>>, panics |-> FALSE]

Deleted(w, node, victims) ==
    LET Goes(uid) == ~SparesTerminating \/ \E i \in DOMAIN w.snapshot[node].pods[uid] : ~w.snapshot[node].pods[uid][i].terminating
    IN  SelectSeq(victims, Goes)

Chooses(w, candidates, said) ==
    LET answer == Answered(candidates, said)
        left   == answer.left
        after  == [Nothing EXCEPT !.said = said]
        picked == Picked(left)
    IN  IF answer.error
        THEN {after}
        ELSE IF DOMAIN left = {}
        THEN {[after EXCEPT !.nominated = WithoutCandidate]}
        ELSE IF picked = {}
        THEN {[after EXCEPT !.panics = TRUE]}
        ELSE {[after EXCEPT !.node = node, !.victims = Deleted(w, node, left[node].victims)] : node \in picked}

(* A node on which nobody would have to leave is an error from 1.22 on: then the  *)
(* nomination stays.                                                              *)
Search(w, pod) ==
    LET helped == {node \in Listed(w.snapshot) : PreemptionMightHelpRule(StatusOf(w, pod.name, node))}
        looked == [node \in helped |-> WhoLeaves(w, node, pod)]
        found  == {node \in helped : \E each \in looked[node] : PreemptsWithRule(Len(each.victims))}
        choices == {candidates \in [found -> UNION {looked[node] : node \in found}] :
                        \A node \in found : candidates[node] \in looked[node]}
    IN  IF helped = {}
        THEN {[Nothing EXCEPT !.nominated = NoNode, !.hopeless = TRUE]}
        ELSE IF found = {}
        THEN {[Nothing EXCEPT !.nominated = IF \A node \in helped : looked[node] = {} THEN WithoutCandidate ELSE None]}
        ELSE UNION {UNION {Chooses(w, candidates, said) : said \in Answers(w, candidates)} : candidates \in choices}

(* All that preemption may come to. *)
Decisions(w, g) ==
    LET pod == Preemptor(w, g)
    IN  IF pod = None THEN {Nothing} ELSE IF MayPreempt(w, pod) THEN Search(w, pod) ELSE {Nothing}

-------------------------------------------------------------------------------
(* The steps. *)

UsedOnce(w, power) == [w EXCEPT !.used[power] = @ + 1]

TheExtenderSaid(w, said) == IF said = <<>> THEN w ELSE UsedOnce(w, "preempt_extender")

Panics(w, g) == Ended([w EXCEPT !.crashed = <<"Preempt", "index">>], g)

(* Up to 1.18. *)
PreemptOthers(w, g, decision) ==
    LET pod   == Preemptor(w, g)
        told  == TheExtenderSaid(w, decision.said)
        known == IF PreemptsFirst THEN [g EXCEPT !.atHand = pod] ELSE [g EXCEPT !.pod = pod]
    IN  IF decision.panics
        THEN Panics(told, g)
        ELSE IF decision.node # NoNode
        THEN Step(told, Chosen(w, known, pod, decision))
        ELSE IF decision.hopeless
        THEN Step(told, [WithoutPreemption(g) EXCEPT !.clear = <<pod>>, !.steps = <<"delete_victims">> \o @])
        ELSE Step(told, WithoutPreemption(g))

(* From 1.19 on.  To 1.23.1 a nomination that nothing helps is taken back at once. *)
PostFilterPlugin(w, g, decision) ==
    LET pod  == Preemptor(w, g)
        told == TheExtenderSaid(w, decision.said)
        hopeless == decision.hopeless /\ WithoutCandidate = None
        nominated == IF hopeless THEN pod.nominated # NoNode ELSE FALSE
    IN  IF decision.panics
        THEN Panics(told, g)
        ELSE IF decision.node # NoNode
        THEN Step(told, Chosen(w, g, pod, decision))
        ELSE Step(IF nominated THEN PatchNominated(told, pod, NoNode) ELSE told,
                  [g EXCEPT !.node = IF hopeless THEN None ELSE decision.nominated])

Terminates(w, uid) ==
    LET pod == w.pods[uid[1]] IN IF pod = None THEN FALSE ELSE Uid(pod) = uid /\ pod.terminating

(* With the note of whom preemption has deleted.  Go keeps no such note. *)
WithEviction(w, g, victim) ==
    LET own == [preemptor |-> Uid(g.pod), victim |-> victim, node |-> IF g.node = None THEN NoNode ELSE g.node]
    IN  [w EXCEPT !.evictions = {each \in @ \union {own} : Terminates(w, each.victim)}]

(* The bindings of this pod that preemption may cancel. *)
InPreBind(w, uid) ==
    {g \in DOMAIN w.bindings : CancelsPreBind /\ Uid(g.pod) = uid /\ Head(g.steps) \in {"pre_bind", "bind_volumes"}}

Canceled(w, g) == [w EXCEPT !.bindings = Added(Removed(@, g), [g EXCEPT !.canceled = TRUE])]

EndsOf(w, uid) ==
    CASE InPreBind(w, uid) # {} -> {"cancel"}
      [] InPreBind(w, uid) = {} /\ uid \notin DOMAIN w.waitingPods -> {"delete"}
      [] OTHER -> IF EndsOfWaitingVictimRule # PreemptedOrDeleted
                  THEN Range(EndsOfWaitingVictimRule)
                  ELSE IF w.waitingPods[uid].decided = "" THEN {"preempt"} ELSE {"delete"}

RejectedVictim(w, uid) == [w EXCEPT !.waitingPods[uid] = Rejected(@)]

(* The requests about one victim; fails: they are not answered. *)
RemovedVictim(w, g, uid, fails) ==
    LET Then(reply) ==
            LET then == WithEviction(reply.w, g, uid)
            IN  IF reply.refused
                THEN reply
                ELSE Granted(IF "reject" \in EndsOf(w, uid) THEN RejectedVictim(then, uid) ELSE then)
    IN  IF "cancel" \in EndsOf(w, uid)
        THEN Granted(Canceled(w, CHOOSE binding \in InPreBind(w, uid) : TRUE))
        ELSE IF "preempt" \in EndsOf(w, uid)
        THEN Granted([w EXCEPT !.waitingPods[uid] = Preempted(@)])
        ELSE IF "delete" \notin EndsOf(w, uid)
        THEN Granted(RejectedVictim(w, uid))
        ELSE IF fails THEN Refused(UsedOnce(w, "patch_errors")) ELSE WithValue(RequestDelete(Marked(w, uid[1]), uid[1]), Then)

RECURSIVE RemovedVictims(_, _, _, _)
RemovedVictims(w, g, victims, unanswered) ==
    IF victims = <<>>
    THEN Granted(w)
    ELSE LET fails    == Head(victims) = unanswered
             isPassed == ~MissingVictimIsAnError /\ ~fails /\ w.pods[Head(victims)[1]] = None
             Then(reply) == IF reply.refused /\ ~isPassed
                            THEN reply
                            ELSE RemovedVictims(reply.w, g, Tail(victims), unanswered)
         IN  WithValue(RemovedVictim(w, g, Head(victims), fails), Then)

(* A request that fails ends preemption with an error: from 1.19 on nobody is     *)
(* nominated then.                                                                *)
EvictVictims(w, g, unanswered) ==
    LET rest == [g EXCEPT !.victims = <<>>, !.clear = <<>>]
        Then(reply) == IF reply.refused
                       THEN Step(reply.w, IF OwnGoroutine THEN rest ELSE [rest EXCEPT !.node = None])
                       ELSE Step(Cleared(reply.w, g.clear), rest)
    IN  WithValue(RemovedVictims(w, g, g.victims, unanswered), Then)

(* A request that the API server does not answer.  Nothing was done. *)
NotAnswered(step, w, g) ==
    LET told == UsedOnce(w, "patch_errors")
    IN  IF step = "set_nominated_node_name"
        THEN Step([told EXCEPT !.queue = DeleteNominatedPodIfExists(@, AtHand(g))], WithoutPreemption(g))
        ELSE Step(told, g)
===============================================================================
