"""The system scheduling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kubeproof.systems import scheduling_facts, scheduling_words
from kubeproof.systems.scheduling_scopes import COUNTED, SCOPES
from kubeproof.systems.system import System
from model.places import always
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from model.systems.scheduling.offers import never_offered
from properties.scheduling import catalogue as scheduling
from properties.scheduling import effects as scheduling_effects
from properties.tla.scheduling import system as tla_scheduling

if TYPE_CHECKING:
    from properties.smt.form import SmtForm


def _scheduling_smt(scope: Any, rules: Any, forms: Mapping[str, Any]) -> SmtForm | str:
    from properties.smt.scheduling.system import encode

    return encode(scope, rules, forms)


_SCHEDULER_GO, _FACTORY_GO, _EVENTS_GO = "scheduler.go", "factory.go", "eventhandlers.go"
_QUEUE_GO = "scheduling_queue.go"
SCHEDULING = System(
    name="scheduling",
    summary="the scheduler's queue, nominator, cache, cycle and binder, with API server, informers and users",
    scope_class=SchedulingScope,
    rules_class=SchedulingRules,
    machine=lambda scope, rules: SchedulingMachine(scope, rules),
    properties=scheduling.PROPERTIES,
    scopes=SCOPES,
    counted=COUNTED,
    places={
        "create_pod": always("a user"),
        "recreate_pod": always("a controller"),
        "update_annotations": always("a user or controller"),
        "update_finalizers": always("a controller"),
        "update_labels": always("a user or controller"),
        "delete_pod": always("a user"),
        "finish_termination": always("the kubelet"),
        "bind_elsewhere": always("another scheduler"),
        "delete_node": always("the cloud provider"),
        "add_node": always("the kubelet"),
        "heartbeat": always("the kubelet"),
        "deliver_pod": always(f"client-go shared_informer.go HandleDeltas -> {_EVENTS_GO}"),
        "handle_assigned": always(f"{_EVENTS_GO} addPodToCache, updatePodInCache, deletePodFromCache"),
        "handle_unassigned": always(
            f"{_EVENTS_GO} addPodToSchedulingQueue, updatePodInSchedulingQueue, deletePodFromSchedulingQueue"
        ),
        "deliver_node": always(f"{_EVENTS_GO} addNodeToCache, updateNodeInCache, deleteNodeFromCache"),
        "resync_pod": always("client-go shared_informer.go, delta_fifo.go Resync"),
        "relist_pods": always("client-go reflector.go ListAndWatch -> delta_fifo.go Replace"),
        "pop": always(f"{_QUEUE_GO} Pop"),
        "schedule": always(f"{_SCHEDULER_GO} skipPodSchedule; generic_scheduler.go Schedule, findNodesThatFit"),
        "find_nodes": always("generic_scheduler.go findNodesThatFit, podFitsOnNode"),
        "call_extenders": always("extender.go Filter"),
        "choose": always("generic_scheduler.go selectHost"),
        "assume": always(f"{_SCHEDULER_GO} assume -> cache.go AssumePod"),
        "delete_nominated_pod": always(f"{_SCHEDULER_GO} assume -> {_QUEUE_GO} DeleteNominatedPodIfExists"),
        "start_error_func": always(f"{_FACTORY_GO} MakeDefaultErrorFunc"),
        "record_failure": always(f"{_SCHEDULER_GO} recordSchedulingFailure"),
        "preempt": always(f"{_SCHEDULER_GO} preempt -> generic_scheduler.go Preempt"),
        "nominate": always(f"{_QUEUE_GO} UpdateNominatedPodForNode"),
        "set_nominated_node_name": always(f"{_SCHEDULER_GO} preempt -> setNominatedNodeName"),
        "post_filter": always("default_preemption.go PostFilter"),
        "delete_victims": always("scheduler.go preempt; default_preemption.go PrepareCandidate"),
        "requeue": always(f"{_FACTORY_GO} MakeDefaultErrorFunc (1.25 on: schedule_one.go handleSchedulingFailure)"),
        "add_nominated_pod": always(f"{_SCHEDULER_GO} recordSchedulingFailure -> {_QUEUE_GO} AddNominatedPod"),
        "patch_failure": always(f"{_SCHEDULER_GO} recordSchedulingFailure -> updatePod"),
        "bind": always(f"{_SCHEDULER_GO} bind"),
        "bind_failed": always(f"{_SCHEDULER_GO} bind -> cache.go FinishBinding, ForgetPod"),
        "finish_binding": always("cache.go FinishBinding"),
        "forget_pod": always("cache.go ForgetPod"),
        "move_after_forget": always(f"{_SCHEDULER_GO} scheduleOne -> {_QUEUE_GO} MoveAllToActiveOrBackoffQueue"),
        "get_pod": always(f"{_FACTORY_GO} MakeDefaultErrorFunc, its goroutine"),
        "add_unschedulable": always(f"{_QUEUE_GO} AddUnschedulableIfNotPresent"),
        "tick": always("the clock"),
        "flush_backoff_q_completed": always(f"{_QUEUE_GO} flushBackoffQCompleted"),
        "flush_unschedulable_q_leftover": always(f"{_QUEUE_GO} flushUnschedulableQLeftover"),
        "cleanup_assumed_pods": always("cache.go cleanupAssumedPods"),
    },
    tla_form=tla_scheduling.form,
    smt_form=_scheduling_smt,
    sentence=scheduling_words.sentence,
    facts=scheduling_facts.facts,
    effects=scheduling_effects.effects_of_rules,
    never_offered=never_offered,
    mutants=scheduling.MUTANTS,
)
