----------------------------- MODULE SchedulingCycle -----------------------------
(***************************************************************************)
(* scheduling-cycle: scheduling with every point of the framework after    *)
(* the filters, plugins that fail, and pods that wait at Permit.  The same *)
(* states, actions and names as model/systems/scheduling_cycle, and so the *)
(* same counts.                                                            *)
(*                                                                         *)
(* This module composes the modules of Scheduling.tla, with CyclePoints    *)
(* and WaitingPods in the place of what Attempt.tla does after the         *)
(* filters.                                                                *)
(*                                                                         *)
(* Go: pkg/scheduler, releases 1.13 to 1.36.                               *)
(*                                                                         *)
(* Left out: what Scheduling.tla leaves out, and in which order the        *)
(* plugins of a point are asked to give back.                              *)
(***************************************************************************)
EXTENDS Users, CycleHolds

CONSTANTS
    Goroutines,    \* a pod is popped while fewer bindings and retries of the pod than this are under way
    Resyncs, Relists, LostReplies, BindErrors, Timeouts, NodeNotFound,  \* powers: how often, as in scope.py
    Flush,         \* with Clock: flushUnschedulableQLeftover runs
    \* The queue's side: as in Scheduling.tla.
    QueueAtFirst, HeadsInQueue(_), FlushInQueue(_), PopInQueue(_, _),
    QueueInState(_),  \* queue |-> what a state keeps of it
    Disruptions    \* how many pods of the budget may be disrupted at a time

VARIABLES
    lister,        \* the informer's store, by pod name: the pod, or None
    assigned,      \* what each pod handler is still to hear, see Handlers.tla
    unassigned,
    handler,       \* what the one handler of pods is still to hear, in place of the two
    calls,         \* see CycleHolds.tla
    queue,         \* see Queue.tla
    cache,         \* see Cache.tla
    snapshot,
    cycle,         \* the goroutine that schedules, see CyclePoints.tla; or None
    bindings,      \* bags of goroutines
    retries,
    reservations,  \* see CyclePoints.tla
    waitingPods,   \* see WaitingPods.tla
    disruptionsAllowed, evictions,  \* see CyclePreemption.tla
    searches,      \* see CycleSearch.tla
    pluginContext, \* see CyclePoints.tla
    crashed        \* <<function, how>> when the process ended, or <<>>

scheduler ==
    <<lister, assigned, unassigned, handler, calls, queue, cache, snapshot, cycle, bindings, retries, reservations,
      waitingPods, disruptionsAllowed, evictions, searches, pluginContext, crashed>>

vars == <<cluster, scheduler>>

World ==
    [pods |-> pods, nodes |-> nodes, incarnations |-> incarnations, podWatch |-> podWatch, nodeWatch |-> nodeWatch,
     used |-> used, lister |-> lister, assigned |-> assigned, unassigned |-> unassigned, handler |-> handler,
     calls |-> calls, queue |-> queue, cache |-> cache, snapshot |-> snapshot, cycle |-> cycle, bindings |-> bindings, retries |-> retries,
     reservations |-> reservations, waitingPods |-> waitingPods, disruptionsAllowed |-> disruptionsAllowed,
     evictions |-> evictions, searches |-> searches, pluginContext |-> pluginContext, crashed |-> crashed,
     came |-> <<>>, called |-> FALSE]

(* The next state is this world.  A move request reaches the retries, too. *)
Becomes(world) ==
    \E w \in {world} :
        /\ pods' = w.pods
        /\ nodes' = w.nodes
        /\ incarnations' = w.incarnations
        /\ podWatch' = w.podWatch
        /\ nodeWatch' = w.nodeWatch
        /\ used' = w.used
        /\ lister' = w.lister
        /\ assigned' = w.assigned
        /\ unassigned' = w.unassigned
        /\ handler' = w.handler
        /\ calls' = w.calls
        /\ queue' = QueueInState(Compressed(w.queue))
        /\ cache' = w.cache
        /\ snapshot' = w.snapshot
        /\ cycle' = w.cycle
        /\ bindings' = w.bindings
        /\ retries' = IF CountsCycles /\ w.queue.moved THEN AllMoved(w.retries) ELSE w.retries
        /\ reservations' = w.reservations
        /\ waitingPods' = w.waitingPods
        /\ disruptionsAllowed' = w.disruptionsAllowed
        /\ evictions' = w.evictions
        /\ searches' = w.searches
        /\ pluginContext' = w.pluginContext
        /\ crashed' = w.crashed

Runs == crashed = <<>>

May(power, times) == used[power] < times

