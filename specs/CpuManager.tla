------------------------------ MODULE CpuManager ------------------------------
(***************************************************************************)
(* cpu-manager: pods come and go while the kubelet reconciles, restarts    *)
(* and crashes, and its machine changes.  The same states, steps and names *)
(* as model/systems/cpu_manager, and so the same counts.                   *)
(*                                                                         *)
(* Go: pkg/kubelet/cm/cpumanager/cpu_manager.go, releases 1.18 to 1.31.    *)
(*                                                                         *)
(* One action is one operation of the manager, most of them one hold of    *)
(* manager.Lock; model/cpu/manager.py and reconcile.py say where Go holds  *)
(* it twice.  Each change of the state writes the checkpoint, and a crash  *)
(* may come between two writes.                                            *)
(*                                                                         *)
(* Left out: releases before 1.18, which know containers by id; sidecars;  *)
(* full-pcpus-only; a policy that changes; CPUs numbered in any way; the   *)
(* words of errors.                                                        *)
(***************************************************************************)
EXTENDS CpuPolicy

CONSTANTS
    Pods,          \* pod names
    Cores,         \* the machine's cores at first
    Reserved,      \* how many CPUs are reserved at first
    MaxContainers, \* a pod's containers, at most
    MaxSize,       \* CPUs that a container asks for, at most
    InitContainers, Jobs, Removals, \* switches of the scope, as in scope.py
    Exits, Restarts, Crashes, Hotplug, Offline, Rereserve, Wipes, \* its numbers
    \* The rules of a release.  Those of CpuPolicy have its records; those of the
    \* manager take an effect, which is described below, and return the next one.
    AllocateRule(_, _, _, _, _, _),     \* policy, state, reuse, pod, shape, place |-> change
    RemoveContainerRule(_, _),          \* state, container |-> states stored
    ValidateStateRule(_, _),            \* policy, state |-> [ok, state, stores]
    AllocatableCPUsRule(_, _),          \* policy, state |-> {CPUs}, {} if not reported
    ActivePodsRule(_),                  \* pods |-> set of pods
    StaleRule(_, _, _),                 \* manager, state, active |-> set of containers
    ManagerAllocateRule(_, _, _, _),    \* effect, policy, pods, pod |-> effect
    ManagerAddContainerRule(_, _),      \* effect, container |-> effect
    PostStopContainerRule(_, _),        \* effect, container |-> effect
    ReconcileStateRule(_, _)            \* effect, pods |-> set of effects

VARIABLES
    node,    \* the machine and its configuration, a record as in CpuPolicy
    file,    \* [there, state]: the state file; while the kubelet is up, its memory
    kubelet, \* [phase, manager, startedOn, reserved]: up, down or failed
    pods,    \* by name: [phase, shape, seen, admitted, containers]
    used     \* [exits, restarts, crashes]: how often each power was used

vars == <<node, file, kubelet, pods, used>>

-------------------------------------------------------------------------------
(* Pods.  A container: its state, and the CPUs that its cgroup confines it to. *)

NoShape == [init |-> <<>>, app |-> <<>>]

NoPod(phase) == [phase |-> phase, shape |-> NoShape, seen |-> "no", admitted |-> 0, containers |-> <<>>]

Waiting == [state |-> "waiting", cpus |-> {}]

Sizes == 0 .. MaxSize

SizesOf(length) == [1 .. length -> Sizes]

RECURSIVE Sum(_)
Sum(seq) == IF seq = <<>> THEN 0 ELSE Head(seq) + Sum(Tail(seq))

(* What the scheduler counts, in halves of a CPU. *)
Halves(size) == IF size = 0 THEN 1 ELSE 2 * size

Request(shape) ==
    LET apps == Sum([at \in DOMAIN shape.app |-> Halves(shape.app[at])])
        all  == {apps} \union {Halves(shape.init[at]) : at \in DOMAIN shape.init}
    IN  CHOOSE n \in all : \A m \in all : n >= m

