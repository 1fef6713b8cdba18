"""docs/queueing-hints.md: what the models answer to the report of a scheduler whose memory only grows.

`python -m kubeproof.report.hints_page` writes the page anew (`make docs`). Each number and each yes of a table is
computed here: by runs of `kubeproof growth`, by runs of the queue, by explorations of the system queueing-hints, or
from the release rows.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path

from kubeproof.advise.scheduler_memory.bugs import BUGS, EVENTS, of_release
from kubeproof.bugs.demonstrations.requeueing import LOST_NOWHERE, LOST_SOMEWHERE, missed_by_hint, told
from kubeproof.check.gates import is_locked
from kubeproof.growth.run import CLUSTER_EVENT_BYTES, ELEMENT_BYTES, Growth, Question, event_bytes, grow
from kubeproof.growth.scheduler import SLOW_EVERY
from kubeproof.growth.workloads import POWERS, WORKLOADS
from kubeproof.report import hints_verdicts as verdicts
from kubeproof.report.files import write_whole
from kubeproof.report.hints_design import PROMISES, passes_over_gated
from kubeproof.report.markdown import environment
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from model.releases import LAST_PATCH, Release, known_release, rules_for
from model.scheduler.hint_functions import HintFunctionRules, not_asked, queue_always
from model.scheduler.queue.rules import QueueingHintRules

FILE = Path(__file__).parents[2] / "docs" / "queueing-hints.md"
TEMPLATE = "queueing-hints.md.j2"
# A release of each design of the queue, as far as the models know them. 1.28.3 is that of the report.
SHOWN = ("1.28.0", "1.28.3", "1.28.14", "1.29.0", "1.30.14", "1.31.13", "1.32.2", "1.34.7", "1.36.3")
# Releases of the tables of runs.
RUN = ("1.28.3", "1.31.13", "1.32.2", "1.36.3")
# The cluster of these runs, smaller than that of the command so that the page is made in a minute.
PODS, RUN_EVENTS = 500, 5_000
OBJECT_BYTES = 6_000
# How long a slow binding takes in the runs of the first law, in seconds.
SLOW_SECONDS = (10, 30, 60, 120)
# A release for each place of Done in a binding: after Bind, after PreBind, before PreBind.
LATER_DONE = ("1.31.13", "1.32.2", "1.33.13")
# How many events come in the runs of the second law.
LONGER = (1_000, 2_000, 4_000)

# The workloads that make pods, and so pods that fit on no node; and the powers by which some fit on none.
COSTS = ("scale-loop", "churn", "slow-bind")
UNFIT = ("rejections", "selectors")
# The plugins, and how the names of their rules begin.
PLUGINS = (
    ("NodeResourcesFit", "fit_"), ("NodeAffinity", "affinity_"), ("NodeUnschedulable", "unschedulable_"),
    ("TaintToleration", "taint_"), ("PodTopologySpread", "spread_"), ("SchedulingGates", "gates_"),
)  # fmt: skip

Rows = list[list[str]]


def _release(text: str) -> Release:
    return known_release(text)


def _patches() -> Iterator[Release]:
    """Each patch release with the gate, the oldest first."""
    for minor in QUEUEING_HINTS.minors:
        yield from (_release(f"1.{minor}.{patch}") for patch in range(LAST_PATCH[minor] + 1))


def ranges(holds: Callable[[Release], bool], among: Iterable[Release] | None = None) -> str:
    """The releases of which this holds, as `1.28.0 to 1.28.4, 1.32.0 to 1.32.13`; "none"."""
    runs: list[list[Release]] = []
    for release in among or _patches():
        follows = bool(runs) and (last := runs[-1][-1]).minor == release.minor and _patch(last) + 1 == _patch(release)
        if holds(release):
            runs[-1].append(release) if follows else runs.append([release])
    named = (str(each[0]) if len(each) == 1 else f"{each[0]} to {each[-1]}" for each in runs)
    return ", ".join(named) or "none"


def _patch(release: Release) -> int:
    return release.version.micro


def _yes(holds: bool | None) -> str:
    return "–" if holds is None else "yes" if holds else "**no**"


def gate_on_by_default() -> str:
    """The releases that have the gate on without being asked."""
    return ranges(lambda release: rules_for(QueueingHintRules, release).queueing_hints_default())


def locked() -> str:
    """The releases in which nobody can set the gate."""
    return ranges(lambda release: rules_for(QueueingHintRules, release).queueing_hints_locked())


def bug_rows() -> Rows:
    """Of each release shown: what each bug retains of `EVENTS` events with the gate on."""
    rows = []
    for name in SHOWN:
        release = _release(name)
        row = [name, "on" if rules_for(QueueingHintRules, release).queueing_hints_default() else "off"]
        for bug in BUGS:
            retained = bug.retained(release)
            row.append(f"**{retained}**" if retained and bug.leaks else str(retained))
        rows.append(row)
    return rows


def has_bug_rows() -> Rows:
    """Of each bug: the releases that have it with the gate on, each patch release asked."""
    return [[bug.id, "yes" if bug.leaks else "no", ranges(bug.in_release)] for bug in BUGS]


def leaks(release: Release) -> bool:
    """Whether one of these bugs leaks in the release, with the gate on."""
    return any(bug.leaks for bug in of_release(release))


def safe_ranges() -> str:
    """The releases that leak by none of these bugs with the gate on."""
    return ranges(lambda release: not leaks(release))


def promise_rows() -> Rows:
    """Of each sentence of the design: whether each release shown does so."""
    return [[promise.says, *(_yes(promise.kept(_release(name))) for name in SHOWN)] for promise in PROMISES]


def missed_rows() -> Rows:
    """Of each plugin, and of what may change: where the plugin hears less with the gate on than with the gate off."""
    rows = []
    for asked in (*LOST_SOMEWHERE, *LOST_NOWHERE):
        missed = {str(release) for release in _patches() if missed_by_hint(release, asked) is not None}
        rows.append([asked.why, asked.what_changes, ranges(lambda release, missed=missed: str(release) in missed)])  # type: ignore[misc]
    return rows


def missed_runs() -> list[tuple[str, str, list[str]]]:
    """Of each row of `missed_rows` that names a release: plugin, first release, and the run there."""
    found = []
    for asked in LOST_SOMEWHERE:
        for release in _patches():
            run = missed_by_hint(release, asked)
            if run is not None:
                found.append((asked.why, str(release), told(run)))
                break
    return found


def gated_ranges() -> str:
    """The releases with QUEUE-GATED-SKIP, from 1.27 on."""
    older = [_release(f"1.27.{patch}") for patch in range(LAST_PATCH[27] + 1)]
    return ranges(passes_over_gated, [*older, *_patches()])


def _grown(workload: str, powers: Iterable[str], release: str, **asked: int) -> Growth:
    question = Question(workload, frozenset(powers), **{"pods": PODS, "events": RUN_EVENTS, **asked})
    return grow(question, _release(release), gate=True)


def workload_rows() -> Rows:
    """Of each workload, alone and with each power: what each release retains at rest, with the gate on."""
    rows = []
    for workload in WORKLOADS:
        for power in ("", *POWERS):
            if power in WORKLOADS[workload].powers:
                continue
            runs = [_grown(workload, [power] if power else [], release) for release in RUN]
            rows.append([workload, power or "nothing", *(f"{run.at_rest:,}" for run in runs)])
    return rows


def cost_rows() -> Rows:
    """Of each workload with pods that fit on no node: pods, and attempts with the gate off and on.

    With the gate on once without hint functions. A gate that is locked cannot be off.
    """
    rows = []
    for workload, power, name in product(COSTS, UNFIT, RUN):
        question, release = Question(workload, frozenset({power}), PODS, RUN_EVENTS), _release(name)
        off = None if is_locked(release) else grow(question, release, gate=False)
        blind, on = (grow(question, release, gate=True, hint_functions=asked) for asked in (False, True))
        assert {run.pods_tried for run in (off, blind, on) if run} == {on.pods_tried}
        attempts = ["–" if run is None else f"{run.attempts:,}" for run in (off, blind, on)]
        rows.append([workload, power, name, f"{on.pods_tried:,}", *attempts, f"{blind.attempts - on.attempts:,}"])
    return rows


def function_rows() -> Rows:
    """Of each plugin: the releases in which it has a hint function of its own."""
    return [[plugin, ranges(lambda release, each=prefix: _has_function(release, each))]  # type: ignore[misc]
            for plugin, prefix in PLUGINS]  # fmt: skip


def _has_function(release: Release, prefix: str) -> bool:
    rules = vars(rules_for(HintFunctionRules, release))
    return any(rule not in (queue_always, not_asked) for name, rule in rules.items() if name.startswith(prefix))


def later_done_rows() -> Rows:
    """The first law: the largest number of retained events, by how long a slow binding takes."""
    rows = []
    for seconds in SLOW_SECONDS:
        runs = [_grown("slow-bind", (), release, slow_ms=seconds * 1_000, events=LONGER[1]) for release in LATER_DONE]
        rows.append([f"{seconds} s", *(f"{cell:,}" for run in runs for cell in (run.largest, run.at_rest))])
    return rows


def missed_end_rows() -> Rows:
    """The second law: what is retained after more and more events, in 1.28.3."""
    rows = []
    for events in LONGER:
        leak, slow = (_grown(name, powers, "1.28.3", events=events)
                      for name, powers in (("scale-loop", ["deletes"]), ("slow-bind", [])))  # fmt: skip
        rows.append([f"{events:,}", f"{leak.at_rest:,}", f"{slow.largest:,}", f"{slow.at_rest:,}"])
    return rows


def page() -> str:
    """The page. The same bytes each time."""
    holder = _grown("scale-loop", ["deletes"], "1.28.3").holder
    assert holder is not None
    return environment().get_template(TEMPLATE).render(
        gate_on=gate_on_by_default(),
        checked=verdicts.CHECKED,
        property_rows=verdicts.property_rows(),
        commands=verdicts.commands(),
        exit_rows=verdicts.exit_rows(),
        shown=SHOWN,
        run=RUN,
        bugs=[(bug.id, bug.title, bug.how) for bug in BUGS],
        came=EVENTS,
        bug_rows=bug_rows(),
        has_bug_rows=has_bug_rows(),
        safe=safe_ranges(),
        later_done=LATER_DONE,
        locked=locked(),
        promise_rows=promise_rows(),
        promise_notes=[(promise.says, promise.note) for promise in PROMISES if promise.note],
        missed_rows=missed_rows(),
        missed_runs=missed_runs(),
        cost_rows=cost_rows(),
        function_rows=function_rows(),
        gated=gated_ranges(),
        workloads=[(each.name, each.summary) for each in WORKLOADS.values()],
        powers=POWERS,
        workload_rows=workload_rows(),
        later_done_rows=later_done_rows(),
        missed_end_rows=missed_end_rows(),
        holder=holder,
        pods=PODS,
        events=RUN_EVENTS,
        slow_every=SLOW_EVERY,
        element_bytes=ELEMENT_BYTES,
        cluster_event_bytes=CLUSTER_EVENT_BYTES,
        object_bytes=OBJECT_BYTES,
        event_bytes=event_bytes(OBJECT_BYTES),
        newest=f"1.{QUEUEING_HINTS.minors[-1]}",
    )  # fmt: skip


def main() -> None:
    """Write the page."""
    write_whole(FILE, page())


if __name__ == "__main__":
    main()
