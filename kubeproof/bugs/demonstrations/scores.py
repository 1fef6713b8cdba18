"""Weights of scores that a release admits, and what the totals of two nodes become with them."""

from attrs import evolve

from kubeproof.bugs.component import Demonstration
from model.go.integers import MAX_INT32
from model.releases import Release, parse_release, rules_for
from properties.scoring.claim import ScoreRules
from properties.scoring.totals import Asked, first_extender_weight, totals

# The first weight that is no int32, and the one at which an int32 is 0 again.
_CUT = (2**31 - 1, 2**31, 2**32)


def extender_overflows(release: Release) -> Demonstration:
    """An extender gives n0 its 10 points and n1 none, with the last weight that is right and the first that is not."""
    return _with_extender(rules_for(ScoreRules, release))


def limited_to_int32() -> Demonstration:
    """The same if the weight of an extender has to be an int32, as that of a plugin is. No release asks for that."""
    rules = rules_for(ScoreRules, parse_release("1.31.13"))
    return _with_extender(evolve(rules, refuses_extender=_no_int32))


def _no_int32(weight: int) -> str | None:
    return None if 0 < weight <= MAX_INT32 else "must be a positive int32"


def _with_extender(rules: ScoreRules) -> Demonstration:
    shown, lines = [], []
    for weight in (first_extender_weight(rules) - 1, first_extender_weight(rules)):
        refused = rules.refuses_extender(weight)
        if refused is not None:
            lines.append(f"an extender of weight {weight} is refused: {refused}")
            continue
        best, other = totals(rules, Asked(extender_weight=weight))
        chosen = "n0" if best > other else "n1"
        lines.append(
            f"an extender of weight {weight} answers 10 for n0 and 0 for n1: totals {best} and {other}, and {chosen} "
            "is chosen"
        )
        if chosen != "n0":
            shown.append(f"with weight {weight} the node is chosen that the extender likes least")
    return Demonstration(tuple(shown), tuple(lines))


def policy_weight_is_cut(release: Release) -> Demonstration:
    """A priority of a Policy gives n0 its highest score and n1 none, with weights that an int32 has and has not."""
    rules = rules_for(ScoreRules, release)
    shown, lines = [], []
    for weight in _CUT:
        refused = rules.refuses_priorities((weight,))
        if refused is not None:
            lines.append(f"a priority of weight {weight}: {refused}")
            continue
        taken = rules.weight_of_priority(weight)
        best, other = totals(rules, Asked((taken,)))
        lines.append(f"a priority of weight {weight} counts with {taken}: totals of n0 and n1 {best} and {other}")
        if best <= other:
            shown.append(f"with weight {weight} the node is chosen that the priority likes least")
        elif taken != weight:
            shown.append(f"weight {weight} counts as {taken}")
    return Demonstration(tuple(shown), tuple(lines))
