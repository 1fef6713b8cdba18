-------------------------------- MODULE CpuPods --------------------------------
(***************************************************************************)
(* Pods and their containers on a node of cpu-manager.  Operators without  *)
(* variables.  The same as model/systems/cpu_manager: pods and shapes.     *)
(*                                                                         *)
(* A pod is a record:                                                      *)
(*   phase       absent, active, succeeded, failed or deleted              *)
(*   shape       what the pod asks for, see CpuPolicy.tla                  *)
(*   seen        the kubelet has admitted it: no, admitting or yes         *)
(*   admitted    how many of its containers the kubelet has admitted       *)
(*   containers  in their order: [state, cpus].  state is waiting, running *)
(*               or exited.  cpus are those that the cgroup allows.        *)
(***************************************************************************)
EXTENDS CpuPolicy

CONSTANTS
    Pods,          \* pod names
    Cores,         \* the machine's cores at first
    Reserved,      \* how many CPUs are reserved at first
    MaxContainers, \* a pod's containers, at most
    MaxSize,       \* CPUs that a container asks for, at most
    InitContainers \* a switch: pods may have init containers

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

-------------------------------------------------------------------------------
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
===============================================================================
