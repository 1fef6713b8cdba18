"""Which release follows which rule of EventsToRegister."""

from collections.abc import Callable

from model.rules import Row
from model.scheduler import events_to_register, node_plugin_events, queueing_hint_map
from model.scheduler.go_files import (
    AFFINITY_GO,
    FIT_GO,
    GATES_GO,
    PREDICATES_GO,
    SCHEDULER_GO,
    SPREAD_GO,
    TAINT_GO,
    UNSCHEDULABLE_GO,
)
from model.scheduler.node_plugin_events import Events

NOT_1_31 = "#127220 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14"


def _of_109442(field: str, before: Callable[[bool], Events], after: Callable[[bool], Events], file: str) -> list[Row]:
    """Rows of a plugin that waits for any update of a node since #109442, as `fit_events` does."""
    at = f"{file} EventsToRegister"
    return [
        Row(field, "1.13.0", node_plugin_events.every_event_with_gate, "", at),
        Row(field, "1.22.0-alpha.1", before, "the plugin had no EventsToRegister in 1.21", at),
        Row(field, "1.22.10", after, "#109442 by #109447 (release note of 1.22.10)", at),
        Row(field, "1.23.0-alpha.0", before, "#109442 comes with 1.23.7", at),
        Row(field, "1.23.7", after, "#109442 by #109446 (release note of 1.23.7)", at),
        Row(field, "1.24.0-alpha.0", before, "#109442 comes with 1.24.0", at),
        Row(field, "1.24.0", after, "#109442", at),
    ]


