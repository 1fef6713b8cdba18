"""The smallest scope of what a sample violates, and what the table of results says where scopes differ."""

import pytest

from kubeproof.check.check import verdicts
from kubeproof.check.other_scopes import scopes_within, smallest
from kubeproof.engines.question import question
from kubeproof.engines.table import answer
from kubeproof.report.terminal import below_table, never_taken, results_table, text
from kubeproof.systems.registry import system_named
from kubeproof.systems.releases import release_named
from kubeproof.verdict.result import Claim, Outcome, Result, Strength
from properties.smt.scheduling.lemmas import no_namesake
from properties.smt.scheduling.proof import proofs_for

SCHEDULING = system_named("scheduling")
WIDE = SCHEDULING.parse_scope("0,pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1,updates=1,labels=1")
SMALL = SCHEDULING.parse_scope("0,pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1")


@pytest.fixture(scope="module")
def asked():
    properties = [SCHEDULING.property_named("bound-once")]
    return question(SCHEDULING, release_named("1.17.10"), "explicit", properties=properties)


@pytest.fixture(scope="module")
def results(asked):
    """Four engines, as of 1.17.10: the explicit engine holds in the default scope, a sample of a wider one does not."""
    (sampled,) = answer(asked.in_scope(WIDE))
    (held,) = answer(asked)
    details = {"pods": "any number", "powers": "all but recreates", "lemmas": "A lemma.", "assumes": "No namesake."}
    proved = Result(
        property="bound-once", engine="z3", outcome=Outcome.HOLDS, claim=Claim(Strength.INDUCTIVE, details),
        scope=asked.scope,
    )  # fmt: skip
    return [held, sampled.evolve(engine="hypothesis", minimal=False), proved]


@pytest.mark.slow
def test_the_explicit_engine_finds_it_in_the_smallest_scope(asked, results):
    (found,) = smallest(asked, results)
    assert (found.property, found.engine, found.outcome) == ("bound-once", "explicit", Outcome.VIOLATED)
    assert found.scope == SMALL
    assert found.minimal


def test_scopes_grow_and_have_no_power_that_the_run_does_not_use(asked, results):
    scopes = list(scopes_within(asked, results[1]))
    assert SMALL in scopes
    assert not any(scope.updates or scope.labels for scope in scopes)


def test_what_the_explicit_engine_violates_already_is_not_looked_for(asked, results):
    (found,) = smallest(asked, results)
    assert not list(smallest(asked, [*results, found]))


def test_a_wider_scope_decides_and_the_smallest_that_shows_it_is_named(asked, results):
    assert verdicts(results)["bound-once"]["outcome"] == "violated"
    decided = verdicts([*results, *smallest(asked, results)])["bound-once"]
    assert decided == {
        "outcome": "violated",
        "engine": "explicit",
        "bugs": [],
        "scope": "0,pods=1,nodes=2,room=1,goroutines=1,deletes=1,recreates=1",
    }
    assert verdicts(results[:1])["bound-once"]["outcome"] == "holds"


def test_a_row_says_what_its_claim_is_about_where_the_table_does_not(asked, results):
    shown = text(results_table(results, asked.scope)).splitlines()[1:]
    # The name of the property stands in its first row.
    assert [line.split()[:-1] for line in shown] == [
        ["bound-once", "explicit", "holds", "exhaustive"],
        ["hypothesis", "violated", "run", "of", "14", "actions", "[1]"],
        ["z3", "holds", "inductive", "[2]"],
    ]
    below = list(below_table(results, asked.scope))
    assert below[0].startswith("[1] scope only pods=1,nodes=2,room=1,goroutines=1,updates=1")
    assert below[1] == "[2] for any size: pods any number; environment actions all but recreates; assumes No namesake."
    assert below[2].startswith("bound-once: violated, in the scope only pods=1,nodes=2")
    assert below[3:5] == [
        "  explicit says of the table's scope: holds, exhaustive",
        "  z3 says of [2]: holds, inductive",
    ]
    assert "z3, bound-once: lemmas A lemma." in below


def test_a_search_in_another_scope_hides_no_action_that_was_never_taken(asked, results):
    found = list(smallest(asked, results))
    assert never_taken(SCHEDULING, asked.rules, [results[0], *found]) == never_taken(
        SCHEDULING, asked.rules, results[:1]
    )


def test_what_a_power_that_is_off_brings_is_no_lemma(asked):
    about = {proof.name: proof.details for proof in proofs_for(asked.scope, asked.rules)}
    sentence = " ".join((no_namesake.__doc__ or "").split())
    assert about["bound once"]["assumes"].startswith(sentence)
    assert all(sentence not in details["lemmas"] for details in about.values())