-------------------------------------------------------------------------------
(* Informers. *)

(* A disjunction would count a state once for each part that holds. *)
HasWork(whose, heard) == ~(heard = <<>> /\ calls[whose] = <<>>)

AreQuiet == assigned = <<>> /\ unassigned = <<>> /\ handler = <<>> /\ calls.assigned = <<>> /\ calls.unassigned = <<>>

DeliverPod == Runs /\ podWatch # <<>> /\ (WaitsForHandlers => AreQuiet) /\ Becomes(PodDelivered(World))

(* What the handler may choose, if it need not wait for the queue. *)
ChoicesFor(whose) ==
    LET next == NextCalls(World, whose)
    IN  IF NeedsQueue(next) /\ ~QueueIsFree(World) THEN {} ELSE ChoicesOf(World, next)

HandleAssignedPod ==
    /\ Runs
    /\ HasWork("assigned", assigned)
    /\ \E name \in ChoicesFor("assigned") : Becomes(AssignedIsHandled(World, name))

HandleUnassignedPod ==
    /\ Runs
    /\ HasWork("unassigned", unassigned)
    /\ \E name \in ChoicesFor("unassigned") : Becomes(UnassignedIsHandled(World, name))

HandleAnyPod == Runs /\ handler # <<>> /\ Becomes(HandlePod(World))

DeliverNode ==
    /\ Runs
    /\ HasWork("nodes", nodeWatch)
    /\ \E name \in ChoicesFor("nodes") : Becomes(NodeIsHandled(World, name))

ResyncPod(name) ==
    /\ Runs
    /\ May("resyncs", Resyncs)
    /\ WaitsForHandlers => AreQuiet
    /\ lister[name] # None
    /\ \A i \in DOMAIN podWatch : podWatch[i].pod.name # name
    /\ Becomes(Notify(UsedOnce(World, "resyncs"), lister[name], lister[name], FALSE))

RelistPods ==
    /\ Runs
    /\ podWatch # <<>>
    /\ Uses("relists", Relists)
    /\ podWatch' \in Relistings(World)
    /\ UNCHANGED <<pods, nodes, incarnations, nodeWatch, scheduler>>

