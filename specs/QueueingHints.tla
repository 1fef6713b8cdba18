------------------------------ MODULE QueueingHints ------------------------------
(***************************************************************************)
(* queueing-hints: pods in flight and the events that come meanwhile, with *)
(* the API server, users, informers and the scheduler's goroutines.  The   *)
(* same states, actions and names as model/systems/queueing_hints, and so  *)
(* the same counts.                                                        *)
(*                                                                         *)
(* This module composes the others: variables, and actions.                *)
(*   Objects    pods, sequences, bags                                      *)
(*   ApiServer  requests for pods; PodUsers  the others who make them      *)
(*   PodHandlers  informers and event handlers; Skip  what they leave out  *)
(*   Waiting, HintsWaiting, InFlight, HintsQueue, Cache  the components    *)
(*   HintsAttempt  the steps of the scheduler's goroutines                 *)
(*   Holds      what a handler does in one hold of a lock                  *)
(*                                                                         *)
(* Go: pkg/scheduler, releases 1.28 to 1.36.                               *)
(*                                                                         *)
(* Left out: a pod in two sub-queues, see HintsWaiting.tla.                *)
(*                                                                         *)
(* A world is a record of all variables, and of came and called, see       *)
(* HintsQueue.tla.  An action takes the last world for the next state.     *)
(***************************************************************************)
EXTENDS PodUsers, HintsAttempt, Holds

CONSTANTS
    Endless,          \* events come without end, where the powers Events and Uninteresting allow any
    Reduces,          \* a state does not count events without end: see InFlight.tla, Reduced
    Goroutines,       \* a pod is popped while fewer bindings of the pod than this are under way
    StaleBinds,       \* see WaitsForInformer; 0: no such bound
    RequeueWakesPop,  \* a Pop that sleeps is woken when a failed pod goes to activeQ
    \* Powers: how often, as in scope.py.
    Changes, Events, Uninteresting, Resyncs, Relists, Errors, UnknownProfiles, Permits, BindErrors, LostReplies,
    Gates, Claims, Allocations, Activations, Tolerations, HintErrors, Others,
    ChecksNodes,      \* preCheckForNode keeps pods from hearing of an event of the one node
    Unreadable,       \* the object of an event of which the hint functions answer an error
    Flush,            \* with Clock: flushUnschedulablePodsLeftover runs
    OneAtATime,       \* with Fine: the informer waits until the handlers of pods are idle
    PopTakesLock      \* Pop takes PriorityQueue.lock

VARIABLES
    lister,        \* the informer's store, by pod name: the pod, or None
    assigned,      \* what each pod handler is still to hear, see PodHandlers.tla
    unassigned,
    handler,
    calls,         \* with Fine: what each handler of pods is still to do, see Holds.tla
    otherPod,      \* the bound pod of others, or None
    conditions,    \* the plugins that accept every pod, as the scheduler's cache knows
    unallocated,   \* the ResourceClaims wait for their allocation: DynamicResources leaves pods pending
    queue,         \* see HintsQueue.tla
    cache,         \* see Cache.tla
    cycle,         \* the goroutine that schedules, see HintsAttempt.tla; or None
    bindings,      \* a bag of goroutines
    sleeps,        \* Pop sleeps although activeQ has a pod
    crashed        \* <<function, how>> when the process ended, or <<>>

scheduler ==
    <<lister, assigned, unassigned, handler, calls, otherPod, conditions, unallocated, queue, cache, cycle, bindings,
      sleeps, crashed>>

vars == <<pods, incarnations, podWatch, used, scheduler>>

World ==
    [pods |-> pods, incarnations |-> incarnations, podWatch |-> podWatch, used |-> used, lister |-> lister,
     assigned |-> assigned, unassigned |-> unassigned, handler |-> handler, calls |-> calls, otherPod |-> otherPod,
     conditions |-> conditions, unallocated |-> unallocated, queue |-> queue, cache |-> cache, cycle |-> cycle,
     bindings |-> bindings, crashed |-> crashed, came |-> <<>>, called |-> FALSE]

(* Every pod in flight is concerned by the events that came. *)
Told(g, came) == IF g.done \/ Reduces THEN g ELSE [g EXCEPT !.came = @ \o came]

AllTold(bag, came) ==
    LET told == {Told(g, came) : g \in DOMAIN bag}
    IN  [t \in told |-> SumOver(bag, {g \in DOMAIN bag : Told(g, came) = t})]

(* Whether Pop sleeps although activeQ has a pod.  Every operation that puts a pod *)
(* there wakes Pop, except for AddUnschedulableIfNotPresent in 1.28.0-beta.0.      *)
Sleeping(w) ==
    /\ Gate /\ ~RequeueWakesPop
    /\ w.cycle = None
    /\ In(w.queue, "active") # {}
    /\ sleeps \/ (cycle = None /\ In(queue, "active") = {})
    /\ ~(w.called /\ In(w.queue, "active") \ In(queue, "active") # {})

(* The next state is this world. *)
Becomes(world) ==
    \E w \in {world} :
        /\ pods' = w.pods
        /\ incarnations' = w.incarnations
        /\ podWatch' = w.podWatch
        /\ used' = w.used
        /\ lister' = w.lister
        /\ assigned' = w.assigned
        /\ unassigned' = w.unassigned
        /\ handler' = w.handler
        /\ calls' = w.calls
        /\ otherPod' = w.otherPod
        /\ conditions' = w.conditions
        /\ unallocated' = w.unallocated
        /\ queue' = Compressed(IF Reduces THEN [w.queue EXCEPT !.events = Reduced(@)] ELSE w.queue)
        /\ cache' = w.cache
        /\ cycle' = IF w.cycle = None THEN None ELSE Told(w.cycle, w.came)
        /\ bindings' = AllTold(w.bindings, w.came)
        /\ sleeps' = Sleeping(w)
        /\ crashed' = w.crashed

Runs == crashed = <<>>

(* Nobody is in the midst of an operation of the queue, and keeps PriorityQueue.lock. *)
QueueIsFree ==
    IF Fine
    THEN /\ IF cycle = None THEN TRUE ELSE Head(cycle.steps) # "done_after_requeue"
         /\ \A g \in DOMAIN bindings : Head(g.steps) # "done_after_requeue"
         /\ \A each \in HandlersOfPods : ~HasBegun(calls[each])
    ELSE TRUE

-------------------------------------------------------------------------------
(* Users, and events of the cluster.  An event is a step of the node handler,    *)
(* which has changed the cache before.                                           *)

(* The pod terminates first, bound or not, if Graceful: a finalizer keeps it. *)
DeletePod(name) ==
    /\ Settled(name)
    /\ Uses("deletes", Deletes)
    /\ Writes(IF Graceful THEN WritePod(Api, [pods[name] EXCEPT !.terminating = TRUE]) ELSE DropPod(Api, name))
    /\ UNCHANGED incarnations

CreateGatedPod(name) ==
    /\ pods[name] = None
    /\ incarnations[name] = 0
    /\ Uses("gates", Gates)
    /\ Incarnates(name, TRUE)

CreateAskingPod(name) ==
    /\ Others > 0
    /\ pods[name] = None
    /\ incarnations[name] = 0
    /\ incarnations' = [incarnations EXCEPT ![name] = 1]
    /\ Writes(WritePod(Api, [NewPod(name, 1) EXCEPT !.asks = TRUE]))
    /\ UNCHANGED used

TakeOffGate(name) ==
    /\ IF Settled(name) THEN pods[name].gated ELSE FALSE
    /\ Writes(WritePod(Api, [pods[name] EXCEPT !.gated = FALSE]))
    /\ UNCHANGED <<incarnations, used>>

AddToleration(name) ==
    /\ IF Settled(name) THEN ~pods[name].tolerates ELSE FALSE
    /\ Uses("tolerations", Tolerations)
    /\ Writes(WritePod(Api, [pods[name] EXCEPT !.tolerates = TRUE]))
    /\ UNCHANGED incarnations

UserActs ==
    \/ \E name \in Pods : CreatePod(name)
    \/ \E name \in Pods : CreateGatedPod(name)
    \/ \E name \in Pods : CreateAskingPod(name)
    \/ \E name \in Pods : TakeOffGate(name)
    \/ \E name \in Pods : AddToleration(name)
    \/ \E name \in Pods : RecreatePod(name)
    \/ \E name \in Pods : FinishTermination(name)
    \/ \E name \in Pods : UpdateAnnotations(name)
    \/ \E name \in Pods : DeletePod(name)

(* The event by which the plugin hears that its condition has changed. *)
EventOf(plugin) ==
    CASE plugin = "NodeResourcesFit" -> "NodeAllocatableChange"
      [] plugin = "NodeAffinity" -> "NodeLabelChange"
      [] plugin = "TaintToleration" -> "NodeTaintChange"

Comes(w, event) == LET Moves(later) == MoveAllByHints(later, event) IN Becomes(WithValue(Moment(w), Moves))

(* An event of the node. *)
OfNodeComes(w, event) ==
    LET Passes(pod)  == ~ChecksNodes \/ PassesPreCheck(w, pod)
        Hear(later)  == {name \in In(later.queue, "unschedulable") : Passes(later.queue.waiting[name].pod)}
        Moves(later) == MovePods(later, Hear(later), event)
    IN  Becomes(WithValue(Moment(w), Moves))

(* The event by which the plugin hears of its condition, as its hint function may find it. *)
OfPluginComes(w, plugin) ==
    \/ OfNodeComes(w, Ev(EventOf(plugin)))
    \/ /\ used.hint_errors < HintErrors
       /\ OfNodeComes(Using(w, "hint_errors"), EvOf(EventOf(plugin), None, Unreadable))

(* An event that changes nothing. *)
IncludingIt(power) == IF Endless THEN World ELSE Using(World, power)

MayCome(power, times) == IF Endless THEN times > 0 ELSE used[power] < times

ChangeCondition ==
    /\ Runs
    /\ used.changes < Changes
    /\ QueueIsFree
    /\ \E plugin \in Plugins :
           LET changed == IF plugin \in conditions THEN conditions \ {plugin} ELSE conditions \union {plugin}
           IN  OfPluginComes([Using(World, "changes") EXCEPT !.conditions = changed], plugin)

(* No plugin waits for claims that go, so the scheduler has no handler for them. *)
ChangeClaims ==
    /\ Runs
    /\ used.claims < Claims
    /\ QueueIsFree
    /\ LET changed == [Using(World, "claims") EXCEPT !.queue.lacksClaims = ~@]
       IN  IF queue.lacksClaims THEN Comes(changed, Ev("ResourceClaimAdd")) ELSE Becomes(changed)

ChangeAllocation ==
    /\ Runs
    /\ used.pending < Allocations
    /\ QueueIsFree
    /\ Comes([Using(World, "pending") EXCEPT !.unallocated = ~@], Ev("ResourceClaimUpdate"))

ClusterEvent ==
    /\ Runs
    /\ MayCome("events", Events)
    /\ QueueIsFree
    /\ \E plugin \in Plugins : OfPluginComes(IncludingIt("events"), plugin)

AnUninterestingEvent ==
    /\ Runs
    /\ MayCome("uninteresting", Uninteresting)
    /\ QueueIsFree
    /\ Comes(IncludingIt("uninteresting"), Ev("PvAdd"))

-------------------------------------------------------------------------------
(* A bound pod of others: it comes, changes its labels, and goes. *)

OtherBecomes(new) ==
    /\ Runs
    /\ used.assigned < Others
    /\ Becomes(Notify([Using(World, "assigned") EXCEPT !.otherPod = new], otherPod, new, FALSE))

BindOther ==
    /\ otherPod = None
    /\ LET new == [NewPod(OtherPod, used.assigned + 1) EXCEPT !.cpu = 0, !.node = Node]
       IN  \/ OtherBecomes(new)
           \/ OtherBecomes([new EXCEPT !.web = TRUE])
           \/ OtherBecomes([new EXCEPT !.cpu = Fills])

LabelOther == otherPod # None /\ OtherBecomes([otherPod EXCEPT !.web = ~@])

RemoveOther == otherPod # None /\ OtherBecomes(None)

-------------------------------------------------------------------------------
(* Informers. *)

HandlersAreIdle == assigned = <<>> /\ unassigned = <<>> /\ handler = <<>> /\ calls = NoCalls

InformerWaits == OneAtATime /\ ~HandlersAreIdle

DeliverPod == Runs /\ podWatch # <<>> /\ ~InformerWaits /\ Becomes(WithValue(World, PodDelivered))

(* A handler goes on by one hold.  What takes PriorityQueue.lock waits for it. *)
HandleByHold(each) ==
    /\ Runs
    /\ ~(World[each] = <<>> /\ calls[each] = <<>>)
    /\ \E next \in {NextCalls(World, each)} :
           /\ IF next = <<>> THEN TRUE ELSE OfQueue(next[1]) => QueueIsFree
           /\ \E name \in Choices(World, next) :
                  LET Takes(w) == TakeHold(w, each, name) IN Becomes(WithValue(World, Takes))

HandleAssignedPod ==
    IF Fine
    THEN HandleByHold("assigned")
    ELSE Runs /\ assigned # <<>> /\ Becomes(WithValue(World, HandleAssigned))

HandleUnassignedPod ==
    IF Fine
    THEN HandleByHold("unassigned")
    ELSE Runs /\ unassigned # <<>> /\ Becomes(WithValue(World, HandleUnassigned))

HandleAnyPod ==
    IF Fine
    THEN HandleByHold("handler")
    ELSE Runs /\ handler # <<>> /\ Becomes(WithValue(World, HandlePod))

ResyncPod(name) ==
    /\ Runs
    /\ used.resyncs < Resyncs
    /\ ~InformerWaits
    /\ lister[name] # None
    /\ \A i \in DOMAIN podWatch : podWatch[i].pod.name # name
    /\ Becomes(Notify(Using(World, "resyncs"), lister[name], lister[name], FALSE))

RelistPods ==
    /\ Runs
    /\ podWatch # <<>>
    /\ used.relists < Relists
    /\ \E events \in Relistings(World) : Becomes([Using(World, "relists") EXCEPT !.podWatch = events])

-------------------------------------------------------------------------------
(* The scheduler's goroutines.  choice is what the step chooses. *)

UnderWay(name) == SumOver(bindings, {g \in DOMAIN bindings : g.pod.name = name})

(* The head of activeQ is popped, after those that Pop discards. *)
Pop ==
    LET Then(left) ==
            IF Heads(left) = {}
            THEN [World EXCEPT !.queue = left]
            ELSE LET name == CHOOSE head \in Heads(left) : TRUE
                 IN  [World EXCEPT !.queue = PoppedInFlight(left, name),
                                   !.cycle = Popping(PoppedRecordRule(left.waiting[name]))]
    IN  Becomes(WithValue(DiscardBeforePop(queue), Then))

PopPod ==
    /\ Runs /\ cycle = None /\ ~sleeps
    /\ PopTakesLock => QueueIsFree
    /\ \E name \in Heads(WithHead(queue)) : UnderWay(name) < Goroutines /\ Pop

(* The steps that take PriorityQueue.lock, or may take it. *)
Locking ==
    {"schedule", "activate", "requeue", "done_after_permit", "pre_bind", "finish_binding", "binding_failed",
     "done_after_failure", "done_again"}

MayTake(step) == Runs /\ (step \in Locking => QueueIsFree)

InCycle(step) == IF MayTake(step) /\ cycle # None THEN Head(cycle.steps) = step ELSE FALSE

CycleGoesOn(choice) ==
    LET Then(after) == [after.w EXCEPT !.cycle = IF after.g.steps = <<>> THEN None ELSE after.g]
        Acts(w)     == WithValue(Ran(w, cycle, choice), Then)
    IN  Becomes(WithValue(World, Acts))

CycleStep(step) == InCycle(step) /\ CycleGoesOn("")

SchedulePods ==
    /\ InCycle("schedule")
    /\ \/ CycleGoesOn("")
       \/ used.errors < Errors /\ CycleGoesOn("error")
       \/ used.unknown_profiles < UnknownProfiles /\ CycleGoesOn("unknown profile")

AssumePods ==
    /\ InCycle("assume")
    /\ \/ CycleGoesOn("")
       \/ used.permits < Permits /\ CycleGoesOn("wait")
       \/ /\ used.activations < Activations
          /\ \E name \in Pods : /\ IF lister[name] = None THEN FALSE ELSE ~Bound(lister[name])
                                /\ name # cycle.pod.name
                                /\ CycleGoesOn(name)

Bindings(step) == IF MayTake(step) THEN {g \in DOMAIN bindings : Head(g.steps) = step} ELSE {}

BindingGoesOn(g, choice) ==
    LET Then(after) ==
            IF after.g.steps = <<>> THEN after.w ELSE [after.w EXCEPT !.bindings = Added(@, after.g)]
        Acts(w) == WithValue(Ran(w, g, choice), Then)
    IN  Becomes(WithValue([World EXCEPT !.bindings = Removed(@, g)], Acts))

BindingStep(step) == \E g \in Bindings(step) : BindingGoesOn(g, "")

WaitOnPermits ==
    \E g \in Bindings("wait_on_permit") : BindingGoesOn(g, "allowed") \/ BindingGoesOn(g, "rejected")

PreBindPods ==
    \E g \in Bindings("pre_bind") :
        \/ BindingGoesOn(g, "")
        \/ used.bind_errors < BindErrors /\ BindingGoesOn(g, "error")

(* The Binding waits until the informer has heard why it will be refused: see scope.py. *)
WaitsForInformer(g) ==
    /\ StaleBinds > 0
    /\ \E i \in DOMAIN podWatch : podWatch[i].pod.name = g.pod.name
    /\ \/ Cardinality({i \in DOMAIN queue.events : IsEvent(queue.events[i])}) >= StaleBinds
       \/ IF cycle = None THEN FALSE ELSE Len(cycle.came) >= StaleBinds
       \/ \E other \in DOMAIN bindings : Len(other.came) >= StaleBinds
    /\ RequestBind(World, g.pod, Node, TRUE).refused

BindPods ==
    \E g \in {binding \in Bindings("bind") : ~WaitsForInformer(binding)} :
        \/ BindingGoesOn(g, "")
        \/ used.lost_replies < LostReplies /\ BindingGoesOn(g, "lost")
        \/ used.bind_errors < BindErrors /\ BindingGoesOn(g, "refused")

(* After a failed binding the binding takes these steps. *)
EitherStep(step) == CycleStep(step) \/ BindingStep(step)

-------------------------------------------------------------------------------
(* The clock. *)

(* Time passes until something ends. *)
Tick ==
    /\ Runs /\ Clock /\ QueueIsFree
    /\ Instants(queue, Flush) # {}
    /\ Becomes([World EXCEPT !.queue = Later(@, 1 + Least(Instants(queue, Flush)))])

FlushBackoffQCompleted ==
    /\ Runs /\ Clock /\ QueueIsFree
    /\ Completed(queue) # {}
    /\ Becomes([World EXCEPT !.queue = FlushBackoff(@), !.called = TRUE])

FlushUnschedulableQLeftover ==
    /\ Runs /\ Clock /\ Flush /\ QueueIsFree
    /\ Leftover(queue) # {}
    /\ Becomes(MovePods(World, Leftover(queue), Ev("UnschedulableTimeout")))

-------------------------------------------------------------------------------
Init ==
    /\ PodsInit
    /\ used = [changes |-> 0, events |-> 0, uninteresting |-> 0, updates |-> 0, deletes |-> 0, recreates |-> 0,
               resyncs |-> 0, relists |-> 0, errors |-> 0, unknown_profiles |-> 0, permits |-> 0, bind_errors |-> 0,
               lost_replies |-> 0, gates |-> 0, claims |-> 0, pending |-> 0, activations |-> 0,
               tolerations |-> 0, hint_errors |-> 0, assigned |-> 0]
    /\ lister = [name \in Pods |-> None]
    /\ assigned = <<>>
    /\ unassigned = <<>>
    /\ handler = <<>>
    /\ calls = NoCalls
    /\ otherPod = None
    /\ conditions = {}
    /\ unallocated = (Allocations > 0)
    /\ queue = EmptyHintsQueue
    /\ cache = CacheOfNodes({})
    /\ cycle = None
    /\ bindings = EmptyFunction
    /\ sleeps = FALSE
    /\ crashed = <<>>

ByUsers == Runs /\ UserActs /\ UNCHANGED scheduler

ByCluster == ChangeCondition \/ ChangeClaims \/ ChangeAllocation \/ ClusterEvent \/ AnUninterestingEvent

ByBrokenWatch == (\E name \in Pods : ResyncPod(name)) \/ RelistPods

ByOthers == BindOther \/ LabelOther \/ RemoveOther

ByInformers == DeliverPod \/ HandleAssignedPod \/ HandleUnassignedPod \/ HandleAnyPod

ByScheduler ==
    \/ PopPod
    \/ SchedulePods
    \/ AssumePods
    \/ CycleStep("activate")
    \/ EitherStep("requeue")
    \/ EitherStep("done_after_requeue")
    \/ EitherStep("patch_failure")
    \/ EitherStep("done_after_failure")
    \/ WaitOnPermits
    \/ BindingStep("done_after_permit")
    \/ PreBindPods
    \/ BindPods
    \/ BindingStep("finish_binding")
    \/ BindingStep("binding_failed")
    \/ BindingStep("done_again")

ByClock == Tick \/ FlushBackoffQCompleted \/ FlushUnschedulableQLeftover

Next == ByUsers \/ ByOthers \/ ByCluster \/ ByBrokenWatch \/ ByInformers \/ ByScheduler \/ ByClock

Fairness ==
    /\ WF_vars(DeliverPod) /\ WF_vars(HandleAssignedPod) /\ WF_vars(HandleUnassignedPod)
    /\ WF_vars(HandleAnyPod)
    /\ WF_vars(Tick) /\ WF_vars(FlushBackoffQCompleted) /\ WF_vars(FlushUnschedulableQLeftover)
    /\ WF_vars(PopPod) /\ WF_vars(SchedulePods) /\ WF_vars(AssumePods) /\ WF_vars(CycleStep("activate"))
    /\ WF_vars(EitherStep("requeue")) /\ WF_vars(EitherStep("patch_failure"))
    /\ WF_vars(EitherStep("done_after_requeue")) /\ WF_vars(EitherStep("done_after_failure"))
    /\ WF_vars(BindingStep("finish_binding"))
    /\ WF_vars(WaitOnPermits) /\ WF_vars(BindingStep("done_after_permit")) /\ WF_vars(PreBindPods)
    /\ WF_vars(BindPods) /\ WF_vars(BindingStep("binding_failed")) /\ WF_vars(BindingStep("done_again"))

Spec == Init /\ [][Next]_vars /\ Fairness
===============================================================================
