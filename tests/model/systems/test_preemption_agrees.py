"""Whom the system scheduling preempts is a case of the component that the recordings replay: CPU, and no budgets."""

from itertools import combinations_with_replacement, permutations, product

import pytest

from model.objects import Node, Pod
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import CacheSnapshot
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.node_resources_fit import fits_request
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod
from model.scheduler.preemption.preempt import MinCandidates, Preempted, PreemptionRules, preempt
from model.scheduler.preemption.victims import with_nominated_pods
from model.scheduler.queue.nominator import Nominator
from model.systems.scheduling import fitting

# (priority, CPU) of a pod that runs.
KINDS = tuple(product((0, 1), (1, 2)))
FULL = tuple(kinds for number in (1, 2) for kinds in combinations_with_replacement(KINDS, number))
REFUSED = Status(Code.UNSCHEDULABLE, ("Insufficient cpu",))


def pods_of(name: str, kinds: tuple[tuple[int, int], ...]) -> tuple[Pod, ...]:
    return tuple(Pod(f"{name}{at}", f"{name}{at}", priority, cpu) for at, (priority, cpu) in enumerate(kinds))


def of_system(nodes: dict[str, tuple[Pod, ...]], pod: Pod, nominated: Pod | None, release: str) -> set[object]:
    infos = tuple(
        NodeInfo(name, Node(name, cpu_milli=sum(each.cpu_milli for each in pods)), pods,
                 sum(each.cpu_milli for each in pods))
        for name, pods in nodes.items()
    )  # fmt: skip
    nominator = Nominator() if nominated is None else Nominator((("n", (nominated,)),), ((nominated.uid, "n"),))
    rules = rules_for(PreemptionRules, parse_release(release))
    snapshot = CacheSnapshot(infos, tuple(nodes))
    found = fitting.best_candidates(snapshot, nominator, pod, rules.preempts_with)
    return {(node, victims) for node, victims in found}


def of_component(nodes: dict[str, tuple[Pod, ...]], pod: Pod, nominated: Pod | None, release: str) -> set[object]:
    """All answers, whatever the order in which a node lists its pods."""
    rules = rules_for(PreemptionRules, parse_release(release))
    competing = () if nominated is None else (_seen(nominated),)

    def run_filters(asked: PreemptionPod, node: PreemptionNode) -> Status:
        counted = competing if node.name == "n" else ()
        return with_nominated_pods(fits_request, counted)(asked, node)

    found: set[object] = set()
    for orders in product(*(permutations(pods) for pods in nodes.values())):
        listed = tuple(
            PreemptionNode(name, sum(each.cpu_milli for each in pods), 110, tuple(map(_seen, pods)))
            for name, pods in zip(nodes, orders, strict=True)
        )
        statuses = dict.fromkeys(nodes, REFUSED)
        for answer in preempt(rules, run_filters, _seen(pod), listed, statuses, (), MinCandidates()):
            assert isinstance(answer, Preempted)
            if answer.victims:
                found.add((answer.nominated, answer.victims))
    return found


def _seen(pod: Pod) -> PreemptionPod:
    return PreemptionPod(pod.name, pod.priority, pod.cpu_milli, start_time=1)


SMALL, BIG = (0, 1), (0, 2)


def either(node: str) -> set[object]:
    """Two pods of one node, in either order."""
    return {(node, (f"{node}0", f"{node}1")), (node, (f"{node}1", f"{node}0"))}


@pytest.mark.parametrize("release", ["1.17.10", "1.31.13"])
@pytest.mark.parametrize(
    ("asked", "one", "other", "chosen"),
    [
        # The sum of priorities is 1 on the one node and 2 on the other one, but there a pod less has to go.
        (3, ((1, 1), SMALL, SMALL), ((1, 2), (1, 1)), either("m")),
        # On the one node the start times decide whether the big pod goes or the two small ones.
        (2, (SMALL, SMALL, BIG), ((1, 3),), {("n", ("n2",))} | either("n")),
        # Then they decide too whether the other one is chosen, where two pods go.
        (2, (SMALL, SMALL, BIG), (SMALL, SMALL), {("n", ("n2",))} | either("n") | either("m")),
    ],
)
def test_victims_of_several_priorities_and_sizes(
    asked: int, one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...], chosen: set[object], release: str
) -> None:
    nodes = {"n": pods_of("n", one), "m": pods_of("m", other)}
    pod = Pod("p", "p", 2, asked)
    assert of_component(nodes, pod, None, release) == chosen
    assert of_system(nodes, pod, None, release) == chosen


@pytest.mark.parametrize("release", ["1.17.10", "1.19.4", "1.28.14", "1.31.13"])
@pytest.mark.parametrize("cpu", [1, 2])
@pytest.mark.parametrize("priority", [1, 2])
def test_the_system_preempts_as_the_component(release: str, cpu: int, priority: int) -> None:
    pod = Pod("p", "p", priority, cpu)
    found = 0
    for one, other in combinations_with_replacement(FULL, 2):
        nodes = {"n": pods_of("n", one), "m": pods_of("m", other)}
        for nominated in (None, Pod("q", "q", 2, 1)):
            answers = of_component(nodes, pod, nominated, release)
            assert of_system(nodes, pod, nominated, release) == answers, (one, other, nominated)
            found += bool(answers)
    assert found > 50
