"""scheduling-cycle in TLA+: specs/SchedulingCycle.tla, and what of a scope and of rules it says."""

from collections.abc import Mapping
from functools import partial

import cattrs

from model.scheduler.queue.hints import gate_stays_on
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling_cycle.rules import CycleSetup, SchedulingCycleRules
from model.systems.scheduling_cycle.scope import (
    SchedulingCycleScope,
    group_of,
    in_second_profile,
    is_protected,
    named_nodes,
    names_nodes,
)
from model.systems.scheduling_cycle.symmetry import sorts
from model.world.api_server import pod_name
from properties.scheduling import cache as of_cache, nominations as of_nominations, pods as of_pods
from properties.scheduling_cycle import (
    binders,
    cycle_state,
    node_repair,
    nominations,
    owners,
    permit,
    preemption,
    profiles,
    progress,
    search,
    searching,
)
from properties.tla.form import Module, TlaForm, TlaProperty, form_under
from properties.tla.scheduling import hints, system as of_scheduling
from properties.tla.scheduling.system import set_of
from properties.tla.scheduling_cycle.operators import (
    ABSENT_IS_UNRESOLVABLE,
    CALLS_AFTER_DELETE,
    CANCELS_PRE_BIND,
    CHECKS_PODS,
    CONSTANTS,
    CONSTANTS_WITH_HINTS,
    DONE_AFTER,
    HOLDS,
    KEEPS_BINDING_ERROR,
    LOOKS_ASSUMED_UP,
    MOVES_ON_NODE_UPDATE,
    MOVES_POD_BY_POD,
    NOMINATES_HOST,
    PANICS_AT_UNKNOWN_NODE,
    PASSES_OVER_BINDER,
    ROUND_THE_NODES_ASKED,
    SPARES_TERMINATING,
    TABLES,
    TABLES_WITH_HINTS,
    TAKES_NODES_FROM_TREE,
)
from properties.tla.scheduling_cycle.states import decode

MODULE = "MCSchedulingCycle"
_OF_SCHEDULING = ("Scheduling.tla", "SchedulingProperties.tla", "MCScheduling.tla")
MODULES = (
    *(name for name in of_scheduling.MODULES if name not in _OF_SCHEDULING),
    "WaitingPods.tla",
    "CyclePreemption.tla",
    "CycleSearch.tla",
    "CyclePoints.tla",
    "CycleHolds.tla",
    "SchedulingCycle.tla",
    "SchedulingCycleProperties.tla",
    "MCSchedulingCycle.tla",
)
# From 1.32 on.
MODULE_WITH_HINTS = "MCSchedulingCycleWithHints"
_OF_HINTS = (*(name for name in of_scheduling.OF_HINTS if not name.startswith("MC")), f"{MODULE_WITH_HINTS}.tla")
# What stands in the modules for the queue and the node handler.
_QUEUE_WITHOUT_HINTS = (
    *of_scheduling.WITHOUT_HINTS,
    "  ExecuteInQueue <- CallOfCycleQueue",
    "  CallInQueue <- CallOfQueue",
    "  MoveOthersInQueue <- MoveOthers",
    "  QueueInState <- AllOfQueue",
    "  NodeHandled <- NodeDeliveredOrRemoved",
)
_QUEUE_WITH_HINTS: Mapping[str, str] = {
    **hints.OPERATORS,
    "ExecuteInQueue": "CallOfCycleQueue",
    "CallInQueue": hints.OPERATORS["ExecuteInQueue"],
    "MoveOthersInQueue": "MoveOthersByHints",
    "QueueInState": "QueueWithOneFlush",
}

# The powers that are numbers, by the constant of each, besides those of scheduling.
_POWERS = {
    "Reserves": "reserves",
    "Permits": "permit",
    "Failures": "failures",
    "Timeouts": "timeouts",
    "ExtenderErrors": "extender_errors",
    "BinderExtenders": "binder_extenders",
    "PreemptExtender": "preempt_extender",
    "PatchErrors": "patch_errors",
    "Disruptions": "disruptions",
    "NodeNotFound": "node_not_found",
    "Scores": "scores",
    "Quota": "quota",
}
# The bounds of which the modules speak. Of those of scheduling `left_out` says which are left out.
SAID = frozenset(
    {
        *cattrs.unstructure(SchedulingScope()), *_POWERS.values(),
        "ignorable", "groups", "named_nodes", "unmanaged", "never", "protected", "volumes",
        "named_pods", "second_profile", "scores", "workers", "unknown_profile", "cycle_state",
    },
)  # fmt: skip

