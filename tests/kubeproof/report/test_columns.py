"""The report's page of a system with many releases: one column where results are the same, and what a scope lacks."""

import pytest
from attrs import evolve, fields
from rich.console import Console

from kubeproof.bugs.counterexample import generations
from kubeproof.check.check import answered, report_json
from kubeproof.engines.question import question
from kubeproof.report import build
from kubeproof.report.build import _joined, _system
from kubeproof.report.columns import Generation, columns, powers_tried, proofs_told
from kubeproof.report.coverage import Killed
from kubeproof.report.markdown import environment
from kubeproof.report.mutants import mutants_told
from kubeproof.report.played import played_table
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Claim, Outcome, Result, Strength
from model.releases import newest, parse_release


@pytest.fixture(scope="module")
def gens() -> list[Generation]:
    """The last two generations of 1.17, the first of 1.18 and one that differs from it in nothing that shows."""
    spans = [span for span in generations(SCHEDULING) if str(span[0]) in ("1.17.5", "1.17.7", "1.18.0", "1.18.2")]
    scope = SCHEDULING.scopes.report
    asked = [question(SCHEDULING, span[0], "explicit", scope=scope) for span in spans]
    return [Generation(*span, answered([each])) for span, each in zip(spans, asked, strict=True)]


@pytest.mark.slow
def test_generations_with_the_same_results_are_one_column(gens: list[Generation]) -> None:
    found = columns(SCHEDULING, gens, {})
    assert [str(first) for first, _, _ in found] == ["1.17.5", "1.17.7", "1.18.0"]
    assert found[-1][1] == gens[-1].last
    assert all(len(cells) == len(SCHEDULING.properties) for _, _, cells in found)


@pytest.mark.slow
def test_the_page_says_which_actions_the_scope_has_not(gens: list[Generation]) -> None:
    told = {"fields": [], "proofs": [], "mutants": mutants_told(SCHEDULING.name)}
    others = {"queue_update": (Killed("update_a", ()), Killed("update_b", (), decided=False))}
    system = _system(SCHEDULING, gens, None, others) | told
    offered = {row.name: row.offered for row in system["coverage"]}
    assert not offered["delete_pod"]
    assert offered["bind_failed"]
    values = {"systems": [system], "examples": [], "components": [], "not_shown": [], "growth": None}
    page = environment().get_template("report.html.j2").render(values | {"played": played_table(())})
    assert "<th>1.18.0 to " in page
    assert '<span class="soft">not in this scope</span>' in page
    assert "<code>update_a</code>: <b>nothing</b>" in page
    assert '<code>update_b</code>: <span class="soft">not decided: the search was cut</span>' in page
    # With one engine its name stands above the table, not in each cell.
    assert "explicit <b>" not in page


def test_a_wider_scope_decides_in_the_report_too() -> None:
    """1.17.10: `bound-once` holds in the report's scope; a sample with re-created pods violates it."""
    (span,) = [span for span in generations(SCHEDULING) if str(span[0]) == "1.17.7"]
    once = [SCHEDULING.property_named("bound-once")]
    asked = question(SCHEDULING, span[0], "explicit", scope=SCHEDULING.scopes.report, properties=once)
    held = answered([asked])
    wide = SCHEDULING.parse_scope("0,pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1,updates=1")
    sampled = [result.evolve(engine="hypothesis") for result in answered([asked.in_scope(wide)]).results]
    reports = iter([held, evolve(held, results=sampled)])
    engines = {SCHEDULING.name: ["explicit", "hypothesis"]}
    ((_, generation),) = _joined(reports, [(SCHEDULING.name, *span)], engines, Console(), map)
    smallest = "only pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1"
    assert [scope_text(r.scope) for r in generation.report.results][2:] == [smallest]
    assert report_json(generation.report)["verdicts"]["bound-once"]["scope"] == smallest.replace("only ", "0,")
    system = _system(SCHEDULING, [generation], None, {})
    verdict, *cells = next(row["cells"][0] for row in system["rows"] if row["property"] is once[0])
    assert (verdict["outcome"], verdict["strength"]) == ("violated", f"in {smallest}")
    assert [(cell["engine"], cell["outcome"], cell["about"]) for cell in cells] == [
        ("explicit", "holds", None),
        ("hypothesis", "violated", 1),
        ("explicit", "violated", 2),
    ]
    assert system["abouts"] == [f"[1] scope {scope_text(wide)}", f"[2] scope {smallest}"]


def test_the_newest_release_is_asked_for_proofs_if_z3_is_and_asks_not_in_each_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "_check", lambda task: task)
    assert dict(build._proved(map, list(SYSTEMS.values()), ["explicit", "z3"])) == {  # type: ignore[comparison-overlap]
        system.name: (system.name, generations(system)[-1][0], "z3") for system in (CPU_MANAGER, SCHEDULING)
    }
    assert not dict(build._proved(map, list(SYSTEMS.values()), ["explicit"]))


def test_a_proof_says_on_the_page_what_it_allows_and_what_one_power_more_does() -> None:
    details = {"pods": "any number", "powers": "all but relists", "obligations": 3, "besides": "broken by relists"}
    proved = Result(property="bound-once", engine="z3", outcome=Outcome.HOLDS, claim=Claim(Strength.INDUCTIVE, details))
    unproved = Result(property="pod-in-one-place", engine="z3", outcome=Outcome.NOT_APPLICABLE)
    newest_one = generations(SCHEDULING)[-1][0]
    assert proofs_told(newest_one, [proved, unproved]) == [
        f"{newest_one}, for any size: pods any number; powers all but relists: bound-once",
        "one power more than the proof of bound-once allows: broken by relists",
    ]
    once = [SCHEDULING.property_named("bound-once")]
    report = evolve(answered([question(SCHEDULING, newest_one, "explicit", properties=once)]), results=[proved])
    older = parse_release("1.30.0")
    assert powers_tried([Generation(older, newest_one, report), Generation(newest_one, newest_one, report)]) == [
        f"one power more than the proof of bound-once allows: broken by relists (1.30.0 to {newest_one}, {newest_one})"
    ]


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_a_systems_scopes_are_of_its_class_and_apart(system: System) -> None:
    scopes = system.scopes
    every = [scopes.default, scopes.fix, scopes.large, *filter(None, [scopes.report])]
    every += [
        *scopes.fix_narrow,
        *scopes.told_apart,
        *system.counted.small,
        *(scope for scope, *_ in system.counted.large),
    ]
    assert all(isinstance(scope, system.scope_class) for scope in every)
    for purpose in (scopes.fix_narrow, scopes.told_apart, system.counted.small):
        assert len(set(purpose)) == len(purpose)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_what_a_bug_need_not_give_are_bounds_of_the_system(system: System) -> None:
    bounds = {field.name for field in fields(system.scope_class)}
    assert set(system.scopes.searched) <= bounds
    assert set(system.scopes.least) <= bounds - set(system.scopes.searched)


def test_a_scope_of_the_report_leaves_actions_out() -> None:
    in_force = newest(SCHEDULING.rules_class, SCHEDULING.name)
    assert SCHEDULING.never_offered(SCHEDULING.scopes.report, in_force) != frozenset()
    assert generations(SCHEDULING)[0][0].minor == 13


def test_markdown_of_a_bug_reads_as_html() -> None:
    code = environment().filters["code"]
    assert code("`a<b` & c.\n\nNext.") == "<code>a&lt;b</code> &amp; c.</p>\n<p>Next."
