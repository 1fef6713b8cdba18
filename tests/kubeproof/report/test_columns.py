"""The report's page of a system with many releases: one column where results are the same, and what a scope lacks."""

import pytest

from kubeproof.bugs.counterexample import generations
from kubeproof.check.check import check_system
from kubeproof.report.build import SCOPES, TOLD_APART_IN, Generation, _columns, _system
from kubeproof.report.markdown import environment
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from model.releases import newest, parse_release


@pytest.fixture(scope="module")
def gens() -> list[Generation]:
    """The last two generations of 1.17, the first of 1.18 and one that differs from it in nothing that shows."""
    spans = [span for span in generations(SCHEDULING) if str(span[0]) in ("1.17.5", "1.17.7", "1.18.0", "1.18.2")]
    scope = SCOPES[SCHEDULING.name]
    return [Generation(*span, check_system(SCHEDULING.name, span[0].upstream, scope=scope)) for span in spans]


def test_generations_with_the_same_results_are_one_column(gens: list[Generation]) -> None:
    columns = _columns(SCHEDULING, gens)
    assert [str(first) for first, _, _ in columns] == ["1.17.5", "1.17.7", "1.18.0"]
    assert columns[-1][1] == gens[-1].last
    assert all(len(cells) == len(SCHEDULING.properties) for _, _, cells in columns)


def test_the_page_says_which_actions_the_scope_has_not(gens: list[Generation]) -> None:
    system = _system(SCHEDULING, gens, None, {})
    offered = {row.name: row.offered for row in system["coverage"]}
    assert not offered["delete_pod"]
    assert offered["bind_failed"]
    page = environment().get_template("report.html.j2").render({"systems": [system], "examples": [], "components": []})
    assert "<th>1.18.0 to " in page
    assert '<span class="soft">not in this scope</span>' in page
    # With one engine its name stands above the table, not in each cell.
    assert "explicit <b>" not in page


@pytest.mark.parametrize(("name", "texts"), TOLD_APART_IN.items())
def test_the_scopes_of_the_matrix_are_scopes(name: str, texts: tuple[str, ...]) -> None:
    system = SYSTEMS[name]
    assert len({system.parse_scope(text) for text in texts}) == len(texts)
    assert system.never_offered(system.scope, newest(system.rules_class, system.name)) != frozenset()


def test_every_system_of_the_report_has_a_scope_that_can_be_parsed() -> None:
    for name, text in SCOPES.items():
        assert SYSTEMS[name].parse_scope(text)
    assert parse_release(str(generations(SCHEDULING)[0][0])).minor == 13
