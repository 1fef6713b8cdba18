---------------------------- MODULE SchedulingObjects ----------------------------
(***************************************************************************)
(* What all modules of scheduling share: pods, functions, sequences, bags. *)
(* Pure operators, no variables.                                           *)
(*                                                                         *)
(* A pod is a version of its object, a record as in model/objects.py:      *)
(*   name, inc   its name, and which incarnation of the name: its uid      *)
(*   node        where it is bound, NoNode while it is not                 *)
(*   nominated   status.nominatedNodeName, or NoNode                       *)
(*   note, app, kept  how often annotation, label, finalizers changed      *)
(*   gpu         it has the annotation that the extender writes            *)
(*   condition   PodScheduled=False                                        *)
(*   terminating it has a deletionTimestamp                                *)
(* Priority follows from the name.  Every pod asks for the same.           *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Pods,        \* pod names
    HighPods,    \* those of the higher priority
    Nodes,       \* node names
    Room,        \* pods that fit on a node
    None,        \* in place of an object: there is none; of a node: as the status says
    NoNode       \* in place of a node's name: ""

Range(seq) == {seq[i] : i \in DOMAIN seq}

(* Apply(value), with the value worked out once, under ENABLED too: see NodeTree.tla. *)
WithValue(value, Apply(_)) == CHOOSE result \in {Apply(x) : x \in {value}} : TRUE

EmptyFunction == [x \in {} |-> {}]

(* The function f, but for x, which it takes to y. *)
Extended(f, x, y) == [z \in DOMAIN f \union {x} |-> IF z = x THEN y ELSE f[z]]

Without(f, x) == [z \in DOMAIN f \ {x} |-> f[z]]

(* A sequence without what stands at a place. *)
Dropped(seq, at) == SubSeq(seq, 1, at - 1) \o SubSeq(seq, at + 1, Len(seq))

Places(seq, Holds(_)) == {i \in DOMAIN seq : Holds(seq[i])}

Least(numbers) == CHOOSE n \in numbers : \A m \in numbers : n <= m

(* Bags, of goroutines that run beside each other: how often there is each. *)
Added(bag, x) == Extended(bag, x, IF x \in DOMAIN bag THEN bag[x] + 1 ELSE 1)

Removed(bag, x) == IF bag[x] = 1 THEN Without(bag, x) ELSE [bag EXCEPT ![x] = @ - 1]

RECURSIVE SumOver(_, _)
SumOver(f, keys) ==
    IF keys = {} THEN 0 ELSE LET key == CHOOSE k \in keys : TRUE IN f[key] + SumOver(f, keys \ {key})

-------------------------------------------------------------------------------
(* Incarnation 0 is a name alone. *)
NewPod(name, inc) ==
    [name |-> name, inc |-> inc, node |-> NoNode, nominated |-> NoNode, note |-> 0, gpu |-> FALSE, app |-> 0,
     kept |-> 0, condition |-> FALSE, terminating |-> FALSE]

Uid(pod) == <<pod.name, pod.inc>>

Priority(name) == IF name \in HighPods THEN 1 ELSE 0

Bound(pod) == pod.node # NoNode

(* One order of names, for lists that are made by name.  TLC takes them as the   *)
(* .cfg gives them.                                                              *)
RECURSIVE InSomeOrder(_)
InSomeOrder(names) ==
    IF names = {} THEN <<>> ELSE LET name == CHOOSE n \in names : TRUE IN <<name>> \o InSomeOrder(names \ {name})

PodOrder == InSomeOrder(Pods)

PlaceOf(name) == CHOOSE i \in DOMAIN PodOrder : PodOrder[i] = name

NodeOrder == InSomeOrder(Nodes)
===============================================================================
