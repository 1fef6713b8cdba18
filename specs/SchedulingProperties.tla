-------------------------- MODULE SchedulingProperties --------------------------
(***************************************************************************)
(* What must hold of scheduling: the properties of                         *)
(* properties/scheduling/, under the same names.                           *)
(*                                                                         *)
(* What an action must not do is said of the state before it: there the    *)
(* action is enabled and would do it.                                      *)
(***************************************************************************)
EXTENDS Scheduling, Room

(* What is asked of a state (view.py). *)

Attempting == {"schedule", "find_nodes", "call_extenders", "choose", "assume", "delete_nominated_pod", "bind",
               "bind_failed", "finish_binding", "forget_pod"}

InHand == IF cycle = None THEN {} ELSE {cycle}

AllGoroutines == InHand \union DOMAIN bindings \union DOMAIN retries

Attempts == {g \in InHand \union DOMAIN bindings : Range(g.steps) \intersect Attempting # {}}

AllDelivered == podWatch = <<>> /\ nodeWatch = <<>> /\ assigned = <<>> /\ unassigned = <<>> /\ handler = <<>>

AtRest ==
    /\ cycle = None /\ DOMAIN bindings = {} /\ DOMAIN retries = {} /\ Runs
    /\ In(queue, "active") = {} /\ In(queue, "backoff") = {}
    /\ AllDelivered

IsBound(current, uid) == IF current = None THEN FALSE ELSE Uid(current) = uid /\ Bound(current)

BoundTo(node) == BoundOn(World, node)

AskedBy(names) == SumOver([name \in names |-> pods[name].cpu], names)

ReallyFree(node) == FreeOn(World, node)

(* <<node, place in its list>> *)
Nominated == UNION {{<<node, i>> : i \in DOMAIN queue.nominations.pods[node]} : node \in DOMAIN queue.nominations.pods}

NominatedPod(n) == queue.nominations.pods[n[1]][n[2]]

-------------------------------------------------------------------------------
(* nominations.py *)

NominatedPodIsPending == Runs => NominatedArePending(World)

NominatedToOneNode == \A n \in Nominated, m \in Nominated : n = m \/ Uid(NominatedPod(n)) # Uid(NominatedPod(m))

NominatedNodeHasAName == NoNode \notin DOMAIN queue.nominations.pods

NominationCanComeTrue ==
    AtRest => \A n \in Nominated :
                  LET pod == NominatedPod(n)
                  IN  n[1] = NoNode \/ ~IsPendingVersion(pods[pod.name], Uid(pod)) \/ CouldCome(World, pod, n[1])

Robbed(node) ==
    \E name \in Pods :
        TakesRoomOf(World, cycle.pod, node, name) /\ \A g \in Attempts : Uid(g.pod) # Uid(pods[name])

PreemptedRoomIsKept == [][InCycle("assume") => \A node \in cycle.candidates : ~Robbed(node)]_vars

-------------------------------------------------------------------------------
(* pods.py *)

PodInOnePlace ==
    \A g \in Attempts :
        g.pod.name \in DOMAIN queue.waiting => Uid(queue.waiting[g.pod.name].pod) # Uid(g.pod)

OneAttemptAtATime ==
    /\ \A g \in Attempts, h \in Attempts : g = h \/ Uid(g.pod) # Uid(h.pod)
    /\ \A g \in Attempts \intersect DOMAIN bindings : bindings[g] = 1

Forgotten(name) ==
    IF lister[name] = None
    THEN FALSE
    ELSE /\ ~Bound(lister[name])
         /\ ~lister[name].terminating
         /\ ~Busy(World, name)
         /\ ~EventsOf(World, name)
         /\ name \notin DOMAIN queue.waiting

PendingPodNotForgotten == Runs => \A name \in Pods : ~Forgotten(name)

SchedulerKeepsRunning == Runs

Records == {"record_failure", "add_nominated_pod"}

NoFailureOfBoundPod ==
    [][Runs => \A g \in InHand \union DOMAIN bindings :
                   Head(g.steps) \in Records => ~IsBound(pods[g.pod.name], Uid(g.pod))]_vars

BoundOnce ==
    [][used.other_binders = 0 => \A g \in Bindings("bind") : ~IsBound(pods[g.pod.name], Uid(g.pod))]_vars

BindsWhatWasDecided ==
    [][\A g \in Bindings("bind") :
           \/ RequestBind(World, g.pod, g.node, BindingHonoursUid).refused
           \/ pods[g.pod.name].inc = g.pod.inc]_vars

AssumedPodNotScheduledAgain ==
    [][InCycle("schedule") => ~IsAssumedPod(cache, cycle.pod) \/ SkipPodScheduleRule(cache, cycle.pod)]_vars

(* Only an event is meant.  Retries and requeues change none of these variables. *)
AssumedPodNotQueued ==
    [][podWatch' # podWatch \/ unassigned' # unassigned \/ handler' # handler \/ used' # used =>
           \A name \in Pods : \/ lister'[name] = None
                             \/ name \in DOMAIN queue.waiting
                             \/ name \notin DOMAIN queue'.waiting
                             \/ ~IsAssumedPod(cache, lister'[name])
                             \/ ~IsAssumedPod(cache', lister'[name])]_vars

(* The next event is the scheduler's own status update of a pod that it is not *)
(* dealing with.                                                               *)
OnlyStatusNext ==
    IF ~Runs \/ podWatch = <<>>
    THEN FALSE
    ELSE LET event == Head(podWatch)
             new   == event.pod
             old   == lister[new.name]
         IN  IF event.kind # "update" \/ old = None
             THEN FALSE
             ELSE /\ Uid(old) = Uid(new)
                  /\ ~Bound(new)
                  /\ \A g \in InHand \union DOMAIN bindings : Uid(g.pod) # Uid(old)
                  /\ ~new.terminating
                  /\ old.cpu = new.cpu
                  /\ old.app = new.app /\ old.note = new.note /\ old.gpu = new.gpu
                  /\ old.kept = new.kept /\ old.terminating = new.terminating
                  /\ old.condition # new.condition \/ old.nominated # new.nominated

OwnStatusUpdateDoesNotRetry ==
    [][OnlyStatusNext => LET name == Head(podWatch).pod.name
                         IN  name \in In(queue, "active") \/ name \notin In(PodDelivered(World).queue, "active")]_vars

-------------------------------------------------------------------------------
(* cache.py *)

Counted(node) ==
    {Uid(pods[name]) : name \in BoundTo(node)}
        \union {Uid(g.pod) : g \in {h \in DOMAIN bindings : /\ h.pod.node = node
                                                            /\ Head(h.steps) = "bind"
                                                            /\ IsPendingVersion(pods[h.pod.name], Uid(h.pod))}}

WithinCapacity ==
    \/ used.other_binders > 0
    \/ used.node_shrinks > 0
    \/ \A node \in DOMAIN nodes : AskedBy({uid[1] : uid \in Counted(node)}) <= nodes[node].room

(* The pod is being bound, or is about to be assumed and bound. *)
Binding(uid) ==
    \/ \E g \in DOMAIN bindings : Uid(g.pod) = uid
    \/ \E g \in InHand : Uid(g.pod) = uid /\ "delete_nominated_pod" \in Range(g.steps)

KnownAt(uid, node) == \E key \in DOMAIN cache.pods : /\ Uid(cache.pods[key].pod) = uid
                                                     /\ cache.pods[key].pod.node = node

CacheSaysWhatApiServerSays ==
    Runs /\ AllDelivered =>
        /\ \A key \in DOMAIN cache.pods :
               LET known == cache.pods[key].pod
               IN  \/ Binding(Uid(known))
                   \/ IsBound(pods[known.name], Uid(known)) /\ pods[known.name].node = known.node
        /\ \A name \in Pods :
               IF pods[name] = None
               THEN TRUE
               ELSE ~Bound(pods[name]) \/ Binding(Uid(pods[name])) \/ KnownAt(Uid(pods[name]), pods[name].node)
        /\ Listed(cache.infos) = DOMAIN nodes

CachedObjectsAreCurrent ==
    Runs /\ AllDelivered =>
        \A name \in Pods :
            IF lister[name] = None
            THEN TRUE
            ELSE IF lister[name].node \notin DOMAIN cache.infos
                 THEN TRUE
                 ELSE LET counted == cache.infos[lister[name].node].pods
                          uid     == Uid(lister[name])
                      IN  uid \in DOMAIN counted =>
                              \A i \in DOMAIN counted[uid] : counted[uid][i].app = lister[name].app

SnapshotEqualsCache ==
    [][snapshot' \notin {snapshot, NoSnapshot} =>
           /\ Listed(snapshot') = Listed(cache'.infos)
           /\ \A node \in Listed(snapshot') : snapshot'[node].pods = cache'.infos[node].pods]_vars

(* A snapshot is a function, and its list are the nodes that are there.  So the   *)
(* map has what SnapshotEqualsCache asks for, and the versions of Nodes.          *)
SnapshotMapEqualsCache ==
    [][snapshot' \notin {snapshot, NoSnapshot} =>
           /\ Listed(snapshot') = Listed(cache'.infos)
           /\ \A node \in Listed(snapshot') : snapshot'[node] = cache'.infos[node]]_vars

-------------------------------------------------------------------------------
(* backoff.py *)

WithoutStatus(pod) == [pod EXCEPT !.condition = FALSE, !.nominated = NoNode]

(* Pods that leave this place for activeQ less than a backoff after their attempt, *)
(* for no reason.                                                                 *)
Hurried(place) ==
    {name \in In(queue, place) :
        /\ queue.waiting[name].at - 1 + Backoff > 0
        /\ name \in In(queue', "active")
        /\ WithoutStatus(queue'.waiting[name].pod) = WithoutStatus(queue.waiting[name].pod)}

LeavesBackoffQueueInTime == [][Clock => Hurried("backoff") = {}]_vars

ComesBack == {"requeue", "add_unschedulable"}

FailedAttemptBacksOff ==
    [][Clock /\ Runs =>
           /\ Hurried("unschedulable") = {}
           /\ \A g \in AllGoroutines :
                  Head(g.steps) \in ComesBack /\ g.pod.name \notin DOMAIN queue.waiting =>
                      g.pod.name \notin In(Ran(World, g, None).w.queue, "active")]_vars

(* The record that the step would add.  Up to 1.20 no record has plugins. *)
RejectedByLastAttempt ==
    [][Runs /\ ComparesEvents =>
           \A g \in InHand \union DOMAIN bindings :
               Head(g.steps) = "requeue" /\ g.pod.name \notin DOMAIN queue.waiting =>
                   \A waiting \in {Ran(World, g, None).w.queue.waiting} :
                       g.pod.name \in DOMAIN waiting => waiting[g.pod.name].plugins = g.rejectedBy]_vars

-------------------------------------------------------------------------------
(* order.py *)

(* Of the pods that Pop leaves in activeQ: from 1.32 on it discards some. *)
PopTakesTheFirst ==
    [][cycle = None /\ cycle' # None =>
           \A other \in In(queue', "active") :
               LET name == cycle'.pod.name
               IN  \/ Priority(name) > Priority(other)
                   \/ /\ Priority(name) = Priority(other)
                      /\ queue.waiting[name].at <= queue.waiting[other].at]_vars

-------------------------------------------------------------------------------
(* progress.py *)

NoEventLost == AtRest => \A name \in In(queue, "unschedulable") : ~Stuck(World, name, DOMAIN nodes)

FittingPodIsNotStarved == \A name \in Pods : []<>Placed(World, name, DOMAIN nodes)

(* A heartbeat of a node.  Of all actions that are not the scheduler's, only heartbeats may *)
(* go on for ever.                                                                          *)
HeartBeats ==
    /\ nodeWatch = <<>>
    /\ nodes' = nodes
    /\ IF nodeWatch' = <<>> THEN FALSE ELSE nodeWatch'[1].kind = "update"

FittingPodIsBound == <>[][~HeartBeats]_vars => FittingPodIsNotStarved

-------------------------------------------------------------------------------
TypeOK ==
    /\ \A name \in Pods : pods[name] # None => pods[name].name = name /\ incarnations[name] >= pods[name].inc
    /\ DOMAIN nodes \subseteq Nodes
    /\ \A name \in DOMAIN queue.waiting : /\ queue.waiting[name].pod.name = name
                                          /\ queue.waiting[name].place \in {"active", "backoff", "unschedulable"}
    /\ KeepsTimes /\ ~Clock => {queue.waiting[name].at : name \in DOMAIN queue.waiting} = 1 .. Cardinality(DOMAIN queue.waiting)
    /\ DOMAIN queue.nominations.pods \subseteq Nodes \union {NoNode}
    /\ \A node \in DOMAIN queue.nominations.pods : queue.nominations.pods[node] # <<>>
    /\ DOMAIN cache.infos \subseteq Nodes
    /\ \A g \in AllGoroutines : g.steps # <<>>
===============================================================================
