------------------------------ MODULE CyclePoints ------------------------------
(***************************************************************************)
(* An attempt as in Attempt.tla, with the framework's points after the     *)
(* filters: Reserve, Permit, PreBind, and what undoes a failure there.     *)
(* Operators without variables.  The same steps as                         *)
(* model/systems/scheduling_cycle.                                         *)
(*                                                                         *)
(* Go: pkg/scheduler, 1.13 to 1.36: scheduleOne in scheduler.go, later     *)
(* schedule_one.go; framework.go.                                          *)
(*                                                                         *)
(* A world has the fields of Attempt.tla, and these.                       *)
(*   reservations  what Reserve plugins hold: a set of [plugin, uid, node] *)
(*   waitingPods   see WaitingPods.tla                                     *)
(*   pluginContext with CycleStates, in 1.14: the uid of the pod for which *)
(*                 a plugin has written into the context that all cycles   *)
(*                 share, or None                                          *)
(* A goroutine that schedules or binds has these fields besides.           *)
(*   host      the node that was chosen; NoNode before                     *)
(*   reserved  how many Reserve plugins hold something for this attempt    *)
(*   waits     for how many plugins at Permit the pod is to wait           *)
(*   search    see CycleSearch.tla                                         *)
(*   cycleState  with CycleStates: the uid of the pod for which a plugin   *)
(*             has written into the CycleState of the attempt, or what     *)
(*             this state has besides, or None                             *)
(*   canceled  preemption has cancelled the binding: 1.36 on               *)
(***************************************************************************)
EXTENDS CycleSearch

CONSTANTS
    Reserves, Permits,        \* how many plugins there are at each point
    Volumes,                  \* each pod has a claim whose volume is bound when the pod is scheduled
    Failures, ExtenderErrors, \* powers: how often, as in scope.py
    BinderExtenders,          \* how many extenders have the verb Bind
    UnmanagedPods,            \* the pods in which the first of these is not interested
    PassesOverBinder,         \* after an error of an extender that binds, the next one is asked
    Groups,                   \* the groups of pods, each a set of names
    RepairsNodes,             \* the error function takes a node out of the cache that a Binding has not found
    PanicsAtUnknownNode,      \* RemoveNode does, of a node that the cache does not know
    SecondProfilePods,        \* the pods that name the second profile
    Scores,                   \* the plugin that scores, as in scope.py
    Fine,                     \* each hold of a lock is an action of its own
    NominatesHost,            \* the binding nominates the pod to its host first: 1.35 on
    DoneAfter,                \* with pods in flight the binding calls Done after this phase: WaitOnPermit or PreBind; "": not
    MoveOthersInQueue(_, _),  \* world, pod |-> world: the move after a delete that spares this pod
    CycleStates,              \* a plugin writes into the CycleState of an attempt, and reads it at later points
    \* Rules, named after their fields.
    PointsInCycleRule,        \* the points from the host to the goroutine of the binding
    PointsInBindingRule,      \* the points in the goroutine
    AfterFailedReserveRule, AfterFailedAssumeRule, AfterFailedPermitRule, AfterFailedBindRule,
    AfterFailedVolumesRule,
    VolumesBoundFirstRule,    \* volumes are bound before all else in the goroutine, or else before PreBind
    UnreserveRevertsVolumesRule,
    SeesAllProfilesRule,      \* a plugin at Permit sees the waiting pods of all profiles
    SharesCycleStateRule,     \* all cycles share one state, which each cycle empties when it begins
    KeepsNominatedInStateRule,\* what plugins note of nominated pods stays in the state of the attempt
    IsScheduledRule(_),       \* popped pod |-> does a cycle of the pod begin
    MoveComesLastRule(_),     \* point |-> does the move come last if a plugin rejects there
    BindersAskedRule(_, _),   \* extenders that bind, is the first interested |-> how many are asked
    FilesRejectionRule(_)     \* point |-> is a rejection there filed under the name of the plugin

-------------------------------------------------------------------------------
(* What releases do: cycle_points.py and filtering_rules.py say which. *)

AssumeAlone == <<"assume", "delete_nominated_pod">>

ReserveThenAssume == <<"reserve", "assume", "delete_nominated_pod">>

PermitAfterAssume == <<"reserve", "assume", "delete_nominated_pod", "permit">>

AssumeThenReserve == <<"assume", "delete_nominated_pod", "reserve", "permit">>

BindAlone == <<"bind">>

PreBindThenBind == <<"pre_bind", "bind">>

PermitInBinding == <<"permit", "listen", "wait_on_permit", "pre_bind", "bind">>

WaitInBinding == <<"listen", "wait_on_permit", "pre_bind", "bind">>

RecordOnly == <<"record">>

RecordThenUnreserve == <<"record", "unreserve">>

ForgetThenRecord == <<"forget", "record">>

ForgetRecordUnreserve == <<"forget", "record", "unreserve">>

ForgetUnreserveRecord == <<"forget", "unreserve", "record">>

UnreserveForgetRecord == <<"unreserve", "forget", "record">>

MoveComesFirst(point) == FALSE

MoveComesLastAfterWait(point) == point = "wait_on_permit"

MoveComesLastAfterRejection(point) == TRUE

RejectionIsAnError(point) == FALSE

FiledInCycle(point) == point \in {"reserve", "permit"}

FiledButPreBind(point) == point # "pre_bind"

FiledEverywhere(point) == TRUE

InterestedBinders(binders, isFirst) == IF isFirst THEN binders ELSE binders - 1

(* To 1.17. *)
SchedulesAnyPod(pod) == TRUE

ResponsibleForPod(pod) == ~IsOfOthers(pod)

(* To 1.15. *)
OnlyTheFirstBinder(binders, isFirst) == IF isFirst THEN 1 ELSE 0

-------------------------------------------------------------------------------
(* Goroutines. *)

CycleGoroutine(info) ==
    [steps |-> <<"schedule">>, pod |-> info.pod, attempts |-> info.attempts, plugins |-> info.plugins, node |-> NoNode,
     candidates |-> {}, victims |-> <<>>, clear |-> <<>>, rejectedBy |-> {}, moved |-> FALSE, atHand |-> None,
     host |-> NoNode, reserved |-> 0, waits |-> 0, search |-> None, cycleState |-> None, canceled |-> FALSE]

(* Those of the points where something may happen. *)
Here(points) ==
    LET Happens(point) ==
            CASE point = "reserve" -> Reserves > 0
              [] point \in {"permit", "listen", "wait_on_permit"} -> Permits > 0
              [] point = "pre_bind" -> Failures > 0
              [] point \in {"assume_volumes", "bind_volumes"} -> Volumes
              [] OTHER -> TRUE
    IN  SelectSeq(points, Happens)

(* The point stands before another one; first if that is not there. *)
Before(point, other, points) ==
    LET there == {i \in DOMAIN points : points[i] = other}
        at    == IF there = {} THEN 1 ELSE Least(there)
    IN  SubSeq(points, 1, at - 1) \o <<point>> \o SubSeq(points, at, Len(points))

PointsOfCycle == Here(Before("assume_volumes", "reserve", PointsInCycleRule))

(* If the pod may wait, or PreBind has work. *)
WithHostNominated(points) == IF NominatesHost /\ Len(points) > 1 THEN <<"nominate_host">> \o points ELSE points

(* Bind is the last point. *)
WithDonePoint(points) ==
    LET early == {i \in DOMAIN points : points[i] \in {"nominate_host", "listen", "wait_on_permit"}}
        place == IF DoneAfter = "WaitOnPermit" THEN Cardinality(early) ELSE Len(points) - 1
    IN  IF DoneAfter = ""
        THEN points
        ELSE SubSeq(points, 1, place) \o <<"done_in_binding">> \o SubSeq(points, place + 1, Len(points))

PointsOfBinding ==
    WithDonePoint(WithHostNominated(
        Here(Before("bind_volumes", IF VolumesBoundFirstRule THEN "" ELSE "pre_bind", PointsInBindingRule))))

Unless(steps, left) == LET Stays(step) == step \notin left IN SelectSeq(steps, Stays)

WithoutWait(g) == [g EXCEPT !.steps = Unless(@, {"listen", "wait_on_permit"})]

(* The attempt fails.  undo: what follows; point: where a plugin rejects the pod,  *)
(* or "".                                                                          *)
RECURSIVE Undone(_, _, _)
Undone(undo, recorded, inBinding) ==
    IF undo = <<>>
    THEN <<>>
    ELSE (CASE Head(undo) = "record" -> recorded
            [] Head(undo) = "forget" ->
                   <<"forget_pod">> \o (IF inBinding /\ MovesAfterForget THEN <<"move_after_forget">> ELSE <<>>)
            [] Head(undo) = "unreserve" -> IF Reserves > 0 \/ Groups # {} \/ Volumes THEN <<"unreserve">> ELSE <<>>)
         \o Undone(Tail(undo), recorded, inBinding)

Fails(g, undo, point, inBinding) ==
    LET failed == Failed(g, FALSE)
        steps  == Undone(undo, failed.steps, inBinding)
        last   == IF point = "" THEN FALSE ELSE "move_after_forget" \in Range(steps) /\ MoveComesLastRule(point)
        files  == IF point = "" THEN FALSE ELSE FilesRejectionRule(point)
    IN  [failed EXCEPT !.steps = IF last
                                 THEN Append(Unless(steps, {"move_after_forget"}), "move_others_after_forget")
                                 ELSE steps,
                       !.rejectedBy = IF files THEN {"OutOfTree"} ELSE {}]

(* The point of a failure where a plugin has rejected the pod. *)
RejectedAt(point, fails) == IF fails = "unschedulable" THEN point ELSE ""

-------------------------------------------------------------------------------
(* The search for nodes.  A choice is what an action chooses.  Of a step that     *)
(* follows in an action of another one it is None.                                *)

(* A pod of another scheduler may have come into the queue after a failure. *)
ScheduleOwn(w, g) ==
    LET then  == IF CycleStates /\ SharesCycleStateRule THEN [w EXCEPT !.pluginContext = None] ELSE w
        going == IF CycleStates /\ ~SharesCycleStateRule THEN [g EXCEPT !.cycleState = Uid(g.pod)] ELSE g
    IN  IF IsScheduledRule(g.pod) THEN Schedule(then, going) ELSE Ended(WithDone(w, g), g)

(* The attempt, in whose CycleState plugins have noted the pods that are nominated *)
(* to the nodes, if any are.                                                       *)
WithNominated(w, g) ==
    IF \E node \in Listed(w.snapshot) : Competing(w.queue, node, g.pod) > 0
    THEN [g EXCEPT !.cycleState = <<"with pods that are only nominated">>]
    ELSE g

FindNamedNodes(w, g) ==
    LET answer == NamedNodesRule(NamedNodes, Listed(w.snapshot))
        few    == [w EXCEPT !.snapshot = [node \in answer.asked \intersect NamedNodes |-> @[node]]]
        Then(found) == [found EXCEPT !.w.snapshot = w.snapshot]
    IN  IF answer.error
        THEN Step(w, Failed(g, FALSE))
        ELSE IF RoundTheNodesAsked /\ answer.asked = {}
             THEN Ended([w EXCEPT !.crashed = <<"findNodesThatFitPod", "zero">>], g)
             ELSE WithValue(FindNodes(few, g), Then)

(* A choice is [fails, end]. *)
SearchNodes(w, g, choice) ==
    LET fails == IF choice = None THEN FALSE ELSE choice.fails
        end   == IF choice = None THEN None ELSE choice.end
        noted == IF CycleStates /\ KeepsNominatedInStateRule THEN WithNominated(w, g) ELSE g
    IN  IF fails
        THEN Step(UsedOnce(w, "failures"), Failed(g, FALSE))
        ELSE IF Quota > 0
        THEN SearchWithQuota(w, noted, end)
        ELSE IF NamesFor(g.pod.name) = {} THEN FindNodes(w, noted) ELSE FindNamedNodes(w, noted)

(* An extender may have written to the pod before its answer is lost. *)
AskExtenders(w, g, choice) ==
    LET Unanswered(then) == Step(UsedOnce(then, "extender_errors"), IF Ignorable THEN g ELSE Failed(g, FALSE))
        after == IF choice = None
                 THEN CallExtenders(w, g)
                 ELSE IF choice = "error" THEN Unanswered(w) ELSE Unanswered(CallExtenders(w, g).w)
        alone == IF g.search = None THEN FALSE ELSE g.search.alone
        isRefused == choice = None /\ ~ExtenderFilterRule(g.pod, g.candidates).error
    IN  IF alone /\ after.g.candidates = {} THEN Step(after.w, TriedOnAll(g, isRefused)) ELSE after

(* LeastAllocated, or MostAllocated; the highest score is 100. *)
Score(info, pod) ==
    LET requested == Requested(info) + pod.cpu
    IN  ((IF Scores = 2 THEN requested ELSE info.is.room - requested) * 100) \div info.is.room

HighestTotal(w, pod, nodes) ==
    IF Scores = 0 \/ Cardinality(nodes) < 2
    THEN nodes
    ELSE LET Of(node) == Score(w.snapshot[node], pod) IN {node \in nodes : \A other \in nodes : Of(other) <= Of(node)}

ChooseHost(w, g) ==
    LET chosen == Choose(w, g).g
    IN  Step(w, [chosen EXCEPT !.candidates = HighestTotal(w, g.pod, @),
                               !.steps = Append(PointsOfCycle, "start_binding")])

(* The hosts that the next step may choose; None if the host was chosen before. *)
Hosts(g) == IF g.candidates = {} THEN {None} ELSE g.candidates

OnHost(g, node) == IF node = None THEN g ELSE [g EXCEPT !.host = node, !.candidates = {}]

-------------------------------------------------------------------------------
(* The points in the cycle. *)

AssumeOnHost(w, g, node) ==
    LET chosen == OnHost(g, node)
        going  == [chosen EXCEPT !.pod.node = chosen.host, !.node = chosen.host]
        Then(outcome) == IF outcome.error
                         THEN Step(w, Fails(going, AfterFailedAssumeRule, "", FALSE))
                         ELSE Step([w EXCEPT !.cache = outcome.cache], going)
    IN  WithValue(AssumePod(w.cache, going.pod), Then)

ForgetNomination(w, g) == Step([w EXCEPT !.queue = DeleteNominatedPodIfExists(@, g.pod)], g)

(* How many extenders may be asked to bind the pod. *)
BindersAsked(name) == IF BinderExtenders = 0 THEN 0 ELSE BindersAskedRule(BinderExtenders, name \notin UnmanagedPods)

(* The points of the binding, Bind last, and each of these extenders before Bind. *)
BindingSteps(name) ==
    LET points == PointsOfBinding
    IN  SubSeq(points, 1, Len(points) - 1) \o [i \in 1 .. BindersAsked(name) |-> "bind_by_extender"] \o <<"bind">>

(* Nobody nominates a pod to its host that is bound at once. *)
WithoutNeedless(w, g, points) ==
    IF Uid(g.pod) \in DOMAIN w.waitingPods \/ {"pre_bind", "bind_volumes"} \intersect Range(points) # {}
    THEN points
    ELSE Unless(points, {"nominate_host"})

(* A Done that comes first is called in this step. *)
StartBinding(w, g) ==
    LET steps   == WithoutNeedless(w, g, BindingSteps(g.pod.name))
        isFirst == Head(steps) = "done_in_binding"
        going   == [g EXCEPT !.steps = IF isFirst THEN Tail(steps) ELSE steps, !.search = None]
        then    == IF isFirst THEN WithDone(w, g) ELSE w
    IN  Ended([then EXCEPT !.bindings = Added(@, going)], g)

(* A choice is [node, plugin, fails]: the first plugin that fails, or 0. *)
Reserve(w, g, choice) ==
    LET failedAt == IF choice = None THEN 0 ELSE choice.plugin
        holding  == IF failedAt = 0 THEN Reserves ELSE failedAt - 1
        going    == [(IF choice = None THEN g ELSE OnHost(g, choice.node)) EXCEPT !.reserved = holding]
        taken    == {[plugin |-> plugin, uid |-> Uid(g.pod), node |-> going.host] : plugin \in 1 .. holding}
        then     == [w EXCEPT !.reservations = @ \union taken,
                              !.pluginContext = IF CycleStates /\ SharesCycleStateRule THEN Uid(g.pod) ELSE @]
    IN  IF failedAt = 0
        THEN Step(then, going)
        ELSE Step(UsedOnce(then, "failures"),
                  Fails(going, AfterFailedReserveRule, RejectedAt("reserve", choice.fails), FALSE))

(* Without what is held for the pod on its host. *)
NotHeld(w, g) == {held \in w.reservations : held.uid # Uid(g.pod) \/ held.node # g.host}

(* Volumes that are assumed count as held by plugin 0.  A choice is as in Reserve. *)
HeldVolumes(g) == [plugin |-> 0, uid |-> Uid(g.pod), node |-> g.host]

AssumeVolumes(w, g, choice) ==
    LET going == IF choice = None THEN g ELSE OnHost(g, choice.node)
        fails == IF choice = None THEN FALSE ELSE choice.fails # ""
    IN  IF fails
        THEN Step(UsedOnce(w, "failures"), Fails(going, AfterFailedReserveRule, "", FALSE))
        ELSE Step([w EXCEPT !.reservations = @ \union {HeldVolumes(going)}], going)

(* Preemption has cancelled the binding: PreBind ends with an error. *)
EndsCanceled(w, g) == Step(w, Fails([g EXCEPT !.canceled = FALSE], AfterFailedPermitRule, "", TRUE))

BindVolumes(w, g, fails) ==
    LET then == [w EXCEPT !.reservations = @ \ {HeldVolumes(g)}]
    IN  IF g.canceled
        THEN EndsCanceled(then, g)
        ELSE IF fails = ""
        THEN Step(then, g)
        ELSE Step(UsedOnce(then, "failures"), Fails(g, AfterFailedVolumesRule, "", TRUE))

(* The other pods of the pod's group. *)
Others(name) == UNION {group \ {name} : group \in {each \in Groups : name \in each}}

(* Those of them that wait and that a plugin of the pod's profile sees, by uid. *)
OfGroup(w, pod) ==
    LET Sees(name) == SeesAllProfilesRule \/ (name \in SecondProfilePods <=> pod.name \in SecondProfilePods)
    IN  {uid \in DOMAIN w.waitingPods : uid[1] \in Others(pod.name) /\ Sees(uid[1])}

Unreserve(w, g) ==
    LET told == OfGroup(w, g.pod)
        left == IF UnreserveRevertsVolumesRule THEN {} ELSE w.reservations \intersect {HeldVolumes(g)}
    IN  Step([w EXCEPT !.reservations = NotHeld(w, g) \union left,
                       !.waitingPods  = [uid \in DOMAIN @ |-> IF uid \in told THEN Rejected(@[uid]) ELSE @[uid]]],
             [g EXCEPT !.reserved = 0])

(* Every other pod of the group waits, or is bound as far as the informer knows. *)
GroupIsComplete(w, pod) ==
    \A name \in Others(pod.name) :
        \/ \E uid \in OfGroup(w, pod) : uid[1] = name
        \/ IF w.lister[name] = None THEN FALSE ELSE Bound(w.lister[name])

(* A choice is [waits, fails]. *)
AskPermit(w, g, choice) ==
    LET complete == GroupIsComplete(w, g.pod)
        waits    == IF Groups = {} THEN choice.waits ELSE IF complete THEN 0 ELSE 1
        told     == IF Groups # {} /\ complete THEN OfGroup(w, g.pod) ELSE {}
        Heard(uid, waiting) == IF uid \in told /\ waiting.pending > 0 THEN Allowed(waiting) ELSE waiting
        then     == [w EXCEPT !.waitingPods = [uid \in DOMAIN @ |-> Heard(uid, @[uid])]]
        inBinding == "permit" \in Range(PointsInBindingRule)
    IN  IF choice.fails # ""
        THEN Step(UsedOnce(w, "failures"),
                  Fails(g, AfterFailedPermitRule, RejectedAt("permit", choice.fails), inBinding))
        ELSE IF waits = 0
             THEN Step(then, WithoutWait(g))
             ELSE Step(then, [g EXCEPT !.waits = waits, !.steps = <<"add_waiting_pod">> \o @])

AddWaitingPod(w, g) ==
    Step([w EXCEPT !.waitingPods = Extended(@, Uid(g.pod), NewWaitingPod(g.waits))], [g EXCEPT !.waits = 0])

-------------------------------------------------------------------------------
(* The binding goroutine. *)

Listen(w, g) ==
    IF Uid(g.pod) \in DOMAIN w.waitingPods
    THEN Step([w EXCEPT !.waitingPods[Uid(g.pod)].listening = TRUE], g)
    ELSE Step(w, WithoutWait(g))

(* A patch of the status, which the API server may leave without an answer. *)
NominateHost(w, g) == Step(IF g.pod.nominated = g.host THEN w ELSE PatchNominated(w, g.pod, g.host), g)

(* Something was sent to the goroutine that waits. *)
IsTold(w, g) == IF Uid(g.pod) \in DOMAIN w.waitingPods THEN w.waitingPods[Uid(g.pod)].signal # "" ELSE FALSE

WaitOnPermit(w, g) ==
    Step([w EXCEPT !.waitingPods = Without(@, Uid(g.pod))],
         IF w.waitingPods[Uid(g.pod)].signal = "allowed"
         THEN g
         ELSE Fails(g, AfterFailedPermitRule,
                    IF w.waitingPods[Uid(g.pod)].signal = "preempted" THEN "" ELSE "wait_on_permit", TRUE))

PreBind(w, g, fails) ==
    IF g.canceled
    THEN EndsCanceled(w, g)
    ELSE IF fails = ""
    THEN Step(w, g)
    ELSE Step(UsedOnce(w, "failures"), Fails(g, AfterFailedPermitRule, RejectedAt("pre_bind", fails), TRUE))

(* What was reserved for a pod that is bound is the pod's own. *)
IsBoundNow(w, g) ==
    Step([w EXCEPT !.reservations = NotHeld(w, g)], [g EXCEPT !.steps = FinishingSteps, !.reserved = 0])

BindingFails(w, g) ==
    Step(w, [Fails(g, AfterFailedBindRule, "", TRUE) EXCEPT !.steps = <<"bind_failed">> \o FinishingSteps \o @])

(* What the error function does first if the node of the Binding was not found. *)
WithRepair(g) ==
    LET at == Least({i \in DOMAIN g.steps : g.steps[i] \in {"start_error_func", "requeue"}})
    IN  [g EXCEPT !.steps = SubSeq(@, 1, at - 1) \o <<"get_node">> \o SubSeq(@, at, Len(@))]

PostBinding(w, g, reply) ==
    LET Then(answer) == IF answer.refused \/ reply = "lost" THEN BindingFails(answer.w, g) ELSE IsBoundNow(answer.w, g)
        failed == BindingFails(w, g)
    IN  IF reply = "refused"
        THEN failed
        ELSE IF reply = "node not found"
        THEN Step(UsedOnce(w, "node_not_found"), IF RepairsNodes THEN WithRepair(failed.g) ELSE failed.g)
        ELSE WithValue(RequestBind(w, g.pod, g.node, BindingHonoursUid), Then)

(* reply is "", error or lost: see AskExtenders. *)
BindByExtender(w, g, reply) ==
    LET told == IF reply = "" THEN w ELSE UsedOnce(w, "extender_errors")
        Unbound(then) == IF PassesOverBinder THEN Step(then, g) ELSE BindingFails(then, g)
        Then(answer) == IF answer.refused \/ reply = "lost" THEN Unbound(answer.w) ELSE IsBoundNow(answer.w, g)
    IN  IF reply = "error"
        THEN Unbound(told)
        ELSE WithValue(RequestBind(told, g.pod, g.host, BindingHonoursUid), Then)

GetNode(w, g) == Step(w, IF g.host \in DOMAIN w.nodes THEN g ELSE [g EXCEPT !.steps = <<"remove_missing_node">> \o @])

(* RemoveNode. *)
NodeRemoved(w, node) ==
    IF node \in DOMAIN w.cache.infos
    THEN [w EXCEPT !.cache = RemoveKnownNodeRule(@, node)]
    ELSE IF PanicsAtUnknownNode THEN [w EXCEPT !.crashed = <<"remove_node", "panic">>] ELSE w

Moves == {"move_after_forget", "move_others_after_forget"}

(* Pods are moved afterwards only if ForgetPod succeeded. *)
ForgetPodOfAttempt(w, g) ==
    LET Then(outcome) == Step(Called(w, "forget_pod", outcome),
                              IF outcome.error THEN [g EXCEPT !.steps = Unless(@, Moves)] ELSE g)
    IN  WithValue(ForgetPod(w.cache, g.pod), Then)

(* One hold of a move, which may put this pod into activeQ. *)
GoOnMoving(w, g, name) ==
    IF name = None
    THEN MoveAfterForget(w, g)
    ELSE Step([w EXCEPT !.queue = GoesByMove(@, name)], [g EXCEPT !.steps = <<"go_on_moving">> \o @])

(* The move spares the pod that was rejected. *)
MoveOthers(w, pod) ==
    LET waiting == w.queue.waiting
        others  == {name \in DOMAIN waiting : Uid(waiting[name].pod) # Uid(pod)}
    IN  [w EXCEPT !.queue = MoveAll(@, others, "pod deleted")]

MoveOthersAfterForget(w, g) == Step(MoveOthersInQueue(w, g.pod), g)

-------------------------------------------------------------------------------
(* Actions: several steps in a row. *)

(* The steps whose action this step may follow in: `part_of` and `apart` in the *)
(* declared steps of model/systems/scheduling_cycle say why.                    *)
AfterPoints == {"reserve", "unreserve", "permit", "wait_on_permit", "pre_bind", "assume_volumes", "bind_volumes"}

Glues(step) ==
    CASE step = "find_nodes" -> IF Failures > 0 \/ Workers > 1 THEN {} ELSE {"schedule", "call_extenders"}
      [] step = "call_extenders" -> IF ExtenderErrors > 0 THEN {} ELSE {"schedule", "find_nodes"}
      [] step = "assume" -> {"reserve", "assume_volumes"}
      [] step = "delete_nominated_pod" -> {"assume", "reserve", "assume_volumes"}
      [] step = "assume_volumes" -> IF Failures > 0 THEN {} ELSE {"assume"}
      [] step = "reserve" -> IF Failures > 0 THEN {} ELSE {"assume"}
      [] step = "unreserve" ->
             IF Groups # {} THEN {} ELSE AfterPoints \union {"bind_failed", "record_failure", "add_nominated_pod"}
      [] step = "add_waiting_pod" -> IF Groups # {} THEN {} ELSE {"permit"}
      [] step = "start_error_func" ->
             {"schedule", "find_nodes", "call_extenders", "assume", "bind_failed", "preempt",
              "set_nominated_node_name", "delete_victims", "get_node", "remove_missing_node"} \union AfterPoints
      [] step = "nominate" -> {"preempt"}
      [] step = "delete_victims" -> IF PatchErrors > 0 THEN {} ELSE {"post_filter"}
      [] step = "patch_failure" -> IF PatchErrors > 0 THEN {} ELSE {"add_nominated_pod"}
      [] step = "done_after_failure" -> {"add_nominated_pod", "patch_failure"}
      [] step = "finish_binding" -> {"bind", "bind_by_extender", "bind_failed"}
      [] step = "done_in_binding" -> {"nominate_host", "listen", "wait_on_permit", "pre_bind", "bind_volumes"}
      [] step \in {"forget_pod", "move_after_forget"} -> {"bind_failed"} \union AfterPoints
      [] OTHER -> {}

(* Until the goroutine of the binding takes its first step nobody can tell whether it runs. *)
PartOf(step) ==
    IF step = "start_binding"
    THEN {"assume", "delete_nominated_pod", "assume_volumes", "reserve", "permit", "add_waiting_pod"}
    ELSE IF Fine THEN {} ELSE Glues(step)

(* The next step of the goroutine belongs to the action that began with this one. *)
Follows(first, g) ==
    \/ first \in PartOf(Head(g.steps))
    \/ Head(g.steps) = "choose"
    \/ Head(g.steps) = "delete_victims" /\ g.victims = <<>> /\ g.clear = <<>>

MayBeUnanswered == {"set_nominated_node_name", "record_failure", "patch_failure", "nominate_host"}

StepTaken(step, w, g, choice) ==
    CASE step = "schedule" -> ScheduleOwn(w, g)
      [] step = "find_nodes" -> SearchNodes(w, g, choice)
      [] step = "call_extenders" -> AskExtenders(w, g, choice)
      [] step = "choose" -> ChooseHost(w, g)
      [] step = "assume" -> AssumeOnHost(w, g, choice)
      [] step = "delete_nominated_pod" -> ForgetNomination(w, g)
      [] step = "start_binding" -> StartBinding(w, g)
      [] step = "reserve" -> Reserve(w, g, choice)
      [] step = "assume_volumes" -> AssumeVolumes(w, g, choice)
      [] step = "bind_volumes" -> BindVolumes(w, g, choice)
      [] step = "unreserve" -> Unreserve(w, g)
      [] step = "permit" -> AskPermit(w, g, choice)
      [] step = "add_waiting_pod" -> AddWaitingPod(w, g)
      [] step = "listen" -> Listen(w, g)
      [] step = "wait_on_permit" -> WaitOnPermit(w, g)
      [] step = "pre_bind" -> PreBind(w, g, choice)
      [] step = "bind" -> PostBinding(w, g, choice)
      [] step = "bind_by_extender" -> BindByExtender(w, g, choice)
      [] step = "get_node" -> GetNode(w, g)
      [] step = "remove_missing_node" -> Step(NodeRemoved(w, g.host), g)
      [] step = "forget_pod" -> ForgetPodOfAttempt(w, g)
      [] step \in {"move_after_forget", "go_on_moving"} -> GoOnMoving(w, g, choice)
      [] step = "move_others_after_forget" -> MoveOthersAfterForget(w, g)
      [] step = "preempt" -> PreemptOthers(w, g, choice)
      [] step = "post_filter" -> PostFilterPlugin(w, g, choice)
      [] step = "delete_victims" -> EvictVictims(w, g, choice)
      [] step \in MayBeUnanswered /\ choice # None -> NotAnswered(step, w, g)
      [] step = "nominate_host" /\ choice = None -> NominateHost(w, g)
      [] step = "done_in_binding" -> Step(WithDone(w, g), g)
      [] OTHER -> Dispatch(step, w, g, choice)

RECURSIVE Goes(_, _, _, _)
Goes(first, w, g, choice) ==
    LET Then(after) == IF after.g.steps = <<>> \/ after.w.crashed # <<>>
                       THEN after
                       ELSE IF Follows(first, after.g) THEN Goes(first, after.w, after.g, None) ELSE after
    IN  WithValue(StepTaken(Head(g.steps), w, [g EXCEPT !.steps = Tail(@)], choice), Then)

(* The step of an action, and the steps that belong to the same action. *)
Acts(w, g, choice) == Goes(Head(g.steps), w, g, choice)
===============================================================================
