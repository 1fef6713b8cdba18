"""The Hypothesis engine: what it finds, how its examples read, and that it claims no more than it executed."""

import random
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest
from attrs import evolve, frozen
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from kubeproof.engines import stateful
from kubeproof.engines.stateful import check, machine_class
from kubeproof.verdict.result import Outcome, Strength
from model.machine import Action
from model.scheduler.cache.node_list import update_snapshot_every_cycle
from model.scheduler.cache.node_tree import list_from_reset_cursors, list_from_resuming_cursors
from model.systems.node_listing import NodeListingMachine, NodeListingScope
from properties.node_listing.listing import (
    LISTED_EXACTLY_ONCE,
    OFFERED_WHEN_QUIET,
    RELISTED_SAME_NODES,
    list_one_per_zone,
)
from properties.property import Invariant
from tests.conftest import node_listing_rules, said_under_another_hash_seed

EXAMPLE = """\
state = NodeListing()
state.add_node(node='n1', zone='z1')
state.add_node(node='n2', zone='z1')
state.update_snapshot()
state.add_node(node='n3', zone='z2')
state.update_snapshot()"""


def listing(list_nodes, nodes=6, zones=3):
    rules = node_listing_rules(list_nodes=list_nodes, update_snapshot=update_snapshot_every_cycle)
    return NodeListingMachine(NodeListingScope(nodes=nodes, zones=zones), rules)


def shortest(machine, holds):
    """The length of the shortest run to a state where `holds` is false, by breadth-first search."""
    level = list(machine.initial_states())
    seen = set(level)
    length = 0
    while level:
        if not all(map(holds, level)):
            return length
        after = {machine.step(state, action) for state in level for action in machine.actions(state)} - seen
        seen |= after
        level = list(after)
        length += 1
    return None


@frozen
class Counter:
    """Counts up from each of `starts` to `top` and ends there: several initial states, a deadlock, one argument."""

    starts: tuple[int, ...] = (0,)
    top: int = 3
    crash_at: int | None = None

    action_names = ("add", "rest")

    @property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return {}

    def initial_states(self):
        return self.starts

    def actions(self, state):
        for by in (1, 2):
            if state + by <= self.top:
                yield Action.of("add", by=by)

    def step(self, state, action):
        if state == self.crash_at:
            raise ZeroDivisionError("division\nby zero")
        return state + action["by"]


def below(limit):
    return Invariant("below", f"Below {limit}.", (), lambda n: n < limit, lambda n: True, lambda n: f"{n} is too much")


@pytest.fixture(scope="module")
def lost_node():
    machine = listing(list_from_resuming_cursors)
    # With this seed the names are shrunk to the first ones too.
    (result,) = check(machine, [LISTED_EXACTLY_ONCE], seed=1)
    return machine, result


@pytest.mark.slow
def test_a_lost_node_is_found_and_shrunk_to_the_shortest_length(lost_node):
    _, result = lost_node
    small = listing(list_from_resuming_cursors, nodes=3, zones=2)
    assert (result.engine, result.outcome) == ("hypothesis", Outcome.VIOLATED)
    assert not result.minimal, "a sample proves no minimality"
    assert result.trace.length == shortest(small, LISTED_EXACTLY_ONCE.holds) == 5
    assert not LISTED_EXACTLY_ONCE.holds(result.trace.last)
    assert result.explanation == LISTED_EXACTLY_ONCE.explain(result.trace.last)
    assert result.transitions == sum(result.fired.values()) > result.trace.length


def falsifying_example(machine, trace):
    """`trace` as the program that Hypothesis prints. The program runs with the class from `machine_class`."""
    shapes = frozenset(stateful._shapes(machine))
    initial_states = machine.initial_states()
    lines = [f"state = {type(machine).__name__.removesuffix('Machine') or 'Model'}()"]
    if len(initial_states) > 1:
        lines.append(f"state.begin(initial={initial_states.index(trace.steps[0].state)})")
    for action in trace.actions:
        if stateful._shape_of(action) in shapes:
            # In the alphabetical order of the arguments, as Hypothesis prints them.
            args = ", ".join(f"{name}={value!r}" for name, value in sorted(action.args))
            lines.append(f"state.{stateful._method_name(action.name)}({args})")
        else:
            lines.append(f"state.take(action={action!r})")
    return "\n".join(lines)


