"""queueing-hints as Z3 formulas: proofs for any number of pods, and a list of any length."""

from collections.abc import Callable, Mapping
from typing import Any

from model.systems.queueing_hints import QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.rules import Setup
from properties.queueing_hints.catalogue import PROPERTIES
from properties.smt.bits import formula
from properties.smt.form import SmtForm
from properties.smt.queueing_hints.proof import proofs_for, why_none

_NO_RUNS = "there are no formulas for runs of queueing-hints: ask the explicit engine"


def encode(
    scope: QueueingHintsScope, rules: QueueingHintsRules, fix_forms: Mapping[str, Callable[..., Any]] | None = None
) -> SmtForm | str:
    """The form of the system in `scope` under `rules`, or one line that says why there is none.

    `fix_forms`: none is known here.
    """
    if not Setup(scope, rules).gate:
        return "with the gate SchedulerQueueingHints off no pod is in flight: give --scope gate=1"
    reason = why_none(scope, rules)
    if reason is not None:
        return reason
    return SmtForm(
        cells=lambda tag: (),
        initial=lambda cells: formula(True),
        actions=(),
        enabled=lambda cells, i: formula(False),
        transition=lambda before, taken, after: formula(False),
        pin=lambda cells, state: formula(True),
        violations={},
        premises={},
        unsupported={p.name: _NO_RUNS for p in PROPERTIES},
        proofs=proofs_for(scope, rules),
    )