PROPERTIES: Mapping[str, TlaProperty] = {
    owners.RESERVED_HAS_OWNER.name: TlaProperty("invariant", "ReservationHasAnOwner"),
    owners.RESERVED_IS_KEPT.name: TlaProperty("invariant", "ReservationIsKept"),
    owners.ASSUMED_HAS_OWNER.name: TlaProperty("invariant", "AssumedPodHasAnOwner"),
    owners.WAITING_HAS_WAITER.name: TlaProperty("invariant", "WaitingPodHasAWaiter"),
    permit.DECISION_ARRIVES.name: TlaProperty("invariant", "DecisionOfPermitArrives"),
    permit.GONE_DOES_NOT_WAIT.name: TlaProperty("invariant", "GonePodDoesNotWait"),
    permit.ALL_ALLOW.name: TlaProperty("step", "AllPluginsAllow"),
    permit.WAIT_ENDS.name: TlaProperty("liveness", "WaitAtPermitEnds"),
    of_pods.ONE_ATTEMPT.name: TlaProperty("invariant", "OneAttemptAtATime"),
    of_pods.BINDS_ONCE.name: TlaProperty("step", "BoundOnce"),
    of_pods.BINDS_DECIDED.name: TlaProperty("step", "BindsWhatWasDecided"),
    of_pods.ASSUMED_NOT_SCHEDULED.name: TlaProperty("step", "AssumedPodNotScheduledAgain"),
    of_pods.RUNS.name: TlaProperty("invariant", "SchedulerKeepsRunning"),
    of_pods.NO_FAILURE_OF_BOUND.name: TlaProperty("step", "NoFailureOfBoundPod"),
    of_cache.WITHIN_CAPACITY.name: TlaProperty("invariant", "WithinCapacity"),
    progress.ROOM_IS_OFFERED.name: TlaProperty("step", "NoEventLost"),
    progress.FITTING_POD_IS_BOUND.name: TlaProperty("liveness", "FittingPodIsBound"),
    binders.MANAGED_BY_EXTENDER.name: TlaProperty("step", "InterestedExtenderIsAskedToBind"),
    binders.ONE_BINDER_BINDS.name: TlaProperty("step", "OneBinderBinds"),
    search.NAMED_ARE_TRIED.name: TlaProperty("step", "NamedNodesAreTried"),
    searching.ASKS_EACH_ONCE.name: TlaProperty("step", "SearchAsksEachNodeOnce"),
    searching.KEEPS_TO_SNAPSHOT.name: TlaProperty("step", "SearchKeepsToItsSnapshot"),
    searching.EXAMINED_IN_TURN.name: TlaProperty("step", "NodeIsExaminedInTurn"),
    owners.VOLUMES_HAVE_OWNER.name: TlaProperty("invariant", "AssumedVolumesHaveAnOwner"),
    node_repair.REMOVED_IS_GONE.name: TlaProperty("step", "NodeInUseIsNotRemoved"),
    preemption.VICTIMS_ARE_TOLD.name: TlaProperty("step", "WaitingVictimGoes"),
    preemption.ONE_PREEMPTION.name: TlaProperty("step", "WaitsForItsVictims"),
    preemption.EXTENDER_AGREES.name: TlaProperty("step", "ExtendersAgree"),
    preemption.ROOM_IS_KEPT.name: TlaProperty("step", "PreemptedRoomIsKept"),
    preemption.ONLY_VICTIMS_GO.name: TlaProperty("step", "OnlyVictimsGo"),
    preemption.PREEMPTS_FOR_PENDING.name: TlaProperty("step", "PreemptsForPendingPod"),
    preemption.ONE_DELETE.name: TlaProperty("step", "OneDeletePerVictim"),
    nominations.HARMS_LEAST.name: TlaProperty("step", "NodeHarmsLeast"),
    of_nominations.NOMINATED_IS_PENDING.name: TlaProperty("invariant", "NominatedPodIsPending"),
    of_nominations.NOMINATION_CAN_COME_TRUE.name: TlaProperty("invariant", "NominationCanComeTrue"),
    nominations.NOMINATION_ENDS.name: TlaProperty("liveness", "NominatedPodIsTried"),
    profiles.QUEUED_IS_OWN.name: TlaProperty("invariant", "QueuedPodIsOwn"),
    profiles.NOMINATED_IS_OWN.name: TlaProperty("invariant", "NominatedPodIsOwn"),
    profiles.BOUND_IS_OWN.name: TlaProperty("step", "BoundPodIsOwn"),
    cycle_state.READS_ITS_OWN.name: TlaProperty("step", "CycleStateIsOfOneCycle"),
}

