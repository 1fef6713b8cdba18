----------------------- MODULE SchedulingCycleProperties -----------------------
(***************************************************************************)
(* What must hold of scheduling-cycle: the properties of                   *)
(* properties/scheduling_cycle/, under the same names.                     *)
(*                                                                         *)
(* What an action must not do is said of the state before it: there the    *)
(* action is enabled and would do it.                                      *)
(***************************************************************************)
EXTENDS SchedulingCycle, Room

(* What is asked of a state (view.py). *)

Attempting ==
    {"schedule", "find_nodes", "call_extenders", "choose", "assume", "delete_nominated_pod", "bind", "bind_failed",
     "finish_binding", "forget_pod", "reserve", "permit", "add_waiting_pod", "start_binding", "listen",
     "wait_on_permit", "pre_bind"}

Placing == (IF cycle = None THEN {} ELSE {cycle}) \union DOMAIN bindings

HasOneOf(g, steps) == Range(g.steps) \intersect steps # {}

Attempts == {g \in Placing : HasOneOf(g, Attempting)}

IsPending(uid) == IF pods[uid[1]] = None THEN FALSE ELSE Uid(pods[uid[1]]) = uid /\ ~Bound(pods[uid[1]])

IsBound(uid) == IF pods[uid[1]] = None THEN FALSE ELSE Uid(pods[uid[1]]) = uid /\ Bound(pods[uid[1]])

(* An attempt to place this pod on this node has one of the steps to come. *)
GoesOn(uid, node, steps) == \E g \in Placing : Uid(g.pod) = uid /\ g.host = node /\ HasOneOf(g, steps)

-------------------------------------------------------------------------------
(* owners.py *)

IsHeldForAnAttempt(held) == GoesOn(held.uid, held.node, {"start_binding", "bind", "unreserve"})

ReservationHasAnOwner ==
    Runs => \A held \in reservations : held.plugin = 0 \/ IsHeldForAnAttempt(held)

AssumedVolumesHaveAnOwner ==
    Runs => \A held \in reservations : held.plugin # 0 \/ IsHeldForAnAttempt(held)

AssumedPodHasAnOwner ==
    Runs => \A key \in DOMAIN cache.pods :
                LET known == cache.pods[key].pod
                IN  cache.pods[key].assumed /\ IsPending(Uid(known)) =>
                        GoesOn(Uid(known), known.node,
                               {"start_binding", "bind", "bind_failed", "finish_binding", "forget_pod"})

WaitingPodHasAWaiter ==
    Runs => \A uid \in DOMAIN waitingPods :
                \E g \in Placing : Uid(g.pod) = uid /\ HasOneOf(g, {"wait_on_permit", "start_binding"})

BoundThere(g) == IsBound(Uid(g.pod)) /\ pods[g.pod.name].node = g.host

ReservationIsKept ==
    Runs => \A g \in Placing :
                HasOneOf(g, {"bind", "start_binding"}) /\ ~BoundThere(g) =>
                    \A plugin \in 1 .. g.reserved : [plugin |-> plugin, uid |-> Uid(g.pod), node |-> g.host] \in reservations

-------------------------------------------------------------------------------
(* permit.py *)

DecisionOfPermitArrives ==
    Runs => \A uid \in DOMAIN waitingPods :
                waitingPods[uid].listening /\ waitingPods[uid].decided # "" => waitingPods[uid].signal # ""

IsAlive(uid) == IF pods[uid[1]] = None THEN FALSE ELSE Uid(pods[uid[1]]) = uid

(* Something about the pod is under way to a handler, or a handler goes on with something. *)
IsToBeHeard(name) == EventsOf(World, name) \/ \E handling \in {"assigned", "unassigned"} : calls[handling] # <<>>

GonePodDoesNotWait ==
    Runs => \A uid \in DOMAIN waitingPods :
                waitingPods[uid].decided # "" \/ IsAlive(uid) \/ IsToBeHeard(uid[1])

