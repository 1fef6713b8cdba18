"""The policy's operations as steps from any state to the next, for proofs: what an operation takes is any subset.

A step is the operation on the container at one place of the pod's order. Each has a twin in Python, and a model of a
step can be run there (policy_replay.py).
"""

from collections.abc import Callable, Iterator

from attrs import evolve, frozen
from z3 import And, BitVec, BitVecRef, BoolRef, BoolVal, If, Not, Or

from model.cpu.policy.types import PolicyRules
from properties.smt.cpu_manager.policy import (
    ALLOCATE,
    REMOVE,
    UPDATE_REUSE,
    AllocateForm,
    RemoveForm,
    Reuse,
    empty,
    subset,
    validate_state,
)
from properties.smt.cpu_manager.policy_state import OWN, PolicyState, Slot


@frozen
class PolicyForms:
    """The forms of a choice of rules."""

    allocate: AllocateForm
    update_reuse: Reuse
    remove: RemoveForm

    @classmethod
    def of(cls, rules: PolicyRules) -> "PolicyForms":
        """Raises NoFormError for a rule from outside."""
        return cls(ALLOCATE.of(rules), UPDATE_REUSE.of(rules), REMOVE.of(rules))


@frozen
class PolicyStep:
    """One operation of the policy, as a formula."""

    # Where the admission of the pod is before the operation.
    cursor: int
    # The container of the operation; OWN if the operation is on the whole pod or on no container.
    slot: int
    # What is true of the operation.
    happens: BoolRef
    # The state after the operation, and where the admission of the pod is then.
    after: PolicyState
    cursor_after: int


Steps = Callable[[PolicyForms, PolicyState], Iterator[PolicyStep]]


def taken_cpus(state: PolicyState) -> BitVecRef:
    """What an allocation takes."""
    return BitVec("taken", state.width)


def freed_cpus(state: PolicyState) -> BitVecRef:
    """Further entries that are removed: by an allocation of 1.16 or 1.17 first, or by a removal that is cut short."""
    return BitVec("freed", state.width)


def with_slot(state: PolicyState, number: int, slot: Slot) -> PolicyState:
    return evolve(state, own=(*state.own[:number], slot, *state.own[number + 1 :]))


def _remembering(forms: PolicyForms, state: PolicyState, slot: Slot, cpus: BitVecRef) -> PolicyState:
    if not forms.allocate.remembers:
        return state
    return evolve(state, reuse=forms.update_reuse(state.own_reuse, cpus, slot.init, slot.sidecar), mine=BoolVal(True))


def allocations(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """`Allocate` for a container without entry, at the place where the pod's admission is; it takes any subset."""
    taken = taken_cpus(state)
    for cursor, slot in enumerate(state.own):
        before, happens = state, [Not(slot.present), taken != 0]
        if forms.allocate.removes_init:
            freed = freed_cpus(state)
            happens.append(subset(freed, state.further))
            before = evolve(state, default=state.default | freed, further=state.further & ~freed)
        available = forms.allocate.available(before.default, before.reserved, before.own_reuse)
        happens.append(subset(taken, available))
        default = forms.allocate.pool(before.default, taken, slot.init)
        entered = with_slot(evolve(before, default=default), cursor, evolve(slot, present=BoolVal(True), cpus=taken))
        yield PolicyStep(cursor, cursor, And(*happens), _remembering(forms, entered, slot, taken), cursor + 1)


def repeated_allocations(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """`Allocate` for a container with its entry: the pod is admitted again by a kubelet that restarted."""
    for cursor, slot in enumerate(state.own):
        yield PolicyStep(cursor, cursor, slot.present, _remembering(forms, state, slot, slot.cpus), cursor + 1)


def _removed(forms: PolicyForms, state: PolicyState, number: int) -> PolicyState:
    slot = state.own[number]
    default = forms.remove.pool(state.default, slot.entry, state.siblings(number))
    return with_slot(evolve(state, default=default), number, evolve(slot, present=BoolVal(False)))


def _with_present(state: PolicyState, number: int) -> BoolRef:
    return state.own[number].present


def removals(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """`RemoveContainer` for any container, admission being anywhere."""
    for cursor in range(OWN + 1):
        for number in range(OWN):
            yield PolicyStep(cursor, number, _with_present(state, number), _removed(forms, state, number), cursor)


def removals_of_init(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """`RemoveContainer` for an init container that has ended."""
    for step in removals(forms, state):
        yield evolve(step, happens=And(step.happens, state.own[step.slot].ends_first))


def removals_of_pods(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """`removeStaleState` removes all entries of a pod, one after the other; the order makes no difference."""
    for cursor in range(OWN + 1):
        after = state
        for number in range(OWN):
            after = _removed(forms, after, number)
        default = forms.remove.pool(after.default, after.further, empty(state.width))
        after = evolve(after, default=default, further=empty(state.width))
        yield PolicyStep(cursor, OWN, state.own_entries != 0, after, cursor)


def starts(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """A kubelet starts on any machine with any reserved set, and `validateState` accepts what it finds in the file."""
    entries = Or(state.more, *(slot.present for slot in state.own))
    accepted = validate_state(state.machine, state.reserved, state.default, state.assigned, entries)
    default = If(state.default == 0, state.machine, state.default)
    yield PolicyStep(0, OWN, accepted, evolve(state, default=default, reuse=empty(state.width), mine=BoolVal(False)), 0)


def cut_removals_of_init(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """The kubelet dies between the writes: an init container's entry is gone, and its CPUs are not yet anywhere.

    An allocation's first write is no case of its own: only the pool has changed, on which no start relies.
    """
    for cursor in range(OWN + 1):
        for number, slot in enumerate(state.own):
            dropped = with_slot(state, number, evolve(slot, present=BoolVal(False)))
            yield PolicyStep(cursor, number, And(slot.present, slot.ends_first), dropped, cursor)


def cut_removals_of_pods(forms: PolicyForms, state: PolicyState) -> Iterator[PolicyStep]:
    """The kubelet dies on the way: any of the pod's entries are gone, and the others still there."""
    kept = BitVec("kept", OWN)
    dropped = state
    for number, slot in enumerate(state.own):
        stays = kept & (1 << number) != 0
        dropped = with_slot(dropped, number, evolve(slot, present=And(slot.present, stays)))
    dropped = evolve(dropped, further=state.further & ~freed_cpus(state))
    yield PolicyStep(0, OWN, state.own_entries != 0, dropped, 0)
