"""Looks on every node for a choice of victims that does less harm than what the release may choose."""

from collections.abc import Iterable, Mapping

import z3
from attrs import frozen

from kubeproof.advise.preemption.cluster import Cluster
from kubeproof.advise.preemption.least_harm import CHOICES, Kinds, Least, by_brute_force, harm_of, hopeless, kinds_of
from model.scheduler.preemption.objects import PreemptionNode, Victims

# After so many nodes on which the optimiser finds no answer the optimiser is not asked again.
GIVEN_UP = 3


@frozen
class Search:
    """What was found."""

    # The least harmful choice of all that were looked at.
    least: Least
    # The nodes on which there may be a less harmful one: too many choices.
    not_known: tuple[str, ...]


def least_harm(cluster: Cluster, nodes: Iterable[PreemptionNode], chosen: Iterable[tuple[str, Victims]]) -> Search:
    """The least harm on `nodes`. `chosen`: what the release may choose, at least one answer."""
    answers = tuple(chosen)
    best = min(
        (Least(harm_of(cluster, node, victims.pods), node, victims.pods) for node, victims in answers),
        key=lambda each: each.harm,
    )
    not_known: list[str] = []
    picked: Mapping[str, None] = dict.fromkeys(node for node, _ in answers)
    # The chosen nodes first: the less harm is known, the fewer pods of the other nodes come into question.
    for node in sorted(nodes, key=lambda each: each.name not in picked):
        kinds = kinds_of(cluster, node, best.harm)
        if not kinds.suffice or hopeless(kinds, best.harm):
            continue
        if kinds.choices <= CHOICES:
            counts = by_brute_force(kinds)
        else:
            counts = by_optimiser(kinds) if len(not_known) < GIVEN_UP else None
            if counts is None:
                not_known.append(node.name)
        if counts is not None:
            victims = kinds.chosen(counts)
            harm = harm_of(cluster, node.name, victims)
            if harm < best.harm:
                best = Least(harm, node.name, victims)
    return Search(best, tuple(not_known))


# --- The least harmful choice of pods on a node with too many pods for brute force, by Z3's optimiser

# Z3's own measure of its work on one node, the same on every machine: about two seconds.
WORK = 10_000_000


def by_optimiser(kinds: Kinds, work: int = WORK) -> tuple[int, ...] | None:
    """How many of each kind go in a least harmful choice; None: not known with so much work.

    The pods of all kinds together must suffice (`Kinds.suffice`).
    """
    context = z3.Context()
    solver = z3.Optimize(ctx=context)
    solver.set("rlimit", work)
    counts = [z3.Int(f"count{at}", context) for at in range(len(kinds.pods))]
    for count, pods in zip(counts, kinds.pods, strict=True):
        solver.add(count >= 0, count <= len(pods))
    for at, (_, amount) in enumerate(kinds.needed):
        solver.add(_sum(counts, [each[at] for each in kinds.leaves]) >= amount)
    over = []
    for at, allowed in enumerate(kinds.allowed):
        over.append(z3.Int(f"over{at}", context))
        solver.add(over[at] >= 0, over[at] >= _sum(counts, [int(each[at]) for each in kinds.takes]) - allowed)
    ranks = sorted({pods[0].priority for pods in kinds.pods})
    highest = z3.Int("highest", context)
    for count, pods in zip(counts, kinds.pods, strict=True):
        solver.add(z3.Implies(count > 0, highest >= ranks.index(pods[0].priority)))
    if over:
        solver.minimize(z3.Sum(over))
    solver.minimize(highest)
    solver.minimize(_sum(counts, [pods[0].priority + 2**31 for pods in kinds.pods]))
    solver.minimize(z3.Sum(counts))
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    return tuple(model.eval(count, model_completion=True).as_long() for count in counts)


def _sum(counts: list[z3.ArithRef], amounts: list[int]) -> z3.ArithRef:
    return z3.Sum([count * amount for count, amount in zip(counts, amounts, strict=True)])
