"""The runs as text and as a JSON document."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from attrs import frozen

from kubeproof.growth.asked import MINORS, Runs
from kubeproof.growth.run import CLUSTER_EVENT_BYTES, ELEMENT_BYTES, Growth, Load, event_bytes, grow
from kubeproof.growth.scheduler import GATE, rules_of
from kubeproof.growth.svg import growth_svg
from kubeproof.growth.workloads import POWERS, WORKLOADS
from kubeproof.output import line_width
from kubeproof.store.results import kept_value
from kubeproof.store.store import Store
from model.releases import parse_release

# Rows of the table of retained events over time.
SAMPLES = 10
# Of lines of text, and of a table, which is as wide as it is: on a terminal that is as wide.
WIDTH, UNBOUND = 100, 10_000
_GAP = "  "  # between two columns


@frozen
class Answer:
    """What was asked for, and what came of this."""

    asked: Runs
    # Bytes of one API object.
    object_bytes: int
    runs: tuple[Growth, ...]

    @property
    def sampled(self) -> tuple[int, ...]:
        """The numbers of the events after which the table shows what is retained, from 1 on."""
        events = self.asked.load.events
        return tuple(sorted({max(1, events * row // SAMPLES) for row in range(1, SAMPLES + 1)}))


def answer(asked: Runs, object_bytes: int) -> Answer:
    """Run everything that was asked for, one run after the other."""
    runs = tuple(grow(asked.load, release, gate) for release in asked.releases for gate in asked.gates_of(release))
    return Answer(asked, object_bytes, runs)


def _default(run: Growth) -> bool:
    return rules_of(run.release).setup.queueing_hints


# The runs of the report: the release of https://github.com/kubernetes/kubernetes/issues/122725, the patch that turned
# the gate off, the last minor with the gate off, the first minor with the gate on again, and the newest.
REPORTED = (("1.28.3", True), ("1.28.5", False), ("1.31.13", True), ("1.32.2", True), ("1.36.3", True))
REPORTED_LOAD = Load(powers=frozenset({"updates", "deletes"}))


@frozen
class Reported:
    """The section of the report."""

    # As SVG.
    picture: str
    # What was run, and what each run says at rest.
    question: str
    lines: tuple[str, ...]


def reported(load: Load = REPORTED_LOAD, store: Store | None = None) -> Reported:
    """Make the runs of the report, which takes seconds, if `store` does not have what comes of them."""
    return kept_value(store, "growth", load, Reported, lambda: _reported(load))


def _reported(load: Load) -> Reported:
    runs = [grow(load, parse_release(name, MINORS), gate) for name, gate in REPORTED]
    workload = WORKLOADS[load.workload]
    powers = "".join(f" With {power}: {POWERS[power]}." for power in sorted(load.powers))
    return Reported(
        picture=_picture(runs),
        question=f"{workload.summary} {load.pods:,} pods, {load.events:,} events.{powers}",
        lines=tuple(f"{run_name(run)}: {run.at_rest:,} events at rest; {_held(run)}" for run in runs),
    )


def _picture(runs: Sequence[Growth]) -> str:
    return growth_svg([(f"{run.release} gate {'on' if run.gate else 'off'}", run.series) for run in runs])


def run_name(run: Growth) -> str:
    """Such as `1.28.3 on`: the release and the gate."""
    return f"{run.release} {'on' if run.gate else 'off'}"


def _mebibytes(events: int, object_bytes: int) -> str:
    return f"{events * event_bytes(object_bytes) / 2**20:,.1f} MiB"


def _clock(ms: int) -> str:
    seconds = ms // 1_000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _table(rows: list[list[str]], keys: int) -> Iterator[str]:
    """The first column to the left, the others to the right; one table below another where a terminal is too narrow.

    Each table has the first `keys` columns, which tell the rows apart.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    own = sum(widths[:keys]) + len(_GAP) * (keys - 1)
    parts: list[list[int]] = [[]]
    room = line_width(UNBOUND) - own
    for column in range(keys, len(widths)):
        room -= len(_GAP) + widths[column]
        if room < 0 and parts[-1]:
            parts.append([])
            room = line_width(UNBOUND) - own - len(_GAP) - widths[column]
        parts[-1].append(column)
    for number, part in enumerate(parts):
        yield from [""] if number else []
        for row in rows:
            cells = (f"{row[column]:>{widths[column]}}" for column in (*range(1, keys), *part))
            yield _GAP.join((f"{row[0]:<{widths[0]}}", *cells)).rstrip()


def _wrapped(head: str, text: str) -> list[str]:
    first = f"  {head}"
    return wrap(text, line_width(WIDTH), initial_indent=first, subsequent_indent=" " * 4, break_on_hyphens=False)


def answer_text(found: Answer) -> str:
    """Plain text, no newline at the end."""
    return "\n".join(_lines(found))


