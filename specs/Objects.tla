--------------------------------- MODULE Objects ---------------------------------
(***************************************************************************)
(* What all modules of the scheduler share: pods, functions, sequences,    *)
(* bags.  Operators without variables.                                     *)
(*                                                                         *)
(* A pod is one version of its object, a record as in model/objects.py:    *)
(*   name        the pod's name                                            *)
(*   inc         which incarnation of the name: <<name, inc>> is the uid   *)
(*   cpu         what the pod asks for: 2 if the pod is big, else 1; 0 of a *)
(*               pod of which only name and uid are known                  *)
(*   node        the node that the pod is bound to; NoNode before          *)
(*   nominated   status.nominatedNodeName, or NoNode                       *)
(*   note        how often the annotation changed                          *)
(*   app         how often the label changed                               *)
(*   kept        how often the finalizers changed                          *)
(*   gpu         the pod has the annotation that the extender writes       *)
(*   gated       the pod has a scheduling gate                             *)
(*   tolerates   the pod tolerates the taint that all nodes may have       *)
(*   web         the pod has the label that others may ask for             *)
(*   asks        the pod asks to be beside a pod with that label           *)
(*   condition   the pod has the condition PodScheduled=False              *)
(*   terminating the pod has a deletionTimestamp                           *)
(*   disrupted   the pod has the condition DisruptionTarget                *)
(* The priority follows from the name.                                     *)
(*                                                                         *)
(* A version of a node is a record:                                        *)
(*   room        how much the pods on the node may ask for                 *)
(*   cordoned    spec.unschedulable                                        *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Pods,        \* pod names
    HighPods,    \* the names of the pods of higher priority
    TopPods,     \* those of them whose priority is higher still
    BigPods,     \* the names of the pods that ask for 2
    OthersPods,  \* those of the pods that name another scheduler in each incarnation but the first
    Nodes,       \* node names
    Room,        \* how many pods that ask for 1 fit on a new node
    None,        \* there is no object; in place of a node: the node that the pod's status names
    NoNode       \* the empty node name ""

Range(seq) == {seq[i] : i \in DOMAIN seq}

(* Apply(value).  TLC computes the value once, under ENABLED too: see NodeTree.tla. *)
WithValue(value, Apply(_)) == CHOOSE result \in {Apply(x) : x \in {value}} : TRUE

EmptyFunction == [x \in {} |-> {}]

(* The function f, except that x goes to y. *)
Extended(f, x, y) == [z \in DOMAIN f \union {x} |-> IF z = x THEN y ELSE f[z]]

Without(f, x) == [z \in DOMAIN f \ {x} |-> f[z]]

(* The sequence without the element at this place. *)
Dropped(seq, at) == SubSeq(seq, 1, at - 1) \o SubSeq(seq, at + 1, Len(seq))

Places(seq, Holds(_)) == {i \in DOMAIN seq : Holds(seq[i])}

Least(numbers) == CHOOSE n \in numbers : \A m \in numbers : n <= m

(* The sequences that have each element of the set once. *)
InEveryOrder(set) ==
    {seq \in [1 .. Cardinality(set) -> set] : \A i, j \in DOMAIN seq : seq[i] = seq[j] => i = j}

(* A bag: a function from each element to how often the element is there. *)
Added(bag, x) == Extended(bag, x, IF x \in DOMAIN bag THEN bag[x] + 1 ELSE 1)

Removed(bag, x) == IF bag[x] = 1 THEN Without(bag, x) ELSE [bag EXCEPT ![x] = @ - 1]

RECURSIVE SumOver(_, _)
SumOver(f, keys) ==
    IF keys = {} THEN 0 ELSE LET key == CHOOSE k \in keys : TRUE IN f[key] + SumOver(f, keys \ {key})

-------------------------------------------------------------------------------
(* Incarnation 0: only the name is known. *)
NewPod(name, inc) ==
    [name |-> name, inc |-> inc, cpu |-> IF inc > 0 /\ name \in BigPods THEN 2 ELSE 1, node |-> NoNode,
     nominated |-> NoNode, note |-> 0, gpu |-> FALSE, app |-> 0, kept |-> 0, gated |-> FALSE, tolerates |-> FALSE,
     web |-> FALSE, asks |-> FALSE, condition |-> FALSE, terminating |-> FALSE,
     disrupted |-> FALSE]

Uid(pod) == <<pod.name, pod.inc>>

(* A pod of no more than name and uid: it asks for nothing, and has the lowest priority. *)
Reference(pod) == [NewPod(pod.name, pod.inc) EXCEPT !.cpu = 0]

Priority(name) == (IF name \in HighPods THEN 1 ELSE 0) + (IF name \in TopPods THEN 1 ELSE 0)

PriorityOf(pod) == IF pod.cpu = 0 THEN 0 ELSE Priority(pod.name)

NewNode == [room |-> Room, cordoned |-> FALSE]

Bound(pod) == pod.node # NoNode

ChangesLabels(old, new) == old.web # new.web \/ old.app # new.app

(* The pod names another scheduler. *)
IsOfOthers(pod) == pod.inc > 1 /\ pod.name \in OthersPods

(* One order of the names, for lists that are sorted by name.  TLC takes the     *)
(* names in the order of the .cfg.                                               *)
RECURSIVE InSomeOrder(_)
InSomeOrder(names) ==
    IF names = {} THEN <<>> ELSE LET name == CHOOSE n \in names : TRUE IN <<name>> \o InSomeOrder(names \ {name})

NodeOrder == InSomeOrder(Nodes)
===============================================================================
