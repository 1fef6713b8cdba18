------------------------------- MODULE ApiServer -------------------------------
(***************************************************************************)
(* What requests for pods do at the API server.  Operators without         *)
(* variables.  The same as model/systems/scheduling/api_server.py.         *)
(*                                                                         *)
(* An operator takes and gives a world: a record with these two fields,    *)
(* and with any others.                                                    *)
(*   pods      by name: the live version of the pod, or None               *)
(*   podWatch  the events on their way to the informer, the oldest first:  *)
(*             [kind, pod, unknown].  kind is add, update or delete.       *)
(*             unknown: the informer only knows that the pod is gone.      *)
(*                                                                         *)
(* Go: pkg/registry/core/pod/storage/storage.go, assignPod for a binding.  *)
(***************************************************************************)
EXTENDS Objects

CONSTANTS
    Graceful,       \* a bound pod that is deleted terminates before it is gone
    BlockedDeletes, \* so does any pod with finalizers
    ClearsNomination    \* a Binding clears status.nominatedNodeName: 1.35 on

Live(w, pod) == w.pods[pod.name]

PodEvent(kind, pod) == [kind |-> kind, pod |-> pod, unknown |-> FALSE]

WritePod(w, pod) ==
    IF w.pods[pod.name] = pod
    THEN w
    ELSE [w EXCEPT !.pods[pod.name] = pod,
                   !.podWatch = Append(@, PodEvent(IF w.pods[pod.name] = None THEN "add" ELSE "update", pod))]

DropPod(w, name) ==
    [w EXCEPT !.pods[name] = None, !.podWatch = Append(@, PodEvent("delete", w.pods[name]))]

(* A reply is the world afterwards, and whether the request was refused. *)
Granted(w) == [w |-> w, refused |-> FALSE]

Refused(w) == [w |-> w, refused |-> TRUE]

(* DELETE by name. *)
RequestDelete(w, name) ==
    IF w.pods[name] = None
    THEN Refused(w)
    ELSE IF (Graceful /\ Bound(w.pods[name])) \/ (BlockedDeletes /\ w.pods[name].kept > 0)
         THEN Granted(WritePod(w, [w.pods[name] EXCEPT !.terminating = TRUE]))
         ELSE Granted(DropPod(w, name))

(* POST of a Binding.  honoursUid: the uid of the Binding must be the live pod's. *)
RequestBind(w, pod, node, honoursUid) ==
    LET current == Live(w, pod)
    IN  IF current = None
        THEN Refused(w)
        ELSE IF Bound(current) \/ current.terminating \/ (honoursUid /\ current.inc # pod.inc)
             THEN Refused(w)
             ELSE Granted(WritePod(w, [current EXCEPT !.node = node, !.condition = FALSE,
                                                      !.nominated = IF ClearsNomination THEN NoNode ELSE @]))

(* PUT of a version that is not the live one is a conflict.  PATCH changes the live *)
(* version, whatever that is.                                                       *)
PutStatus(w, pod, status) == IF Live(w, pod) = pod THEN Granted(WritePod(w, status)) ELSE Refused(w)

PatchNominated(w, pod, node) ==
    IF Live(w, pod) = None THEN w ELSE WritePod(w, [Live(w, pod) EXCEPT !.nominated = node])
===============================================================================
