"""Dumps of a scheduler's /metrics as text, for tests: metrics that are read, and a few that are not. And who asks."""

import json
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from kubeproof.advise.scheduler_memory import MemoryAnswer, analyse, question, read_files

MIB = 1 << 20
SMALL, LARGE = 120 * MIB, 900 * MIB
START = 1705050000.5


def dump(
    cpu: float = 10.0,
    resident: float = 120 * MIB,
    heap: float | None = None,
    *,
    version: str = "v1.28.3",
    gate: int | None = 1,
    start: float = START,
    last_gc: float | None = None,
    in_flight: dict[str, float] | None = None,
    binding: int = 0,
    goroutines: int = 350,
    pods: int = 800,
    nodes: int = 50,
    pending: int = 2,
    attempts: int = 100,
    permit: tuple[int, float] | None = None,
    more: tuple[tuple[str, str, float], ...] = (),
) -> str:
    """The text of a dump. `more`: (metric, labels, value) of further gauges."""
    lines: list[str] = []

    def metric(name: str, kind: str, *samples: tuple[str, Any]) -> None:
        lines.append(f"# HELP {name} [ALPHA] What {name} is.")
        lines.append(f"# TYPE {name} {kind}")
        lines.extend(f"{name}{f'{{{labels}}}' if labels else ''} {value}" for labels, value in samples)

    heap = resident * 0.7 if heap is None else heap
    metric("go_goroutines", "gauge", ("", goroutines))
    metric("go_memstats_heap_inuse_bytes", "gauge", ("", f"{heap:.9e}"))
    metric("go_memstats_last_gc_time_seconds", "gauge", ("", repr(start + 20 * cpu if last_gc is None else last_gc)))
    metric("go_memstats_next_gc_bytes", "gauge", ("", f"{heap * 1.6:.9e}"))
    minor = version.split(".")[1]
    build = f'compiler="gc",git_version="{version}",go_version="go1.20.10",major="1",minor="{minor}"'
    metric("kubernetes_build_info", "gauge", (build, 1))
    if gate is not None:
        metric("kubernetes_feature_enabled", "gauge", ('name="AllBeta",stage="BETA"', 0),
               ('name="SchedulerQueueingHints",stage="BETA"', gate))  # fmt: skip
    metric("process_cpu_seconds_total", "counter", ("", cpu))
    metric("process_resident_memory_bytes", "gauge", ("", f"{resident:.9e}"))
    metric("process_start_time_seconds", "gauge", ("", repr(start)))
    if binding:
        metric("scheduler_goroutines", "gauge", ('operation="binding"', binding))
    if in_flight is not None:
        metric("scheduler_inflight_events", "gauge",
               *((f'event="{event}"', count) for event, count in in_flight.items()))  # fmt: skip
    metric("scheduler_pending_pods", "gauge", ('queue="active"', 0), ('queue="unschedulable"', pending))
    if permit is not None:
        metric("scheduler_permit_wait_duration_seconds", "histogram", ('result="success",le="+Inf"', permit[0]))
        lines[-1] = lines[-1].replace("seconds{", "seconds_bucket{")
        lines.append(f'scheduler_permit_wait_duration_seconds_sum{{result="success"}} {permit[1]}')
        lines.append(f'scheduler_permit_wait_duration_seconds_count{{result="success"}} {permit[0]}')
    metric("scheduler_queue_incoming_pods_total", "counter", ('event="PodAdd",queue="active"', attempts))
    if attempts:
        metric("scheduler_schedule_attempts_total", "counter",
               ('profile="default-scheduler",result="scheduled"', attempts))  # fmt: skip
    metric("scheduler_scheduler_cache_size", "gauge", ('type="nodes"', nodes), ('type="pods"', pods))
    for name, labels, value in more:
        metric(name, "gauge", (labels, value))
    return "\n".join(lines) + "\n"


def answered(*dumps: str, step: int = 60, first: int = 1705050060, instance: str = "10.0.0.1:10259") -> str:
    """What Prometheus answers to query_range if it scraped these dumps, one each `step` seconds from `first` on."""
    series: dict[tuple[tuple[str, str], ...], list[Any]] = {}
    for number, text in enumerate(dumps):
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                labels = {"__name__": sample.name, "job": "kube-scheduler", "instance": instance, **sample.labels}
                pair = [first + number * step, str(sample.value)]
                series.setdefault(tuple(labels.items()), []).append(pair)
    result = [{"metric": dict(labels), "values": values} for labels, values in series.items()]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


class Asker:
    """Writes files, and asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *texts: str, times: tuple[str, ...] = (), **options: str) -> MemoryAnswer:
        paths = []
        for number, text in enumerate(texts):
            path = self.folder / f"{number}.txt"
            path.write_text(text)
            paths.append(f"{path}@{times[number]}" if times else str(path))
        picture = read_files(paths)
        return analyse(picture, question(picture, **options))


def grown(**last: Any) -> tuple[str, str]:
    """Two dumps of one process whose heap grows. `last`: what the second says otherwise; what both say is doubled."""
    both = {key: last[key] for key in ("version", "gate", "start") if key in last}
    return dump(**both), dump(**{"cpu": 900, "resident": LARGE, "attempts": 7000, **last})


def ids(answer: MemoryAnswer) -> list[str]:
    return [bug.bug for bug in answer.bugs]


def inflight(pods: int, events: int, binding: int, version: str = "v1.32.2", **more: Any) -> tuple[str, str]:
    return (
        dump(version=version, in_flight={"PodPopped": 1, "NodeAdd": 3}),
        dump(900, LARGE, version=version, attempts=7000, in_flight={"PodPopped": pods, "NodeAdd": events},
             binding=binding, **more),
    )  # fmt: skip
