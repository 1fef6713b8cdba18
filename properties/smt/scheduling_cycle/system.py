"""scheduling-cycle for Z3: proofs of what is about a waiting pod, and about Reserve plugins. There are no runs.

A waiting pod is put into the map, and then changed by `allow`, `reject` and `listen`, and taken out with what was sent:
whoever calls them, whatever powers the environment has. So what is proved of one waiting pod under all of these steps
holds in the system. In the same way Unreserve of all plugins is one walk over them. The tests beside the arguments
compare each step with the model's function.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from model.systems.scheduling_cycle import SchedulingCycleRules, SchedulingCycleScope
from properties.property import Property
from properties.scheduling_cycle.catalogue import PROPERTIES
from properties.scheduling_cycle.owners import GIVEN_BACK_IN_REVERSE
from properties.scheduling_cycle.permit import ALL_ALLOW, DECISION_ARRIVES
from properties.smt.form import NOT_WRITTEN, Proof, SmtForm, allowed_powers, without_runs
from properties.smt.scheduling_cycle import reserve, waiting_pods
from properties.smt.scheduling_cycle.argument import Argument


def _proof(of: Property, asked: Argument[Any], follows: str) -> Proof:
    found = asked.proof()
    return evolve(found, applies={of.name: follows}, details={**found.details, "powers": allowed_powers(())})


def proofs_for(rules: SchedulingCycleRules) -> tuple[Proof, ...]:
    """The proofs to try: none about waiting pods, if a rule has no form or no pod waits."""
    found = []
    points = rules.points_in_binding()
    listens = "wait_on_permit" in points and points.index("listen") < points.index("wait_on_permit")
    if listens and waiting_pods.why_none(rules) is None:
        signals = waiting_pods.signals_of(rules)
        arrives = waiting_pods.argument(signals, waiting_pods.ARRIVES)
        decided = waiting_pods.argument(signals, waiting_pods.DECIDED)
        found += [
            _proof(DECISION_ARRIVES, arrives, "the channel has what was decided until the goroutine receives it"),
            _proof(ALL_ALLOW, decided, "what the goroutine receives was decided, and Allow is decided by all"),
        ]
    if reserve.why_none(rules) is None:
        order = reserve.argument(reserve.undoing_of(rules), reserve.REVERSE)
        follows = "when a plugin gives back, those that reserved later have given back once and hold nothing"
        found.append(_proof(GIVEN_BACK_IN_REVERSE, order, follows))
    return tuple(found)


def encode(
    scope: SchedulingCycleScope, rules: SchedulingCycleRules, fix_forms: Mapping[str, Callable[..., Any]] | None = None
) -> SmtForm | str:
    """The form of the system under `rules`, or one line that says why there is none. `fix_forms`: not known here."""
    proofs = proofs_for(rules)
    if not proofs:
        return f"there are no runs, and no proofs: {waiting_pods.why_none(rules) or reserve.why_none(rules)}"
    return without_runs(PROPERTIES, NOT_WRITTEN, proofs)
