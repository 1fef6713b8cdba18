"""Which operators of the modules of scheduling-cycle stand for which rules, besides those of scheduling."""

from model.scheduler import cycle_points as points, eventhandlers, extenders, filtering_rules, waiting_pods
from properties.forms import Forms
from properties.scheduling_cycle.catalogue import bind_without_waiting
from properties.tla.form import RuleConstant
from properties.tla.scheduling import operators as of_scheduling

_UNDOING = {
    points.record_only: "RecordOnly",
    points.record_then_unreserve: "RecordThenUnreserve",
    points.forget_then_record: "ForgetThenRecord",
    points.forget_record_unreserve: "ForgetRecordUnreserve",
    points.forget_unreserve_record: "ForgetUnreserveRecord",
    points.unreserve_forget_record: "UnreserveForgetRecord",
}
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
        },
    ),
    RuleConstant.of(
        "BindersAskedRule",
        "binders_asked",
        {extenders.only_the_first_binder: "OnlyTheFirstBinder", extenders.interested_binders: "InterestedBinders"},
    ),
    # Which status the other nodes get, no state keeps.
    RuleConstant.of(
        "NamedNodesRule",
        "named_nodes",
        {
            filtering_rules.names_are_not_looked_at: "NamesAreNotLookedAt",
            filtering_rules.error_for_missing_node: "ErrorForMissingNode",
            filtering_rules.others_are_unresolvable: "MissingNodesAreLeftOut",
            filtering_rules.missing_nodes_are_left_out: "MissingNodesAreLeftOut",
        },
    ),
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
TABLES = (*of_scheduling.TABLES, ROUND_THE_NODES_ASKED, PASSES_OVER_BINDER)
