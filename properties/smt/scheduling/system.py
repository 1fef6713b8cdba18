"""scheduling as Z3 formulas: runs of one pod (`runs`), proofs for any number of pods (`proof`).

`fix_forms` takes `nominator_add_smt(pod)`: whom a nominator from outside refuses to nominate, as a Bit over a
`properties.smt.scheduling.observed.Observed`. Only the proofs use it; runs take the rules of releases.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from z3 import BoolRef

from model.systems.scheduling import SchedulingRules, SchedulingScope
from properties.scheduling import backoff, cache, errors, order
from properties.scheduling.catalogue import PROPERTIES
from properties.smt.bits import formula
from properties.smt.form import Cells, Proof, SmtForm, unwritten, without_runs
from properties.smt.scheduling.one_pod_steps import Steps
from properties.smt.scheduling.proof import proofs_for, why_none
from properties.smt.scheduling.runs import Runs, not_covered

# What the bits of a state leave out, by the property that asks for it.
_NO_TIME = "the formulas for runs have no time, so that no pod backs off: ask the explicit engine"
_ONE_POD = "the formulas for runs keep of a snapshot only where it counts the pod: ask the explicit engine"
NOT_KEPT = {
    backoff.IN_TIME.name: _NO_TIME,
    backoff.BACKS_OFF.name: _NO_TIME,
    backoff.REJECTED_BY_LAST.name: "the formulas for runs keep no plugins of a queued pod: ask the explicit engine",
    cache.SNAPSHOT_IS_CACHE.name: _ONE_POD,
    cache.SNAPSHOT_MAP_IS_CACHE.name: _ONE_POD,
    order.TAKES_THE_FIRST.name: "the formulas for runs have one pod: ask the explicit engine",
    errors.NO_NEEDLESS_ERROR.name: "the formulas for runs keep no error of a call: ask the explicit engine",
}

# A pod's way from its creation to a nomination that outlives its binding takes 17 actions.
RUN_LENGTH = 17


def encode(
    scope: SchedulingScope, rules: SchedulingRules, fix_forms: Mapping[str, Callable[..., Any]] | None = None
) -> SmtForm | str:
    """The form of the system in `scope` under `rules`, or one line that says why there is none.

    Where only the proofs apply, the form has these, and says why it has no runs.
    """
    refuses = (fix_forms or {}).get("nominator_add")
    proofs = proofs_for(scope, rules, refuses)
    brought = () if refuses is None else ("nominator_add",)
    reason = not_covered(scope, rules)
    if reason is None:
        return _with_runs(Runs(Steps(scope, rules)), proofs, brought)
    if not proofs:
        return f"{reason}; {why_none(scope, rules, refuses)}"
    return without_runs(PROPERTIES, reason, proofs, brought)


def _with_runs(runs: Runs, proofs: tuple[Proof, ...], brought: tuple[str, ...]) -> SmtForm:
    violations: dict[str, Callable[..., BoolRef]] = {}
    premises: dict[str, Callable[..., BoolRef]] = {}
    for name, says in runs.of_states().items():
        violations[name], premises[name] = (partial(_of_state, runs, each) for each in says)
    for name, (by, speaks) in runs.of_steps().items():
        violations[name], premises[name] = partial(runs.broken, by), partial(runs.taken, speaks)
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
        unsupported=unwritten(PROPERTIES, violations, NOT_KEPT),
        proofs=proofs,
        from_outside=brought,
    )


def _of_state(runs: Runs, says: Callable[[Any], Any], cells: Cells) -> BoolRef:
    return formula(says(runs.view(cells)))
