"""What the kept runs say beside an engine's verdict: of every release that a page says has the bug, and of a fix."""

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve, fields

from kubeproof.bugs import beside as beside_module
from kubeproof.bugs.beside import KEPT_RUN, beside, rules_in
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.counterexample import generations
from kubeproof.bugs.known import shown_in
from kubeproof.bugs.runs import RUNS, kept_runs
from kubeproof.errors import RuleError
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.violation import violation
from model.releases import known_release, parse_release, rules_for
from model.scheduler.cache.node_tree import list_stateless
from tests.kubeproof.test_cli import Captured, document, kubeproof

QUICK = ("node-listing", "async-preemption", "api-calls")
EACH = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SYSTEMS]
CURSOR = bug_named("NODETREE-CURSOR")
BROKEN, CURED = known_release("1.18.4"), known_release("1.18.7")


@pytest.mark.parametrize("name", EACH)
def test_every_release_that_a_page_says_has_the_bug_has_a_run_that_shows_it(name: str) -> None:
    system, seen = SYSTEMS[name], set()
    for first, _ in generations(system):
        found = beside(system, first)
        assert found.errors == ()
        for bug in BUGS:
            if bug.system == name and not bug.setups and shown_in(bug, first):
                assert bug.id in found.bugs(bug.violates)
                seen.add(bug.id)
    # The others are bugs of a pre-release alone, which is in no stretch.
    for bug in BUGS:
        if bug.system == name and not bug.setups and bug.id not in seen:
            assert "-" in bug.release
            assert bug.id in beside(system, known_release(bug.release)).bugs(bug.violates)
    assert seen


