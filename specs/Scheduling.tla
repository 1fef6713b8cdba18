------------------------------- MODULE Scheduling -------------------------------
(***************************************************************************)
(* scheduling: queue, nominator, cache, cycle and binder of the scheduler, *)
(* with API server, informers and users.  The same states, steps and names *)
(* as model/systems/scheduling, and so the same counts.                    *)
(*                                                                         *)
(* Go: pkg/scheduler, releases 1.13 to 1.30; model/systems/scheduling says *)
(* of each step which lock makes it atomic, and why some are one action.   *)
(*                                                                         *)
(* Left out: the clock, so that nobody backs off and no assumed pod        *)
(* expires; the finer grain; snapshots that are kept from cycle to cycle.  *)
(*                                                                         *)
(* A world is a record of all variables.  Operators make one of another,   *)
(* actions take the last of them for the next state.                       *)
(***************************************************************************)
EXTENDS SchedulingQueue, SchedulingCache

CONSTANTS
    LateNodes,     \* nodes that are not there at first
    Goroutines,    \* of one pod, beside the cycle, with which it may be popped
    Updates, Finalizers, Labels, Deletes, Recreates, Resyncs, Relists, NodeDeletes, NodeAdds, LostReplies,
    BindErrors, OtherBinders,                              \* powers: how often, as in scope.py
    Heartbeats, Extender, Preemption, Graceful, Listeners, \* switches
    CountsCycles,        \* a cycle number says whether a move request came since a pod was popped; or a flag
    OwnGoroutine,        \* the error function looks the pod up beside the cycle, in the API (up to 1.18)
    BindingHonoursUid,   \* the API server compares uids
    WithoutCandidate,    \* what a failure nominates: None or NoNode
    ExtenderPlugins,     \* who rejected a pod when an extender did
    MovesAfterForget,    \* after a failed binding pods are moved
    \* Rules, named after their fields.
    UnknownIsSelectedRule(_, _),        \* does the handler's filter select it, last known pod |-> is it taken
    UpdateIsIgnoredRule(_, _),          \* old, new |-> is it dropped
    StripPodRule(_),                    \* pod |-> pod
    SkipPodUpdateRule(_, _, _),         \* cache, assumed pod, calls |-> calls
    SkipPodScheduleRule(_, _),          \* cache, popped pod |-> is it skipped
    UpdatePodInCacheRule(_, _),         \* old, new |-> calls
    MoveOnHeartbeatRule(_),             \* queue |-> queue
    PreCheckRule(_),                    \* NodeInfo |-> do pods pass
    PreemptsWithRule(_),                \* victims |-> is the node a candidate
    PreferRule(_, _),                   \* nominated, feasible |-> nodes
    ExtenderFilterRule(_, _)            \* pod, nodes |-> [nodes, error, annotates]

VARIABLES
    pods,         \* the API server's, by name: the object or None
    nodes,        \* those that the API server has
    incarnations, \* how often each pod name was created
    podWatch,     \* events on their way: [kind, pod, unknown]
    nodeWatch,    \* [kind, node]
    lister,       \* the informer's pods
    assigned,     \* what each handler is still to hear: [old, new, unknown]
    unassigned,
    queue, cache, snapshot,
    cycle,        \* the goroutine that schedules, or None
    bindings,     \* bags of goroutines
    retries,
    crashed,      \* <<function, how>> when the process ended, <<>> before
    used          \* how often each power was used

vars == <<pods, nodes, incarnations, podWatch, nodeWatch, lister, assigned, unassigned, queue, cache, snapshot,
          cycle, bindings, retries, crashed, used>>

World ==
    [pods |-> pods, nodes |-> nodes, incarnations |-> incarnations, podWatch |-> podWatch, nodeWatch |-> nodeWatch,
     lister |-> lister, assigned |-> assigned, unassigned |-> unassigned, queue |-> queue, cache |-> cache,
     snapshot |-> snapshot, cycle |-> cycle, bindings |-> bindings, retries |-> retries, crashed |-> crashed,
     used |-> used]

(* A move request reaches every retry whose cycle number is not larger; of those *)
(* numbers nothing else matters (normal.py).                                     *)
AllMoved(bag) ==
    LET Told(g) == [g EXCEPT !.moved = TRUE]
        told    == {Told(g) : g \in DOMAIN bag}
    IN  [t \in told |-> SumOver(bag, {g \in DOMAIN bag : Told(g) = t})]

Becomes(world) ==
    \E w \in {world} :
        /\ pods' = w.pods
        /\ nodes' = w.nodes
        /\ incarnations' = w.incarnations
        /\ podWatch' = w.podWatch
        /\ nodeWatch' = w.nodeWatch
        /\ lister' = w.lister
        /\ assigned' = w.assigned
        /\ unassigned' = w.unassigned
        /\ queue' = w.queue
        /\ cache' = w.cache
        /\ snapshot' = w.snapshot
        /\ cycle' = w.cycle
        /\ bindings' = w.bindings
        /\ retries' = IF CountsCycles /\ w.queue.moved THEN AllMoved(w.retries) ELSE w.retries
        /\ crashed' = w.crashed
        /\ used' = w.used

Runs == crashed = <<>>

