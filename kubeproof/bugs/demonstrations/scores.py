"""Weights of scores that a release admits, and what the totals of two nodes become with them."""

from kubeproof.bugs.component import Demonstration, Under
from model.go.integers import MAX_INT32
from properties.components.scores import ScoreRules, first_extender_weight, totals
from properties.components.ties import chances, turns

# The first weight that is no int32, and the one at which an int32 is 0 again.
_CUT = (2**31 - 1, 2**31, 2**32)


def extender_overflows(under: Under) -> Demonstration:
    """An extender gives n0 its 10 points and n1 none, with the last weight that is right and the first that is not."""
    rules = under.rules(ScoreRules)
    shown, lines = [], []
    for weight in (first_extender_weight(rules) - 1, first_extender_weight(rules)):
        refused = rules.refuses_extender(weight)
        if refused is not None:
            lines.append(f"an extender of weight {weight} is refused: {refused}")
            continue
        best, other = totals(rules, extender_weight=weight)
        chosen = "n0" if best > other else "n1"
        lines.append(
            f"an extender of weight {weight} answers 10 for n0 and 0 for n1: totals {best} and {other}, and {chosen} "
            "is chosen"
        )
        if chosen != "n0":
            shown.append(f"with weight {weight} the node is chosen that the extender likes least")
    return Demonstration(tuple(shown), tuple(lines))


def only_int32(weight: int) -> str | None:
    """The weight of an extender has to be an int32, as that of a plugin. No release asks for that."""
    return None if 0 < weight <= MAX_INT32 else "must be a positive int32"


def policy_weight_is_cut(under: Under) -> Demonstration:
    """A priority of a Policy gives n0 its highest score and n1 none, with weights that an int32 has and has not."""
    rules = under.rules(ScoreRules)
    shown, lines = [], []
    for weight in _CUT:
        refused = rules.refuses_priorities((weight,))
        if refused is not None:
            lines.append(f"a priority of weight {weight}: {refused}")
            continue
        taken = rules.weight_of_priority(weight)
        best, other = totals(rules, (taken,))
        lines.append(f"a priority of weight {weight} counts with {taken}: totals of n0 and n1 {best} and {other}")
        if best <= other:
            shown.append(f"with weight {weight} the node is chosen that the priority likes least")
        elif taken != weight:
            shown.append(f"weight {weight} counts as {taken}")
    return Demonstration(tuple(shown), tuple(lines))


# Nodes of one total, and so many pods that each of the nodes would have its turn.
_EQUALS = 3


def equals_are_not_drawn(under: Under) -> Demonstration:
    """Three nodes have one total, and no extender scores. Pod after pod is to be placed, and the totals stay."""
    rules = under.rules(ScoreRules)
    totals_of_all = (0,) * _EQUALS
    (may,) = turns(rules.draw_host, (totals_of_all,), _EQUALS)
    lines = [f"{_EQUALS} nodes have one total; of the first pod's choice:"]
    lines += [f"  n{at} with probability {chance}" for at, chance in enumerate(chances(rules.draw_host, totals_of_all))]
    never = [f"n{at}" for at in range(_EQUALS) if at not in may]
    if not never:
        return Demonstration((), (*lines, "pod after pod, each of them may be chosen"))
    return Demonstration(("only the first of equal nodes is chosen",), (*lines, f"never chosen: {', '.join(never)}"))
