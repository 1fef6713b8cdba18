--------------------------------- MODULE Queue ---------------------------------
(***************************************************************************)
(* PriorityQueue.  Operators without variables.  Function by function the  *)
(* same as model/scheduler/queue/, where no time passes.                   *)
(*                                                                         *)
(* Go: pkg/scheduler/internal/queue/scheduling_queue.go, 1.13 to 1.31.     *)
(* Each operation runs under PriorityQueue.lock.                           *)
(*                                                                         *)
(* A queue is a record:                                                    *)
(*   waiting      see Waiting.tla                                          *)
(*   moved        there was a move request since the last Pop: Go says     *)
(*                moveRequestCycle >= schedulingCycle, or                  *)
(*                receivedMoveRequest                                      *)
(*   nominations  see Nominator.tla                                        *)
(***************************************************************************)
EXTENDS Nominator, Waiting

CONSTANTS
    \* Rules, named after their fields.
    PodsForMoveRequestRule(_, _),         \* names, those that pass the check |-> names
    ComparesEvents,                       \* from 1.21 on: who rejected a pod is asked what it waits for
    UnschedulableEvents,                  \* what NodeUnschedulable waits for
    NominatedPodRule(_, _)                \* queue, pod as the nominator has it |-> pod

-------------------------------------------------------------------------------
EmptyQueue == [waiting |-> EmptyFunction, moved |-> FALSE, nominations |-> NoNominations]

(* Add *)
QueueAdd(queue, pod, listed) ==
    [queue EXCEPT !.waiting     = Joined(@, "active", Untried(pod)),
                  !.nominations = NominateAddedRule(@, pod, pod.name \in In(queue, "unschedulable"), listed)]

(* Update *)
QueueUpdate(queue, old, new, listed) ==
    [queue EXCEPT !.waiting     = Updated(@, old, new),
                  !.nominations = IF new.name \in DOMAIN queue.waiting
                                  THEN NominatorUpdateRule(@, old, new, listed)
                                  ELSE NominatorAddRule(@, new, None, listed)]

(* Delete *)
QueueDelete(queue, pod) ==
    [queue EXCEPT !.waiting = Left(@, pod.name), !.nominations = NominatorDeleteRule(@, pod)]

(* Pop *)
Popped(queue, name) == [queue EXCEPT !.waiting = Left(@, name), !.moved = FALSE]

AddUnschedulableIfNotPresent(queue, info, moved, listed) ==
    IF info.pod.name \in DOMAIN queue.waiting
    THEN queue
    ELSE [queue EXCEPT !.waiting     = Joined(@, FailedPodRule(moved, info), info),
                       !.nominations = NominateWaitingRule(@, info.pod, listed)]

AllUnschedulable(names, passes) == names

ThosePassingPreCheck(names, passes) == names \intersect passes

(* Does the plugin wait for the event?  "any" is the wildcard, an extender waits  *)
(* for everything.                                                                *)
Waits(plugin, event) ==
    CASE event = "any" -> TRUE
      [] plugin = "NodeResourcesFit" -> event \in {"pod deleted", "node added", "allocatable"}
      [] plugin = "InterPodAffinity" -> event \in {"pod deleted", "node added"}
      [] plugin = "NodeUnschedulable" -> event \in UnschedulableEvents
      [] OTHER -> TRUE

(* podMatchesEvent *)
Helps(event, plugins) == ~ComparesEvents \/ plugins = {} \/ \E plugin \in plugins : Waits(plugin, event)

(* MoveAllToActiveOrBackoffQueue *)
MoveAll(queue, passes, event) ==
    LET goes == {name \in PodsForMoveRequestRule(In(queue, "unschedulable"), passes) :
                     Helps(event, queue.waiting[name].plugins)}
    IN  [queue EXCEPT !.waiting = [name \in DOMAIN @ |-> IF name \in goes THEN [@[name] EXCEPT !.place = "active"]
                                                                          ELSE @[name]],
                      !.moved   = TRUE]

(* AssignedPodAdded and AssignedPodUpdated.  No pod asks for affinity. *)
NoteMoveRequest(queue) == [queue EXCEPT !.moved = TRUE]

NominatedAsKept(queue, pod) == pod

(* 1.31.  A pod that does not wait stays a reference. *)
NominatedAsQueued(queue, pod) ==
    IF pod.name \in DOMAIN queue.waiting THEN queue.waiting[pod.name].pod ELSE pod

(* NominatedPodsForNode *)
NominatedPods(queue, node) ==
    LET kept == PodsForNode(queue.nominations, node) IN [i \in DOMAIN kept |-> NominatedPodRule(queue, kept[i])]

AddNominatedPod(queue, pod, node, listed) ==
    [queue EXCEPT !.nominations = NominateForNodeRule(@, pod, node, listed)]

DeleteNominatedPodIfExists(queue, pod) == [queue EXCEPT !.nominations = NominatorDeleteRule(@, pod)]
===============================================================================
