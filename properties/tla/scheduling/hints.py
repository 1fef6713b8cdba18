"""What of the form of scheduling is of 1.32 and later, where pods are in flight: specs/QueueWithHints.tla."""

from collections.abc import Iterator, Mapping
from typing import Any

from model.scheduler import (
    done,
    eventhandlers,
    events_to_register,
    hint_functions,
    inter_pod_affinity,
    node_handlers,
    queueing_hint_map,
    told_rules,
)
from model.scheduler.cycle import INTER_POD_AFFINITY, NODE_RESOURCES_FIT, NODE_UNSCHEDULABLE
from model.scheduler.queue import events, update, update_with_hints
from model.scheduler.queue.events import ClusterEvent, Registration, matches, matches_narrowly, worth_requeuing_narrowly
from model.scheduler.told_rules import NODE_DELETE
from model.systems.scheduling.rules import SchedulingSetup
from properties.forms import Forms
from properties.tla.queueing_hints.operators import CONSTANTS as OF_HINTS, TABLES as TABLES_OF_HINTS
from properties.tla.scheduling.operators import CONSTANTS as OF_SCHEDULING, TABLES as TABLES_OF_SCHEDULING

# The rules of queueing-hints that scheduling has too.
_SHARED = frozenset(
    {
        "NotePoppedRule", "NoteEventRule", "ForgetDoneRule", "EventsForPodRule", "DiscardPoppedRule",
        "EventOfInterestRule", "GoesBackRule", "WorthRequeuingRule", "NoteActivationRule", "FitAfterPodRule",
        "InterPodAfterPodRule", "ToldOfBoundRule", "HintForInFlightPodRule", "UpdateRule", "UpdateWithHintsRule",
    }
)  # fmt: skip
CONSTANTS = (*OF_SCHEDULING, *(constant for constant in OF_HINTS if constant.name in _SHARED))

# The module knows these alone.
TABLES: tuple[Forms[Any], ...] = (
    *TABLES_OF_SCHEDULING,
    *TABLES_OF_HINTS,
    Forms(
        "update_with_hints",
        dict.fromkeys([update_with_hints.update_keeping_changes, update_with_hints.update_until_moved]),
    ),
    Forms("queue_update", dict.fromkeys([update.update_respecting_backoff, update.update_nominating_anew])),
    Forms("update_pod_in_cache", dict.fromkeys([eventhandlers.update_pod_in_cache_by_properties])),
    Forms("assigned_pod_with_hints", dict.fromkeys([told_rules.everybody_by_property])),
    Forms("move_on_node_update", dict.fromkeys([node_handlers.move_on_each_node_change])),
    Forms("node_deleted", dict.fromkeys([told_rules.queue_before_cache])),
    Forms("pre_check_with_hints", dict.fromkeys([node_handlers.new_nodes_are_not_checked])),
    Forms("done_when_skipped", dict.fromkeys([done.done_with_skipped])),
    Forms("fit_after_node", dict.fromkeys([hint_functions.queue_if_node_fits_and_has_more])),
    Forms("unschedulable_after_node", dict.fromkeys([hint_functions.queue_if_node_becomes_schedulable])),
    # No pod tolerates that a node is cordoned.
    Forms("unschedulable_after_pod", dict.fromkeys([hint_functions.queue_if_own_tolerates_cordon])),
    # No pod has terms of its own.
    Forms(
        "interpod_after_node",
        dict.fromkeys([inter_pod_affinity.queue_if_node_has_key, inter_pod_affinity.queue_if_key_changes]),
    ),
    Forms("fit_events_with_hints", dict.fromkeys([events_to_register.fit_events_with_hints])),
    Forms("unschedulable_events_with_hints", dict.fromkeys([events_to_register.unschedulable_events_with_hints])),
    Forms("interpod_events", dict.fromkeys([inter_pod_affinity.events_without_taints_with_hints])),
    Forms("events_added", dict.fromkeys([queueing_hint_map.node_taints_are_added])),
)

