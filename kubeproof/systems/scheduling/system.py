"""The system scheduling."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import fields

from kubeproof.systems.scheduling import facts, words
from kubeproof.systems.scheduling.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, REPAIRS, UNNOTICED
from kubeproof.systems.scheduling.picture import PICTURE
from kubeproof.systems.scheduling.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System, rules_of
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from model.systems.scheduling.actors import SCHEDULING as ACTORS, STEPS
from model.systems.scheduling.hints import HintRules
from model.world.step import options, powers_taken
from properties.scheduling import catalogue as scheduling, effects as scheduling_effects
from properties.scheduling.alone import effects_alone
from properties.tla.scheduling import system as tla_scheduling

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _scheduling_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.scheduling.system import encode

    return encode(scope, rules, forms)


# Up to this minor the gate SchedulerQueueingHints is off, and no step asks these.
_LAST_WITHOUT_GATE = 31
_OF_HINTS = frozenset(field.name for field in fields(HintRules)) - {
    "hints_stay_on",
    "one_pod_handler",
    "interpod_events",
}


# Only queueing-hints has hint functions that fail, pods that are activated, a Pop that sleeps, and all that calls Done.
NEVER_ASKED = frozenset(
    {
        "done_again_after_bind_error", "done_before_requeue", "hint_functions_answer_errors", "note_activation",
        "pending_plugins_known", "requeue_wakes_pop",
    }
)  # fmt: skip


def not_asked(rules: SchedulingRules) -> frozenset[str]:
    return frozenset() if rules.hints_stay_on() else _OF_HINTS


def judge_of_mutants(field: str, minor: int) -> str:
    """What came with hints is explored in more depth there, and so is whether a pod fits a node."""
    if field == "fits_node":
        return "preemption"
    return "queueing-hints" if field in {*_OF_HINTS, "interpod_events"} or minor > _LAST_WITHOUT_GATE else ""


SCHEDULING = System(
    name="scheduling",
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    unnoticed=UNNOTICED,
    summary=(
        "the scheduler's queue, nominator, cache, cycle and binder, with API server, informers and users; "
        "SchedulerAsyncPreemption off"
    ),
    scope_class=SchedulingScope,
    rules_class=SchedulingRules,
    reduces_by_rules=True,
    machine=lambda scope, rules: SchedulingMachine(scope, rules, rules_of(scheduling.MUTANTS, REPAIRS)),
    properties=scheduling.PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={name: step.place for name, step in STEPS.items()},
    tla_form=tla_scheduling.form,
    smt_form=_scheduling_smt,
    sentence=words.sentence,
    picture=PICTURE,
    facts=facts.facts,
    beginning=facts.beginning,
    options=options(STEPS.values(), SchedulingScope),
    powers_taken=partial(powers_taken, STEPS),
    # Of Done there is what the error handler calls alone.
    never_asked=NEVER_ASKED | {"done_in_binding", "done_without_profile"},
    not_asked=not_asked,
    judge_of_mutants=judge_of_mutants,
    effects=scheduling_effects.effects_of_rules,
    effects_alone=effects_alone,
    never_offered=ACTORS.never_offered,
    mutants=scheduling.MUTANTS,
    repairs=REPAIRS,
)
