"""Which rule of the release is to blame for a needless eviction: with a later release's rule in its place none is."""

from collections.abc import Callable

from attrs import evolve, frozen

from kubeproof.advise.pod_events.bugs import KnownBug, known_bug
from kubeproof.advise.preemption.choosing import Choices
from kubeproof.advise.preemption.cluster import Cluster, ClusterRules
from kubeproof.advise.preemption.least_harm import Harm, harm_of
from model.releases import Release, newest

# The documented bug behind the older rules of a field.
BUGS = {"pods_with_pdb_violation": "PREEMPT-PDB-COUNT", "order_of_victims": "PREEMPT-VICTIM-ORDER"}
# No modelled release cures this one: the budgets are then taken for what they select.
EMPTY_SELECTOR = "PREEMPT-PDB-EMPTY-SELECTOR"


@frozen
class Blame:
    """What a needless eviction comes from."""

    # The bugs each of which is to blame alone.
    bugs: tuple[KnownBug, ...]
    # Whether the newest modelled release may evict needlessly too; None: not known.
    newest_too: bool | None


def blame(cluster: Cluster, release: Release, least: Harm, choose: Callable[[Cluster], Choices]) -> Blame:
    """What is to blame for an answer that does more than the `least` harm. `choose`: what a cluster's rules choose."""
    latest = newest(ClusterRules, "preemption")

    def needless(other: Cluster) -> bool | None:
        made = choose(other)
        if any(harm_of(other, node, victims.pods) > least for node, victims in made.chosen):
            return True
        return False if made.chosen and made.all_tried else None

    without = {
        name: evolve(cluster, rules=evolve(cluster.rules, **{field: getattr(latest, field)}))
        for field, name in BUGS.items()
    }
    without[EMPTY_SELECTOR] = evolve(cluster, counted=cluster.selected)
    found = []
    for name, other in without.items():
        bug = known_bug(name)
        if bug.affects(release) and needless(other) is False:
            found.append(bug)
    return Blame(tuple(found), needless(evolve(cluster, rules=latest)))
