"""Pods, nodes and disruption budgets as preemption reads them, and what it decides for a node."""

from collections.abc import Callable

from attrs import evolve, field, frozen

from model.objects import NAMESPACE, SELDOM, Pairs
from model.scheduler.framework.status import Status


@frozen
class PreemptionPod:
    """A pod (core/v1 Pod). All pods live in the namespace `NAMESPACE`, and a name is there once."""

    name: str
    # spec.priority; 0 where there is none.
    priority: int = 0
    # The CPU request, in milli-CPU.
    cpu_milli: int = 0
    # metadata.labels, as sorted pairs.
    labels: Pairs = ()
    # status.startTime in ms. None: the pod was not started yet, and Go takes the time of the comparison.
    start_time: int | None = None
    # Whether metadata.deletionTimestamp is set.
    terminating: bool = False
    # Whether the condition DisruptionTarget is True, with the reason PreemptionByScheduler (1.26 on).
    disruption_target: bool = False
    # status.nominatedNodeName, "" for none.
    nominated_node_name: str = ""
    # Whether spec.preemptionPolicy is Never.
    preempts_never: bool = False


@frozen
class PreemptionNode:
    """A node with its pods, as the scheduler's snapshot has them (Go: `NodeInfo`)."""

    name: str
    # The allocatable milli-CPU.
    cpu_milli: int
    # How many pods the node allows.
    allowed_pods: int
    # In the order of Go's slice.
    pods: tuple[PreemptionPod, ...] = ()

    def with_pod(self, pod: PreemptionPod) -> "PreemptionNode":
        """The node with one pod more (Go: `AddPodInfo`)."""
        return evolve(self, pods=(*self.pods, pod))

    def without_pod(self, pod: PreemptionPod) -> "PreemptionNode":
        """The node without a pod (Go: `RemovePod`). The order of the pods that stay decides nothing any more."""
        return evolve(self, pods=tuple(each for each in self.pods if each.name != pod.name))


@frozen
class PodDisruptionBudget:
    """A budget (policy/v1 PodDisruptionBudget): how many of its pods may be disrupted now."""

    name: str
    namespace: str
    # spec.selector.matchLabels, as sorted pairs. None: no selector. Neither None nor () matches a pod here.
    selector: Pairs | None
    # status.disruptionsAllowed.
    disruptions_allowed: int
    # The names in status.disruptedPods: pods whose eviction the API server has counted already.
    disrupted_pods: frozenset[str] = frozenset()
    # Whether the API server takes the selector for one of every pod of the namespace: an empty one of policy/v1.
    of_every_pod: bool = field(default=False, metadata={SELDOM: True})

    def protects(self, pod: PreemptionPod) -> bool:
        """Whether the budget is of this pod as the API server takes it. No release asks this."""
        return self.matches(pod) or (self.of_every_pod and self.namespace == NAMESPACE)

    def matches(self, pod: PreemptionPod) -> bool:
        """Whether the budget is of this pod as the scheduler takes it."""
        return self.namespace == NAMESPACE and bool(self.selector) and set(self.selector or ()) <= set(pod.labels)


Budgets = tuple[PodDisruptionBudget, ...]
Pods = tuple[PreemptionPod, ...]
# All filter plugins, in order, for a pod on a node: the answer of the first that rejects the pod, or success.
RunFilters = Callable[[PreemptionPod, PreemptionNode], Status]


@frozen
class Victims:
    """The pods that have to leave a node (Go: `extenderv1.Victims`)."""

    # In the order in which they are deleted.
    pods: Pods
    # How many of them a disruption budget protects, by the release's own count.
    num_pdb_violations: int