@pytest.fixture
def _page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of NODETREE-CURSOR says that every release has the bug."""
    monkeypatch.setattr(beside_module, "shown_in", lambda bug, release: bug.id == CURSOR.id or shown_in(bug, release))


NO_RUN = (
    "counterexamples/nodetree-cursor: no run of NODETREE-CURSOR violates listed-exactly-once in 1.18.7, and its "
    "releases.json says so: expected a run; `make counterexamples` looks for it"
)


@pytest.mark.usefixtures("_page_says_so")
def test_a_page_that_no_run_bears_out_is_an_error() -> None:
    assert beside(NODE_LISTING, CURED).errors == (NO_RUN,)
    # Nothing can be said where the runs were not asked what the page says of them.
    assert beside(NODE_LISTING, CURED, properties=["relisting-permutes"]).errors == ()
    assert beside(NODE_LISTING, CURED, bounds={"nodes": 7}).errors == ()
    assert beside(NODE_LISTING, CURED, rules_for(NODE_LISTING.rules_class, CURED)).errors == ()


@pytest.mark.usefixtures("_page_says_so")
def test_check_names_a_page_that_no_run_bears_out(capsys: Captured) -> None:
    args = ("check", "node-listing", "--release", "1.18.7", "--scope", "nodes=2")
    _, _, err = kubeproof(capsys, *args)
    assert [line for line in err.splitlines() if "counterexamples/" in line] == [f"kubeproof: {NO_RUN}"]
    assert document(capsys, *args)[1]["page_errors"] == [NO_RUN]


@pytest.fixture
def _damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[None]:
    (tmp_path / CURSOR.folder).mkdir()
    (tmp_path / CURSOR.folder / RUNS).write_text("{", "utf-8")
    monkeypatch.setattr("kubeproof.bugs.runs.files", lambda package: tmp_path)
    kept_runs.cache_clear()
    yield
    kept_runs.cache_clear()


@pytest.mark.usefixtures("_damaged")
def test_check_refuses_damaged_runs_in_one_line(capsys: Captured) -> None:
    status, out, err = kubeproof(capsys, "check", "node-listing", "--scope", "nodes=2")
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"kubeproof: counterexamples/nodetree-cursor/{RUNS}: missing or damaged, ")


def test_a_violation_has_its_run_and_the_bugs_of_the_release_come_first() -> None:
    system, release = SYSTEMS["scheduling"], known_release("1.36.3")
    names = ("bound-once", "nominated-node-has-a-name")
    found = beside(system, release, properties=names)
    assert set(found.violations) == set(names)
    for name, violations in found.violations.items():
        order = [(not each.shown, not each.bug.names(name), each.trace.length) for each in violations]
        assert order == sorted(order)
        assert {each.shown for each in violations} == {shown_in(each.bug, release) for each in violations}
        for each in violations:
            machine = system.machine(each.scope, rules_for(system.rules_class, release))
            assert violation(machine, system.property_named(name), each.trace) == each.explanation
    bound, nominated = found.results(names)
    assert (bound.engine, bound.outcome) == (KEPT_RUN, Outcome.VIOLATED)
    assert bound.known == found.bugs("bound-once") == ("BIND-TIMEOUT-BOUND",)
    # Runs of further bugs of the release meet it too: only the bug that names the property explains it.
    assert nominated.known == ("NOM-EMPTY-KEY",)
    assert len(found.bugs("nominated-node-has-a-name")) > 1
    assert found.results(["snapshot-equals-cache"]) == []


def test_a_run_of_a_bug_that_the_release_does_not_have_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside_module, "shown_in", lambda bug, release: False)
    found = beside(NODE_LISTING, BROKEN)
    assert found.bugs("listed-exactly-once") == ()
    (result,) = found.results(["listed-exactly-once"])
    assert result.known == ("NODETREE-CURSOR",)
    assert result.reason == "the page of NODETREE-CURSOR has the release not: the run shows another bug"


def test_with_a_fix_the_runs_show_which_bugs_stay() -> None:
    own = rules_for(NODE_LISTING.rules_class, BROKEN)
    assert beside(NODE_LISTING, BROKEN, own) == beside(NODE_LISTING, BROKEN)
    assert beside(NODE_LISTING, BROKEN, evolve(own, list_nodes=list_stateless)).violations == {}


def test_a_rule_of_a_fix_that_goes_wrong_violates_nothing() -> None:
    def fails(tree: object) -> object:
        raise RuleError("list_nodes did not return")

    own = rules_for(NODE_LISTING.rules_class, BROKEN)
    assert beside(NODE_LISTING, BROKEN, evolve(own, list_nodes=fails)).violations == {}


def test_rules_of_a_system_that_extends_others_are_asked_of_those_too() -> None:
    system, scheduling, preemption = (SYSTEMS[name] for name in ("scheduling-cycle", "scheduling", "preemption"))
    release = known_release("1.17.10")
    own, of_preemption = (rules_for(each.rules_class, release) for each in (system, preemption))
    shared = next(field.name for field in fields(type(of_preemption)) if field.name in system.rule_fields)
    other = next(
        rule for rule in preemption.built_in_rules(shared).values() if rule is not getattr(of_preemption, shared)
    )
    rules = evolve(own, **{shared: other})
    assert rules_in(system, release, rules) is rules_in(scheduling, release, rules) is rules
    assert rules_in(preemption, release, rules) == evolve(of_preemption, **{shared: other})
    assert rules_in(preemption, release, None) == of_preemption
    # Runs of scheduling and of preemption count for the system that extends them.
    found = beside(system, release, properties=["binds-what-was-decided", "node-harms-least"])
    own_systems = {each.bug.system for violations in found.violations.values() for each in violations}
    assert own_systems == {"scheduling", "preemption"}


def test_a_run_that_the_release_does_not_start_with_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    system, bug = SYSTEMS["queueing-hints"], bug_named("QH-DONE-SKIP")
    (run,) = kept_runs(bug.id)
    # Rules with which the run violates the property.
    rules = rules_for(system.rules_class, known_release(bug.release))
    asked = [system.property_named(bug.violates)]

    def violated(of: System, release: str) -> bool:
        return bool(beside_module.of_bug(bug, of, known_release(release), rules, asked))

    assert (violated(system, "1.33.13"), violated(system, "1.34.1")) == (True, True)
    # With the gate off the run is none; so the machine is that of the gate on.
    off, machine = evolve(run, scope=evolve(run.scope, gate=2)), system.machine(run.scope, rules)
    monkeypatch.setattr(beside_module, "kept_runs", lambda name: (off,))
    with_gate_on = evolve(system, machine=lambda scope, rules: machine)
    assert (violated(with_gate_on, "1.33.13"), violated(with_gate_on, "1.34.1")) == (True, False)


def test_a_bound_that_a_run_does_not_have_leaves_the_run_out() -> None:
    asked = {"properties": ["shared-off-exclusive"]}
    release = parse_release("1.36.3", CPU_MANAGER.minors)
    assert beside(CPU_MANAGER, release, **asked).bugs("shared-off-exclusive") == ("CPU-STALE-LAST-UPDATE",)
    assert beside(CPU_MANAGER, release, bounds={"pod_level_gate": 0}, **asked).violations
    assert not beside(CPU_MANAGER, release, bounds={"pod_level_gate": 1}, **asked).violations


@pytest.mark.slow
def test_what_holds_in_the_scope_and_not_in_a_kept_run_is_violated(capsys: Captured) -> None:
    args = ("check", "cpu-manager", "--release", "1.36.3", "--property", "shared-off-exclusive")
    status, out, _ = kubeproof(capsys, *args)
    assert status == 1
    rows = [line.split() for line in out.splitlines()]
    assert ["shared-off-exclusive", "kept", "run", "violated"] in [row[:4] for row in rows]
    assert ["explicit", "holds", "exhaustive"] in [row[:3] for row in rows]
    assert "run of 13 actions: CPU-STALE-LAST-UPDATE" in out
    assert "[1] scope only cores=3,threads=1,reserved=1,pods=3,containers=1,size=1,exits=1\n" in out
    assert out.splitlines()[-1] == "1 property: 1 holds here and is violated elsewhere (CPU-STALE-LAST-UPDATE)"


def test_gates_that_a_run_does_not_have_leave_it_out(capsys: Captured) -> None:
    name = "in-flight-while-scheduled"
    args = ("check", "queueing-hints", "--release", "1.31.13", "--property", name)
    status, found = document(capsys, *args)
    assert status == 1
    kept, explicit = found["results"]
    assert (kept["engine"], kept["outcome"], kept["known"][0]) == (KEPT_RUN, "violated", "QH-DONE-SKIP")
    assert kept["scope"] == "0,pods=1,goroutines=1,gate=1,deletes=1,graceful=1"
    assert (explicit["engine"], explicit["outcome"]) == ("explicit", "holds")
    assert found["verdicts"][name]["outcome"] == "violated"
    assert found["verdicts"][name]["scope"] == kept["scope"]
    status, found = document(capsys, *args, "--feature-gates", "SchedulerQueueingHints=false")
    assert [result["engine"] for result in found["results"]] == ["explicit"]
    assert status != 1
    status, found = document(capsys, *args, "--feature-gates", "SchedulerQueueingHints=true")
    assert [result["engine"] for result in found["results"]] == [KEPT_RUN, "explicit"]