# What the modules leave out, by the property that asks for it.
UNSUPPORTED = {
    owners.GIVEN_BACK_IN_REVERSE.name: "CyclePoints.tla does not keep in which order plugins are asked to give back",
    search.ERROR_HIDES_NO_NODE.name: "CyclePoints.tla does not keep which error ended a cycle",
    node_repair.REMOVED_LEAVES_TREE.name: "Cache.tla has no node tree",
    permit.GONE_IS_REJECTED.name: "no module tells the action in which a handler hears from other actions",
    preemption.PREEMPTS_FOR_ROOM.name: "no module says apart from its steps who could make room",
}


def form(
    scope: SchedulingCycleScope, rules: SchedulingCycleRules, operators: Mapping[str, Module] | None = None
) -> TlaForm:
    """The TLA+ form of scheduling-cycle in `scope` under `rules`, or why there is none.

    `operators`: as in the form of scheduling.
    """
    with_hints = rules.hints_stay_on is gate_stays_on
    module = MODULE_WITH_HINTS if with_hints else MODULE
    reason = _left_out(scope, rules)
    if reason is not None:
        return TlaForm(module=module, reason=reason)
    setup = CycleSetup(scope, rules)
    queue = hints.constants(setup, _QUEUE_WITH_HINTS) if with_hints else _QUEUE_WITHOUT_HINTS
    return form_under(
        rules,
        operators,
        CONSTANTS_WITH_HINTS if with_hints else CONSTANTS,
        module=module,
        modules=(*MODULES, *_OF_HINTS) if with_hints else MODULES,
        constants=(*_constants(setup), *queue),
        properties=PROPERTIES,
        unsupported=UNSUPPORTED,
        decode=partial(decode, setup),
        # With `quota` nodes have an order.
        interchangeable=any(
            len(names) > 1 and not (scope.quota and "node" in sort) for sort, names in sorts(scope).items()
        ),
    )


def _left_out(scope: SchedulingCycleScope, rules: SchedulingCycleRules) -> str | None:
    """What of the scope or the rules the modules do not say."""
    for bound, value in cattrs.unstructure(scope).items():
        if value and bound not in SAID:
            return f"CyclePoints.tla does not say what {bound}={value} adds"
    if scope.quota and (scope.late_nodes or scope.node_deletes or scope.node_adds or TAKES_NODES_FROM_TREE.of(rules)):
        return (
            "Cache.tla has no node tree: CycleSearch.tla does not say what quota adds up to 1.16, nor where nodes join "
            "and leave"
        )
    updates = scope.heartbeats or scope.node_grows or scope.node_shrinks or scope.cordons
    if scope.node_not_found and updates and repairs_nodes(rules):
        return (
            "Cache.tla has no node tree: it does not say that the tree lacks a node which the error function has taken "
            "out of the cache, and which an update brings back"
        )
    if rules.hints_stay_on is not gate_stays_on:
        holds = HOLDS if scope.fine else ()
        return of_scheduling.left_out(scope, rules, CONSTANTS, (*TABLES, *holds), said=("fine",))
    if CANCELS_PRE_BIND.of(rules) and scope.preemption and scope.goroutines > 1:
        return (
            "CyclePreemption.tla does not say which of several bindings of a pod preemption cancels: from 1.36 on it "
            "says nothing of preemption with goroutines=2 or more"
        )
    if scope.flush and CycleSetup(scope, rules).queue_is_read:
        return (
            "QueueWithHints.tla keeps one of several flushes, which a rule from outside that reads the queue may count"
        )
    return of_scheduling.left_out(scope, rules, CONSTANTS_WITH_HINTS, TABLES_WITH_HINTS)


