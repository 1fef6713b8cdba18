"""Whom a pod may preempt in scheduling-cycle, and where: the component of preemption, given a snapshot. Pure.

Go: see model/scheduler/preemption and model/scheduler/extender_preemption. Start times are not modelled, so pods of one
priority come in any order. There are so few nodes that a search looks at all, wherever the search begins.
"""

from collections.abc import Iterator, Mapping
from itertools import permutations, product

from attrs import frozen

from model.evolve import evolve
from model.go.errors import GoError
from model.objects import NAMESPACE, Pod
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.extender_preemption import call_extenders
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.candidates import select_candidate
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionNode, PreemptionPod, RunFilters, Victims
from model.scheduler.preemption.preempt import (
    MinCandidates,
    Preempted,
    Search,
    look_from,
    where_to_look,
    without_candidate,
)
from model.scheduler.preemption.victims import with_nominated_pods
from model.systems.preemption.answers import reply
from model.systems.preemption.state import Extender
from model.systems.scheduling import fitting
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import SchedulingCycleScope, is_protected, nodes_named_for
from model.world.api_server import place
from model.world.goroutines import Choice
from model.world.state import left

# The one disruption budget, which is also the label of its pods.
BUDGET = "b1"
_MANY_PODS = 110
_ENOUGH = MinCandidates()
_UNSCHEDULABLE = Status(Code.UNSCHEDULABLE, ("the pod does not fit",))
_UNRESOLVABLE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("no pod that goes helps",))


@frozen
class Decision:
    """What preemption comes to."""

    # The node that the pod is nominated to, "" for none, and the UIDs of those that have to go.
    node: str = ""
    victims: tuple[str, ...] = ()
    # Without a node: what becomes of the nomination; "" takes the nomination back, None leaves it.
    nominated: str | None = None
    # Whether no node is left on which a pod that goes might help.
    hopeless: bool = False
    # The error with which preemption ends, "" for none; and whether Go panics.
    error: str = ""
    panic: bool = False


def decisions(setup: CycleSetup, state: SchedulingCycle, pod: Pod) -> dict[Choice, Decision]:
    """All that preemption for the pod may come to, by the arguments of the action."""
    preemptor = _preemption_pod(setup.scope, pod)
    nodes = tuple(_node(setup.scope, info) for info in fitting.nodes_of(state.snapshot))
    search = where_to_look(setup.rules, preemptor, nodes, _statuses(setup, state, pod), _ENOUGH)
    if not isinstance(search, Search):
        return {(): _without_search(search)}
    filters, budgets = _Filters(setup, state, pod), _budgets(setup.scope, state)
    found: dict[Choice, Decision] = {}
    for helped in product(*map(_orders, search.helped)):
        ordered = evolve(search, helped=helped)
        looked = look_from(setup.rules, filters.run, preemptor, ordered, 0, budgets)
        if not looked.candidates:
            found.setdefault((), Decision(nominated=without_candidate(setup.rules, looked, search).nominated))
            continue
        for said, extender in _extenders(setup, state, tuple(looked.candidates)).items():
            for choice, decision in _chosen(setup, looked.candidates, extender, nodes):
                found.setdefault((*choice, ("extender", said)) if said else choice, decision)
    return dict(sorted(found.items()))


def _without_search(answer: Preempted | GoError) -> Decision:
    if isinstance(answer, GoError):
        return Decision(error=answer.text)
    return Decision(nominated=answer.nominated, hopeless=answer.nominated is not None)


def _chosen(
    setup: CycleSetup,
    candidates: Mapping[str, Victims],
    extender: Extender | None,
    nodes: tuple[PreemptionNode, ...],
) -> Iterator[tuple[Choice, Decision]]:
    left = dict(candidates)
    if extender is not None:
        asked = ((lambda sent: reply(extender, sent)), extender.ignorable)
        answer = call_extenders(setup.rules, [asked], left, {node.name: node for node in nodes})
        if isinstance(answer, GoError):
            yield (), Decision(error=answer.text, panic=answer.panic)
            return
        left = answer
    picked = select_candidate(setup.rules, left)
    if isinstance(picked, GoError):
        yield (), Decision(error=picked.text, panic=picked.panic)
    elif not picked:
        yield (), Decision(nominated=setup.rules.nominate_without_candidate())
    else:
        for node in picked:
            victims = tuple(each.name for each in setup.rules.victims_to_delete(left[node].pods))
            yield (("node", node), ("victims", " ".join(victims))), Decision(node, victims)


