"""Which operators of the modules of scheduling stand for which rules, and what else depends on a rule."""

from typing import Any

from model.scheduler import (
    cycle,
    eventhandlers as event_handlers,
    events_to_register,
    extender,
    inter_pod_affinity,
    node_handlers,
    skip,
)
from model.scheduler.cache import assumed, nodes as cache_nodes, pods as cache_pods, snapshot as cache_snapshot
from model.scheduler.preemption import node_resources_fit, preempt, waiting_victims, writes
from model.scheduler.queue import (
    backoff as queue_backoff,
    events as queue_events,
    move as queue_move,
    nominations,
    nominator,
    pop,
    scheduling_queue,
    update as queue_update,
)
from properties.forms import Forms
from properties.preemption.mutants import no_pod_counts
from properties.tla.form import RuleConstant

CONSTANTS = (
    RuleConstant.of(
        "NominatorAddRule",
        "nominator_add",
        {
            nominator.add_by_status: "AddByStatus",
            nominator.add_unchecked: "AddUnchecked",
            nominator.add_if_listed: "AddIfListed",
            nominator.add_if_listed_unbound: "AddIfListedUnbound",
            nominator.add_overriding: "AddOverriding",
            nominator.add_overriding_unless_bound: "AddOverridingUnlessBound",
            nominator.add_reference: "AddReference",
        },
    ),
    RuleConstant.of(
        "NominatorDeleteRule",
        "nominator_delete",
        {nominator.delete_by_status: "DeleteByStatus", nominator.delete_by_uid: "DeleteByUid"},
    ),
    RuleConstant.of(
        "NominatorUpdateRule",
        "nominator_update",
        {
            nominator.update_by_status: "UpdateByStatus",
            nominator.update_keeping_memory: "UpdateKeepingMemory",
            nominator.update_sharing_record: "UpdateSharingRecord",
        },
    ),
    RuleConstant.of(
        "NominateAddedRule",
        "nominate_added",
        {
            scheduling_queue.nominate_added_anew: "NominateAddedAnew",
            scheduling_queue.nominate_added_by_status: "NominateAddedByStatus",
        },
    ),
    RuleConstant.of(
        "NominateWaitingRule",
        "nominate_waiting",
        {
            scheduling_queue.nominate_waiting_by_status: "NominateWaitingByStatus",
            scheduling_queue.nominate_waiting_as_before: "NominateWaitingAsBefore",
        },
    ),
    RuleConstant.of(
        "NominatedPodRule",
        "nominated_pod",
        {nominations.nominated_as_kept: "NominatedAsKept", nominations.nominated_as_queued: "NominatedAsQueued"},
    ),
    RuleConstant.of(
        "NominateForNodeRule",
        "nominate_for_node",
        {
            nominations.nominated_by_status_only: "NominatedByStatusOnly",
            nominations.nominated_at_once: "NominatedAtOnce",
        },
    ),
    RuleConstant.of(
        "PoppedRecordRule",
        "popped_record",
        {
            pop.pop_pod_only: "PopPodOnly",
            pop.pop_counting_attempts: "PopCountingAttempts",
            pop.pop_clearing_plugins: "PopClearingPlugins",
            # The modules count attempts in the place of failures: a pod that waits and was tried has failed.
            pop.pop_keeping_failures: "PopClearingPlugins",
        },
    ),
    RuleConstant.of(
        "FailedPodRule",
        "queue_for_failed_pod",
        {
            scheduling_queue.failed_pod_by_flag: "FailedPodByFlag",
            scheduling_queue.failed_pod_by_cycle_to_active: "FailedPodByFlag",
            scheduling_queue.failed_pod_by_cycle: "FailedPodByCycle",
            scheduling_queue.failed_pod_by_cycle_or_error: "FailedPodByCycleOrError",
        },
    ),
    RuleConstant.of(
        "StripForQueueRule",
        "strip_for_queue",
        {
            queue_update.strip_status: "StripStatus",
            queue_update.strip_status_and_finalizers: "StripStatusAndFinalizers",
        },
    ),
    RuleConstant.of(
        "PodsForMoveRequestRule",
        "pods_for_move_request",
        {
            queue_move.all_unschedulable: "AllUnschedulable",
            queue_move.those_passing_pre_check: "ThosePassingPreCheck",
        },
    ),
    RuleConstant.of(
        "RemovePodFromNodeRule",
        "remove_pod_from_node",
        {
            cache_pods.remove_pod_of_unchecked_node: "RemovePodOfUncheckedNode",
            cache_pods.remove_pod_of_known_node: "RemovePodOfKnownNode",
            cache_pods.remove_pod_keeping_placeholder: "RemovePodKeepingPlaceholder",
            cache_pods.remove_pod_dropping_ghost: "RemovePodDroppingGhost",
        },
    ),
    RuleConstant.of(
        "UpdatePodOnNodeRule",
        "update_pod_on_node",
        {
            cache_pods.update_pod_on_any_node: "UpdatePodOnAnyNode",
            cache_pods.update_pod_on_known_node: "UpdatePodOnKnownNode",
        },
    ),
    RuleConstant.of(
        "ConfirmAssumedPodRule",
        "confirm_assumed_pod",
        {
            cache_pods.confirm_keeping_object: "ConfirmKeepingObject",
            cache_pods.confirm_updating_other_node: "ConfirmUpdatingOtherNode",
            cache_pods.confirm_by_update: "ConfirmByUpdate",
        },
    ),
    RuleConstant.of(
        "UpdateAddedPodRule",
        "update_added_pod",
        {
            cache_pods.update_keeping_key: "UpdateKeepingKey",
            cache_pods.update_by_replacement: "UpdateByReplacement",
            cache_pods.update_by_replacement_naming_assumed: "UpdateByReplacement",
        },
    ),
    RuleConstant.of(
        "RemoveKnownPodRule",
        "remove_known_pod",
        {
            cache_pods.remove_unless_assumed: "RemoveUnlessAssumed",
            cache_pods.remove_even_assumed: "RemoveEvenAssumed",
        },
    ),
    # The node handler hears of each node in turn, so that no name is unknown, and the tree has each node.
    RuleConstant.of(
        "RemoveKnownNodeRule",
        "remove_known_node",
        {
            cache_nodes.remove_node_of_unchecked_name: "RemoveNodeKeepingGhost",
            cache_nodes.remove_node_ignoring_tree: "RemoveNodeKeepingGhost",
            cache_nodes.remove_node_keeping_ghost: "RemoveNodeKeepingGhost",
            cache_nodes.remove_node_with_its_pods: "RemoveNodeWithItsPods",
        },
    ),
    RuleConstant.of(
        "ForgetUnknownPodRule",
        "forget_assumed_pod",
        {assumed.forget_only_assumed: "UnknownPodIsAnError", assumed.forget_unless_gone: "UnknownPodIsForgotten"},
    ),
    # Those of nodes differ in what is left of the snapshot before, and here there is none.
    RuleConstant.of(
        "TakeSnapshotRule",
        "take_snapshot",
        {
            cache_snapshot.snapshot_by_equal_generation: "SnapshotOfAllInfos",
            cache_snapshot.snapshot_of_newer_nodes: "SnapshotOfNodes",
            cache_snapshot.snapshot_listing_every_time: "SnapshotOfNodes",
            cache_snapshot.snapshot_counting_cache_nodes: "SnapshotOfNodes",
            cache_snapshot.snapshot_counting_tree_nodes: "SnapshotOfNodes",
        },
    ),
    RuleConstant.of(
        "UnknownIsSelectedRule",
        "final_state_unknown",
        {
            event_handlers.last_known_state_is_selected: "UnknownByLastState",
            event_handlers.unknown_state_is_selected: "UnknownIsSelected",
        },
    ),
    RuleConstant.of(
        "UpdateIsIgnoredRule",
        "update_is_ignored",
        {
            event_handlers.no_update_is_ignored: "NoUpdateIsIgnored",
            event_handlers.equal_resource_version_is_ignored: "EqualVersionIsIgnored",
        },
    ),
    # Modelled pods have no managedFields.
    RuleConstant.of(
        "StripPodRule",
        "strip_pod",
        {
            skip.strip_annotations: "StripAnnotations",
            skip.strip_managed_fields: "StripAnnotations",
            skip.strip_finalizers_and_conditions: "StripBenignFields",
            skip.strip_all_benign_fields: "StripBenignFields",
        },
    ),
    RuleConstant.of(
        "SkipPodUpdateRule",
        "skip_pod_update",
        {skip.skip_pod_update_if_benign: "SkipPodUpdateIfBenign", skip.skip_any_pod_update: "SkipAnyPodUpdate"},
    ),
    RuleConstant.of(
        "SkipPodScheduleRule",
        "skip_pod_schedule",
        {
            skip.skip_terminating_pod: "SkipTerminatingPod",
            skip.skip_terminating_or_assumed_pod: "SkipTerminatingOrAssumedPod",
        },
    ),
    RuleConstant.of(
        "UpdatePodInCacheRule",
        "update_pod_in_cache",
        {
            event_handlers.update_pod_in_cache: "UpdatePodInCache",
            event_handlers.update_pod_in_cache_by_uid: "UpdatePodInCacheByUid",
            event_handlers.update_pod_in_cache_by_properties: "UpdatePodInCacheByProperties",
        },
    ),
    RuleConstant.of(
        "MoveOnNodeUpdateRule",
        "move_on_node_update",
        {
            node_handlers.move_on_any_node_update: "MoveOnAnyNodeUpdate",
            node_handlers.move_on_node_change_or_empty_queue: "MoveIfNoneUnschedulable",
            node_handlers.move_on_node_change: "MoveOnNodeChange",
            node_handlers.move_on_each_node_change: "MoveOnNodeChange",
        },
    ),
    RuleConstant.of(
        "PreCheckRule",
        "pre_check",
        {node_handlers.without_pre_check: "WithoutPreCheck", node_handlers.pre_check_for_node: "PreCheckForNode"},
    ),
    RuleConstant.of(
        "PreemptsWithRule",
        "preempts_with",
        {cycle.any_number_of_victims: "AnyNumberOfVictims", cycle.at_least_one_victim: "AtLeastOneVictim"},
    ),
    RuleConstant.of(
        "TerminatingPodCountsRule",
        "terminating_pod_counts",
        {
            preempt.any_terminating_pod: "AnyTerminatingPod",
            preempt.terminating_by_preemption: "TerminatingByPreemption",
            # A mutant.
            no_pod_counts: "NoPodCounts",
        },
    ),
    # Which other fields of the status come to be written, no state keeps.
    RuleConstant.of(
        "VictimIsMarkedRule",
        "status_of_victim",
        {
            writes.not_written: "NotAtAll",
            writes.condition_is_applied: "Always",
            writes.from_preemptor: "Always",
            writes.from_victim: "Always",
        },
    ),
    RuleConstant.of(
        "PreferRule",
        "prefer",
        {cycle.look_at_all_nodes: "LookAtAllNodes", cycle.nominated_node_first: "NominatedNodeFirst"},
    ),
    RuleConstant.of(
        "ExtenderFilterRule",
        "extender_filter",
        {
            extender.filter_empty_when_allocated: "FilterEmptyWhenAllocated",
            extender.filter_error_when_allocated: "FilterErrorWhenAllocated",
            extender.filter_keeps_all: "FilterKeepsAll",
            extender.filter_rejects_all: "FilterRejectsAll",
        },
    ),
)

