"""Which metrics of kube-scheduler are read, and under which name the answer has them. Pure data.

Go: pkg/scheduler/metrics/metrics.go; the process_ and go_ metrics are those of prometheus/client_golang. Names by
release: `scheduler_scheduler_cache_size` up to 1.33, `scheduler_cache_size` from 1.33 on;
`scheduler_event_handling_duration_seconds` from 1.31 on; `scheduler_inflight_events` from 1.32 on, with the gate on
only; `scheduler_pending_async_api_calls` from 1.34 on; `scheduler_podgroup_schedule_attempts_total` and
`scheduler_pod_scheduled_after_flush_total` from 1.36 on.
"""

from typing import Literal

from attrs import frozen

from model.gates import HINTS

Unit = Literal["bytes", "count", "seconds"]

IN_FLIGHT = "scheduler_inflight_events"
# The value of the label `event` that counts pods, not events (`PodPoppedInFlightEvent`).
POD_POPPED = "PodPopped"
FEATURE = "kubernetes_feature_enabled"
GATE = HINTS.name
BUILD = "kubernetes_build_info"


@frozen
class Figure:
    """A number that is read from a dump: the sum over all samples of one metric that have a label."""

    name: str
    metric: str
    unit: Unit = "count"
    # The labels that a sample must have.
    label: tuple[tuple[str, str], ...] = ()
    # A number that only grows while a process runs.
    counter: bool = False
    # A dump without this number is not a whole dump of a scheduler.
    needed: bool = False


FIGURES = (
    Figure("start", "process_start_time_seconds", "seconds", needed=True),
    Figure("cpu", "process_cpu_seconds_total", "seconds", counter=True, needed=True),
    Figure("resident", "process_resident_memory_bytes", "bytes", needed=True),
    Figure("heap", "go_memstats_heap_inuse_bytes", "bytes", needed=True),
    Figure("next_gc", "go_memstats_next_gc_bytes", "bytes"),
    Figure("last_gc", "go_memstats_last_gc_time_seconds", "seconds"),
    Figure("stacks", "go_memstats_stack_inuse_bytes", "bytes"),
    Figure("goroutines", "go_goroutines"),
    Figure("pending", "scheduler_pending_pods"),
    Figure("binding", "scheduler_goroutines", label=(("operation", "binding"),)),
    Figure("pods", "scheduler_scheduler_cache_size", label=(("type", "pods"),)),
    Figure("nodes", "scheduler_scheduler_cache_size", label=(("type", "nodes"),)),
    Figure("pods", "scheduler_cache_size", label=(("type", "pods"),)),
    Figure("nodes", "scheduler_cache_size", label=(("type", "nodes"),)),
    Figure("attempts", "scheduler_schedule_attempts_total", counter=True),
    Figure("queued", "scheduler_queue_incoming_pods_total", counter=True),
    Figure("permit_waits", "scheduler_permit_wait_duration_seconds_count", counter=True),
    Figure("permit_seconds", "scheduler_permit_wait_duration_seconds_sum", "seconds", counter=True),
    Figure("events", "scheduler_event_handling_duration_seconds_count", counter=True),
    Figure("api_calls", "scheduler_pending_async_api_calls"),
    Figure("after_flush", "scheduler_pod_scheduled_after_flush_total", counter=True),
    Figure("pod_groups", "scheduler_podgroup_schedule_attempts_total", counter=True),
)
UNIT_OF = {figure.name: figure.unit for figure in FIGURES}
COUNTERS = tuple(dict.fromkeys(figure.name for figure in FIGURES if figure.counter))
# The figures that people are told of, with their names.
SHOWN_AS = {
    "resident": "resident memory",
    "heap": "Go heap in use",
    "next_gc": "Go heap goal",
    "stacks": "stacks",
    "goroutines": "goroutines",
    "binding": "binding cycles",
    "pending": "pending pods",
    "api_calls": "pending API calls",
    "pods": "pods in the cache",
    "nodes": "nodes in the cache",
    "attempts": "attempts",
    "events": "events handled",
    "after_flush": "bound after flush",
}
