-------------------------------- MODULE Attempt --------------------------------
(***************************************************************************)
(* An attempt to schedule a pod: the cycle, preemption, what follows a     *)
(* failure, the binding.  Operators without variables.  The same steps as  *)
(* in model/systems/scheduling: cycle_steps, preemption_steps,             *)
(* failure_steps and binding_steps.  Each of these files says which lock   *)
(* makes a step atomic.                                                    *)
(*                                                                         *)
(* Go: pkg/scheduler, 1.13 to 1.36: scheduler.go, later schedule_one.go;   *)
(* factory/factory.go in 1.13; framework/plugins/defaultpreemption.        *)
(*                                                                         *)
(* A step takes a world and the goroutine, and gives both as [w, g].  The  *)
(* world has the fields of ApiServer.tla and Handlers.tla, and these.      *)
(*   snapshot           see Cache.tla                                      *)
(*   bindings, retries  bags of goroutines                                 *)
(* A goroutine is a record:                                                *)
(*   steps       the names of the steps that it is still to do             *)
(*   pod, attempts, plugins  of the popped record                          *)
(*   node        where the pod goes, or to which node it is nominated      *)
(*   candidates  the nodes that are left                                   *)
(*   victims     the uids of the pods to delete, in this order             *)
(*   clear       the pods that are to lose their nomination                *)
(*   rejectedBy  the plugins that rejected a node                          *)
(*   moved       of a retry: a move request came since its cycle           *)
(*   atHand      the object that a request compares with or writes, if it  *)
(*               is not pod; or None                                       *)
(***************************************************************************)
EXTENDS ApiServer, PodHandlers, Fitting

CONSTANTS
    Extender, Preemption,   \* switches of the scope
    CountsCycles,           \* move requests are noted by the number of the cycle; or by a flag
    OwnGoroutine,           \* up to 1.18: the error function runs beside the cycle, and asks the API server
    PreemptsFirst,          \* preemption comes before the failure is recorded; with OwnGoroutine alone
    BindingHonoursUid,      \* the API server compares uids
    WithoutCandidate,       \* what a failure nominates: None or NoNode
    WithoutPostFilter,      \* the same without Preemption, if no node fits
    ExtenderPlugins,        \* the plugins that are said to reject a pod when an extender does
    MovesAfterForget,       \* pods are moved after a failed binding
    PatchesFromAttempt,     \* a failure patches what differs from the pod as it was attempted
    FinishesBindings,       \* the cache is told that a binding is finished
    \* The queue's side: of Queue.tla, or from 1.32 on of QueueWithHints.tla.
    PutBackInQueue(_, _, _, _), \* queue, popped record, was there a move request, the lister's pod |-> queue
    DoneInQueue(_, _),          \* queue, uid |-> queue
    TellsDone,              \* a failed pod that is gone or bound is done at the end of the failure's handler
    MissingVictimIsAnError, \* a victim that is gone already ends preemption
    VictimIsMarkedRule      \* a rule: a victim gets the condition DisruptionTarget

-------------------------------------------------------------------------------
(* Goroutines. *)

Goroutine(steps, info) ==
    [steps |-> steps, pod |-> info.pod, attempts |-> info.attempts, plugins |-> info.plugins, node |-> NoNode,
     candidates |-> {}, victims |-> <<>>, clear |-> <<>>, rejectedBy |-> {}, moved |-> FALSE, atHand |-> None]

InfoOf(g) == [pod |-> g.pod, attempts |-> g.attempts, plugins |-> g.plugins]

(* The goroutine goes on with its next step, or has ended. *)
Step(w, g) == [w |-> w, g |-> g]

Ended(w, g) == [w |-> w, g |-> [g EXCEPT !.steps = <<>>]]

