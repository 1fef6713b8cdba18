"""Which release follows which rule of EventsToRegister, each row with its source."""

from model.rules import Row
from model.scheduler import events_to_register

FIT_GO = "pkg/scheduler/framework/plugins/noderesources/fit.go EventsToRegister"
SPREAD_GO = "pkg/scheduler/framework/plugins/podtopologyspread/plugin.go EventsToRegister"

# Read: 1.21.0-beta.1, 1.22.0-alpha.1, 1.22.3, 1.23.0, .3 and .9, 1.24.0-beta.0 and newer ones up to 1.31.13.
EVENTS_TO_REGISTER_ROWS: tuple[Row, ...] = (
    Row("fit_events", "1.13.0", events_to_register.every_event, "", "no such function", "read"),
    Row("fit_events", "1.18.0-alpha.1", events_to_register.every_event, "no queue of 1.18 to 1.20 was seen",
        "no source seen", "inferred"),
    Row("fit_events", "1.21.0-beta.1", events_to_register.fit_events_of_allocatable, "", FIT_GO, "read"),
    Row("fit_events", "1.21.13", events_to_register.fit_events_of_node_updates,
        "#109442 by #109466 (approved 2022-04-28, after 1.21.12)", "no source seen", "inferred"),
    Row("fit_events", "1.22.0-alpha.1", events_to_register.fit_events_of_allocatable, "still so in 1.22.3", FIT_GO,
        "read"),
    Row("fit_events", "1.22.10", events_to_register.fit_events_of_node_updates,
        "#109442 by #109447 (approved 2022-04-28, after 1.22.9)", "no source seen", "inferred"),
    Row("fit_events", "1.23.0-alpha.1", events_to_register.fit_events_of_allocatable, "still so in 1.23.3", FIT_GO,
        "read"),
    Row("fit_events", "1.23.7", events_to_register.fit_events_of_node_updates,
        "#109442 by #109446 (approved 2022-04-28, after 1.23.6)", "no source seen", "inferred"),
    Row("fit_events", "1.23.9", events_to_register.fit_events_of_node_updates, "#109442", FIT_GO, "read"),
    Row("fit_events", "1.24.0-alpha.1", events_to_register.fit_events_of_allocatable, "still so in 1.24.0-beta.0",
        FIT_GO, "read"),
    Row("fit_events", "1.24.0", events_to_register.fit_events_of_node_updates, "#109442", FIT_GO, "read"),
    Row("spread_events", "1.13.0", events_to_register.no_spread_events, "",
        "pkg/scheduler/algorithm/predicates/predicates.go", "read"),
    Row("spread_events", "1.16.0-alpha.1", events_to_register.every_event,
        "EvenPodsSpread, behind its gate; in 1.16.0-beta.2, not in 1.15",
        "pkg/scheduler/algorithm/predicates/predicates.go EvenPodsSpreadPredicate", "read"),
    Row("spread_events", "1.18.0-alpha.1", events_to_register.every_event, "no queue of 1.18 to 1.20 was seen",
        "no source seen", "inferred"),
    Row("spread_events", "1.21.0", events_to_register.spread_events_of_labels,
        "between 1.21.0-beta.1 and 1.22.0-alpha.1", SPREAD_GO, "inferred"),
    Row("spread_events", "1.22.0-alpha.1", events_to_register.spread_events_of_labels, "", SPREAD_GO, "read"),
    Row("spread_events", "1.30.0-alpha.3", events_to_register.spread_events_of_taints,
        "#122292; up to 1.30.0 every update of a node, not in 1.29.9", SPREAD_GO, "read"),
    Row("spread_events", "1.31.0-alpha.3", events_to_register.spread_events_of_pod_labels,
        "seen in 1.31.13, not in 1.31.0-alpha.2", SPREAD_GO, "read"),
)  # fmt: skip