# Rules that one constant says together, KeepsTimes: with or without timestamps.
KEEPS_TIMES = (
    Forms("queue_timestamp", {scheduling_queue.no_timestamp: False, scheduling_queue.clock_timestamp: True}),
    Forms("active_q_heads", {pop.heads_of_equal_priority: False, pop.only_head: True}),
    Forms(
        "active_q_order",
        {scheduling_queue.order_by_priority: False, scheduling_queue.order_by_priority_and_timestamp: True},
    ),
)
# CountsCycles: a number or a flag says whether a move request came.
COUNTS_CYCLES = (
    Forms("begin_cycle", {pop.begin_cycle_clearing_flag: False, pop.begin_next_cycle: True}),
    Forms("note_move_request", {queue_move.note_by_flag: False, queue_move.note_by_cycle: True}),
)
# ComparesEvents: whether a plugin that rejected a pod is asked what it waits for.
COMPARES_EVENTS = Forms(
    "worth_requeuing",
    {
        queue_events.always_worth_requeuing: False,
        queue_events.worth_requeuing_by_event: True,
        queue_events.worth_requeuing: True,
        queue_events.worth_requeuing_pending: True,
        queue_events.worth_requeuing_narrowly: True,
    },
)
# UnschedulableEvents: the events of the modules that NodeUnschedulable waits for.
UNSCHEDULABLE_EVENTS = Forms(
    "unschedulable_events",
    {
        events_to_register.every_event: ("pod deleted", "node added", "uncordoned", "allocatable"),
        events_to_register.unschedulable_events_of_taints: ("node added", "uncordoned"),
        events_to_register.unschedulable_events_of_node_updates: ("node added", "uncordoned", "allocatable"),
        events_to_register.unschedulable_events_of_taints_and_labels: ("node added", "uncordoned"),
    },
)
# AffinityEvents: the same of InterPodAffinity.
AFFINITY_EVENTS = Forms(
    "interpod_events",
    {
        inter_pod_affinity.every_event: ("pod deleted", "node added", "uncordoned", "allocatable"),
        inter_pod_affinity.events_of_labels: ("pod deleted", "node added"),
        inter_pod_affinity.events_of_labels_and_taints: ("pod deleted", "node added", "uncordoned"),
        inter_pod_affinity.events_of_pod_labels: ("pod deleted", "node added", "uncordoned"),
        inter_pod_affinity.events_without_taints_with_hints: ("pod deleted", "node added", "uncordoned"),
    },
)
ASKS_AGAIN = Forms("preempts_again", {cycle.never_preempt_again: False, cycle.preempt_again_if_unresolvable: True})
PATCHES_FROM_ATTEMPT = Forms(
    "patches_from_attempt", {cycle.patch_from_pod_that_goes_back: False, cycle.patch_from_attempted_pod: True}
)
# ClearsNomination, SmallNodeIsUnresolvable.
CLEARS_NOMINATION = Forms(
    "clears_nomination_of_bound",
    {cycle.nomination_outlives_binding: False, cycle.binding_clears_nomination: True},
)
FITS_NODE = Forms("fits_node", {node_resources_fit.fits_request: False, node_resources_fit.fits_request_or_never: True})
MISSING_VICTIM = Forms(
    "missing_victim_is_an_error",
    {waiting_victims.missing_victim_ends_preemption: True, waiting_victims.missing_victim_is_passed_over: False},
)
PREEMPTS_FIRST = Forms("preempts_first", {cycle.record_then_preempt: False, cycle.preempt_then_record: True})
MOVES_AFTER_FORGET = Forms("after_bind_error", {cycle.forget_only: False, cycle.forget_then_move: True})
# From how many attempts on none counts: as long as no time passes, releases tell no attempt from one, or none at all.
MOST_ATTEMPTS = Forms(
    "backoff_time",
    {
        queue_backoff.no_backoff_time: 0,
        queue_backoff.backoff_time_by_name: 0,
        queue_backoff.backoff_time_by_attempts: 1,
        queue_backoff.backoff_time_of_tried_pod: 1,
        queue_backoff.backoff_time_in_window: 1,
        queue_backoff.backoff_time_by_failures: 1,
    },
)
# With the clock. BackoffsOf: of what a queue knows when a backoff ends.
BACKOFFS_OF = Forms(
    "backoff_time",
    {
        queue_backoff.no_backoff_time: "none",
        queue_backoff.backoff_time_by_name: "names",
        queue_backoff.backoff_time_by_attempts: "records",
        queue_backoff.backoff_time_of_tried_pod: "records",
        queue_backoff.backoff_time_in_window: "records",
        queue_backoff.backoff_time_by_failures: "records",
    },
)
# BackoffsKeptFor: how many backoffs what is known of a name is kept for.
BACKOFFS_KEPT_FOR = Forms(
    "back_off_pod",
    {
        queue_backoff.no_back_off_pod: 0,
        queue_backoff.back_off_pod_kept_for_max: 1,
        queue_backoff.back_off_pod_kept_for_twice_max: 2,
    },
)
MOVES_RESPECT_BACKOFF = Forms(
    "move_pods",
    {
        queue_move.move_to_active: False,
        queue_move.move_to_active_or_backoff_dropping: True,
        queue_move.move_to_active_or_backoff: True,
        queue_move.move_if_worth_requeuing: True,
    },
)
# UpdateRespectsBackoff: the second does. From 1.32 on hints are asked.
QUEUE_UPDATE = Forms(
    "queue_update",
    dict.fromkeys([queue_update.update_from_backoff_to_active, queue_update.update_respecting_backoff]),
)

# Whether the cache's own states tell which ghosts the next snapshot, taken from nothing, is to copy.
COPIES_GHOSTS = Forms(
    "take_snapshot",
    {
        cache_snapshot.snapshot_by_equal_generation: True,
        cache_snapshot.snapshot_of_newer_nodes: False,
        cache_snapshot.snapshot_listing_every_time: False,
        cache_snapshot.snapshot_counting_cache_nodes: False,
        cache_snapshot.snapshot_counting_tree_nodes: False,
    },
)

# Every table that the form asks, but those for which a fix may bring an operator.
TABLES: tuple[Forms[Any], ...] = (
    *KEEPS_TIMES, *COUNTS_CYCLES, ASKS_AGAIN, PREEMPTS_FIRST, MOVES_AFTER_FORGET, MOST_ATTEMPTS,
    COMPARES_EVENTS, UNSCHEDULABLE_EVENTS, AFFINITY_EVENTS, PATCHES_FROM_ATTEMPT, CLEARS_NOMINATION, FITS_NODE,
    MISSING_VICTIM, BACKOFFS_OF, BACKOFFS_KEPT_FOR, MOVES_RESPECT_BACKOFF, QUEUE_UPDATE,
)  # fmt: skip
