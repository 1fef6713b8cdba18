"""What preemption may decide on one node, in every order that Go leaves open.

Pods of one importance stand in no order that anybody could know from outside: Go's sort is not stable, and the list of
a node's pods changes its order with each pod that leaves. To 1.18 the order of the budgets decides too. Go's map and
informer give them in any order.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product
from math import factorial, prod

from attrs import evolve, frozen

from kubeproof.advise.preemption.cluster import Cluster, ClusterBudget
from model.scheduler.framework.status import Status
from model.scheduler.preemption.disruption_budgets import victims_use_budgets_up
from model.scheduler.preemption.objects import Pods, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.victims import select_victims_on_node
from model.which_rule import is_one_of

# What two pods have in common that may stand for each other.
Kind = tuple[object, ...]


@frozen
class Looked:
    """What may be decided on one node."""

    # Each choice of victims that is another one, and not only with other pods of the same kind.
    victims: tuple[Victims, ...]
    # Why the node is no candidate, if there are no victims.
    status: Status | None
    # Whether all orders were tried.
    all_orders: bool


def kind_of(cluster: Cluster, node: str, pod: PreemptionPod) -> Kind:
    """Pods of one node and one kind are interchangeable: nothing that is asked of them is another."""
    budgets = tuple(
        (each.matches(pod), pod.name in each.disrupted_pods)
        for of in (cluster.counted, cluster.true)
        for each in of.get(node, ())
    )
    return (pod.priority, pod.start_time, tuple(sorted(cluster.requests[pod.name].items())), budgets)


def look(cluster: Cluster, node: PreemptionNode, most: int) -> Looked:
    """Every choice of victims on the node that the release may make, as far as `most` orders tell."""
    filters = cluster.run_filters(node.name)
    kinds = {pod.name: kind_of(cluster, node.name, pod) for pod in cluster.lower(node)}
    orders, whole = _orders(cluster, node, kinds, most)
    found: dict[tuple[Kind, ...], Victims] = {}
    status = None
    for pods, in_order in orders:
        answer = select_victims_on_node(cluster.rules, filters, cluster.preemptor, evolve(node, pods=pods), in_order)
        if isinstance(answer, Status):
            status = answer
            break
        found.setdefault(tuple(sorted((kinds[pod.name] for pod in answer.pods), key=repr)), answer)
    return Looked(tuple(found.values()), status, whole)


def _orders(
    cluster: Cluster, node: PreemptionNode, kinds: dict[str, Kind], most: int
) -> tuple[Iterator[tuple[Pods, tuple[ClusterBudget, ...]]], bool]:
    """At most so many orders of the node's pods and of its budgets, and whether these are all."""
    lower = cluster.lower(node)
    stay = tuple(pod for pod in node.pods if pod.name not in kinds)
    ties = _ties(cluster, lower)
    counts = [Counter(kinds[pod.name] for pod in tie) for tie in ties]
    of_pods = prod(factorial(count.total()) // prod(map(factorial, count.values())) for count in counts)
    turned, fixed = _shared(cluster, node, lower)
    each_tie = [list(islice(_arranged(tie, kinds), most)) for tie in ties]
    all_pods = ((*stay, *(pod for tie in tied for pod in tie)) for tied in product(*each_tie))
    all_budgets = [(*order, *fixed) for order in islice(permutations(turned), most)]
    both = ((pods, in_order) for pods in all_pods for in_order in all_budgets)
    return islice(both, most), of_pods * factorial(len(turned)) <= most


def _shared(
    cluster: Cluster, node: PreemptionNode, lower: Pods
) -> tuple[tuple[ClusterBudget, ...], tuple[ClusterBudget, ...]]:
    """The node's budgets: those whose order decides, since they have a pod with another one in common; the others."""
    budgets = cluster.counted.get(node.name, ())
    if not is_one_of(cluster.rules.pods_with_pdb_violation, (victims_use_budgets_up,)):
        return (), budgets
    of_pod = [[each.name for each in budgets if each.matches(pod)] for pod in lower]
    shared = {name for names in of_pod if len(names) > 1 for name in names}
    return tuple(each for each in budgets if each.name in shared), tuple(
        each for each in budgets if each.name not in shared
    )


def _ties(cluster: Cluster, lower: Pods) -> list[Pods]:
    """The pods in the release's order, those together whose order among themselves the list of the node decides."""
    order = cluster.rules.order_of_lower_pods
    ties: list[list[PreemptionPod]] = []
    for pod in order(lower):
        if ties and order((ties[-1][0], pod)) != order((pod, ties[-1][0])):
            ties[-1].append(pod)
        else:
            ties.append([pod])
    return [tuple(tie) for tie in ties]


def _arranged(pods: Sequence[PreemptionPod], kinds: dict[str, Kind]) -> Iterator[Pods]:
    """Every order of the pods, orders of the same kinds once. Each pod comes first in one of the first orders."""
    if len(pods) <= 1:
        yield tuple(pods)
        return
    rests = []
    seen = set()
    for at, pod in enumerate(pods):
        if kinds[pod.name] not in seen:
            seen.add(kinds[pod.name])
            rests.append((pod, _arranged((*pods[:at], *pods[at + 1 :]), kinds)))
    while rests:
        left = []
        for pod, rest in rests:
            order = next(rest, None)
            if order is not None:
                yield (pod, *order)
                left.append((pod, rest))
        rests = left