def test_the_falsifying_example_reads_like_code_and_runs(lost_node):
    machine, result = lost_node
    text = falsifying_example(machine, result.trace)
    assert text == EXAMPLE
    with pytest.raises(stateful.Violation, match="n2 missing from the scheduler's node list"):
        exec(text, {"NodeListing": machine_class(machine, [LISTED_EXACTLY_ONCE])})


@pytest.mark.slow
def test_hypothesis_prints_the_same_example(lost_node):
    sample = machine_class(lost_node[0], [LISTED_EXACTLY_ONCE])
    with pytest.raises(stateful.Violation) as caught:
        run_state_machine_as_test(sample, settings=stateful._settings(200, 30))
    printed = "\n".join(caught.value.__notes__)
    assert f"{EXAMPLE}\nstate.teardown()" in printed


def sampled_text():
    """What a sample that finds a violation says, with the trace."""
    (result,) = check(listing(list_one_per_zone, 3, 2), [LISTED_EXACTLY_ONCE], steps=7)
    return f"{result.transitions} {result.fired} {result.trace}"


@pytest.mark.slow
def test_the_same_result_under_another_hash_seed():
    here = sampled_text()
    assert "Trace(" in here
    assert said_under_another_hash_seed(sampled_text) == here


@pytest.mark.slow
def test_the_same_result_whatever_modules_are_imported(tmp_path, monkeypatch):
    """Hypothesis draws the constants of modules: in another process, or a moment later, others would be there."""

    def said():
        (result,) = check(listing(list_from_reset_cursors), [LISTED_EXACTLY_ONCE], runs=200)
        return result.evolve(seconds=0.0)

    before = said()
    (tmp_path / "full_of_numbers.py").write_text(f"NUMBERS = {[*range(1000)]}\n")
    monkeypatch.syspath_prepend(tmp_path)
    import_module("full_of_numbers")
    assert said() == before


@pytest.mark.slow
def test_reset_cursors_hold_as_a_sample_with_the_numbers_executed():
    (result,) = check(listing(list_from_reset_cursors), [LISTED_EXACTLY_ONCE], runs=60)
    assert result.outcome is Outcome.HOLDS
    assert result.claim.strength is Strength.SAMPLED
    assert result.claim.details["runs"] >= 60
    assert result.claim.details["steps"] == result.transitions == sum(result.fired.values())
    assert result.claim.details["witnesses"] > 0
    assert all(result.fired[name] > 0 for name in listing(list_from_reset_cursors).action_names)
    assert result.trace is None


@pytest.mark.slow
def test_a_step_invariant_is_checked_and_names_the_last_action():
    (result,) = check(listing(list_from_resuming_cursors, nodes=3, zones=2), [RELISTED_SAME_NODES], steps=15)
    assert result.outcome is Outcome.VIOLATED
    before, last = result.trace.steps[-2:]
    assert not RELISTED_SAME_NODES.holds(before.state, last.action, last.state)


def test_liveness_is_not_applicable_with_the_reason():
    (result,) = check(listing(list_from_resuming_cursors), [OFFERED_WHEN_QUIET])
    assert result.outcome is Outcome.NOT_APPLICABLE
    assert "a finite sample cannot show" in result.reason


@pytest.mark.slow
def test_results_come_in_the_order_asked():
    asked = [OFFERED_WHEN_QUIET, RELISTED_SAME_NODES, LISTED_EXACTLY_ONCE]
    results = check(listing(list_one_per_zone, nodes=2, zones=1), asked, runs=40)
    assert [r.property for r in results] == [p.name for p in asked]
    assert [r.outcome for r in results] == [Outcome.NOT_APPLICABLE, Outcome.HOLDS, Outcome.VIOLATED]


@pytest.mark.slow
def test_several_initial_states_and_the_end_of_all_actions():
    machine = Counter(starts=(0, 1, 2), top=4)
    (held,), (broken,) = (check(machine, [below(top)], runs=50) for top in (5, 4))
    assert held.outcome is Outcome.HOLDS, held.reason
    assert held.fired["rest"] == 0
    assert broken.trace.last == 4
    text = falsifying_example(machine, broken.trace)
    with pytest.raises(stateful.Violation, match="4 is too much"):
        exec(text, {"Counter": machine_class(machine, [below(4)])})


