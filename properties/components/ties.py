"""How one of the nodes of the highest total is chosen: each outcome counted with its exact probability.

Go: `selectHost`. No sample is drawn: every sequence of random numbers is followed to its end.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from model.scheduler.select_host import Chosen, Draws, SelectHostRules
from properties.components.claim import ComponentClaim

Draw = Callable[[Sequence[int], int], Draws]
# Nodes of a case of the grid at most, and their totals.
NODES, TOTALS = 5, (0, 1, 2)


@cache
def outcomes(draw: Draw, totals: tuple[int, ...], last_node_index: int = 0) -> Mapping[Chosen, Fraction]:
    """Each outcome with its probability, if `rand.Intn(n)` gives each number below n with probability 1/n."""
    found: dict[Chosen, Fraction] = {}
    left: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while left:
        drawn, probability = left.pop()
        steps = draw(totals, last_node_index)
        try:
            below = next(steps)
            for number in drawn:
                below = steps.send(number)
        except StopIteration as end:
            chosen: Chosen = end.value
            found[chosen] = found.get(chosen, Fraction(0)) + probability
        else:
            left += [((*drawn, number), probability / below) for number in range(below)]
    return found


def chances(draw: Draw, totals: tuple[int, ...], last_node_index: int = 0) -> list[Fraction]:
    """How likely each node is chosen."""
    found = [Fraction(0)] * len(totals)
    for (at, _), probability in outcomes(draw, totals, last_node_index).items():
        found[at] += probability
    return found


def _cases(rules: SelectHostRules) -> list[tuple[int, ...]]:
    return [totals for nodes in range(2, NODES + 1) for totals in product(TOTALS, repeat=nodes)]


def _lower_wins(rules: SelectHostRules, case: tuple[tuple[int, ...], int]) -> str | None:
    totals, last = case
    for at, chance in enumerate(chances(rules.draw_host, totals, last)):
        if chance and totals[at] < max(totals):
            return f"totals {list(totals)}: node {at} may be chosen"
    return None


def _not_even(rules: SelectHostRules, totals: tuple[int, ...]) -> str | None:
    even = Fraction(1, totals.count(max(totals)))
    for at, chance in enumerate(chances(rules.draw_host, totals)):
        if totals[at] == max(totals) and chance != even:
            return f"totals {list(totals)}: node {at} is chosen with probability {chance}, not {even}"
    return None


def turns(draw: Draw, choices: Sequence[tuple[int, ...]], rounds: int) -> list[set[int]]:
    """Pods come in turn, each with its totals of the nodes, again and again: the nodes that each may get in the end."""
    may: list[set[int]] = [set() for _ in choices]
    index = 0
    for at in [*range(len(choices))] * rounds:
        found = outcomes(draw, choices[at], index)
        may[at] |= {chosen for chosen, _ in found}
        index = next(last for _, last in found)
    return may


def _never(rules: SelectHostRules, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> str | None:
    """Two kinds of pods come in turn. After as many rounds as an index below 60 tells apart, nothing new comes."""
    one, other = pair
    for kind, choice, may in zip(("first", "second"), pair, turns(rules.draw_host, pair, 6), strict=True):
        best = {at for at, total in enumerate(choice) if total == max(choice)}
        if may != best:
            return (
                f"pods of two kinds in turn, with totals {list(one)} and {list(other)}: those of the {kind} kind "
                f"never get node {min(best - may)}"
            )
    return None


def left_out(draw: Draw, equals: int, choices: int, node: int = 0) -> Fraction:
    """How likely a node, the first, of so many equal ones gets none of so many pods that come one after the other."""
    chance, indexes = Fraction(0), {0: Fraction(1)}
    for _ in range(choices):
        after: dict[int, Fraction] = {}
        for index, so_far in indexes.items():
            for (at, last), probability in outcomes(draw, (0,) * equals, index).items():
                if at != node:
                    after[last] = after.get(last, Fraction(0)) + so_far * probability
        indexes = after
        chance = sum(indexes.values(), Fraction(0))
    return chance


def _without_its_turn(rules: SelectHostRules, case: tuple[int, int]) -> str | None:
    equals, node = case
    if not (chance := left_out(rules.draw_host, equals, equals, node)):
        return None
    which = f"node {node}" if node else "the first node"
    return f"{equals} equal nodes, {equals} pods: with probability {chance} {which} gets none"


def _of_the_grid(rules: SelectHostRules) -> str:
    return f"2 to {NODES} nodes with totals from {TOTALS[0]} to {TOTALS[-1]}"


TIES: tuple[ComponentClaim[SelectHostRules, Any], ...] = (
    ComponentClaim(
        "the-highest-total-wins", "Only a node of the highest total is chosen.",
        lambda rules: product(_cases(rules), range(2)), _lower_wins, _of_the_grid,
    ),
    ComponentClaim(
        "equals-are-equally-likely", "Each node of the highest total is chosen with the same probability.",
        _cases, _not_even, _of_the_grid,
    ),
    ComponentClaim(
        "every-equal-is-chosen", "Whoever else chooses in between, each node of the highest total can be chosen.",
        lambda rules: (pair for pair in product(_cases(rules), repeat=2) if len(pair[0]) == len(pair[1]) <= 3),
        _never, lambda rules: "two kinds of pods in turn on 2 or 3 nodes",
    ),
    ComponentClaim(
        "every-equal-gets-its-turn", "Of k nodes that are equal for k pods, each gets one of the pods.",
        lambda rules: ((equals, node) for equals in range(2, NODES + 1) for node in range(equals)),
        _without_its_turn, lambda rules: f"2 to {NODES} equal nodes",
    ),
)  # fmt: skip
