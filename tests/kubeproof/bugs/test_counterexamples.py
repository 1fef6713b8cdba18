"""The kept counterexamples: up to date, minimal, the same bytes everywhere, and they replay.

Making all of them anew takes a while, so the fast tests do it for one of each kind and replay the others. The slow
tests search for all of them anew.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs import counterexample
from kubeproof.bugs.catalogue import BUGS, Bug, bug_named
from kubeproof.bugs.counterexample import Counterexample, minimal_counterexample, release_rows_of, scopes
from kubeproof.bugs.kept import reproduce
from kubeproof.bugs.known import shown_in
from kubeproof.bugs.runs import kept_run
from kubeproof.check.check import check_system
from kubeproof.engines import explicit
from kubeproof.engines.explicit import check
from kubeproof.errors import InputError
from kubeproof.report.everything import searched_together
from kubeproof.report.exported import itf_text
from kubeproof.report.markdown import counterexample_files
from kubeproof.systems.registry import system_named
from kubeproof.validate.one_system import _kept_scopes
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Trace
from kubeproof.verdict.violation import violation
from model.releases import known_release
from properties.property import Property
from tests.conftest import ROOT, by_engines

# The last one has a text for upstream.
OF_EACH_KIND = (
    "NODETREE-CURSOR", "CPU-INIT-OVERLAP", "CPU-CRASH-BETWEEN-WRITES", "CPU-LAST-POD-NOT-RECLAIMED",
    "API-CLEAR-OVERTAKEN",
)  # fmt: skip


@pytest.mark.parametrize("bug_id", OF_EACH_KIND)
def test_what_is_kept_is_up_to_date(bug_id: str) -> None:
    example = minimal_counterexample(bug_named(bug_id))
    assert example is not None
    kept_is(ROOT / "counterexamples" / example.bug.folder, counterexample_files(example))


def test_two_tables_that_search_for_the_same_search_once(monkeypatch: pytest.MonkeyPatch) -> None:
    example = minimal_counterexample(bug_named("CPU-LAST-POD-NOT-RECLAIMED"))
    assert example is not None
    counterexample._shown_in.cache_clear()
    searched = []
    shown = counterexample._shown
    monkeypatch.setattr(counterexample, "_shown", lambda search, *rest: searched.append(search) or shown(search, *rest))
    bug = example.bug
    rows = release_rows_of(example)
    once = len(searched)
    assert 0 < once < len(rows)
    assert release_rows_of(evolve(example, bug=evolve(bug, id="OTHER", stays=True))) == rows
    assert len(searched) == once
    # Fewer releases, or another question, is another search.
    late = release_rows_of(evolve(example, bug=evolve(bug, asked_from="1.26.0")))
    assert late == [row for row in rows if int(row.minor.removeprefix("1.")) >= 26]
    assert len(searched) > once
    release_rows_of(evolve(example, bug=evolve(bug, recovers=True)))
    assert searched[-1].recovers


# The release tables of these take half a minute and more each: `make counterexamples` alone computes them.
TAKE_LONG = frozenset(
    (
        "PREEMPT-NAMESAKE", "NOM-DELETED-UNSEEN", "FILTER-START-SKIP", "NOM-CLEAR-OVERTAKEN-BY-PRIORITY",
        "QUEUE-UNCORDON-MISS", "PREEMPT-VICTIM-ORDER", "NOM-RACE-SETTING", "PREEMPT-TWICE", "CYCLE-CONTEXT-SHARED",
        "QUEUE-STALE-PLUGINS", "NOM-EXT-LEAK", "PREEMPT-VICTIM-GONE",
    )
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("ids", searched_together(BUGS), ids="+".join)
def test_what_is_kept_is_minimal_and_up_to_date(ids: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for bug in map(bug_named, ids):
        explored: list[tuple[Any, Outcome]] = []

        def noted(machine: Any, properties: Sequence[Property], **options: Any) -> list[Result]:
            results = check(machine, properties, **options)
            assert [p.name for p in properties] == [bug.violates]  # noqa: B023 -- called in this turn only
            explored.append((machine.scope, results[0].outcome))  # noqa: B023
            return results

        with monkeypatch.context() as during_the_search:
            during_the_search.setattr(explicit, "check", noted)
            example = minimal_counterexample(bug)
        assert example is not None
        _no_smaller_scope_has_the_violation(example, explored)
        assert example.result.trace is not None
        assert tuple(example.result.trace.actions) == kept_run(bug).actions
        if bug.id not in TAKE_LONG:
            kept_is(ROOT / "counterexamples" / bug.folder, counterexample_files(example))


def kept_is(folder: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        kept = folder / name
        assert kept.read_text(encoding="utf-8") == content, f"{kept} is out of date: run `make counterexamples`"


def _no_smaller_scope_has_the_violation(example: Counterexample, explored: list[tuple[Any, Outcome]]) -> None:
    """`explored`: the scopes that the search went through; the last one twice, with symmetry and without."""
    every = scopes(system_named(example.bug.system), example.bug.given)
    smaller = list(takewhile(lambda scope: scope != example.scope, every))
    assert [scope for scope, _ in explored] == [*smaller, example.scope, example.scope]
    outcomes = [outcome for _, outcome in explored]
    assert Outcome.VIOLATED not in outcomes[: len(smaller)]
    assert outcomes[len(smaller) :] == [Outcome.VIOLATED, Outcome.VIOLATED]


COUNTS = re.compile(r"(\d+) distinct states and\n(\d+) generated")
QUICK = 1000  # distinct states: pages with more of them are compared with the slow tests


def _counts_of_page(bug: Bug) -> tuple[int, int]:
    text = (ROOT / "counterexamples" / bug.folder / "README.md").read_text(encoding="utf-8")
    found = COUNTS.findall(text)
    assert len(found) == 1
    return int(found[0][0]), int(found[0][1])


@pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, id=bug.id, marks=() if _counts_of_page(bug)[0] <= QUICK else pytest.mark.slow) for bug in BUGS],
)
def test_a_page_gives_the_counts_that_its_own_command_gives(bug: Bug) -> None:
    text = (ROOT / "counterexamples" / bug.folder / "README.md").read_text(encoding="utf-8")
    words = shlex.split(next(line for line in reversed(text.splitlines()) if line.startswith("kubeproof check ")))
    assert words[2] == bug.system
    assert words[3::2] == ["--release", "--scope", "--property"]
    release, scope, property_name = words[4::2]
    (result,) = by_engines(check_system(bug.system, release, scope=scope, properties=[property_name]).results)
    assert (result.states, result.transitions) == _counts_of_page(bug)


def test_scopes_come_from_the_smallest_on() -> None:
    system = system_named("cpu-manager")
    found = list(scopes(system, bug_named("CPU-INIT-LEAK").given))
    sizes = [(scope.cores + scope.pods, scope.cores) for scope in found]
    assert sizes == sorted(sizes)
    assert sizes[0] == (2, 1)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_a_bug_is_reproduced_as_recorded(bug: Bug) -> None:
    found = reproduce(bug)
    assert found.appears, found.explanation
    assert found.trace is not None


def test_a_state_that_is_not_as_recorded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bug = bug_named("NODETREE-CURSOR")
    run = kept_run(bug)
    states = (*run.states[:3], "0" * 12, *run.states[4:])
    monkeypatch.setattr("kubeproof.bugs.kept.kept_run", lambda bug: evolve(run, states=states))
    found = reproduce(bug)
    assert (found.appears, found.explanation) == (False, "state 3 is not as recorded")
    assert found.trace is not None
    with pytest.raises(InputError, match="NODETREE-CURSOR: state 3 is not as recorded: "):
        itf_text(bug)


def test_a_violation_is_not_seen_where_there_is_none() -> None:
    """Of each kind: without its last step, or its way round, the run violates nothing."""
    for name in OF_EACH_KIND:
        bug = bug_named(name)
        system = system_named(bug.system)
        found = reproduce(bug).trace
        assert found is not None
        machine = kept_run(bug).machine()
        wanted = system.property_named(bug.violates)
        assert violation(machine, wanted, found) is not None
        assert violation(machine, wanted, Trace(found.steps[:-1])) is None
        assert wanted.kind != "liveness" or violation(machine, wanted, Trace(found.steps)) is None


@pytest.mark.slow
def test_another_bug_in_a_release_is_told_apart() -> None:
    example = minimal_counterexample(bug_named("CPU-STATE-DEAD-CONTAINER"))
    assert example is not None
    rows = {row.first: row for row in release_rows_of(example)}
    assert rows["1.13.0"].shows_bug
    assert not rows["1.14.0"].violated
    assert rows["1.31.0"].violated
    assert rows["1.31.0"].without == ("restarts",)


def test_a_table_has_the_releases_that_the_bug_asks() -> None:
    bug = bug_named("NODETREE-CURSOR")
    example = minimal_counterexample(bug)
    assert example is not None
    all_rows = release_rows_of(example)
    rows = release_rows_of(evolve(example, bug=evolve(bug, asked_from="1.18.0")))
    assert rows == [row for row in all_rows if int(row.minor.removeprefix("1.")) >= 18]
    rows = release_rows_of(evolve(example, bug=evolve(bug, asked_to="1.17.17")))
    assert rows == [row for row in all_rows if int(row.minor.removeprefix("1.")) < 18]
    assert shown_in(bug_named("NOM-CLEAR-OVERTAKEN-BY-PRIORITY"), known_release("1.31.14"))
    assert not shown_in(bug_named("NOM-CLEAR-OVERTAKEN-BY-PRIORITY"), known_release("1.18.4"))


def test_a_fix_is_judged_in_no_scope_in_which_its_release_is_not_asked_for_the_bug() -> None:
    bug = bug_named("NOM-CLEAR-OVERTAKEN-BY-PRIORITY")
    system = system_named(bug.system)
    assert list(_kept_scopes(system, known_release("1.18.20"), [bug])) == []
    ((scope, names),) = _kept_scopes(system, known_release("1.19.0"), [bug])
    assert (scope.top, names) == (1, {"nomination-can-come-true"})


def test_a_bug_without_its_file_gets_one_line() -> None:
    with pytest.raises(InputError, match="missing or damaged"):
        kept_run(evolve(BUGS[0], id="NO-SUCH"))


@pytest.mark.parametrize(
    ("bug", "cured"), [("NODETREE-CURSOR", "1.19.0"), ("CPU-SIDECAR-REUSE", "1.29.0"), ("CPU-POLICY-NAME", "1.16.0")]
)
def test_a_bug_does_not_appear_in_a_cured_release(bug: str, cured: str) -> None:
    assert not reproduce(evolve(bug_named(bug), release=cured)).appears


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    """`test_what_is_kept_is_up_to_date` makes the same files under the seed of this process."""
    code = "from kubeproof.report.build import write_counterexamples; from pathlib import Path; import sys\n"
    code += "write_counterexamples(Path(sys.argv[1]), sys.argv[2:])"
    env = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path), *OF_EACH_KIND], check=True, env=env, cwd=tmp_path)
    for path in sorted(tmp_path.glob("*/*")):
        assert path.read_bytes() == (ROOT / "counterexamples" / path.parent.name / path.name).read_bytes()
    assert len(list(tmp_path.iterdir())) == len(OF_EACH_KIND) + len(["README.md"])
