"""What a bug's text can name as its demonstration."""

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kubeproof.bugs.component import Demonstrator, Under, Variant
from kubeproof.bugs.demonstrations import (
    cache,
    cpu,
    cpu_assignment,
    cycle,
    extenders,
    locks,
    nodes,
    queue,
    queue_now,
    requeueing,
    scores,
)
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from model.cpu.state.format import verify_checksum_of_renamed_type
from model.releases import EVERY_MINOR, known_release
from model.scheduler.pod_handlers import assumed_pod_is_forgotten
from model.scheduler.queue.scheduling_queue import deleted_leaves_waiting
from model.scheduler.select_host import first_by_number
from model.which_rule import Rule

_WITH_HINTS = QUEUEING_HINTS.minors
# The minors of bugs that a later minor cures than `scheduling` knows.
_FROM_1_21 = range(21, max(_WITH_HINTS) + 1)
# The minors whose whole cycles `schedule_one` has.
_FROM_1_19 = range(19, max(EVERY_MINOR) + 1)
# Those that distribute CPUs over NUMA nodes.
_FROM_1_23 = range(23, max(EVERY_MINOR) + 1)
# Those with prefer-align-cpus-by-uncorecache.
_FROM_1_32 = range(32, max(EVERY_MINOR) + 1)
_NEWEST = f"1.{EVERY_MINOR[-1]}"


def _in(release: str, name: str, given: Mapping[str, Any] | None = None, **changed: Rule) -> Variant:
    return Variant(name, Under(known_release(release), changed), given or {})


_ALL = (
    Demonstrator(
        cpu.checkpoint_of_1_17,
        (_in("1.18.0", "1.18's development between #84462 and #86689", {"name": "1.18 before #86689"},
             verify_checkpoint=verify_checksum_of_renamed_type),),
    ),
    Demonstrator(cpu.container_map_race),
    Demonstrator(cpu.hints),
    Demonstrator(cpu.late_allocation),
    Demonstrator(
        cpu_assignment.half_free_cores,
        (_in(_NEWEST, "what a cache has free is taken, whole cores first, as #137360 proposes",
             take_by_topology=cpu_assignment.take_in_one_cache),),
        _FROM_1_32,
    ),
    Demonstrator(cpu_assignment.odd_numbers_of_cpus, minors=_FROM_1_23),
    Demonstrator(
        queue_now.flushed_while_held_back,
        (_in("1.36.3", "1.36.3 where a move by `*` passes no pod over, as #139162 does",
             gated_pod_is_passed_over=queue_now.passed_over_unless_any),),
        _FROM_1_32,
    ),
    Demonstrator(
        queue_now.deleted_from_two_queues,
        (
            _in("1.36.3", "1.36.3 with SchedulerPopFromBackoffQ on, as by default", {"pops_from_backoff": True}),
            # As up to 1.32.
            _in("1.36.3", "1.36.3 with the gate off, where Delete looks into each sub-queue",
                forget_deleted=deleted_leaves_waiting),
        ),
        _FROM_1_32,
    ),
    Demonstrator(locks.shared_record_race),
    Demonstrator(queue.backoffs),
    Demonstrator(queue.popped_first),
    Demonstrator(queue.refused_by_heap),
    Demonstrator(queue.rejected_by_extender),
    Demonstrator(queue.rejected_by_spread),
    Demonstrator(queue.joined_with_taint),
    Demonstrator(queue.failed_pod_not_yet_listed),
    Demonstrator(cache.replaced_on_its_node),
    Demonstrator(
        cache.deleted_while_binding,
        # The last release without the cure.
        (_in("1.34.9", "1.34.9 with the delete told to the cache as well, as #134157 does",
             forgets_deleted_assumed_pod=assumed_pod_is_forgotten),),
    ),
    Demonstrator(cache.image_counts),
    Demonstrator(cache.filtered_nodes),
    Demonstrator(nodes.joined_while_filtering),
    Demonstrator(nodes.update_of_unknown_node),
    Demonstrator(nodes.removed_by_name),
    Demonstrator(nodes.named_by_extender),
    Demonstrator(cycle.start_set_back),
    Demonstrator(
        extenders.widened,
        (_in(_NEWEST, "the newest release, where whole Node objects are compared with the request",
             error_of_whole_nodes=extenders.named_only_if_asked),),
    ),
    Demonstrator(
        extenders.ends_the_process,
        (_in(_NEWEST, "the newest release, where a null is an error", null_victims=extenders.null_is_an_error),),
    ),
    Demonstrator(
        extenders.unchecked,
        (_in(_NEWEST, "the newest release, where an answer may only leave nodes out",
             error_of_answer=extenders.only_what_was_sent),),
    ),
    Demonstrator(cycle.start_moved_past_a_node),
    Demonstrator(cycle.error_not_told, minors=_FROM_1_19),
    Demonstrator(requeueing.hint_misses, minors=_WITH_HINTS),
    Demonstrator(requeueing.waits_for_too_little, minors=_FROM_1_21),
    Demonstrator(requeueing.node_goes, minors=_FROM_1_21),
    Demonstrator(requeueing.node_goes_while_tried, minors=_WITH_HINTS),
    Demonstrator(requeueing.room_comes_later, minors=_FROM_1_21),
    Demonstrator(requeueing.left_out_by_name),
    Demonstrator(
        scores.extender_overflows,
        (_in("1.31.13", "the newest release, where an extender's weight has to be an int32",
             refuses_extender=scores.only_int32),),
    ),
    Demonstrator(
        scores.equals_are_not_drawn,
        (_in("1.36.2", "a random number for each node, as #141024 does", draw_host=first_by_number),),
    ),
    Demonstrator(scores.policy_weight_is_cut),
)  # fmt: skip

