"""The start index for any number of nodes: the proof, the conditions it needs, each step beside the model's search."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines.smt.induction import prove
from kubeproof.verdict.result import Outcome
from model.releases import parse_release, rules_for
from model.scheduler.filtering import FilteringRules, FilterSetup, Found, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import driven
from model.scheduler.framework.status import SUCCESS, Code, Status
from properties.components.start_index import Grid, bound
from properties.smt.scheduling_cycle.argument import Argument, Values
from properties.smt.scheduling_cycle.start_index import (
    ASKED,
    EXAMINED,
    Condition,
    Form,
    Searches,
    argument,
    form_of,
    needed,
    why_none,
)

# One release for each choice of rules.
RELEASES = ("1.17.10", "1.22.3", "1.24.0", "1.28.8", "1.28.10", "1.31.13")
NO, FAILS = Status(Code.UNSCHEDULABLE, ("no",)), Status(Code.ERROR, ("boom",))
ALL, FAILED, NAMED, NOMINATED, OTHER = (
    "a search among all nodes", "a search that ends with an error of a filter", "a search among named nodes",
    "a look at the nominated node", "a node goes and another comes",
)  # fmt: skip


def rules(release: str, quota: int | None = None) -> FilteringRules:
    found = rules_for(FilteringRules, parse_release(release))

    def as_asked(nodes: int, percentage: int, of_profile: int | None) -> int:
        assert quota is not None
        return quota

    return found if quota is None else evolve(found, num_feasible_nodes_to_find=as_asked)


def form(release: str) -> Form:
    return form_of(rules(release))


def refuted(asked: Argument[Searches]) -> list[str]:
    return [answer.name for answer in prove(asked.proof()) if answer.outcome is not Outcome.HOLDS]


@pytest.mark.parametrize("release", RELEASES)
def test_a_node_is_examined_within_the_bound(release: str) -> None:
    asked = argument(form(release))
    assert refuted(asked) == []


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_bound_is_that_of_every_sequence_of_a_small_grid(release: str) -> None:
    """What the search over sequences finds is what is proved: in both a node is asked, whether its answer counts."""
    for nodes, quota in product(range(1, 5), range(1, 3)):
        names = tuple(f"n{at}" for at in range(nodes))
        found = bound(rules(release), Grid(names, quota)).searches
        assert found == max(1, -(-(nodes - 1) // quota))
    for condition, power in (("no-named-nodes", "named"), ("no-nominated-node", "nominated")):
        proved = argument(form(release), frozenset({condition})).violation(ASKED, depth=8)
        grid = Grid(("n0", "n1", "n2"), 1, **{power: True})
        assert (bound(rules(release), grid).searches is None) == (proved is not None), condition


@pytest.mark.slow
def test_which_conditions_the_bound_needs() -> None:
    always: set[Condition] = {"same-nodes", "quota", "no-error"}
    more: dict[str, set[Condition]] = {
        "1.17.10": set(),
        # The nominated node is tried alone, and sets the start back to the first node.
        "1.22.3": {"no-nominated-node"},
        "1.24.0": {"no-nominated-node", "no-named-nodes"},
        "1.28.8": {"no-named-nodes"},
        "1.28.10": {"no-named-nodes"},
        # From #124933 on the start is not set back, but it still moves past nodes that were not asked.
        "1.31.13": {"no-named-nodes"},
    }
    for release in RELEASES:
        found = needed(form(release))
        assert {name for name, run in found.items() if run is not None} == always | more[release], release
        for condition, run in found.items():
            assert run is not None or refuted(argument(form(release), frozenset({condition}))) == []


def searched(release: str, before: Values, feasible: set[int], **asked: Any) -> Found:
    """The search that the model does, among nodes n0, n1 and so on."""
    nodes = tuple(f"n{at}" for at in range(before["nodes"]))
    answers = {node: SUCCESS if at in feasible else NO for at, node in enumerate(nodes)}
    if "fails" in asked:
        answers[nodes[asked["fails"]]] = FAILS
    setup = FilterSetup(rules(release, before["quota"]), 0, None, True, lambda node: answered(answers[node]))
    named = asked.get("named")
    steps = find_nodes_that_fit_pod(setup, nodes, before["start"], asked.get("nominated", ""), named)
    return driven(steps, lambda call: None)


def examined(found: Found, watched: int) -> bool:
    """Whether the verdict on the watched node counts."""
    node = f"n{watched}"
    asked = node in found.examined
    return asked and (found.error is not None or node in found.feasible or node in found.statuses)


def states(most: int) -> Iterator[Values]:
    for nodes in range(1, most + 1):
        for quota, start, watched in product(range(1, nodes + 1), range(nodes), range(nodes)):
            yield {"nodes": nodes, "quota": quota, "start": start, "watched": watched, "examined": False,
                   "asked_for": 0}  # fmt: skip


def after(before: Values, found: Found, asked_for: int) -> Values:
    return {
        **{name: before[name] for name in ("nodes", "watched")},
        "start": found.start, "examined": examined(found, before["watched"]), "asked_for": asked_for,
    }  # fmt: skip


def same_as_model(asked: Argument[Searches], step: str, before: Values, found: list[Found], asked_for: int) -> None:
    """The step leads to what the model's searches lead to, and to nothing else."""
    reached = {(each.start, examined(each, before["watched"])) for each in found}
    for start, seen in product(range(before["nodes"]), (False, True)):
        then = {"nodes": before["nodes"], "watched": before["watched"], "start": start, "examined": seen,
                "asked_for": asked_for}  # fmt: skip
        assert asked.allows(step, before, then) == ((start, seen) in reached), (step, before, then)


