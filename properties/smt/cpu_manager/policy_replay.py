"""A model of one step as concrete CPU sets, and the same operation run by the Python policy on them.

So that a counterexample to induction is one of the policy and not of its formulas.
"""

from typing import Any

from attrs import frozen
from z3 import BitVecRef, BoolRef

from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.static import start
from model.cpu.policy.types import PolicyMemory, PolicyRules, StaticPolicy, StaticPolicyOptions
from model.cpu.state.state import ContainerKey, CPUManagerState, sorted_assignments
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from properties.smt.cpu_manager.policy import REMOVE
from properties.smt.cpu_manager.policy_state import OWN, PolicyState
from properties.smt.cpu_manager.policy_steps import PolicyStep, freed_cpus, taken_cpus

POD, OTHER = "p", "q"


class DisagreementError(AssertionError):
    """The formulas say another thing of an operation than the Python policy does."""


@frozen
class Case:
    """A state of the policy as concrete sets."""

    machine: CPUSet
    reserved: CPUSet
    # The shared pool.
    default: CPUSet
    # The containers of the operation's pod, in order: the name, the kind (init, sidecar or app), the entry or None.
    containers: tuple[tuple[str, str, CPUSet | None], ...]
    # The exclusive CPUs of another pod.
    others: CPUSet
    # cpusToReuse, by pod.
    reuse: tuple[tuple[str, CPUSet], ...]

    def state(self, by_id: bool) -> CPUManagerState:
        """As the policy keeps it; `by_id`: entries by container id, up to 1.17."""
        entries = {key_of(POD, name, by_id): cpus for name, _, cpus in self.containers if cpus is not None}
        if self.others:
            entries[key_of(OTHER, "app", by_id)] = self.others
        return CPUManagerState(self.default, sorted_assignments(entries.items()))

    def __str__(self) -> str:
        entries = [f"{POD}/{name} {{{to_string(cpus)}}}" for name, _, cpus in self.containers if cpus is not None]
        entries += [f"{OTHER} {{{to_string(self.others)}}}"] * bool(self.others)
        reuse = [f"; cpusToReuse of {pod} {{{to_string(cpus)}}}" for pod, cpus in self.reuse if cpus]
        sets = f"shared {{{to_string(self.default)}}}, reserved {{{to_string(self.reserved)}}}"
        return f"CPUs {to_string(self.machine)}: {sets}, {', '.join(entries) or 'no entries'}{''.join(reuse)}"


def key_of(pod: str, container: str, by_id: bool) -> ContainerKey:
    return ("", f"{pod}/{container}") if by_id else (pod, container)


def cpus_of(model: Any, cpus: BitVecRef) -> CPUSet:
    """The set that a bit-vector is in a model."""
    value = int(model.eval(cpus, model_completion=True).as_long())
    return frozenset(cpu for cpu in range(cpus.size()) if value >> cpu & 1)


def holds(model: Any, bit: BoolRef) -> bool:
    return bool(model.eval(bit, model_completion=True))


def decode(model: Any, state: PolicyState, by_id: bool) -> Case:
    """The state in a model. What is further of its pod becomes two init containers, of which one may be freed."""
    containers: list[tuple[str, str, CPUSet | None]] = []
    freed = cpus_of(model, state.further & freed_cpus(state)) if by_id else frozenset()
    rest = cpus_of(model, state.further) - freed
    containers += [(name, "init", cpus) for name, cpus in (("freed", freed), ("further", rest)) if cpus]
    for number, slot in enumerate(state.own):
        kind = "sidecar" if holds(model, slot.sidecar) else "init" if holds(model, slot.init) else "app"
        entry = cpus_of(model, slot.cpus) if holds(model, slot.present) else None
        containers.append((f"{kind}{number}", kind, entry))
    reuse = cpus_of(model, state.reuse)
    return Case(
        cpus_of(model, state.machine),
        cpus_of(model, state.reserved),
        cpus_of(model, state.default),
        tuple(containers),
        cpus_of(model, state.others),
        ((POD if holds(model, state.mine) else OTHER, reuse),) if reuse else (),
    )


@frozen
class Replayed:
    """What the Python policy did: in words, and the state and memory after it."""

    words: str
    state: CPUManagerState
    memory: PolicyMemory


def replay(rules: PolicyRules, case: Case, operation: str, slot: int, taken: CPUSet) -> Replayed:
    """Run the operation. `slot`: the container's place among the last four; `taken`: what takeByTopology gives."""
    by_id = REMOVE.of(rules).by_id
    first = len(case.containers) - OWN
    policy = StaticPolicy(
        CPUTopology.of((cpu, cpu, 0, 0) for cpu in sorted(case.machine)), case.reserved, rules, _giving(taken)
    )
    state = case.state(by_id)
    memory = PolicyMemory(case.reuse, () if not by_id else (((POD, "freed"), f"{POD}/freed"),))
    if operation.startswith("start"):
        change = start(policy, state)
        return Replayed(f"Start {'is refused' if change.error else 'succeeds'}", change.state, change.memory)
    if operation == "remove the pod's entries":
        for name, _, _ in (*case.containers[first:], *case.containers[:first]):
            change = rules.remove_container(policy, state, memory, *key_of(POD, name, by_id))
            state, memory = change.state, change.memory
        return Replayed("removeStaleState removes the pod", state, memory)
    name, _, entry = case.containers[first + slot]
    if operation == "remove":
        change = rules.remove_container(policy, state, memory, *key_of(POD, name, by_id))
        return Replayed(f"RemoveContainer({POD}/{name})", change.state, change.memory)
    pod = _pod(case, {name: len(taken if entry is None else entry)})
    change = rules.allocate(policy, state, memory, pod, name, None, f"{POD}/{name}")
    if change.error is not None:
        raise DisagreementError(f"the policy refuses what the formulas allow: {change.error}")
    words = f"Allocate({POD}/{name}) {'finds its entry' if entry is not None else f'takes {{{to_string(taken)}}}'}"
    return Replayed(words, change.state, change.memory)


def _giving(taken: CPUSet) -> Any:
    def take(topology: CPUTopology, available: CPUSet, num_cpus: int, options: StaticPolicyOptions) -> CPUSet | GoError:
        return taken if taken <= available else GoError(f"{to_string(taken)} is not in {to_string(available)}")

    return take


def _pod(case: Case, sizes: dict[str, int]) -> PodSpec:
    specs = [
        (kind, ContainerSpec(name, str(sizes.get(name, 1)), restartable=kind == "sidecar"))
        for name, kind, _ in case.containers
    ]
    init = tuple(spec for kind, spec in specs if kind != "app")
    return PodSpec(POD, init, tuple(spec for kind, spec in specs if kind == "app") or (ContainerSpec("last"),))


def show(rules: PolicyRules, operation: str, state: PolicyState, step: PolicyStep, model: Any) -> str:
    """The step in words, as the Python policy takes it. Raises DisagreementError where the formulas say otherwise."""
    by_id = REMOVE.of(rules).by_id
    case = decode(model, state, by_id)
    if operation.startswith("a crash"):
        return f"{case}; {operation} leaves the file with {decode(model, step.after, by_id)}"
    done = replay(rules, case, operation, step.slot, cpus_of(model, taken_cpus(state)))
    said = decode(model, step.after, by_id)
    if said.state(by_id) != done.state or dict(said.reuse).get(POD, frozenset()) != done.memory.reusable(POD):
        raise DisagreementError(f"{case}; {done.words}: {done.state}, {done.memory}, and by the formulas {said}")
    return f"{case}; {done.words}, and then {said}"
