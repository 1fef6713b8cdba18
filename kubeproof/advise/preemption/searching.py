"""Looks on every node for a choice of victims that does less harm than what the release may choose."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from kubeproof.advise.preemption.cluster import Cluster
from kubeproof.advise.preemption.least_harm import CHOICES, Least, by_brute_force, harm_of, hopeless, kinds_of
from kubeproof.advise.preemption.optimiser import by_optimiser
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