@pytest.mark.slow
def test_a_search_among_all_nodes_is_that_of_the_model() -> None:
    asked = argument(form("1.31.13"), frozenset({"no-error"}))
    for before in states(3):
        nodes = range(before["nodes"])
        choices = [{at for at in nodes if chosen[at]} for chosen in product((False, True), repeat=len(nodes))]
        found = [searched("1.31.13", before, feasible) for feasible in choices]
        same_as_model(asked, ALL, before, found, before["quota"])
        failing = [searched("1.31.13", before, feasible, fails=at) for feasible in choices for at in nodes]
        failed = [each for each in failing if each.error is not None]
        reached = {(each.start, examined(each, before["watched"])) for each in failed}
        for start, seen in reached:
            then = {"nodes": before["nodes"], "watched": before["watched"], "start": start, "examined": seen}
            assert asked.allows(FAILED, before, then)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.24.0", "1.28.10"])
def test_a_search_among_named_nodes_is_that_of_the_model(release: str) -> None:
    asked = argument(form(release), frozenset({"no-named-nodes"}))
    for before in states(3):
        others = [at for at in range(before["nodes"]) if at != before["watched"]]
        for chosen in product((False, True), repeat=len(others)):
            named = tuple(f"n{at}" for at, taken in zip(others, chosen, strict=True) if taken)
            for feasible in (set(), set(others)) if named else ():
                found = searched(release, before, feasible, named=named)
                then = {"nodes": before["nodes"], "watched": before["watched"], "start": found.start,
                        "examined": False, "asked_for": 0}  # fmt: skip
                assert asked.allows(NAMED, before, then), (before, named, feasible)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.22.3", "1.25.2"])
def test_a_look_at_the_nominated_node_is_that_of_the_model(release: str) -> None:
    asked = argument(form(release), frozenset({"no-nominated-node"}))
    for before in states(3):
        for nominated in range(before["nodes"]):
            if nominated != before["watched"]:
                found = searched(release, before, {nominated}, nominated=f"n{nominated}")
                then = {"nodes": before["nodes"], "watched": before["watched"], "start": found.start,
                        "examined": False, "asked_for": 0}  # fmt: skip
                assert asked.allows(NOMINATED, before, then)
                assert not asked.allows(NOMINATED, before, {**then, "start": (found.start + 1) % before["nodes"]})


def every_search(release: str, step: str, before: Values) -> Iterator[Found]:
    """Every search of the model that this step may be."""
    nodes = range(before["nodes"])
    others = [at for at in nodes if at != before["watched"]]
    for chosen in product((False, True), repeat=len(nodes)):
        feasible = {at for at in nodes if chosen[at]}
        if step == ALL:
            yield searched(release, before, feasible)
        elif step == FAILED:
            yield from (searched(release, before, feasible, fails=at) for at in nodes)
        elif step == NOMINATED:
            yield from (searched(release, before, feasible, nominated=f"n{at}") for at in others if at in feasible)
        elif feasible and before["watched"] not in feasible:
            yield searched(release, before, feasible, named=tuple(f"n{at}" for at in sorted(feasible)))


@pytest.mark.parametrize("release", RELEASES)
def test_the_model_does_each_run_that_breaks_the_bound(release: str) -> None:
    for run in needed(form(release)).values():
        if run is None:
            continue
        quotas = 0
        for step, before, then in zip(run.steps, run.states[:-1], run.states[1:], strict=True):
            assert not then["examined"]
            if step != OTHER:
                ends = {
                    (found.start, examined(found, before["watched"])) for found in every_search(release, step, before)
                }
                assert (then["start"], False) in ends, (step, before, then)
            quotas += max(1, before["quota"]) if step in (ALL, FAILED) else 0
        assert quotas >= run.states[-1]["nodes"]


def test_the_bound_is_tight() -> None:
    # All nodes are feasible, and the watched one is the last: it is examined in the search number n/q, rounded up.
    for nodes, quota in product(range(1, 7), range(1, 7)):
        start, searches, seen = 0, 0, False
        while not seen:
            before = {"nodes": nodes, "quota": quota, "start": start}
            found = searched("1.31.13", before, set(range(nodes)))
            start, searches, seen = found.start, searches + 1, examined(found, nodes - 1)
        assert searches == -(-nodes // quota)


def test_every_release_looks_for_one_node_at_least() -> None:
    # So the condition `quota` is always met.
    for release in (*RELEASES, "1.13.0", "1.26.0", "1.30.0"):
        asked = rules(release)
        for nodes, percentage, of_profile in product((1, 2, 99, 100, 101, 5_000), (-1, 0, 1, 50, 100), (None, 0, 1)):
            assert asked.num_feasible_nodes_to_find(nodes, percentage, of_profile) >= 1


def round_none(all_nodes: int, asked: int) -> int:
    return 1


def test_a_rule_from_outside_has_no_argument() -> None:
    assert why_none(rules("1.31.13")) is None
    assert why_none(rules("1.16.15")) == "the rule takes_nodes_from_tree=from_the_tree has no Z3 form"
    changed = evolve(rules("1.31.13"), start_goes_round=round_none)
    assert why_none(changed) == "the rule start_goes_round=round_none has no Z3 form"


def test_a_wrong_step_makes_the_proof_fail() -> None:
    # A search that moves the start by one node too many.
    asked = argument(form("1.31.13"))
    (search,) = asked.steps

    def too_far(now: Searches, then: Searches) -> Any:
        return search.leads(now, evolve(then, start=then.start - 1))

    wrong = evolve(asked, steps=(evolve(search, leads=too_far),))
    assert refuted(wrong)
    assert wrong.violation(EXAMINED) is not None