# The fields of Rules classes that each goes by: the evidence of its release table is theirs.
_RULES = {
    "checkpoint_of_1_17": ("store_checkpoint", "get_checkpoint", "verify_checkpoint", "migrate_checkpoint"),
    "container_map_race": ("manager_accesses",),
    "hints": ("generate_cpu_topology_hints", "hinted_entry", "allocate", "manager_allocate", "update_cpus_to_reuse"),
    "late_allocation": ("generate_cpu_topology_hints", "allocate", "manager_allocate"),
    "half_free_cores": ("take_by_topology",),
    "odd_numbers_of_cpus": ("take_by_topology_numa_distributed",),
    "flushed_while_held_back": (
        "gated_pod_is_passed_over", "worth_requeuing", "move_pods", "unschedulable_time_limit",
    ),
    "deleted_from_two_queues": ("update_with_hints", "forget_deleted", "worth_requeuing"),
    "shared_record_race": ("nominator_accesses",),
    "backoffs": ("back_off_pod", "backoff_time", "popped_record"),
    "popped_first": ("move_pods", "active_q_order", "active_q_heads", "backoff_time", "queue_for_failed_pod"),
    "refused_by_heap": ("move_pods",),
    "rejected_by_extender": ("extender_plugins", "move_pods", "worth_requeuing", "event_of_interest"),
    "rejected_by_spread": (
        "pods_for_assigned_pod", "move_pods", "worth_requeuing", "event_of_interest", "spread_events",
    ),
    "joined_with_taint": (
        "pre_check", "pods_for_move_request", "move_pods", "worth_requeuing", "fit_events", "spread_events",
    ),
    "failed_pod_not_yet_listed": ("error_func",),
    "replaced_on_its_node": ("update_pod_in_cache", "update_added_pod", "remove_known_pod", "take_snapshot"),
    "deleted_while_binding": (
        "delete_pod_from_scheduling_queue", "remove_known_pod", "final_state_unknown", "one_pod_handler",
        "forgets_deleted_assumed_pod", "forget_assumed_pod",
    ),
    "image_counts": ("image_counts",),
    "filtered_nodes": ("take_snapshot", "panics_at_nil_node"),
    "joined_while_filtering": ("takes_nodes_from_tree", "panics_at_nil_node"),
    "update_of_unknown_node": ("update_known_node",),
    "removed_by_name": ("error_func", "remove_known_node", "remove_node", "take_snapshot"),
    "named_by_extender": ("nodes_of_answer",),
    "start_set_back": ("prefer", "nominated_node_moves_start", "named_nodes", "start_goes_round"),
    "widened": ("nodes_of_answer", "error_of_whole_nodes"),
    "ends_the_process": ("node_not_found_in_victims", "null_victims", "asks_extenders_to_preempt"),
    "unchecked": ("node_without_victims", "error_of_answer", "asks_extenders_to_preempt"),
    "start_moved_past_a_node": ("named_nodes", "start_goes_round", "takes_nodes_from_tree"),
    "error_not_told": ("plugin_error",),
    "hint_misses": (
        "fit_after_node", "affinity_after_node", "unschedulable_after_pod", "unschedulable_after_node",
        "taint_after_pod", "taint_after_node", "spread_after_pod", "spread_after_node",
        "interpod_after_pod", "interpod_after_node", "pre_check_with_hints",
        "unschedulable_events_with_hints", "spread_events_with_hints", "interpod_events", "taint_events",
        "events_added", "update_with_hints", "worth_requeuing",
    ),
    "waits_for_too_little": (
        "fit_events", "affinity_events", "taint_events", "events_added", "pre_check", "move_on_node_update",
        "worth_requeuing",
    ),
    "node_goes": ("node_deleted", "spread_events", "worth_requeuing"),
    "node_goes_while_tried": ("node_deleted", "spread_events", "worth_requeuing"),
    "room_comes_later": (
        "fit_events", "unschedulable_events", "taint_events", "affinity_events", "events_added",
        "pre_check", "move_on_node_update", "worth_requeuing",
    ),
    "left_out_by_name": ("narrowed_by_name", "spread_events", "pre_check", "move_on_node_update", "worth_requeuing"),
    "extender_overflows": ("max_node_score", "refuses_extender"),
    "equals_are_not_drawn": ("draw_host",),
    "policy_weight_is_cut": ("max_node_score", "refuses_priorities", "weight_of_priority"),
}  # fmt: skip

DEMONSTRATIONS: dict[str, Demonstrator] = {
    each.ask.__name__: evolve(each, rules=_RULES[each.ask.__name__]) for each in _ALL
}
