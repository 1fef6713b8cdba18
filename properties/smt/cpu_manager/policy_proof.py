"""Which proofs speak of the static policy under which rules: partition, disjointness and reserved CPUs, for any state.

Each lemma must be kept by each operation, from any state that satisfies the lemmas, reachable or not. What
`takeByTopology` picks is any subset of what it may pick from. That it stays inside is shown for each release, on
machines whose cores are alike (properties/cpu_manager/take_by_topology.py). A kubelet's start is on any machine with
any reserved set. Of the environment it is taken that pods are admitted container by container in their order, that
single entries are removed of init containers only, and that all entries of a pod are removed together when it is gone
(from 1.18 on).
"""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

from attrs import evolve, frozen
from z3 import And, BitVec, BitVecRef, BoolRef, Not, Or

from model.cpu import manager, reconcile, stale
from model.cpu.policy import validate
from model.systems.cpu_manager import CPUManagerRules, CPUManagerScope
from properties.cpu_manager import sets as props
from properties.forms import Forms, without_form
from properties.smt.cpu_manager import policy_state as lemma, policy_steps as steps
from properties.smt.cpu_manager.policy import ALLOCATE, REMOVE, UPDATE_REUSE, VALIDATE
from properties.smt.cpu_manager.policy_replay import show
from properties.smt.cpu_manager.policy_state import Lemma, PolicyState, named
from properties.smt.cpu_manager.policy_steps import PolicyForms, PolicyStep, Steps
from properties.smt.form import Obligation, Proof, allowed_powers

# The smallest first, so that a counterexample is small; the machine being any of that many numbers, the last says all.
WIDTHS = (4, 512)
# For the same proof with one power more. No lemma counts CPUs, so a power that breaks a lemma breaks it on few CPUs.
FEW_CPUS = (4, 8)

Lemmas = Mapping[str, Lemma]
# Whether stale state is removed pod by pod.
STALE_BY_POD = Forms(
    "remove_stale_state",
    {
        stale.remove_stale_state_never: False,
        stale.remove_stale_state_by_id: False,
        stale.remove_stale_assignments: True,
        stale.remove_stale_assignments_and_ids: True,
    },
)
# Whether reconcileState removes and adds nothing by itself.
ONLY_TELLS = Forms(
    "reconcile_state",
    {
        reconcile.reconcile_state_adding: False,
        reconcile.reconcile_state_cleaning_and_adding: False,
        reconcile.reconcile_state_removing: False,
        reconcile.reconcile_state_removing_terminated: False,
        reconcile.reconcile_state_removing_without_init: False,
        reconcile.reconcile_state_telling_all: True,
        reconcile.reconcile_state_telling_changes: True,
    },
)
# Whether a pod in admission is one of the active pods.
ADMITTED_IS_ACTIVE = Forms(
    "active_pods",
    {manager.active_pods_not_terminal: True, manager.active_pods_with_workers: False},
)
# Whether the pod in admission is noted as pending.
NOTES_PENDING = Forms(
    "manager_allocate",
    {
        manager.manager_allocate_nothing: False,
        manager.manager_allocate_as_it_is: False,
        manager.manager_allocate_after_cleaning: False,
        manager.manager_allocate_pending: True,
    },
)
# Whether the policy can keep the reserved CPUs out of the shared pool, of which no lemma speaks.
RESERVES_STRICTLY = Forms(
    "validate_state",
    {
        validate.validate_state_by_id: False,
        validate.validate_state: False,
        validate.validate_state_strictly: True,
    },
)
TABLES: tuple[Forms[Any], ...] = (
    *(ALLOCATE, UPDATE_REUSE, REMOVE, VALIDATE, STALE_BY_POD, ONLY_TELLS, ADMITTED_IS_ACTIVE, NOTES_PENDING),
)

RESERVED = named(lemma.reserved_are_shared, lemma.reserved_are_not_exclusive, lemma.reserved_are_not_reused)
STRICT = named(lemma.shared_is_not_exclusive, lemma.every_cpu_is_somewhere, lemma.entries_are_apart)
PARTITION = named(
    lemma.shared_is_not_exclusive,
    lemma.every_cpu_is_somewhere,
    lemma.pods_are_apart,
    lemma.reuse_is_of_the_machine,
    lemma.reuse_is_off_other_pods,
)
# What a file must say of a pod that may be admitted again.
READMISSIBLE = named(
    lemma.containers_that_stay_are_apart, lemma.init_is_off_sidecars_before_it, lemma.init_is_off_those_after_a_gap
)
# What holds of a pod that is being admitted, or may be again.
ADMISSIBLE = named(
    lemma.init_is_off_sidecars_before_it,
    lemma.init_is_off_those_after_a_gap,
    lemma.reuse_is_off_those_passed,
    lemma.reuse_is_off_those_after_a_gap,
    lemma.no_init_before_a_gap_passed,
)
DISJOINT = named(
    lemma.shared_is_not_exclusive,
    lemma.pods_are_apart,
    lemma.reuse_is_off_other_pods,
    lemma.containers_that_stay_are_apart,
    lemma.init_is_off_sidecars_before_it,
    lemma.init_is_off_those_after_a_gap,
    lemma.reuse_is_off_those_passed,
    lemma.reuse_is_off_those_after_a_gap,
    lemma.no_init_before_a_gap_passed,
)


