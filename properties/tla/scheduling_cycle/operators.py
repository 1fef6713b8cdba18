"""Which operators of the modules of scheduling-cycle stand for which rules, besides those of scheduling."""

from model.scheduler import (
    cycle_points as points,
    done,
    error_func,
    eventhandlers,
    extender_preemption,
    extenders,
    filtering_rules,
    node_handlers,
    profiles,
    skip,
    volumes,
    waiting_pods,
)
from model.scheduler.cache import nodes
from model.scheduler.framework import cycle_state
from model.scheduler.preemption import (
    candidates,
    disruption_budgets,
    node_statuses,
    preempt,
    victims,
    waiting_victims,
)
from model.scheduler.queue import move
from properties.forms import Forms
from properties.scheduling_cycle.catalogue import any_candidate, bind_without_waiting
from properties.scheduling_cycle.cycle_state import changes_the_state
from properties.tla.form import RuleConstant
from properties.tla.scheduling import hints, operators as of_scheduling

_UNDOING = {
    points.record_only: "RecordOnly",
    points.record_then_unreserve: "RecordThenUnreserve",
    points.forget_then_record: "ForgetThenRecord",
    points.forget_record_unreserve: "ForgetRecordUnreserve",
    points.forget_unreserve_record: "ForgetUnreserveRecord",
    points.unreserve_forget_record: "UnreserveForgetRecord",
}
# Start times are not modelled, so that rules which differ in these alone are one operator.
_PREEMPTION = (
    RuleConstant.of(
        "PreemptionMightHelpRule",
        "preemption_might_help",
        {
            preempt.helps_unless_unresolvable: "HelpsUnlessUnresolvable",
            preempt.helps_if_unschedulable: "HelpsIfUnschedulable",
        },
    ),
    RuleConstant.of(
        "LowerPodsAreNeededRule",
        "without_lower_pods",
        {victims.no_pod_has_to_leave: "NotAtAll", victims.no_victims_found: "Always"},
    ),
    # There is one budget, and nobody evicts by the API.
    RuleConstant.of(
        "ViolatesRule",
        "pods_with_pdb_violation",
        {
            disruption_budgets.budgets_stay_as_they_are: "BudgetStays",
            disruption_budgets.victims_use_budgets_up: "BudgetIsUsedUp",
            disruption_budgets.disrupted_pods_are_free: "BudgetIsUsedUp",
        },
    ),
    RuleConstant.of(
        "OrderOfVictimsRule",
        "order_of_victims",
        {victims.as_refused: "AsRefused", victims.sorted_again: "MostImportantFirst"},
    ),
    RuleConstant.of(
        "PickOneNodeRule",
        "pick_one_node",
        {
            candidates.any_node_without_victims_first: "AnyNodeWithoutVictimsFirst",
            candidates.latest_start_time_last: "AnyNodeWithoutVictimsFirst",
            candidates.no_node_without_victims: "LeastHarm",
            candidates.by_score_functions: "LeastHarm",
            # A mutant.
            any_candidate: "AnyCandidate",
        },
    ),
    RuleConstant.of(
        "TakesASingleCandidateRule",
        "takes_a_single_candidate",
        {candidates.looks_at_a_single_candidate: "NotAtAll", candidates.takes_a_single_candidate: "Always"},
    ),
    RuleConstant.of(
        "AsksExtendersToPreemptRule",
        "asks_extenders_to_preempt",
        {preempt.extenders_are_not_known: "NotAtAll", preempt.extenders_are_known: "Always"},
    ),
    RuleConstant.of(
        "ViolationsOfAnswerRule",
        "violations_of_answer",
        {
            extender_preemption.no_violations: "NoViolations",
            extender_preemption.violations_as_answered: "ViolationsAsAnswered",
        },
    ),
    RuleConstant.of(
        "NodeWithoutVictimsIsAnErrorRule",
        "node_without_victims",
        {
            extender_preemption.taken_without_victims: "NotAtAll",
            extender_preemption.no_victims_is_an_error: "Always",
        },
    ),
    RuleConstant.of(
        "EndsOfWaitingVictimRule",
        "ends_of_waiting_victim",
        {
            waiting_victims.deleted_and_rejected: "DeletedAndRejected",
            waiting_victims.only_rejected: "OnlyRejected",
            waiting_victims.rejected_while_undecided: "PreemptedOrDeleted",
        },
    ),
)
CONSTANTS = (
    *of_scheduling.CONSTANTS,
    RuleConstant.of(
        "PointsInCycleRule",
        "points_in_cycle",
        {
            points.assume_alone: "AssumeAlone",
            points.reserve_then_assume: "ReserveThenAssume",
            points.permit_after_assume: "PermitAfterAssume",
            points.assume_then_reserve: "AssumeThenReserve",
        },
    ),
    RuleConstant.of(
        "PointsInBindingRule",
        "points_in_binding",
        {
            points.bind_alone: "BindAlone",
            points.pre_bind_then_bind: "PreBindThenBind",
            # A mutant that leaves out what 1.14 does not have.
            bind_without_waiting: "PreBindThenBind",
            points.permit_in_binding: "PermitInBinding",
            points.wait_in_binding: "WaitInBinding",
        },
    ),
    RuleConstant.of("AfterFailedReserveRule", "after_failed_reserve", _UNDOING),
    RuleConstant.of("AfterFailedAssumeRule", "after_failed_assume", _UNDOING),
    RuleConstant.of("AfterFailedPermitRule", "after_failed_permit", _UNDOING),
    RuleConstant.of("AfterFailedBindRule", "after_failed_bind", _UNDOING),
    RuleConstant.of("AfterFailedVolumesRule", "after_failed_volumes", _UNDOING),
    RuleConstant.of(
        "VolumesBoundFirstRule",
        "volumes_bound_first",
        {volumes.bound_first: "Always", volumes.bound_after_permit: "NotAtAll"},
    ),
    RuleConstant.of(
        "UnreserveRevertsVolumesRule",
        "unreserve_reverts_volumes",
        {volumes.left_assumed: "NotAtAll", volumes.reverted_at_unreserve: "Always"},
    ),
    RuleConstant.of(
        "MoveComesLastRule",
        "move_comes_last",
        {
            points.move_comes_first: "MoveComesFirst",
            points.move_comes_last_after_wait: "MoveComesLastAfterWait",
            points.move_comes_last_after_rejection: "MoveComesLastAfterRejection",
        },
    ),
    RuleConstant.of(
        "FilesRejectionRule",
        "files_rejection",
        {
            points.rejection_is_an_error: "RejectionIsAnError",
            points.filed_in_cycle: "FiledInCycle",
            points.filed_but_pre_bind: "FiledButPreBind",
            points.filed_everywhere: "FiledEverywhere",
        },
    ),
    RuleConstant.of(
        "AllowSufficesRule",
        "allow_suffices",
        {waiting_pods.one_allow: "OneAllow", waiting_pods.every_allow: "EveryAllow"},
    ),
    RuleConstant.of(
        "SeesAllProfilesRule",
        "sees_all_profiles",
        {waiting_pods.one_map: "Always", waiting_pods.a_map_of_each_profile: "NotAtAll"},
    ),
    RuleConstant.of(
        "IsScheduledRule",
        "is_scheduled",
        {profiles.schedules_any_pod: "SchedulesAnyPod", profiles.responsible_for_pod: "ResponsibleForPod"},
    ),
    RuleConstant.of(
        "SharesCycleStateRule",
        "shares_cycle_state",
        {cycle_state.one_for_all_cycles: "Always", cycle_state.one_for_each_cycle: "NotAtAll"},
    ),
    RuleConstant.of(
        "KeepsNominatedInStateRule",
        "keeps_nominated_in_state",
        {
            cycle_state.changes_a_copy: "NotAtAll",
            # A mutant.
            changes_the_state: "Always",
        },
    ),
    RuleConstant.of(
        "SignalArrivesRule",
        "signal_arrives",
        {
            waiting_pods.arrives_at_listener: "ArrivesAtListener",
            waiting_pods.arrives_in_buffer: "ArrivesInBuffer",
        },
    ),
    RuleConstant.of(
        "TimerRunsRule",
        "timer_runs",
        {
            waiting_pods.timer_of_the_wait: "TimerOfTheWait",
            waiting_pods.timer_of_each_plugin: "TimerOfEachPlugin",
        },
    ),
    RuleConstant.of(
        "DeleteFromQueueRule",
        "delete_pod_from_scheduling_queue",
        {
            eventhandlers.delete_pod_from_scheduling_queue: "NobodyIsTold",
            eventhandlers.delete_pod_and_reject_waiting: "WaitingIsRejected",
            eventhandlers.delete_pod_and_move_if_it_waited: "WaitingIsRejectedAndPodsMove",
            eventhandlers.delete_pod_and_move_if_it_waited_or_was_nominated: "WaitingIsRejectedOrNominationEnds",
            eventhandlers.delete_pod_and_move_if_it_was_nominated: "OnlyTheNominationEnds",
        },
    ),
    RuleConstant.of(
        "BindersAskedRule",
        "binders_asked",
        {extenders.only_the_first_binder: "OnlyTheFirstBinder", extenders.interested_binders: "InterestedBinders"},
    ),
    RuleConstant.of(
        "NamedNodesRule",
        "named_nodes",
        {
            filtering_rules.names_are_not_looked_at: "NamesAreNotLookedAt",
            filtering_rules.error_for_missing_node: "ErrorForMissingNode",
            filtering_rules.others_are_unresolvable: "OthersAreUnresolvable",
            filtering_rules.missing_nodes_are_left_out: "MissingNodesAreLeftOut",
        },
    ),
    *_PREEMPTION,
    RuleConstant.of(
        "NominatedNodeMovesStartRule",
        "nominated_node_moves_start",
        {filtering_rules.moved_by_the_nominated_node: "Always", filtering_rules.moved_once: "NotAtAll"},
    ),
)
# RepairsNodes: whether the error function hears that a node was not found.
KEEPS_BINDING_ERROR = Forms("binding_error_is_kept", {error_func.kept: True, error_func.told_as_text: False})
# PanicsAtUnknownNode: whether RemoveNode does, of a node that the cache does not know.
PANICS_AT_UNKNOWN_NODE = Forms(
    "remove_known_node",
    {
        nodes.remove_node_of_unchecked_name: True,
        nodes.remove_node_ignoring_tree: False,
        nodes.remove_node_keeping_ghost: False,
        nodes.remove_node_with_its_pods: False,
    },
)
# RoundTheNodesAsked: whether the process ends where no node is asked.
ROUND_THE_NODES_ASKED = Forms(
    "start_goes_round", {filtering_rules.round_the_nodes_asked: True, filtering_rules.round_all_nodes: False}
)
# PassesOverBinder: whether others are asked after an error of an extender that binds and is ignorable.
PASSES_OVER_BINDER = Forms(
    "asks_on_after_bind_error",
    {extenders.first_binder_decides: False, extenders.ignorable_binder_is_passed_over: True},
)
# Of what is said with Quota: to 1.16 nodes are taken from the tree.
TAKES_NODES_FROM_TREE = Forms(
    "takes_nodes_from_tree", {filtering_rules.from_the_tree: True, filtering_rules.from_the_snapshot: False}
)
NOMINATES_HOST = Forms("nominates_host", {points.bound_without_nomination: False, points.nominated_to_host: True})
CANCELS_PRE_BIND = Forms(
    "cancels_pre_bind", {waiting_victims.deleted_at_pre_bind: False, waiting_victims.canceled_at_pre_bind: True}
)
# AbsentIsUnresolvable.
ABSENT_IS_UNRESOLVABLE = Forms(
    "status_of_absent_node",
    {node_statuses.absent_node_fits: False, node_statuses.absent_node_is_unresolvable: True},
)
SPARES_TERMINATING = Forms("victims_to_delete", {victims.all_are_deleted: False, victims.terminating_are_left: True})
_OWN_TABLES = (
    NOMINATES_HOST,
    CANCELS_PRE_BIND,
    ABSENT_IS_UNRESOLVABLE,
    SPARES_TERMINATING,
    TAKES_NODES_FROM_TREE,
    ROUND_THE_NODES_ASKED,
    PASSES_OVER_BINDER,
    KEEPS_BINDING_ERROR,
    PANICS_AT_UNKNOWN_NODE,
)
TABLES = (*of_scheduling.TABLES, *_OWN_TABLES)

