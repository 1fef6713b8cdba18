"""Cells of 1.16 to 1.36 that nobody can know from the trees at hand, each with the reason.

A cell stands here when the rule of the release before is another than that of the release after, or when there is no
release after. Release notes and the dates of pull requests decide what the rows say of them.
"""

from attrs import frozen
from packaging.version import Version

from model.evidence import cell
from model.releases import Release


@frozen
class Unseen:
    """Patch releases of one minor of which the sources of some rules were not at hand."""

    # The first of the releases.
    first: str
    # The last of them.
    last: str
    # The rules.
    fields: frozenset[str]
    # Why the rules cannot be known, and what the rows go by.
    reason: str


def _unseen(first: str, last: str, fields: str, reason: str) -> Unseen:
    return Unseen(first, last, frozenset(fields.split()), reason)


_DELETIONS = "assumed_pod_ttl final_state_unknown remove_known_pod"

UNSEEN: tuple[Unseen, ...] = (
    _unseen("1.17.8", "1.17.8", "strip_pod", "no tree of 1.17.8; 1.17.7 is without #90373, 1.17.9 with"),
    _unseen("1.18.1", "1.18.1", "update_pod_on_node",
            "no tree of 1.18.1; 1.18.0 is without #89908, the release note of 1.18.2 has it"),
    _unseen("1.18.7", "1.18.7", "generate_cpu_topology_hints",
            "no tree of the kubelet of 1.18.7; 1.18.6 is without #93189, the release note of 1.18.7 has it"),
    _unseen("1.18.14", "1.18.14", "manager_accesses",
            "no tree of 1.18.14; 1.18.13 is without #97427, the release note of 1.18.15 has it"),
    _unseen("1.19.6", "1.19.6", "manager_accesses",
            "no tree of 1.19.6; 1.19.5 is without #97427, the release note of 1.19.7 has it"),
    _unseen("1.19.15", "1.19.16", "discover error_func list_nodes manager_accesses nominator_add status_of_preemptor "
            "take_snapshot",
            "no tree after 1.19.14; the release note of 1.19.15 has #105015"),
    _unseen("1.19.15", "1.19.16", "event_text", "no tree after 1.19.14"),
    _unseen("1.20.11", "1.20.14", _DELETIONS,
            "no tree between 1.20.10 and 1.20.15; the release note of 1.20.14 has #106686 and #106695"),
    _unseen("1.20.11", "1.20.15", "discover manager_add_container", "no tree of the kubelet after 1.20.10"),
    _unseen("1.21.4", "1.21.14", "check_reserved_cpus",
            "no tree of cmd/kubelet after 1.21.3; 1.22.0-beta.1 is with #98152"),
    _unseen("1.21.5", "1.21.8", _DELETIONS,
            "no tree between 1.21.4 and 1.21.9; the release note of 1.21.8 has #106632, and #106685 was approved on "
            "the day of #106695"),
    _unseen("1.21.5", "1.21.14", "remove_stale_state",
            "no tree of the kubelet after 1.21.4; #109158 has no release note, and could be merged from 2022-04-28 on"),
    _unseen("1.21.10", "1.21.14",
            _DELETIONS + " affinity_events asks_extenders_to_preempt ends_of_waiting_victim fit_events interpod_events "
            "nominator_add pods_for_move_request pre_check prefer skip_pod_update spread_events status_of_preemptor "
            "strip_for_queue taint_events unschedulable_events",
            "no tree after 1.21.9; the release note of 1.21.12 has #109248, that of 1.21.13 has #109466"),
    _unseen("1.21.10", "1.21.14", "score_weights", "no tree after 1.21.9"),
    _unseen("1.22.6", "1.22.16", "remove_stale_state",
            "no tree of the kubelet between 1.22.5 and 1.22.17; #109157 has no release note, and could be merged from "
            "2022-04-28 on"),
    _unseen("1.22.7", "1.22.16", "affinity_events fit_events nominator_add taint_events",
            "no tree between 1.22.6 and 1.22.17; the release note of 1.22.10 has #109447, and #109247 is as old as "
            "#109248 of 1.21.12"),
    _unseen("1.22.7", "1.22.16", "contexts_left",
            "no tree between 1.22.6 and 1.22.17; the release note of 1.22.13 has #111805"),
    _unseen("1.23.0", "1.23.0",
            _DELETIONS + " after_bind_error binding_honours_uid contexts_left delete_pod_from_scheduling_queue "
            "nominator_add",
            "no tree of the scheduler and the API server of 1.23.0; 1.23.1 was read"),
    _unseen("1.23.0", "1.23.0", "move_comes_last move_waits",
            "no tree of the scheduler of 1.23.0; 1.22.17 is without #103805, 1.23.1 with"),
    _unseen("1.23.0", "1.23.0", "refuses_priorities",
            "no tree of 1.23.0; 1.23.1 is without the Policy, the release note of 1.23.0 has #105424"),
    _unseen("1.23.2", "1.23.2", "nominate_without_candidate nominator_add post_filter_result",
            "no tree of 1.23.2; 1.23.1 is without #107109, the release note of 1.23.2 has it"),
    _unseen("1.23.2", "1.23.12", "remove_stale_state",
            "no tree of the kubelet between 1.23.1 and 1.23.13; #109156 has no release note, and could be merged from "
            "2022-05-31 on"),
    _unseen("1.23.6", "1.23.8", "affinity_events fit_events nominator_add taint_events",
            "no tree between 1.23.5 and 1.23.9; the release note of 1.23.7 has #109446, and #109246 is as old as "
            "#109248 of 1.21.12"),
    _unseen("1.23.6", "1.23.8", "expand_multi_point",
            "no tree between 1.23.5 and 1.23.9; the release note of 1.23.7 has #108890"),
    _unseen("1.23.14", "1.23.14", "allocatable_cpus",
            "no tree of 1.23.14; 1.23.13 is without #113422, the release note of 1.23.14 has it"),
    _unseen("1.23.14", "1.23.17",
            "confirm_assumed_pod contexts_left expand_multi_point nominator_add plugin_error post_filter_message "
            "unschedulable_time_limit update_added_pod update_pod_in_cache",
            "no tree of the scheduler after 1.23.13"),
    _unseen("1.23.14", "1.23.17", "violations_of_answer",
            "no tree after 1.23.13; 1.23.13 is without #105853, the release note of 1.24.0 has it"),
    _unseen("1.24.1", "1.24.9", "allocatable_cpus remove_stale_state",
            "no tree of the kubelet between 1.24.0 and 1.24.10; the release note of 1.24.8 has #113421; #110307 has "
            "none, and was approved on 2022-05-31"),
    _unseen("1.24.5", "1.24.8", "code_of_search_error",
            "no tree between 1.24.4 and 1.24.9; 1.24.4 tells Unschedulable, 1.24.9 SchedulerError"),
    _unseen("1.24.11", "1.24.11", "nominator_accesses",
            "no tree of 1.24.11; 1.24.10 is without #116395, 1.24.12 with, as 1.25.8 and 1.26.3 of the same weeks"),
    _unseen("1.24.17", "1.24.17", "allocatable_cpus", "no tree of the kubelet after 1.24.16"),
    _unseen("1.25.1", "1.25.5", "allocatable_cpus",
            "no tree of the kubelet between 1.25.0 and 1.25.6; the release note of 1.25.4 has #113420"),
    _unseen("1.25.1", "1.25.1", "code_of_search_error",
            "no tree of 1.25.1; 1.25.0 tells Unschedulable, 1.25.2 SchedulerError"),
    _unseen("1.25.11", "1.25.11", "plugin_error",
            "no tree of 1.25.11; #118618 was approved on 2023-07-06, between 1.25.11 and 1.25.12"),
    _unseen("1.25.9", "1.25.9", "binding_honours_uid",
            "no tree of 1.25.9; 1.25.8 is without #116776, the release note of 1.25.9 has it"),
    _unseen("1.25.13", "1.25.16", "allocatable_cpus", "no tree of the kubelet after 1.25.12"),
    _unseen("1.26.8", "1.26.8", "statuses_of_rejected_pre_filter",
            "no tree of 1.26.8; 1.26.7 is without #119953 (approved on 2023-09-06), 1.26.9 with"),
    _unseen("1.26.12", "1.26.12", "expand_multi_point",
            "no tree of 1.26.12; 1.26.11 is without #122371, 1.26.13 of the weeks of 1.28.6 with"),
    _unseen("1.26.12", "1.26.12", "extender_plugins",
            "no tree of 1.26.12; 1.26.11 is without #122043, 1.26.13 with; 1.27.9 of the same week has #122044"),
    _unseen("1.27.5", "1.27.5", "statuses_of_rejected_pre_filter",
            "no tree of 1.27.5; 1.27.4 is without #119952 (approved on 2023-09-06), 1.27.6 with"),
    _unseen("1.27.13", "1.27.13", "named_nodes", "no tree of 1.27.13; 1.27.12 is without #124765, 1.27.14 with"),
    _unseen("1.28.1", "1.28.2", "popped_record",
            "no tree between 1.28.0 and 1.28.3; #120535 was left for the patch release after 1.28.2"),
    _unseen("1.28.1", "1.28.2", "events_for_pod forget_done hint_for_in_flight_pod note_event note_popped",
            "no tree between 1.28.0 and 1.28.3; the release note of 1.28.2 has #120445"),
    _unseen("1.28.1", "1.28.2", "statuses_of_rejected_pre_filter",
            "no tree between 1.28.0 and 1.28.3; #119951 was approved on 2023-09-06, between 1.28.1 and 1.28.2"),
    _unseen("1.28.5", "1.28.5", "expand_multi_point",
            "no tree of 1.28.5; 1.28.4 is without #122368, the release note of 1.28.6 has it"),
    _unseen("1.28.5", "1.28.5", "skips_panic",
            "no tree of 1.28.5; 1.28.4 is without #121667, the release note of 1.28.5 has it"),
    _unseen("1.28.5", "1.28.5", "extender_plugins queueing_hints_default",
            "no tree of 1.28.5; 1.28.4 is without #122045 and #122291, the release note of 1.28.5 has both"),
    _unseen("1.28.9", "1.28.9", "named_nodes", "no tree of 1.28.9; 1.28.8 is without #124559, 1.28.10 with"),
    _unseen("1.28.12", "1.28.13", "status_of_victim",
            "no tree between 1.28.11 and 1.28.14; #126695 was approved on 2024-08-15, after 1.28.13"),
    _unseen("1.28.12", "1.28.13", "gated_pod_is_passed_over",
            "no tree between 1.28.11 and 1.28.14; #125645 was approved on 2024-06-24, as #125644 of 1.29.7"),
    _unseen("1.28.15", "1.28.15",
            "expand_multi_point extender_plugins gated_pod_is_passed_over hint_for_in_flight_pod "
            "hint_functions_answer_errors named_nodes post_filter_message preemption_might_help queueing_hints_default "
            "rejected_while_waiting skips_panic start_goes_round status_of_victim unschedulable_after_node",
            "no tree after 1.28.14"),
    _unseen("1.28.15", "1.28.15", "files_rejection", "no tree after 1.28.14"),
    _unseen("1.29.10", "1.29.10", "order_of_victims extender_plugins",
            "no tree of 1.29.10; 1.29.9 is without #127715 of 2024-09-27, 1.29.11 with"),
    _unseen("1.29.15", "1.29.15",
            "affinity_after_node asks_on_after_bind_error enough_to_choose error_func event_of_interest "
            "fit_after_node fit_after_pod gated_pod_is_passed_over move_on_node_update named_nodes no_common_node "
            "order_of_victims pre_filter_ends preemption_might_help rejects_at_pre_filter skip_at_pre_score "
            "spread_after_node "
            "spread_after_pod spread_events start_goes_round status_of_victim unschedulable_after_node "
            "unschedulable_events",
            "no tree after 1.29.14"),
    _unseen("1.30.3", "1.30.3", "gated_pod_is_passed_over",
            "no tree of 1.30.3; 1.30.2 is without #125643, 1.30.4 with"),
    _unseen("1.31.3", "1.31.7", "order_of_victims",
            "no tree between 1.31.2 and 1.31.8; the release note of 1.31.3 has #128431"),
    _unseen("1.34.0", "1.34.0", "backoff_time count_failure event_of_interest gated_pod_is_passed_over "
            "pods_for_assigned_pod_update popped_record queueing_hints_locked worth_requeuing",
            "no tree of 1.34.0; 1.33.13 is without, 1.34.1 with"),
    _unseen("1.36.0", "1.36.1", "mark_finished_binding",
            "no tree of 1.36.0 and 1.36.1; 1.35.7 has FinishBinding, 1.36.2 is without"),
    _unseen("1.36.0", "1.36.1", "goes_back",
            "no tree of 1.36.0 and 1.36.1; 1.36.2 is with #138324, and no release note of 1.36.1 or 1.36.2 has it"),
    _unseen("1.36.0", "1.36.1", "interpod_after_pod",
            "no tree of 1.36.0 and 1.36.1; 1.35.6 is without #135325, the release note of 1.36.0 has it"),
)  # fmt: skip


def reason_unseen(field: str, release: Release) -> str | None:
    """Why the field's cell in `release` cannot be known, or None for a cell that is known, or that is not listed."""
    if cell(field, release).evidence != "inferred":
        return None
    for unseen in UNSEEN:
        if field in unseen.fields and Version(unseen.first) <= release.version <= Version(unseen.last):
            return unseen.reason
    return None
