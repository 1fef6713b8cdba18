-------------------------------- MODULE Manager --------------------------------
(***************************************************************************)
(* The kubelet's CPU manager: what each of its operations does to the      *)
(* manager's memory and to the state.  Operators without variables.        *)
(* Function by function the same as model/cpu/manager.py, stale.py and     *)
(* reconcile.py.                                                           *)
(*                                                                         *)
(* Go: pkg/kubelet/cm/cpumanager/cpu_manager.go, releases 1.18 to 1.31.    *)
(* Most operations hold manager.Lock once.  The Python files say where Go  *)
(* holds the lock twice.                                                   *)
(*                                                                         *)
(* What the manager keeps in memory, beside the state, is a record:        *)
(*   cpusToReuse      of the policy, see CpuPolicy.tla                     *)
(*   containerMap     the set of the containers whose ids are known        *)
(*   lastUpdateState  by container: where it was last told to run          *)
(*   pending          {[pod, shape]} of the pod last admitted; {} before   *)
(*   sourcesReady     every source of pods has spoken                      *)
(*   allocatable      {the CPUs reported as allocatable}; {} if none are   *)
(*                    reported                                             *)
(* An effect is a record:                                                  *)
(*   manager, state  as they are now                                       *)
(*   stores          the set of the states that were written on the way    *)
(*   updates         by container: where it was told to run                *)
(*   ok              there was no error                                    *)
(***************************************************************************)
EXTENDS CpuPods

CONSTANTS
    Crashes,       \* how often the kubelet may crash
    \* The rules of a release.  Those of the policy have the records of CpuPolicy.tla.
    \* Those of the manager take an effect, and give the next one.
    AllocateRule(_, _, _, _, _, _),     \* policy, state, reuse, pod, shape, place |-> change
    RemoveContainerRule(_, _),          \* state, container |-> states stored
    ActivePodsRule(_),                  \* pods |-> set of pods
    StaleRule(_, _, _),                 \* manager, state, active |-> set of containers
    ManagerAllocateRule(_, _, _, _),    \* effect, policy, pods, pod |-> effect
    ManagerAddContainerRule(_, _),      \* effect, container |-> effect
    PostStopContainerRule(_, _),        \* effect, container |-> effect
    ReconcileStateRule(_, _)            \* effect, pods |-> set of effects

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

(* policyRemoveContainerByID.  For an unknown id nothing is removed. *)
RemoveById(effect, ref) == IF ref \in effect.manager.containerMap THEN RemoveByRef(effect, ref) ELSE effect

(* All containers of refs, in any order.  The order shows only in the states that *)
(* are stored on the way.                                                         *)
RECURSIVE RemoveAll(_, _)
RemoveAll(effect, refs) ==
    IF refs = {}
    THEN effect
    ELSE LET ref          == CHOOSE r \in refs : TRUE
             Others(then) == RemoveAll(then, refs \ {ref})
         IN  WithValue(RemoveByRef(effect, ref), Others)

(* Every state that is stored while refs are removed, in any order.  Go takes the *)
(* order of a map.  The last state is the same in each order.                     *)
RECURSIVE StoresInAnyOrder(_, _)
StoresInAnyOrder(s, refs) ==
    UNION {LET Rest(stores) == Range(stores) \union StoresInAnyOrder(LastOf(stores, s), refs \ {ref})
           IN  WithValue(RemoveContainerRule(s, ref), Rest) : ref \in refs}

ActivePodsNotTerminal(ps) == {pod \in Pods : ps[pod].phase = "active" /\ ps[pod].seen # "no"}

(* 1.22.0.  A pod in admission has no worker yet (pull request #102344). *)
ActivePodsWithWorkers(ps) == {pod \in Pods : ps[pod].phase = "active" /\ ps[pod].seen = "yes"}

(* The containers of active pods, and of the pod noted as pending admission. *)
ActiveRefs(manager, ps) ==
    UNION ({RefsOf(pod, ps[pod].shape) : pod \in ActivePodsRule(ps)}
           \union {RefsOf(noted.pod, noted.shape) : noted \in manager.pending})

(* removeStaleState.  Up to 1.24 it looks at entries; later at the containerMap, too *)
(* (pull request #109103).                                                           *)
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

(* 1.18.4 to 1.22.0.  Stale state is removed first (pull request #90377). *)
ManagerAllocateAfterCleaning(effect, policy, ps, pod) ==
    LET Allocated(cleaned) == ManagerAllocateAsItIs(cleaned, policy, ps, pod)
    IN  WithValue(RemoveStaleState(effect, ps), Allocated)

(* From 1.22.1 on the pod is noted first, and stays noted (pull request #103979). *)
ManagerAllocatePending(effect, policy, ps, pod) ==
    LET Allocated(noted) == ManagerAllocateAfterCleaning(noted, policy, ps, pod)
    IN  WithValue([effect EXCEPT !.manager.pending = {[pod |-> pod, shape |-> ps[pod].shape]}], Allocated)

-------------------------------------------------------------------------------
(* AddContainer.  PreStartContainer confines a container to its CPUs. *)

(* 1.18 to 1.20 *)
AddContainerUpdating(effect, ref) ==
    [effect EXCEPT !.updates = [r \in {ref} |-> CpuSetOrDefault(effect.state, ref)]]

(* From 1.21 on the container's id enters the containerMap. *)
AddContainerMapping(effect, ref) ==
    [AddContainerUpdating(effect, ref) EXCEPT !.manager.containerMap = @ \union {ref}]

(* From 1.22 on lastUpdateState learns the CPUs of an exclusive container. *)
AddContainerNoting(effect, ref) ==
    LET mapped == AddContainerMapping(effect, ref)
    IN  IF ref \in DOMAIN effect.state.entries
        THEN [mapped EXCEPT !.manager.lastUpdateState = Extended(@, ref, effect.state.entries[ref])]
        ELSE mapped

(* PostStopContainer.  Up to 1.18.3 it gives the CPUs back.  Later it does nothing. *)
PostStopContainerRemoving(effect, ref) == RemoveById(effect, ref)

PostStopContainerNothing(effect, ref) == effect

RECURSIVE Stopped(_, _)
Stopped(effect, listed) ==
    IF listed = <<>>
    THEN effect
    ELSE LET Others(then) == Stopped(then, Tail(listed))
         IN  WithValue(PostStopContainerRule(effect, Head(listed).ref), Others)

-------------------------------------------------------------------------------
(* reconcileState, as the set of the effects that it may have. *)

(* 1.18.0 to 1.18.3 (pull request #84300).  Containers have their turn one after the *)
(* other.  A terminated container gives its CPUs back.                               *)
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

(* The running containers of told learn their CPUs. *)
Telling(effect, running, told) ==
    [effect EXCEPT !.manager.containerMap = @ \union running,
                   !.updates = [ref \in told |-> CpuSetOrDefault(effect.state, ref)]]

(* 1.18.4 to 1.21 (pull request #90377).  Each running container is told every time. *)
ReconcileTellingAll(effect, ps) ==
    LET running == RunningRefs(ps, ActivePodsRule(ps))
        Told(cleaned) == Telling(cleaned, running,
                                 {ref \in running : CpuSetOrDefault(cleaned.state, ref) # {}})
    IN  {WithValue(RemoveStaleState(effect, ps), Told)}

(* From 1.22 on a container is told only if its CPUs are not those of lastUpdateState *)
(* (pull request #101771).                                                            *)
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
===============================================================================