def _lines(found: Answer) -> Iterator[str]:
    load = found.asked.load
    workload = WORKLOADS[load.workload]
    yield f"{workload.name}: {load.pods:,} pods, {load.events:,} events"
    yield f"  {workload.summary}"
    for power in sorted(load.powers):
        yield from _wrapped(f"with {power}: ", f"{POWERS[power]}.")
    yield ""
    yield _verdict(found)
    yield ""
    head = ["release", GATE, "largest", "at event", "last", "at rest", "per event", "never 0 from", "bytes at rest",
            "attempts"]  # fmt: skip
    rows = [_row(run, found.object_bytes) for run in found.runs]
    yield from _table([head, *rows], 2)
    yield ""
    yield "Retained events over time"
    samples = [[f"{number:,}", _clock(found.runs[0].times[number - 1]), *(f"{run.series[number - 1]:,}"
                for run in found.runs)] for number in found.sampled]  # fmt: skip
    yield from _table([["event", "time", *(run_name(run) for run in found.runs)], *samples], 2)
    yield ""
    yield "What holds the events at rest"
    for run in found.runs:
        yield from _wrapped(f"{run_name(run)}: ", _held(run))
    yield ""
    yield "What this says"
    for line in _meaning(found):
        yield from _wrapped("- ", line)


def _row(run: Growth, object_bytes: int) -> list[str]:
    numbers = (f"{number:,}" for number in (run.largest, run.largest_at, run.last, run.at_rest))
    never = "" if run.never_zero_from is None else f"{run.never_zero_from:,}"
    # A slope that rounds to nothing is shown without a sign.
    slope = f"{round(run.slope, 3) + 0.0:.3f}"
    size = _mebibytes(run.at_rest, object_bytes)
    return [str(run.release), _gate(run), *numbers, slope, never, size, f"{run.attempts:,}"]


def _verdict(found: Answer) -> str:
    leaking = [run_name(run) for run in found.runs if run.at_rest]
    if not leaking:
        return f"No run retains an event at rest. {_largest(found)}"
    return f"Events are retained at rest in {', '.join(leaking)}. The other runs release all of them."


def _largest(found: Answer) -> str:
    run = max(found.runs, key=lambda run: run.largest)
    return f"The largest number on the way is {run.largest:,}, in {run_name(run)}." if run.largest else ""


def _gate(run: Growth) -> str:
    return ("on" if run.gate else "off") + (", default" if run.gate == _default(run) else "")


def _held(run: Growth) -> str:
    if not run.at_rest:
        return "nothing is held"
    if run.holder is None:
        return "no pod in flight is out of its cycle"
    times = "once" if run.holder.popped == 1 else f"{run.holder.popped} times"
    more = f"; {run.holder.others:,} more elements of such pods are behind" if run.holder.others else ""
    return f"pod {run.holder.pod}, popped {times}; its last cycle: {run.holder.ended}{more}"


def _meaning(found: Answer) -> Iterator[str]:
    size = event_bytes(found.object_bytes)
    yield (
        "An event is a change of a pod or a node of which an informer tells the scheduler. A retained event is one "
        "that the queue still keeps for pods in flight. The time is that of the first run."
    )
    yield (
        "At rest is 10 minutes after the last event that is counted: users have stopped; cycles and bindings have "
        "ended, which brings some more events. What is retained at rest is retained until the scheduler restarts."
    )
    yield (
        f"Bytes are events times {size:,}: a list element of {ELEMENT_BYTES}, a clusterEvent of {CLUSTER_EVENT_BYTES}, "
        f"two objects of {found.object_bytes:,}. Two events may share an object."
    )
    yield (
        "The run is one of many: durations and what users do are made up, and the same each time. Hint functions are "
        "those of the release. No node is ever full."
    )
    yield (
        "An attempt is a Pop. More attempts of as many pods are attempts that help no pod: here a pod that fits on no "
        "node never fits."
    )


def answer_json(found: Answer) -> dict[str, Any]:
    """The document of `growth --json`."""
    load = found.asked.load
    return {
        "workload": load.workload,
        "powers": sorted(load.powers),
        "pods": load.pods,
        "events": load.events,
        "bytes_of_event": event_bytes(found.object_bytes),
        "runs": [_run_json(found, run) for run in found.runs],
        "svg": _picture(found.runs),
    }


def _run_json(found: Answer, run: Growth) -> dict[str, Any]:
    holder = run.holder if run.at_rest else None
    return {
        "release": str(run.release),
        "gate": run.gate,
        "gate_default": _default(run),
        "largest": run.largest,
        "largest_at": run.largest_at,
        "last": run.last,
        "at_rest": run.at_rest,
        "bytes_at_rest": run.at_rest * event_bytes(found.object_bytes),
        "per_event": round(run.slope, 6),
        "never_zero_from": run.never_zero_from,
        "attempts": run.attempts,
        "pods_tried": run.pods_tried,
        "held_by": None
        if holder is None
        else {"pod": holder.pod, "popped": holder.popped, "last_cycle": holder.ended, "others": holder.others},
        "samples": [
            {"event": number, "ms": run.times[number - 1], "retained": run.series[number - 1]}
            for number in found.sampled
        ],
    }
