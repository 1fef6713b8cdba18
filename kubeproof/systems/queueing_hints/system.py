"""The system queueing-hints."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from kubeproof.systems.queueing_hints import words
from kubeproof.systems.queueing_hints.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, UNNOTICED
from kubeproof.systems.queueing_hints.picture import PICTURE
from kubeproof.systems.queueing_hints.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System
from model.systems.queueing_hints import QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.actors import STEPS, never_offered
from model.world.step import options, powers_taken
from properties.queueing_hints import effects
from properties.queueing_hints.catalogue import PROPERTIES
from properties.tla.queueing_hints import system as tla_queueing_hints

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _queueing_hints_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.queueing_hints.system import encode

    return encode(scope, rules, forms)


QUEUEING_HINTS = System(
    name="queueing-hints",
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    summary="the queue with SchedulerQueueingHints: pods in flight, the events that come meanwhile, and who calls Done",
    scope_class=QueueingHintsScope,
    rules_class=QueueingHintsRules,
    reduces_by_rules=True,
    machine=QueueingHintsMachine,
    properties=PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={name: step.place for name, step in STEPS.items()},
    tla_form=tla_queueing_hints.form,
    smt_form=_queueing_hints_smt,
    sentence=words.sentence,
    picture=PICTURE,
    facts=words.facts,
    options=options(STEPS.values(), QueueingHintsScope),
    powers_taken=partial(powers_taken, STEPS),
    effects=effects.effects_of_rules,
    never_offered=never_offered,
    # The cache has pods, and no nodes.
    never_asked=frozenset(
        {
            "add_node",
            "list_nodes",
            "move_on_node_update",
            "remove_known_node",
            "remove_node",
            "take_snapshot",
            "update_known_node",
        }
    ),
    noticed_in=("1.36.2", "1.28.0"),
    unnoticed=UNNOTICED,
)
