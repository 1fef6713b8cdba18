------------------------------ MODULE CpuManager ------------------------------
(***************************************************************************)
(* cpu-manager: pods come and go while the kubelet reconciles, restarts    *)
(* and crashes, and its machine changes.  The same states, actions and     *)
(* names as model/systems/cpu_manager, and so the same counts.             *)
(*                                                                         *)
(* This module composes the others: variables, and the actions of pods and *)
(* of the kubelet.  They stand together, since nearly each of them is one  *)
(* operation of the manager, and has an action beside it in which the      *)
(* kubelet crashes on the way.                                             *)
(*   CpuPolicy   the static policy; CpuPods  pods and containers           *)
(*   Manager     the manager's operations; CpuMachine  what is around them *)
(*                                                                         *)
(* Go: pkg/kubelet/cm/cpumanager/cpu_manager.go, releases 1.18 to 1.31.    *)
(*                                                                         *)
(* One action is one operation of the manager.  Each change of the state   *)
(* writes the checkpoint, and a crash may come between two writes.         *)
(*                                                                         *)
(* Left out: releases before 1.18, which know containers by id; sidecars;  *)
(* full-pcpus-only; a policy that changes; CPUs numbered in any way; the   *)
(* words of errors.                                                        *)
(***************************************************************************)
EXTENDS Manager, CpuMachine

CONSTANTS
    Jobs, Removals,          \* switches of the scope, as in scope.py
    Exits, Restarts, Wipes,  \* numbers of the scope
    \* The rules of a release that only a start asks.
    ValidateStateRule(_, _),            \* policy, state |-> [ok, state, stores]
    AllocatableCPUsRule(_, _)           \* policy, state |-> {CPUs}, {} if not reported

VARIABLES
    kubelet, \* [phase, manager, startedOn, reserved]; phase is up, down or failed
    pods,    \* by name: a record as in CpuPods.tla
    used     \* [exits, restarts, crashes]: how often each power was used

vars == <<node, file, kubelet, pods, used>>

Up == kubelet.phase = "up"

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

-------------------------------------------------------------------------------
(* What an operation does, as a record: file, kubelet, pods and used afterwards; *)
(* stores, every state that the operation writes.                                *)

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

(* The effect on the file, the memory and running containers.  ps are the pods before. *)
Done(effect, ps) ==
    LET Made(e) == [file    |-> IF e.stores = {} THEN file ELSE [file EXCEPT !.state = e.state],
                    kubelet |-> [kubelet EXCEPT !.manager = e.manager],
                    pods    |-> IF DOMAIN e.updates = {} THEN ps ELSE Updated(ps, e.updates),
                    used    |-> used,
                    stores  |-> e.stores]
    IN  WithValue(effect, Made)

(* What the hook of the container lifecycle does for these containers, if the kubelet *)
(* runs.                                                                              *)
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

(* The kubelet dies after one of the writes.  The last write is left out: a crash *)
(* after the operation leaves the same.  left is everything but the file.  What   *)
(* happens without the kubelet, too, is in left already.                          *)
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

(* After the last container the pod is admitted.  After an error the pod is    *)
(* rejected (UnexpectedAdmissionError), and its running containers are killed. *)
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

(* Init containers start one after the other, each when those before it have      *)
(* ended.  Then the app containers start in any order.  An app container that has *)
(* exited starts again.                                                           *)
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

(* Init containers end.  App containers end as often as the scope allows. *)
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

(* NewManager and Start.  Without a file the state is empty.  The containerMap *)
(* begins with the containers that the runtime has.                            *)
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
(* The machine and the state file, while the kubelet is down. *)

MayWipe == Wipes = 2 \/ (Wipes = 1 /\ Active = {})

AroundTheKubelet ==
    /\ ~Up
    /\ MachineChanges \/ (MayWipe = TRUE /\ DeleteStateFile)
    /\ UNCHANGED <<kubelet, pods, used>>

-------------------------------------------------------------------------------
(* The kubelet runs on an empty machine, and has just written the state file. *)
Init ==
    LET begun == Begin(FirstNode, EmptyState, [pod \in Pods |-> NoPod("absent")])
    IN  /\ node = FirstNode
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
    \/ AroundTheKubelet

Fairness == WF_vars(ReconcileState) /\ WF_vars(SourcesReady) /\ WF_vars(Admission) /\ WF_vars(StartKubelet)

Spec == Init /\ [][Next]_vars /\ Fairness
===============================================================================