def test_a_violation_in_an_initial_state_is_a_trace_without_actions():
    (result,) = check(Counter(starts=(7,), top=8), [below(7)], runs=10)
    assert result.outcome is Outcome.VIOLATED
    assert (result.trace.length, result.explanation) == (0, "7 is too much")


def test_a_step_that_raises_is_a_violation_with_the_trace_up_to_there():
    (result,) = check(Counter(crash_at=2), [below(9)], runs=50)
    assert result.outcome is Outcome.VIOLATED
    assert result.explanation == "add raised ZeroDivisionError: division by zero (in add(by=1))"
    assert result.trace.last == 2


def test_a_predicate_that_raises_says_nothing_of_the_property():
    bad = Invariant("inverse", "1/n is defined.", (), lambda n: 1 / (2 - n) < 9, lambda n: True, str)
    (result,) = check(Counter(), [bad], runs=50)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "inverse cannot be evaluated: ZeroDivisionError" in result.reason
    assert result.trace.last == 2


def test_a_premise_that_no_run_meets_is_inconclusive():
    never = Invariant("never", "Nothing.", (), lambda n: True, lambda n: False, str)
    (result,) = check(Counter(), [never], runs=20)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "premise" in result.reason


def test_no_time_is_inconclusive_and_says_what_is_needed():
    (result,) = check(listing(list_from_resuming_cursors), [LISTED_EXACTLY_ONCE], timeout=0)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "more time" in result.reason
    assert result.claim is None


@pytest.mark.slow
def test_time_that_ends_while_shrinking_keeps_the_violation(monkeypatch):
    ticks = iter(range(10**9))
    monkeypatch.setattr(stateful, "monotonic", lambda: next(ticks))
    machine, low = Counter(top=6), below(5)
    whole = check(machine, [low])[0].transitions
    (result,) = check(machine, [low], timeout=whole - 50)
    assert result.outcome is Outcome.VIOLATED
    assert result.transitions < whole
    assert not low.holds(result.trace.last)


def test_a_rule_that_is_no_function_is_inconclusive():
    chance = random.Random(1)

    def list_at_random(tree):
        return (tree.names() if chance.random() < 0.7 else ()), tree

    (result,) = check(listing(list_at_random, nodes=2, zones=1), [LISTED_EXACTLY_ONCE], runs=50)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "pure functions" in result.reason


def test_a_machine_class_refuses_what_is_not_enabled():
    state = machine_class(listing(list_from_reset_cursors), [LISTED_EXACTLY_ONCE])()
    with pytest.raises(ValueError, match="remove_node"):
        state.remove_node(node="n1")


@pytest.mark.slow
class TestUserClass(machine_class(listing(list_from_reset_cursors, 2, 2), [LISTED_EXACTLY_ONCE]).TestCase):
    """What a user writes to have pytest run a machine."""

    settings = settings(max_examples=20)


@pytest.mark.slow
def test_properties_sampled_together_get_what_each_gets_alone():
    """One that breaks is taken out, and says nothing of the others."""
    machine = Counter(starts=(0,), top=4)
    low, high, never = (evolve(below(top), name=f"below-{top}") for top in (3, 4, 5))
    together = check(machine, [high, never, low], runs=50)
    assert [r.property for r in together] == ["below-4", "below-5", "below-3"]
    assert [r.outcome for r in together] == [Outcome.VIOLATED, Outcome.HOLDS, Outcome.VIOLATED]
    assert [r.trace and r.trace.length for r in together] == [4, None, 3]
    (alone,) = check(machine, [never], runs=50)
    assert together[1].claim == alone.claim


def test_a_command_leaves_nothing_in_the_current_folder(tmp_path: Path) -> None:
    asked = ["node-listing", "--release", "1.31.14", "--scope", "only nodes=2,zones=1", "--engine", "hypothesis"]
    subprocess.run([sys.executable, "-m", "kubeproof", "check", *asked], cwd=tmp_path, check=True, capture_output=True)
    assert not list(tmp_path.iterdir())
