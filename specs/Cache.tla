--------------------------------- MODULE Cache ---------------------------------
(***************************************************************************)
(* The scheduler's cache, and snapshots of it.  Operators without          *)
(* variables.  Function by function the same as model/scheduler/cache/,    *)
(* where no assumed pod expires, and where each snapshot is taken anew.    *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/cache/cache.go, 1.13 to 1.31;                *)
(* pkg/scheduler/backend/cache/cache.go from 1.32 on.  Each operation runs *)
(* under schedulerCache.mu.                                                *)
(*                                                                         *)
(* A cache is a record:                                                    *)
(*   infos   by node: [there, is, pods]                                    *)
(*     there the cache has the Node.  A ghost is not there.                *)
(*     is    the version of the Node; of a ghost a new one                 *)
(*     pods  by uid: the versions of the pod that are counted, the older   *)
(*           first.  Up to 1.23 an update to another uid may count a pod   *)
(*           twice.                                                        *)
(*   pods    podStates, by uid: [pod, assumed]                             *)
(* All nodes are in one zone.  So the node tree has the nodes that are     *)
(* there, and lists each of them once.                                     *)
(* An outcome is [cache, error, crash]; crash is "", fatal or panic.       *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    RemovePodFromNodeRule(_, _),          \* cache, pod |-> outcome
    UpdatePodOnNodeRule(_, _, _),         \* cache, old, new |-> outcome
    ConfirmAssumedPodRule(_, _, _),       \* cache, key, pod |-> outcome
    UpdateAddedPodRule(_, _, _),          \* cache, old, new |-> outcome
    RemoveKnownPodRule(_, _),             \* cache, pod |-> outcome
    RemoveKnownNodeRule(_, _),            \* cache, node |-> cache
    ForgetUnknownPodRule(_),              \* cache that does not know the pod |-> outcome
    TakeSnapshotRule(_)                   \* cache |-> infos

NoInfo == [there |-> FALSE, is |-> NewNode, pods |-> EmptyFunction]

CacheOfNodes(names) == [infos |-> [node \in names |-> [NoInfo EXCEPT !.there = TRUE]], pods |-> EmptyFunction]

Ok(cache) == [cache |-> cache, error |-> FALSE, crash |-> ""]

Failing(cache) == [cache |-> cache, error |-> TRUE, crash |-> ""]

Crashing(cache, how) == [cache |-> cache, error |-> FALSE, crash |-> how]

IsOk(outcome) == ~outcome.error /\ outcome.crash = ""

(* The world after a call of the cache.  A world is a record with the fields      *)
(* cache and crashed.                                                             *)
Called(w, name, outcome) ==
    IF outcome.crash = ""
    THEN [w EXCEPT !.cache = outcome.cache]
    ELSE [w EXCEPT !.crashed = <<name, outcome.crash>>]

RECURSIVE Asked(_)
Asked(list) == IF list = <<>> THEN 0 ELSE Head(list).cpu + Asked(Tail(list))

Requested(info) == SumOver([uid \in DOMAIN info.pods |-> Asked(info.pods[uid])], DOMAIN info.pods)

-------------------------------------------------------------------------------
(* The pods of a NodeInfo. *)

AddPodToNode(cache, pod) ==
    LET info  == IF pod.node \in DOMAIN cache.infos THEN cache.infos[pod.node] ELSE NoInfo
        known == IF Uid(pod) \in DOMAIN info.pods THEN info.pods[Uid(pod)] ELSE <<>>
    IN  [cache EXCEPT !.infos = Extended(@, pod.node, [info EXCEPT !.pods = Extended(@, Uid(pod), Append(known, pod))])]

RemovePodFrom(cache, pod, dropsGhost) ==
    LET info == cache.infos[pod.node]
        uid  == Uid(pod)
    IN  IF uid \notin DOMAIN info.pods
        THEN IF info.there THEN Failing(cache) ELSE Crashing(cache, "panic")
        ELSE LET rest == IF Len(info.pods[uid]) = 1
                         THEN Without(info.pods, uid)
                         ELSE [info.pods EXCEPT ![uid] = Tail(@)]
             IN  Ok([cache EXCEPT !.infos = IF dropsGhost /\ ~info.there /\ DOMAIN rest = {}
                                            THEN Without(@, pod.node)
                                            ELSE [@ EXCEPT ![pod.node].pods = rest]])

(* 1.18.9, 1.19.0 *)
RemovePodDroppingGhost(cache, pod) ==
    IF pod.node \notin DOMAIN cache.infos THEN Ok(cache) ELSE RemovePodFrom(cache, pod, TRUE)

(* 1.18.0 *)
RemovePodKeepingPlaceholder(cache, pod) ==
    IF pod.node \notin DOMAIN cache.infos THEN Ok(cache) ELSE RemovePodFrom(cache, pod, FALSE)

(* 1.14 to 1.17 *)
RemovePodOfKnownNode(cache, pod) ==
    IF pod.node \notin DOMAIN cache.infos THEN Failing(cache) ELSE RemovePodFrom(cache, pod, TRUE)

(* 1.13 *)
RemovePodOfUncheckedNode(cache, pod) ==
    IF pod.node \notin DOMAIN cache.infos THEN Crashing(cache, "panic") ELSE RemovePodFrom(cache, pod, TRUE)

UpdatePodOnAnyNode(cache, old, pod) ==
    LET Then(outcome) == IF IsOk(outcome) THEN Ok(AddPodToNode(outcome.cache, pod)) ELSE outcome
    IN  WithValue(RemovePodFromNodeRule(cache, old), Then)

(* 1.18.2 to 1.18.8, 1.19.0-rc.1 *)
UpdatePodOnKnownNode(cache, old, pod) ==
    IF pod.node \notin DOMAIN cache.infos THEN Ok(cache) ELSE UpdatePodOnAnyNode(cache, old, pod)

-------------------------------------------------------------------------------
(* podStates. *)

WithState(cache, key, pod, assumed) ==
    [cache EXCEPT !.pods = Extended(@, key, [pod |-> pod, assumed |-> assumed])]

IsAssumedPod(cache, pod) == IF Uid(pod) \in DOMAIN cache.pods THEN cache.pods[Uid(pod)].assumed ELSE FALSE

ForgetPodState(cache, key, pod) ==
    LET Then(outcome) == IF IsOk(outcome) THEN Ok([outcome.cache EXCEPT !.pods = Without(@, key)])
                                          ELSE [outcome EXCEPT !.cache = cache]
    IN  WithValue(RemovePodFromNodeRule(cache, pod), Then)

AssumePod(cache, pod) ==
    IF Uid(pod) \in DOMAIN cache.pods
    THEN Failing(cache)
    ELSE Ok(WithState(AddPodToNode(cache, pod), Uid(pod), pod, TRUE))

UnknownPodIsAnError(cache) == Failing(cache)

(* 1.35 *)
UnknownPodIsForgotten(cache) == Ok(cache)

ForgetPod(cache, pod) ==
    IF Uid(pod) \notin DOMAIN cache.pods
    THEN ForgetUnknownPodRule(cache)
    ELSE LET state == cache.pods[Uid(pod)]
         IN  IF state.pod.node # pod.node \/ ~state.assumed
             THEN Failing(cache)
             ELSE ForgetPodState(cache, Uid(pod), pod)

(* AddPod of an assumed pod, up to 1.23: the NodeInfo keeps the assumed object. *)
ConfirmKeepingObject(cache, key, pod) ==
    LET Then(outcome) == IF outcome.crash # ""
                         THEN outcome
                         ELSE Ok(WithState(AddPodToNode(outcome.cache, pod), key, pod, FALSE))
    IN  IF cache.pods[key].pod.node = pod.node
        THEN Ok(WithState(cache, key, pod, FALSE))
        ELSE WithValue(RemovePodFromNodeRule(cache, cache.pods[key].pod), Then)

(* updatePod from 1.24 on: each podState has its own key. *)
ReplacePod(cache, old, pod) ==
    LET Then(outcome) ==
            IF IsOk(outcome)
            THEN LET rest    == [outcome.cache EXCEPT !.pods = Without(@, Uid(old))]
                     assumed == IF Uid(pod) \in DOMAIN rest.pods THEN rest.pods[Uid(pod)].assumed ELSE FALSE
                 IN  Ok(WithState(rest, Uid(pod), pod, assumed))
            ELSE [outcome EXCEPT !.cache = cache]
    IN  WithValue(UpdatePodOnNodeRule(cache, old, pod), Then)

(* 1.26 *)
ConfirmByUpdate(cache, key, pod) ==
    LET Then(outcome) == IF outcome.crash # "" THEN outcome ELSE Ok(outcome.cache)
    IN  WithValue(ReplacePod(cache, cache.pods[key].pod, pod), Then)

(* 1.24 and 1.25 *)
ConfirmUpdatingOtherNode(cache, key, pod) ==
    IF cache.pods[key].pod.node = pod.node
    THEN Ok(WithState(cache, key, pod, FALSE))
    ELSE ConfirmByUpdate(cache, key, pod)

AddPod(cache, pod) ==
    IF Uid(pod) \notin DOMAIN cache.pods
    THEN Ok(WithState(AddPodToNode(cache, pod), Uid(pod), pod, FALSE))
    ELSE IF cache.pods[Uid(pod)].assumed THEN ConfirmAssumedPodRule(cache, Uid(pod), pod) ELSE Failing(cache)

IsAdded(cache, uid) == IF uid \in DOMAIN cache.pods THEN ~cache.pods[uid].assumed ELSE FALSE

(* UpdatePod up to 1.23 *)
UpdateKeepingKey(cache, old, pod) ==
    LET Then(outcome) == IF IsOk(outcome) THEN Ok(WithState(outcome.cache, Uid(old), pod, FALSE))
                                          ELSE [outcome EXCEPT !.cache = cache]
    IN  IF ~IsAdded(cache, Uid(old))
        THEN Failing(cache)
        ELSE IF cache.pods[Uid(old)].pod.node # pod.node
             THEN Crashing(cache, "fatal")
             ELSE WithValue(UpdatePodOnNodeRule(cache, old, pod), Then)

(* 1.24 *)
UpdateByReplacement(cache, old, pod) ==
    IF ~IsAdded(cache, Uid(old))
    THEN Failing(cache)
    ELSE IF cache.pods[Uid(old)].pod.node # pod.node THEN Crashing(cache, "fatal") ELSE ReplacePod(cache, old, pod)

(* RemovePod up to 1.22 *)
RemoveUnlessAssumed(cache, pod) ==
    IF ~IsAdded(cache, Uid(pod))
    THEN Failing(cache)
    ELSE LET known == cache.pods[Uid(pod)].pod
         IN  IF known.node # pod.node THEN Crashing(cache, "fatal") ELSE ForgetPodState(cache, Uid(pod), known)

(* 1.23 *)
RemoveEvenAssumed(cache, pod) ==
    IF Uid(pod) \notin DOMAIN cache.pods
    THEN Failing(cache)
    ELSE LET known == cache.pods[Uid(pod)].pod
         IN  IF pod.node \notin {NoNode, known.node}
             THEN Crashing(cache, "fatal")
             ELSE ForgetPodState(cache, Uid(pod), known)

-------------------------------------------------------------------------------
(* Nodes.  The handler tells of each node in turn.  So no known node is added,  *)
(* and no unknown node is removed.                                              *)

AddNode(cache, node, is) ==
    LET info == IF node \in DOMAIN cache.infos THEN cache.infos[node] ELSE NoInfo
    IN  [cache EXCEPT !.infos = Extended(@, node, [info EXCEPT !.there = TRUE, !.is = is])]

UpdateNode(cache, node, is) == AddNode(cache, node, is)

RemoveNodeKeepingGhost(cache, node) ==
    [cache EXCEPT !.infos = IF DOMAIN @[node].pods = {}
                            THEN Without(@, node)
                            ELSE [@ EXCEPT ![node].there = FALSE, ![node].is = NewNode]]

(* 1.18.0 to 1.18.8, 1.19.0-rc.1 *)
RemoveNodeWithItsPods(cache, node) == [cache EXCEPT !.infos = Without(@, node)]

-------------------------------------------------------------------------------
(* Snapshots.  A snapshot is infos, as in the cache. *)

NoSnapshot == EmptyFunction

Listed(infos) == {node \in DOMAIN infos : infos[node].there}

SnapshotOfNodes(cache) == [node \in Listed(cache.infos) |-> cache.infos[node]]

(* 1.13: the ghosts, too *)
SnapshotOfAllInfos(cache) == cache.infos
===============================================================================
