-------------------------- MODULE CpuManagerProperties --------------------------
(***************************************************************************)
(* What must hold of cpu-manager: the properties of                        *)
(* properties/cpu_manager/, under the same names.                          *)
(***************************************************************************)
EXTENDS CpuManager

TypeOK ==
    /\ node.offline \subseteq Cpus([node EXCEPT !.offline = {}])
    /\ file.there \in BOOLEAN
    /\ kubelet.phase \in {"up", "down", "failed"}
    /\ Up => file.there
    /\ \A pod \in Pods : /\ pods[pod].phase \in {"absent", "active", "succeeded", "failed", "deleted"}
                         /\ pods[pod].seen \in {"no", "admitting", "yes"}
                         /\ pods[pod].shape \in Shapes \union {NoShape}
                         /\ Len(pods[pod].containers) \in {0, Len(Containers(pods[pod].shape))}
    /\ used.exits <= Exits /\ used.restarts <= Restarts /\ used.crashes <= Crashes

-------------------------------------------------------------------------------
Entries == file.state.entries

Exclusive == Assigned(file.state)

CpusPartitionMachine ==
    Up => /\ file.state.default \intersect Exclusive = {}
          /\ file.state.default \union Exclusive = Cpus(kubelet.startedOn)

ExclusiveSetsDisjoint ==
    \A a \in DOMAIN Entries, b \in DOMAIN Entries :
        \/ a = b
        \/ Entries[a] \intersect Entries[b] = {}
        \/ a[1] = b[1] /\ "i" \in {a[2], b[2]}

(* <<pod, place>> of the running containers that asked for exclusive CPUs. *)
RunningExclusive ==
    UNION {{<<pod, at>> : at \in {i \in DOMAIN pods[pod].containers :
                                     /\ pods[pod].containers[i].state = "running"
                                     /\ Containers(pods[pod].shape)[i] > 0}} : pod \in Pods}

At(place) == Ref(place[1], pods[place[1]].shape, place[2])

RunsOn(place) == pods[place[1]].containers[place[2]].cpus

RunningExclusiveApart ==
    \A a \in RunningExclusive, b \in RunningExclusive :
        \/ a = b
        \/ ~({At(a), At(b)} \subseteq DOMAIN Entries)
        \/ Entries[At(a)] = {}
        \/ Entries[At(b)] = {}
        \/ RunsOn(a) \intersect RunsOn(b) = {}

ReservedNeverExclusive ==
    Up => kubelet.reserved \subseteq file.state.default /\ kubelet.reserved \intersect Exclusive = {}

ExclusiveOnItsSet ==
    Up => \A place \in RunningExclusive : /\ At(place) \in DOMAIN Entries
                                          /\ RunsOn(place) = Entries[At(place)]

Holds(pod) == UNION {Entries[ref] : ref \in {r \in DOMAIN Entries : r[1] = pod}}

HoldsWhatWasCounted ==
    Up => \A pod \in Pods : pods[pod].containers # <<>> =>
              2 * Cardinality(Holds(pod)) <= Request(pods[pod].shape) + 1

AllocatableIsUnreserved ==
    Up => \A reported \in kubelet.manager.allocatable : reported = Cpus(kubelet.startedOn) \ kubelet.reserved

(* A container that runs before and after the step has the same entry. *)
KeepsItsSet(place) ==
    LET containers == pods'[place[1]].containers
    IN  \/ At(place) \notin DOMAIN Entries
        \/ place[2] \notin DOMAIN containers
        \/ containers[place[2]].state # "running"
        \/ /\ At(place) \in DOMAIN file'.state.entries
           /\ file'.state.entries[At(place)] = Entries[At(place)]

ExclusiveSetKept == [][\A place \in RunningExclusive : KeepsItsSet(place)]_vars

(* What ReconcileState would leave, as a predicate of the state before.  TLC does *)
(* not look at a step that changes nothing.                                       *)
Trespasses(done) ==
    LET taken == Assigned(done.file.state)
    IN  \E pod \in Pods : \E at \in DOMAIN done.pods[pod].containers :
            /\ done.pods[pod].containers[at].state = "running"
            /\ Containers(done.pods[pod].shape)[at] = 0
            /\ done.pods[pod].containers[at].cpus \intersect taken # {}

KnowsAll == kubelet.manager.sourcesReady /\ \A pod \in Active : pods[pod].seen = "yes"

SharedOffExclusive == [][Up /\ KnowsAll => \A doing \in Reconciling : ~Trespasses(doing)]_vars

RestartSucceeds ==
    /\ kubelet'.phase = "up"
    /\ ~file.there \/ file'.state = file.state \/ file.state.default = {}

RestartUnchanged == [][StartKubelet /\ node = kubelet.startedOn => RestartSucceeds]_vars

(* Only a refused allocation makes a pod fail. *)
CountedCpusAreGiven ==
    [][\A pod \in Active : Up /\ pods'[pod].phase = "failed" /\ Free >= 0
          => Containers(pods[pod].shape)[pods[pod].admitted + 1] = 0]_vars

(* The container has its CPUs, shares, or asks for no more than there is.         *)
Enough(pod, at) ==
    \/ Containers(pods[pod].shape)[at] = 0
    \/ At(<<pod, at>>) \in DOMAIN Entries
    \/ Containers(pods[pod].shape)[at] <= Cardinality(file.state.default \ kubelet.reserved)

(* Only a refused allocation makes a pod fail. *)
NoNeedlessError ==
    [][\A pod \in Active : Up /\ pods'[pod].phase = "failed" => ~Enough(pod, pods[pod].admitted + 1)]_vars

Gone(pod) == Up /\ pods[pod].phase \in {"succeeded", "failed", "deleted"}

Returned(pod) == Gone(pod) => Holds(pod) = {}

NotedAsPending(pod) == \E noted \in kubelet.manager.pending : noted.pod = pod

ForgottenOrNoted(pod) ==
    \/ NotedAsPending(pod)
    \/ ~Gone(pod)
    \/ \A ref \in kubelet.manager.containerMap : ref[1] # pod

OnlyReconciling == <>[][ReconcileState]_vars

GonePodsReturnCpus == OnlyReconciling => \A pod \in Pods : []<>Returned(pod)

GonePodsAreForgotten == OnlyReconciling => \A pod \in Pods : []<>ForgottenOrNoted(pod)

KubeletComesUp == <>[][StartKubelet]_vars => []<>Up
===============================================================================
