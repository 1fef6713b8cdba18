------------------------------- MODULE CpuPolicy -------------------------------
(***************************************************************************)
(* The kubelet's static CPU policy: which CPUs a container gets, what a    *)
(* removal gives back, which state a start accepts.  Pure operators, no    *)
(* variables.  Function by function the same as model/cpu/policy/ and      *)
(* model/cpu/assignment/packed.py, on a machine with one socket.           *)
(*                                                                         *)
(* Go: pkg/kubelet/cm/cpumanager/policy_static.go and cpu_assignment.go,   *)
(* releases 1.18 to 1.31.  Each operation runs under manager.Lock.         *)
(*                                                                         *)
(* A node is a record:                                                     *)
(*   cores     core c has the CPUs c * Threads .. (c + 1) * Threads - 1    *)
(*   offline   set of the CPUs that are missing                            *)
(*   reserved  how many CPUs to reserve                                    *)
(* A shape says what a pod asks for.  0 is half a CPU of the shared pool:  *)
(*   init, app sequences of numbers of CPUs, containers in their order     *)
(* A container is known by <<pod, "i" or "a", number from 0>>.  The state  *)
(* that every change writes to the checkpoint is a record:                 *)
(*   default   set of CPUs, the shared pool                                *)
(*   entries   function from containers to their exclusive CPUs            *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANT Threads

Range(seq) == {seq[i] : i \in DOMAIN seq}

(* Apply(value).  TLC computes the value once, under ENABLED too: see NodeTree.tla. *)
WithValue(value, Apply(_)) == CHOOSE result \in {Apply(x) : x \in {value}} : TRUE

Least(numbers) == CHOOSE n \in numbers : \A m \in numbers : n <= m

EmptyFunction == [x \in {} |-> {}]

(* The function f, except that x goes to y. *)
Extended(f, x, y) == [z \in DOMAIN f \union {x} |-> IF z = x THEN y ELSE f[z]]

Without(f, xs) == [z \in DOMAIN f \ xs |-> f[z]]

-------------------------------------------------------------------------------
(* Machines and pods. *)

Cpus(node) == (0 .. node.cores * Threads - 1) \ node.offline

CoreOf(cpu) == cpu \div Threads

InCore(cpus, core) == {cpu \in cpus : CoreOf(cpu) = core}

Containers(shape) == shape.init \o shape.app

IsInit(shape, at) == at <= Len(shape.init)

(* The container at this place, from 1. *)
Ref(pod, shape, at) ==
    IF IsInit(shape, at) THEN <<pod, "i", at - 1>> ELSE <<pod, "a", at - 1 - Len(shape.init)>>

RefsOf(pod, shape) == {Ref(pod, shape, at) : at \in DOMAIN Containers(shape)}

-------------------------------------------------------------------------------
(* takeByTopologyNUMAPacked on one socket, which is one NUMA node: all CPUs,   *)
(* whole free cores, single CPUs.  Where every CPU is online, all releases     *)
(* take the same CPUs.  Where CPUs are offline, those before 1.22 take others. *)

(* CPUsPerCore, a mean of the machine.  A core with so many free CPUs is free. *)
CpusPerCore(node) ==
    LET cpus == Cpus(node) IN Cardinality(cpus) \div Cardinality({CoreOf(cpu) : cpu \in cpus})

(* takeFullCores.  All CPUs of a core are taken, also those that are not available. *)
RECURSIVE TakeCores(_, _, _, _)
TakeCores(node, cores, taken, num) ==
    IF cores = {}
    THEN [taken |-> taken, num |-> num]
    ELSE LET core  == Least(cores)
             whole == InCore(Cpus(node), core)
             rest  == cores \ {core}
         IN  IF num >= Cardinality(whole)
             THEN TakeCores(node, rest, taken \union whole, num - Cardinality(whole))
             ELSE TakeCores(node, rest, taken, num)

(* takeRemainingCPUs: CPU by CPU, from the core with the fewest free ones. *)
RECURSIVE TakeSingles(_, _)
TakeSingles(free, num) ==
    IF num = 0
    THEN {}
    ELSE LET Left(c)      == Cardinality(InCore(free, CoreOf(c)))
             Before(a, b) == IF Left(a) = Left(b) THEN a <= b ELSE Left(a) < Left(b)
             cpu          == CHOOSE a \in free : \A b \in free : Before(a, b)
         IN  {cpu} \union TakeSingles(free \ {cpu}, num - 1)

(* [ok, cpus]: num of the available CPUs, if there are so many. *)
TakeByTopology(node, available, num) ==
    LET cpus        == Cpus(node)
        free        == available \intersect cpus
        Failed      == [ok |-> FALSE, cpus |-> {}]
        Took(taken) == [ok |-> TRUE, cpus |-> taken]
        cores       == {core \in {CoreOf(cpu) : cpu \in free} :
                            Cardinality(InCore(free, core)) = CpusPerCore(node)}
        Rest(whole) == IF whole.num > Cardinality(free \ whole.taken)
                       THEN Failed
                       ELSE Took(whole.taken \union TakeSingles(free \ whole.taken, whole.num))
    IN  CASE num < 1                  -> Took({})
          [] num > Cardinality(free)  -> Failed
          [] num = Cardinality(cpus)  -> Took(cpus)
          [] OTHER                    -> WithValue(TakeCores(node, cores, {}, num), Rest)

-------------------------------------------------------------------------------
(* Allocate.  A policy is [node, reserved]: the node on which the kubelet   *)
(* started, and the CPUs that the kubelet reserved.  A change is a record:  *)
(*   state   the state afterwards                                           *)
(*   stores  the states that were written on the way; the last one is state *)
(*   reuse   the policy's cpusToReuse                                       *)
(*   ok      there was no error                                             *)

Change(state, stores, reuse, ok) == [state |-> state, stores |-> stores, reuse |-> reuse, ok |-> ok]

Reusable(reuse, pod) == IF pod \in DOMAIN reuse THEN reuse[pod] ELSE {}

(* updateCPUsToReuse.  The CPUs of an init container come in.  Those of any other *)
(* container go out.  Those of other pods are dropped.                            *)
UpdateCPUsToReuse(reuse, pod, shape, at, cpus) ==
    [p \in {pod} |-> IF IsInit(shape, at) THEN Reusable(reuse, pod) \union cpus
                                          ELSE Reusable(reuse, pod) \ cpus]

(* GetAvailableCPUs *)
Available(policy, s) == s.default \ policy.reserved

Entered(s, ref, cpus) == [s EXCEPT !.entries = Extended(@, ref, cpus)]

(* 1.18.4 to 1.31, pull request #90419. *)
AllocateReusing(policy, s, reuse, pod, shape, at) ==
    LET num            == Containers(shape)[at]
        ref            == Ref(pod, shape, at)
        Updated(cpus)  == UpdateCPUsToReuse(reuse, pod, shape, at, cpus)
        Given(cpus)    == LET without == [s EXCEPT !.default = @ \ cpus]
                              entered == Entered(without, ref, cpus)
                          IN  Change(entered, <<without, entered>>, Updated(cpus), TRUE)
        Taken(taken)   == IF taken.ok THEN Given(taken.cpus) ELSE Change(s, <<>>, reuse, FALSE)
    IN  CASE num = 0                  -> Change(s, <<>>, reuse, TRUE)
          [] num > 0 /\ ref \in DOMAIN s.entries
                                      -> Change(s, <<>>, Updated(s.entries[ref]), TRUE)
          [] OTHER                    -> WithValue(TakeByTopology(policy.node,
                                             Available(policy, s) \union Reusable(reuse, pod), num), Taken)

(* 1.18.0 to 1.18.3, pull request #87759.  The CPUs of an init container go back *)
(* into the shared pool at once, and the container keeps them, too.              *)
AllocateReturningInitCPUs(policy, s, reuse, pod, shape, at) ==
    LET num          == Containers(shape)[at]
        ref          == Ref(pod, shape, at)
        Given(cpus)  == LET without  == [s EXCEPT !.default = @ \ cpus]
                            entered  == Entered(without, ref, cpus)
                            returned == [entered EXCEPT !.default = @ \union cpus]
                        IN  IF IsInit(shape, at)
                            THEN Change(returned, <<without, entered, returned>>, reuse, TRUE)
                            ELSE Change(entered, <<without, entered>>, reuse, TRUE)
        Taken(taken) == IF taken.ok THEN Given(taken.cpus) ELSE Change(s, <<>>, reuse, FALSE)
    IN  IF num = 0 \/ ref \in DOMAIN s.entries
        THEN Change(s, <<>>, reuse, TRUE)
        ELSE WithValue(TakeByTopology(policy.node, Available(policy, s), num), Taken)

(* A mutant: takes one CPU too many, the highest CPUs first, and reserved CPUs *)
(* if no others are left.                                                      *)
RECURSIVE Highest(_, _)
Highest(cpus, num) ==
    IF num = 0 \/ cpus = {}
    THEN {}
    ELSE LET cpu == CHOOSE c \in cpus : \A d \in cpus : c >= d
         IN  {cpu} \union Highest(cpus \ {cpu}, num - 1)

AllocateReserved(policy, s, reuse, pod, shape, at) ==
    LET num         == Containers(shape)[at]
        ref         == Ref(pod, shape, at)
        free        == Available(policy, s)
        wanted      == IF Cardinality(s.default) > num THEN num + 1 ELSE Cardinality(s.default)
        first       == Highest(free, wanted)
        cpus        == first \union
                           { cpu \in s.default \intersect policy.reserved :
                               Cardinality({c \in s.default \intersect policy.reserved : c < cpu})
                                   < wanted - Cardinality(first) }
        without     == [s EXCEPT !.default = @ \ cpus]
        entered     == Entered(without, ref, cpus)
    IN  IF num = 0 \/ ref \in DOMAIN s.entries
        THEN Change(s, <<>>, reuse, TRUE)
        ELSE Change(entered, <<without, entered>>, reuse, TRUE)

-------------------------------------------------------------------------------
(* RemoveContainer, as the states that are stored: none if there is no entry. *)

(* The entry is dropped.  Its CPUs that are not in use go into the shared pool. *)
Released(s, ref, inUse) ==
    LET deleted == [s EXCEPT !.entries = Without(@, {ref})]
    IN  <<deleted, [deleted EXCEPT !.default = @ \union (s.entries[ref] \ inUse)]>>

(* getAssignedCPUsOfSiblings *)
AssignedToSiblings(s, ref) ==
    UNION {s.entries[other] : other \in {r \in DOMAIN s.entries : r[1] = ref[1] /\ r # ref}}

(* 1.24 to 1.31, pull request #104837.  CPUs that another container of the pod has *)
(* stay out of the shared pool.                                                    *)
RemoveContainer(s, ref) ==
    IF ref \in DOMAIN s.entries THEN Released(s, ref, AssignedToSiblings(s, ref)) ELSE <<>>

(* 1.18 to 1.23.  All CPUs come free, also those that app containers use again. *)
RemoveContainerFreeingAll(s, ref) ==
    IF ref \in DOMAIN s.entries THEN Released(s, ref, {}) ELSE <<>>

-------------------------------------------------------------------------------
(* NewStaticPolicy and Start. *)

EmptyState == [default |-> {}, entries |-> EmptyFunction]

Assigned(s) == UNION {s.entries[ref] : ref \in DOMAIN s.entries}

(* The CPUs that a kubelet reserves when it starts on this node.  If the node *)
(* has too few CPUs, they are fewer than the kubelet is told, and the kubelet *)
(* does not start.                                                            *)
ReservedCpus(node) == TakeByTopology(node, Cpus(node), node.reserved).cpus

Accepted(s) == [ok |-> TRUE, state |-> s, stores |-> <<>>]

Rejected(s) == [ok |-> FALSE, state |-> s, stores |-> <<>>]

(* validateState, as [ok, state, stores].  An empty state gets every CPU of the *)
(* machine.  Any other state stays as it is.                                    *)
ValidateState(policy, s) ==
    LET cpus   == Cpus(policy.node)
        filled == [s EXCEPT !.default = cpus]
        sound  == /\ policy.reserved \subseteq s.default
                  /\ \A ref \in DOMAIN s.entries : s.entries[ref] \intersect s.default = {}
                  /\ s.default \union Assigned(s) = cpus
    IN  IF s.default = {}
        THEN IF DOMAIN s.entries = {}
             THEN [ok |-> TRUE, state |-> filled, stores |-> <<filled>>]
             ELSE Rejected(s)
        ELSE IF sound THEN Accepted(s) ELSE Rejected(s)

(* GetAllocatableCPUs, as a set with the CPUs that are reported: every CPU that is *)
(* not reserved (pull request #112913).                                            *)
AllocatableCPUs(policy, s) == {Cpus(policy.node) \ policy.reserved}

(* From 1.21 until then, the CPUs that are free when the kubelet starts. *)
AllocatableCPUsFreeNow(policy, s) == {Available(policy, s)}

(* 1.18 to 1.20: none are reported. *)
AllocatableCPUsNotReported(policy, s) == {}
===============================================================================
