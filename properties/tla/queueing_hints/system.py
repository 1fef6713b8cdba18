"""queueing-hints in TLA+: specs/QueueingHints.tla, and what of a scope and of rules it says."""

from collections.abc import Iterable, Mapping
from functools import partial

import cattrs

from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT
from model.scheduler.eventhandlers import (
    delete_pod_and_move_if_it_waited,
    delete_pod_and_move_if_it_waited_or_was_nominated,
    delete_pod_and_reject_waiting,
)
from model.scheduler.events_to_register import NODE_AFFINITY, TAINT_TOLERATION
from model.scheduler.queue.backoff import backoff_time_by_attempts, backs_off_through_window
from model.scheduler.queue.events import matches, matches_narrowly, worth_requeuing_narrowly
from model.scheduler.queue.move import move_pod_by_pod
from model.scheduler.queue.pre_enqueue import SCHEDULING_GATES
from model.scheduler.queue.scheduling_queue import LOCK
from model.systems.queueing_hints.plugins import FILLS, OTHER
from model.systems.queueing_hints.rules import PLUGINS, HintsSetup, QueueingHintsRules
from model.systems.queueing_hints.scope import QueueingHintsScope
from model.world.api_server import CPU, pod_name
from properties.forms import without_form
from properties.queueing_hints import backoff, in_flight, pods as of_pods, progress
from properties.tla.form import Module, TlaForm, TlaProperty, form_under
from properties.tla.queueing_hints.operators import CALLED, CONSTANTS, EVENTS, OBJECT, TABLES, WAITS
from properties.tla.queueing_hints.states import decode

_REJECT_EACH = (
    delete_pod_and_reject_waiting,
    delete_pod_and_move_if_it_waited,
    delete_pod_and_move_if_it_waited_or_was_nominated,
)
MODULE = "MCQueueingHints"
MODULES = (
    "Objects.tla",
    "ApiServer.tla",
    "PodUsers.tla",
    "Waiting.tla",
    "HintsWaiting.tla",
    "InFlight.tla",
    "HintsQueue.tla",
    "Cache.tla",
    "Skip.tla",
    "PodHandlers.tla",
    "HintsAttempt.tla",
    "Holds.tla",
    "QueueingHints.tla",
    "QueueingHintsProperties.tla",
    "MCQueueingHints.tla",
)

# The powers that are numbers, by the constant of each.
_POWERS = {
    "Updates": "updates",
    "Deletes": "deletes",
    "Recreates": "recreates",
    "Changes": "changes",
    "Events": "events",
    "Uninteresting": "uninteresting",
    "Resyncs": "resyncs",
    "Relists": "relists",
    "Errors": "errors",
    "UnknownProfiles": "unknown_profiles",
    "Permits": "permits",
    "BindErrors": "bind_errors",
    "LostReplies": "lost_replies",
    "Gates": "gates",
    "Claims": "claims",
    "Allocations": "pending",
    "Activations": "activations",
    "Tolerations": "tolerations",
    "HintErrors": "hint_errors",
    "Others": "assigned",
}
# The bounds of which the modules speak.
SAID = frozenset(
    {
        "pods", "plugins", "goroutines", "stale_binds", "gate", "pop_from_backoff", "graceful", "listeners", "clock",
        "flush", "pre_check", "fine", *_POWERS.values(),
    }
)  # fmt: skip

# The constant that names the events that a plugin waits for.
_WAITS_FOR = {
    NODE_RESOURCES_FIT: "FitEvents",
    NODE_AFFINITY: "NodeAffinityEvents",
    TAINT_TOLERATION: "TaintEvents",
    INTER_POD_AFFINITY: "InterPodEvents",
    SCHEDULING_GATES: "GatesEvents",
}