def _extenders(setup: CycleSetup, state: SchedulingCycle, names: tuple[str, ...]) -> Mapping[str, Extender | None]:
    """What the extender with the verb Preempt may answer, by a short text; "" agrees, or there is no extender."""
    if not setup.scope.preempt_extender:
        return {"": None}
    ignorable = bool(setup.scope.ignorable)
    agrees = {"": Extender(ignorable=ignorable)}
    if not left(state, "preempt_extender", setup.scope.preempt_extender):
        return agrees
    return agrees | {
        "no answer": Extender(fails=True, ignorable=ignorable),
        **{f"refuses {name}": Extender(refuses=(name,), ignorable=ignorable) for name in names},
        **{f"no victims on {name}": Extender(empties=(name,), ignorable=ignorable) for name in names},
    }


def _preemption_pod(scope: SchedulingCycleScope, pod: Pod) -> PreemptionPod:
    labels = ((BUDGET, ""),) if is_protected(scope, pod.name) else ()
    return fitting.preemption_pod(pod, labels, preempts_never=place(pod.name) < scope.never)


def _node(scope: SchedulingCycleScope, info: NodeInfo) -> PreemptionNode:
    pods = tuple(_preemption_pod(scope, pod) for pod in info.pods)
    return PreemptionNode(info.name, info.allocatable_cpu, _MANY_PODS, pods)


def _orders(node: PreemptionNode) -> list[PreemptionNode]:
    """The node with its pods in every order that matters: among pods of one priority."""
    orders = (tuple(sorted(order, key=lambda pod: -pod.priority)) for order in permutations(node.pods))
    return [evolve(node, pods=pods) for pods in dict.fromkeys(orders)]


def _budgets(scope: SchedulingCycleScope, state: SchedulingCycle) -> tuple[PodDisruptionBudget, ...]:
    if not scope.protected:
        return ()
    return (PodDisruptionBudget(BUDGET, NAMESPACE, ((BUDGET, ""),), state.disruptions_allowed),)


def _statuses(setup: CycleSetup, state: SchedulingCycle, pod: Pod) -> dict[str, Status]:
    """What PostFilter hears of each node: no node is left, so a filter or an extender has rejected each of them."""
    infos = fitting.nodes_of(state.snapshot)
    named, listed = nodes_named_for(setup.scope, pod.name), tuple(info.name for info in infos)
    answer = setup.rules.named_nodes(named, listed) if named else (listed, {})
    # An error ends the cycle, and nobody preempts.
    asked, left_out = (listed, {}) if isinstance(answer, GoError) else answer
    found = dict(left_out)
    for info in infos:
        if info.name in asked:
            cordoned = info.node is not None and info.node.unschedulable
            found[info.name] = _UNRESOLVABLE if cordoned or _is_kept_out(named, info.name) else _UNSCHEDULABLE
    return found


def _is_kept_out(named: tuple[str, ...], node: str) -> bool:
    """Whether the Filter plugin of those names refuses the node."""
    return bool(named) and node not in named


class _Filters:
    """The filters, for the nodes of a snapshot, with the pods that are nominated there."""

    def __init__(self, setup: CycleSetup, state: SchedulingCycle, pod: Pod) -> None:
        infos = fitting.nodes_of(state.snapshot)
        nominated = dict(fitting.nominations(setup.queue, state.queue).nominated_pods)
        named = nodes_named_for(setup.scope, pod.name)
        self.shut = {
            info.name for info in infos if not fitting.tolerates(info.node, pod) or _is_kept_out(named, info.name)
        }
        self.of: dict[str, RunFilters] = {
            info.name: with_nominated_pods(
                setup.rules.fits_node,
                tuple(_preemption_pod(setup.scope, each) for each in nominated.get(info.name, ())),
            )
            for info in infos
        }

    def run(self, pod: PreemptionPod, node: PreemptionNode) -> Status:
        return _UNSCHEDULABLE if node.name in self.shut else self.of[node.name](pod, node)
