"""What a bug's text can name as its demonstration."""

from collections.abc import Mapping
from typing import Any

from kubeproof.bugs.component import Demonstrator, Under, Variant
from kubeproof.bugs.demonstrations import (
    cache,
    cpu,
    cpu_assignment,
    cycle,
    extenders,
    locks,
    nodes,
    profiles,
    queue,
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
# The minors that have arguments of plugins, and those whose plugins are made as points name them.
_FROM_1_15 = range(15, max(EVERY_MINOR) + 1)
_FROM_1_18 = range(18, max(EVERY_MINOR) + 1)
# The minors whose whole cycles `schedule_one` has.
_FROM_1_19 = range(19, max(EVERY_MINOR) + 1)
# Those that distribute CPUs over NUMA nodes; those with multiPoint.
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
    Demonstrator(locks.container_map_race),
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
        queue.flushed_while_held_back,
        (_in("1.36.3", "1.36.3 where a move by `*` passes no pod over, as #139162 does",
             gated_pod_is_passed_over=queue.passed_over_unless_any),),
        _FROM_1_32,
    ),
    Demonstrator(
        queue.deleted_from_two_queues,
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
    Demonstrator(cycle.more_skip_than_score, minors=_FROM_1_19),
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
    Demonstrator(profiles.asked_twice, minors=_FROM_1_23),
    Demonstrator(profiles.own_plugin_first, minors=_FROM_1_23),
    Demonstrator(profiles.weight_of_another_point, minors=_FROM_1_18),
    Demonstrator(profiles.arguments_of_another, minors=_FROM_1_15),
    Demonstrator(profiles.load_is_not_seen),
)  # fmt: skip

DEMONSTRATIONS: dict[str, Demonstrator] = {each.ask.__name__: each for each in _ALL}
