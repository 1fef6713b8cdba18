"""Which pods have to leave one node, so that the preemptor fits there. Pure.

Go: `selectVictimsOnNode` in pkg/scheduler/core/generic_scheduler.go (1.19 on
framework/plugins/defaultpreemption/default_preemption.go). First all pods of lower priority leave. Then they come back
one by one, those that a disruption budget protects first, of each group the more important first. Whoever finds no room
is a victim.
"""

from collections.abc import Callable, Iterable

from attrs import frozen

from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.disruption_budgets import Grouped
from model.scheduler.preemption.importance import by_importance
from model.scheduler.preemption.objects import Budgets, Pods, PreemptionNode, PreemptionPod, RunFilters, Victims


def no_pod_has_to_leave() -> Status | None:
    """To 1.18: a node without pods of lower priority is asked like any other. If the pod fits there, nobody leaves."""
    return None


def no_victims_found() -> Status | None:
    """1.19 on: a node without pods of lower priority is no candidate, and its filters are not asked again."""
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("No preemption victims found for incoming pod",))


def as_refused(victims: Pods, grouped: Grouped) -> Pods:
    """To 1.31.2 (1.30.6, 1.29.9): those that a budget protects stand first, also if others are more important."""
    return victims


def sorted_again(victims: Pods, grouped: Grouped) -> Pods:
    """The more important first, if there were pods of both groups."""
    return by_importance(victims) if all(grouped) else victims


def all_are_deleted(victims: Pods) -> Pods:
    """To 1.33, and 1.34.2 to 1.34.9."""
    return victims


def terminating_are_left(victims: Pods) -> Pods:
    """1.34.0, 1.34.1, and 1.35 on: there is no second DELETE for a pod that terminates already."""
    return tuple(pod for pod in victims if not pod.terminating)


@frozen(slots=False, kw_only=True)
class VictimRules:
    """What releases do differently when they choose victims on a node."""

    # The answer for a node that has no pod of lower priority; None: go on.
    without_lower_pods: Callable[[], Status | None]
    # The pods of lower priority, in the order of the node's list -> the more important first.
    order_of_lower_pods: Callable[[Iterable[PreemptionPod]], Pods]
    # (the pods of lower priority, the more important first; all budgets) -> those that a budget protects, the others.
    pods_with_pdb_violation: Callable[[Pods, Budgets], Grouped]
    # (the victims as they were refused, the two groups) -> the victims in the order of the answer.
    order_of_victims: Callable[[Pods, Grouped], Pods]


def with_nominated_pods(run_filters: RunFilters, nominated: Pods) -> RunFilters:
    """The filters asked twice: with the pods nominated to the node, then without them.

    Go: `podFitsOnNode` (1.17), `RunFilterPluginsWithNominatedPods`. Only nominated pods of the preemptor's priority or
    a higher one count, and the preemptor does not count against itself. Without such pods the filters are asked once.
    """

    def run(pod: PreemptionPod, node: PreemptionNode) -> Status:
        counted = [each for each in nominated if each.priority >= pod.priority and each.name != pod.name]
        if counted:
            full = node
            for each in counted:
                full = full.with_pod(each)
            status = run_filters(pod, full)
            if not status.ok:
                return status
        return run_filters(pod, node)

    return run


def select_victims_on_node(
    rules: VictimRules, run_filters: RunFilters, preemptor: PreemptionPod, node: PreemptionNode, budgets: Budgets
) -> Victims | Status:
    """The victims on `node`, or the status that says why the node is no candidate."""
    potential = tuple(pod for pod in node.pods if pod.priority < preemptor.priority)
    if not potential:
        status = rules.without_lower_pods()
        if status is not None:
            return status
    for pod in potential:
        node = node.without_pod(pod)
    status = run_filters(preemptor, node)
    if not status.ok:
        return status
    grouped = rules.pods_with_pdb_violation(rules.order_of_lower_pods(potential), budgets)
    protected, others = grouped
    victims: list[PreemptionPod] = []
    for pod in (*protected, *others):
        fuller = node.with_pod(pod)
        if run_filters(preemptor, fuller).ok:
            node = fuller
        else:
            victims.append(pod)
    names = {pod.name for pod in protected}
    violations = sum(pod.name in names for pod in victims)
    return Victims(rules.order_of_victims(tuple(victims), grouped), violations)
