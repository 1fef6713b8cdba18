"""For any number of nodes: each node of the highest total is chosen with the same probability.

Go: `selectHost`, from 1.16 on. The k-th node of the highest total so far replaces the chosen one with probability 1/k
(reservoir sampling). One node is watched, whichever one, with the exact probability that it is the chosen one.
`properties/components/ties.py` counts the outcomes of small lists one by one.
"""

from collections.abc import Callable

from attrs import frozen
from z3 import And, ArithRef, Bool, BoolRef, Implies, Int, Not, Or, Real, ToReal

from model.scheduler import select_host
from model.scheduler.select_host import SelectHostRules
from properties.forms import Forms, without_form
from properties.smt.scheduling_cycle.argument import Argument, Claim, CycleStep, Lemma

EQUALLY_LIKELY = "equals-are-equally-likely"


def one_in_as_many(equals: ArithRef) -> ArithRef:
    """Reservoir sampling."""
    return equals


# (how many nodes are equal, with the new one) -> one in how many draws takes the new one.
RESERVOIR = Forms[Callable[[ArithRef], ArithRef]](
    "draw_host",
    {select_host.drawn_in_one_pass: one_in_as_many, select_host.drawn_from_a_heap: one_in_as_many},
)
HIGHER, EQUAL, LOWER = "a node with a higher total", "a node with the same total", "a node with a lower total"


@frozen
class Drawing:
    """After some nodes of the list."""

    # How many nodes had the highest total so far.
    equals: ArithRef
    # Whether the watched node is one of them, and how likely it is the chosen one.
    watched: BoolRef
    chance: ArithRef
    # Whether the watched node was looked at.
    passed: BoolRef

    @classmethod
    def of(cls, tag: str) -> "Drawing":
        """Fresh variables."""
        return cls(Int("equals" + tag), Bool("watched" + tag), Real("chance" + tag), Bool("passed" + tag))


def _chosen_now(now: Drawing, then: Drawing, chance: ArithRef | int) -> BoolRef:
    """The new node is the watched one, and has this probability."""
    return And(Not(now.passed), then.passed, then.watched, then.chance == chance)


def _higher(now: Drawing, then: Drawing) -> BoolRef:
    other = And(then.passed == now.passed, Not(then.watched), then.chance == 0)
    return And(then.equals == 1, Or(_chosen_now(now, then, 1), other))


def _equal(one_in: Callable[[ArithRef], ArithRef], now: Drawing, then: Drawing) -> BoolRef:
    draws = ToReal(one_in(then.equals))
    # The probability without a division: 1/draws that the new node is taken, else the chosen one stays.
    its = And(Not(now.passed), then.passed, then.watched, then.chance * draws == 1)
    stays = And(then.watched == now.watched, then.chance * draws == now.chance * (draws - 1))
    return And(then.equals == now.equals + 1, Or(its, And(then.passed == now.passed, stays)))


def _lower(now: Drawing, then: Drawing) -> BoolRef:
    its = And(Not(now.passed), then.passed, Not(then.watched), then.chance == 0)
    stays = And(then.passed == now.passed, then.watched == now.watched, then.chance == now.chance)
    return And(then.equals == now.equals, Or(its, stays))


LEMMAS: tuple[Lemma[Drawing], ...] = (
    Lemma(
        "Some node has the highest total, and the watched one only after it was looked at.",
        lambda now: And(now.equals >= 1, Implies(now.watched, now.passed)),
    ),
    Lemma(
        "A node of the highest total has its part of the probability.",
        lambda now: Implies(now.watched, now.chance * ToReal(now.equals) == 1),
    ),
    Lemma("No other node is chosen.", lambda now: Implies(Not(now.watched), now.chance == 0)),
)


def why_none(rules: SelectHostRules) -> str | None:
    """Why there is no argument for these rules, or None."""
    if rules.draw_host is select_host.next_in_turn:
        return "the nodes are taken in turn"
    unknown = without_form(rules, (RESERVOIR,))
    return None if unknown is None else f"the rule {unknown} has no Z3 form"


def _start(now: Drawing) -> BoolRef:
    """The first node of the list is the chosen one; it may be the watched one."""
    chance = Or(And(now.watched, now.chance == 1), And(Not(now.watched), now.chance == 0))
    return And(now.equals == 1, now.passed == now.watched, chance)


def argument(one_in: Callable[[ArithRef], ArithRef]) -> Argument[Drawing]:
    """That equals are equally likely, if the new one of so many equals is taken `one_in` so many draws."""

    def equal(now: Drawing, then: Drawing) -> BoolRef:
        return _equal(one_in, now, then)

    return Argument(
        name="the choice among equals",
        state=Drawing.of,
        start=_start,
        steps=(CycleStep(HIGHER, _higher), CycleStep(EQUAL, equal), CycleStep(LOWER, _lower)),
        lemmas=LEMMAS,
        claims=(
            Claim(
                EQUALLY_LIKELY,
                "the parts of all nodes of the highest total are the same",
                lambda now: And(now.watched, now.chance * ToReal(now.equals) != 1),
            ),
        ),
        small=lambda now, size: now.equals <= size,
        details={"nodes": "any number"},
    )
