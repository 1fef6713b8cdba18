"""Which release follows which rule of gated pods, from 1.27 on."""

from model.rules import Row
from model.scheduler.go_files import BACKEND_QUEUE_GO, DEFAULT_PLUGINS_GO, QUEUE_GO
from model.scheduler.queue import pre_enqueue

MOVE = f"{QUEUE_GO} movePodsToActiveOrBackoffQueue"
NONE = pre_enqueue.no_gated_pod_is_passed_over
EVERY = pre_enqueue.every_gated_pod_is_passed_over
WITH_GATES = pre_enqueue.pod_with_scheduling_gates_is_passed_over

PRE_ENQUEUE_ROWS: tuple[Row, ...] = (
    Row("pre_enqueue_order", "1.27.0-alpha.1", pre_enqueue.gates_are_asked_last, "",
        f"{DEFAULT_PLUGINS_GO} getDefaultPlugins, applyFeatureGates"),
    Row("pre_enqueue_order", "1.30.0", pre_enqueue.gates_are_asked_first, "in 1.30.0, not in 1.30.0-alpha.3",
        f"{DEFAULT_PLUGINS_GO} getDefaultPlugins, applyFeatureGates"),
    Row("gated_pod_is_passed_over", "1.27.0-alpha.1", NONE, "", MOVE),
    Row("gated_pod_is_passed_over", "1.27.15", EVERY,
        "#124618 by #124866; in 1.27.15, not in 1.27.14; #125527 did not come to 1.27", MOVE),
    Row("gated_pod_is_passed_over", "1.28.0-alpha.2", NONE, "#124618 comes with 1.28.11", MOVE),
    Row("gated_pod_is_passed_over", "1.28.11", EVERY, "#124618 by #124851; in 1.28.11, not in 1.28.10", MOVE),
    Row("gated_pod_is_passed_over", "1.28.12", WITH_GATES,
        "#125527 by #125645, approved on 2024-06-24; in 1.28.14, not in 1.28.11", MOVE),
    Row("gated_pod_is_passed_over", "1.29.0-alpha.1", NONE, "#124618 comes with 1.29.6", MOVE),
    Row("gated_pod_is_passed_over", "1.29.6", EVERY, "#124618 by #124849; in 1.29.6, not in 1.29.5", MOVE),
    Row("gated_pod_is_passed_over", "1.29.7", WITH_GATES, "#125527 by #125644; in 1.29.7, not in 1.29.6", MOVE),
    Row("gated_pod_is_passed_over", "1.30.0-alpha.3", NONE, "#124618 comes with 1.30.2", MOVE),
    Row("gated_pod_is_passed_over", "1.30.2", EVERY, "#124618 by #124848; in 1.30.2, not in 1.30.1", MOVE),
    Row("gated_pod_is_passed_over", "1.30.3", WITH_GATES,
        "#125527 by #125643, approved on 2024-06-24 as #125644 of 1.29.7; in 1.30.4, not in 1.30.2", MOVE),
    Row("gated_pod_is_passed_over", "1.31.0-alpha.2", EVERY, "#124618; in 1.31.0-alpha.2", MOVE),
    Row("gated_pod_is_passed_over", "1.31.0-alpha.3", WITH_GATES, "#125527; in 1.31.0, not in 1.31.0-alpha.2", MOVE),
    Row("gated_pod_is_passed_over", "1.34.0", pre_enqueue.pod_whose_gate_the_event_leaves_is_passed_over,
        "#127180; in 1.34.1, not in 1.33.13", f"{BACKEND_QUEUE_GO} movePodsToActiveOrBackoffQueue"),
    Row("gated_pod_may_back_off", "1.27.0-alpha.1", pre_enqueue.gated_pod_has_no_backoff, "",
        f"{QUEUE_GO} isPodBackingoff"),
    Row("gated_pod_may_back_off", "1.32.0", pre_enqueue.gated_pod_backs_off, "in 1.32.0, not in 1.31.14",
        f"{BACKEND_QUEUE_GO} isPodBackingoff"),
    Row("gated_when_activated", "1.27.0-alpha.1", pre_enqueue.gated_when_activated_is_in_both, "",
        f"{QUEUE_GO} activate, addToActiveQ"),
    Row("gated_when_activated", "1.31.0-alpha.3", pre_enqueue.gated_when_activated_stays,
        "in 1.31.0, not in 1.31.0-alpha.2", f"{QUEUE_GO} activate, moveToActiveQ"),
    Row("gated_when_activated", "1.33.0", pre_enqueue.gated_when_activated_is_moved,
        "#130772; in 1.33.0, not in 1.32.13", f"{BACKEND_QUEUE_GO} activate, moveToActiveQ"),
    Row("gated_when_activated", "1.35.0", pre_enqueue.activated_is_not_asked,
        "in 1.35.0, not in 1.34.9", f"{BACKEND_QUEUE_GO} activate, moveToActiveQ"),
)  # fmt: skip