# The power with which there is no proof.
NO_PROOF = "strict_reservation"
# What `_by_pods` takes from the kubelet.
BY_PODS = (
    "A pod is admitted container by container in their order. Single entries are removed of init containers only, all "
    "entries of a pod together when the pod is gone."
)


@frozen
class Operation:
    """An operation of the policy, for the proof."""

    name: str
    steps: Steps
    # The lemmas on which the operation relies.
    needs: Lemmas
    # The lemmas that must hold after the operation.
    keeps: Lemmas


def proofs_for(scope: CPUManagerScope, rules: CPUManagerRules, widths: tuple[int, ...] = WIDTHS) -> tuple[Proof, ...]:
    """The proofs to try under `rules`, for the powers that `scope` has; none for a rule from outside."""
    if without_form(rules, TABLES) is not None or (scope.strict_reservation and RESERVES_STRICTLY.of(rules)):
        return ()
    return tuple(_Proofs(scope, rules, widths).every())


class _Proofs:
    def __init__(self, scope: CPUManagerScope, rules: CPUManagerRules, widths: tuple[int, ...]) -> None:
        self.scope, self.rules, self.widths = scope, rules, widths
        self.forms = PolicyForms.of(rules)
        self.sidecars = bool(scope.sidecars) and rules.sidecars()

    def every(self) -> list[Proof]:
        """Reserved CPUs first: what needs least."""
        # Only some releases have sidecars. A start relies on no lemma that a crash could leave broken, if not by pods.
        kinds = ("sidecars",) if self.rules.sidecars() else ()
        if RESERVES_STRICTLY.of(self.rules):
            kinds = (*kinds, NO_PROOF)
        reserved = self._anything(RESERVED, survive={})
        found = [self.proof("reserved", reserved, {props.RESERVED.name: FOLLOWS_RESERVED}, kinds)]
        if not self.forms.allocate.remembers:
            both = {props.PARTITION.name: FOLLOWS_PARTITION, props.DISJOINT.name: FOLLOWS_STRICT}
            operations = self._anything(STRICT, survive=named(lemma.entries_are_apart))
            return [*found, self.proof("partition and disjointness", operations, both, kinds)]
        if STALE_BY_POD.of(self.rules) and ONLY_TELLS.of(self.rules):
            partition = self._by_pods(PARTITION, named(lemma.pods_are_apart))
            disjoint = self._by_pods(DISJOINT, {**named(lemma.pods_are_apart), **READMISSIBLE})
            adds = ("crashes", *(() if self.forms.remove.keeps_siblings else ("removals",)), *kinds)
            found.append(self.proof("partition", partition, {props.PARTITION.name: FOLLOWS_PARTITION}, adds))
            found.append(self.proof("disjointness", disjoint, {props.DISJOINT.name: FOLLOWS_DISJOINT}, adds))
        return found

    def _anything(self, lemmas: Lemmas, survive: Lemmas) -> list[Operation]:
        """Any container may be allocated or removed at any time."""
        operations = [Operation("allocate", steps.allocations, lemmas, lemmas)]
        if self.forms.allocate.remembers:
            operations.append(Operation("allocate again", steps.repeated_allocations, lemmas, lemmas))
        removal = Operation("remove", steps.removals, lemmas, lemmas)
        return [*operations, removal, Operation("start", steps.starts, survive, lemmas)]

    def _by_pods(self, lemmas: Lemmas, survive: Lemmas) -> list[Operation]:
        """Pods are admitted in order, and removed as a whole except for their init containers.

        Of a pod that is gone less is known, if a crash cut its removal short, and less is needed: it is not admitted.
        """
        gone = {name: each for name, each in lemmas.items() if name not in ADMISSIBLE}
        gone_survive = {name: each for name, each in survive.items() if name not in ADMISSIBLE}
        operations = [
            Operation("allocate", steps.allocations, lemmas, lemmas),
            Operation("allocate again", steps.repeated_allocations, lemmas, lemmas),
            Operation("remove the pod's entries", steps.removals_of_pods, gone, lemmas),
            Operation("start", steps.starts, survive, lemmas),
        ]
        if self.scope.crashes:
            cut, left = (lemmas, survive) if self._removes_pods_in_admission() else (gone, gone_survive)
            operations.append(Operation("a crash in removeStaleState", steps.cut_removals_of_pods, cut, left))
            if gone_survive != survive:
                operations.append(Operation("start, the pod being gone", steps.starts, gone_survive, gone))
        if self.scope.removals or self.forms.remove.keeps_siblings:
            operations.append(Operation("remove", steps.removals_of_init, lemmas, lemmas))
            operations.append(Operation("a crash in RemoveContainer", steps.cut_removals_of_init, lemmas, survive))
        return operations

    def _removes_pods_in_admission(self) -> bool:
        """1.22.0 takes a pod in admission for gone, so that its entries are removed and it is admitted all the same."""
        return not ADMITTED_IS_ACTIVE.of(self.rules) and not NOTES_PENDING.of(self.rules)

    def _with_power(self, power: str, of: str) -> Proof:
        """The proof of the property `of` with `power` on besides, on few CPUs."""
        wider = _Proofs(evolve(self.scope, **{power: 1}), self.rules, FEW_CPUS)
        return next(proof for proof in wider.every() if of in proof.applies)

    def proof(self, name: str, operations: list[Operation], applies: Mapping[str, str], adds: tuple[str, ...]) -> Proof:
        """`adds`: the powers that bring operations, or kinds of containers, which the proof has to know."""
        off = [power for power in adds if not getattr(self.scope, power)]
        obligations = [each for width in self.widths for each in self.obligations(operations, width)]
        details = {
            "CPUs": f"any machine of up to {self.widths[-1]}",
            "pods": "any number",
            "containers": "any number",
            "powers": allowed_powers(off),
            "states": "any that satisfies the lemmas, reachable or not",
            "takeByTopology": "any subset of the CPUs it may take from",
            "operations": ", ".join(operation.name for operation in operations),
        }
        if any(operation.steps is steps.removals_of_pods for operation in operations):
            details["assumes"] = BY_PODS
        tried = [power for power in off if power != NO_PROOF]
        besides = {power: partial(self._with_power, power, next(iter(applies))) for power in tried}
        return Proof(f"{name}, kept by {_names(self.rules)}", applies, tuple(obligations), details, besides)

    def obligations(self, operations: list[Operation], width: int) -> list[Obligation]:
        """Each operation keeps each lemma, and each operation is possible."""
        asked = []
        for operation in operations:
            state = PolicyState.of(width)
            cases = _Cases(operation, state, tuple(operation.steps(self.forms, state)))
            for name, kept in operation.keeps.items():
                asked.append(self._obligation(f"{operation.name} keeps: {name}", cases, kept))
            if width == self.widths[0]:
                asked.append(self._obligation(f"{operation.name} can be", cases, None))
        return asked

    def _obligation(self, name: str, cases: "_Cases", kept: Lemma | None) -> Obligation:
        state = cases.state

        def explain(model: Any) -> str:
            return show(self.rules, cases.operation.name, state, cases.of(model), model)

        asked = partial(Obligation, f"{state.width} CPUs: {name}")
        build = partial(cases.build, kept, self.sidecars)
        return asked(build, "sat", explain) if kept is None else asked(build, "unsat", explain)


