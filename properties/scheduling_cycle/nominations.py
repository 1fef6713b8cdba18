"""What comes of a preemption: the node that harms least, and a nomination that comes true or ends."""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

from model.machine import Action
from model.objects import Pod
from model.scheduler.cache.node_info import NodeInfo
from model.systems.scheduling import fitting
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.scope import is_protected, nodes_named_for
from properties.property import Liveness, SetupInvariant
from properties.scheduling.view import live, nominated_pods
from properties.scheduling_cycle.permit import FAIR, PODS

State = SchedulingCycle
Pods = tuple[Pod, ...]
# By the documented criteria, in their order: violations of the budget, the highest priority, the sum, the number.
Harm = tuple[int, int, int, int]
_SHIFT = 2**31

# --- the node that harms least ----------------------------------------------------------------------------------------


def _harm(victims: Pods, violations: int) -> Harm:
    priorities = [pod.priority for pod in victims]
    return violations, max(priorities, default=-1), sum(each + _SHIFT for each in priorities), len(victims)


def _excess(machine: Any, state: State, pods: Pods) -> int:
    """How many disruptions of these pods the budget does not allow."""
    protected = sum(is_protected(machine.scope, pod.name) for pod in pods)
    return max(0, protected - state.disruptions_allowed)


def _lower(info: NodeInfo, preemptor: Pod) -> Pods:
    return tuple(pod for pod in info.pods if pod.priority < preemptor.priority)


def _enough(machine: Any, state: State, info: NodeInfo, preemptor: Pod) -> list[Pods]:
    """The sets of pods of lower priority that make room on the node, and of which none could stay."""
    named = nodes_named_for(machine.scope, preemptor.name)
    if not fitting.tolerates(info.node, preemptor) or (named and info.name not in named):
        return []
    nominated = fitting.nominations(machine.setup.queue, state.queue).nominated_pods
    kept = sum(
        pod.cpu_milli
        for node, pods in nominated
        for pod in pods
        if node == info.name and pod.priority >= preemptor.priority and pod.uid != preemptor.uid
    )
    short = preemptor.cpu_milli + kept + info.requested_cpu - info.allocatable_cpu
    lower = _lower(info, preemptor)
    sets = chain.from_iterable(combinations(lower, number) for number in range(len(lower) + 1))
    found: list[Pods] = []
    for each in sets:
        if sum(pod.cpu_milli for pod in each) >= short and not any(set(less) <= set(each) for less in found):
            found.append(each)
    return found


def _chosen(machine: Any, before: State, action: Action) -> tuple[Pod, NodeInfo, Pods] | None:
    """The preemptor, the node that preemption chooses in this action, and the victims there."""
    arguments = {key: str(value) for key, value in action.args}
    info = before.snapshot.get(arguments.get("node", ""))
    if before.cycle is None or info is None:
        return None
    victims = tuple(pod for pod in info.pods if pod.uid in arguments["victims"].split())
    return before.cycle.pod, info, victims


def _less_harm(machine: Any, before: State, action: Action) -> Iterator[str]:
    """The nodes on which every way to make room harms less than the choice does.

    Which pods go on a node depends on the order in which equal pods come back. And Go counts a pod that comes back
    against the budget. So a node harms less only if it does whichever pods go there, and all of them count.
    """
    chosen = _chosen(machine, before, action)
    if chosen is None:
        return
    preemptor, node, victims = chosen
    harm = _harm(victims, _excess(machine, before, victims))
    for info in fitting.nodes_of(before.snapshot):
        ways, most = _enough(machine, before, info, preemptor), _excess(machine, before, _lower(info, preemptor))
        # Where nobody has to go, no pod would preempt.
        if info.name != node.name and ways and () not in ways and all(_harm(way, most) < harm for way in ways):
            yield info.name


def _nodes(machine: Any, before: State, action: Action) -> int:
    """On how many nodes room can be made, if one is chosen in this action."""
    chosen = _chosen(machine, before, action)
    if chosen is None:
        return 0
    return sum(bool(_enough(machine, before, info, chosen[0])) for info in fitting.nodes_of(before.snapshot))


HARMS_LEAST = SetupInvariant(
    name="node-harms-least",
    sentence="Preemption chooses no node if every way to make room on another one harms less by the documented "
    "criteria in their order.",
    broken_by=("any_candidate",),
    # An extender may refuse the node that harms least.
    actions=lambda machine: frozenset() if machine.scope.preempt_extender else frozenset({"preempt", "post_filter"}),
    holds=lambda machine, before, action, after: not any(_less_harm(machine, before, action)),
    premise=lambda machine, before, action, after: _nodes(machine, before, action) > 1,
    explain=lambda machine, before, action, after: (
        f"{action['node']} is chosen, and {next(_less_harm(machine, before, action))} harms less"
    ),
)

# --- a nomination comes true or ends ----------------------------------------------------------------------------------


def _nominated(state: State, name: str) -> list[str]:
    """The nodes to which the pod is nominated in memory."""
    pod = live(state, name)
    return [node for node, each in nominated_pods(state) if pod is not None and node and each.uid == pod.uid]


def comes_true_or_ends(state: State, name: str) -> bool:
    """Whether the pod is bound or goes, is not nominated, is tried, or waits for a victim that still terminates."""
    pod = live(state, name)
    if pod is None or pod.node_name or pod.terminating or name not in {i.pod.name for i in state.queue.unschedulable}:
        return True
    nodes = _nominated(state, name)
    return not nodes or any(each.preemptor == pod.uid and each.node in nodes for each in state.evictions)


NOMINATION_ENDS = Liveness(
    name="nominated-pod-is-tried",
    sentence="When its victims are gone, a nominated pod is tried again, or gives its nomination up, also if no flush "
    "comes.",
    broken_by=("forget_only",),
    sorts=PODS,
    goal=comes_true_or_ends,
    premise=lambda state, name: live(state, name) is not None,
    explain=lambda state, name: (
        f"{name} is nominated to {_nominated(state, name)[0]}, waits in unschedulableQ, and nobody tries the pod again"
    ),
    fair=FAIR,
    recurring=FAIR,
)
