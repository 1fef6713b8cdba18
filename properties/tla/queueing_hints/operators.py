"""Which operators of the modules of queueing-hints stand for which rules, and what else depends on a rule."""

from collections.abc import Mapping
from typing import Any

from model.scheduler import done, eventhandlers, hint_functions, inter_pod_affinity, told_rules
from model.scheduler.queue import (
    backoff,
    events,
    hints,
    in_flight,
    move,
    pop,
    pre_enqueue,
    scheduling_queue,
    update,
    update_with_hints,
)
from model.scheduler.queue.events import ClusterEvent
from properties.forms import Forms
from properties.tla.form import RuleConstant
from properties.tla.scheduling.operators import CONSTANTS as OF_SCHEDULING, COPIES_GHOSTS

# The modules that both systems extend leave these constants open.
_SHARED = frozenset(
    {
        "PoppedRecordRule", "FailedPodRule", "StripForQueueRule", "RemovePodFromNodeRule", "UpdatePodOnNodeRule",
        "ConfirmAssumedPodRule", "UpdateAddedPodRule", "RemoveKnownPodRule", "RemoveKnownNodeRule", "TakeSnapshotRule",
        "ForgetUnknownPodRule", "UnknownIsSelectedRule", "UpdateIsIgnoredRule", "StripPodRule", "SkipPodUpdateRule",
        "SkipPodScheduleRule",
    }
)  # fmt: skip

CONSTANTS = (
    *(constant for constant in OF_SCHEDULING if constant.name in _SHARED),
    RuleConstant.of(
        "UpdatePodInCacheRule",
        "update_pod_in_cache",
        {
            eventhandlers.update_pod_in_cache: "UpdatePodInCache",
            eventhandlers.update_pod_in_cache_by_uid: "UpdatePodInCacheByUid",
            eventhandlers.update_pod_in_cache_by_properties: "UpdatePodInCacheByProperties",
        },
    ),
    RuleConstant.of(
        "NotePoppedRule",
        "note_popped",
        {
            in_flight.note_popped_with_previous_event: "NotePoppedWithPreviousEvent",
            in_flight.note_popped_in_list: "NotePoppedInList",
        },
    ),
    RuleConstant.of(
        "NoteEventRule",
        "note_event",
        {
            in_flight.note_event_counting_pods: "NoteEventCountingPods",
            in_flight.note_event_in_list: "NoteEventInList",
        },
    ),
    RuleConstant.of(
        "ForgetDoneRule",
        "forget_done",
        {
            in_flight.forget_done_counting_down: "ForgetDoneCountingDown",
            in_flight.forget_done_in_list: "ForgetDoneInList",
        },
    ),
    RuleConstant.of(
        "EventsForPodRule",
        "events_for_pod",
        {
            in_flight.events_after_previous_event: "EventsAfterPreviousEvent",
            in_flight.events_after_pod: "EventsAfterPod",
        },
    ),
    RuleConstant.of(
        "DiscardPoppedRule",
        "discard_popped",
        {
            in_flight.discard_nothing: "DiscardNothing",
            in_flight.discard_what_is_in_flight: "DiscardWhatIsInFlight",
        },
    ),
    RuleConstant.of(
        "EventOfInterestRule",
        "event_of_interest",
        {
            events.every_event_is_of_interest: "EveryEventIsOfInterest",
            events.is_event_of_interest: "IsEventOfInterest",
            # Which plugin waits for which event is a constant of each plugin.
            events.is_narrow_event_of_interest: "IsEventOfInterest",
        },
    ),
    RuleConstant.of(
        "GoesBackRule",
        "goes_back",
        {done.namesake_goes_back: "NamesakeGoesBack", done.only_popped_pod_goes_back: "OnlyPoppedPodGoesBack"},
    ),
    RuleConstant.of(
        "WorthRequeuingRule",
        "worth_requeuing",
        {
            events.worth_requeuing: "WorthRequeuing",
            events.worth_requeuing_pending: "WorthRequeuingPending",
            events.worth_requeuing_narrowly: "WorthRequeuingPending",
        },
    ),
    RuleConstant.of(
        "PassedOverRule",
        "gated_pod_is_passed_over",
        {
            pre_enqueue.no_gated_pod_is_passed_over: "NoneIsPassedOver",
            pre_enqueue.every_gated_pod_is_passed_over: "EveryIsPassedOver",
            pre_enqueue.pod_with_scheduling_gates_is_passed_over: "WithGatesIsPassedOver",
            pre_enqueue.pod_whose_gate_the_event_leaves_is_passed_over: "UnlessTheEventMatters",
        },
    ),
    RuleConstant.of(
        "NoteActivationRule",
        "note_activation",
        {
            scheduling_queue.activation_is_lost: "ActivationIsLost",
            scheduling_queue.activation_is_kept: "ActivationIsKept",
        },
    ),
    RuleConstant.of(
        "TaintAfterPodRule",
        "taint_after_pod",
        {
            hint_functions.not_asked: "NoPodHelps",
            hint_functions.queue_if_own_tolerations_grow: "OwnTolerationsGrow",
            hint_functions.queue_if_own: "IsOwnEvent",
        },
    ),
    RuleConstant.of(
        "FitAfterPodRule",
        "fit_after_pod",
        {
            hint_functions.queue_always: "AnyPodHelps",
            hint_functions.queue_if_assigned_pod_goes: "BoundPodGoes",
            hint_functions.queue_if_assigned_or_nominated_pod_goes: "BoundOrNominatedPodGoes",
        },
    ),
    RuleConstant.of(
        "InterPodAfterPodRule",
        "interpod_after_pod",
        {
            hint_functions.queue_always: "AnyPodHelps",
            inter_pod_affinity.queue_if_bound_pod_suits: "BoundPodSuits",
            inter_pod_affinity.queue_if_bound_or_own_pod_suits: "BoundOrOwnPodSuits",
        },
    ),
    RuleConstant.of(
        "ToldOfBoundRule",
        "assigned_pod_with_hints",
        {
            told_rules.as_without_hints: "TellsWhoMayCare",
            told_rules.everybody_by_general_event: "TellsAllOfUpdate",
            told_rules.everybody_by_property: "TellsAll",
        },
    ),
    # The last two differ in what they log.
    RuleConstant.of(
        "HintForInFlightPodRule",
        "hint_for_in_flight_pod",
        {
            hints.hint_by_any_event: "HintByAnyEvent",
            hints.hint_by_event_since_pop: "HintByEventSincePop",
            hints.hint_after_error: "HintAfterError",
            hints.hint_after_error_or_unknown: "HintAfterErrorOrUnknown",
            hints.hint_of_rejected_pod: "HintAfterErrorOrUnknown",
        },
    ),
    RuleConstant.of(
        "UpdateRule",
        "queue_update",
        {
            update.update_respecting_backoff: "UpdateRespectingBackoff",
            # Nobody nominates.
            update.update_nominating_anew: "UpdateRespectingBackoff",
            # Here a mutant.
            update.update_from_backoff_to_active: "UpdateEndingBackoff",
        },
    ),
    RuleConstant.of(
        "UpdateWithHintsRule",
        "update_with_hints",
        {
            update.update_respecting_backoff: "UpdateRespectingBackoff",
            update_with_hints.update_asking_hints: "UpdateAskingHints",
            update_with_hints.update_keeping_event: "UpdateKeepingEvent",
            update_with_hints.update_keeping_changes: "UpdateKeepingChanges",
            update_with_hints.update_until_moved: "UpdateUntilMoved",
        },
    ),
)

