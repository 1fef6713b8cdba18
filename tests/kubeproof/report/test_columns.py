"""The report's page of a system with many releases: one column where results are the same, and what a scope lacks."""

import pytest
from attrs import fields

from kubeproof.bugs.counterexample import generations
from kubeproof.check.check import answered
from kubeproof.engines.question import question
from kubeproof.report.build import Generation, _columns, _system
from kubeproof.report.markdown import environment
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System
from model.releases import newest


@pytest.fixture(scope="module")
def gens() -> list[Generation]:
    """The last two generations of 1.17, the first of 1.18 and one that differs from it in nothing that shows."""
    spans = [span for span in generations(SCHEDULING) if str(span[0]) in ("1.17.5", "1.17.7", "1.18.0", "1.18.2")]
    scope = SCHEDULING.scopes.report
    asked = [question(SCHEDULING, span[0], "explicit", scope=scope) for span in spans]
    return [Generation(*span, answered([each])) for span, each in zip(spans, asked, strict=True)]


def test_generations_with_the_same_results_are_one_column(gens: list[Generation]) -> None:
    columns = _columns(SCHEDULING, gens)
    assert [str(first) for first, _, _ in columns] == ["1.17.5", "1.17.7", "1.18.0"]
    assert columns[-1][1] == gens[-1].last
    assert all(len(cells) == len(SCHEDULING.properties) for _, _, cells in columns)


def test_the_page_says_which_actions_the_scope_has_not(gens: list[Generation]) -> None:
    system = _system(SCHEDULING, gens, None, {}) | {"fields": []}
    offered = {row.name: row.offered for row in system["coverage"]}
    assert not offered["delete_pod"]
    assert offered["bind_failed"]
    values = {"systems": [system], "examples": [], "components": [], "not_shown": []}
    page = environment().get_template("report.html.j2").render(values)
    assert "<th>1.18.0 to " in page
    assert '<span class="soft">not in this scope</span>' in page
    # With one engine its name stands above the table, not in each cell.
    assert "explicit <b>" not in page


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
