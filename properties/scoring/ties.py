"""How one of the nodes of the highest total is chosen: each outcome counted with its exact probability.

Go: `selectHost`. No sample is drawn: every sequence of random numbers is followed to its end.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from model.scheduler.select_host import Chosen, Draws
from properties.scoring.claim import Claim, Judged, ScoreRules, holds, violated

Draw = Callable[[Sequence[int], int], Draws]
# Nodes of a case of the grid at most, and their totals.
NODES, TOTALS = 5, (0, 1, 2)
GRID = f"2 to {NODES} nodes with totals from {TOTALS[0]} to {TOTALS[-1]}"


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


def _cases() -> list[tuple[int, ...]]:
    return [totals for nodes in range(2, NODES + 1) for totals in product(TOTALS, repeat=nodes)]


def _highest_wins(rules: ScoreRules) -> Judged:
    for totals in _cases():
        for last in range(2):
            for at, chance in enumerate(chances(rules.draw_host, totals, last)):
                if chance and totals[at] < max(totals):
                    return violated(f"totals {list(totals)}: node {at} may be chosen")
    return holds(GRID)


def _equally_likely(rules: ScoreRules) -> Judged:
    for totals in _cases():
        even = Fraction(1, totals.count(max(totals)))
        for at, chance in enumerate(chances(rules.draw_host, totals)):
            if totals[at] == max(totals) and chance != even:
                return violated(f"totals {list(totals)}: node {at} is chosen with probability {chance}, not {even}")
    return holds(GRID)


def turns(draw: Draw, choices: Sequence[tuple[int, ...]], rounds: int) -> list[set[int]]:
    """Pods come in turn, each with its totals of the nodes, again and again: the nodes that each may get in the end."""
    may: list[set[int]] = [set() for _ in choices]
    index = 0
    for at in [*range(len(choices))] * rounds:
        found = outcomes(draw, choices[at], index)
        may[at] |= {chosen for chosen, _ in found}
        index = next(last for _, last in found)
    return may


def _whoever_chooses_between(rules: ScoreRules) -> Judged:
    """Two kinds of pods come in turn. After as many rounds as an index below 60 tells apart, nothing new comes."""
    for one, other in product(_cases(), repeat=2):
        if len(one) != len(other) or len(one) > 3:
            continue
        got = turns(rules.draw_host, (one, other), 6)
        for kind, choice, may in zip(("first", "second"), (one, other), got, strict=True):
            best = {at for at, total in enumerate(choice) if total == max(choice)}
            if may != best:
                return violated(
                    f"pods of two kinds in turn, with totals {list(one)} and {list(other)}: those of the {kind} kind "
                    f"never get node {min(best - may)}"
                )
    return holds("two kinds of pods in turn on 2 or 3 nodes")


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


def _in_turn(rules: ScoreRules) -> Judged:
    for equals in range(2, NODES + 1):
        for node in range(equals):
            chance = left_out(rules.draw_host, equals, equals, node)
            if chance:
                which = f"node {node}" if node else "the first node"
                return violated(f"{equals} equal nodes, {equals} pods: with probability {chance} {which} gets none")
    return holds(f"2 to {NODES} equal nodes")


TIES: tuple[Claim, ...] = (
    Claim("the-highest-total-wins", "Only a node of the highest total is chosen.", _highest_wins),
    Claim("equals-are-equally-likely", "Each node of the highest total is chosen with the same probability.",
          _equally_likely),
    Claim("every-equal-is-chosen", "Whoever else chooses in between, each node of the highest total can be chosen.",
          _whoever_chooses_between),
    Claim("every-equal-gets-its-turn", "Of k nodes that are equal for k pods, each gets one of the pods.", _in_turn),
)  # fmt: skip
