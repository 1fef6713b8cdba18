"""The release without a fix is explored once, and no other question gets its answers."""

from collections.abc import Iterator

import pytest
from attrs import evolve

from kubeproof.engines.question import Question, question
from kubeproof.engines.table import answer
from kubeproof.fix import before
from kubeproof.fix.before import answers_before
from kubeproof.fix.fix import named_rules
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Result
from model.releases import parse_release


@pytest.fixture
def explored(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Question]]:
    """The questions for which something was explored."""
    asked: list[Question] = []

    def counted(of: Question) -> list[Result]:
        asked.append(of)
        return answer(of)

    before._explored.cache_clear()
    monkeypatch.setattr(before, "answer", counted)
    yield asked
    before._explored.cache_clear()


def of_fix(rule: str, release: str = "1.17.10", scope: str = "nodes=2,zones=2", engine: str = "explicit") -> Question:
    fix, bounds = named_rules([rule], [NODE_LISTING]), NODE_LISTING.parse_scope(scope)
    return question(NODE_LISTING, parse_release(release), engine, fix=fix, scope=bounds)


def without_time(results: list[Result]) -> list[Result]:
    return [result.evolve(seconds=0) for result in results]


def test_all_fixes_of_a_release_share_what_holds_without_them(explored: list[Question]) -> None:
    one, other = of_fix("list_nodes=list_stateless"), of_fix("list_nodes=list_one_per_zone")
    first = answers_before(one)
    assert answers_before(other) is first
    assert len(explored) == 1
    assert without_time(list(first)) == without_time(answer(one.without_fix()))


def test_another_question_is_explored_for_itself(explored: list[Question]) -> None:
    fix = "list_nodes=list_stateless"
    some = of_fix(fix)
    others = [
        some,
        of_fix(fix, release="1.16.0"),
        of_fix(fix, scope="nodes=2,zones=1"),
        evolve(some, properties=some.properties[:1]),
        # A system that is not kubeproof's own may have other properties of these names.
        evolve(some, system=evolve(NODE_LISTING, properties=NODE_LISTING.properties[:1])),
    ]
    for each in others:
        assert without_time(list(answers_before(each))) == without_time(answer(each.without_fix()))
    assert len(explored) == len(others)


def test_the_sample_of_another_engine_is_taken_each_time(explored: list[Question]) -> None:
    some = of_fix("list_nodes=list_stateless", engine="hypothesis")
    answers_before(some)
    answers_before(some)
    assert len(explored) == 2
