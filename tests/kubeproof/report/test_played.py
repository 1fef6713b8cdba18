"""What was played on the real Go code: the JSON document of a bug and the HTML report say so, as the page does."""

import json
import re
from typing import NoReturn

import pytest

from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, any_bug_named, bug_named
from kubeproof.bugs.played import played_of
from kubeproof.bugs.runs import kept_run
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from kubeproof.go.further_tests import go_test_of
from kubeproof.go.generated import go_test_file, why_not_played
from kubeproof.report.build import bug_told, component_told, viewer
from kubeproof.report.kept_tables import NOW, KeptTable
from kubeproof.report.markdown import environment
from kubeproof.report.played import played_line, played_table
from kubeproof.report.systems_told import Tables, system_told
from kubeproof.report.tasks import CheckTask, checked, stretches, told
from kubeproof.systems.registry import SYSTEMS
from model.releases import known_release

Captured = pytest.CaptureFixture[str]


def html(**shown: list[dict[str, object]]) -> str:
    values = {
        "systems": [], "bugs": [], "components": [], "not_shown": [], "growth": None, "pages": NOW,
        "runs": {"bugs": 0, "stretches": 0, "errors": []}, "recordings": {"files": 0}, "played": played_table(),
        "viewer": viewer([]),
    }  # fmt: skip
    return environment().get_template("report.html.j2").render(values | shown)


def test_the_document_of_bugs_has_what_was_played(capsys: Captured) -> None:
    run(lambda: app(["bugs", "--json"], standalone_mode=False))
    listed = {bug["id"]: bug["played_on"] for bug in json.loads(capsys.readouterr().out)["bugs"]}
    assert {row["release"] for row in listed["CACHE-RECREATE-LEAK"]} >= {"1.17.17", "1.36.2"}
    assert [row["run"] for row in listed["NOM-LOCK-RACE"]] == ["the race detector"]
    assert listed["QH-PLUGIN-HINT-MISS"] == []


@pytest.mark.slow
def test_the_report_says_of_a_component_what_was_played_or_why_nothing_was() -> None:
    text = html(components=[component_told(bug) for bug in COMPONENT_BUGS])
    texts = {bug.id: text.partition(f' id="{bug.folder}">')[2].partition("</details>")[0] for bug in COMPONENT_BUGS}
    assert all(texts.values())
    played = {bug.id for bug in COMPONENT_BUGS if played_of(bug)}
    assert played == {name for name, text in texts.items() if "<p>Played on the real Go code" in text}
    assert all("Not played on real Go code: components" in texts[name] for name in texts.keys() - played)


@pytest.mark.slow
def test_the_report_says_of_a_run_why_it_is_not_played() -> None:
    bug, system = bug_named("PREEMPT-PARTIAL"), SYSTEMS["preemption"]
    check = checked(CheckTask(system.name, *stretches(system)[-1], "explicit"))
    nothing = KeptTable(NOW, {})
    page = system_told(system.name, [check], [], None, Tables(nothing, nothing, nothing))
    text = html(systems=[page], bugs=[bug_told(bug, told(bug.id), [])])
    assert "<p>Not played on real Go code: no driver plays runs of preemption" in text


def test_the_page_of_a_new_bug_is_made_before_its_run_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    bug = bug_named("CPU-STALE-LAST-UPDATE")
    new, why = kept_run(bug), why_not_played(bug)

    def missing(bug: object) -> NoReturn:
        raise InputError("nothing is kept yet")

    for of in ("kubeproof.go.further_tests.kept_run", "kubeproof.go.generated.kept_releases"):
        monkeypatch.setattr(of, missing)
    assert why_not_played(bug, run=new) == why
    with pytest.raises(InputError):
        go_test_file(go_test_of(bug), None, "", "")


def test_gates_for_a_bug_that_components_show_are_refused_in_one_line(capsys: Captured) -> None:
    gates = ["--feature-gates", "SchedulerQueueingHints=false"]
    assert run(lambda: app(["reproduce", "QH-PLUGIN-HINT-MISS", *gates], standalone_mode=False)) == 2
    assert capsys.readouterr().err == (
        "kubeproof: --feature-gates: QH-PLUGIN-HINT-MISS is not shown by a run of a system but by components, which "
        "take no gates: leave the option out\n"
    )


@pytest.mark.slow
def test_a_run_that_was_played_is_in_the_table_of_the_report_and_in_the_list_of_bugs() -> None:
    table = played_table()
    rows = {bug.id: dict(zip(table.releases, cells, strict=True)) for bug, cells in table.rows}
    assert rows["CPU-STALE-LAST-UPDATE"]["1.31.13"] == "as in the trace"
    assert rows["CPU-SIDECAR-REUSE"]["1.31.13"] == "not there, as the model says"
    assert list(table.releases) == sorted(table.releases, key=lambda text: known_release(text).version, reverse=True)
    text = html()
    assert all(f"<th>{release}</th>" in text for release in table.releases)
    assert all(f'<a href="#{bug.folder}">{bug.id}</a>' in text for bug, _ in table.rows)
    assert re.search(r"1\.31\.13[^:;]*: as in the trace", played_line(any_bug_named("CPU-STALE-LAST-UPDATE")))
    why = "up to 1.17 containers get their CPUs when they start, and the driver begins with 1.18"
    assert played_line(any_bug_named("CPU-RECONCILE-READD")) == f"not played on real Go code: {why}"


def test_a_run_that_no_half_of_a_driver_plays_says_which_releases_there_are() -> None:
    why = why_not_played(any_bug_named("NOM-STATUS-KEYED"))
    assert why.startswith("the run goes in no release whose code the driver scheduler plays: 1.16.15, 1.17.17, ")


@pytest.mark.slow
def test_every_kept_run_is_in_the_table_or_has_a_reason() -> None:
    """A cell says what was seen, or why a driver cannot play the run; "not played" is work to do."""
    table = played_table()
    assert {bug.id for bug, _ in table.rows} | {bug.id for bug, _ in table.never} == {bug.id for bug in BUGS}
    assert all(all(cells) for _, cells in table.rows)
    assert not [bug.id for bug, why in table.never if "nobody has run" in why]
    rows = {bug.id: dict(zip(table.releases, cells, strict=True)) for bug, cells in table.rows}
    assert rows["EXT-BIND-ASKS-ON"]["1.17.17"].startswith(
        "cannot be played: under the rules of 1.17.17 the kept run ends"
    )
