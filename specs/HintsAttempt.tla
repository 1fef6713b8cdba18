------------------------------ MODULE HintsAttempt ------------------------------
(***************************************************************************)
(* An attempt to schedule a pod in queueing-hints: the cycle, what follows *)
(* a failure, the binding, and where Done is called.  Operators without    *)
(* variables.  The same steps as in model/systems/queueing_hints:          *)
(* cycle_steps, failure_steps and binding_steps.  Each of these files says *)
(* which lock makes a step atomic.                                         *)
(*                                                                         *)
(* Go: pkg/scheduler/schedule_one.go, 1.28 to 1.36.                        *)
(*                                                                         *)
(* A step takes a world and the goroutine, and gives both as [w, g].  The  *)
(* world has the fields of ApiServer.tla, PodHandlers.tla and              *)
(* HintsQueue.tla, and these.                                              *)
(*   conditions  the plugins that accept every pod now                     *)
(*   unallocated DynamicResources leaves every pod pending                 *)
(*   bindings    a bag of goroutines                                       *)
(*   used        how often each power was used                             *)
(* A goroutine is a record:                                                *)
(*   steps       the names of the steps that it is still to do             *)
(*   pod, attempts, plugins, pending  of the popped record, or of the one  *)
(*               that went back                                            *)
(*   uid         the uid of the pod that Pop returned                      *)
(*   rejectedBy  the plugins that rejected the pod                         *)
(*   pendingBy   the plugins that left the pod pending                     *)
(*   activates   the name of the pod that a plugin wants to be tried, or   *)
(*               None                                                      *)
(*   done        Done was called                                           *)
(*   came        the events since the Pop, until Done                      *)
(***************************************************************************)
EXTENDS ApiServer, PodHandlers, HintsQueue

CONSTANTS
    Plugins,            \* the plugins that reject every pod as long as their condition does not hold
    OtherPod, Fills,    \* the name of the pod of others; how much it takes where it fills the node
    Tainted,            \* TaintToleration rejects every pod that does not tolerate the taint of all nodes
    OneNode,            \* the conditions are those of one node: the first plugin that rejects a pod ends the filters
    PendingKnown,       \* a plugin may leave a pod pending; if not, it rejects the pod
    DoneWhenSkipped,    \* Done is called of a pod that is skipped
    DoneWithoutProfile, \* and of one whose scheduler name is that of no profile
    DoneInBinding,      \* the phase after which a binding calls Done: WaitOnPermit, PreBind or Bind
    DoneAgain,          \* a failed binding calls Done once more
    Fine                \* a switch: each hold of a lock is an action of its own

-------------------------------------------------------------------------------
(* The plugin that has a pod wait at Permit. *)
PermitPlugin == "Coscheduling"

(* The one node. *)
Node == CHOOSE node \in Nodes : TRUE

Popping(info) ==
    [steps |-> <<"schedule">>, pod |-> info.pod, attempts |-> info.attempts, plugins |-> info.plugins, pending |-> {},
     uid |-> Uid(info.pod), rejectedBy |-> {}, pendingBy |-> {}, activates |-> None, done |-> FALSE, came |-> <<>>]

(* The goroutine goes on with its next step, or has ended. *)
Step(w, g) == [w |-> w, g |-> g]

Ended(w, g) == [w |-> w, g |-> [g EXCEPT !.steps = <<>>]]

(* The goroutine after its attempt failed. *)
Failed(g) == [g EXCEPT !.steps = <<"requeue", "done_after_requeue", "patch_failure">>]

BindingFailed(g) == [g EXCEPT !.steps = <<"binding_failed">>]

