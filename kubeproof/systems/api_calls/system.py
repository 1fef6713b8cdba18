"""The system api-calls."""

from kubeproof.systems.api_calls import words
from kubeproof.systems.api_calls.described import GATES_TAKEN, LEFT_OUT, READ_FIELDS, UNNOTICED, powers_taken
from kubeproof.systems.api_calls.picture import PICTURE
from kubeproof.systems.api_calls.scopes import COUNTED, SCOPES
from kubeproof.systems.system import System
from model.places import always
from model.systems.api_calls import ApiCallsMachine, ApiCallsRules, ApiCallsScope
from properties.api_calls.catalogue import MUTANTS, PROPERTIES
from properties.api_calls.effects import effects_of_rules
from properties.tla.form import TlaForm

_NO_FORM = "api-calls is stated neither in TLA+ nor as formulas"
_FAILURE = always("schedule_one.go handleSchedulingFailure")

API_CALLS = System(
    name="api-calls",
    summary="the API dispatcher: one pod, whose Binding and status patches wait, merge and are skipped, in every order",
    scope_class=ApiCallsScope,
    rules_class=ApiCallsRules,
    machine=ApiCallsMachine,
    properties=PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={
        "try_pod": always("schedule_one.go ScheduleOne"),
        "nominate": _FAILURE,
        "find_no_candidate": _FAILURE,
        "wait_for_victims": _FAILURE,
        "assume": always("schedule_one.go assume, bindingCycle"),
        "bind": always("default_binder.go Bind"),
        "post_binding": always("default_binder.go Bind"),
        "refuse_binding": always("the API server"),
        "recover_from_binding": always("schedule_one.go handleBindingCycleError"),
        "patch_after_binding": _FAILURE,
        "start_call": always("call_queue.go pop"),
        "make_request": always("pod_status_patch.go Execute, pod_binding.go Execute"),
        "end_call": always("call_queue.go finalize"),
        "clear_nomination": (
            ("1.34.0", "preemption.go clearNominatedNodeName"),
            ("1.36.0", "executor.go clearNominatedNodeName"),
        ),
        "handle_event": always("eventhandlers.go updatePodInSchedulingQueue"),
    },
    tla_form=lambda scope, rules, modules: TlaForm(module="", reason=_NO_FORM),
    smt_form=lambda scope, rules, forms: _NO_FORM,
    sentence=words.sentence,
    picture=PICTURE,
    facts=words.facts,
    options=("asynchronous_calls",),
    powers_taken=powers_taken,
    effects=effects_of_rules,
    read_fields=READ_FIELDS,
    left_out=LEFT_OUT,
    gates_taken=GATES_TAKEN,
    noticed_in=("1.36.2", "1.34.1"),
    unnoticed=UNNOTICED,
    mutants=MUTANTS,
)
