"""docs/queueing-hints.md: each number of its tables is computed anew, for the releases of which the page speaks."""

import re
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from kubeproof.advise.scheduler_memory.bugs import BUGS, of_release
from kubeproof.bugs.component import Under
from kubeproof.bugs.demonstrations import requeueing
from kubeproof.engines.explicit import check
from kubeproof.growth.run import Growth, Load, event_bytes, grow
from kubeproof.growth.workloads import POWERS, WORKLOADS
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.system import scope_text
from model.evolve import evolve
from model.gates import HINTS
from model.go.errors import GoError
from model.objects import Pod
from model.releases import Release, known_release, rules_for
from model.scheduler.hint_functions import HintFunctionRules, not_asked, queue_always
from model.scheduler.queue import events, scheduling_queue as queue
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES, PreEnqueueRules
from model.scheduler.queue.rules import QueueingHintRules, QueueSetup
from model.scheduler.queue.state import Queue, QueuedPodInfo, find
from model.systems.queueing_hints import QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_ON
from model.systems.requeueing import RequeueingScope
from tests.conftest import ROOT
from tests.docs.page import COMPUTED, patches, ranges, rows, rules
from tests.model.scheduler.queue.test_hints import setup_of

PAGE = (ROOT / "docs/queueing-hints.md").read_text("utf-8")
PATCHES = patches(*QUEUEING_HINTS.minors)
PAGE_IN_LINE = " ".join(PAGE.split())


