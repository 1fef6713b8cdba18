"""cpu-manager as Z3 formulas: states as Bools, one transition formula, the properties negated, and the proofs.

Says the same as model/systems/cpu_manager in the scopes that it has; tests compare the two on every reachable state of
small ones. The machine stays as it is here, and nothing dies between two writes.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from z3 import Bool, BoolRef

from model.cpu.reconcile import TURNS_IN_ANY_ORDER
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope, CPUManagerSystem
from properties.cpu_manager.catalogue import PROPERTIES
from properties.cpu_manager.sets import WHOLE_CORES
from properties.cpu_manager.starts import POLICY
from properties.forms import without_form
from properties.property import ErrorInvariant, StepInvariant
from properties.smt.bits import Bit, all_of, any_of, exactly_one, formula, negate, same
from properties.smt.cpu_manager.cells import Bits, Key, Layout
from properties.smt.cpu_manager.forms import CALLED, RUNS
from properties.smt.cpu_manager.policy_proof import proofs_for
from properties.smt.cpu_manager.steps import Steps
from properties.smt.cpu_manager.violations import Judge, OfState, OfStep
from properties.smt.form import Cells, SmtForm, unwritten, without_runs

MAX_CPUS = 6
NOT_COVERED = (
    *("crashes", "hotplug", "offline", "rereserve", "repolicy", "wipes", "full_pcpus", "strict_reservation"),
    "pod_level",
    "numbering",
    "turned",
)

# What the formulas for runs leave out, by the property that asks for it.
NOT_KEPT = {
    WHOLE_CORES.name: "the formulas for runs have no full_pcpus, which alone asks for whole cores",
    POLICY.name: "the formulas for runs have the static policy alone, and no policy is configured anew",
}


def encode(
    scope: CPUManagerScope, rules: CPUManagerRules, fix_forms: Mapping[str, Callable[..., Any]] | None = None
) -> SmtForm | str:
    """The form of the system in `scope` under `rules`, or one line that says why there is none.

    Where only the proofs for any state apply, the form has these, and says why it has no runs. `fix_forms`: formulas
    that a fix brings; there is no field here that takes one.
    """
    reason = _not_covered(scope, rules)
    proofs = proofs_for(scope, rules)
    if reason is None:
        return _Encoding(CPUManagerMachine(scope, rules)).form(proofs)
    if not proofs:
        return reason
    return without_runs(PROPERTIES, reason, proofs)


def _not_covered(scope: CPUManagerScope, rules: CPUManagerRules) -> str | None:
    """Why there are no formulas for runs, or None."""
    unknown = without_form(rules, RUNS, CALLED)
    if unknown is not None:
        return f"the rule {unknown} has no Z3 formula for runs"
    if scope.pods > 2 and rules.reconcile_state not in TURNS_IN_ANY_ORDER:
        return "the formulas for runs know the turns of two pods in reconcileState: give --scope pods=2"
    powers = [power for power in NOT_COVERED if getattr(scope, power)]
    if powers:
        return f"the formulas for runs have no {powers[0]}: give --scope {powers[0]}=0"
    if scope.cores * scope.threads > MAX_CPUS:
        return f"the formulas for runs are made for at most {MAX_CPUS} CPUs: give --scope a smaller machine"
    return None


class _Encoding:
    """The formulas of one machine."""

    def __init__(self, machine: CPUManagerMachine) -> None:
        self.machine = machine
        self.layout = Layout(machine)
        self.steps = Steps(self.layout)

    def form(self, proofs: tuple[Any, ...]) -> SmtForm:
        judge = Judge(self.layout)
        violations: dict[str, Callable[..., BoolRef]] = {}
        premises: dict[str, Callable[..., BoolRef]] = {}
        for name, (violated, premise) in judge.invariants().items():
            violations[name], premises[name] = partial(self._of_state, violated), partial(self._of_state, premise)
        steps = {p.name: p for p in PROPERTIES if isinstance(p, StepInvariant | ErrorInvariant)}
        for name, (broken, speaks) in judge.step_invariants().items():
            violations[name] = partial(self._of_step, broken, steps[name].actions)
            premises[name] = partial(self._of_step, speaks, steps[name].actions)
        return SmtForm(
            cells=self.cells,
            initial=lambda cells: self.pin(cells, self.machine.steps.initial()),
            actions=self.steps.actions,
            enabled=lambda cells, i: formula(self.steps.enabled(self.bits(cells), self.steps.actions[i])),
            transition=self.transition,
            pin=self.pin,
            violations=violations,
            premises=premises,
            unsupported=unwritten(PROPERTIES, violations, NOT_KEPT) | judge.unsupported(),
            proofs=proofs,
        )

    def cells(self, tag: str) -> Cells:
        return tuple(Bool(f"{'.'.join(map(str, key))}@{tag}") for key in self.layout.keys)

    def bits(self, cells: Cells) -> Bits:
        return dict(zip(self.layout.keys, cells, strict=True))

    def pin(self, cells: Cells, state: CPUManagerSystem) -> BoolRef:
        constant = self.layout.constant(state)
        return formula(all_of(*(same(cell, constant[key]) for cell, key in zip(cells, self.layout.keys, strict=True))))

    def transition(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        bits = self.bits(before)
        parts: list[Bit] = [exactly_one(taken)]
        written: dict[Key, list[tuple[Bit, Bit]]] = {key: [] for key in self.layout.keys}
        for action, indicator in zip(self.steps.actions, taken, strict=True):
            parts.append(any_of(negate(indicator), self.steps.enabled(bits, action)))
            for key, bit in self.steps.writes(bits, action).items():
                written[key].append((indicator, bit))
        for key, cell in zip(self.layout.keys, after, strict=True):
            by = any_of(*(indicator for indicator, _ in written[key]))
            value = any_of(all_of(negate(by), bits[key]), *(all_of(*both) for both in written[key]))
            parts.append(same(cell, value))
        return formula(all_of(*parts))

    def _of_state(self, says: OfState, cells: Cells) -> BoolRef:
        return formula(says(self.bits(cells)))

    def _of_step(self, says: OfStep, actions: frozenset[str], before: Cells, taken: Cells, after: Cells) -> BoolRef:
        chosen = dict(zip(self.steps.actions, taken, strict=True))
        speaks = any_of(*(bit for action, bit in chosen.items() if action.name in actions))
        return formula(all_of(speaks, says(self.bits(before), chosen, self.bits(after))))
