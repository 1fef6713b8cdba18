"""For any number of pods on a node: no victim of `selectVictimsOnNode` could stay.

All pods of lower priority leave. Then they come back one by one, and whoever finds no room is a victim. If the filters
are monotone (a pod that fits beside some pods fits beside fewer of them), then no smaller set of victims, by inclusion,
would do: in whichever order the pods come back, and so whatever the disruption budgets say. One pod is watched,
whichever one. The filters are a predicate on sets of pods of which nothing else is known.

The proof remembers one more set: who was back when the watched pod was refused. Without monotone filters a victim may
be one that could stay; a smallest case has two pods.
"""

from typing import Any

from attrs import frozen
from z3 import (
    And,
    BitVecSort,
    BitVecVal,
    Bool,
    BoolRef,
    BoolSort,
    BoolVal,
    Const,
    DeclareSort,
    EmptySet,
    Function,
    If,
    Implies,
    IsMember,
    IsSubset,
    Not,
    Or,
    SetAdd,
    SetSort,
    Solver,
    is_true,
    sat,
)

from model.scheduler.preemption.victims import VictimRules
from properties.forms import without_form
from properties.smt.scheduling_cycle.argument import Argument, Claim, CycleStep, Lemma

SUFFICES, COULD_NOT_STAY, SMALLEST = "victims-suffice", "no-victim-could-stay", "no-part-suffices"
PODS = DeclareSort("Pod")
_SETS = SetSort(PODS)
_WATCHED = Const("watched", PODS)
# The candidates that would be back if others were the victims.
_OTHERS = Const("others", _SETS)
# Whether the preemptor fits beside these candidates.
_fits = Function("fits", _SETS, BoolSort())
# Fields whose rule is not looked at: any will do. Every release's rule for the budgets gives each candidate one turn.
_ANY = ("without_lower_pods", "order_of_victims")


@frozen
class Reprieve:
    """Between two pods that may come back. The fields are Z3 terms: sets of pods, a truth value, and a pod."""

    # The candidates that are back on the node.
    back: Any
    # Those that were refused.
    victims: Any
    # Those that were back when the watched pod was refused.
    back_then: Any
    # Whether the watched pod was refused.
    refused: BoolRef
    # The pod that had its turn last.
    last: Any

    @classmethod
    def of(cls, tag: str) -> "Reprieve":
        """Fresh variables."""
        sets = {name: Const(name + tag, _SETS) for name in ("back", "victims", "back_then")}
        return cls(refused=Bool("refused" + tag), last=Const("last" + tag, PODS), **sets)


def monotone(fewer: Any, more: Any) -> BoolRef:
    """What monotone filters say of two sets."""
    return Implies(And(IsSubset(fewer, more), _fits(more)), _fits(fewer))


def _turn(now: Reprieve, then: Reprieve) -> BoolRef:
    """A pod that had no turn yet comes back, or is a victim (Go: `reprievePod`)."""
    pod = then.last
    room = _fits(SetAdd(now.back, pod))
    refused = And(pod == _WATCHED, Not(room))
    return And(
        Not(IsMember(pod, now.back)),
        Not(IsMember(pod, now.victims)),
        then.back == If(room, SetAdd(now.back, pod), now.back),
        then.victims == If(room, now.victims, SetAdd(now.victims, pod)),
        then.refused == Or(now.refused, refused),
        then.back_then == If(refused, now.back, now.back_then),
    )


def _start(now: Reprieve) -> BoolRef:
    """All candidates have left, and the preemptor fits: else the node is no candidate."""
    nobody = EmptySet(PODS)
    return And(now.back == nobody, now.victims == nobody, Not(now.refused), _fits(now.back))


LEMMAS: tuple[Lemma[Reprieve], ...] = (
    Lemma("The preemptor fits beside those that are back.", lambda now: _fits(now.back)),
    Lemma("The watched pod is a victim if it was refused.", lambda now: now.refused == IsMember(_WATCHED, now.victims)),
    Lemma("A victim is not back.", lambda now: Implies(now.refused, Not(IsMember(_WATCHED, now.back)))),
    Lemma(
        "A refused pod did not fit beside those that were back then.",
        lambda now: Implies(now.refused, Not(_fits(SetAdd(now.back_then, _WATCHED)))),
    ),
    Lemma("Whoever was back then is still back.", lambda now: Implies(now.refused, IsSubset(now.back_then, now.back))),
)