def head(*begins: str) -> list[str]:
    """The first line of the table that begins with these cells."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith("| " + " | ".join(begins) + " |"))
    return line.strip("| ").split(" | ")


def hints(release: Release) -> QueueingHintRules:
    return rules(QueueingHintRules, release)


def number(cell: str) -> int:
    return int(cell.replace(",", "").strip("* s"))


def test_the_page_says_of_when_and_of_which_releases_it_is() -> None:
    assert f"computed on {COMPUTED}, of {PATCHES[0]} to {PATCHES[-1]}" in PAGE_IN_LINE
    assert "(docs/queueing-hints.md)" in (ROOT / "README.md").read_text("utf-8")


def test_which_releases_have_the_gate_on_and_in_which_nobody_can_set_it() -> None:
    assert f"asked? {ranges(lambda release: hints(release).queueing_hints_default(), PATCHES)}. Nobody" in PAGE_IN_LINE
    assert f"gate off in {ranges(lambda release: hints(release).queueing_hints_locked(), PATCHES)}." in PAGE_IN_LINE


def test_which_plugins_have_a_hint_function() -> None:
    begin = ("fit_", "affinity_", "unschedulable_", "taint_", "spread_", "gates_")

    def has(prefix: str, release: Release) -> bool:
        own = vars(rules(HintFunctionRules, release)).items()
        return any(rule not in (queue_always, not_asked) for name, rule in own if name.startswith(prefix))

    found = [ranges(partial(has, prefix), PATCHES) for prefix in begin]
    assert found == [row[1] for row in rows(PAGE, "plugin", "has a hint function in")]


# --- runs of `kubeproof growth` ---------------------------------------------------------------------------------------


def grown(workload: str, power: str, release: str, gate: bool = True, functions: bool = True, **asked: int) -> Growth:
    powers = frozenset({power} - {"", "nothing"})
    load = Load(workload, powers, **{"pods": 500, "events": 5_000, **asked})
    return grow(load, known_release(release), gate=gate, hint_functions=functions)


@pytest.mark.slow
@pytest.mark.parametrize("workload", WORKLOADS)
def test_which_workload_leaks(workload: str) -> None:
    releases = head("workload", "and also")[2:]
    found = [row for row in rows(PAGE, "workload", "and also") if row[0] == workload]
    assert {power for _, power, *_ in found} == {"nothing", *POWERS} - set(WORKLOADS[workload].powers)
    for _, power, *cells in found:
        assert cells == [f"{grown(workload, power, release).at_rest:,}" for release in releases]
        # No workload alone leaks, and none from 1.32 on.
        assert set(cells) == {"0"} or (power in ("updates", "deletes", "recreates") and cells[2:] == ["0", "0"])


@pytest.mark.slow
@pytest.mark.parametrize("power", ["rejections", "selectors"])
def test_how_many_attempts_hint_functions_save(power: str) -> None:
    found = [row for row in rows(PAGE, "workload", "with") if row[1] == power]
    assert len(found) == 12
    for workload, _, release, *cells in found:
        off = None if HINTS.is_locked(known_release(release)) else grown(workload, power, release, gate=False)
        blind, on = (grown(workload, power, release, functions=asked) for asked in (False, True))
        counts = (on.pods_tried, off and off.attempts, blind.attempts, on.attempts, blind.attempts - on.attempts)
        assert cells == ["–" if count is None else f"{count:,}" for count in counts]
        # The gate off never saves an attempt. Functions save many where nodes come and nobody checks the nodes.
        assert off is None or off.attempts >= on.attempts
        assert (counts[-1] > 100) is (workload == "churn" and release in ("1.32.2", "1.36.3"))


@pytest.mark.slow
def test_the_two_laws() -> None:
    later = rows(PAGE, "a slow binding takes")
    releases = [name.partition(":")[0] for name in head("a slow binding takes")[1::2]]
    for takes, *cells in later:
        asked = {"slow_ms": number(takes) * 1_000, "events": 2_000}
        runs = [grown("slow-bind", "", release, **asked) for release in releases]
        assert cells == [f"{count:,}" for run in runs for count in (run.largest, run.at_rest)]
    # The largest number follows the time that a binding takes.
    assert all(number(longer[1]) > 1.5 * number(shorter[1]) for shorter, longer in pairwise(later))
    missed = rows(PAGE, "events", "leak: at rest")
    for count, *cells in missed:
        leak = grown("scale-loop", "deletes", "1.28.3", events=number(count))
        slow = grown("slow-bind", "", "1.28.3", events=number(count))
        assert cells == [f"{leak.at_rest:,}", f"{slow.largest:,}", f"{slow.at_rest:,}"]
    assert all(1.8 < number(more[1]) / number(fewer[1]) < 2.2 for fewer, more in pairwise(missed))
    holder = grown("scale-loop", "deletes", "1.28.3").holder
    assert holder is not None
    assert f"is held by pod {holder.pod}: its last cycle was {holder.ended}." in PAGE_IN_LINE
    assert f"objects of 6,000 bytes an event keeps {event_bytes(6_000):,} bytes" in PAGE_IN_LINE


# --- bugs, and events that are lost -----------------------------------------------------------------------------------


def leaks(release: Release) -> bool:
    return any(bug.leaks for bug in of_release(release))


def test_which_bugs_retain_events_in_which_release() -> None:
    assert head("release", "gate by default")[2:] == [bug.id for bug in BUGS]
    for name, gate, *cells in rows(PAGE, "release", "gate by default"):
        release = known_release(name)
        assert gate == ("on" if hints(release).queueing_hints_default() else "off")
        found = [(bug.retained(release), bug.leaks) for bug in BUGS]
        assert cells == [f"**{count}**" if count and leaks else str(count) for count, leaks in found]
    assert rows(PAGE, "bug", "leaks") == [
        [bug.id, "yes" if bug.leaks else "no", ranges(bug.in_release, PATCHES)] for bug in BUGS
    ]
    assert f"with the gate on: {ranges(lambda release: not leaks(release), PATCHES)}. The others" in PAGE_IN_LINE


def test_where_a_gated_pod_is_passed_over() -> None:
    gate, event = DYNAMIC_RESOURCES, events.RESOURCE_CLAIM_ADD
    info = QueuedPodInfo(A, unschedulable_plugins=frozenset({gate}), gating_plugin=gate)

    def passes_over(release: Release) -> bool:
        return rules(PreEnqueueRules, release).gated_pod_is_passed_over(
            info, event, (events.Registration(gate, event),)
        )

    assert f"gate on or off: {ranges(passes_over, (*patches(27), *PATCHES))}." in PAGE_IN_LINE


NODES, PODS = {"joins": 1, "changes": 1}, {"assigned": 1, "assigned_changes": 1, "assigned_labels": 1}
# In the order of the page: a plugin that rejects the pod, others, and what there is and may change.
LOST_NOWHERE = tuple(
    requeueing.Rejection(plugins.split()[0], RequeueingScope(plugins=frozenset(plugins.split()), **bounds))
    for plugins, bounds in (
        ("TaintToleration", {"nodes": 1, "own_tolerations": 1}), ("NodeResourcesFit TaintToleration", NODES),
        ("PodTopologySpread NodeUnschedulable", PODS),
        ("InterPodAffinity", NODES | {"assigned": 1, "terms": 1}), ("InterPodAffinity", PODS | {"terms": 1}),
        ("InterPodAffinity", NODES | {"assigned": 1, "terms": 2}), ("InterPodAffinity", PODS | {"terms": 3}),
    )
)  # fmt: skip


@pytest.mark.slow
def test_where_an_event_is_lost() -> None:
    """The fast tests of the system requeueing say so of a release of each kind."""
    asked = (*requeueing.LOST_SOMEWHERE, *LOST_NOWHERE)
    for (why, _, lost_in), each in zip(rows(PAGE, "plugin that rejected the pod"), asked, strict=True):
        runs = {release: run for release in PATCHES if (run := requeueing.missed_by_hint(Under(release), each))}
        assert (why.partition(":")[0], lost_in) == (each.plugin, ranges(runs.__contains__, PATCHES))
        assert bool(runs) == (each in requeueing.LOST_SOMEWHERE)
        for first in list(runs)[:1]:
            lines = "\n".join(requeueing.told(runs[first]))
            assert f"\n{first}, {why}:\n\n```\n{lines}\n```\n" in PAGE


# --- the design's sentences -------------------------------------------------------------------------------------------

A, B = Pod("a", "a#1"), Pod("b", "b#1")
QUEUE, SKIP = events.queue_after_backoff, events.queue_skip
# When the attempt fails, and when the pod's backoff of a second is over.
FAILED, BACKED_OFF = 0, 5_000


def popped(setup: QueueSetup, state: Queue, pod: Pod) -> tuple[QueuedPodInfo, Queue]:
    return queue.pop(setup, queue.add(setup, state, pod, FAILED))


def back(setup: QueueSetup, state: Queue, info: QueuedPodInfo, *plugins: str, pending: str = "") -> Queue:
    """The pod comes back, rejected by these plugins, or left pending by one."""
    info = evolve(info, unschedulable_plugins=frozenset(plugins), pending_plugins=frozenset({pending} - {""}))
    return queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, FAILED)[1]


def joins(setup: QueueSetup, state: Queue, now: int) -> Queue:
    return queue.move_all_to_active_or_backoff_queue(setup, state, now, events.NODE_ADD)


def where(state: Queue, pod: Pod) -> str:
    return next(place for place in ("active", "backoff", "unschedulable") if find(getattr(state, place), pod.name))


def after(release: Release, *answers: Any, now: int = BACKED_OFF, pending: str = "") -> str:
    """Where a pod is that the plugins rejected, or that one left pending, when a node joins after that."""
    setup, plugins = setup_of(str(release), *answers), () if pending else ("P1", "P2")[: len(answers)]
    info, state = popped(setup, Queue(), A)
    return where(joins(setup, back(setup, state, info, *plugins, pending=pending), now), A)


def error_counts(release: Release) -> bool | None:
    known = hints(release).pending_plugins_known()
    return after(release, lambda pod, old, new: GoError("fails")) == "active" if known else None


def seen_in_cycle(release: Release) -> bool:
    """A is popped; a node joins; B is popped; A is done; another node joins; B comes back."""
    setup = setup_of(str(release), QUEUE)
    _, state = popped(setup, Queue(), A)
    info, state = popped(setup, joins(setup, state, FAILED), B)
    state = joins(setup, queue.done(setup, state, A.uid), FAILED)
    return where(back(setup, state, info, "P1"), B) == "backoff"


def error_is_tried_again(release: Release) -> bool:
    setup = setup_of(str(release), QUEUE)
    info, state = popped(setup, Queue(), A)
    return where(back(setup, state, info), A) == "backoff"


# In the order of the page. None: the release has nothing that the sentence speaks of.
PROMISES = (
    lambda release: after(release, QUEUE) == "active",
    error_counts,
    lambda release: after(release, SKIP, QUEUE) == "active",
    lambda release: after(release, SKIP, SKIP) == "unschedulable",
    lambda release: [after(release, QUEUE, now=now) for now in (500, BACKED_OFF)] == ["backoff", "active"],
    lambda release: after(release, QUEUE, pending="P1", now=500) == "active",
    seen_in_cycle,
    error_is_tried_again,
    lambda release: not leaks(release),
)


def test_what_each_release_keeps_of_what_the_design_promises() -> None:
    releases = [known_release(name) for name in head("the design says")[1:]]
    words = {None: "–", True: "yes", False: "**no**"}
    for row, kept in zip(rows(PAGE, "the design says"), PROMISES, strict=True):
        assert row[1:] == [words[kept(release)] for release in releases], row[0]


# --- runs of the system queueing-hints --------------------------------------------------------------------------------


def machine(release: str, scope: QueueingHintsScope) -> Any:
    return QUEUEING_HINTS.machine(scope, rules_for(QUEUEING_HINTS.rules_class, known_release(release)))


CHECKED = head("property")[1:]


@pytest.mark.slow
@pytest.mark.parametrize("release", CHECKED)
def test_which_properties_a_release_violates(release: str) -> None:
    """The shortest run over the scopes in which `validate` judges, and the command of the page that shows one."""
    found: dict[str, tuple[int, QueueingHintsScope]] = {}
    for scope in (QUEUEING_HINTS.scopes.fix, *QUEUEING_HINTS.scopes.fix_narrow):
        for result in check(machine(release, scope), QUEUEING_HINTS.properties):
            if result.trace is not None and result.trace.length < found.get(result.property, (1_000,))[0]:
                found[result.property] = (result.trace.length, scope)
    column = 1 + CHECKED.index(release)
    assert {row[0].strip("`"): row[column] for row in rows(PAGE, "property")} == {
        each.name: str(found[each.name][0]) if each.name in found else "–" for each in QUEUEING_HINTS.properties
    }
    ((name, scope),) = re.findall(rf"--release {re.escape(release)} --property (\S+) --scope '(.*)'", PAGE)
    assert scope_text(found[name][1]) == scope


# In the order of the page: how a pod may stay in flight, in a scope in which nothing else that is known does the same.
EXITS = (
    {"deletes": 1, "graceful": 1}, {"unknown_profiles": 1}, {"goroutines": 2, "updates": 1},
    {"goroutines": 2, "updates": 1, "clock": 1, "fine": 1}, {"deletes": 1, "recreates": 1},
)  # fmt: skip


@pytest.mark.slow
def test_which_releases_leak_by_which_exit() -> None:
    assert head("how the pod leaves its cycle")[1:] == CHECKED
    for row, powers in zip(rows(PAGE, "how the pod leaves its cycle"), EXITS, strict=True):
        scope = QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, **powers)
        asked = [QUEUEING_HINTS.property_named("events-are-released")]
        traces = [check(machine(release, scope), asked)[0].trace for release in CHECKED]
        assert row[1:] == [str(trace.length) if trace else "–" for trace in traces], row[0]
