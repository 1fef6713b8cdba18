"""queueing-hints as Z3 formulas: runs of one pod (`runs`), and proofs for any number of pods (`proof`)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from z3 import BoolRef

from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.rules import HintsSetup
from properties.queueing_hints import in_flight as props
from properties.queueing_hints.catalogue import PROPERTIES
from properties.smt.bits import formula
from properties.smt.form import Cells, Proof, SmtForm, unwritten, without_runs
from properties.smt.queueing_hints.one_pod_steps import Steps
from properties.smt.queueing_hints.proof import proofs_for, why_none
from properties.smt.queueing_hints.runs import OfState, Runs, not_covered

# A pod whose Done another attempt takes: 11 actions up to 1.30, 12 in 1.32.
RUN_LENGTH = 12


def encode(
    scope: QueueingHintsScope, rules: QueueingHintsRules, fix_forms: Mapping[str, Callable[..., Any]] | None = None
) -> SmtForm | str:
    """The form of the system in `scope` under `rules`, or one line that says why there is none.

    Where only the proofs apply, the form has these, and says why it has no runs. `fix_forms`: none is known here.
    """
    if not HintsSetup(scope, rules).gate:
        return "with the gate SchedulerQueueingHints off no pod is in flight: give --scope gate=1"
    proofs, reason = proofs_for(scope, rules), not_covered(scope, rules)
    if reason is None:
        return _with_runs(Runs(Steps(scope, rules)), proofs)
    if not proofs:
        return f"{reason}; {why_none(scope, rules)}"
    return without_runs(PROPERTIES, reason, proofs)


def _with_runs(runs: Runs, proofs: tuple[Proof, ...]) -> SmtForm:
    violations: dict[str, Callable[..., BoolRef]] = {props.ONE_DONE.name: runs.done_again}
    premises: dict[str, Callable[..., BoolRef]] = {props.ONE_DONE.name: runs.goes_back}
    for name, says in runs.of_states().items():
        violations[name], premises[name] = (partial(_of_state, runs, each) for each in says)
    for name, says in runs.of_states_after().items():
        violations[name], premises[name] = (partial(_of_state_after, runs, each) for each in says)
    return SmtForm(
        depth=RUN_LENGTH,
        cells=runs.cells,
        initial=runs.initial,
        actions=tuple(runs.steps.every),
        enabled=runs.enabled,
        transition=runs.transition,
        pin=runs.pin,
        violations=violations,
        premises=premises,
        unsupported=unwritten(PROPERTIES, violations),
        proofs=proofs,
    )


def _of_state(runs: Runs, says: OfState, cells: Cells) -> BoolRef:
    return formula(says(runs.view(cells)))


def _of_state_after(runs: Runs, says: OfState, before: Cells, taken: Cells, after: Cells) -> BoolRef:
    return formula(says(runs.view(after)))