(* What comes from now on is no concern of the goroutine's pod. *)
IsDone(g) == [g EXCEPT !.done = TRUE, !.came = <<>>]

WithDone(w, uid) == LET Then(queue) == [w EXCEPT !.queue = Done(queue, uid)] IN WithValue(w.queue, Then)

Using(w, power) == [w EXCEPT !.used[power] = @ + 1]

-------------------------------------------------------------------------------
(* The scheduling cycle. *)

(* The cycle ends without an attempt. *)
LeftAlone(w, g, callsDone) == IF callsDone THEN Ended(WithDone(w, g.uid), IsDone(g)) ELSE Ended(w, g)

(* The plugins that would reject the pod in Filter. *)
RejectingInFilter(w, pod) ==
    LET others == {state.pod : state \in {w.cache.pods[uid] : uid \in {u \in DOMAIN w.cache.pods : u[1] = OtherPod}}}
    IN  (Plugins \ w.conditions)
        \union (IF Tainted /\ ~pod.tolerates THEN {"TaintToleration"} ELSE {})
        \union (IF \E other \in others : other.cpu >= Fills THEN {"NodeResourcesFit"} ELSE {})
        \union (IF pod.asks /\ ~\E other \in others : other.web THEN {"InterPodAffinity"} ELSE {})

(* In the order in which the filters run. *)
Filters == <<"TaintToleration", "NodeAffinity", "NodeResourcesFit", "InterPodAffinity">>

FirstOf(rejecting) ==
    IF OneNode /\ rejecting # {}
    THEN {Filters[Least({i \in DOMAIN Filters : Filters[i] \in rejecting})]}
    ELSE rejecting

(* preCheckForNode lets the pod hear of an event of the one node. *)
PassesPreCheck(w, pod) == RejectingInFilter(w, pod) \subseteq {"InterPodAffinity"}

(* outcome is "", "error" or "unknown profile".  When PreFilter finds no claims, no filter *)
(* runs.                                                                                  *)
Schedule(w, g, outcome) ==
    LET rejecting == IF w.queue.lacksClaims THEN {"DynamicResources"} ELSE FirstOf(RejectingInFilter(w, g.pod))
    IN  CASE outcome = "unknown profile" -> LeftAlone(Using(w, "unknown_profiles"), g, DoneWithoutProfile)
          [] outcome = "error" -> IF SkipPodScheduleRule(w.cache, g.pod)
                                  THEN LeftAlone(Using(w, "errors"), g, DoneWhenSkipped)
                                  ELSE Step(Using(w, "errors"), Failed(g))
          [] OTHER -> IF SkipPodScheduleRule(w.cache, g.pod)
                      THEN LeftAlone(w, g, DoneWhenSkipped)
                      ELSE IF rejecting # {}
                           THEN Step(w, Failed([g EXCEPT !.rejectedBy = rejecting]))
                           ELSE IF w.unallocated
                                THEN Step(w, Failed(IF PendingKnown
                                                    THEN [g EXCEPT !.pendingBy = {"DynamicResources"}]
                                                    ELSE [g EXCEPT !.rejectedBy = {"DynamicResources"}]))
                                ELSE Step(w, [g EXCEPT !.steps = <<"assume">>])

(* permit is "", "wait", or the name of a pod that a plugin wants to be tried. *)
Assume(w, g, permit) ==
    LET waits   == IF permit = "wait" THEN <<"wait_on_permit">> ELSE <<>>
        calls   == IF DoneInBinding = "WaitOnPermit" THEN <<"done_after_permit">> ELSE <<>>
        binding == [g EXCEPT !.pod.node = Node, !.steps = waits \o calls \o <<"pre_bind", "bind">>]
        asked   == IF permit = "wait" THEN Using(w, "permits") ELSE w
        Then(outcome) == IF outcome.error
                         THEN Step(w, Failed(g))
                         ELSE IF permit \in Pods
                              THEN Step([Using(w, "activations") EXCEPT !.cache = outcome.cache],
                                        [binding EXCEPT !.steps = <<"activate">> \o @, !.activates = permit])
                              ELSE Ended([asked EXCEPT !.cache = outcome.cache, !.bindings = Added(@, binding)], g)
    IN  WithValue(AssumePod(w.cache, binding.pod), Then)

(* Activate of the pod that a plugin asked for; then the binding starts. *)
Activate(w, g) ==
    LET Then(after) == Ended([after EXCEPT !.bindings = Added(@, [g EXCEPT !.activates = None])], g)
    IN  WithValue(IF w.lister[g.activates] = None THEN w ELSE ActivatePod(w, w.lister[g.activates]), Then)

-------------------------------------------------------------------------------
(* What follows a failure. *)

(* AddUnschedulableIfNotPresent of the lister's pod, and its deferred Done, which is *)
(* part of the action unless Fine.  Of a pod that is gone or bound Done is called at *)
(* the end.  If another pod has the name, no condition is written.                   *)
Requeue(w, requeued) ==
    LET g       == [requeued EXCEPT !.steps = Tail(@)]
        listed  == w.lister[g.pod.name]
        plugins == IF g.rejectedBy = {} THEN g.plugins ELSE g.rejectedBy
        info    == [NewRecord(listed) EXCEPT !.attempts = g.attempts, !.plugins = plugins, !.pending = g.pendingBy]
        gone    == Step(w, [g EXCEPT !.steps = <<"patch_failure", "done_after_failure">> \o Tail(@)])
        failed  == [g EXCEPT !.pod = listed, !.plugins = plugins, !.pending = g.pendingBy]
        Then(queue) == IF Fine
                       THEN Step([w EXCEPT !.queue = queue], [failed EXCEPT !.steps = requeued.steps])
                       ELSE Step([w EXCEPT !.queue = Done(queue, Uid(listed))], IsDone(failed))
        PutBack(queue) == WithValue(PutBackIfNotPresent(queue, info), Then)
    IN  IF listed = None
        THEN gone
        ELSE IF Bound(listed)
             THEN gone
             ELSE IF GoesBackRule(g.uid, Uid(listed))
                  THEN WithValue(Later(w.queue, 1), PutBack)
                  ELSE Step(WithDone(w, g.uid), IsDone([g EXCEPT !.steps = Tail(@)]))

(* The handler's own Done, which is part of the action unless Fine. *)
DoneAfterFailure(w, g) == Step(WithDone(w, g.uid), IsDone(g))

PatchFailure(w, g) ==
    LET isLast == IF g.steps = <<>> THEN TRUE ELSE Fine \/ Head(g.steps) # "done_after_failure"
        Then(patched) == IF isLast
                         THEN Step(patched, g)
                         ELSE DoneAfterFailure(patched, [g EXCEPT !.steps = Tail(@)])
    IN  WithValue(IF g.pod.condition \/ Live(w, g.pod) = None
                  THEN w
                  ELSE WritePod(w, [Live(w, g.pod) EXCEPT !.condition = TRUE]), Then)

-------------------------------------------------------------------------------
(* The binding goroutine. *)

(* permit is "allowed" or "rejected". *)
WaitOnPermit(w, g, permit) ==
    Step(w, IF permit = "allowed" THEN g ELSE BindingFailed([g EXCEPT !.rejectedBy = {PermitPlugin}]))

(* reply is "" or "error". *)
PreBind(w, g, reply) ==
    CASE reply = "error" -> Step(Using(w, "bind_errors"), BindingFailed(g))
      [] reply = "" /\ DoneInBinding = "PreBind" -> Step(WithDone(w, g.uid), IsDone(g))
      [] OTHER -> Step(w, g)

(* After Bind, in its action unless Fine; up to 1.31 Done follows. *)
FinishBinding(w, g) == IF DoneInBinding = "Bind" THEN Ended(WithDone(w, g.uid), IsDone(g)) ELSE Ended(w, g)

(* reply is "", "lost" or "refused". *)
Bind(w, g, reply) ==
    LET asked == IF reply = "lost" THEN Using(w, "lost_replies") ELSE w
        Then(answer) == IF answer.refused \/ reply = "lost"
                        THEN Step(answer.w, BindingFailed(g))
                        ELSE IF Fine
                             THEN Step(answer.w, [g EXCEPT !.steps = <<"finish_binding">>])
                             ELSE FinishBinding(answer.w, g)
    IN  IF reply = "refused"
        THEN Step(Using(w, "bind_errors"), BindingFailed(g))
        ELSE WithValue(RequestBind(asked, g.pod, Node, TRUE), Then)

(* ForgetPod; if this succeeds, pods are moved. *)
ForgetAssumed(w, g) ==
    LET then == [Failed(g) EXCEPT !.steps = @ \o (IF DoneAgain THEN <<"done_again">> ELSE <<>>)]
        Then(outcome) ==
            LET event       == EvOf("AssignedPodDelete", g.pod, None)
                Moved(told) == Step(IF outcome.error THEN told ELSE MoveAllByHints(Moment(told), event), then)
            IN  WithValue(Called(w, "forget_pod", outcome), Moved)
    IN  WithValue(ForgetPod(w.cache, g.pod), Then)

-------------------------------------------------------------------------------
(* One step.  choice is what the step chooses, "" where there is no choice. *)
Ran(w, goroutine, choice) ==
    LET step == Head(goroutine.steps)
        g    == [goroutine EXCEPT !.steps = Tail(@)]
    IN  CASE step = "schedule" -> Schedule(w, g, choice)
          [] step = "assume" -> Assume(w, g, choice)
          [] step = "activate" -> Activate(w, g)
          [] step = "requeue" -> Requeue(w, g)
          [] step = "done_after_requeue" -> Step(WithDone(w, Uid(g.pod)), IsDone(g))
          [] step = "patch_failure" -> PatchFailure(w, g)
          [] step = "done_after_failure" -> DoneAfterFailure(w, g)
          [] step = "wait_on_permit" -> WaitOnPermit(w, g, choice)
          [] step = "pre_bind" -> PreBind(w, g, choice)
          [] step = "bind" -> Bind(w, g, choice)
          [] step = "finish_binding" -> FinishBinding(w, g)
          [] step = "binding_failed" -> ForgetAssumed(w, g)
          [] step \in {"done_after_permit", "done_again"} -> Step(WithDone(w, g.uid), IsDone(g))
===============================================================================