AllPluginsAllow ==
    [][\A g \in Told : LET waiting == waitingPods[Uid(g.pod)]
                       IN  waiting.signal = "allowed" => waiting.decided = "allowed"]_vars

WaitsFor(name) == \E uid \in DOMAIN waitingPods : uid[1] = name

(* A group may wait with reason as long as nothing is decided and some pod is not *)
(* there.                                                                         *)
WaitsWithReason(name) ==
    /\ WaitsFor(name)
    /\ \E other \in Pods : pods[other] = None
    /\ \A uid \in DOMAIN waitingPods : uid[1] = name => waitingPods[uid].decided = ""

DoesNotWait(name) == ~WaitsFor(name) \/ WaitsWithReason(name)

(* Of all actions that are not the scheduler's, only heartbeats of nodes may go on for ever. *)
HeartBeats ==
    /\ nodeWatch = <<>>
    /\ nodes' = nodes
    /\ IF nodeWatch' = <<>> THEN FALSE ELSE nodeWatch'[1].kind = "update"

WaitAtPermitEnds == <>[][~HeartBeats]_vars => \A name \in Pods : []<>DoesNotWait(name)

-------------------------------------------------------------------------------
(* Those of scheduling. *)

OneAttemptAtATime ==
    /\ \A g \in Attempts, h \in Attempts : g = h \/ Uid(g.pod) # Uid(h.pod)
    /\ \A g \in Attempts \intersect DOMAIN bindings : bindings[g] = 1

SchedulerKeepsRunning == Runs

(* The goroutines that post a Binding, or have an extender post one. *)
Binders == Bindings("bind") \union Bindings("bind_by_extender")

BoundOnce == [][used.other_binders = 0 => \A g \in Binders : ~IsBound(Uid(g.pod))]_vars

BindsWhatWasDecided ==
    [][\A g \in Binders :
           \/ RequestBind(World, g.pod, g.node, BindingHonoursUid).refused
           \/ pods[g.pod.name].inc = g.pod.inc]_vars

AssumedPodNotScheduledAgain ==
    [][InCycle("schedule") =>
           \/ ~IsAssumedPod(cache, cycle.pod)
           \/ SkipPodScheduleRule(cache, cycle.pod)
           \/ ~IsScheduledRule(cycle.pod)]_vars

(* The steps with which the actions begin that make a FailedScheduling event. *)
Recording ==
    {"record_failure", IF "add_nominated_pod" \in PartOf("patch_failure") THEN "add_nominated_pod" ELSE "patch_failure"}

NoFailureOfBoundPod ==
    [][Runs => \A g \in Placing : Head(g.steps) \in Recording => ~IsBound(Uid(g.pod))]_vars

(* Bound, or about to be bound. *)
Counted(node) ==
    BoundOn(World, node)
        \union {g.pod.name : g \in {h \in DOMAIN bindings : /\ h.pod.node = node
                                                            /\ Head(h.steps) \in {"bind", "bind_by_extender"}
                                                            /\ IsPending(Uid(h.pod))}}

WithinCapacity ==
    \/ used.other_binders > 0
    \/ used.node_shrinks > 0
    \/ \A node \in DOMAIN nodes : SumOver([name \in Counted(node) |-> pods[name].cpu], Counted(node)) <= nodes[node].room

-------------------------------------------------------------------------------
(* progress.py *)

(* As many pods may wait, though they fit, as attempts were ended by a plugin or its time. *)
Refusals == used.failures + used.timeouts

MayGo == IF NamedNodes = {} THEN DOMAIN nodes ELSE NamedNodes \intersect DOMAIN nodes

AtRest ==
    /\ cycle = None /\ DOMAIN bindings = {} /\ DOMAIN retries = {} /\ Runs
    /\ In(queue, "active") = {} /\ In(queue, "backoff") = {}
    /\ podWatch = <<>> /\ nodeWatch = <<>> /\ assigned = <<>> /\ unassigned = <<>> /\ handler = <<>> /\ calls = NoCalls

RoomIsOffered ==
    AtRest => Cardinality({name \in In(queue, "unschedulable") : Stuck(World, name, MayGo)}) <= Refusals

(* A pod of a group may wait for the others of the group, whatever room there is. *)
NoEventLost == [][Groups = {} => RoomIsOffered']_vars

Fits(name) == IF pods[name] = None THEN FALSE ELSE \E node \in MayGo : HasRoom(World, node, pods[name], 0)

PlacedOrRefused(name) ==
    \/ Placed(World, name, MayGo)
    \/ WaitsWithReason(name)
    \/ /\ name \in In(queue, "unschedulable")
       /\ Cardinality({other \in In(queue, "unschedulable") : Fits(other)}) <= Refusals

FittingPodIsBound == <>[][~HeartBeats]_vars => \A name \in Pods : []<>PlacedOrRefused(name)

-------------------------------------------------------------------------------
(* binders.py *)

InterestedExtenderIsAskedToBind ==
    [][BinderExtenders > 0 =>
           \A g \in Bindings("bind") :
               BindersAsked(g.pod.name) >= InterestedBinders(BinderExtenders, g.pod.name \notin UnmanagedPods)]_vars

(* An extender was asked to bind the pod earlier in the same attempt. *)
AskedBefore(g) == Cardinality({i \in DOMAIN g.steps : g.steps[i] = "bind_by_extender"}) < BindersAsked(g.pod.name)

OneBinderBinds == [][BinderExtenders > 0 => \A g \in Binders : ~(AskedBefore(g) /\ BoundThere(g))]_vars

-------------------------------------------------------------------------------
(* search.py *)

(* Of the nodes that the snapshot has; "schedule" takes the snapshot of the cache. *)
SearchedNodes == Listed(IF InCycle("find_nodes") THEN snapshot ELSE cache.infos)

LeftOut ==
    LET answer == NamedNodesRule(NamedNodes, SearchedNodes)
    IN  IF answer.error THEN {} ELSE (NamedNodes \intersect SearchedNodes) \ answer.asked

NamedNodesAreTried ==
    [][(InCycle("schedule") /\ ~Fine) \/ InCycle("find_nodes") => NamesFor(cycle.pod.name) = {} \/ LeftOut = {}]_vars

(* searching.py.  What the search of the goroutine has come to; then is the      *)
(* goroutine after the action, or None.                                          *)

AsksTwice(list) == Cardinality(Range(list)) < Len(list)

IsOverAll(then) ==
    /\ ~then.search.alone
    /\ ~then.search.stopped
    /\ Head(then.steps) # "find_nodes"
    /\ NamesFor(then.pod.name) = {}

HasAskedOnce(then) ==
    IF then = None
    THEN TRUE
    ELSE IF then.search = None
    THEN TRUE
    ELSE ~AsksTwice(then.search.examined) /\ (IsOverAll(then) => SearchedNodes \subseteq Range(then.search.examined))

SearchAsksEachNodeOnce == [][InCycle("schedule") \/ InCycle("find_nodes") => HasAskedOnce(cycle')]_vars

HasAskedIts(then) ==
    IF then = None
    THEN TRUE
    ELSE IF then.search = None THEN TRUE ELSE Range(then.search.examined) \subseteq SearchedNodes

SearchKeepsToItsSnapshot == [][InCycle("schedule") \/ InCycle("find_nodes") => HasAskedIts(cycle')]_vars

(* The search that examines a node at the latest, counted from any search on. *)
LatestSearch(number) == LET rounds == (number - 1 + Quota - 1) \div Quota IN IF rounds > 1 THEN rounds ELSE 1

IsForgotten(known) == \E i \in DOMAIN known.passedOver : known.passedOver[i] >= LatestSearch(Len(known.nodes))

NodeIsExaminedInTurn == [][Quota > 0 => ~IsForgotten(searches')]_vars

-------------------------------------------------------------------------------
(* node_repair.py *)

NodeInUseIsNotRemoved ==
    [][\A g \in Bindings("remove_missing_node") :
           \/ g.host \notin DOMAIN nodes
           \/ g.host \notin Listed(cache.infos)
           \/ \E i \in DOMAIN nodeWatch : nodeWatch[i].node = g.host]_vars

-------------------------------------------------------------------------------
(* preemption.py *)

NextIs(steps) == \E step \in steps : InCycle(step)

Deciding == {"preempt", "post_filter"}

(* What the next action of the cycle comes to: the victims that have to go in it,  *)
(* the world afterwards, and whether every request is answered.                   *)
Evictions ==
    LET Then(after, victims, isAnswered) ==
            [w |-> after.w, victims |-> IF "delete_victims" \in Range(after.g.steps) THEN {} ELSE Range(victims),
             isAnswered |-> isAnswered]
    IN  CASE NextIs(Deciding) ->
                 {Then(Acts(World, cycle, each), each.victims, TRUE) : each \in Decisions(World, cycle)}
          [] InCycle("delete_victims") -> {Then(Acts(World, cycle, uid), cycle.victims, uid = None) : uid \in Unanswered}
          [] OTHER -> {}

AnsweredEvictions == {done \in Evictions : done.isAnswered}

IsThere(w, uid) ==
    LET pod == w.pods[uid[1]] IN IF pod = None THEN FALSE ELSE Uid(pod) = uid /\ ~pod.terminating

(* The pods that the action deletes. *)
GoneBy(done) ==
    LET there == {Uid(pods[name]) : name \in {each \in Pods : pods[each] # None}}
    IN  {uid \in there : IsThere(World, uid) /\ ~IsThere(done.w, uid)}

WaitingVictimGoes ==
    [][\A done \in AnsweredEvictions :
           \A uid \in done.victims \intersect DOMAIN done.w.waitingPods :
               IsThere(done.w, uid) => done.w.waitingPods[uid].signal # "allowed"]_vars

OnlyVictimsGo ==
    [][\A done \in Evictions :
           \A uid \in GoneBy(done) : uid \in done.victims /\ Priority(uid[1]) < Priority(cycle.pod.name)]_vars

(* The pod of the cycle is bound, or goes, as far as the scheduler may know. *)
WantsNoNode ==
    LET current == pods[cycle.pod.name]
        known   == lister[cycle.pod.name]
        isGone  == IF current = None THEN TRUE ELSE current.inc # cycle.pod.inc \/ current.terminating
    IN  IsBound(Uid(cycle.pod)) \/ (isGone /\ (IF known = None THEN TRUE ELSE known.terminating))

PreemptsForPendingPod ==
    [][NextIs(Deciding) =>
           \A decision \in Decisions(World, cycle) :
               (\E uid \in Range(decision.victims) : IsThere(World, uid)) => ~WantsNoNode]_vars

(* Earlier victims of the pod that still terminate where the pod is nominated, as *)
(* the scheduler knows itself.                                                    *)
Outstanding ==
    LET IsOwn(pod) == pod.name = cycle.pod.name
        IsNominatedTo(node) == Places(PodsForNode(queue.nominations, node), IsOwn) # {}
        IsKnownToGo(each) ==
            IF each.node \in Listed(snapshot) /\ each.victim \in DOMAIN snapshot[each.node].pods
            THEN /\ ~snapshot[each.node].is.cordoned
                 /\ \E i \in DOMAIN snapshot[each.node].pods[each.victim] :
                        snapshot[each.node].pods[each.victim][i].terminating
            ELSE FALSE
    IN  {each \in evictions : each.preemptor = Uid(cycle.pod) /\ IsNominatedTo(each.node) /\ IsKnownToGo(each)}

WaitsForItsVictims ==
    [][\A done \in AnsweredEvictions : GoneBy(done) \intersect done.victims # {} => Outstanding = {}]_vars

OneDeletePerVictim ==
    [][\A done \in AnsweredEvictions : \A each \in Outstanding : each.victim \notin done.victims]_vars

IsAgainstExtender(decision) ==
    /\ decision.node # NoNode
    /\ decision.said = <<"refuses", decision.node>> \/ (decision.said = <<"no answer">> /\ ~Ignorable)

ExtendersAgree ==
    [][NextIs(Deciding) => \A decision \in Decisions(World, cycle) : ~IsAgainstExtender(decision)]_vars

(* Of pods that no attempt tries to place. *)
Robbed(pod, node) ==
    \E name \in Pods : TakesRoomOf(World, pod, node, name) /\ \A g \in Attempts : Uid(g.pod) # Uid(pods[name])

(* Up to 1.18 volumes and Reserve come before the pod is assumed. *)
IsPlaced == ~IsAssumedPod(cache, cycle.pod) /\ IsAssumedPod(cache', cycle.pod)

PreemptedRoomIsKept ==
    [][NextIs({"assume", "assume_volumes", "reserve"}) =>
           (IsPlaced => ~Robbed(cycle.pod, cache'.pods[Uid(cycle.pod)].pod.node))]_vars

(* By the documented criteria in their order: violations of the budget, the highest *)
(* priority, the sum, the number.  Pods are as in Lower.                           *)
Harm(going, violations) ==
    LET priorities == {Priority(v[1][1]) : v \in going}
    IN  <<violations,
          IF going = {} THEN -1 ELSE CHOOSE p \in priorities : \A q \in priorities : q <= p,
          SumOver([v \in going |-> 1000 + Priority(v[1][1])], going),
          Cardinality(going)>>

IsLess(harm, other) == \E i \in DOMAIN harm : harm[i] < other[i] /\ \A j \in 1 .. i - 1 : harm[j] = other[j]

(* How many disruptions of these pods the budget does not allow. *)
Excess(going) ==
    LET protected == Cardinality({v \in going : v[1][1] \in ProtectedPods})
    IN  IF protected > disruptionsAllowed THEN protected - disruptionsAllowed ELSE 0

(* The sets of pods of lower priority that make room on the node, and of which    *)
(* none could stay.                                                               *)
WaysToMakeRoom(node) ==
    LET info  == snapshot[node]
        short == cycle.pod.cpu + Competing(queue, node, cycle.pod) - Free(info)
        IsEnough(going) == SumOver([v \in going |-> info.pods[v[1]][v[2]].cpu], going) >= short
    IN  IF ~Tolerates(info.is, node, cycle.pod) \/ KeptOut(cycle.pod.name, node)
        THEN {}
        ELSE {going \in SUBSET Lower(info, cycle.pod) : IsEnough(going) /\ \A v \in going : ~IsEnough(going \ {v})}

(* Every way to make room on the node harms less, though all pods that may go     *)
(* count against the budget.                                                      *)
HarmsLess(node, decision) ==
    LET ways == WaysToMakeRoom(node)
        most == Excess(Lower(snapshot[node], cycle.pod))
        goes == {v \in UNION {{<<uid, i>> : i \in DOMAIN snapshot[decision.node].pods[uid]} :
                                   uid \in DOMAIN snapshot[decision.node].pods} : v[1] \in Range(decision.victims)}
    IN  /\ ways # {}
        /\ {} \notin ways
        /\ \A way \in ways : IsLess(Harm(way, most), Harm(goes, Excess(goes)))

(* An extender may refuse the node that harms least. *)
NodeHarmsLeast ==
    [][NextIs(Deciding) /\ PreemptExtender = 0 =>
           \A decision \in Decisions(World, cycle) :
               \/ decision.node = NoNode
               \/ \A node \in Listed(snapshot) \ {decision.node} : ~HarmsLess(node, decision)]_vars

-------------------------------------------------------------------------------
(* nominations.py *)

(* A handler that has calls left may be about to tell of any pod. *)
NominatedPodIsPending ==
    Runs /\ calls.assigned = <<>> /\ calls.unassigned = <<>> => NominatedArePending(World)

NodesOfNominations(uid) ==
    {node \in DOMAIN queue.nominations.pods \ {NoNode} :
         \E pod \in Range(queue.nominations.pods[node]) : Uid(pod) = uid}

(* Nobody tries the pod, it is nominated, and waits for no victim that terminates. *)
IsNominatedInVain(name) ==
    IF pods[name] = None
    THEN FALSE
    ELSE LET uid == Uid(pods[name])
         IN  /\ ~Bound(pods[name])
             /\ ~pods[name].terminating
             /\ name \in In(queue, "unschedulable")
             /\ NodesOfNominations(uid) # {}
             /\ \A each \in evictions : each.preemptor # uid \/ each.node \notin NodesOfNominations(uid)

NominatedPodIsTried == <>[][~HeartBeats]_vars => \A name \in Pods : []<>~IsNominatedInVain(name)

(* A pod that is nominated to NoNode keeps no room. *)
NominationCanComeTrue ==
    AtRest => \A node \in DOMAIN queue.nominations.pods \ {NoNode} :
                  \A pod \in Range(queue.nominations.pods[node]) :
                      ~IsPending(Uid(pod)) \/ CouldCome(World, pod, node)

-------------------------------------------------------------------------------
(* profiles.py *)

QueuedPodIsOwn == \A name \in DOMAIN queue.waiting : ~IsOfOthers(queue.waiting[name].pod)

NominatedPodIsOwn ==
    \A node \in DOMAIN queue.nominations.pods \ {NoNode} :
        \A pod \in Range(queue.nominations.pods[node]) : ~IsOfOthers(pod)

BoundPodIsOwn == [][\A g \in Binders : ~IsOfOthers(g.pod)]_vars

-------------------------------------------------------------------------------
(* cycle_state.py *)

(* In 1.14 a plugin writes at Reserve, and only PreBind comes later. *)
Reading ==
    IF SharesCycleStateRule
    THEN IF Reserves > 0 THEN {"pre_bind"} ELSE {}
    ELSE {"reserve", "permit", "pre_bind", "unreserve", "bind"}

CycleStateIsOfOneCycle ==
    [][CycleStates /\ Runs =>
           \A g \in Placing :
               Head(g.steps) \in Reading => (IF SharesCycleStateRule THEN pluginContext ELSE g.cycleState) = Uid(g.pod)]_vars

-------------------------------------------------------------------------------
TypeOK ==
    /\ \A name \in Pods : pods[name] # None => pods[name].name = name /\ incarnations[name] >= pods[name].inc
    /\ DOMAIN nodes \subseteq Nodes
    /\ \A name \in DOMAIN queue.waiting : /\ queue.waiting[name].pod.name = name
                                          /\ queue.waiting[name].place \in {"active", "backoff", "unschedulable"}
    /\ DOMAIN cache.infos \subseteq Nodes
    /\ \A held \in reservations : held.plugin \in (IF Volumes THEN 0 ELSE 1) .. Reserves /\ held.node \in Nodes
    /\ \A uid \in DOMAIN waitingPods : /\ waitingPods[uid].pending \in 0 .. Permits
                                       /\ waitingPods[uid].signal \in {"", "allowed", "rejected", "preempted"}
                                       /\ waitingPods[uid].decided \in {"", "allowed", "rejected", "preempted"}
    /\ \A g \in Placing \union DOMAIN retries : g.steps # <<>>
===============================================================================
