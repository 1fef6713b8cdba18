"""The second pass: what a run takes, which bug explains it, and what it says of bugs hidden by others."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest
from attrs import evolve

from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.kept import kept_document, reproduce
from kubeproof.bugs.rediscovery import (
    EXPLORED,
    Answer,
    Found,
    explains,
    explore_each,
    releases_shown,
    span_text,
    spans_of,
    together,
)
from kubeproof.bugs.second_pass import generation_lines, report
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.registry import system_named
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.verdict.itf import actions_of
from model.machine import Action
from model.releases import parse_release
from model.systems.cpu_manager import CPUManagerScope
from model.systems.scheduling import SchedulingScope

NO_POWERS = CPUManagerScope(cores=2)


def _found(bug: str, first: str) -> Found:
    trace = reproduce(bug_named(bug)).trace
    assert trace is not None
    return Found(NO_POWERS, first, first, bug_named(bug).violates, trace.actions, "")


def test_powers_are_those_that_the_run_takes() -> None:
    used = CPU_MANAGER.powers_used
    assert used(NO_POWERS, _found("CPU-RECONCILE-READD", "1.17.0").actions) == {"exits"}
    assert used(NO_POWERS, _found("CPU-INIT-REMOVE-FREES-SIBLING", "1.23.0").actions) == {"init", "removals"}
    full_pcpus = CPUManagerScope(threads=2, full_pcpus=1)
    assert used(full_pcpus, _found("CPU-FULL-PCPUS-READMIT", "1.31.0").actions) == {"full_pcpus", "restarts"}
    # The end of an init container takes no power.
    assert used(NO_POWERS, [Action.of("exit_container", pod="p1", container="i0")]) == frozenset()


def test_each_kept_run_takes_the_powers_of_its_bug() -> None:
    for name in ("CPU-STATE-TOPOLOGY", "CPU-SIDECAR-REUSE", "CPU-OFFLINE-SIBLING", "CPU-POLICY-NAME"):
        bug = bug_named(name)
        assert CPU_MANAGER.powers_used(NO_POWERS, _found(name, bug.release).actions) == set(bug.powers)


def test_a_bug_explains_its_property_in_its_releases_with_its_powers() -> None:
    bug, found = bug_named("CPU-STATE-DEAD-CONTAINER"), _found("CPU-STATE-DEAD-CONTAINER", "1.13.0")
    assert explains(bug, frozenset({"1.13.0"}), found)
    assert not explains(bug, frozenset({"1.17.0"}), found)
    assert not explains(bug, frozenset({"1.13.0"}), evolve(found, property="kubelet-comes-up"))
    assert not explains(bug, frozenset({"1.13.0"}), evolve(found, actions=found.actions[:3]))


def test_the_report_tells_found_hidden_and_unexplained() -> None:
    completed, readd = bug_named("CPU-COMPLETED-NOT-RELEASED"), bug_named("CPU-RECONCILE-READD")
    shown = {completed.id: frozenset({"1.18.0"}), readd.id: frozenset({"1.18.0"})}
    known = _found(completed.id, "1.18.0")
    lines = list(
        report(Answer((known, evolve(known, first="1.31.0", last="1.31.0")), ("cut",)), [completed, readd], shown)
    )
    text = "\n".join(lines)
    assert f"{completed.id}: found, counted-cpus-are-given in 1.18.0, 5 actions" in text
    assert f"{readd.id}: NOT found; hidden by shorter runs of {completed.id}" in text
    assert "counted-cpus-are-given, with no power: 1.31.0" in text
    assert lines[-1] == "  cut"


@pytest.mark.parametrize("system", EXPLORED)
def test_the_scopes_differ(system: str) -> None:
    scopes = system_named(system).scopes.second_pass
    assert {type(scope) for scope in scopes} == {system_named(system).scope_class}
    assert len(set(scopes)) == len(scopes)


def test_powers_of_scheduling_are_those_that_the_run_takes() -> None:
    for bug in BUGS:
        if not (bug.system == "scheduling" and bug.id.startswith(("QUEUE-", "CACHE-", "SNAP-"))):
            continue
        document = kept_document(bug)
        taken = SCHEDULING.powers_used(SCHEDULING.parse_scope(document["#meta"]["scope"]), actions_of(document))
        given = {name for name, value in bug.given if value} - {"room", "goroutines", "pods", "nodes"}
        assert set(bug.powers) <= taken <= given, bug.id
    joins = [Action.of("add_node", node="n1")]
    assert SCHEDULING.powers_used(SchedulingScope(), joins) == {"node_adds"}
    assert SCHEDULING.powers_used(SchedulingScope(late_nodes=1), joins) == {"late_nodes"}


def test_a_small_scope_finds_what_it_must() -> None:
    scope = CPUManagerScope(cores=2, pods=1, containers=1, size=1)
    with ProcessPoolExecutor(1) as pool:
        explored = list(explore_each(pool, spans_of(), [scope]))
    assert [(each.first, each.last) for each in explored] == spans_of()
    answer = together(each.answer for each in explored)
    reclaimed = [found for found in answer.found if found.property == "gone-pods-return-cpus"]
    assert {found.first for found in reclaimed} >= {"1.22.1", "1.31.0"}
    assert all(len(found.actions) == 4 for found in reclaimed)
    assert answer.cut == ()


def test_releases_stand_for_their_generations() -> None:
    asked = [parse_release("1.18.2"), parse_release("1.31.5")]
    spans = spans_of(asked)
    assert set(spans) < set(spans_of())
    for (first, last), release in zip(spans, asked, strict=True):
        assert parse_release(first).version <= release.version <= parse_release(last).version


def test_a_generation_is_told_with_the_bugs_that_explain_it() -> None:
    bug = bug_named("CPU-LAST-POD-NOT-RECLAIMED")
    (span,) = spans_of([parse_release("1.31.5")])
    with ProcessPoolExecutor(1) as pool:
        shown = releases_shown(pool, [bug], [span])
        (told,) = explore_each(pool, [span], [CPUManagerScope(cores=2, pods=1, containers=1, size=1)])
    assert shown == {bug.id: frozenset({span[0]})}
    lines = list(generation_lines(told, [bug], shown))
    assert lines[0] == f"{span_text(*span)}: {len({each.property for each in told.answer.found})} violated"
    (line,) = (line for line in lines if "gone-pods-return-cpus" in line)
    assert line.startswith("  gone-pods-return-cpus, 4 actions [")
    assert line.endswith(f"]: {bug.id}")
    assert any(each.endswith("]: no bug of the list") for each in generation_lines(told, [], {}))
    twice = list(generation_lines(evolve(told, answer=together([told.answer, told.answer])), [bug], shown))
    assert f"] and 1 more: {bug.id}" in twice[1]
    cut = list(generation_lines(evolve(told, answer=Answer((), ("out of time",))), [bug], shown))
    assert cut == [f"{span_text(*span)}: 0 violated", "  did not come to an end: out of time"]


def test_a_release_that_is_none_is_refused_in_one_line() -> None:
    argv = ["-m", "kubeproof.bugs.second_pass", "1.99"]
    done = subprocess.run([sys.executable, *argv], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("kubeproof: --release: ")
    assert done.stderr.count("\n") == 1