(* The queue is told that the goroutine's pod is in flight no more. *)
WithDone(w, g) == [w EXCEPT !.queue = DoneInQueue(@, Uid(g.pod))]

(* Which steps belong to the action of the step before: `part_of` in              *)
(* the declared steps of model/systems/scheduling/ says why.                      *)
Glued == {"find_nodes", "call_extenders", "choose", "delete_nominated_pod", "start_error_func", "nominate",
          "patch_failure", "done_after_failure", "finish_binding", "forget_pod", "move_after_forget"}

Joins(before, g) ==
    \/ Head(g.steps) \in Glued
    \/ Head(g.steps) = "delete_victims" /\ (before = "post_filter" \/ (g.victims = <<>> /\ g.clear = <<>>))

PreemptionSteps == <<"preempt", "nominate", "set_nominated_node_name", "delete_victims">>

(* What follows a failed attempt.  If no node fits, the scheduler preempts too.   *)
StepsAfterFailure(noNodeFits) ==
    IF OwnGoroutine
    THEN LET record  == <<"start_error_func", "record_failure">>
             preempt == IF noNodeFits /\ Preemption THEN PreemptionSteps ELSE <<>>
         IN  IF PreemptsFirst THEN preempt \o record ELSE record \o preempt
    ELSE (IF noNodeFits /\ Preemption THEN <<"post_filter", "delete_victims">> ELSE <<>>)
             \o <<"requeue", "add_nominated_pod", "patch_failure">>

(* The goroutine after its attempt failed. *)
Failed(g, noNodeFits) ==
    [g EXCEPT !.steps = StepsAfterFailure(noNodeFits),
              !.node  = IF noNodeFits /\ ~Preemption THEN WithoutPostFilter ELSE WithoutCandidate,
              !.candidates = {}, !.victims = <<>>, !.clear = <<>>]

(* What a move request does to the bag of retries.  The request reaches every     *)
(* retry whose cycle number is not larger.  Nothing else depends on the number.   *)
AllMoved(bag) ==
    LET Told(g) == [g EXCEPT !.moved = TRUE]
        told    == {Told(g) : g \in DOMAIN bag}
    IN  [t \in told |-> SumOver(bag, {g \in DOMAIN bag : Told(g) = t})]

-------------------------------------------------------------------------------
(* The scheduling cycle. *)

Schedule(w, g) ==
    LET then == [w EXCEPT !.snapshot = TakeSnapshotRule(w.cache)]
    IN  IF SkipPodScheduleRule(w.cache, g.pod)
        THEN Ended(WithDone(w, g), g)
        ELSE IF Listed(w.cache.infos) = {}
             THEN Step(then, Failed(g, FALSE))
             ELSE Step(then, [g EXCEPT !.steps = <<"find_nodes">>])

FindNodes(w, g) ==
    LET Found(verdicts) ==
            LET feasible == {node \in DOMAIN verdicts : verdicts[node] = ""}
                looked   == [g EXCEPT !.rejectedBy = {verdicts[node] : node \in DOMAIN verdicts} \ {""}]
            IN  IF feasible = {}
                THEN Step(w, Failed(looked, TRUE))
                ELSE Step(w, [looked EXCEPT !.candidates = feasible,
                                            !.steps = IF Extender THEN <<"call_extenders", "choose">>
                                                                  ELSE <<"choose">>])
    IN  WithValue(Verdicts(w, g.pod), Found)

CallExtenders(w, g) ==
    LET reply == ExtenderFilterRule(g.pod, g.candidates)
        then  == IF reply.annotates /\ Live(w, g.pod) # None
                 THEN WritePod(w, [Live(w, g.pod) EXCEPT !.gpu = TRUE])
                 ELSE w
        kept  == g.candidates \intersect reply.nodes
        told  == IF kept # g.candidates THEN [g EXCEPT !.rejectedBy = @ \union ExtenderPlugins] ELSE g
    IN  IF reply.error
        THEN Step(then, Failed(g, FALSE))
        ELSE IF kept = {} THEN Step(then, Failed(told, TRUE)) ELSE Step(then, [told EXCEPT !.candidates = kept])

Choose(w, g) ==
    Step(w, [g EXCEPT !.candidates = PreferRule(g.pod.nominated, @), !.rejectedBy = {},
                      !.steps = <<"assume", "delete_nominated_pod">>])

Assume(w, g, node) ==
    LET going == [g EXCEPT !.pod.node = node, !.candidates = {}, !.node = node]
        Then(outcome) == IF outcome.error
                         THEN Step(w, Failed(going, FALSE))
                         ELSE Step([w EXCEPT !.cache = outcome.cache], going)
    IN  WithValue(AssumePod(w.cache, going.pod), Then)

(* With pods in flight the binding calls Done first.  Nobody asks before for what was *)
(* kept for the pod.                                                                  *)
DeleteNominatedPod(w, g) ==
    Ended([w EXCEPT !.queue    = DoneInQueue(DeleteNominatedPodIfExists(@, g.pod), Uid(g.pod)),
                    !.bindings = Added(@, [Goroutine(<<"bind">>, InfoOf(g)) EXCEPT !.node = g.node])], g)

-------------------------------------------------------------------------------
(* What follows a failure. *)

StartErrorFunc(w, g) ==
    LET looked == [InfoOf(g) EXCEPT !.pod = NewPod(g.pod.name, 0)]
        retry  == [Goroutine(<<"get_pod", "add_unschedulable">>, looked) EXCEPT
                      !.moved = CountsCycles /\ w.queue.moved]
    IN  Step([w EXCEPT !.retries = Added(@, retry)], g)

GetPod(w, g) ==
    LET current == Live(w, g.pod)
    IN  IF current = None
        THEN Ended(w, g)
        ELSE IF Bound(current) THEN Ended(w, g) ELSE Step(w, [g EXCEPT !.pod = current])

AddUnschedulable(w, g) ==
    LET moved == IF CountsCycles THEN g.moved ELSE w.queue.moved
    IN  Step([w EXCEPT !.queue = AddUnschedulableIfNotPresent(@, InfoOf(g), moved, w.lister[g.pod.name])], g)

(* From 1.19 on.  The handler goes on with two steps.  It calls Done of a pod that is *)
(* gone or bound after these.                                                         *)
Requeue(w, g) ==
    LET listed  == w.lister[g.pod.name]
        plugins == IF g.rejectedBy = {} THEN g.plugins ELSE g.rejectedBy
        tried   == [listed EXCEPT !.condition = g.pod.condition, !.nominated = g.pod.nominated]
        atHand  == IF PatchesFromAttempt /\ tried # listed THEN tried ELSE None
        rest    == SubSeq(g.steps, 3, Len(g.steps))
        gone    == IF TellsDone
                   THEN [g EXCEPT !.steps = SubSeq(@, 1, 2) \o <<"done_after_failure">> \o rest]
                   ELSE g
        Then(known) == Step([w EXCEPT !.queue = PutBackInQueue(@, InfoOf(known), @.moved, listed)], known)
    IN  IF listed = None
        THEN Step(w, gone)
        ELSE IF Bound(listed)
             THEN Step(w, gone)
             ELSE IF GoesBackRule(Uid(g.pod), Uid(listed))
                  THEN WithValue([g EXCEPT !.pod = listed, !.plugins = plugins, !.atHand = atHand], Then)
                  ELSE Step(WithDone(w, g), [g EXCEPT !.steps = rest])

AddNomination(w, g) == Step([w EXCEPT !.queue = AddNominatedPod(@, g.pod, g.node, w.lister[g.pod.name])], g)

RecordFailure(w, g) ==
    LET pod == [g.pod EXCEPT !.node = NoNode]
    IN  Step(IF pod.condition THEN w ELSE PutStatus(w, pod, [pod EXCEPT !.condition = TRUE]).w, g)

(* The object that a request compares with or writes. *)
AtHand(g) == IF g.atHand = None THEN g.pod ELSE g.atHand

(* One patch writes what differs of the condition and of nominatedNodeName. *)
PatchFailure(w, g) ==
    LET current   == Live(w, g.pod)
        nominates == g.node \notin {None, AtHand(g).nominated}
        patched   == [current EXCEPT !.condition = @ \/ ~AtHand(g).condition,
                                     !.nominated = IF nominates THEN g.node ELSE @]
    IN  Step(IF current = None THEN w ELSE WritePod(w, patched), g)

-------------------------------------------------------------------------------
(* Preemption.  A candidate is one of Fitting.tla, or None if there is none. *)

Preemptor(w, g) == IF OwnGoroutine THEN Live(w, g.pod) ELSE w.lister[g.pod.name]

CandidatesFor(w, g) == LET pod == Preemptor(w, g) IN IF pod = None THEN {} ELSE Candidates(w, pod)

Chosen(w, g, pod, candidate) ==
    LET IsLower(other) == PriorityOf(other) < Priority(pod.name)
    IN  [g EXCEPT !.node    = candidate.node,
                  !.victims = candidate.victims,
                  !.clear   = SelectSeq(NominatedPods(w.queue, candidate.node), IsLower)]

(* Preemption ends: nothing follows, or the failure is recorded.                  *)
WithoutPreemption(g) ==
    LET Stays(step) == step \notin Range(PreemptionSteps)
    IN  [g EXCEPT !.steps = SelectSeq(@, Stays), !.victims = <<>>, !.clear = <<>>, !.atHand = None]

Preempt(w, g, candidate) ==
    LET pod   == Preemptor(w, g)
        known == IF PreemptsFirst THEN [g EXCEPT !.atHand = pod] ELSE [g EXCEPT !.pod = pod]
    IN  Step(w, IF candidate = None THEN WithoutPreemption(g) ELSE Chosen(w, known, pod, candidate))

Nominate(w, g) == AddNomination(w, [g EXCEPT !.pod = AtHand(g)]).w

SetNominatedNodeName(w, g) ==
    LET pod == AtHand(g)
        Then(reply) == IF reply.refused
                       THEN Step([w EXCEPT !.queue = DeleteNominatedPodIfExists(@, pod)], WithoutPreemption(g))
                       ELSE Step(reply.w, [g EXCEPT !.atHand = None])
    IN  WithValue(PutStatus(w, pod, [pod EXCEPT !.nominated = g.node]), Then)

PostFilter(w, g, candidate) ==
    LET pod == Preemptor(w, g)
    IN  IF candidate # None
        THEN Step(w, Chosen(w, g, pod, candidate))
        ELSE IF pod = None
             THEN Step(w, [g EXCEPT !.node = None])
             ELSE IF Eligible(w, pod) THEN Step(w, g) ELSE Step(w, [g EXCEPT !.node = None])

(* The victims are deleted in turn, until one of them is gone already, if that is an error. *)
Always == TRUE

NotAtAll == FALSE

Marked(w, name) ==
    IF VictimIsMarkedRule /\ w.pods[name] # None THEN WritePod(w, [w.pods[name] EXCEPT !.disrupted = TRUE]) ELSE w

RECURSIVE DeletedVictims(_, _)
DeletedVictims(w, victims) ==
    IF victims = <<>>
    THEN Granted(w)
    ELSE LET Then(reply) == IF reply.refused /\ MissingVictimIsAnError THEN reply ELSE DeletedVictims(reply.w, Tail(victims))
         IN  WithValue(RequestDelete(Marked(w, Head(victims)[1]), Head(victims)[1]), Then)

RECURSIVE Cleared(_, _)
Cleared(w, list) ==
    IF list = <<>>
    THEN w
    ELSE LET pod == Head(list)
             Then(next) == Cleared(next, Tail(list))
         IN  WithValue(IF pod.nominated = NoNode
                       THEN w
                       ELSE IF OwnGoroutine
                            THEN PutStatus(w, pod, [pod EXCEPT !.nominated = NoNode]).w
                            ELSE PatchNominated(w, pod, NoNode), Then)

(* From 1.19 on nobody is nominated if a victim cannot be deleted.                *)
DeleteVictims(w, g) ==
    LET Node(reply) == IF reply.refused /\ ~OwnGoroutine THEN None ELSE g.node
        Then(reply) == Step(IF reply.refused THEN reply.w ELSE Cleared(reply.w, g.clear),
                            [g EXCEPT !.victims = <<>>, !.clear = <<>>, !.node = Node(reply)])
    IN  WithValue(DeletedVictims(w, g.victims), Then)

-------------------------------------------------------------------------------
(* The binding goroutine. *)

FinishingSteps == IF FinishesBindings THEN <<"finish_binding">> ELSE <<>>

BindErrorSteps ==
    <<"bind_failed">> \o FinishingSteps \o <<"forget_pod">>
        \o (IF MovesAfterForget THEN <<"move_after_forget">> ELSE <<>>)

BindFails(g) ==
    [Failed(g, FALSE) EXCEPT !.steps = BindErrorSteps, !.node = g.node]

(* reply is "", lost or refused. *)
Bind(w, g, reply) ==
    LET Then(answer) == IF answer.refused \/ reply = "lost"
                        THEN Step(answer.w, BindFails(g))
                        ELSE Step(answer.w, [g EXCEPT !.steps = FinishingSteps])
    IN  IF reply = "refused"
        THEN Step(w, BindFails(g))
        ELSE WithValue(RequestBind(w, g.pod, g.node, BindingHonoursUid), Then)

ForgetAssumed(w, g) ==
    LET moves == IF "move_after_forget" \in Range(g.steps) THEN <<"move_after_forget">> ELSE <<>>
        Then(outcome) == Step(Called(w, "forget_pod", outcome),
                              [Failed(g, FALSE) EXCEPT !.steps = (IF outcome.error THEN <<>> ELSE moves) \o @])
    IN  WithValue(ForgetPod(w.cache, g.pod), Then)

MoveAfterForget(w, g) == Step(ExecuteInQueue(w, MoveAfterDelete(g.pod)), g)

-------------------------------------------------------------------------------
(* Actions: several steps in a row. *)

Dispatch(step, w, g, choice) ==
    CASE step = "schedule" -> Schedule(w, g)
      [] step = "find_nodes" -> FindNodes(w, g)
      [] step = "call_extenders" -> CallExtenders(w, g)
      [] step = "choose" -> Choose(w, g)
      [] step = "assume" -> Assume(w, g, choice)
      [] step = "delete_nominated_pod" -> DeleteNominatedPod(w, g)
      [] step = "start_error_func" -> StartErrorFunc(w, g)
      [] step = "record_failure" -> RecordFailure(w, g)
      [] step = "preempt" -> Preempt(w, g, choice)
      [] step = "nominate" -> Step(Nominate(w, g), g)
      [] step = "add_nominated_pod" -> AddNomination(w, g)
      [] step = "set_nominated_node_name" -> SetNominatedNodeName(w, g)
      [] step = "post_filter" -> PostFilter(w, g, choice)
      [] step = "delete_victims" -> DeleteVictims(w, g)
      [] step = "requeue" -> Requeue(w, g)
      [] step = "patch_failure" -> PatchFailure(w, g)
      [] step = "done_after_failure" -> Step(WithDone(w, g), g)
      [] step = "bind" -> Bind(w, g, choice)
      [] step \in {"bind_failed", "finish_binding"} -> Step(w, g)
      [] step = "forget_pod" -> ForgetAssumed(w, g)
      [] step = "move_after_forget" -> MoveAfterForget(w, g)
      [] step = "get_pod" -> GetPod(w, g)
      [] step = "add_unschedulable" -> AddUnschedulable(w, g)

(* The step of an action, and the steps that belong to the same action. *)
RECURSIVE Ran(_, _, _)
Ran(w, g, choice) ==
    LET step == Head(g.steps)
        Then(after) == IF after.g.steps = <<>> \/ after.w.crashed # <<>>
                       THEN after
                       ELSE IF Joins(step, after.g) THEN Ran(after.w, after.g, None) ELSE after
    IN  WithValue(Dispatch(step, w, [g EXCEPT !.steps = Tail(@)], choice), Then)
===============================================================================