def _could_stay(now: Reprieve) -> BoolRef:
    return And(now.refused, _fits(SetAdd(now.back, _WATCHED)))


def _still_refused(now: Reprieve) -> BoolRef:
    """What monotone filters say of the watched pod then and now."""
    return monotone(SetAdd(now.back_then, _WATCHED), SetAdd(now.back, _WATCHED))


def _fewer(now: Reprieve) -> BoolRef:
    """With others back besides, of whom the watched one is one, the preemptor still fits."""
    more = And(IsSubset(now.back, _OTHERS), IsMember(_WATCHED, _OTHERS), now.refused, _fits(_OTHERS))
    return And(more, monotone(SetAdd(now.back, _WATCHED), _OTHERS), _still_refused(now))


def why_none(rules: VictimRules) -> str | None:
    """Why there is no argument for these rules, or None."""
    unknown = without_form(rules, (), _ANY)
    return None if unknown is None else f"the rule {unknown} has no Z3 form"


def argument(*, is_monotone: bool = True) -> Argument[Reprieve]:
    """That no victim could stay, in whichever order the candidates come back."""
    stays = (lambda now: And(_could_stay(now), _still_refused(now))) if is_monotone else _could_stay
    claims = [
        Claim[Reprieve](SUFFICES, "a pod comes back only if the preemptor fits", lambda now: Not(_fits(now.back))),
        Claim[Reprieve](
            COULD_NOT_STAY, "a victim did not fit beside fewer pods, so it does not fit beside more", stays
        ),
    ]
    if is_monotone:
        why = "when each candidate had its turn, whoever is not back was refused, and could not stay alone either"
        claims.append(Claim(SMALLEST, why, _fewer))
    return Argument(
        name="the reprieve of victims",
        state=Reprieve.of,
        start=_start,
        steps=(CycleStep("a pod has its turn", _turn),),
        lemmas=LEMMAS,
        claims=tuple(claims),
        small=lambda now, size: BoolVal(True),
        details={"pods": "any number", "order": "any", "filters": "monotone" if is_monotone else "any"},
    )


@frozen
class Case:
    """A node, the filters, and the victims. The candidates have the numbers from 0 on, and come back in this order."""

    # The sets of candidates beside which the preemptor fits.
    fitting: frozenset[frozenset[int]]
    victims: frozenset[int]


class Unrolled:
    """The reprieve of so many candidates from beginning to end. A set of them is a number, with a bit for each."""

    def __init__(self, pods: int) -> None:
        self.pods = pods
        self._fits = Function("fits", BitVecSort(pods), BoolSort())
        self._ones = [BitVecVal(1 << at, pods) for at in range(pods)]
        self._back: Any = BitVecVal(0, pods)
        for one in self._ones:
            self._back = If(self._fits(self._back | one), self._back | one, self._back)

    def case(self, *conditions: BoolRef) -> Case | None:
        """A case that meets the conditions, in which the preemptor fits if all candidates leave; or None."""
        solver = Solver()
        solver.add(self.fits(frozenset()), *conditions)
        if solver.check() != sat:
            return None
        model = solver.model()
        back = model.eval(self._back, model_completion=True).as_long()
        sets = (frozenset(at for at in range(self.pods) if number >> at & 1) for number in range(1 << self.pods))
        fitting = frozenset(each for each in sets if is_true(model.eval(self.fits(each), model_completion=True)))
        return Case(fitting, frozenset(at for at in range(self.pods) if not back >> at & 1))

    def fits(self, pods: frozenset[int]) -> BoolRef:
        """The preemptor fits beside these candidates."""
        return self._fits(BitVecVal(sum(1 << at for at in pods), self.pods))

    def could_stay(self) -> BoolRef:
        """Some victim could stay."""
        return Or(*(And(self._back & one == 0, self._fits(self._back | one)) for one in self._ones))

    def monotone(self) -> BoolRef:
        """The filters are monotone."""
        every = [BitVecVal(number, self.pods) for number in range(1 << self.pods)]
        return And(*(Implies(self._fits(one | other), self._fits(one)) for one in every for other in every))