PROPERTIES: Mapping[str, TlaProperty] = {
    in_flight.ONE_ELEMENT.name: TlaProperty("invariant", "OneElementForEachPod"),
    in_flight.ENDS_WITH_CYCLE.name: TlaProperty("invariant", "InFlightWhileScheduled"),
    in_flight.SINCE_POP.name: TlaProperty("step", "ScheduledWhileInFlight"),
    in_flight.ONE_DONE.name: TlaProperty("step", "OneDoneForEachPop"),
    in_flight.NOTHING_RETAINED.name: TlaProperty("invariant", "NothingInFlightNothingRetained"),
    in_flight.BEGINS_WITH_POD.name: TlaProperty("invariant", "ListBeginsWithAPodInFlight"),
    in_flight.RETAINED.name: TlaProperty("step", "RetainsWhatARunningCycleNeeds"),
    in_flight.DONE_BEFORE_BIND.name: TlaProperty("invariant", "DoneBeforeBind"),
    in_flight.SEES_EVENTS.name: TlaProperty("step", "FailureSeesEventsSincePop"),
    of_pods.ONE_PLACE.name: TlaProperty("invariant", "PodInOnePlace"),
    of_pods.NOT_FORGOTTEN.name: TlaProperty("invariant", "PendingPodNotForgotten"),
    of_pods.QUEUED_IS_CURRENT.name: TlaProperty("invariant", "QueuedObjectIsCurrent"),
    backoff.IN_TIME.name: TlaProperty("step", "LeavesBackoffQueueInTime"),
    progress.NO_EVENT_LOST.name: TlaProperty("invariant", "NoEventLost"),
    progress.ERROR_IS_TRIED.name: TlaProperty("invariant", "FailedByErrorIsTriedAgain"),
    progress.EVENTS_RELEASED.name: TlaProperty("liveness", "EventsAreReleased"),
    progress.ACTIVE_IS_POPPED.name: TlaProperty("liveness", "ActivePodIsPopped"),
    progress.ACCEPTED_IS_BOUND.name: TlaProperty("liveness", "AcceptedPodIsBound"),
}


def form(
    scope: QueueingHintsScope, rules: QueueingHintsRules, operators: Mapping[str, Module] | None = None
) -> TlaForm:
    """The TLA+ form of queueing-hints in `scope` under `rules`, or why there is none.

    A rule from outside has none, whatever `operators` has: see `_left_out`.
    """
    reason = _left_out(scope, rules)
    if reason is not None:
        return TlaForm(module=MODULE, reason=reason)
    setup = HintsSetup(scope, rules)
    return form_under(
        rules,
        None,
        CONSTANTS,
        module=MODULE,
        modules=MODULES,
        constants=(*_constants(setup), "  ExecuteInQueue <- CallOfHintsQueue", "  AfterNode <- EveryNodeHelps"),
        properties=PROPERTIES,
        decode=partial(decode, setup),
        interchangeable=scope.pods > 1,
    )


def _left_out(scope: QueueingHintsScope, rules: QueueingHintsRules) -> str | None:
    """What of the scope or the rules the modules do not say."""
    for bound, value in cattrs.unstructure(scope).items():
        if value and bound not in SAID:
            return f"QueueingHints.tla does not say what {bound}={value} adds"
    if scope.clock and (scope.gates or scope.claims):
        # Up to 1.30 a pod that backs off and is held back may then be in two sub-queues.
        if scope.activations or scope.listeners or scope.fine:
            return (
                "HintsWaiting.tla has a pod in one sub-queue: with clock and gates or claims no activations, listeners "
                "or fine"
            )
        # From 1.32 on a pod that backs off by one event of an update may be left where it was by the next one.
        if scope.gates and scope.tolerations and scope.relists:
            return "HintsWaiting.tla has a pod in one sub-queue: with clock, gates and tolerations no relists"
    outside = sorted(HintsSetup(scope, rules).outside)
    if outside:
        # The machine then keeps what such a rule may read: attempts, cycle numbers, generations.
        return f"QueueingHints.tla keeps no numbers that a rule from outside may read: {', '.join(outside)}"
    # Where no table has a field, the rules of the releases differ in nothing that the modules say.
    called = (*CALLED, *(constant.operators.field for constant in CONSTANTS))
    unknown = without_form(rules, TABLES, called)
    if unknown is not None:
        return f"the rule {unknown} is not one that QueueingHints.tla says"
    for plugin, events in _registered(HintsSetup(scope, rules)).items():
        if plugin not in _WAITS_FOR and events != WAITS.get(plugin):
            return f"HintsQueue.tla does not say that {plugin} waits for {', '.join(sorted(events))}"
    return None


def _set(names: Iterable[str]) -> str:
    return f"{{{', '.join(names)}}}"


def _quoted(names: Iterable[str]) -> str:
    return _set(f'"{name}"' for name in names)


def _registered(setup: HintsSetup) -> dict[str, frozenset[str]]:
    """The events that each plugin has registered for."""
    narrowly = setup.rules.worth_requeuing is worth_requeuing_narrowly
    covers = matches_narrowly if narrowly else matches
    found: dict[str, frozenset[str]] = {}
    for each in setup.registered:
        names = (name for name, event in EVENTS.items() if covers(each.event, event))
        found[each.plugin] = found.get(each.plugin, frozenset()).union(names)
    return found