# The events, by the names that they have in the modules.
EVENTS: Mapping[str, ClusterEvent] = {
    "AssignedPodAdd": events.ASSIGNED_POD_ADD,
    "AssignedPodLabelChange": events.POD_LABEL_CHANGE,
    "AssignedPodOtherUpdate": events.ASSIGNED_POD_OTHER_UPDATE,
    "AssignedPodDelete": events.ASSIGNED_POD_DELETE,
    "UnschedulablePodLabelChange": events.UNSCHEDULABLE_POD_LABEL_CHANGE,
    "UnschedulablePodScaleDown": events.UNSCHEDULABLE_POD_SCALE_DOWN,
    "UnschedulablePodOtherUpdate": events.UNSCHEDULABLE_POD_OTHER_UPDATE,
    "UnschedulableTimeout": events.UNSCHEDULABLE_TIMEOUT,
    "NodeAdd": events.NODE_ADD,
    "NodeDelete": NODE_DELETE,
    "NodeAllocatableChange": events.NODE_ALLOCATABLE_CHANGE,
    "NodeSpecUnschedulableChange": events.NODE_SPEC_UNSCHEDULABLE_CHANGE,
}
# The constant that names the events that a plugin waits for. An extender waits for every event.
_WAITS_FOR = {
    NODE_RESOURCES_FIT: "FitEvents",
    INTER_POD_AFFINITY: "InterPodEvents",
    NODE_UNSCHEDULABLE: "CordonEvents",
}


def _covering(setup: SchedulingSetup, plugin: str, event: ClusterEvent) -> Iterator[Registration]:
    """What of the plugin's registrations covers the event."""
    covers = matches_narrowly if setup.rules.worth_requeuing is worth_requeuing_narrowly else matches
    return (each for each in setup.registered if each.plugin == plugin and covers(each.event, event))


# What stands in the modules for the queue and the node handler.
OPERATORS: Mapping[str, str] = {
    "AfterNode": "HelpsAfterNode",
    "TaintAfterPodRule": "NoPodHelps",
    "PassedOverRule": "NoneIsPassedOver",
    "QueueAtFirst": "EmptyQueueWithHints",
    "HeadsInQueue": "HeadsWithHints",
    "PopInQueue": "PopWithHints",
    "FlushInQueue": "LeftoverByHints",
    "PutBackInQueue": "PutBackWithHints",
    "DoneInQueue": "Done",
    "NodeHandled": "NodeHandledWithHints",
    "ExecuteInQueue": "CallOfQueueWithHints",
}


def constants(setup: SchedulingSetup, operators: Mapping[str, str] = OPERATORS) -> list[str]:
    """The lines of a .cfg for what the modules of hints leave open, besides rules."""
    registered = sorted({each.plugin for each in setup.registered})

    def waits(plugin: str) -> str:
        return _quoted(name for name, event in sorted(EVENTS.items()) if any(_covering(setup, plugin, event)))

    values = {
        "MostRetained": "0",
        "Registered": _quoted(registered),
        **{name: waits(plugin) for plugin, name in _WAITS_FOR.items()},
        "NodeAffinityEvents": "{}",
        "TaintEvents": "{}",
        "GatesEvents": "{}",
        "Gate": "TRUE",
        "KeepsObjects": "TRUE",
        "AsksOfBound": "TRUE",
        "ClaimsAtFirst": "FALSE",
        # No PreEnqueue plugin holds a pod back.
        "GatedBacksOff": "FALSE",
        "PopsFromBackoff": "TRUE" if setup.queue.pop_from_backoff else "FALSE",
        "PreEnqueuePlugins": "{}",
        "GatesAskedFirst": "TRUE",
    }
    lines = (f"  {name} = {value}" for name, value in values.items())
    return [*lines, *(f"  {name} <- {operator}" for name, operator in operators.items())]


def _quoted(names: Any) -> str:
    return "{" + ", ".join(f'"{name}"' for name in names) + "}"
