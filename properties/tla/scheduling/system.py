"""scheduling in TLA+: specs/Scheduling.tla, and which of its operators stand for which rules of a release."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import fields

from model.scheduler import cycle, extender, node_handlers, skip
from model.scheduler import eventhandlers as event_handlers
from model.scheduler.cache import nodes as cache_nodes
from model.scheduler.cache import pods as cache_pods
from model.scheduler.cache import snapshot as cache_snapshot
from model.scheduler.queue import backoff as queue_backoff
from model.scheduler.queue import move as queue_move
from model.scheduler.queue import nominations, nominator
from model.scheduler.queue import scheduling_queue as queue_rules
from model.scheduler.queue import update as queue_update
from model.scheduler.rows import SCHEDULER_ROWS
from model.systems.scheduling.api_server import node_name, pod_name
from model.systems.scheduling.rules import SchedulingRules, Setup
from model.systems.scheduling.scope import SchedulingScope
from properties.scheduling import (
    cache as scheduling_cache,
)
from properties.scheduling import (
    nominations as scheduling_nominations,
)
from properties.scheduling import (
    pods as scheduling_pods,
)
from properties.scheduling import (
    progress as scheduling_progress,
)
from properties.tla.form import TlaForm, TlaProperty
from properties.tla.scheduling.states import decode

MODULE = "MCScheduling"
MODULES = (
    "Objects.tla",
    "ApiServer.tla",
    "Users.tla",
    "Nominator.tla",
    "Queue.tla",
    "Cache.tla",
    "Skip.tla",
    "Handlers.tla",
    "Fitting.tla",
    "Attempt.tla",
    "Scheduling.tla",
    "SchedulingProperties.tla",
    "MCScheduling.tla",
)

Rule = Callable[..., Any]

# For each rule field that the modules leave open: the constant operator.
CONSTANT_OF = {
    "nominator_add": "NominatorAddRule",
    "nominator_delete": "NominatorDeleteRule",
    "nominator_update": "NominatorUpdateRule",
    "nominate_added": "NominateAddedRule",
    "nominate_waiting": "NominateWaitingRule",
    "nominate_for_node": "NominateForNodeRule",
    "popped_record": "PoppedRecordRule",
    "queue_for_failed_pod": "FailedPodRule",
    "strip_for_queue": "StripForQueueRule",
    "pods_for_move_request": "PodsForMoveRequestRule",
    "remove_pod_from_node": "RemovePodFromNodeRule",
    "update_pod_on_node": "UpdatePodOnNodeRule",
    "confirm_assumed_pod": "ConfirmAssumedPodRule",
    "update_added_pod": "UpdateAddedPodRule",
    "remove_known_pod": "RemoveKnownPodRule",
    "remove_known_node": "RemoveKnownNodeRule",
    "take_snapshot": "TakeSnapshotRule",
    "final_state_unknown": "UnknownIsSelectedRule",
    "update_is_ignored": "UpdateIsIgnoredRule",
    "strip_pod": "StripPodRule",
    "skip_pod_update": "SkipPodUpdateRule",
    "skip_pod_schedule": "SkipPodScheduleRule",
    "update_pod_in_cache": "UpdatePodInCacheRule",
    "move_on_node_update": "MoveOnHeartbeatRule",
    "pre_check": "PreCheckRule",
    "preempts_with": "PreemptsWithRule",
    "prefer": "PreferRule",
    "extender_filter": "ExtenderFilterRule",
}

OPERATOR_OF: Mapping[Rule, str] = {
    nominator.add_by_status: "AddByStatus",
    nominator.add_unchecked: "AddUnchecked",
    nominator.add_if_listed: "AddIfListed",
    nominator.add_if_listed_unbound: "AddIfListedUnbound",
    nominator.add_overriding: "AddOverriding",
    nominator.add_overriding_unless_bound: "AddOverridingUnlessBound",
    nominator.delete_by_status: "DeleteByStatus",
    nominator.delete_by_uid: "DeleteByUid",
    nominator.update_by_status: "UpdateByStatus",
    nominator.update_keeping_memory: "UpdateKeepingMemory",
    nominator.update_sharing_record: "UpdateSharingRecord",
    queue_rules.nominate_added_anew: "NominateAddedAnew",
    queue_rules.nominate_added_by_status: "NominateAddedByStatus",
    queue_rules.nominate_waiting_by_status: "NominateWaitingByStatus",
    nominations.nominated_by_status_only: "NominatedByStatusOnly",
    nominations.nominated_at_once: "NominatedAtOnce",
    queue_rules.pop_pod_only: "PopPodOnly",
    queue_rules.pop_counting_attempts: "PopCountingAttempts",
    queue_rules.pop_clearing_plugins: "PopClearingPlugins",
    queue_rules.failed_pod_by_flag: "FailedPodByFlag",
    queue_rules.failed_pod_by_cycle_to_active: "FailedPodByFlag",
    queue_rules.failed_pod_by_cycle: "FailedPodByCycle",
    queue_rules.failed_pod_by_cycle_or_error: "FailedPodByCycleOrError",
    queue_update.strip_status: "StripStatus",
    queue_update.strip_status_and_finalizers: "StripStatusAndFinalizers",
    queue_move.all_unschedulable: "AllUnschedulable",
    queue_move.those_passing_pre_check: "ThosePassingPreCheck",
    cache_pods.remove_pod_of_unchecked_node: "RemovePodOfUncheckedNode",
    cache_pods.remove_pod_of_known_node: "RemovePodOfKnownNode",
    cache_pods.remove_pod_keeping_placeholder: "RemovePodKeepingPlaceholder",
    cache_pods.remove_pod_dropping_ghost: "RemovePodDroppingGhost",
    cache_pods.update_pod_on_any_node: "UpdatePodOnAnyNode",
    cache_pods.update_pod_on_known_node: "UpdatePodOnKnownNode",
    cache_pods.confirm_keeping_object: "ConfirmKeepingObject",
    cache_pods.confirm_updating_other_node: "ConfirmUpdatingOtherNode",
    cache_pods.confirm_by_update: "ConfirmByUpdate",
    cache_pods.update_keeping_key: "UpdateKeepingKey",
    cache_pods.update_by_replacement: "UpdateByReplacement",
    cache_pods.update_by_replacement_naming_assumed: "UpdateByReplacement",
    cache_pods.remove_unless_assumed: "RemoveUnlessAssumed",
    cache_pods.remove_even_assumed: "RemoveEvenAssumed",
    # The node handler hears of each node in turn, so that no name is unknown, and the tree has each node.
    cache_nodes.remove_node_of_unchecked_name: "RemoveNodeKeepingGhost",
    cache_nodes.remove_node_ignoring_tree: "RemoveNodeKeepingGhost",
    cache_nodes.remove_node_keeping_ghost: "RemoveNodeKeepingGhost",
    cache_nodes.remove_node_with_its_pods: "RemoveNodeWithItsPods",
    cache_snapshot.snapshot_by_equal_generation: "SnapshotOfAllInfos",
    # They differ in what is left of the snapshot before, and here there is none.
    cache_snapshot.snapshot_of_newer_nodes: "SnapshotOfNodes",
    cache_snapshot.snapshot_listing_every_time: "SnapshotOfNodes",
    cache_snapshot.snapshot_counting_cache_nodes: "SnapshotOfNodes",
    cache_snapshot.snapshot_counting_tree_nodes: "SnapshotOfNodes",
    event_handlers.last_known_state_is_selected: "UnknownByLastState",
    event_handlers.unknown_state_is_selected: "UnknownIsSelected",
    event_handlers.no_update_is_ignored: "NoUpdateIsIgnored",
    event_handlers.equal_resource_version_is_ignored: "EqualVersionIsIgnored",
    # Modelled pods have no managedFields.
    skip.strip_annotations: "StripAnnotations",
    skip.strip_managed_fields: "StripAnnotations",
    skip.strip_finalizers_and_conditions: "StripBenignFields",
    skip.strip_all_benign_fields: "StripBenignFields",
    skip.skip_pod_update_if_benign: "SkipPodUpdateIfBenign",
    skip.skip_any_pod_update: "SkipAnyPodUpdate",
    skip.skip_terminating_pod: "SkipTerminatingPod",
    skip.skip_terminating_or_assumed_pod: "SkipTerminatingOrAssumedPod",
    event_handlers.update_pod_in_cache: "UpdatePodInCache",
    event_handlers.update_pod_in_cache_by_uid: "UpdatePodInCacheByUid",
    node_handlers.move_on_any_node_update: "MoveOnAnyNodeUpdate",
    node_handlers.move_on_node_change_or_empty_queue: "MoveIfNoneUnschedulable",
    node_handlers.move_on_node_change: "MoveOnNodeChange",
    node_handlers.move_on_each_node_change: "MoveOnNodeChange",
    node_handlers.without_pre_check: "WithoutPreCheck",
    node_handlers.pre_check_for_node: "PreCheckForNode",
    cycle.any_number_of_victims: "AnyNumberOfVictims",
    cycle.at_least_one_victim: "AtLeastOneVictim",
    cycle.look_at_all_nodes: "LookAtAllNodes",
    cycle.nominated_node_first: "NominatedNodeFirst",
    extender.filter_empty_when_allocated: "FilterEmptyWhenAllocated",
    extender.filter_error_when_allocated: "FilterErrorWhenAllocated",
    extender.filter_keeps_all: "FilterKeepsAll",
    extender.filter_rejects_all: "FilterRejectsAll",
}

# Rules that make no difference to a state as long as no time passes, every event that moves pods is one that all
# plugins wait for, and the node handler hears of each node in turn; any function of a release will do.
OF_RELEASES: frozenset[Rule] = frozenset(row.rule for row in SCHEDULER_ROWS)
# Of releases that are said, all have this one.
SAID_ONCE: Mapping[str, frozenset[Rule]] = {"nominated_pod": frozenset({nominations.nominated_as_kept})}
# Rules that say one thing together: both follow from a release, and a fix of one alone has no form.
TIMES = frozenset({queue_rules.order_by_priority_and_timestamp, queue_rules.only_head, queue_rules.clock_timestamp})
NO_TIMES = frozenset({queue_rules.order_by_priority, queue_rules.heads_of_equal_priority, queue_rules.no_timestamp})
CYCLES = frozenset({queue_rules.begin_next_cycle, queue_move.note_by_cycle})
FLAG = frozenset({queue_rules.begin_cycle_clearing_flag, queue_move.note_by_flag})

PROPERTIES: Mapping[str, TlaProperty] = {
    scheduling_nominations.NOMINATED_IS_PENDING.name: TlaProperty("invariant", "NominatedPodIsPending"),
    scheduling_nominations.NOMINATED_ONCE.name: TlaProperty("invariant", "NominatedToOneNode"),
    scheduling_nominations.NOMINATED_NODE_NAMED.name: TlaProperty("invariant", "NominatedNodeHasAName"),
    scheduling_nominations.NOMINATION_CAN_COME_TRUE.name: TlaProperty("invariant", "NominationCanComeTrue"),
    scheduling_nominations.ROOM_IS_KEPT.name: TlaProperty("step", "PreemptedRoomIsKept"),
    scheduling_pods.ONE_PLACE.name: TlaProperty("invariant", "PodInOnePlace"),
    scheduling_pods.ONE_ATTEMPT.name: TlaProperty("invariant", "OneAttemptAtATime"),
    scheduling_pods.NOT_FORGOTTEN.name: TlaProperty("invariant", "PendingPodNotForgotten"),
    scheduling_pods.RUNS.name: TlaProperty("invariant", "SchedulerKeepsRunning"),
    scheduling_pods.NO_FAILURE_OF_BOUND.name: TlaProperty("step", "NoFailureOfBoundPod"),
    scheduling_pods.BINDS_ONCE.name: TlaProperty("step", "BoundOnce"),
    scheduling_pods.BINDS_DECIDED.name: TlaProperty("step", "BindsWhatWasDecided"),
    scheduling_pods.ASSUMED_NOT_SCHEDULED.name: TlaProperty("step", "AssumedPodNotScheduledAgain"),
    scheduling_pods.ASSUMED_NOT_QUEUED.name: TlaProperty("step", "AssumedPodNotQueued"),
    scheduling_pods.NO_SELF_RETRY.name: TlaProperty("step", "OwnStatusUpdateDoesNotRetry"),
    scheduling_cache.WITHIN_CAPACITY.name: TlaProperty("invariant", "WithinCapacity"),
    scheduling_cache.CACHE_IS_TRUE.name: TlaProperty("invariant", "CacheSaysWhatApiServerSays"),
    scheduling_cache.CURRENT_OBJECTS.name: TlaProperty("invariant", "CachedObjectsAreCurrent"),
    scheduling_cache.SNAPSHOT_IS_CACHE.name: TlaProperty("step", "SnapshotEqualsCache"),
    scheduling_progress.NO_EVENT_LOST.name: TlaProperty("invariant", "NoEventLost"),
    scheduling_progress.FITTING_IS_BOUND.name: TlaProperty("liveness", "FittingPodIsBound"),
    scheduling_progress.NO_STARVATION.name: TlaProperty("liveness", "FittingPodIsNotStarved"),
}


def form(scope: SchedulingScope, rules: SchedulingRules, operators: Mapping[str, Path] | None = None) -> TlaForm:
    """The TLA+ form of scheduling in `scope` under `rules`, or why there is none.

    `operators` gives, for fields of CONSTANT_OF whose function is not built in, a .tla file that says the same thing:
    it `EXTENDS Scheduling`, or the module with the constant, and defines an operator named like the constant, with
    Fixed before and without Rule
    (FixedNominatorAdd for NominatorAddRule); arguments and result stand beside the constants of the modules. With
    operators from outside there is no symmetry: a CHOOSE in them may prefer a name.
    """
    operators = operators or {}
    reason = _left_out(scope, rules)
    if reason is not None:
        return TlaForm(module=MODULE, reason=reason)
    constants = _constants(scope, rules)
    extra: list[Path] = []
    for rule_field, constant in CONSTANT_OF.items():
        rule = getattr(rules, rule_field)
        if rule in OPERATOR_OF:
            constants.append(f"  {constant} <- {OPERATOR_OF[rule]}")
        elif rule_field in operators:
            constants.append(f"  {constant} <- Fixed{constant.removesuffix('Rule')}")
            extra.append(operators[rule_field])
        else:
            return TlaForm(module=MODULE, reason=f"{rule_field} is {_name(rule)}, which has no operator")
    interchangeable = max(scope.high, scope.pods - scope.high, scope.nodes) > 1
    return TlaForm(
        module=MODULE,
        modules=tuple(files("specs") / name for name in MODULES),
        extra_modules=tuple(dict.fromkeys(extra)),
        constants=tuple(constants),
        properties=PROPERTIES,
        decode=partial(decode, Setup(scope, rules)),
        symmetry="Symmetry" if interchangeable and not extra else None,
    )


def _left_out(scope: SchedulingScope, rules: SchedulingRules) -> str | None:
    """What of the scope or the rules the modules do not say."""
    for switch in ("clock", "flush", "expiry", "fine", "keep_snapshot"):
        if getattr(scope, switch):
            return f"Scheduling.tla does not say what {switch}={getattr(scope, switch)} adds"
    for choices in ((TIMES, NO_TIMES), (CYCLES, FLAG)):
        if not any(all(rule in _rules(rules) for rule in together) for together in choices):
            names = " and ".join(sorted(_name(rule) for rule in choices[0]))
            return f"Scheduling.tla has {names} together or not at all"
    for each in fields(SchedulingRules):
        rule = getattr(rules, each.name)
        if each.name not in CONSTANT_OF and rule not in SAID_ONCE.get(each.name, OF_RELEASES):
            return f"{each.name} is {_name(rule)}, which Scheduling.tla does not say"
    return None


def _rules(rules: SchedulingRules) -> frozenset[Rule]:
    return frozenset(getattr(rules, each.name) for each in fields(SchedulingRules))


def _name(rule: object) -> str:
    return getattr(rule, "__name__", repr(rule))


def _set(names: Iterable[str]) -> str:
    return f"{{{', '.join(names)}}}"


def _constants(scope: SchedulingScope, rules: SchedulingRules) -> list[str]:
    pods = [pod_name(at) for at in range(scope.pods)]
    nodes = [node_name(at) for at in range(scope.nodes)]
    named = {
        "Pods": _set(pods),
        "HighPods": _set(pods[: scope.high]),
        "Nodes": _set(nodes),
        "Room": str(scope.room),
        "LateNodes": str(scope.late_nodes),
        "Goroutines": str(scope.goroutines),
        "None": "None",
        "NoNode": "NoNode",
    }
    powers = {
        "Updates": scope.updates,
        "Finalizers": scope.finalizers,
        "Labels": scope.labels,
        "Deletes": scope.deletes,
        "Recreates": scope.recreates,
        "Resyncs": scope.resyncs,
        "Relists": scope.relists,
        "NodeDeletes": scope.node_deletes,
        "NodeAdds": scope.node_adds,
        "LostReplies": scope.lost_replies,
        "BindErrors": scope.bind_errors,
        "OtherBinders": scope.other_binders,
    }
    by_attempts = rules.backoff_time is queue_backoff.backoff_time_by_attempts
    switches = {
        "Heartbeats": scope.heartbeats,
        "Extender": scope.extender,
        "Preemption": scope.preemption,
        "Graceful": scope.graceful,
        "Listeners": scope.listeners,
        "KeepsTimes": rules.queue_timestamp is queue_rules.clock_timestamp,
        "CountsCycles": rules.note_move_request is queue_move.note_by_cycle,
        "OwnGoroutine": rules.error_func().own_goroutine,
        "MovesAfterForget": rules.after_bind_error is cycle.forget_then_move,
        "BindingHonoursUid": rules.binding_honours_uid(),
    }
    values = {
        "MostAttempts": "1" if by_attempts else "0",
        "WithoutCandidate": "None" if rules.nominate_without_candidate() is None else "NoNode",
        "ExtenderPlugins": _set(f'"{name}"' for name in sorted(rules.extender_plugins())),
    }
    return [
        *(f"  {name} = {name}" for name in (*pods, *nodes)),
        *(f"  {name} = {value}" for name, value in (named | values).items()),
        *(f"  {name} = {value}" for name, value in powers.items()),
        *(f"  {name} = {'TRUE' if value else 'FALSE'}" for name, value in switches.items()),
    ]
