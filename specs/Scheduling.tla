------------------------------- MODULE Scheduling -------------------------------
(***************************************************************************)
(* scheduling: queue, nominator, cache, cycle and binder of the scheduler, *)
(* with the API server, users and informers.  The same states, actions and *)
(* names as model/systems/scheduling, and so the same counts.              *)
(*                                                                         *)
(* This module composes the others: variables, and the actions of the      *)
(* informers and of the scheduler's goroutines.                            *)
(*   Objects    pods, sequences, bags                                      *)
(*   ApiServer  requests for pods; Users  the others who make them         *)
(*   PodHandlers, Handlers  informers and event handlers; Skip  what they  *)
(*              leave out                                                  *)
(*   Nominator, Waiting, Queue, Cache  the scheduler's components          *)
(*   Fitting, Attempt  the steps of the scheduler's goroutines             *)
(* From 1.32 on pods are in flight: then QueueWithHints.tla stands in the   *)
(* place of Queue.tla and of the node handler.                             *)
(*                                                                         *)
(* Go: pkg/scheduler, releases 1.13 to 1.36.                               *)
(*                                                                         *)
(* Left out: assumed pods that expire; the finer grain; snapshots that are *)
(* kept from cycle to cycle.                                               *)
(*                                                                         *)
(* A world is a record of all variables.  An operator of the other modules *)
(* takes a world and gives another one.  An action takes the last world    *)
(* for the next state.  came and called of a world: see HintsQueue.tla.    *)
(***************************************************************************)
EXTENDS Users, Handlers, Attempt

CONSTANTS
    Goroutines,    \* a pod is popped while fewer bindings and retries of the pod than this are under way
    Resyncs, Relists, LostReplies, BindErrors,  \* powers: how often, as in scope.py
    Flush,         \* with Clock: flushUnschedulableQLeftover runs
    \* The queue's side, and the node handler's: as in Attempt.tla.
    QueueAtFirst,
    HeadsInQueue(_),        \* queue |-> the names at which Pop may look first
    FlushInQueue(_),        \* world in which pods are left over |-> world
    PopInQueue(_, _),       \* queue, the pod at which Pop looks first |-> [queue, info]; info is None if Pop goes on waiting
    NodeHandled(_)          \* world with an event of a node |-> world

VARIABLES
    lister,        \* the informer's store, by pod name: the pod, or None
    assigned,      \* what each pod handler is still to hear, see Handlers.tla
    unassigned,
    handler,       \* what the one handler of pods is still to hear, in place of the two
    queue,         \* see Queue.tla, or QueueWithHints.tla
    cache,         \* see Cache.tla
    snapshot,
    cycle,         \* the goroutine that schedules, see Attempt.tla; or None
    bindings,      \* bags of goroutines
    retries,
    crashed        \* <<function, how>> when the process ended, or <<>>

scheduler == <<lister, assigned, unassigned, handler, queue, cache, snapshot, cycle, bindings, retries, crashed>>

vars == <<cluster, scheduler>>

World ==
    [pods |-> pods, nodes |-> nodes, incarnations |-> incarnations, podWatch |-> podWatch, nodeWatch |-> nodeWatch,
     used |-> used, lister |-> lister, assigned |-> assigned, unassigned |-> unassigned, handler |-> handler,
     queue |-> queue, cache |-> cache, snapshot |-> snapshot, cycle |-> cycle, bindings |-> bindings,
     retries |-> retries, crashed |-> crashed, came |-> <<>>, called |-> FALSE]

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
        /\ queue' = Compressed(w.queue)
        /\ cache' = w.cache
        /\ snapshot' = w.snapshot
        /\ cycle' = w.cycle
        /\ bindings' = w.bindings
        /\ retries' = IF CountsCycles /\ w.queue.moved THEN AllMoved(w.retries) ELSE w.retries
        /\ crashed' = w.crashed

Runs == crashed = <<>>

-------------------------------------------------------------------------------
(* Informers. *)

DeliverPod == Runs /\ podWatch # <<>> /\ Becomes(PodDelivered(World))

HandleAssignedPod == Runs /\ assigned # <<>> /\ Becomes(HandleAssigned(World))

HandleUnassignedPod == Runs /\ unassigned # <<>> /\ Becomes(HandleUnassigned(World))

HandleAnyPod == Runs /\ handler # <<>> /\ Becomes(HandlePod(World))

DeliverNode == Runs /\ nodeWatch # <<>> /\ Becomes(NodeHandled(World))

ResyncPod(name) ==
    /\ Runs
    /\ used.resyncs < Resyncs
    /\ lister[name] # None
    /\ \A i \in DOMAIN podWatch : podWatch[i].pod.name # name
    /\ Becomes(Notify([World EXCEPT !.used.resyncs = @ + 1], lister[name], lister[name], FALSE))

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
                          !.cycle = IF popped.info = None THEN None ELSE Goroutine(<<"schedule">>, popped.info)]
    IN  Becomes(WithValue(PopInQueue(queue, name), Then))

PopPod ==
    /\ Runs
    /\ cycle = None
    /\ \E name \in HeadsInQueue(queue) : UnderWay(bindings, name) + UnderWay(retries, name) < Goroutines /\ Pop(name)

InCycle(step) == IF Runs /\ cycle # None THEN Head(cycle.steps) = step ELSE FALSE

(* The snapshot is kept as long as a step of the cycle still reads it. *)
CycleGoesOn(choice) ==
    LET Then(after) ==
            [after.w EXCEPT !.cycle    = IF after.g.steps = <<>> THEN None ELSE after.g,
                            !.snapshot = IF {"preempt", "post_filter"} \intersect Range(after.g.steps) = {}
                                         THEN NoSnapshot
                                         ELSE @]
    IN  Becomes(WithValue(Ran(World, cycle, choice), Then))

CycleStep(step) == InCycle(step) /\ CycleGoesOn(None)

AssumePods == InCycle("assume") /\ \E node \in cycle.candidates : CycleGoesOn(node)

PreemptPods(step) ==
    /\ InCycle(step)
    /\ \E candidates \in {CandidatesFor(World, cycle)} :
           \E candidate \in IF candidates = {} THEN {None} ELSE candidates : CycleGoesOn(candidate)

Bindings(step) == {g \in DOMAIN bindings : Runs /\ Head(g.steps) = step}

BindingGoesOn(g, w, choice) ==
    LET Then(after) ==
            IF after.g.steps = <<>> THEN after.w ELSE [after.w EXCEPT !.bindings = Added(@, after.g)]
    IN  Becomes(WithValue(Ran([w EXCEPT !.bindings = Removed(@, g)], g, choice), Then))

BindingStep(step) == \E g \in Bindings(step) : BindingGoesOn(g, World, None)

BindPod ==
    \E g \in Bindings("bind") :
        \/ BindingGoesOn(g, World, "")
        \/ /\ used.lost_replies < LostReplies
           /\ BindingGoesOn(g, [World EXCEPT !.used.lost_replies = @ + 1], "lost")
        \/ /\ used.bind_errors < BindErrors
           /\ BindingGoesOn(g, [World EXCEPT !.used.bind_errors = @ + 1], "refused")

(* After a failed binding the binding takes these steps. *)
EitherStep(step) == CycleStep(step) \/ BindingStep(step)

RetryGoesOn(g) ==
    LET Then(after) ==
            IF after.g.steps = <<>> THEN after.w ELSE [after.w EXCEPT !.retries = Added(@, after.g)]
    IN  Becomes(WithValue(Ran([World EXCEPT !.retries = Removed(@, g)], g, None), Then))

RetryStep(step) == \E g \in DOMAIN retries : Runs /\ Head(g.steps) = step /\ RetryGoesOn(g)

-------------------------------------------------------------------------------
(* The clock. *)

(* Time passes until something ends. *)
Tick ==
    /\ Runs /\ Clock
    /\ Instants(queue, Flush) # {}
    /\ Becomes([World EXCEPT !.queue = Later(@, 1 + Least(Instants(queue, Flush)))])

FlushBackoffQCompleted ==
    /\ Runs /\ Clock
    /\ BackoffsOver(queue) # {}
    /\ Becomes([World EXCEPT !.queue = BackoffsFlushed(@)])

FlushUnschedulableQLeftover ==
    /\ Runs /\ Clock /\ Flush
    /\ Leftover(queue) # {}
    /\ Becomes(FlushInQueue(World))

-------------------------------------------------------------------------------
Init ==
    /\ ClusterInit
    /\ used = NothingUsed
    /\ lister = [name \in Pods |-> None]
    /\ assigned = <<>>
    /\ unassigned = <<>>
    /\ handler = <<>>
    /\ queue = QueueAtFirst
    /\ cache = CacheOfNodes(FirstNodes)
    /\ snapshot = NoSnapshot
    /\ cycle = None
    /\ bindings = EmptyFunction
    /\ retries = EmptyFunction
    /\ crashed = <<>>

ByUsers == Runs /\ UserActs /\ UNCHANGED scheduler

ByBrokenWatch == (\E name \in Pods : ResyncPod(name)) \/ RelistPods

ByInformers == DeliverPod \/ HandleAssignedPod \/ HandleUnassignedPod \/ HandleAnyPod \/ DeliverNode

ByScheduler ==
    \/ PopPod
    \/ CycleStep("schedule")
    \/ AssumePods
    \/ EitherStep("record_failure")
    \/ PreemptPods("preempt")
    \/ CycleStep("set_nominated_node_name")
    \/ PreemptPods("post_filter")
    \/ CycleStep("delete_victims")
    \/ EitherStep("requeue")
    \/ EitherStep("add_nominated_pod")
    \/ BindPod
    \/ BindingStep("bind_failed")
    \/ RetryStep("get_pod")
    \/ RetryStep("add_unschedulable")

ByClock == Tick \/ FlushBackoffQCompleted \/ FlushUnschedulableQLeftover

Next == ByUsers \/ ByBrokenWatch \/ ByInformers \/ ByScheduler \/ ByClock

Fairness ==
    /\ WF_vars(DeliverPod) /\ WF_vars(HandleAssignedPod) /\ WF_vars(HandleUnassignedPod)
    /\ WF_vars(HandleAnyPod) /\ WF_vars(DeliverNode)
    /\ WF_vars(PopPod) /\ WF_vars(CycleStep("schedule")) /\ WF_vars(AssumePods)
    /\ WF_vars(EitherStep("record_failure")) /\ WF_vars(PreemptPods("preempt"))
    /\ WF_vars(CycleStep("set_nominated_node_name")) /\ WF_vars(PreemptPods("post_filter"))
    /\ WF_vars(CycleStep("delete_victims")) /\ WF_vars(EitherStep("requeue"))
    /\ WF_vars(EitherStep("add_nominated_pod")) /\ WF_vars(BindPod) /\ WF_vars(BindingStep("bind_failed"))
    /\ WF_vars(RetryStep("get_pod")) /\ WF_vars(RetryStep("add_unschedulable"))
    /\ WF_vars(Tick) /\ WF_vars(FlushBackoffQCompleted) /\ WF_vars(FlushUnschedulableQLeftover)

Spec == Init /\ [][Next]_vars /\ Fairness
===============================================================================