# --- from 1.32 on, where pods are in flight ------------------------------------------------------------------------

CONSTANTS_WITH_HINTS = (*CONSTANTS, *(each for each in hints.CONSTANTS if each not in of_scheduling.CONSTANTS))
# DoneAfter.
DONE_AFTER: Forms[str] = Forms(
    "done_in_binding", {done.done_after_pre_bind: "PreBind", done.done_after_wait_on_permit: "WaitOnPermit"}
)
TABLES_WITH_HINTS = (
    *hints.TABLES,
    *_OWN_TABLES,
    DONE_AFTER,
    Forms("done_without_profile", dict.fromkeys([done.done_with_unknown_profile])),
)

# --- with `fine`, for CycleHolds.tla: what rules come to, call by call ---------------------------------------------

LOOKS_ASSUMED_UP = Forms("skip_pod_update", {skip.skip_pod_update_if_benign: True, skip.skip_any_pod_update: False})
# RejectsWaiting, MovesIfItWaited.
CALLS_AFTER_DELETE = Forms(
    "delete_pod_from_scheduling_queue",
    {
        eventhandlers.delete_pod_from_scheduling_queue: (False, False),
        eventhandlers.delete_pod_and_reject_waiting: (True, False),
        eventhandlers.delete_pod_and_move_if_it_waited: (True, True),
    },
)
# In the modules an update changes one thing.
MOVES_ON_NODE_UPDATE = Forms(
    "move_on_node_update",
    {
        node_handlers.move_on_any_node_update: "any",
        node_handlers.move_on_node_change_or_empty_queue: "empty",
        node_handlers.move_on_node_change: "change",
        node_handlers.move_on_each_node_change: "change",
    },
)
CHECKS_PODS = Forms("pre_check", {node_handlers.without_pre_check: False, node_handlers.pre_check_for_node: True})
MOVES_POD_BY_POD = Forms("move_holds", {move.move_in_one_hold: False, move.move_pod_by_pod: True})
HOLDS = (LOOKS_ASSUMED_UP, CALLS_AFTER_DELETE, MOVES_ON_NODE_UPDATE, CHECKS_PODS, MOVES_POD_BY_POD)