def _constants(setup: HintsSetup) -> list[str]:
    scope, rules = setup.scope, setup.rules
    pods = [pod_name(at) for at in range(scope.pods)]
    order = rules.pre_enqueue_order()
    limit = rules.unschedulable_time_limit(setup.queue.config)
    registered = _registered(setup)
    values = {
        "Pods": _set(pods),
        "HighPods": "{}",
        "TopPods": "{}",
        "BigPods": "{}",
        "OthersPods": "{}",
        "Nodes": "{n1}",
        "Room": "1",
        "Goroutines": str(scope.goroutines),
        "StaleBinds": str(scope.stale_binds),
        "None": "None",
        "NoNode": "NoNode",
        "MostAttempts": "1",
        "MostRetained": "0",
        "Plugins": _quoted(plugin for plugin, _ in PLUGINS[: scope.plugins]),
        "DoneInBinding": f'"{rules.done_in_binding()}"',
        "Registered": _quoted(sorted(registered)),
        **{name: _quoted(sorted(registered.get(plugin, ()))) for plugin, name in _WAITS_FOR.items()},
        "CordonEvents": "{}",
        "Unreadable": OBJECT,
        "OtherPod": OTHER,
        "Fills": str(FILLS // CPU),
        "PreEnqueuePlugins": _quoted(plugin.name for plugin in setup.pre_enqueue),
        "Backoff": str(setup.queue.config.max_backoff),
        "Limit": str(limit),
        "BackoffsOf": '"records"',
    }
    powers = {constant: getattr(scope, bound) for constant, bound in _POWERS.items()}
    if not (setup.gate and rules.hint_functions_answer_errors()):
        powers["HintErrors"] = 0
    switches = {
        "Graceful": scope.graceful,
        "BlockedDeletes": False,
        # Nobody is nominated.
        "ClearsNomination": False,
        # With `fine` the handlers lag too, and without `listeners` the informer waits for them.
        "Listeners": scope.listeners or scope.fine,
        "Fine": scope.fine,
        "OneAtATime": scope.fine and not scope.listeners,
        "PopTakesLock": rules.pop_lock() == LOCK,
        "MovesPodByPod": rules.move_holds is move_pod_by_pod,
        "UpdateLooksTwice": setup.gate and not rules.update_holds_pop_lock(),
        "RejectsDeleted": rules.delete_pod_from_scheduling_queue in _REJECT_EACH,
        "KeepsTimes": True,
        "Endless": False,
        "Reduces": False,
        "Gate": setup.gate,
        "KeepsObjects": setup.gate and any(each.looks_at_objects for each in setup.registered),
        "AsksOfBound": scope.assigned > 0,
        "OnePodHandler": setup.one_pod_handler,
        "ForgetsDeleted": False,
        "MovesWhenRenominated": False,
        "MovesWhenNominatedGoes": False,
        "TellsWaitingPods": False,
        "Tainted": scope.tolerations > 0,
        "OneNode": scope.pre_check,
        "ChecksNodes": setup.checks_nodes,
        "Clock": scope.clock,
        "Flush": scope.flush,
        "UntriedBacksOff": rules.backoff_time is backoff_time_by_attempts,
        "BacksOffAtEnd": rules.still_backs_off is backs_off_through_window,
        "GatedBacksOff": rules.gated_pod_may_back_off(),
        "PopsFromBackoff": setup.queue.pop_from_backoff,
        "GatesAskedFirst": order[0] == SCHEDULING_GATES,
        "ClaimsAtFirst": scope.claims > 0,
        "PendingKnown": rules.pending_plugins_known(),
        "RequeueWakesPop": rules.requeue_wakes_pop(),
        "DoneWhenSkipped": rules.done_when_skipped(),
        "DoneWithoutProfile": rules.done_without_profile(),
        "DoneAgain": rules.done_again_after_bind_error(),
    }
    return [
        *(f"  {name} = {name}" for name in (*pods, "n1")),
        *(f"  {name} = {value}" for name, value in values.items()),
        *(f"  {name} = {value}" for name, value in powers.items()),
        *(f"  {name} = {'TRUE' if value else 'FALSE'}" for name, value in switches.items()),
    ]
