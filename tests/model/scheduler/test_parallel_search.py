"""Several workers ask nodes at the same time: every end of a search, against Go's own loop taken step by step."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from model.releases import parse_release, rules_for
from model.scheduler.filtering import FilteringRules
from model.scheduler.parallel_search import Ended, ways_to_end
from properties.components.start_index import Grid, Search, made


@pytest.mark.parametrize("fits", [*product((True, False), repeat=4)])
@pytest.mark.parametrize("enough", [1, 2, 3, 4])
def test_with_one_worker_there_is_one_end_and_it_is_the_component_s(fits: tuple[bool, ...], enough: int) -> None:
    names = ("n0", "n1", "n2", "n3")
    (end,) = ways_to_end(fits, enough, 1)
    search = Search(frozenset(name for name, each in zip(names, fits, strict=True) if each))
    after = made(
        rules_for(FilteringRules, parse_release("1.31.13")), Grid(names, enough), (0, Grid(names, 1).tree), search
    )
    assert tuple(names[at] for at in end.examined) == after.examined
    assert (len(end.found) + len(end.refused)) % 4 == after.after[0]


def interleaved(fits: tuple[bool, ...], enough: int, workers: int, drawn: Random) -> Ended:
    """One run of the goroutines, each of which draws lots with the others for the next thing that Go does."""
    nodes, cancelled = iter(range(len(fits))), False
    examined: list[int] = []
    found: list[int] = []
    refused: list[int] = []

    def worker() -> Iterator[None]:
        nonlocal cancelled
        for node in nodes:
            yield
            if cancelled:
                return
            yield
            examined.append(node)
            if not fits[node]:
                refused.append(node)
            elif len(found) < enough:
                found.append(node)
            else:
                yield
                cancelled = True
            yield

    running = [worker() for _ in range(workers)]
    while running:
        one = drawn.choice(running)
        if next(one, True):
            running.remove(one)
    return Ended(*(tuple(sorted(each)) for each in (examined, found, refused)), cancelled)


@pytest.mark.parametrize("fits", [(True, True, True, True), (True, False, True, True), (False, True, True, False)])
@pytest.mark.parametrize("enough", [1, 2])
def test_every_end_is_reached_by_a_run_and_no_run_ends_otherwise(fits: tuple[bool, ...], enough: int) -> None:
    drawn = Random(0)
    seen = {interleaved(fits, enough, 2, drawn) for _ in range(6000)}
    assert seen == set(ways_to_end(fits, enough, 2))


def test_a_node_that_a_worker_has_taken_may_not_be_asked() -> None:
    """The other worker has found enough before. The nodes counted are as many as if it had been asked."""
    assert Ended((1, 2), (1,), (), True) in ways_to_end((True, True, True), 1, 2)
