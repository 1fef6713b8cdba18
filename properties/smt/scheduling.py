"""scheduling as Z3 formulas: the proofs for any number of pods and nodes (`scheduling_proof`).

`fix_forms` takes `nominator_add_smt(pod)`: whom a nominator from outside refuses to nominate, as a Bit over a
`properties.smt.scheduling_observed.Observed`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from model.systems.scheduling import SchedulingRules, SchedulingScope
from properties.scheduling import PROPERTIES
from properties.smt.bits import formula
from properties.smt.form import SmtForm
from properties.smt.scheduling_proof import proofs_for, why_none


def encode(
    scope: SchedulingScope, rules: SchedulingRules, fix_forms: Mapping[str, Callable[..., Any]] | None = None
) -> SmtForm | str:
    """The form of the system in `scope` under `rules`, or one line that says why there is none."""
    refuses = (fix_forms or {}).get("nominator_add")
    why = why_none(scope, rules, refuses)
    if why is not None:
        return why
    proofs = proofs_for(scope, rules, refuses)
    reason = "no formulas for runs"
    return SmtForm(
        cells=lambda tag: (),
        initial=lambda cells: formula(True),
        actions=(),
        enabled=lambda cells, i: formula(False),
        transition=lambda before, taken, after: formula(False),
        pin=lambda cells, state: formula(True),
        violations={},
        premises={},
        unsupported={p.name: reason for p in PROPERTIES},
        proofs=proofs,
        from_outside=() if refuses is None else ("nominator_add",),
    )
