"""What a bug's text can name as its demonstration."""

from kubeproof.bugs.component import Demonstrator
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
from model.releases import EVERY_MINOR

_WITH_HINTS = QUEUEING_HINTS.minors
# The minors of bugs that a later minor cures than `scheduling` knows.
_FROM_1_21 = range(21, max(_WITH_HINTS) + 1)
# The minors whose whole cycles `schedule_one` has.
_FROM_1_19 = range(19, max(EVERY_MINOR) + 1)
# Those that distribute CPUs over NUMA nodes.
_FROM_1_23 = range(23, max(EVERY_MINOR) + 1)
# Those with prefer-align-cpus-by-uncorecache.
_FROM_1_32 = range(32, max(EVERY_MINOR) + 1)

DEMONSTRATIONS: dict[str, Demonstrator] = {
    "checkpoint_of_1_17": Demonstrator(
        cpu.checkpoint_of_1_17,
        rules=("store_checkpoint", "get_checkpoint", "verify_checkpoint", "migrate_checkpoint"),
        variants=(("1.18's development between #84462 and #86689", cpu.checkpoint_before_86689),),
    ),
    "container_map_race": Demonstrator(cpu.container_map_race, rules=("manager_accesses",)),
    "hints": Demonstrator(
        cpu.hints,
        rules=("generate_cpu_topology_hints", "hinted_entry", "allocate", "manager_allocate", "update_cpus_to_reuse"),
    ),
    "late_allocation": Demonstrator(
        cpu.late_allocation, rules=("generate_cpu_topology_hints", "allocate", "manager_allocate")
    ),
    "half_free_cores": Demonstrator(
        cpu_assignment.half_free_cores,
        rules=("take_by_topology",),
        variants=(
            (
                "what a cache has free is taken, whole cores first, as #137360 proposes",
                cpu_assignment.half_free_cores_in_one_cache,
            ),
        ),
        minors=_FROM_1_32,
    ),
    "odd_numbers_of_cpus": Demonstrator(
        cpu_assignment.odd_numbers_of_cpus, rules=("take_by_topology_numa_distributed",), minors=_FROM_1_23
    ),
    "flushed_while_held_back": Demonstrator(
        queue_now.flushed_while_held_back,
        rules=("gated_pod_is_passed_over", "worth_requeuing", "move_pods", "unschedulable_time_limit"),
        variants=(("1.36.3 where a move by `*` passes no pod over, as #139162 does", queue_now.flushed_by_any_event),),
        minors=_FROM_1_32,
    ),
    "deleted_from_two_queues": Demonstrator(
        queue_now.deleted_from_two_queues,
        rules=("update_with_hints", "forget_deleted", "worth_requeuing"),
        variants=(
            ("1.36.3 with SchedulerPopFromBackoffQ on, as by default", queue_now.deleted_with_pops),
            ("1.36.3 with the gate off, where Delete looks into each sub-queue", queue_now.deleted_everywhere),
        ),
        minors=_FROM_1_32,
    ),
    "shared_record_race": Demonstrator(locks.shared_record_race, rules=("nominator_accesses",)),
    "backoffs": Demonstrator(queue.backoffs, rules=("back_off_pod", "backoff_time", "popped_record")),
    "popped_first": Demonstrator(
        queue.popped_first,
        rules=("move_pods", "active_q_order", "active_q_heads", "backoff_time", "queue_for_failed_pod"),
    ),
    "refused_by_heap": Demonstrator(queue.refused_by_heap, rules=("move_pods",)),
    "rejected_by_extender": Demonstrator(
        queue.rejected_by_extender, rules=("extender_plugins", "move_pods", "worth_requeuing", "event_of_interest")
    ),
    "rejected_by_spread": Demonstrator(
        queue.rejected_by_spread,
        rules=("pods_for_assigned_pod", "move_pods", "worth_requeuing", "event_of_interest", "spread_events"),
    ),
    "joined_with_taint": Demonstrator(
        queue.joined_with_taint,
        rules=("pre_check", "pods_for_move_request", "move_pods", "worth_requeuing", "fit_events", "spread_events"),
    ),
    "failed_pod_not_yet_listed": Demonstrator(queue.failed_pod_not_yet_listed, rules=("error_func",)),
    "replaced_on_its_node": Demonstrator(
        cache.replaced_on_its_node,
        rules=("update_pod_in_cache", "update_added_pod", "remove_known_pod", "take_snapshot"),
    ),
    "deleted_while_binding": Demonstrator(
        cache.deleted_while_binding,
        rules=(
            "delete_pod_from_scheduling_queue", "remove_known_pod", "final_state_unknown", "one_pod_handler",
            "forgets_deleted_assumed_pod", "forget_assumed_pod",
        ),
        variants=(("1.34.9 with the delete told to the cache as well, as #134157 does", cache.forgotten_when_deleted),),
    ),
    "image_counts": Demonstrator(cache.image_counts, rules=("image_counts",)),
    "filtered_nodes": Demonstrator(cache.filtered_nodes, rules=("take_snapshot", "panics_at_nil_node")),
    "joined_while_filtering": Demonstrator(
        nodes.joined_while_filtering, rules=("takes_nodes_from_tree", "panics_at_nil_node")
    ),
    "update_of_unknown_node": Demonstrator(
        nodes.update_of_unknown_node, rules=("update_known_node",)
    ),
    "removed_by_name": Demonstrator(
        nodes.removed_by_name,
        rules=("error_func", "remove_known_node", "remove_node", "take_snapshot"),
    ),
    "named_by_extender": Demonstrator(nodes.named_by_extender, rules=("nodes_of_answer",)),
    "start_set_back": Demonstrator(
        cycle.start_set_back,
        rules=("prefer", "nominated_node_moves_start", "named_nodes", "start_goes_round"),
    ),
    "widened": Demonstrator(
        extenders.widened, rules=("nodes_of_answer", "error_of_whole_nodes"),
        variants=(("the newest release, where whole Node objects are compared with the request", extenders.narrowed),),
    ),
    "ends_the_process": Demonstrator(
        extenders.ends_the_process, rules=("node_not_found_in_victims", "null_victims", "asks_extenders_to_preempt"),
        variants=(("the newest release, where a null is an error", extenders.null_is_an_error),),
    ),
    "unchecked": Demonstrator(
        extenders.unchecked, rules=("node_without_victims", "error_of_answer", "asks_extenders_to_preempt"),
        variants=(("the newest release, where an answer may only leave nodes out", extenders.checked),),
    ),
    "start_moved_past_a_node": Demonstrator(
        cycle.start_moved_past_a_node, rules=("named_nodes", "start_goes_round", "takes_nodes_from_tree")
    ),
    "error_not_told": Demonstrator(cycle.error_not_told, rules=("plugin_error",), minors=_FROM_1_19),
    "hint_misses": Demonstrator(
        requeueing.hint_misses,
        rules=(
            "fit_after_node", "affinity_after_node", "unschedulable_after_pod", "unschedulable_after_node",
            "taint_after_pod", "taint_after_node", "spread_after_pod", "spread_after_node", "interpod_after_pod",
            "interpod_after_node", "pre_check_with_hints", "unschedulable_events_with_hints",
            "spread_events_with_hints", "interpod_events", "taint_events", "events_added", "update_with_hints",
            "worth_requeuing",
        ),
        minors=_WITH_HINTS,
    ),
    "waits_for_too_little": Demonstrator(
        requeueing.waits_for_too_little,
        rules=(
            "fit_events", "affinity_events", "taint_events", "events_added", "pre_check", "move_on_node_update",
            "worth_requeuing",
        ),
        minors=_FROM_1_21,
    ),
    "node_goes": Demonstrator(
        requeueing.node_goes, rules=("node_deleted", "spread_events", "worth_requeuing"), minors=_FROM_1_21
    ),
    "node_goes_while_tried": Demonstrator(
        requeueing.node_goes_while_tried, rules=("node_deleted", "spread_events", "worth_requeuing"), minors=_WITH_HINTS
    ),
    "room_comes_later": Demonstrator(
        requeueing.room_comes_later,
        rules=(
            "fit_events", "unschedulable_events", "taint_events", "affinity_events", "events_added", "pre_check",
            "move_on_node_update", "worth_requeuing",
        ),
        minors=_FROM_1_21,
    ),
    "left_out_by_name": Demonstrator(
        requeueing.left_out_by_name,
        rules=("narrowed_by_name", "spread_events", "pre_check", "move_on_node_update", "worth_requeuing"),
    ),
    "extender_overflows": Demonstrator(
        scores.extender_overflows,
        rules=("max_node_score", "refuses_extender"),
        variants=(("the newest release, where an extender's weight has to be an int32", scores.limited_to_int32),),
    ),
    "equals_are_not_drawn": Demonstrator(
        scores.equals_are_not_drawn,
        rules=("draw_host",),
        variants=(("a random number for each node, as #141024 does", scores.drawn_for_each_node),),
    ),
    "policy_weight_is_cut": Demonstrator(
        scores.policy_weight_is_cut, rules=("max_node_score", "refuses_priorities", "weight_of_priority")
    ),
}  # fmt: skip
