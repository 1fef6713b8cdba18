"""Which release follows which rule of InterPodAffinity."""

from model.rules import Row
from model.scheduler import hint_functions, inter_pod_affinity
from model.scheduler.go_files import INTER_POD_AFFINITY_GO as GO

INTER_POD_AFFINITY_ROWS: tuple[Row, ...] = (
    Row("interpod_events", "1.13.0", inter_pod_affinity.every_event, "", f"{GO} EventsToRegister"),
    Row("interpod_events", "1.22.0-alpha.1", inter_pod_affinity.events_of_labels,
        "the plugin had no EventsToRegister in 1.21", f"{GO} EventsToRegister"),
    Row("interpod_events", "1.30.0", inter_pod_affinity.events_of_labels_and_taints,
        "in 1.30.0, not in 1.30.0-alpha.3", f"{GO} EventsToRegister"),
    Row("interpod_events", "1.31.0-alpha.3", inter_pod_affinity.events_of_pod_labels,
        "in 1.31.0, not in 1.31.0-alpha.2", f"{GO} EventsToRegister"),
    Row("interpod_events", "1.32.0-alpha.1", inter_pod_affinity.events_without_taints_with_hints,
        "#127220 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{GO} EventsToRegister"),
    Row("interpod_after_pod", "1.28.0-beta.0", hint_functions.queue_always, "", f"{GO} EventsToRegister"),
    Row("interpod_after_pod", "1.31.0-alpha.2", inter_pod_affinity.queue_if_bound_pod_suits,
        "#122471; in 1.31.0-alpha.2, not in 1.30.14", f"{GO} isSchedulableAfterPodChange"),
    Row("interpod_after_pod", "1.36.0", inter_pod_affinity.queue_if_bound_or_own_pod_suits,
        "#135325 among others (release note of 1.36.0); in 1.36.2, not in 1.35.6", f"{GO} isSchedulableAfterPodChange"),
    Row("interpod_after_node", "1.28.0-beta.0", hint_functions.queue_always, "", f"{GO} EventsToRegister"),
    Row("interpod_after_node", "1.31.0-alpha.2", inter_pod_affinity.queue_if_node_has_key,
        "#122471; in 1.31.0-alpha.2, not in 1.30.14", f"{GO} isSchedulableAfterNodeChange"),
    Row("interpod_after_node", "1.33.0", inter_pod_affinity.queue_if_key_changes,
        "#127470; in 1.33.1, not in 1.32.13", f"{GO} isSchedulableAfterNodeChange"),
)  # fmt: skip
