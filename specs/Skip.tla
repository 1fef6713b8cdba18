--------------------------------- MODULE Skip ---------------------------------
(***************************************************************************)
(* What the scheduler skips: updates of pods that it has assumed, and      *)
(* popped pods that need no scheduling.  Operators without variables.      *)
(* The same as model/scheduler/skip.py.                                    *)
(*                                                                         *)
(* Go: skipPodUpdate in pkg/scheduler/eventhandlers.go, 1.14 to 1.21, and  *)
(* skipPodSchedule in scheduler.go, 1.18 to 1.23, in schedule_one.go later *)
(***************************************************************************)
EXTENDS Cache

CONSTANTS
    \* Rules, named after their fields.
    StripPodRule(_),                    \* pod |-> pod without the fields that a benign update changes
    SkipPodUpdateRule(_, _, _),         \* cache, assumed pod, calls |-> calls
    SkipPodScheduleRule(_, _)           \* cache, popped pod |-> is the pod skipped

StripAnnotations(pod) == [pod EXCEPT !.node = NoNode, !.note = 0, !.gpu = FALSE]

StripBenignFields(pod) == [StripAnnotations(pod) EXCEPT !.kept = 0, !.condition = FALSE]

DiffersOnlyInStripped(known, pod) == StripPodRule(known) = StripPodRule(pod)

(* Up to 1.21 an update of an assumed pod is dropped only if it is benign.  GetPod *)
(* tells how the assumed pod looks.                                               *)
SkipPodUpdateIfBenign(known, pod, calls) ==
    IF DiffersOnlyInStripped(known.pods[Uid(pod)].pod, pod) THEN <<>> ELSE calls

SkipAnyPodUpdate(known, pod, calls) == <<>>

SkipTerminatingPod(known, pod) == pod.terminating

SkipTerminatingOrAssumedPod(known, pod) ==
    \/ pod.terminating
    \/ IF IsAssumedPod(known, pod) THEN SkipPodUpdateRule(known, pod, <<"schedule">>) = <<>> ELSE FALSE
===============================================================================