(* Every shape that an empty machine has room for. *)
Shapes ==
    LET inits == IF InitContainers THEN 0 .. MaxContainers - 1 ELSE {0}
        kinds == {k \in inits \X (1 .. MaxContainers) : k[1] + k[2] <= MaxContainers}
        all   == UNION {{[init |-> i, app |-> a] : i \in SizesOf(k[1]), a \in SizesOf(k[2])} : k \in kinds}
    IN  {shape \in all : Request(shape) <= 2 * (Cores * Threads - Reserved)}

RECURSIVE SumOfRequests(_)
SumOfRequests(set) ==
    IF set = {}
    THEN 0
    ELSE LET pod == CHOOSE p \in set : TRUE
         IN  Request(pods[pod].shape) + SumOfRequests(set \ {pod})

Active == {pod \in Pods : pods[pod].phase = "active"}

Counted == SumOfRequests(Active)

(* What is left of the CPUs that the kubelet last reported, in halves. *)
Free == 2 * (Cardinality(Cpus(kubelet.startedOn)) - kubelet.startedOn.reserved) - Counted

(* The containers of a pod that are in one of the states, in their order. *)
RefsIn(ps, pod, states) ==
    LET listed == [at \in DOMAIN ps[pod].containers |->
                      [ref |-> Ref(pod, ps[pod].shape, at), state |-> ps[pod].containers[at].state]]
        Wanted(each) == each.state \in states
    IN  SelectSeq(listed, Wanted)

Running == {"running"}
Started == {"running", "exited"}

RunningRefs(ps, set) == UNION {{each.ref : each \in Range(RefsIn(ps, pod, Running))} : pod \in set}

StartedRefs(ps, set) == UNION {{each.ref : each \in Range(RefsIn(ps, pod, Started))} : pod \in set}