def repairs_nodes(rules: SchedulingCycleRules) -> bool:
    """Whether the error function takes out of the cache a node that a Binding has not found."""
    return rules.error_func().repairs_nodes and KEEPS_BINDING_ERROR.of(rules)


def _holds(scope: SchedulingCycleScope, rules: SchedulingCycleRules) -> dict[str, str]:
    """What CycleHolds.tla asks of rules, hold by hold; without `fine` it asks nothing."""
    rejects, moves = CALLS_AFTER_DELETE.of(rules) if scope.fine else (False, False)
    values = {
        "LooksAssumedUp": scope.fine and LOOKS_ASSUMED_UP.of(rules),
        "RejectsWaiting": rejects,
        "MovesIfItWaited": moves,
        "MovesPodByPod": scope.fine and MOVES_POD_BY_POD.of(rules),
        "ChecksPods": scope.fine and CHECKS_PODS.of(rules),
    }
    by = MOVES_ON_NODE_UPDATE.of(rules) if scope.fine else "change"
    return {name: "TRUE" if value else "FALSE" for name, value in values.items()} | {"MovesOnNodeUpdate": f'"{by}"'}


def _constants(setup: CycleSetup) -> list[str]:
    scope, rules = setup.scope, setup.rules
    groups = (
        [pod_name(at) for at in range(scope.pods) if group_of(scope, at) == group] for group in range(scope.groups)
    )
    values = {
        "Groups": set_of(set_of(names) for names in groups),
        "NamedNodes": set_of(named_nodes(scope)),
        **{constant: str(getattr(scope, bound)) for constant, bound in _POWERS.items()},
        "UnmanagedPods": set_of(pod_name(at) for at in range(scope.pods - scope.unmanaged, scope.pods)),
        "NamedPods": set_of(pod_name(at) for at in range(scope.pods) if names_nodes(scope, at)),
        "SecondProfilePods": set_of(pod_name(at) for at in range(scope.pods) if in_second_profile(scope, at)),
        "RepairsNodes": "TRUE" if repairs_nodes(rules) else "FALSE",
        "PanicsAtUnknownNode": "TRUE" if PANICS_AT_UNKNOWN_NODE.of(rules) else "FALSE",
        "NeverPods": set_of(pod_name(at) for at in range(scope.never)),
        "ProtectedPods": set_of(filter(partial(is_protected, scope), map(pod_name, range(scope.pods)))),
        "Workers": str(max(1, scope.workers)),
        "CycleStates": "TRUE" if scope.cycle_state else "FALSE",
        "NominatesHost": "TRUE" if NOMINATES_HOST.of(rules) else "FALSE",
        "CancelsPreBind": "TRUE" if CANCELS_PRE_BIND.of(rules) else "FALSE",
        "AbsentIsUnresolvable": "TRUE" if ABSENT_IS_UNRESOLVABLE.of(rules) else "FALSE",
        "SparesTerminating": "TRUE" if SPARES_TERMINATING.of(rules) else "FALSE",
        "DoneAfter": f'"{DONE_AFTER.of(rules)}"' if rules.hints_stay_on is gate_stays_on else '""',
        "PassesOverBinder": "TRUE" if scope.ignorable and PASSES_OVER_BINDER.of(rules) else "FALSE",
        "Volumes": "TRUE" if scope.volumes else "FALSE",
        "Ignorable": "TRUE" if scope.ignorable else "FALSE",
        "Fine": "TRUE" if scope.fine else "FALSE",
        "WaitsForHandlers": "TRUE" if scope.fine and not scope.listeners else "FALSE",
        **_holds(scope, rules),
        "RoundTheNodesAsked": "TRUE" if ROUND_THE_NODES_ASKED.of(rules) else "FALSE",
    }
    # With `fine` CycleHolds.tla has these calls.
    common = of_scheduling.constants(setup, others=scope.unknown_profile, waiting_pods=not scope.fine)
    return [*common, *(f"  {name} = {value}" for name, value in values.items())]