-------------------------------------------------------------------------------
(* The scheduler's goroutines.  choice is what the first step chooses, or None. *)

UnderWay(bag, name) == SumOver(bag, {g \in DOMAIN bag : g.pod.name = name})

Pop(name) ==
    LET Then(popped) ==
            [World EXCEPT !.queue = popped.queue,
                          !.cycle = IF popped.info = None THEN None ELSE CycleGoroutine(popped.info)]
    IN  Becomes(WithValue(PopInQueue(queue, name), Then))

PopPod ==
    /\ Runs
    /\ cycle = None
    /\ \E name \in HeadsInQueue(queue) : UnderWay(bindings, name) + UnderWay(retries, name) < Goroutines /\ Pop(name)

InCycle(step) == IF Runs /\ cycle # None THEN Head(cycle.steps) = step ELSE FALSE

(* The snapshot is kept as long as a step of the cycle still reads it. *)
ReadsSnapshot == {"find_nodes", "call_extenders", "preempt", "post_filter"}

CycleGoesOn(choice) ==
    LET Then(after) ==
            [after.w EXCEPT !.cycle    = IF after.g.steps = <<>> THEN None ELSE after.g,
                            !.snapshot = IF ReadsSnapshot \intersect Range(after.g.steps) = {} THEN NoSnapshot ELSE @]
    IN  Becomes(WithValue(Acts(World, cycle, choice), Then))

CycleStep(step) == InCycle(step) /\ CycleGoesOn(None)

(* How a plugin may fail. *)
WaysToFail == IF May("failures", Failures) THEN {"error", "unschedulable"} ELSE {}

FindNodesForPod ==
    /\ InCycle("find_nodes")
    /\ \/ \E end \in EndsOfSearch(World, cycle) : CycleGoesOn([fails |-> FALSE, end |-> end])
       \/ WaysToFail # {} /\ CycleGoesOn([fails |-> TRUE, end |-> None])

(* How an extender may leave a request without an answer. *)
WithoutAnswer == IF May("extender_errors", ExtenderErrors) THEN {"error", "lost"} ELSE {}

AskExtendersForPod ==
    /\ InCycle("call_extenders")
    /\ \E choice \in {None} \union WithoutAnswer : CycleGoesOn(choice)

AssumePods == InCycle("assume") /\ \E node \in Hosts(cycle) : CycleGoesOn(node)

ReserveForPod ==
    /\ InCycle("reserve")
    /\ \E node \in Hosts(cycle) :
           \/ CycleGoesOn([node |-> node, plugin |-> 0, fails |-> ""])
           \/ \E plugin \in 1 .. Reserves, fails \in WaysToFail :
                  CycleGoesOn([node |-> node, plugin |-> plugin, fails |-> fails])

AssumeVolumesForPod ==
    /\ InCycle("assume_volumes")
    /\ \E node \in Hosts(cycle), fails \in {""} \union (WaysToFail \intersect {"error"}) :
           CycleGoesOn([node |-> node, fails |-> fails])

(* What the plugins at Permit say.  The one that knows of groups says Wait or     *)
(* Allow as GroupIsComplete says.                                                 *)
PermitChoices ==
    {[waits |-> waits, fails |-> ""] : waits \in IF Groups = {} THEN 0 .. Permits ELSE {0}}
        \union {[waits |-> 0, fails |-> fails] : fails \in WaysToFail}

PreemptPods(step) == InCycle(step) /\ \E decision \in Decisions(World, cycle) : CycleGoesOn(decision)

(* Whether the API server leaves one more request about a status or a victim without an answer. *)
LeavesUnanswered == May("patch_errors", PatchErrors)

(* About which victim a request is not answered, or None. *)
Unanswered ==
    {None} \union {victim \in IF LeavesUnanswered THEN Range(cycle.victims) ELSE {} : "delete" \in EndsOf(World, victim)}

EvictPods == InCycle("delete_victims") /\ \E uid \in Unanswered : CycleGoesOn(uid)

Bindings(step) == {g \in DOMAIN bindings : Runs /\ Head(g.steps) = step}

BindingGoesOn(g, w, choice) ==
    LET Then(after) ==
            IF after.g.steps = <<>> THEN after.w ELSE [after.w EXCEPT !.bindings = Added(@, after.g)]
    IN  Becomes(WithValue(Acts([w EXCEPT !.bindings = Removed(@, g)], g, choice), Then))

BindingStep(step) == \E g \in Bindings(step) : BindingGoesOn(g, World, None)

AskPermitForPod ==
    \/ InCycle("permit") /\ \E choice \in PermitChoices : CycleGoesOn(choice)
    \/ \E g \in Bindings("permit"), choice \in PermitChoices : BindingGoesOn(g, World, choice)

(* The goroutines whose wait ends. *)
Told == {g \in Bindings("wait_on_permit") : IsTold(World, g)}

EndWait == \E g \in Told : BindingGoesOn(g, World, None)

BindVolumesForPod ==
    \E g \in Bindings("bind_volumes"), fails \in {""} \union (WaysToFail \intersect {"error"}) :
        BindingGoesOn(g, World, fails)

PreBindPod == \E g \in Bindings("pre_bind"), fails \in {""} \union WaysToFail : BindingGoesOn(g, World, fails)

BindPod ==
    \E g \in Bindings("bind") :
        \/ BindingGoesOn(g, World, "")
        \/ May("lost_replies", LostReplies) /\ BindingGoesOn(g, UsedOnce(World, "lost_replies"), "lost")
        \/ /\ May("node_not_found", NodeNotFound)
           /\ g.host \notin DOMAIN nodes
           /\ BindingGoesOn(g, World, "node not found")
        \/ May("bind_errors", BindErrors) /\ BindingGoesOn(g, UsedOnce(World, "bind_errors"), "refused")

BindPodByExtender ==
    \E g \in Bindings("bind_by_extender"), reply \in {""} \union WithoutAnswer : BindingGoesOn(g, World, reply)

(* After a failed binding the binding takes these steps. *)
EitherStep(step) == CycleStep(step) \/ BindingStep(step)

(* The next hold of a move.  Who is in the midst of one keeps PriorityQueue.lock. *)
MovePodsStep(step) ==
    \E g \in Bindings(step), name \in ChoicesOfMove(World, Pods, "pod deleted") : BindingGoesOn(g, World, name)

(* The API server may not answer. *)
WriteStep(step) ==
    \/ EitherStep(step)
    \/ LeavesUnanswered /\ InCycle(step) /\ CycleGoesOn("unanswered")
    \/ LeavesUnanswered /\ \E g \in Bindings(step) : BindingGoesOn(g, World, "unanswered")

RetryGoesOn(g) ==
    LET Then(after) ==
            IF after.g.steps = <<>> THEN after.w ELSE [after.w EXCEPT !.retries = Added(@, after.g)]
    IN  Becomes(WithValue(Acts([World EXCEPT !.retries = Removed(@, g)], g, None), Then))

RetryStep(step) == \E g \in DOMAIN retries : Runs /\ Head(g.steps) = step /\ RetryGoesOn(g)

-------------------------------------------------------------------------------
(* The plugins at Permit, as far as they act by themselves, and their timers. *)

IsToldThat(uid, waiting, w) == Becomes([w EXCEPT !.waitingPods[uid] = waiting])

AllowWaitingPod ==
    /\ Runs
    /\ Groups = {}
    /\ \E uid \in DOMAIN waitingPods :
           /\ waitingPods[uid].pending > 0
           /\ waitingPods[uid].decided = ""
           /\ IsToldThat(uid, Allowed(waitingPods[uid]), World)

RejectWaitingPod ==
    /\ Runs
    /\ May("failures", Failures)
    /\ \E uid \in DOMAIN waitingPods :
           /\ waitingPods[uid].decided = ""
           /\ IsToldThat(uid, Rejected(waitingPods[uid]), UsedOnce(World, "failures"))

TimeOut ==
    /\ Runs
    /\ May("timeouts", Timeouts)
    /\ \E uid \in DOMAIN waitingPods :
           /\ TimerRunsRule(waitingPods[uid])
           /\ IsToldThat(uid, Rejected(waitingPods[uid]), UsedOnce(World, "timeouts"))

-------------------------------------------------------------------------------
(* The disruption controller: how many pods of the budget may be disrupted now. *)

IsHealthy(name) == IF pods[name] = None THEN FALSE ELSE Bound(pods[name]) /\ ~pods[name].terminating

AllowedNow ==
    LET spare == Cardinality({name \in ProtectedPods : IsHealthy(name)}) - (Cardinality(ProtectedPods) - Disruptions)
    IN  IF spare > 0 THEN spare ELSE 0

SyncBudget ==
    /\ Runs
    /\ disruptionsAllowed # AllowedNow
    /\ Becomes([World EXCEPT !.disruptionsAllowed = AllowedNow])

-------------------------------------------------------------------------------
(* The clock. *)

(* Time passes until something ends. *)
Tick ==
    /\ Runs /\ Clock
    /\ Instants(queue, Flush) # {}
    /\ Becomes([World EXCEPT !.queue = Later(@, 1 + Least(Instants(queue, Flush)))])

FlushBackoffQCompleted ==
    /\ Runs /\ Clock /\ QueueIsFree(World)
    /\ BackoffsOver(queue) # {}
    /\ Becomes([World EXCEPT !.queue = BackoffsFlushed(@)])

FlushUnschedulableQLeftover ==
    /\ Runs /\ Clock /\ Flush /\ QueueIsFree(World)
    /\ Leftover(queue) # {}
    /\ Becomes(FlushInQueue(World))

-------------------------------------------------------------------------------
Besides == {"failures", "timeouts", "extender_errors", "preempt_extender", "patch_errors",
            "node_not_found"}

Init ==
    /\ ClusterInit
    /\ used = [power \in DOMAIN NothingUsed \union Besides |-> 0]
    /\ lister = [name \in Pods |-> None]
    /\ assigned = <<>>
    /\ unassigned = <<>>
    /\ handler = <<>>
    /\ calls = NoCalls
    /\ queue = QueueAtFirst
    /\ cache = CacheOfNodes(FirstNodes)
    /\ snapshot = NoSnapshot
    /\ cycle = None
    /\ bindings = EmptyFunction
    /\ retries = EmptyFunction
    /\ reservations = {}
    /\ waitingPods = EmptyFunction
    /\ disruptionsAllowed = 0
    /\ evictions = {}
    /\ searches = FirstSearches
    /\ pluginContext = None
    /\ crashed = <<>>

ByUsers == Runs /\ UserActs /\ UNCHANGED scheduler

ByBrokenWatch == (\E name \in Pods : ResyncPod(name)) \/ RelistPods

ByInformers == DeliverPod \/ HandleAssignedPod \/ HandleUnassignedPod \/ HandleAnyPod \/ DeliverNode

ByCycle ==
    \/ PopPod
    \/ CycleStep("schedule")
    \/ FindNodesForPod
    \/ AskExtendersForPod
    \/ AssumePods
    \/ CycleStep("delete_nominated_pod")
    \/ AssumeVolumesForPod
    \/ ReserveForPod
    \/ PreemptPods("preempt")
    \/ CycleStep("nominate")
    \/ WriteStep("set_nominated_node_name")
    \/ PreemptPods("post_filter")
    \/ EvictPods

ByEither ==
    \/ AskPermitForPod
    \/ EitherStep("add_waiting_pod")
    \/ EitherStep("unreserve")
    \/ EitherStep("forget_pod")
    \/ EitherStep("start_error_func")
    \/ WriteStep("record_failure")
    \/ QueueIsFree(World) /\ EitherStep("requeue")
    \/ EitherStep("add_nominated_pod")
    \/ WriteStep("patch_failure")
    \/ QueueIsFree(World) /\ EitherStep("done_after_failure")

ByBinding ==
    \/ WriteStep("nominate_host")
    \/ BindingStep("done_in_binding")
    \/ BindingStep("listen")
    \/ EndWait
    \/ BindVolumesForPod
    \/ PreBindPod
    \/ BindPod
    \/ BindPodByExtender
    \/ BindingStep("bind_failed")
    \/ BindingStep("finish_binding")
    \/ BindingStep("get_node")
    \/ BindingStep("remove_missing_node")
    \/ QueueIsFree(World) /\ MovePodsStep("move_after_forget")
    \/ MovePodsStep("go_on_moving")
    \/ QueueIsFree(World) /\ BindingStep("move_others_after_forget")

ByRetry == RetryStep("get_pod") \/ RetryStep("add_unschedulable")

ByClock == Tick \/ FlushBackoffQCompleted \/ FlushUnschedulableQLeftover

ByPlugins == AllowWaitingPod \/ RejectWaitingPod \/ TimeOut

Next == ByUsers \/ ByBrokenWatch \/ ByInformers \/ ByCycle \/ ByEither \/ ByBinding \/ ByRetry \/ ByPlugins \/ SyncBudget \/ ByClock

Fairness ==
    /\ WF_vars(DeliverPod) /\ WF_vars(HandleAssignedPod) /\ WF_vars(HandleUnassignedPod) /\ WF_vars(DeliverNode)
    /\ WF_vars(HandleAnyPod) /\ WF_vars(WriteStep("nominate_host")) /\ WF_vars(BindingStep("done_in_binding"))
    /\ WF_vars(PopPod) /\ WF_vars(CycleStep("schedule")) /\ WF_vars(FindNodesForPod) /\ WF_vars(AskExtendersForPod)
    /\ WF_vars(AssumePods) /\ WF_vars(AssumeVolumesForPod) /\ WF_vars(ReserveForPod) /\ WF_vars(PreemptPods("preempt"))
    /\ WF_vars(CycleStep("delete_nominated_pod")) /\ WF_vars(CycleStep("nominate"))
    /\ WF_vars(BindingStep("finish_binding"))
    /\ WF_vars(WriteStep("set_nominated_node_name")) /\ WF_vars(PreemptPods("post_filter"))
    /\ WF_vars(EvictPods) /\ WF_vars(AskPermitForPod) /\ WF_vars(EitherStep("add_waiting_pod"))
    /\ WF_vars(EitherStep("unreserve")) /\ WF_vars(EitherStep("forget_pod"))
    /\ WF_vars(EitherStep("start_error_func")) /\ WF_vars(WriteStep("record_failure"))
    /\ WF_vars(QueueIsFree(World) /\ EitherStep("requeue")) /\ WF_vars(EitherStep("add_nominated_pod")) /\ WF_vars(WriteStep("patch_failure")) /\ WF_vars(BindingStep("listen"))
    /\ WF_vars(QueueIsFree(World) /\ EitherStep("done_after_failure"))
    /\ WF_vars(EndWait) /\ WF_vars(BindVolumesForPod) /\ WF_vars(PreBindPod) /\ WF_vars(BindPod) /\ WF_vars(BindPodByExtender)
    /\ WF_vars(BindingStep("bind_failed")) /\ WF_vars(BindingStep("get_node"))
    /\ WF_vars(BindingStep("remove_missing_node"))
    /\ WF_vars(QueueIsFree(World) /\ MovePodsStep("move_after_forget")) /\ WF_vars(MovePodsStep("go_on_moving"))
    /\ WF_vars(QueueIsFree(World) /\ BindingStep("move_others_after_forget"))
    /\ WF_vars(RetryStep("get_pod")) /\ WF_vars(RetryStep("add_unschedulable")) /\ WF_vars(AllowWaitingPod)
    /\ WF_vars(Tick) /\ WF_vars(FlushBackoffQCompleted) /\ WF_vars(FlushUnschedulableQLeftover)

Spec == Init /\ [][Next]_vars /\ Fairness
===============================================================================