-------------------------------------------------------------------------------
(* The manager: what it keeps in memory, beside the state.                     *)
(*   cpusToReuse      the policy's, see CpuPolicy                              *)
(*   containerMap     set of the containers whose ids it knows                 *)
(*   lastUpdateState  what each container was last told to run on              *)
(*   pending          {[pod, shape]} of the pod last admitted, {} before       *)
(*   sourcesReady     every source of pods has spoken                          *)
(*   allocatable      {the CPUs reported as allocatable}, {} if none are told   *)
(* An effect is a record: manager and state as they are by now; stores, the    *)
(* set of states written on the way; updates, what containers were told to run *)
(* on; ok, whether there was no error.                                         *)

NoManager ==
    [cpusToReuse     |-> EmptyFunction,
     containerMap    |-> {},
     lastUpdateState |-> EmptyFunction,
     pending         |-> {},
     sourcesReady    |-> FALSE,
     allocatable     |-> {}]

NoEffect(manager, state) ==
    [manager |-> manager, state |-> state, stores |-> {}, updates |-> EmptyFunction, ok |-> TRUE]

CpuSetOrDefault(s, ref) == IF ref \in DOMAIN s.entries THEN s.entries[ref] ELSE s.default

(* containerMap.RemoveByContainerRef, lastUpdateState.Delete *)
Forgotten(manager, refs) ==
    [manager EXCEPT !.containerMap = @ \ refs, !.lastUpdateState = Without(@, refs)]

LastOf(stores, otherwise) == IF stores = <<>> THEN otherwise ELSE stores[Len(stores)]

(* policyRemoveContainerByRef *)
RemoveByRef(effect, ref) ==
    LET Removed(stores) == [effect EXCEPT !.manager = Forgotten(@, {ref}),
                                          !.state   = LastOf(stores, @),
                                          !.stores  = @ \union Range(stores)]
    IN  WithValue(RemoveContainerRule(effect.state, ref), Removed)

(* policyRemoveContainerByID: an id that is not known removes nothing. *)
RemoveById(effect, ref) == IF ref \in effect.manager.containerMap THEN RemoveByRef(effect, ref) ELSE effect

(* All of refs, in whatever order: it shows only in what is stored on the way. *)
RECURSIVE RemoveAll(_, _)
RemoveAll(effect, refs) ==
    IF refs = {}
    THEN effect
    ELSE LET ref          == CHOOSE r \in refs : TRUE
             Others(then) == RemoveAll(then, refs \ {ref})
         IN  WithValue(RemoveByRef(effect, ref), Others)

(* Everything that is stored while refs are removed in some order: Go's is     *)
(* that of a map, and leads to the same in the end.                            *)
RECURSIVE StoresInAnyOrder(_, _)
StoresInAnyOrder(s, refs) ==
    UNION {LET Rest(stores) == Range(stores) \union StoresInAnyOrder(LastOf(stores, s), refs \ {ref})
           IN  WithValue(RemoveContainerRule(s, ref), Rest) : ref \in refs}

ActivePodsNotTerminal(ps) == {pod \in Pods : ps[pod].phase = "active" /\ ps[pod].seen # "no"}

(* 1.22.0: a pod in admission has no worker yet (pull request #102344). *)
ActivePodsWithWorkers(ps) == {pod \in Pods : ps[pod].phase = "active" /\ ps[pod].seen = "yes"}

(* The containers of active pods, and of the pod noted as pending admission. *)
ActiveRefs(manager, ps) ==
    UNION ({RefsOf(pod, ps[pod].shape) : pod \in ActivePodsRule(ps)}
           \union {RefsOf(noted.pod, noted.shape) : noted \in manager.pending})

(* removeStaleState up to 1.24: entries; later the containerMap's too (#109103). *)
StaleAssignments(manager, s, active) == DOMAIN s.entries \ active

StaleAssignmentsAndIds(manager, s, active) == (DOMAIN s.entries \union manager.containerMap) \ active

StaleRefs(effect, ps) ==
    IF effect.manager.sourcesReady
    THEN StaleRule(effect.manager, effect.state, ActiveRefs(effect.manager, ps))
    ELSE {}

RemoveStaleState(effect, ps) ==
    LET Removed(refs) == LET removed == RemoveAll(effect, refs)
                         IN  IF Crashes = 0
                             THEN removed
                             ELSE [removed EXCEPT !.stores = StoresInAnyOrder(effect.state, refs)]
    IN  WithValue(StaleRefs(effect, ps), Removed)

-------------------------------------------------------------------------------
(* Allocate: the next container of a pod in admission. *)

(* 1.18.0 to 1.18.3 *)
ManagerAllocateAsItIs(effect, policy, ps, pod) ==
    LET Allocated(change) == [effect EXCEPT !.manager.cpusToReuse = change.reuse,
                                            !.state  = change.state,
                                            !.stores = @ \union Range(change.stores),
                                            !.ok     = change.ok]
    IN  WithValue(AllocateRule(policy, effect.state, effect.manager.cpusToReuse,
                               pod, ps[pod].shape, ps[pod].admitted + 1), Allocated)

(* 1.18.4 to 1.22.0: stale state goes first (pull request #90377). *)
ManagerAllocateAfterCleaning(effect, policy, ps, pod) ==
    LET Allocated(cleaned) == ManagerAllocateAsItIs(cleaned, policy, ps, pod)
    IN  WithValue(RemoveStaleState(effect, ps), Allocated)

(* From 1.22.1 on the pod is noted first, for good (pull request #103979). *)
ManagerAllocatePending(effect, policy, ps, pod) ==
    LET Allocated(noted) == ManagerAllocateAfterCleaning(noted, policy, ps, pod)
    IN  WithValue([effect EXCEPT !.manager.pending = {[pod |-> pod, shape |-> ps[pod].shape]}], Allocated)

-------------------------------------------------------------------------------
(* AddContainer: PreStartContainer confines a container to its CPUs. *)

(* 1.18 to 1.20 *)
AddContainerUpdating(effect, ref) ==
    [effect EXCEPT !.updates = [r \in {ref} |-> CpuSetOrDefault(effect.state, ref)]]

(* 1.21: its id enters the containerMap. *)
AddContainerMapping(effect, ref) ==
    [AddContainerUpdating(effect, ref) EXCEPT !.manager.containerMap = @ \union {ref}]

(* From 1.22 on lastUpdateState learns the CPUs of an exclusive one. *)
AddContainerNoting(effect, ref) ==
    LET mapped == AddContainerMapping(effect, ref)
    IN  IF ref \in DOMAIN effect.state.entries
        THEN [mapped EXCEPT !.manager.lastUpdateState = Extended(@, ref, effect.state.entries[ref])]
        ELSE mapped

(* PostStopContainer: up to 1.18.3 it gives CPUs back, then it does nothing. *)
PostStopContainerRemoving(effect, ref) == RemoveById(effect, ref)

PostStopContainerNothing(effect, ref) == effect

RECURSIVE Stopped(_, _)
Stopped(effect, listed) ==
    IF listed = <<>>
    THEN effect
    ELSE LET Others(then) == Stopped(then, Tail(listed))
         IN  WithValue(PostStopContainerRule(effect, Head(listed).ref), Others)

-------------------------------------------------------------------------------
(* reconcileState: the effects that it may have.                               *)

(* 1.18.0 to 1.18.3 (pull request #84300): one container after the other, and  *)
(* a terminated one gives its CPUs back.                                       *)
RECURSIVE ReconcileEach(_, _)
ReconcileEach(effect, listed) ==
    IF listed = <<>>
    THEN effect
    ELSE LET ref          == Head(listed).ref
             cpus         == CpuSetOrDefault(effect.state, ref)
             mapped       == [effect EXCEPT !.manager.containerMap = @ \union {ref}]
             Others(then) == ReconcileEach(then, Tail(listed))
         IN  WithValue(CASE Head(listed).state = "exited" -> RemoveById(effect, ref)
                         [] Head(listed).state # "exited" /\ cpus = {} -> mapped
                         [] OTHER -> [mapped EXCEPT !.updates = Extended(@, ref, cpus)], Others)

(* Each pod has its turn, in the order of a Go map. *)
RECURSIVE ReconcilePods(_, _, _)
ReconcilePods(effect, ps, set) ==
    IF set = {}
    THEN {effect}
    ELSE UNION {ReconcilePods(ReconcileEach(effect, RefsIn(ps, pod, Started)), ps, set \ {pod}) : pod \in set}

ReconcileRemovingTerminated(effect, ps) ==
    LET Reconciled(cleaned) == ReconcilePods(cleaned, ps, ActivePodsRule(ps))
    IN  WithValue(RemoveStaleState(effect, ps), Reconciled)

(* Running containers learn their CPUs, those in told. *)
Telling(effect, running, told) ==
    [effect EXCEPT !.manager.containerMap = @ \union running,
                   !.updates = [ref \in told |-> CpuSetOrDefault(effect.state, ref)]]

(* 1.18.4 to 1.21 (pull request #90377): each running container, every time. *)
ReconcileTellingAll(effect, ps) ==
    LET running == RunningRefs(ps, ActivePodsRule(ps))
        Told(cleaned) == Telling(cleaned, running,
                                 {ref \in running : CpuSetOrDefault(cleaned.state, ref) # {}})
    IN  {WithValue(RemoveStaleState(effect, ps), Told)}

(* From 1.22 on only one whose CPUs are not those of lastUpdateState (#101771). *)
ReconcileTellingChanges(effect, ps) ==
    LET running == RunningRefs(ps, ActivePodsRule(ps))
        Changed(cleaned) ==
            LET last     == cleaned.manager.lastUpdateState
                Known(r) == IF r \in DOMAIN last THEN last[r] ELSE {}
            IN  {r \in running : CpuSetOrDefault(cleaned.state, r) \notin {{}, Known(r)}}
        Noted(told) ==
            [told EXCEPT !.manager.lastUpdateState =
                [r \in DOMAIN @ \union DOMAIN told.updates |->
                    IF r \in DOMAIN told.updates THEN told.updates[r] ELSE @[r]]]
        Told(cleaned) == WithValue(Telling(cleaned, running, Changed(cleaned)), Noted)
    IN  {WithValue(RemoveStaleState(effect, ps), Told)}

-------------------------------------------------------------------------------
(* What an operation does: file, kubelet, pods and used afterwards, and stores, *)
(* every state that it writes.                                                  *)

Up == kubelet.phase = "up"

Policy == [node |-> kubelet.startedOn, reserved |-> kubelet.reserved]

Now == NoEffect(kubelet.manager, file.state)

Updated(ps, updates) ==
    [pod \in Pods |->
        [ps[pod] EXCEPT !.containers =
            [at \in DOMAIN ps[pod].containers |->
                LET each == ps[pod].containers[at]
                    ref  == Ref(pod, ps[pod].shape, at)
                IN  IF each.state = "running" /\ ref \in DOMAIN updates
                    THEN [each EXCEPT !.cpus = updates[ref]]
                    ELSE each]]]

(* The effect on file, memory and running containers; ps are the pods before. *)
Done(effect, ps) ==
    LET Made(e) == [file    |-> IF e.stores = {} THEN file ELSE [file EXCEPT !.state = e.state],
                    kubelet |-> [kubelet EXCEPT !.manager = e.manager],
                    pods    |-> IF DOMAIN e.updates = {} THEN ps ELSE Updated(ps, e.updates),
                    used    |-> used,
                    stores  |-> e.stores]
    IN  WithValue(effect, Made)

(* What the hook of the container lifecycle does for these, if the kubelet runs. *)
Stopping(effect, listed) == IF Up THEN Stopped(effect, listed) ELSE effect

Down(left) ==
    [file    |-> left.file,
     kubelet |-> [phase |-> "down", manager |-> NoManager, startedOn |-> kubelet.startedOn, reserved |-> {}],
     pods    |-> [pod \in Pods |-> IF left.pods[pod].phase = "active"
                                   THEN [left.pods[pod] EXCEPT !.seen = "no", !.admitted = 0]
                                   ELSE left.pods[pod]],
     used    |-> left.used]

Becomes(doing) ==
    /\ file' = doing.file
    /\ kubelet' = doing.kubelet
    /\ pods' = doing.pods
    /\ used' = doing.used

(* The kubelet dies after one of the writes; that after the last leaves what a *)
(* crash after the operation leaves as well.  left is all but the file: for    *)
(* what happens whether the kubelet lives or not, as it is afterwards.         *)
CrashedDuring(doing, left) ==
    /\ used.crashes < Crashes
    /\ \E stored \in doing.stores \ {doing.file.state} :
          Becomes(Down([file |-> [there |-> TRUE, state |-> stored],
                        pods |-> left.pods,
                        used |-> [left.used EXCEPT !.crashes = @ + 1]]))
    /\ UNCHANGED node

Standing == [file |-> file, pods |-> pods, used |-> used]

-------------------------------------------------------------------------------
(* The scheduler, and admission. *)

CreatePod(pod, shape) ==
    /\ pods[pod].phase = "absent"
    /\ Request(shape) <= Free
    /\ pods' = [pods EXCEPT ![pod] = [NoPod("active") EXCEPT !.shape = shape,
                                        !.containers = [at \in DOMAIN Containers(shape) |-> Waiting]]]
    /\ UNCHANGED <<node, file, kubelet, used>>

(* HandlePodAdditions takes one pod after the other. *)
InAdmission == {pod \in Pods : pods[pod].seen = "admitting"}

Admissible == {pod \in Active : /\ Up
                                /\ pods[pod].seen # "yes"
                                /\ InAdmission = {} \/ pod \in InAdmission}

(* After the last container the pod is admitted, after an error rejected       *)
(* (UnexpectedAdmissionError), and what runs of it is killed.                  *)
Allocating(pod) ==
    LET ps     == [pods EXCEPT ![pod].seen = "admitting"]
        last   == ps[pod].admitted + 1 = Len(ps[pod].containers)
        Given(effect) ==
            LET done == Done(effect, ps)
            IN  [done EXCEPT !.pods[pod].seen     = IF last THEN "yes" ELSE "admitting",
                             !.pods[pod].admitted = IF last THEN 0 ELSE @ + 1]
        Refused(stopped) ==
            [Done(stopped, ps) EXCEPT !.pods[pod] = [@ EXCEPT !.phase = "failed", !.seen = "yes",
                                                              !.admitted = 0, !.containers = <<>>]]
        Answer(effect) == IF effect.ok
                          THEN Given(effect)
                          ELSE WithValue(Stopping(effect, RefsIn(ps, pod, Running)), Refused)
    IN  WithValue(ManagerAllocateRule(Now, Policy, ps, pod), Answer)

Allocate(pod) ==
    /\ \E doing \in {Allocating(pod)} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringAllocate(pod) == \E doing \in {Allocating(pod)} : CrashedDuring(doing, Standing)

-------------------------------------------------------------------------------
(* Containers. *)

(* Init containers one after the other, each when those before it have ended;  *)
(* then the app containers in any order.  One that has exited starts again.    *)
Startable(pod) ==
    LET each  == pods[pod].containers
        inits == {at \in DOMAIN each : IsInit(pods[pod].shape, at) /\ each[at].state # "exited"}
    IN  IF ~(Up /\ pods[pod].seen = "yes")
        THEN {}
        ELSE IF inits = {}
        THEN {at \in DOMAIN each : ~IsInit(pods[pod].shape, at) /\ each[at].state # "running"}
        ELSE {at \in {Least(inits)} : each[at].state = "waiting"}

Starting(pod, at) ==
    LET ref            == Ref(pod, pods[pod].shape, at)
        ps             == [pods EXCEPT ![pod].containers[at] = [state |-> "running", cpus |-> {}]]
        left           == IF pods[pod].containers[at].state = "exited" THEN <<[ref |-> ref]>> ELSE <<>>
        Begun(stopped) == Done(ManagerAddContainerRule(stopped, ref), ps)
    IN  WithValue(Stopping(Now, left), Begun)

StartContainer(pod, at) ==
    /\ \E doing \in {Starting(pod, at)} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringStart(pod, at) == \E doing \in {Starting(pod, at)} : CrashedDuring(doing, Standing)

(* Init containers end; others end as often as the scope allows. *)
CanExit(pod) ==
    {at \in DOMAIN pods[pod].containers :
        /\ pods[pod].containers[at].state = "running"
        /\ IsInit(pods[pod].shape, at) \/ used.exits < Exits}

Exiting(pod, at) ==
    LET init          == IsInit(pods[pod].shape, at)
        ps            == [pods EXCEPT ![pod].containers[at] = [state |-> "exited", cpus |-> {}]]
        left          == IF init THEN <<>> ELSE <<[ref |-> Ref(pod, pods[pod].shape, at)]>>
        Over(stopped) == [Done(stopped, ps) EXCEPT !.used.exits = IF init THEN @ ELSE @ + 1]
    IN  WithValue(Stopping(Now, left), Over)

ExitContainer(pod, at) ==
    /\ \E doing \in {Exiting(pod, at)} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringExit(pod, at) == Up /\ \E doing \in {Exiting(pod, at)} : CrashedDuring(doing, doing)

(* RemoveContainer for an exited init container, as garbage collection does. *)
Removable(pod) ==
    {at \in DOMAIN pods[pod].containers :
        /\ Removals
        /\ Up
        /\ IsInit(pods[pod].shape, at)
        /\ pods[pod].containers[at].state = "exited"}

Removing(pod, at) == Done(RemoveById(Now, Ref(pod, pods[pod].shape, at)), pods)

RemoveExited(pod, at) ==
    /\ \E doing \in {Removing(pod, at)} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringRemoval(pod, at) == \E doing \in {Removing(pod, at)} : CrashedDuring(doing, Standing)

-------------------------------------------------------------------------------
(* Pods that end. *)

Ending(pod, after) ==
    LET Over(stopped) == [Done(stopped, pods) EXCEPT !.pods[pod] = after]
    IN  WithValue(Stopping(Now, RefsIn(pods, pod, Running)), Over)

(* All app containers end for good. *)
Completable ==
    {pod \in Active : /\ Jobs
                      /\ pods[pod].seen # "admitting"
                      /\ \A at \in DOMAIN pods[pod].containers :
                            ~IsInit(pods[pod].shape, at) => pods[pod].containers[at].state = "running"}

Completing(pod) == Ending(pod, [pods[pod] EXCEPT !.phase = "succeeded", !.containers = <<>>])

CompletePod(pod) ==
    /\ \E doing \in {Completing(pod)} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringCompletion(pod) == Up /\ \E doing \in {Completing(pod)} : CrashedDuring(doing, doing)

Deletable ==
    {pod \in Pods : IF pods[pod].phase = "active" THEN pods[pod].seen # "admitting"
                                                  ELSE pods[pod].phase \in {"succeeded", "failed"}}

Deleting(pod) == Ending(pod, NoPod("deleted"))

DeletePod(pod) ==
    /\ \E doing \in {Deleting(pod)} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringDeletion(pod) == Up /\ \E doing \in {Deleting(pod)} : CrashedDuring(doing, doing)

-------------------------------------------------------------------------------
(* The kubelet. *)

SourcesReady ==
    /\ Up
    /\ ~kubelet.manager.sourcesReady
    /\ \A pod \in Active : pods[pod].seen = "yes"
    /\ kubelet' = [kubelet EXCEPT !.manager.sourcesReady = TRUE]
    /\ UNCHANGED <<node, file, pods, used>>

Reconciling == {Done(effect, pods) : effect \in ReconcileStateRule(Now, pods)}

ReconcileState ==
    /\ Up
    /\ \E doing \in Reconciling : Becomes(doing)
    /\ UNCHANGED node

CrashDuringReconcile == Up /\ \E doing \in Reconciling : CrashedDuring(doing, Standing)

StopKubelet ==
    /\ Up
    /\ used.restarts < Restarts
    /\ Becomes(Down([Standing EXCEPT !.used.restarts = @ + 1]))
    /\ UNCHANGED node

(* NewManager and Start: no file is an empty state.  The containerMap begins   *)
(* with what the runtime has.                                                  *)
Begin(on, state, ps) ==
    LET Began(policy, checked) ==
            [ok      |-> checked.ok,
             state   |-> checked.state,
             stores  |-> Range(checked.stores),
             kubelet |-> [phase     |-> "up",
                          manager   |-> [NoManager EXCEPT
                                            !.containerMap = StartedRefs(ps, Pods),
                                            !.allocatable  = AllocatableCPUsRule(policy, checked.state)],
                          startedOn |-> on,
                          reserved  |-> policy.reserved]]
        Checked(policy) ==
            LET Answer(checked) == Began(policy, checked)
            IN  WithValue(IF Cardinality(policy.reserved) = on.reserved
                          THEN ValidateStateRule(policy, state)
                          ELSE Rejected(state), Answer)
    IN  WithValue([node |-> on, reserved |-> ReservedCpus(on)], Checked)

Beginning ==
    LET Begun(begun) ==
            IF begun.ok
            THEN [file |-> [there |-> TRUE, state |-> begun.state], kubelet |-> begun.kubelet,
                  pods |-> pods, used |-> used, stores |-> begun.stores]
            ELSE [file |-> file, kubelet |-> [phase |-> "failed", manager |-> NoManager,
                                              startedOn |-> kubelet.startedOn, reserved |-> {}],
                  pods |-> pods, used |-> used, stores |-> {}]
    IN  WithValue(Begin(node, file.state, pods), Begun)

StartKubelet ==
    /\ ~Up
    /\ \E doing \in {Beginning} : Becomes(doing)
    /\ UNCHANGED node

CrashDuringKubeletStart == ~Up /\ \E doing \in {Beginning} : CrashedDuring(doing, Standing)

-------------------------------------------------------------------------------
(* The machine, its configuration and the file, while the kubelet is down. *)

Elsewhere == UNCHANGED <<kubelet, pods, used>>

AddCore ==
    /\ ~Up
    /\ node.cores < Cores + Hotplug
    /\ node' = [node EXCEPT !.cores = @ + 1]
    /\ UNCHANGED file
    /\ Elsewhere

OfflineCpu(cpu) ==
    /\ ~Up
    /\ Cardinality(node.offline) < Offline
    /\ cpu \notin node.offline
    /\ node' = [node EXCEPT !.offline = @ \union {cpu}]
    /\ UNCHANGED file
    /\ Elsewhere

GrowReserved ==
    /\ ~Up
    /\ node.reserved < Reserved + Rereserve
    /\ node' = [node EXCEPT !.reserved = @ + 1]
    /\ UNCHANGED file
    /\ Elsewhere

MayWipe == Wipes = 2 \/ (Wipes = 1 /\ Active = {})

NoFile == [there |-> FALSE, state |-> EmptyState]

DeleteStateFile ==
    /\ ~Up
    /\ file.there
    /\ MayWipe = TRUE
    /\ file' = NoFile
    /\ UNCHANGED node
    /\ Elsewhere

-------------------------------------------------------------------------------
(* A running kubelet on an empty machine, its state file just written. *)
Init ==
    LET first == [cores |-> Cores, offline |-> {}, reserved |-> Reserved]
        begun == Begin(first, EmptyState, [pod \in Pods |-> NoPod("absent")])
    IN  /\ node = first
        /\ file = [there |-> TRUE, state |-> begun.state]
        /\ kubelet = [begun.kubelet EXCEPT !.manager.sourcesReady = TRUE]
        /\ pods = [pod \in Pods |-> NoPod("absent")]
        /\ used = [exits |-> 0, restarts |-> 0, crashes |-> 0]

Admission == \E pod \in Admissible : Allocate(pod)

Next ==
    \/ \E pod \in Pods, shape \in Shapes : CreatePod(pod, shape)
    \/ Admission
    \/ \E pod \in Admissible : CrashDuringAllocate(pod)
    \/ \E pod \in Active : \E at \in Startable(pod) : StartContainer(pod, at)
    \/ \E pod \in Active : \E at \in Startable(pod) : CrashDuringStart(pod, at)
    \/ \E pod \in Active : \E at \in CanExit(pod) : ExitContainer(pod, at)
    \/ \E pod \in Active : \E at \in CanExit(pod) : CrashDuringExit(pod, at)
    \/ \E pod \in Active : \E at \in Removable(pod) : RemoveExited(pod, at)
    \/ \E pod \in Active : \E at \in Removable(pod) : CrashDuringRemoval(pod, at)
    \/ \E pod \in Completable : CompletePod(pod)
    \/ \E pod \in Completable : CrashDuringCompletion(pod)
    \/ \E pod \in Deletable : DeletePod(pod)
    \/ \E pod \in Deletable : CrashDuringDeletion(pod)
    \/ SourcesReady
    \/ ReconcileState
    \/ CrashDuringReconcile
    \/ StopKubelet
    \/ StartKubelet
    \/ CrashDuringKubeletStart
    \/ AddCore
    \/ \E cpu \in 1 .. node.cores * Threads - 1 : OfflineCpu(cpu)
    \/ GrowReserved
    \/ DeleteStateFile

Fairness == WF_vars(ReconcileState) /\ WF_vars(SourcesReady) /\ WF_vars(Admission) /\ WF_vars(StartKubelet)

Spec == Init /\ [][Next]_vars /\ Fairness

-------------------------------------------------------------------------------
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

(* properties/cpu_manager_*.py, under the same names *)

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

(* What ReconcileState would leave, as a predicate of the state before it: a   *)
(* pass that changes nothing is no step that TLC looks at.                     *)
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
