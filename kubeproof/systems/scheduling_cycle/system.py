"""The system scheduling-cycle."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from kubeproof.systems.scheduling.facts import beginning
from kubeproof.systems.scheduling.system import NEVER_ASKED, judge_of_mutants, not_asked
from kubeproof.systems.scheduling_cycle import facts, words
from kubeproof.systems.scheduling_cycle.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, REPAIRS, UNNOTICED
from kubeproof.systems.scheduling_cycle.picture import PICTURE
from kubeproof.systems.scheduling_cycle.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System, rules_of
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from model.systems.scheduling_cycle.actors import SCHEDULING_CYCLE as ACTORS, STEPS
from model.world.step import options, powers_taken
from properties.scheduling_cycle import catalogue, effects
from properties.tla.scheduling_cycle import system as tla

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.scheduling_cycle.system import encode

    return encode(scope, rules, forms)


SCHEDULING_CYCLE = System(
    name="scheduling-cycle",
    extends=("scheduling", "preemption"),
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    unnoticed=UNNOTICED,
    never_asked=NEVER_ASKED,
    not_asked=not_asked,
    judge_of_mutants=judge_of_mutants,
    summary=(
        "scheduling, with the framework's points from Reserve to PostBind, plugins that fail, and pods that wait; "
        "SchedulerAsyncPreemption off"
    ),
    scope_class=SchedulingCycleScope,
    rules_class=SchedulingCycleRules,
    reduces_by_rules=True,
    machine=lambda scope, rules: SchedulingCycleMachine(scope, rules, rules_of(catalogue.MUTANTS, REPAIRS)),
    properties=catalogue.PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={name: step.place for name, step in STEPS.items()},
    tla_form=tla.form,
    smt_form=_smt,
    sentence=words.sentence,
    picture=PICTURE,
    facts=facts.facts,
    beginning=beginning,
    options=options(STEPS.values(), SchedulingCycleScope),
    powers_taken=partial(powers_taken, STEPS),
    effects=effects.effects_of_rules,
    never_offered=ACTORS.never_offered,
    mutants=catalogue.MUTANTS,
    repairs=REPAIRS,
)