# The modules know these alone.
TABLES: tuple[Forms[Any], ...] = (
    Forms("active_q_order", dict.fromkeys([scheduling_queue.order_by_priority_and_timestamp])),
    Forms("active_q_heads", dict.fromkeys([pop.only_head])),
    Forms("queue_timestamp", dict.fromkeys([scheduling_queue.clock_timestamp])),
    Forms("begin_cycle", dict.fromkeys([pop.begin_next_cycle])),
    Forms("note_move_request", dict.fromkeys([move.note_by_cycle])),
    Forms("move_pods", dict.fromkeys([move.move_if_worth_requeuing])),
    Forms("move_holds", dict.fromkeys([move.move_in_one_hold, move.move_pod_by_pod])),
    Forms("unschedulable_time_limit", dict.fromkeys([scheduling_queue.flushed_after_configured_time])),
    # Backoffs do not grow.
    Forms(
        "backoff_time",
        dict.fromkeys(
            [
                backoff.backoff_time_by_attempts,
                backoff.backoff_time_of_tried_pod,
                backoff.backoff_time_in_window,
                backoff.backoff_time_by_failures,
            ]
        ),
    ),
    Forms("still_backs_off", dict.fromkeys([backoff.backs_off_before_end, backoff.backs_off_through_window])),
    COPIES_GHOSTS,
)
# Rules that say yes or no, or a phase, whatever the state is: they are called.
CALLED = (
    "queueing_hints_default", "requeue_wakes_pop", "done_when_skipped", "done_without_profile", "done_in_binding",
    "done_again_after_bind_error", "pre_enqueue_order", "gated_pod_may_back_off", "pending_plugins_known",
    "pop_from_backoff_q", "gates_events", "hint_functions_answer_errors", "one_pod_handler", "pop_lock",
    "update_holds_pop_lock",
)  # fmt: skip

# An event whose label is another one from 1.33 on.
TOLERATIONS = "UnschedulablePodTolerationsChange"
# The events, by the names that they have in the modules.
EVENTS: Mapping[str, ClusterEvent] = {
    "AssignedPodAdd": events.ASSIGNED_POD_ADD,
    "AssignedPodUpdate": events.ASSIGNED_POD_UPDATE,
    "AssignedPodLabelChange": events.POD_LABEL_CHANGE,
    "AssignedPodOtherUpdate": events.ASSIGNED_POD_OTHER_UPDATE,
    "AssignedPodDelete": events.ASSIGNED_POD_DELETE,
    "UnschedulablePodUpdate": events.UNSCHEDULABLE_POD_UPDATE,
    "UnschedulablePodOtherUpdate": events.UNSCHEDULABLE_POD_OTHER_UPDATE,
    "UnschedulablePodGatesEliminated": events.UNSCHEDULABLE_POD_GATES_ELIMINATED,
    TOLERATIONS: events.UNSCHEDULABLE_POD_TOLERATIONS_CHANGE,
    "NodeAllocatableChange": events.NODE_ALLOCATABLE_CHANGE,
    "NodeLabelChange": events.NODE_LABEL_CHANGE,
    "NodeTaintChange": events.NODE_TAINT_CHANGE,
    "PvAdd": events.PV_ADD,
    "ResourceClaimAdd": events.RESOURCE_CLAIM_ADD,
    "ResourceClaimUpdate": events.RESOURCE_CLAIM_UPDATE,
    "ForceActivate": events.FORCE_ACTIVATE,
    "UnschedulableTimeout": events.UNSCHEDULABLE_TIMEOUT,
}
# The object of an event of which hint functions answer an error.
OBJECT = "Unreadable"
# For which of them a plugin waits, as HintsQueue.tla says. What other plugins wait for is a constant for each.
WAITS: Mapping[str, frozenset[str]] = {
    "Coscheduling": frozenset({"AssignedPodAdd"}),
    "DynamicResources": frozenset({"ResourceClaimAdd", "ResourceClaimUpdate"}),
}
