"""The least harm that preemption could do: every set of pods of lower priority, on every node, not the greedy choice.

Harm is measured by the documented criteria in their order (Go: `pickOneNodeForPreemption`): evictions that budgets do
not allow, the highest priority among those who go, the sum of the priorities, the number of pods. That pods of one
priority run for different times is no harm here. What is asked of budgets is the truth, and not the release's count.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import prod

from attrs import evolve, frozen

from kubeproof.advise.preemption.cluster import Cluster, ClusterBudget
from kubeproof.advise.preemption.orders import kind_of
from model.scheduler.preemption.objects import Pods, PreemptionNode, PreemptionPod

# As many choices as 15 different pods give. Beyond that an optimiser looks.
CHOICES = 2**15
_SHIFT = 2**31


@frozen(order=True)
class Harm:
    """How harmful it is that some pods go. The less, the better; the fields decide in their order."""

    # How many evictions the budgets do not allow.
    violations: int
    # The highest priority of a pod that goes.
    highest: int
    # The sum of the priorities, each shifted so that it is positive.
    priorities: int
    number: int


@frozen
class Least:
    """The least harmful choice that was found."""

    harm: Harm
    node: str
    victims: Pods


def broken(cluster: Cluster, node: str, victims: Iterable[PreemptionPod]) -> dict[str, int]:
    """Of each budget that does not allow it: how many evictions too many these are, whatever their order."""
    going = tuple(victims)
    found = {}
    for budget in cluster.true.get(node, ()):
        over = sum(_takes(budget, pod) for pod in going) - max(0, budget.disruptions_allowed)
        if over > 0:
            found[budget.name] = over
    return found


def harm_of(cluster: Cluster, node: str, victims: Pods) -> Harm:
    """The harm of evicting these pods, at least one, from the node."""
    return Harm(
        sum(broken(cluster, node, victims).values()),
        max(pod.priority for pod in victims),
        sum(pod.priority + _SHIFT for pod in victims),
        len(victims),
    )


def _takes(budget: ClusterBudget, pod: PreemptionPod) -> bool:
    return budget.matches(pod) and pod.name not in budget.disrupted_pods


@frozen
class Kinds:
    """The pods of a node that may go, those of one kind together, and how much room they must leave."""

    # Each kind's pods: those that run the shortest first, since they are the ones to go.
    pods: tuple[Pods, ...]
    # The resources that are short, `pods` among them, and how much of each has to become free.
    needed: tuple[tuple[str, int], ...]
    # Of each kind how much a pod of it leaves free of each of these.
    leaves: tuple[tuple[int, ...], ...]
    # The budgets: of each kind whether it takes one from them, and how many each allows.
    takes: tuple[tuple[bool, ...], ...]
    allowed: tuple[int, ...]

    @property
    def suffice(self) -> bool:
        """Whether there is room if all of them go."""
        return all(
            sum(len(pods) * each[at] for pods, each in zip(self.pods, self.leaves, strict=True)) >= amount
            for at, (_, amount) in enumerate(self.needed)
        )

    @property
    def choices(self) -> int:
        """How many choices there are."""
        return prod(len(pods) + 1 for pods in self.pods)

    def chosen(self, counts: Iterable[int]) -> Pods:
        """The pods that go if so many of each kind go."""
        return tuple(pod for pods, count in zip(self.pods, counts, strict=True) for pod in pods[:count])


def kinds_of(cluster: Cluster, node: PreemptionNode, bound: Harm | None) -> Kinds:
    """The pods of the node that may go. `bound`: pods with which the harm is greater in any case are left out."""
    budgets = cluster.true.get(node.name, ())
    groups: dict[object, list[PreemptionPod]] = {}
    for pod in cluster.lower(node):
        spent = any(_takes(budget, pod) and budget.disruptions_allowed <= 0 for budget in budgets)
        if bound is not None and not bound.violations and (spent or pod.priority > bound.highest):
            continue
        # The time since when a pod runs is no part of the harm.
        priority, _, *others = kind_of(cluster, node.name, pod)
        groups.setdefault((priority, *others), []).append(pod)
    pods = tuple(tuple(sorted(each, key=lambda pod: -(pod.start_time or _SHIFT**2))) for each in groups.values())
    needed = tuple((name, amount) for name, amount in _needed(cluster, node).items() if amount > 0)
    return Kinds(
        pods,
        needed,
        tuple(tuple(_frees(cluster, each[0], name) for name, _ in needed) for each in pods),
        tuple(tuple(_takes(budget, each[0]) for budget in budgets) for each in pods),
        tuple(max(0, budget.disruptions_allowed) for budget in budgets),
    )


def _needed(cluster: Cluster, node: PreemptionNode) -> Mapping[str, int]:
    """How much of each resource has to become free, with the pods that are nominated to the node and count."""
    preemptor = cluster.preemptor
    nominated = [pod for pod in cluster.nominated.get(node.name, ()) if pod.priority >= preemptor.priority]
    there = [*node.pods, *nominated]
    asked = cluster.requests[preemptor.name]
    used = Counter({name: sum(cluster.requests[pod.name].get(name, 0) for pod in there) for name in asked})
    needed = {name: amount + used[name] - cluster.allocatable[node.name].get(name, 0) for name, amount in asked.items()}
    return {**needed, "pods": len(there) + 1 - node.allowed_pods}


def _frees(cluster: Cluster, pod: PreemptionPod, name: str) -> int:
    return 1 if name == "pods" else cluster.requests[pod.name].get(name, 0)


def hopeless(kinds: Kinds, bound: Harm) -> bool:
    """Whether no choice does less harm than `bound`, by the fewest pods that make room for one resource.

    The kinds are those that `kinds_of` leaves under the bound. False: nothing is known.
    """
    ranks = {pods[0].priority for pods in kinds.pods if pods[0].priority < bound.highest}
    if bound.violations or any(_up_to(kinds, priority).suffice for priority in ranks):
        return False
    number = max(_fewest(kinds, at) for at in range(len(kinds.needed)))
    cheapest = sorted(pod.priority + _SHIFT for pods in kinds.pods for pod in pods)[:number]
    return (sum(cheapest), number) >= (bound.priorities, bound.number)


def _up_to(kinds: Kinds, priority: int) -> Kinds:
    kept = [at for at, pods in enumerate(kinds.pods) if pods[0].priority <= priority]
    return evolve(
        kinds, pods=tuple(kinds.pods[at] for at in kept), leaves=tuple(kinds.leaves[at] for at in kept),
        takes=tuple(kinds.takes[at] for at in kept),
    )  # fmt: skip


def _fewest(kinds: Kinds, at: int) -> int:
    """With how few pods the resource number `at` has room. All pods together suffice."""
    left, number = kinds.needed[at][1], 0
    for frees in sorted((each[at] for pods, each in zip(kinds.pods, kinds.leaves, strict=True) for _ in pods))[::-1]:
        if left <= 0:
            break
        left, number = left - frees, number + 1
    return number


def by_brute_force(kinds: Kinds) -> tuple[int, ...] | None:
    """How many of each kind go in the least harmful of all choices; None: no choice leaves enough room."""
    left = list(range(kinds.choices))
    for at, (_, amount) in enumerate(kinds.needed):
        free = _sums(kinds, [each[at] for each in kinds.leaves])
        left = [each for each in left if free[each] >= amount]
    if not left:
        return None
    violations = [0] * kinds.choices
    for at, allowed in enumerate(kinds.allowed):
        taken = _sums(kinds, [int(each[at]) for each in kinds.takes])
        violations = [each + max(0, more - allowed) for each, more in zip(violations, taken, strict=True)]
    for harm in (
        violations,
        _highest(kinds),
        _sums(kinds, [pods[0].priority + _SHIFT for pods in kinds.pods]),
        _sums(kinds, [1] * len(kinds.pods)),
    ):
        least = min(harm[each] for each in left)
        left = [each for each in left if harm[each] == least]
    return _counts(kinds, left[0])


def _sums(kinds: Kinds, amounts: Iterable[int]) -> list[int]:
    """Of every choice the sum of what its pods have. `amounts`: of a pod of each kind."""
    sums = [0]
    for pods, amount in zip(kinds.pods, amounts, strict=True):
        steps = [amount * count for count in range(len(pods) + 1)]
        sums = [before + step for before in sums for step in steps]
    return sums


def _highest(kinds: Kinds) -> list[int]:
    """Of every choice the highest priority of its pods."""
    found = [-_SHIFT]
    for pods in kinds.pods:
        steps = [-_SHIFT, *[pods[0].priority] * len(pods)]
        found = [max(before, step) for before in found for step in steps]
    return found


def _counts(kinds: Kinds, choice: int) -> tuple[int, ...]:
    """How many of each kind go in a choice, by the choice's place in the lists."""
    counts = []
    for pods in reversed(kinds.pods):
        choice, count = divmod(choice, len(pods) + 1)
        counts.append(count)
    return tuple(reversed(counts))
