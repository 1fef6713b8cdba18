"""What holds of any pod in the system scheduling: the lemmas of `proof`, each a sentence about one pod."""

from collections.abc import Callable, Iterable

from properties.smt.bits import Bit, all_of, any_of, negate, same
from properties.smt.scheduling.observed import Observed

Lemma = Callable[[Observed], Bit]


def in_one_phase(pod: Observed) -> Bit:
    """A pod is pending, bound or gone; so it is in the store, which has one object under a name."""
    live = (pod.pending, pod.bound, pod.gone)
    shown = (pod.listed_pending, pod.listed_bound, pod.listed_gone)
    under_name = (pod.listed_pending, pod.listed_bound, pod.namesake_pending, pod.namesake_bound)
    second = (
        (pod.terminating, pod.pending), (pod.second_bind, pod.binds), (pod.second_undo, pod.undoes),
        (pod.there, pod.filed),
    )  # fmt: skip
    excluding = (live, shown, under_name, (pod.assumed, pod.added))
    return all_of(*map(at_most_one, excluding), *(implies(*both) for both in second))


def store_follows(pod: Observed) -> Bit:
    """The store is never ahead of the API server, and handlers are told of what the store has had."""
    return all_of(
        implies(pod.listed_pending, pod.created),
        implies(pod.listed_bound, any_of(pod.bound, pod.gone)),
        implies(pod.listed_gone, pod.gone),
        implies(any_of(pod.coming, pod.leaving), pod.listed),
    )


def no_namesake(pod: Observed) -> Bit:
    """No other incarnation has the pod's name."""
    return negate(any_of(pod.namesake_pending, pod.namesake_bound))


def nominated_where_filed(pod: Observed) -> Bit:
    """A nominated pod is on one node's list, and nominatedPodToNode names that node; no other pod is in that map."""
    return all_of(negate(pod.elsewhere), same(pod.filed, pod.there))


def heard_before_it_leaves(pod: Observed) -> Bit:
    """Versions that the unassigned handler is still to hear of come before the notification that the pod leaves it."""
    return implies(pod.coming, any_of(pod.listed_pending, pod.leaving))


def leaves_when_bound_or_gone(pod: Observed) -> Bit:
    """A pod that is still to leave the unassigned handler is bound or gone in the store."""
    return implies(pod.leaving, any_of(pod.listed_bound, pod.listed_gone))


def nominated_until_it_leaves(pod: Observed) -> Bit:
    """A nominated pod is pending in the store, or the unassigned handler is still to hear that it leaves."""
    return implies(pod.nominated, any_of(pod.listed_pending, pod.leaving))


def object_of_a_created_pod(pod: Observed) -> Bit:
    """The cache and goroutines have a pod only once it was created."""
    return implies(any_of(pod.cached, pod.binds, pod.undoes), pod.created)


def bound_is_cached(pod: Observed) -> Bit:
    """A bound pod is in the cache, assumed or added."""
    return implies(pod.bound, pod.cached)


def to_bind_is_assumed(pod: Observed) -> Bit:
    """A pod whose Binding is still to be posted, or to be undone, is assumed and not bound, unless it is deleted."""
    return implies(any_of(pod.binds, pod.undoes), any_of(pod.deleted, all_of(pod.assumed, negate(pod.bound))))


def bound_by_one_goroutine(pod: Observed) -> Bit:
    """One goroutine at most is still to bind or to forget a pod, unless it is deleted."""
    several = any_of(pod.second_bind, pod.second_undo, all_of(pod.binds, pod.undoes))
    return implies(several, pod.deleted)


def implies(premise: Bit, conclusion: Bit) -> Bit:
    return any_of(negate(premise), conclusion)


def at_most_one(bits: Iterable[Bit]) -> Bit:
    every = list(bits)
    return all_of(*(negate(all_of(a, b)) for i, a in enumerate(every) for b in every[:i]))


NOMINATIONS: tuple[Lemma, ...] = (
    in_one_phase, store_follows, nominated_where_filed, heard_before_it_leaves, leaves_when_bound_or_gone,
    nominated_until_it_leaves,
)  # fmt: skip
BINDINGS: tuple[Lemma, ...] = (
    in_one_phase, store_follows, object_of_a_created_pod, bound_is_cached, to_bind_is_assumed, bound_by_one_goroutine,
)  # fmt: skip
