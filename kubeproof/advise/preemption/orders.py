"""What preemption may decide on one node, in every order that Go leaves open.

Pods of one importance stand in no order that anybody could know from outside: Go's sort is not stable, and the list of
a node's pods changes its order with each pod that leaves. To 1.18 the order of the budgets decides too. Go's map and
informer give them in any order.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice, permutations, product
from math import factorial, prod

from attrs import evolve, frozen

from kubeproof.advise.preemption.cluster import Cluster, ClusterBudget
from model.scheduler.framework.status import Status
from model.scheduler.preemption.disruption_budgets import victims_use_budgets_up
from model.scheduler.preemption.objects import Pods, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.victims import select_victims_on_node
from model.which_rule import is_one_of

# The work for one order grows with the square of the number of pods.
PODS_SQUARED = 2_000_000

# What two pods have in common that may stand for each other.
Kind = tuple[object, ...]


@frozen
class Looked:
    """What may be decided on one node."""

    # Each choice of victims that is another one, and not only with other pods of the same kind. Other violations, or
    # another priority of the first victim, make another choice of the same victims.
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
    """Every choice of victims on the node that the release may make, as far as `most` orders tell, or fewer if the node
    has very many pods.
    """
    most = min(most, max(1, PODS_SQUARED // max(1, len(node.pods)) ** 2))
    filters = cluster.run_filters(node.name)
    kinds = {pod.name: kind_of(cluster, node.name, pod) for pod in cluster.lower(node)}
    orders, whole = _orders(cluster, node, kinds, most)
    found: dict[tuple[object, ...], Victims] = {}
    status = None
    for pods, in_order in orders:
        answer = select_victims_on_node(cluster.rules, filters, cluster.preemptor, evolve(node, pods=pods), in_order)
        if isinstance(answer, Status):
            status = answer
            break
        going = sorted((kinds[pod.name] for pod in answer.pods), key=repr)
        # The choice among nodes asks for the priority of the victim that stands first (PREEMPT-VICTIM-ORDER).
        found.setdefault((answer.num_pdb_violations, *(pod.priority for pod in answer.pods[:1]), *going), answer)
    return Looked(tuple(found.values()), status, whole)


def _orders(
    cluster: Cluster, node: PreemptionNode, kinds: dict[str, Kind], most: int
) -> tuple[Iterator[tuple[Pods, tuple[ClusterBudget, ...]]], bool]:
    """At most so many orders of the node's pods and of its budgets, and whether these are all."""
    lower = cluster.lower(node)
    stay = tuple(pod for pod in node.pods if pod.name not in kinds)
    ties = _ties(cluster, lower)
    of_pods = prod(_arrangements(tie, kinds) for tie in ties)
    turned, fixed = _shared(cluster, node, lower)
    each_tie = [list(islice(arranged(tie, kinds, most), most)) for tie in ties]
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


def arranged(pods: Pods, kinds: Mapping[str, Kind], most: int) -> Iterator[Pods]:
    """Every order of the pods, orders of the same kinds once. If there are over `most`, each kind is first soon."""
    of_kind: dict[Kind, list[PreemptionPod]] = {}
    for pod in pods:
        of_kind.setdefault(kinds[pod.name], []).append(pod)
    pools = list(of_kind.values())
    order = [at for at, pool in enumerate(pools) for _ in pool]
    if _arrangements(pods, kinds) > most:
        for first in range(1, len(pools)):
            others = order.copy()
            others.remove(first)
            yield _filled([first, *others], pools)
    while True:
        yield _filled(order, pools)
        if not _next(order):
            return


def _arrangements(pods: Pods, kinds: Mapping[str, Kind]) -> int:
    counts = Counter(kinds[pod.name] for pod in pods)
    return factorial(len(pods)) // prod(map(factorial, counts.values()))


def _filled(order: list[int], pools: list[list[PreemptionPod]]) -> Pods:
    """The pods in the order of the numbers of their pools."""
    left = [iter(pool) for pool in pools]
    return tuple(next(left[at]) for at in order)


def _next(order: list[int]) -> bool:
    """Turns `order` into the next one of the same numbers; False: it was the last."""
    at = len(order) - 2
    while at >= 0 and order[at] >= order[at + 1]:
        at -= 1
    if at < 0:
        return False
    other = max(each for each in range(at + 1, len(order)) if order[each] > order[at])
    order[at], order[other] = order[other], order[at]
    order[at + 1 :] = order[:at:-1]
    return True