-------------------------------------------------------------------------------
(* The API server (api_server.py).  A reply is [w, refused]. *)

Live(w, pod) == w.pods[pod.name]

PodEvent(kind, pod) == [kind |-> kind, pod |-> pod, unknown |-> FALSE]

WritePod(w, pod) ==
    IF w.pods[pod.name] = pod
    THEN w
    ELSE [w EXCEPT !.pods[pod.name] = pod,
                   !.podWatch = Append(@, PodEvent(IF w.pods[pod.name] = None THEN "add" ELSE "update", pod))]

DropPod(w, name) ==
    [w EXCEPT !.pods[name] = None, !.podWatch = Append(@, PodEvent("delete", w.pods[name]))]

Granted(w) == [w |-> w, refused |-> FALSE]

Refused(w) == [w |-> w, refused |-> TRUE]

RequestDelete(w, name) ==
    IF w.pods[name] = None
    THEN Refused(w)
    ELSE IF Graceful /\ Bound(w.pods[name])
         THEN Granted(WritePod(w, [w.pods[name] EXCEPT !.terminating = TRUE]))
         ELSE Granted(DropPod(w, name))

RequestBind(w, pod, node, honoursUid) ==
    LET current == Live(w, pod)
    IN  IF current = None
        THEN Refused(w)
        ELSE IF Bound(current) \/ current.terminating \/ (honoursUid /\ current.inc # pod.inc)
             THEN Refused(w)
             ELSE Granted(WritePod(w, [current EXCEPT !.node = node, !.condition = FALSE]))

(* PUT: a conflict unless it is the live version.  PATCH: whatever is there. *)
PutStatus(w, pod, status) == IF Live(w, pod) = pod THEN Granted(WritePod(w, status)) ELSE Refused(w)

PatchCondition(w, pod) == IF Live(w, pod) = None THEN w ELSE WritePod(w, [Live(w, pod) EXCEPT !.condition = TRUE])

PatchNominated(w, pod, node) ==
    IF Live(w, pod) = None THEN w ELSE WritePod(w, [Live(w, pod) EXCEPT !.nominated = node])

-------------------------------------------------------------------------------
(* Event handlers (event_handlers.py): the calls of each, [f, a] in order. *)

Call(f, a) == [f |-> f, a |-> a]

MoveAfterDelete == Call("move_all_to_active_or_backoff_queue", <<"AssignedPodDelete">>)

UnknownByLastState(selected, pod) == selected

UnknownIsSelected(selected, pod) == TRUE

(* FilteringResourceEventHandler: [old, new] as the handler hears of it, both None for nothing. *)
Filtered(notification, Selects(_)) ==
    LET old == notification.old
        new == notification.new
        Kept(pod) == IF pod = None THEN None ELSE IF Selects(pod) THEN pod ELSE None
    IN  IF old # None /\ new = None /\ notification.unknown
        THEN [old |-> IF UnknownIsSelectedRule(Selects(old), old) THEN old ELSE None, new |-> None]
        ELSE [old |-> Kept(old), new |-> Kept(new)]

AddToCache(pod) == <<Call("add_pod", <<pod>>), Call("assigned_pod_added", <<pod>>)>>

DeleteFromCache(pod) == <<Call("remove_pod", <<pod>>), MoveAfterDelete>>

UpdatePodInCache(old, new) == <<Call("update_pod", <<old, new>>), Call("assigned_pod_updated", <<new>>)>>

(* 1.19 to 1.23 *)
UpdatePodInCacheByUid(old, new) ==
    IF Uid(old) # Uid(new) THEN DeleteFromCache(old) \o AddToCache(new) ELSE UpdatePodInCache(old, new)

OnAssigned(heard) ==
    IF heard.new = None
    THEN IF heard.old = None THEN <<>> ELSE DeleteFromCache(heard.old)
    ELSE IF heard.old = None THEN AddToCache(heard.new) ELSE UpdatePodInCacheRule(heard.old, heard.new)

NoUpdateIsIgnored(old, new) == FALSE

EqualVersionIsIgnored(old, new) == old = new

OnUnassigned(heard) ==
    IF heard.new = None
    THEN IF heard.old = None THEN <<>> ELSE <<Call("delete", <<heard.old>>)>>
    ELSE IF heard.old = None
         THEN <<Call("add", <<heard.new>>)>>
         ELSE IF UpdateIsIgnoredRule(heard.old, heard.new)
              THEN <<>>
              ELSE <<Call("is_assumed_pod", <<heard.new>>), Call("update", <<heard.old, heard.new>>)>>

StripAnnotations(pod) == [pod EXCEPT !.node = NoNode, !.note = 0, !.gpu = FALSE]

StripBenignFields(pod) == [StripAnnotations(pod) EXCEPT !.kept = 0, !.condition = FALSE]

DiffersOnlyInStripped(known, pod) == StripPodRule(known) = StripPodRule(pod)

(* Up to 1.21 an assumed pod's update is dropped if it is benign: GetPod tells. *)
SkipPodUpdateIfBenign(known, pod, calls) ==
    IF DiffersOnlyInStripped(known.pods[Uid(pod)].pod, pod) THEN <<>> ELSE calls

SkipAnyPodUpdate(known, pod, calls) == <<>>

Called(w, name, outcome) ==
    IF outcome.crash = ""
    THEN [w EXCEPT !.cache = outcome.cache]
    ELSE [w EXCEPT !.crashed = <<name, outcome.crash>>]

(* One hold of one lock. *)
Execute(w, call) ==
    LET pod == call.a[1]
    IN  CASE call.f = "add_pod" -> Called(w, call.f, AddPod(w.cache, pod))
          [] call.f = "update_pod" -> Called(w, call.f, UpdateAddedPodRule(w.cache, pod, call.a[2]))
          [] call.f = "remove_pod" -> Called(w, call.f, RemoveKnownPodRule(w.cache, pod))
          [] call.f \in {"assigned_pod_added", "assigned_pod_updated"} -> [w EXCEPT !.queue = NoteMoveRequest(@)]
          [] call.f = "move_all_to_active_or_backoff_queue" -> [w EXCEPT !.queue = MoveAll(@, TRUE)]
          [] call.f = "add" -> [w EXCEPT !.queue = QueueAdd(@, pod, w.lister[pod.name])]
          [] call.f = "update" -> [w EXCEPT !.queue = QueueUpdate(@, pod, call.a[2], w.lister[pod.name])]
          [] call.f = "delete" -> [w EXCEPT !.queue = QueueDelete(@, pod)]
          [] OTHER -> w

(* What is left after the first of the calls.  Nobody waits at Permit here, so *)
(* nothing follows a delete.                                                   *)
After(w, calls) ==
    IF calls[1].f = "is_assumed_pod" /\ IsAssumedPod(w.cache, calls[1].a[1])
    THEN SkipPodUpdateRule(w.cache, calls[1].a[1], Tail(calls))
    ELSE Tail(calls)

RECURSIVE GoOn(_, _)
GoOn(w, calls) ==
    IF calls = <<>> \/ w.crashed # <<>>
    THEN w
    ELSE LET Then(next) == GoOn(next, After(w, calls)) IN WithValue(Execute(w, calls[1]), Then)

-------------------------------------------------------------------------------
(* Informers (informers.py). *)

(* A handler and one notification, with all its calls. *)
HandleAssigned(w) ==
    GoOn([w EXCEPT !.assigned = Tail(@)], OnAssigned(Filtered(Head(w.assigned), Bound)))

HandleUnassigned(w) ==
    LET Unbound(pod) == ~Bound(pod)
    IN  GoOn([w EXCEPT !.unassigned = Tail(@)], OnUnassigned(Filtered(Head(w.unassigned), Unbound)))

(* Without Listeners both handlers run at once, the assigned one first. *)
Notify(w, old, new, unknown) ==
    LET told == [old |-> old, new |-> new, unknown |-> unknown]
        both == [w EXCEPT !.assigned = Append(@, told), !.unassigned = Append(@, told)]
    IN  IF Listeners THEN both ELSE WithValue(HandleAssigned(both), HandleUnassigned)

(* The world after the oldest event was delivered. *)
Delivered ==
    LET event == Head(podWatch)
        name  == event.pod.name
        old   == lister[name]
        new   == IF event.kind = "delete" THEN None ELSE event.pod
        w     == [World EXCEPT !.podWatch = Tail(@), !.lister[name] = new]
    IN  IF old = None /\ new = None
        THEN w
        ELSE Notify(w, IF new = None THEN event.pod ELSE old, new, event.unknown)

DeliverPod == Runs /\ podWatch # <<>> /\ Becomes(Delivered)

HandleAssignedPod == Runs /\ assigned # <<>> /\ Becomes(HandleAssigned(World))

HandleUnassignedPod == Runs /\ unassigned # <<>> /\ Becomes(HandleUnassigned(World))

MoveOnAnyNodeUpdate(q) == MoveAll(q, TRUE)

(* 1.14 to 1.20 *)
MoveIfNoneUnschedulable(q) == IF In(q, "unschedulable") = {} THEN MoveAll(q, TRUE) ELSE q

MoveOnNodeChange(q) == q

WithoutPreCheck(info) == TRUE

PreCheckForNode(info) == Requested(info) < Room

DeliverNode ==
    /\ Runs
    /\ nodeWatch # <<>>
    /\ LET event == Head(nodeWatch)
           w     == [World EXCEPT !.nodeWatch = Tail(@)]
           Known(c) == [w EXCEPT !.cache = c, !.queue = MoveAll(@, PreCheckRule(c.infos[event.node]))]
       IN  Becomes(CASE event.kind = "add" -> WithValue(AddNode(cache, event.node), Known)
                     [] event.kind = "delete" -> [w EXCEPT !.cache = RemoveKnownNodeRule(@, event.node)]
                     [] event.kind = "update" -> [w EXCEPT !.queue = MoveOnHeartbeatRule(@)])

ResyncPod(name) ==
    /\ Runs
    /\ used.resyncs < Resyncs
    /\ lister[name] # None
    /\ \A i \in DOMAIN podWatch : podWatch[i].pod.name # name
    /\ Becomes(Notify([World EXCEPT !.used.resyncs = @ + 1], lister[name], lister[name], FALSE))

(* What the new list and the store differ in: first what is listed, then what  *)
(* is gone, in any order.                                                      *)
Orders(names) == {seq \in [1 .. Cardinality(names) -> names] : Range(seq) = names}

Missed(name) ==
    IF pods[name] = None
    THEN [kind |-> "delete", pod |-> lister[name], unknown |-> TRUE]
    ELSE PodEvent(IF lister[name] = None THEN "add" ELSE "update", pods[name])

RelistPods ==
    /\ Runs
    /\ podWatch # <<>>
    /\ used.relists < Relists
    /\ \E listed \in Orders({name \in Pods : pods[name] \notin {None, lister[name]}}) :
           \E gone \in Orders({name \in Pods : pods[name] = None /\ lister[name] # None}) :
               LET order == listed \o gone
               IN  Becomes([World EXCEPT !.podWatch = [i \in DOMAIN order |-> Missed(order[i])],
                                         !.used.relists = @ + 1])

-------------------------------------------------------------------------------
(* Users, controllers, kubelets, other schedulers (users.py). *)

Created(w, name) ==
    WritePod([w EXCEPT !.incarnations[name] = @ + 1], NewPod(name, w.incarnations[name] + 1))

CreatePod(name) ==
    /\ Runs
    /\ pods[name] = None
    /\ incarnations[name] = 0
    /\ Becomes(Created(World, name))

RecreatePod(name) ==
    /\ Runs
    /\ pods[name] = None
    /\ incarnations[name] > 0
    /\ used.recreates < Recreates
    /\ Becomes(Created([World EXCEPT !.used.recreates = @ + 1], name))

Settled(name) == IF pods[name] = None THEN FALSE ELSE ~pods[name].terminating

FinishTermination(name) ==
    /\ Runs
    /\ pods[name] # None
    /\ ~Settled(name)
    /\ Becomes(DropPod(World, name))

UpdateAnnotations(name) ==
    /\ Runs
    /\ Settled(name)
    /\ used.updates < Updates
    /\ Becomes(WritePod([World EXCEPT !.used.updates = @ + 1], [pods[name] EXCEPT !.note = @ + 1]))

UpdateFinalizers(name) ==
    /\ Runs
    /\ Settled(name)
    /\ used.finalizers < Finalizers
    /\ Becomes(WritePod([World EXCEPT !.used.finalizers = @ + 1], [pods[name] EXCEPT !.kept = @ + 1]))

UpdateLabels(name) ==
    /\ Runs
    /\ Settled(name)
    /\ used.labels < Labels
    /\ Becomes(WritePod([World EXCEPT !.used.labels = @ + 1], [pods[name] EXCEPT !.app = @ + 1]))

DeletePod(name) ==
    /\ Runs
    /\ Settled(name)
    /\ used.deletes < Deletes
    /\ Becomes(RequestDelete([World EXCEPT !.used.deletes = @ + 1], name).w)

BindElsewhere(name, node) ==
    /\ Runs
    /\ Settled(name)
    /\ ~Bound(pods[name])
    /\ used.other_binders < OtherBinders
    /\ Becomes(RequestBind([World EXCEPT !.used.other_binders = @ + 1], pods[name], node, TRUE).w)

NodeEvent(kind, node) == [kind |-> kind, node |-> node]

Heartbeat(node) ==
    /\ Runs
    /\ Heartbeats
    /\ nodeWatch = <<>>
    /\ Becomes([World EXCEPT !.nodeWatch = Append(@, NodeEvent("update", node))])

DeleteNode(node) ==
    /\ Runs
    /\ used.node_deletes < NodeDeletes
    /\ Becomes([World EXCEPT !.nodes = @ \ {node}, !.nodeWatch = Append(@, NodeEvent("delete", node)),
                             !.used.node_deletes = @ + 1])

CreateNode(node) ==
    /\ Runs
    /\ used.node_adds < NodeAdds + LateNodes
    /\ Becomes([World EXCEPT !.nodes = @ \union {node}, !.nodeWatch = Append(@, NodeEvent("add", node)),
                             !.used.node_adds = @ + 1])

-------------------------------------------------------------------------------
(* Goroutines: the cycle in hand, bindings, retries of the error function.     *)
(* steps are what it still does; plugins and attempts are of the popped        *)
(* record; node is where the pod goes or is nominated; victims are uids;       *)
(* moved is of a retry: was there a move request since its cycle.              *)

Goroutine(steps, info) ==
    [steps |-> steps, pod |-> info.pod, attempts |-> info.attempts, plugins |-> info.plugins, node |-> NoNode,
     candidates |-> {}, victims |-> <<>>, clear |-> <<>>, rejectedBy |-> {}, moved |-> FALSE]

InfoOf(g) == [pod |-> g.pod, attempts |-> g.attempts, plugins |-> g.plugins]

Step(w, g) == [w |-> w, g |-> g]

Ended(w, g) == [w |-> w, g |-> [g EXCEPT !.steps = <<>>]]

(* Whether a step belongs to the action of the one before (threads.py, GLUED). *)
Glued == {"find_nodes", "call_extenders", "choose", "delete_nominated_pod", "start_error_func", "nominate",
          "patch_failure", "finish_binding", "forget_pod", "move_after_forget"}

Joins(before, g) ==
    \/ Head(g.steps) \in Glued
    \/ Head(g.steps) = "delete_victims" /\ (before = "post_filter" \/ (g.victims = <<>> /\ g.clear = <<>>))

(* What follows a failed attempt; a FitError leads to preemption, and where *)
(* nobody preempts leaves the nomination to the pod's status.               *)
StepsAfterFailure(noNodeFits) ==
    IF OwnGoroutine
    THEN <<"start_error_func", "record_failure">>
             \o (IF noNodeFits /\ Preemption
                 THEN <<"preempt", "nominate", "set_nominated_node_name", "delete_victims">>
                 ELSE <<>>)
    ELSE (IF noNodeFits /\ Preemption THEN <<"post_filter", "delete_victims">> ELSE <<>>)
             \o <<"requeue", "add_nominated_pod", "patch_failure">>

Failed(g, noNodeFits) ==
    [g EXCEPT !.steps = StepsAfterFailure(noNodeFits),
              !.node  = IF noNodeFits /\ ~Preemption THEN None ELSE WithoutCandidate,
              !.candidates = {}, !.victims = <<>>, !.clear = <<>>]

-------------------------------------------------------------------------------
(* The scheduling cycle (cycle_steps.py). *)

SkipTerminatingPod(known, pod) == pod.terminating

SkipTerminatingOrAssumedPod(known, pod) ==
    \/ pod.terminating
    \/ IF IsAssumedPod(known, pod) THEN SkipPodUpdateRule(known, pod, <<"schedule">>) = <<>> ELSE FALSE

Schedule(w, g) ==
    LET then == [w EXCEPT !.snapshot = TakeSnapshotRule(w.cache)]
    IN  IF SkipPodScheduleRule(w.cache, g.pod)
        THEN Ended(w, g)
        ELSE IF Listed(w.cache.infos) = {}
             THEN Step(then, Failed(g, FALSE))
             ELSE Step(then, [g EXCEPT !.steps = <<"find_nodes">>])

(* Nominated pods that count for a pod: of its priority or higher, itself excepted. *)
Competing(nominations, node, pod) ==
    LET Counts(other) == Priority(other.name) >= Priority(pod.name) /\ Uid(other) # Uid(pod)
    IN  Cardinality(Places(PodsForNode(nominations, node), Counts))

Free(info) == Room - Requested(info)

FeasibleNodes(w, pod) ==
    {node \in Listed(w.snapshot) : 1 + Competing(w.queue.nominations, node, pod) <= Free(w.snapshot[node])}

FindNodes(w, g) ==
    LET Found(feasible) ==
            LET rejected == IF feasible # Listed(w.snapshot) THEN {"NodeResourcesFit"} ELSE {}
                looked   == [g EXCEPT !.rejectedBy = rejected]
            IN  IF feasible = {}
                THEN Step(w, Failed(looked, TRUE))
                ELSE Step(w, [looked EXCEPT !.candidates = feasible,
                                            !.steps = IF Extender THEN <<"call_extenders", "choose">>
                                                                  ELSE <<"choose">>])
    IN  WithValue(FeasibleNodes(w, g.pod), Found)

FilterEmptyWhenAllocated(pod, fitting) ==
    [nodes |-> IF pod.gpu THEN {} ELSE fitting, error |-> FALSE, annotates |-> ~pod.gpu]

FilterErrorWhenAllocated(pod, fitting) ==
    [nodes |-> IF pod.gpu THEN {} ELSE fitting, error |-> pod.gpu, annotates |-> ~pod.gpu]

FilterKeepsAll(pod, fitting) == [nodes |-> fitting, error |-> FALSE, annotates |-> FALSE]

FilterRejectsAll(pod, fitting) == [nodes |-> {}, error |-> FALSE, annotates |-> FALSE]

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

LookAtAllNodes(nominated, feasible) == feasible

(* 1.22 *)
NominatedNodeFirst(nominated, feasible) == IF nominated \in feasible THEN {nominated} ELSE feasible

Choose(w, g) ==
    Step(w, [g EXCEPT !.candidates = PreferRule(g.pod.nominated, @), !.rejectedBy = {},
                      !.steps = <<"assume", "delete_nominated_pod">>])

Assume(w, g, node) ==
    LET going == [g EXCEPT !.pod.node = node, !.candidates = {}, !.node = node]
        Then(outcome) == IF outcome.error
                         THEN Step(w, Failed(going, FALSE))
                         ELSE Step([w EXCEPT !.cache = outcome.cache], going)
    IN  WithValue(AssumePod(w.cache, going.pod), Then)

DeleteNominatedPod(w, g) ==
    Ended([w EXCEPT !.queue    = DeleteNominatedPodIfExists(@, g.pod),
                    !.bindings = Added(@, [Goroutine(<<"bind">>, InfoOf(g)) EXCEPT !.node = g.node])], g)

-------------------------------------------------------------------------------
(* What follows a failure (failure_steps.py). *)

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

(* From 1.19 on. *)
Requeue(w, g) ==
    LET listed  == w.lister[g.pod.name]
        plugins == IF g.rejectedBy = {} THEN g.plugins ELSE g.rejectedBy
        Then(known) == Step([w EXCEPT !.queue = AddUnschedulableIfNotPresent(@, InfoOf(known), @.moved, listed)],
                            known)
    IN  IF listed = None
        THEN Step(w, g)
        ELSE IF Bound(listed) THEN Step(w, g)
                              ELSE WithValue([g EXCEPT !.pod = listed, !.plugins = plugins], Then)

AddNomination(w, g) == Step([w EXCEPT !.queue = AddNominatedPod(@, g.pod, g.node, w.lister[g.pod.name])], g)

RecordFailure(w, g) ==
    LET pod == [g.pod EXCEPT !.node = NoNode]
    IN  Step(IF pod.condition THEN w ELSE PutStatus(w, pod, [pod EXCEPT !.condition = TRUE]).w, g)

(* Condition and nominatedNodeName are one patch of what differs. *)
PatchFailure(w, g) ==
    LET current   == Live(w, g.pod)
        nominates == g.node \notin {None, g.pod.nominated}
        patched   == [current EXCEPT !.condition = @ \/ ~g.pod.condition,
                                     !.nominated = IF nominates THEN g.node ELSE @]
    IN  Step(IF current = None THEN w ELSE WritePod(w, patched), g)

-------------------------------------------------------------------------------
(* Preemption (preemption_steps.py, fitting.py). *)

Preemptor(w, g) == IF OwnGoroutine THEN Live(w, g.pod) ELSE w.lister[g.pod.name]

(* Not while a pod of lower priority terminates where it is nominated. *)
Eligible(w, pod) ==
    IF pod.nominated \notin DOMAIN w.snapshot
    THEN TRUE
    ELSE \A uid \in DOMAIN w.snapshot[pod.nominated].pods :
             \A i \in DOMAIN w.snapshot[pod.nominated].pods[uid] :
                 LET other == w.snapshot[pod.nominated].pods[uid][i]
                 IN  ~(other.terminating /\ Priority(other.name) < Priority(pod.name))

(* Pods of lower priority, each as <<uid, which of its copies>>. *)
Lower(info, pod) ==
    UNION {{<<uid, i>> : i \in DOMAIN info.pods[uid]} :
               uid \in {u \in DOMAIN info.pods : Priority(u[1]) < Priority(pod.name)}}

(* A set in every order. *)
InEveryOrder(set) ==
    {seq \in [1 .. Cardinality(set) -> set] : \A i, j \in DOMAIN seq : seq[i] = seq[j] => i = j}

(* The victims that may be chosen on a node, in any order: all are of equal     *)
(* priority, as many as have to go.                                             *)
VictimsOn(w, node, pod) ==
    LET info  == w.snapshot[node]
        lower == Lower(info, pod)
        free  == Free(info) + Cardinality(lower) - 1 - Competing(w.queue.nominations, node, pod)
        going == IF free >= Cardinality(lower) THEN 0 ELSE Cardinality(lower) - free
    IN  IF free < 0
        THEN {}
        ELSE {[node |-> node, victims |-> [i \in DOMAIN seq |-> seq[i][1]]] :
                  seq \in UNION {InEveryOrder(chosen) : chosen \in {v \in SUBSET lower : Cardinality(v) = going}}}

AnyNumberOfVictims(number) == TRUE

AtLeastOneVictim(number) == number > 0

(* The fewest victims: all are of the lower priority. *)
Candidates(w, g) ==
    LET pod   == Preemptor(w, g)
        all   == UNION {VictimsOn(w, node, pod) : node \in Listed(w.snapshot)}
        may   == {c \in all : PreemptsWithRule(Len(c.victims))}
    IN  IF pod = None
        THEN {}
        ELSE IF ~Eligible(w, pod)
             THEN {}
             ELSE {c \in may : \A other \in may : Len(c.victims) <= Len(other.victims)}

Chosen(w, g, pod, candidate) ==
    LET IsLower(other) == Priority(other.name) < Priority(pod.name)
    IN  [g EXCEPT !.node    = candidate.node,
                  !.victims = candidate.victims,
                  !.clear   = SelectSeq(PodsForNode(w.queue.nominations, candidate.node), IsLower)]

(* candidate is None when there is none to choose. *)
Preempt(w, g, candidate) ==
    LET pod == Preemptor(w, g)
    IN  IF candidate = None THEN Ended(w, g) ELSE Step(w, Chosen(w, [g EXCEPT !.pod = pod], pod, candidate))

SetNominatedNodeName(w, g) ==
    LET Then(reply) == IF reply.refused
                       THEN Ended([w EXCEPT !.queue = DeleteNominatedPodIfExists(@, g.pod)], g)
                       ELSE Step(reply.w, g)
    IN  WithValue(PutStatus(w, g.pod, [g.pod EXCEPT !.nominated = g.node]), Then)

PostFilter(w, g, candidate) ==
    LET pod == Preemptor(w, g)
    IN  IF candidate # None
        THEN Step(w, Chosen(w, g, pod, candidate))
        ELSE IF pod = None
             THEN Step(w, [g EXCEPT !.node = None])
             ELSE IF Eligible(w, pod) THEN Step(w, g) ELSE Step(w, [g EXCEPT !.node = None])

(* A victim that is gone ends it. *)
RECURSIVE DeletedVictims(_, _)
DeletedVictims(w, victims) ==
    IF victims = <<>>
    THEN Granted(w)
    ELSE LET Then(reply) == IF reply.refused THEN reply ELSE DeletedVictims(reply.w, Tail(victims))
         IN  WithValue(RequestDelete(w, Head(victims)[1]), Then)

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

DeleteVictims(w, g) ==
    LET Then(reply) == Step(IF reply.refused THEN reply.w ELSE Cleared(reply.w, g.clear),
                            [g EXCEPT !.victims = <<>>, !.clear = <<>>])
    IN  WithValue(DeletedVictims(w, g.victims), Then)

-------------------------------------------------------------------------------
(* The binding goroutine (binding_steps.py).  reply: "", lost or refused. *)

BindErrorSteps ==
    <<"bind_failed", "finish_binding", "forget_pod">> \o (IF MovesAfterForget THEN <<"move_after_forget">> ELSE <<>>)

BindFails(g) ==
    [Failed(g, FALSE) EXCEPT !.steps = BindErrorSteps, !.node = g.node]

Bind(w, g, reply) ==
    LET Then(answer) == IF answer.refused \/ reply = "lost"
                        THEN Step(answer.w, BindFails(g))
                        ELSE Step(answer.w, [g EXCEPT !.steps = <<"finish_binding">>])
    IN  IF reply = "refused"
        THEN Step(w, BindFails(g))
        ELSE WithValue(RequestBind(w, g.pod, g.node, BindingHonoursUid), Then)

ForgetAssumed(w, g) ==
    LET moves == IF "move_after_forget" \in Range(g.steps) THEN <<"move_after_forget">> ELSE <<>>
        Then(outcome) == Step(Called(w, "forget_pod", outcome),
                              [Failed(g, FALSE) EXCEPT !.steps = (IF outcome.error THEN <<>> ELSE moves) \o @])
    IN  WithValue(ForgetPod(w.cache, g.pod), Then)

MoveAfterForget(w, g) == Step([w EXCEPT !.queue = MoveAll(@, TRUE)], g)

-------------------------------------------------------------------------------
(* Steps and actions of goroutines (threads.py). *)

Done(step, w, g, choice) ==
    CASE step = "schedule" -> Schedule(w, g)
      [] step = "find_nodes" -> FindNodes(w, g)
      [] step = "call_extenders" -> CallExtenders(w, g)
      [] step = "choose" -> Choose(w, g)
      [] step = "assume" -> Assume(w, g, choice)
      [] step = "delete_nominated_pod" -> DeleteNominatedPod(w, g)
      [] step = "start_error_func" -> StartErrorFunc(w, g)
      [] step = "record_failure" -> RecordFailure(w, g)
      [] step = "preempt" -> Preempt(w, g, choice)
      [] step \in {"nominate", "add_nominated_pod"} -> AddNomination(w, g)
      [] step = "set_nominated_node_name" -> SetNominatedNodeName(w, g)
      [] step = "post_filter" -> PostFilter(w, g, choice)
      [] step = "delete_victims" -> DeleteVictims(w, g)
      [] step = "requeue" -> Requeue(w, g)
      [] step = "patch_failure" -> PatchFailure(w, g)
      [] step = "bind" -> Bind(w, g, choice)
      [] step \in {"bind_failed", "finish_binding"} -> Step(w, g)
      [] step = "forget_pod" -> ForgetAssumed(w, g)
      [] step = "move_after_forget" -> MoveAfterForget(w, g)
      [] step = "get_pod" -> GetPod(w, g)
      [] step = "add_unschedulable" -> AddUnschedulable(w, g)

(* The action's step, and those that belong to it. *)
RECURSIVE Ran(_, _, _)
Ran(w, g, choice) ==
    LET step == Head(g.steps)
        Then(done) == IF done.g.steps = <<>> \/ done.w.crashed # <<>>
                      THEN done
                      ELSE IF Joins(step, done.g) THEN Ran(done.w, done.g, None) ELSE done
    IN  WithValue(Done(step, w, [g EXCEPT !.steps = Tail(@)], choice), Then)

(* The snapshot is kept as long as something in the cycle still reads it. *)
CycleGoesOn(choice) ==
    LET Then(done) ==
            [done.w EXCEPT !.cycle = IF done.g.steps = <<>> THEN None ELSE done.g,
                           !.snapshot = IF {"preempt", "post_filter"} \intersect Range(done.g.steps) = {}
                                        THEN NoSnapshot
                                        ELSE @]
    IN  Becomes(WithValue(Ran(World, cycle, choice), Then))

InCycle(step) == IF Runs /\ cycle # None THEN Head(cycle.steps) = step ELSE FALSE

BindingGoesOn(g, w, choice) ==
    LET Then(done) ==
            IF done.g.steps = <<>> THEN done.w ELSE [done.w EXCEPT !.bindings = Added(@, done.g)]
    IN  Becomes(WithValue(Ran([w EXCEPT !.bindings = Removed(@, g)], g, choice), Then))

RetryGoesOn(g) ==
    LET Then(done) ==
            IF done.g.steps = <<>> THEN done.w ELSE [done.w EXCEPT !.retries = Added(@, done.g)]
    IN  Becomes(WithValue(Ran([World EXCEPT !.retries = Removed(@, g)], g, None), Then))

Bindings(step) == {g \in DOMAIN bindings : Runs /\ Head(g.steps) = step}

Retries(step) == {g \in DOMAIN retries : Runs /\ Head(g.steps) = step}

Pop(name) ==
    Becomes([World EXCEPT !.queue = Popped(@, name),
                          !.cycle = Goroutine(<<"schedule">>, PoppedRecordRule(queue.waiting[name]))])

CycleStep(step) == InCycle(step) /\ CycleGoesOn(None)

BindingStep(step) == \E g \in Bindings(step) : BindingGoesOn(g, World, None)

(* An action of the scheduler's own, by its name. *)
UnderWay(bag, name) == SumOver(bag, {g \in DOMAIN bag : g.pod.name = name})
PopPod ==
    /\ Runs
    /\ cycle = None
    /\ \E name \in Heads(queue) : UnderWay(bindings, name) + UnderWay(retries, name) < Goroutines /\ Pop(name)
SchedulePod == CycleStep("schedule")
AssumePods == InCycle("assume") /\ \E node \in cycle.candidates : CycleGoesOn(node)
PreemptPods(step) ==
    /\ InCycle(step)
    /\ \E candidates \in {Candidates(World, cycle)} :
           \E candidate \in IF candidates = {} THEN {None} ELSE candidates : CycleGoesOn(candidate)
BindPod ==
    \E g \in Bindings("bind") :
        \/ BindingGoesOn(g, World, "")
        \/ /\ used.lost_replies < LostReplies
           /\ BindingGoesOn(g, [World EXCEPT !.used.lost_replies = @ + 1], "lost")
        \/ /\ used.bind_errors < BindErrors
           /\ BindingGoesOn(g, [World EXCEPT !.used.bind_errors = @ + 1], "refused")
RetryStep(step) == \E g \in Retries(step) : RetryGoesOn(g)
(* After a failed binding these steps are the binding's. *)
EitherStep(step) == CycleStep(step) \/ BindingStep(step)

-------------------------------------------------------------------------------
Init ==
    LET first == Range(SubSeq(NodeOrder, 1, Len(NodeOrder) - LateNodes))
    IN  /\ pods = [name \in Pods |-> None]
        /\ nodes = first
        /\ incarnations = [name \in Pods |-> 0]
        /\ podWatch = <<>>
        /\ nodeWatch = <<>>
        /\ lister = [name \in Pods |-> None]
        /\ assigned = <<>>
        /\ unassigned = <<>>
        /\ queue = EmptyQueue
        /\ cache = [infos |-> [node \in first |-> [NoInfo EXCEPT !.there = TRUE]], pods |-> EmptyFunction]
        /\ snapshot = NoSnapshot
        /\ cycle = None
        /\ bindings = EmptyFunction
        /\ retries = EmptyFunction
        /\ crashed = <<>>
        /\ used = [updates |-> 0, finalizers |-> 0, labels |-> 0, deletes |-> 0, recreates |-> 0, resyncs |-> 0,
                   relists |-> 0, node_deletes |-> 0, node_adds |-> 0, lost_replies |-> 0, bind_errors |-> 0,
                   other_binders |-> 0]

ByUsers ==
    \/ \E name \in Pods : CreatePod(name)
    \/ \E name \in Pods : RecreatePod(name)
    \/ \E name \in Pods : FinishTermination(name)
    \/ \E name \in Pods : UpdateAnnotations(name)
    \/ \E name \in Pods : UpdateFinalizers(name)
    \/ \E name \in Pods : UpdateLabels(name)
    \/ \E name \in Pods : DeletePod(name)
    \/ \E name \in Pods, node \in nodes : BindElsewhere(name, node)
    \/ \E node \in nodes : Heartbeat(node)
    \/ \E node \in nodes : DeleteNode(node)
    \/ \E node \in Nodes \ nodes : CreateNode(node)

ByInformers == DeliverPod \/ HandleAssignedPod \/ HandleUnassignedPod \/ DeliverNode

ByBrokenWatch == (\E name \in Pods : ResyncPod(name)) \/ RelistPods

ByScheduler ==
    \/ PopPod
    \/ SchedulePod
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

Next == ByUsers \/ ByBrokenWatch \/ ByInformers \/ ByScheduler

Fairness ==
    /\ WF_vars(DeliverPod) /\ WF_vars(HandleAssignedPod) /\ WF_vars(HandleUnassignedPod) /\ WF_vars(DeliverNode)
    /\ WF_vars(PopPod) /\ WF_vars(SchedulePod) /\ WF_vars(AssumePods)
    /\ WF_vars(EitherStep("record_failure")) /\ WF_vars(PreemptPods("preempt"))
    /\ WF_vars(CycleStep("set_nominated_node_name")) /\ WF_vars(PreemptPods("post_filter"))
    /\ WF_vars(CycleStep("delete_victims")) /\ WF_vars(EitherStep("requeue"))
    /\ WF_vars(EitherStep("add_nominated_pod")) /\ WF_vars(BindPod) /\ WF_vars(BindingStep("bind_failed"))
    /\ WF_vars(RetryStep("get_pod")) /\ WF_vars(RetryStep("add_unschedulable"))

Spec == Init /\ [][Next]_vars /\ Fairness
===============================================================================