EVENTS_TO_REGISTER_ROWS: tuple[Row, ...] = (
    Row("fit_events", "1.13.0", events_to_register.every_event, "", f"{PREDICATES_GO} PodFitsResources"),
    Row("fit_events", "1.21.0-beta.1", events_to_register.fit_events_of_allocatable, "", f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.21.13", events_to_register.fit_events_of_node_updates,
        "#109442 by #109466 (approved 2022-04-28, after 1.21.12)", f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.22.0-alpha.0", events_to_register.fit_events_of_allocatable, "#109442 comes with 1.22.10",
        f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.22.10", events_to_register.fit_events_of_node_updates,
        "#109442 by #109447 (release note of 1.22.10)", f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.23.0-alpha.0", events_to_register.fit_events_of_allocatable, "#109442 comes with 1.23.7",
        f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.23.7", events_to_register.fit_events_of_node_updates,
        "#109442 by #109446 (release note of 1.23.7)", f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.24.0-alpha.0", events_to_register.fit_events_of_allocatable, "still so in 1.24.0-beta.0",
        f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.24.0", events_to_register.fit_events_of_node_updates, "#109442", f"{FIT_GO} EventsToRegister"),
    Row("fit_events", "1.32.0-alpha.1", events_to_register.fit_events_of_node_fields,
        "#127220 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{FIT_GO} EventsToRegister"),
    Row("unschedulable_events", "1.13.0", events_to_register.every_event, "",
        f"{PREDICATES_GO} CheckNodeUnschedulablePredicate"),
    Row("unschedulable_events", "1.22.0-alpha.1", events_to_register.unschedulable_events_of_taints,
        "the plugin had no EventsToRegister in 1.21", f"{UNSCHEDULABLE_GO} EventsToRegister"),
    Row("unschedulable_events", "1.30.0-alpha.3", events_to_register.unschedulable_events_of_node_updates,
        "in 1.30.0-alpha.3, not in 1.29.14", f"{UNSCHEDULABLE_GO} EventsToRegister"),
    Row("unschedulable_events", "1.32.0-alpha.1", events_to_register.unschedulable_events_of_taints_and_labels,
        "#127220 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{UNSCHEDULABLE_GO} EventsToRegister"),
    Row("spread_events", "1.13.0", events_to_register.no_spread_events, "", f"{PREDICATES_GO} Ordering"),
    Row("spread_events", "1.16.0-alpha.1", events_to_register.every_event,
        "EvenPodsSpread, behind its gate; in 1.16.0, not in 1.15.11", f"{PREDICATES_GO} EvenPodsSpreadPredicate"),
    Row("spread_events", "1.22.0-alpha.1", events_to_register.spread_events_of_labels,
        "the plugin had no EventsToRegister in 1.21", f"{SPREAD_GO} EventsToRegister"),
    Row("spread_events", "1.30.0-alpha.3", events_to_register.spread_events_of_taints,
        "#122292; in 1.30.0-alpha.3 every update of a node", f"{SPREAD_GO} EventsToRegister"),
    Row("spread_events", "1.31.0-alpha.3", events_to_register.spread_events_of_pod_labels,
        "in 1.31.0, not in 1.31.0-alpha.2", f"{SPREAD_GO} EventsToRegister"),
    Row("gates_events", "1.28.0-beta.0", events_to_register.gates_events_of_updates, "",
        f"{GATES_GO} EventsToRegister"),
    Row("gates_events", "1.29.0", events_to_register.no_gates_events, "in 1.29.0, not in 1.29.0-alpha.3",
        f"{GATES_GO} EventsToRegister"),
    Row("gates_events", "1.31.0-alpha.2", events_to_register.gates_events_of_updates_with_hints,
        "#122234; in 1.31.0-alpha.2, not in 1.30.14", f"{GATES_GO} EventsToRegister"),
    Row("gates_events", "1.32.0", events_to_register.gates_events_of_gates, "in 1.32.0, not in 1.31.14",
        f"{GATES_GO} EventsToRegister"),
    *(Row(f"{field}_with_hints", "1.28.0-beta.0", events_to_register.same_with_hints, "", f"{file} EventsToRegister")
      for field, file in (("fit_events", FIT_GO), ("unschedulable_events", UNSCHEDULABLE_GO),
                          ("spread_events", SPREAD_GO))),
    Row("fit_events_with_hints", "1.32.0-alpha.1", events_to_register.fit_events_with_hints, NOT_1_31,
        f"{FIT_GO} EventsToRegister"),
    Row("unschedulable_events_with_hints", "1.32.0-alpha.1", events_to_register.unschedulable_events_with_hints,
        NOT_1_31, f"{UNSCHEDULABLE_GO} EventsToRegister"),
    Row("spread_events_with_hints", "1.32.0-alpha.1", events_to_register.spread_events_with_hints,
        "#127447 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{SPREAD_GO} EventsToRegister"),
    *_of_109442("affinity_events", node_plugin_events.affinity_events_of_labels_alone,
                node_plugin_events.affinity_events_of_node_updates, AFFINITY_GO),
    Row("affinity_events", "1.32.0-alpha.1", node_plugin_events.affinity_events_of_labels, NOT_1_31,
        f"{AFFINITY_GO} EventsToRegister"),
    *_of_109442("taint_events", node_plugin_events.taint_events_of_taints_alone,
                node_plugin_events.taint_events_of_node_updates, TAINT_GO),
    Row("taint_events", "1.31.0-alpha.2", node_plugin_events.taint_events_of_updates_with_hints,
        "#122234; in 1.31.0-alpha.2, not in 1.30.14", f"{TAINT_GO} EventsToRegister"),
    Row("taint_events", "1.32.0-alpha.1", node_plugin_events.taint_events_of_taints, NOT_1_31,
        f"{TAINT_GO} EventsToRegister"),
    Row("events_added", "1.28.0-beta.0", queueing_hint_map.nothing_is_added, "",
        f"{SCHEDULER_GO} buildQueueingHintMap"),
    Row("events_added", "1.30.0", queueing_hint_map.node_taints_are_added,
        "#109437; in 1.30.0, not in 1.30.0-alpha.3 or 1.29.14", f"{SCHEDULER_GO} buildQueueingHintMap"),
)  # fmt: skip
