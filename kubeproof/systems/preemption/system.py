"""The system preemption."""

from kubeproof.systems.preemption import words
from kubeproof.systems.preemption.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, REPAIRS, UNNOTICED, powers_taken
from kubeproof.systems.preemption.picture import PICTURE
from kubeproof.systems.preemption.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System
from model.places import Place, always
from model.systems.preemption import PreemptionMachine, PreemptionScope, PreemptionSystemRules
from properties.preemption.catalogue import PROPERTIES
from properties.preemption.effects import effects_of_rules
from properties.preemption.mutants import MUTANTS
from properties.tla.form import TlaForm

_NO_FORM = "preemption is stated neither in TLA+ nor as formulas"


def _of_preemption(old: str, plugin: str, evaluator: str) -> Place:
    """Functions of preemption, which is a plugin from 1.19 on, and shared by plugins from 1.23 on."""
    return (("1.13.0", old), ("1.19.0", f"default_preemption.go {plugin}"), ("1.23.0", f"preemption.go {evaluator}"))


PREEMPTION = System(
    name="preemption",
    summary="one attempt to make room for a pod by the deletion of less important ones, in every small cluster",
    scope_class=PreemptionScope,
    rules_class=PreemptionSystemRules,
    machine=PreemptionMachine,
    properties=PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={
        "run_pod": always("a user"),
        "set_budget": always("the disruption controller"),
        "fit_nowhere": (
            ("1.13.0", "generic_scheduler.go Schedule"),
            ("1.24.0", "schedule_one.go schedulePod"),
        ),
        "find_candidates": _of_preemption("generic_scheduler.go Preempt", "FindCandidates", "findCandidates"),
        "call_extenders": _of_preemption("generic_scheduler.go Preempt", "CallExtenders", "callExtenders"),
        "select_candidate": _of_preemption("generic_scheduler.go Preempt", "SelectCandidate", "SelectCandidate"),
        "prepare_candidate": (
            *_of_preemption("scheduler.go preempt", "PrepareCandidate", "prepareCandidate"),
            ("1.33.0", "preemption.go prepareCandidateAsync"),
            ("1.36.0", "executor.go prepareCandidateAsync"),
        ),
        "record_failure": (
            ("1.13.0", "scheduler.go recordSchedulingFailure"),
            ("1.24.0", "schedule_one.go handleSchedulingFailure"),
        ),
    },
    tla_form=lambda scope, rules, modules: TlaForm(module="", reason=_NO_FORM),
    smt_form=lambda scope, rules, forms: _NO_FORM,
    sentence=words.sentence,
    picture=PICTURE,
    facts=words.facts,
    options=("qos",),
    powers_taken=powers_taken,
    effects=effects_of_rules,
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    # In the second one the choice of a node may panic, and extenders are asked; in the third one a patch may fail.
    noticed_in=("1.31.0", "1.21.9", "1.20.2"),
    unnoticed=UNNOTICED,
    mutants=MUTANTS,
    repairs=REPAIRS,
)
