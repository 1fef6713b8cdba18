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

# So many orders are tried on one node.
ORDERS = 120

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


def look(cluster: Cluster, node: PreemptionNode) -> Looked:
    """Every choice of victims on the node that the release may make."""
    filters, budgets = cluster.run_filters(node.name), cluster.counted.get(node.name, ())
    kinds = {pod.name: kind_of(cluster, node.name, pod) for pod in cluster.lower(node)}
    orders, whole = _orders(cluster, node, kinds, budgets)
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
    cluster: Cluster, node: PreemptionNode, kinds: dict[str, Kind], budgets: tuple[ClusterBudget, ...]
) -> tuple[Iterator[tuple[Pods, tuple[ClusterBudget, ...]]], bool]:
    """Orders of the node's pods and of its budgets, at most `ORDERS`, and whether these are all."""
    lower = cluster.lower(node)
    stay = tuple(pod for pod in node.pods if pod.name not in kinds)
    ties = _ties(cluster, lower)
    counts = [Counter(kinds[pod.name] for pod in tie) for tie in ties]
    of_pods = prod(factorial(count.total()) // prod(map(factorial, count.values())) for count in counts)
    asked = budgets if is_one_of(cluster.rules.pods_with_pdb_violation, (victims_use_budgets_up,)) else ()
    shared = any(sum(each.matches(pod) for each in asked) > 1 for pod in lower)
    of_budgets = factorial(len(asked)) if shared else 1
    each_tie = [list(islice(_arranged(tie, kinds), ORDERS)) for tie in ties]
    all_pods = ((*stay, *(pod for tie in tied for pod in tie)) for tied in product(*each_tie))
    all_budgets = list(islice(permutations(budgets), ORDERS)) if shared else [budgets]
    both = ((pods, in_order) for pods in all_pods for in_order in all_budgets)
    return islice(both, ORDERS), of_pods * of_budgets <= ORDERS


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
