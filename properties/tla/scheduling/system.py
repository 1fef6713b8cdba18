"""scheduling in TLA+: specs/Scheduling.tla, and what of a scope and of rules it says. For 1.32 and later: hints.py."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from model.scheduler.cache import node_info, pods as cache_pods
from model.scheduler.cache.assumed import no_mark
from model.scheduler.eventhandlers import (
    delete_pod_and_move_if_it_waited_or_was_nominated,
    delete_pod_and_move_if_it_was_nominated,
    move_when_no_longer_nominated,
)
from model.scheduler.queue import backoff as queue_backoff, move as queue_move, update as queue_update
from model.scheduler.queue.events import ASSIGNED_POD_OTHER_UPDATE
from model.scheduler.queue.hints import gate_stays_on
from model.systems.scheduling.rules import SchedulingRules, SchedulingSetup
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling.symmetry import sorts
from model.world.api_server import node_name, pod_name
from properties.forms import Forms, rule_name, without_form
from properties.scheduling import (
    backoff as scheduling_backoff,
    cache as scheduling_cache,
    errors as scheduling_errors,
    nominations as scheduling_nominations,
    order as scheduling_order,
    pods as scheduling_pods,
    preemption as scheduling_preemption,
    progress as scheduling_progress,
)
from properties.tla.form import Module, RuleConstant, TlaForm, TlaProperty, form_under
from properties.tla.scheduling import hints
from properties.tla.scheduling.operators import (
    AFFINITY_EVENTS,
    ASKS_AGAIN,
    BACKOFFS_KEPT_FOR,
    BACKOFFS_OF,
    CLEARS_NOMINATION,
    COMPARES_EVENTS,
    CONSTANTS,
    COPIES_GHOSTS,
    COUNTS_CYCLES,
    FITS_NODE,
    KEEPS_TIMES,
    MISSING_VICTIM,
    MOST_ATTEMPTS,
    MOVES_AFTER_FORGET,
    MOVES_RESPECT_BACKOFF,
    PATCHES_FROM_ATTEMPT,
    PREEMPTS_FIRST,
    TABLES,
    UNSCHEDULABLE_EVENTS,
)
from properties.tla.scheduling.states import decode

_MOVE_IF_NOMINATED = (delete_pod_and_move_if_it_waited_or_was_nominated, delete_pod_and_move_if_it_was_nominated)
MODULE = "MCScheduling"
MODULES = (
    "Objects.tla",
    "ApiServer.tla",
    "PodUsers.tla",
    "Users.tla",
    "Nominator.tla",
    "Waiting.tla",
    "Queue.tla",
    "Cache.tla",
    "Skip.tla",
    "PodHandlers.tla",
    "Handlers.tla",
    "Fitting.tla",
    "Attempt.tla",
    "Room.tla",
    "Scheduling.tla",
    "SchedulingProperties.tla",
    "MCScheduling.tla",
)
# From 1.32 on.
MODULE_WITH_HINTS = "MCSchedulingWithHints"
OF_HINTS = ("HintsWaiting.tla", "InFlight.tla", "HintsQueue.tla", "QueueWithHints.tla", "MCSchedulingWithHints.tla")
# What stands in the modules for the queue where no pod is in flight; here and in scheduling-cycle.
WITHOUT_HINTS = (
    "  GoesBackRule <- NamesakeGoesBack",
    "  PutBackInQueue <- AddUnschedulableIfNotPresent",
    "  DoneInQueue <- NothingIsDone",
    "  QueueAtFirst <- EmptyQueue",
    "  HeadsInQueue <- Heads",
    "  PopInQueue <- PopOfQueue",
    "  FlushInQueue <- LeftoverFlushed",
)
_QUEUE_WITHOUT_HINTS = (
    *WITHOUT_HINTS,
    "  ExecuteInQueue <- CallOfQueue",
    "  NodeHandled <- NodeDelivered",
)

_AS_JOINING = queue_move.those_for_assigned_pod
# Powers and switches of which the modules do not speak.
NOT_SAID = (
    "expiry", "fine", "keep_snapshot", "node_zones", "bound_at_start", "resizes", "together", "turned", "second",
    "controllers",
)  # fmt: skip

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
    scheduling_cache.SNAPSHOT_MAP_IS_CACHE.name: TlaProperty("step", "SnapshotMapEqualsCache"),
    scheduling_backoff.IN_TIME.name: TlaProperty("step", "LeavesBackoffQueueInTime"),
    scheduling_backoff.BACKS_OFF.name: TlaProperty("step", "FailedAttemptBacksOff"),
    scheduling_backoff.REJECTED_BY_LAST.name: TlaProperty("step", "RejectedByLastAttempt"),
    scheduling_order.TAKES_THE_FIRST.name: TlaProperty("step", "PopTakesTheFirst"),
    scheduling_progress.NO_EVENT_LOST.name: TlaProperty("invariant", "NoEventLost"),
    scheduling_progress.FITTING_IS_BOUND.name: TlaProperty("liveness", "FittingPodIsBound"),
    scheduling_progress.NO_STARVATION.name: TlaProperty("liveness", "FittingPodIsNotStarved"),
}

# What the modules leave out, by the property that asks for it.
UNSUPPORTED = {
    scheduling_errors.NO_NEEDLESS_ERROR.name: "Cache.tla and Queue.tla do not keep what the error of a call says",
    scheduling_cache.REQUESTED_IS_OF_PODS.name: "Cache.tla keeps no sum beside the pods of a node",
    scheduling_progress.PREEMPTOR_IS_BOUND.name: "the modules have no controller that makes pods again, to ask it of",
    scheduling_preemption.PREEMPTS_FOR_ROOM.name: "no module says apart from its steps who could make room",
}


def form(scope: SchedulingScope, rules: SchedulingRules, operators: Mapping[str, Module] | None = None) -> TlaForm:
    """The TLA+ form of scheduling in `scope` under `rules`, or why there is none.

    `operators` gives, for fields of CONSTANTS whose function is not built in, a .tla file that says the same thing:
    it `EXTENDS Scheduling`, or the module with the constant, and defines an operator named like the constant, with
    Fixed before and without Rule
    (FixedNominatorAdd for NominatorAddRule); arguments and result stand beside the constants of the modules. With
    operators from outside there is no symmetry: a CHOOSE in them may prefer a name.
    """
    setup = SchedulingSetup(scope, rules)
    if rules.hints_stay_on is gate_stays_on:
        return _form_with_hints(setup, operators)
    reason = left_out(scope, rules, CONSTANTS, TABLES)
    if reason is not None:
        return TlaForm(module=MODULE, reason=reason)
    return form_under(
        rules,
        operators,
        CONSTANTS,
        module=MODULE,
        modules=MODULES,
        constants=(*constants(setup), *_QUEUE_WITHOUT_HINTS),
        properties=PROPERTIES,
        unsupported=UNSUPPORTED,
        decode=partial(decode, setup),
        interchangeable=_interchangeable(scope),
    )


def _interchangeable(scope: SchedulingScope) -> bool:
    return any(len(names) > 1 for names in sorts(scope).values())


def _form_with_hints(setup: SchedulingSetup, operators: Mapping[str, Module] | None) -> TlaForm:
    """The form of 1.32 and later."""
    scope, rules = setup.scope, setup.rules
    reason = left_out(
        scope,
        rules,
        hints.CONSTANTS,
        hints.TABLES,
    )
    if reason is not None:
        return TlaForm(module=MODULE_WITH_HINTS, reason=reason)
    return form_under(
        rules,
        operators,
        hints.CONSTANTS,
        module=MODULE_WITH_HINTS,
        modules=(*MODULES, *OF_HINTS),
        constants=(*constants(setup), *hints.constants(setup)),
        properties=PROPERTIES,
        unsupported=UNSUPPORTED,
        decode=partial(decode, setup),
        interchangeable=_interchangeable(scope),
    )


def left_out(
    scope: SchedulingScope,
    rules: SchedulingRules,
    operators: Iterable[RuleConstant],
    tables: Iterable[Forms[Any]],
    said: Collection[str] = (),
) -> str | None:
    """What of the scope or the rules the modules of scheduling do not say.

    `operators`, `tables`: those of the system, which may have more of them; `said`: of NOT_SAID what the modules of
    the system say. A table may narrow what has an operator.
    """
    for switch in NOT_SAID:
        if getattr(scope, switch) and switch not in said:
            return f"Scheduling.tla does not say what {switch}={getattr(scope, switch)} adds"
    if scope.shrinks and rules.confirm_assumed_pod is not cache_pods.confirm_by_update:
        return (
            "Scheduling.tla counts what pods ask for as they are now: up to 1.25 the NodeInfo of a pod that shrank"
            " while it was assumed has a sum of its own"
        )
    if scope.shrinks and scope.goroutines > 1 and rules.subtracted_pod is not node_info.subtract_counted:
        return (
            "Scheduling.tla counts what pods ask for as they are now: up to 1.32 the NodeInfo of a pod of which another"
            " attempt fails after the pod shrank has a sum of its own (not stated for goroutines=2 or more)"
        )
    if scope.shrinks and scope.recreates and scope.relists and rules.pods_for_assigned_pod_update is not _AS_JOINING:
        return (
            "Scheduling.tla does not say that pods are moved when a bound pod asks for less: a list may show one in "
            "the place of another of its name"
        )
    # A rule that makes no difference to a state as long as no time passes, every event that moves pods is one that all
    # plugins wait for, and the node handler hears of each node in turn, has no table.
    tables = tuple(tables)
    narrowed = {table.field for table in tables}
    with_operators = (constant.operators.field for constant in operators)
    unknown = without_form(rules, tables, (field for field in with_operators if field not in narrowed))
    if unknown is not None:
        return f"the rule {unknown} is not one that Scheduling.tla says"
    if not COPIES_GHOSTS.has(rules):
        return f"no state of TLC can be read under the rule take_snapshot={rule_name(rules.take_snapshot)}"
    for together in (KEEPS_TIMES, COUNTS_CYCLES):
        if len({table.of(rules) for table in together}) > 1:
            names = " and ".join(f"{table.field}={rule_name(getattr(rules, table.field))}" for table in together)
            return f"Scheduling.tla does not say {names} together"
    return None


def set_of(names: Iterable[str]) -> str:
    """A set as a .cfg has it."""
    return f"{{{', '.join(names)}}}"


def constants(setup: SchedulingSetup, others: int = 0, waiting_pods: bool = False) -> list[str]:
    """The lines of a .cfg for the constants of these modules that are no rules.

    `others`: how many pods, the last ones, name another scheduler in each incarnation but the first. `waiting_pods`:
    whether the handlers of pods tell of a deleted pod, which may wait at Permit.
    """
    scope, rules = setup.scope, setup.rules
    config = setup.queue.config
    pods = [pod_name(at) for at in range(scope.pods)]
    nodes = [node_name(at) for at in range(scope.nodes)]
    named = {
        "Pods": set_of(pods),
        "HighPods": set_of(pods[: scope.high]),
        "TopPods": set_of(pods[: scope.top]),
        "BigPods": set_of(pods[scope.pods - scope.big :]),
        "OthersPods": set_of(pods[scope.pods - others :]),
        "Nodes": set_of(nodes),
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
        "Shrinks": scope.shrinks,
        "Deletes": scope.deletes,
        "Recreates": scope.recreates,
        "Resyncs": scope.resyncs,
        "Relists": scope.relists,
        "NodeDeletes": scope.node_deletes,
        "NodeAdds": scope.node_adds,
        "NodeGrows": scope.node_grows,
        "NodeShrinks": scope.node_shrinks,
        "Cordons": scope.cordons,
        "LostReplies": scope.lost_replies,
        "BindErrors": scope.bind_errors,
        "OtherBinders": scope.other_binders,
    }
    switches = {
        "Heartbeats": scope.heartbeats,
        "Extender": scope.extender,
        "Preemption": scope.preemption,
        "Graceful": scope.graceful,
        "BlockedDeletes": scope.blocked_deletes,
        "AntiAffinity": scope.anti_affinity,
        "OtherUpdatesMove": rules.event_of_interest(ASSIGNED_POD_OTHER_UPDATE, setup.registered),
        "AsksAgain": ASKS_AGAIN.of(rules),
        "MissingVictimIsAnError": MISSING_VICTIM.of(rules),
        "SmallNodeIsUnresolvable": FITS_NODE.of(rules),
        "ClearsNomination": CLEARS_NOMINATION.of(rules),
        "ComparesEvents": COMPARES_EVENTS.of(rules),
        "Listeners": scope.listeners or scope.fine,
        "OnePodHandler": rules.one_pod_handler(),
        "ForgetsDeleted": rules.forgets_deleted_assumed_pod(),
        "MovesWhenRenominated": rules.moves_of_renomination is move_when_no_longer_nominated,
        "MovesWhenNominatedGoes": rules.delete_pod_from_scheduling_queue in _MOVE_IF_NOMINATED,
        "TellsWaitingPods": waiting_pods,
        "FinishesBindings": rules.mark_finished_binding is not no_mark,
        "KeepsTimes": KEEPS_TIMES[0].of(rules),
        "Clock": scope.clock,
        "Flush": scope.flush and rules.unschedulable_time_limit(config) is not None,
        "UntriedBacksOff": rules.backoff_time is queue_backoff.backoff_time_by_attempts,
        "BacksOffAtEnd": rules.still_backs_off is queue_backoff.backs_off_through_window,
        "MovesRespectBackoff": MOVES_RESPECT_BACKOFF.of(rules),
        "UpdateRespectsBackoff": rules.queue_update is not queue_update.update_from_backoff_to_active,
        "CountsCycles": COUNTS_CYCLES[0].of(rules),
        "OwnGoroutine": rules.error_func().own_goroutine,
        "PatchesFromAttempt": PATCHES_FROM_ATTEMPT.of(rules),
        "TellsDone": rules.hints_stay_on(),
        "PreemptsFirst": PREEMPTS_FIRST.of(rules),
        "MovesAfterForget": MOVES_AFTER_FORGET.of(rules),
        "BindingHonoursUid": rules.binding_honours_uid(),
    }
    values = {
        "MostAttempts": str(MOST_ATTEMPTS.of(rules)),
        "Backoff": str(config.max_backoff),
        # `SchedulingSetup.queue`: half of the time until the flush is the backoff.
        "Limit": str(2 * config.max_backoff),
        "BackoffsOf": f'"{BACKOFFS_OF.of(rules)}"',
        "BackoffsKeptFor": str(BACKOFFS_KEPT_FOR.of(rules)),
        "WithoutCandidate": "None" if rules.nominate_without_candidate() is None else "NoNode",
        "WithoutPostFilter": "None" if rules.nominate_without_post_filter() is None else "NoNode",
        "UnschedulableEvents": set_of(f'"{event}"' for event in sorted(UNSCHEDULABLE_EVENTS.of(rules))),
        "AffinityEvents": set_of(f'"{event}"' for event in sorted(AFFINITY_EVENTS.of(rules))),
        "ExtenderPlugins": set_of(f'"{name}"' for name in sorted(rules.extender_plugins())),
    }
    return [
        *(f"  {name} = {name}" for name in (*pods, *nodes)),
        *(f"  {name} = {value}" for name, value in (named | values).items()),
        *(f"  {name} = {value}" for name, value in powers.items()),
        *(f"  {name} = {'TRUE' if value else 'FALSE'}" for name, value in switches.items()),
    ]