@frozen(slots=False, eq=False)
class _Cases:
    """An operation's steps from one symbolic state, of which a model chooses one."""

    operation: Operation
    state: PolicyState
    taken: tuple[PolicyStep, ...]

    @cached_property
    def which(self) -> BitVecRef:
        # Not an integer: the formulas stay inside the theory of bit-vectors, and Z3 much faster.
        return BitVec("which", 8)

    @cached_property
    def happen(self) -> list[BoolRef]:
        """Each step, from a state that satisfies the lemmas."""
        cursors = {step.cursor for step in self.taken}
        needs = {c: And(*(need(self.state, c) for need in self.operation.needs.values())) for c in cursors}
        return [And(self.which == i, step.happens, needs[step.cursor]) for i, step in enumerate(self.taken)]

    def build(self, kept: Lemma | None, sidecars: bool) -> list[BoolRef]:
        """Some step is taken, after which `kept` does not hold."""
        happen = self.happen
        if kept is not None:
            broken = (Not(kept(step.after, step.cursor_after)) for step in self.taken)
            happen = [And(*both) for both in zip(happen, broken, strict=True)]
        return [self.state.well_formed(sidecars), Or(*happen)]

    def of(self, model: Any) -> PolicyStep:
        """The step that a model takes."""
        return self.taken[int(model.eval(self.which, model_completion=True).as_long())]


def _names(rules: CPUManagerRules) -> str:
    fields = ("allocate", "update_cpus_to_reuse", "remove_container")
    return ", ".join(getattr(rules, field).__name__ for field in fields)


FOLLOWS_RESERVED = "an allocation takes no reserved CPU, no removal takes one from the pool, and a start asks for them"
FOLLOWS_PARTITION = "each operation moves CPUs between the pool and one entry, and a start accepts nothing else"
FOLLOWS_STRICT = "an allocation takes from the pool, in which no CPU of an entry is"
FOLLOWS_DISJOINT = "an allocation takes from the pool, or what its pod's init containers had and no other has"
