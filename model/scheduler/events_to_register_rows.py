"""Which release follows which rule of EventsToRegister."""

from model.rules import Row
from model.scheduler import events_to_register
from model.scheduler.go_files import FIT_GO, PREDICATES_GO, SPREAD_GO, UNSCHEDULABLE_GO

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
    Row("unschedulable_events", "1.13.0", events_to_register.every_event, "",
        f"{PREDICATES_GO} CheckNodeUnschedulablePredicate"),
    Row("unschedulable_events", "1.22.0-alpha.1", events_to_register.unschedulable_events_of_taints,
        "the plugin had no EventsToRegister in 1.21", f"{UNSCHEDULABLE_GO} EventsToRegister"),
    Row("unschedulable_events", "1.30.0-alpha.3", events_to_register.unschedulable_events_of_node_updates,
        "in 1.30.0-alpha.3, not in 1.29.14", f"{UNSCHEDULABLE_GO} EventsToRegister"),
    Row("spread_events", "1.13.0", events_to_register.no_spread_events, "", f"{PREDICATES_GO} Ordering"),
    Row("spread_events", "1.16.0-alpha.1", events_to_register.every_event,
        "EvenPodsSpread, behind its gate; in 1.16.0, not in 1.15.11", f"{PREDICATES_GO} EvenPodsSpreadPredicate"),
    Row("spread_events", "1.22.0-alpha.1", events_to_register.spread_events_of_labels,
        "the plugin had no EventsToRegister in 1.21", f"{SPREAD_GO} EventsToRegister"),
    Row("spread_events", "1.30.0-alpha.3", events_to_register.spread_events_of_taints,
        "#122292; in 1.30.0-alpha.3 every update of a node", f"{SPREAD_GO} EventsToRegister"),
    Row("spread_events", "1.31.0-alpha.3", events_to_register.spread_events_of_pod_labels,
        "in 1.31.0, not in 1.31.0-alpha.2", f"{SPREAD_GO} EventsToRegister"),
)  # fmt: skip
