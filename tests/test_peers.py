"""The peers explore the states of the machine, and the pages are those of the kept numbers.

A test that runs spin or rumur is skipped where it is not installed.
"""

import json
from argparse import Namespace

import pytest
from attrs import evolve

from benchmarks.peers.__main__ import admit, measured
from benchmarks.peers.asked import ASKED, Asked
from benchmarks.peers.engines import ENGINES, EXPLICIT, RUMUR, SPIN, TLC, Ask, Engine, Said
from benchmarks.peers.kept import KEPT, Run, files, run_of
from kubeproof.engines.explicit import explore

LIMITS = Namespace(cpu=120.0, memory=4_000.0)
BY_SYSTEM = pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.system.name)
SEARCHED = Run("spin", "node-listing", "nodes=3,zones=2", "1.18.7", False, Said(7_523, 52_660), None, 1, 1, 1, 1, 2)


def kept() -> list[Run]:
    told = json.loads(KEPT.read_text("utf-8"))
    return [run_of(run) for system in told.values() for run in system["runs"]]


def test_the_pages_and_pictures_are_those_of_the_kept_numbers() -> None:
    assert {path: path.read_text("utf-8") for path in files()} == files()


def test_in_every_kept_scope_the_engines_say_the_same() -> None:
    runs = kept()
    assert {run.engine for run in runs} == set(ENGINES)
    for run in runs:
        alike = [
            each for each in runs if (each.scope, each.release, each.symmetry) == (run.scope, run.release, run.symmetry)
        ]
        admit(run, next((each for each in alike if each.said), None))


@BY_SYSTEM
@pytest.mark.parametrize("symmetry", [False, True])
def test_the_kept_counts_of_the_smallest_scope_are_those_of_today(asked: Asked, symmetry: bool) -> None:
    scope = asked.scopes[0]
    counts = explore(asked.system.machine(asked.scope(scope), asked.rules(asked.holds)), symmetry=symmetry).counts
    for run in kept():
        if (run.system, run.scope, run.release, run.symmetry) == (asked.system.name, scope, asked.holds, symmetry):
            assert run.said == Said(counts.distinct, counts.generated)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(Said(7_524, 52_660), id="a state more"),
        pytest.param(Said(7_523, 52_659), id="a transition less"),
        pytest.param(Said(7_523, 52_660, 5), id="violated"),
    ],
)
def test_a_peer_that_says_something_else_is_refused(said: Said) -> None:
    admit(evolve(SEARCHED, engine="rumur"), SEARCHED)
    with pytest.raises(SystemExit, match=r"nodes=3,zones=2, 1\.18\.7: spin says .*7523.* rumur"):
        admit(evolve(SEARCHED, engine="rumur", said=said), SEARCHED)


def test_a_counterexample_is_compared_by_its_length() -> None:
    first = evolve(SEARCHED, said=Said(487, 965, 5))
    admit(evolve(first, said=Said(478, 938, 5)), first)
    with pytest.raises(SystemExit):
        admit(evolve(first, said=Said(487, 965, 6)), first)


def test_a_number_that_spin_rounds_is_not_compared() -> None:
    lines = " 11505657 states, stored\n1.1505657e+08 states, matched\n1.2656223e+08 transitions (= stored+matched)\n"
    said = SPIN.read(lines)
    assert said == Said(11_505_657, None)
    assert said.agrees(Said(11_505_657, 126_562_227))
    assert not said.agrees(Said(11_505_658, 126_562_227))
    with pytest.raises(ValueError, match="states, stored"):
        SPIN.read(lines.replace("11505657 ", "1.1505657e+08 "))


@pytest.mark.parametrize("engine", [SPIN, RUMUR])
def test_what_is_no_answer_is_not_read(engine: Engine) -> None:
    with pytest.raises(ValueError, match="in its output"):
        engine.read("out of memory")


@pytest.mark.slow
@BY_SYSTEM
@pytest.mark.parametrize("engine", [TLC, SPIN, RUMUR], ids=lambda engine: engine.name)
@pytest.mark.parametrize("symmetry", [False, True], ids=["plain", "symmetry"])
def test_each_peer_counts_and_finds_what_the_explicit_engine_does(asked: Asked, engine: Engine, symmetry: bool) -> None:
    if engine.missing():
        pytest.skip(f"not installed: {', '.join(engine.missing())}")
    if symmetry and not engine.has_symmetry:
        pytest.skip(f"{engine.name} has no symmetry")
    for release in (asked.holds, asked.violated):
        ask = Ask(asked, asked.scopes[0], release, symmetry)
        run, first = (measured(each, ask, LIMITS) for each in (engine, EXPLICIT))
        assert run.said is not None, run.cut
        assert (run.said.length is not None) is ask.finds
        admit(run, first)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [SPIN, RUMUR], ids=lambda engine: engine.name)
def test_a_bag_does_not_tell_two_equal_bindings_apart(engine: Engine) -> None:
    """No kept scope has two equal bindings of one pod. Here both wait to patch the condition."""
    if engine.missing():
        pytest.skip(f"not installed: {', '.join(engine.missing())}")
    queue = next(asked for asked in ASKED if asked.system.name == "queueing-hints")
    asked = evolve(queue, common="plugins=1,changes=1,bind_errors=2,goroutines=2,clock=1,gate=1")
    counts = explore(asked.system.machine(asked.scope("pods=1,updates=0"), asked.rules(asked.holds))).counts
    said = measured(engine, Ask(asked, "pods=1,updates=0", asked.holds), LIMITS).said
    assert said == Said(counts.distinct, counts.generated)
