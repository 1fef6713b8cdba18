"""The system async-preemption."""

from kubeproof.systems.async_preemption import words
from kubeproof.systems.async_preemption.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, UNNOTICED, powers_taken
from kubeproof.systems.async_preemption.picture import PICTURE
from kubeproof.systems.async_preemption.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System
from model.places import Place, always
from model.systems.async_preemption import AsyncPreemptionMachine, AsyncPreemptionScope, AsyncPreemptionSystemRules
from properties.async_preemption.catalogue import MUTANTS, PROPERTIES
from properties.async_preemption.effects import effects_of_rules
from properties.tla.form import TlaForm

_NO_FORM = "async-preemption is stated neither in TLA+ nor as formulas"


def _of_executor(old: str, new: str) -> Place:
    """Functions that are in a file of their own from 1.36 on."""
    return (("1.32.0", f"preemption.go {old}"), ("1.36.0", f"executor.go {new}"))


_REQUEST = _of_executor("NewEvaluator (PreemptPod)", "NewExecutor (PreemptPod)")
_PREPARE = _of_executor("prepareCandidateAsync", "prepareCandidateAsync")

ASYNC_PREEMPTION = System(
    name="async-preemption",
    summary="preemption in a goroutine: one pod, whose victims are deleted after its cycle, in every order",
    scope_class=AsyncPreemptionScope,
    rules_class=AsyncPreemptionSystemRules,
    machine=AsyncPreemptionMachine,
    properties=PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={
        "hold_at_permit": always("framework.go RunPermitPlugins"),
        "try_preemptor": _of_executor("Preempt", "actuatePodPreemption"),
        "requeue_preemptor": always("schedule_one.go handleSchedulingFailure"),
        "patch_victim": _REQUEST,
        "delete_victim": _REQUEST,
        "reject_waiting_victim": _REQUEST,
        "fail_request": always("the API server"),
        "go_on_to_last_victim": _PREPARE,
        "end_preemption": _PREPARE,
        "delete_pod": always("a user"),
        "end_pod": always("the kubelet"),
        "fail_binding": always("schedule_one.go handleBindingCycleError"),
        "store_event": always("the informer"),
        "handle_event": always("eventhandlers.go deletePodFromCache, updatePodInCache"),
    },
    tla_form=lambda scope, rules, modules: TlaForm(module="", reason=_NO_FORM),
    smt_form=lambda scope, rules, forms: _NO_FORM,
    sentence=words.sentence,
    picture=PICTURE,
    facts=words.facts,
    options=("asynchronous",),
    powers_taken=powers_taken,
    effects=effects_of_rules,
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    noticed_in=("1.36.2", "1.33.1"),
    unnoticed=UNNOTICED,
    mutants=MUTANTS,
)
