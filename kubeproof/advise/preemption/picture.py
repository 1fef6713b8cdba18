"""What kubectl's lists say of a cluster that preemption asks for: pods, nodes, disruption budgets, priority classes."""

from collections.abc import Mapping

from attrs import field, frozen

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.preemption.selectors import NodeTerm, Selector
from model.scheduler.pod_requests import PodResources

TERMINAL = ("Succeeded", "Failed")


@frozen
class AntiAffinity:
    """A term of requiredDuringSchedulingIgnoredDuringExecution in a pod's podAntiAffinity."""

    # None: no selector, which selects nothing.
    selector: Selector | None
    topology_key: str
    # The namespaces of the pods that the term is about; empty: the pod's own.
    namespaces: tuple[str, ...]
    # Whether a namespaceSelector says which namespaces; they are not in the files.
    by_selector: bool


@frozen
class Pod:
    """A pod of a real cluster."""

    namespace: str
    name: str
    # spec.nodeName, or "".
    node: str = ""
    # status.nominatedNodeName, or "".
    nominated: str = ""
    phase: str = ""
    priority: int = 0
    # The name of the priority class, or "".
    priority_class: str = ""
    # Whether spec.preemptionPolicy is Never.
    preempts_never: bool = False
    scheduler: str = "default-scheduler"
    labels: Mapping[str, str] = field(factory=dict, eq=False)
    # What decides about the pod's requests.
    resources: PodResources = PodResources()
    # status.startTime.
    started: Moment | None = None
    # Whether the pod has a deletionTimestamp.
    deleting: bool = False
    # Whether the condition DisruptionTarget says that a preemption deletes the pod.
    disruption_target: bool = False
    # Whether the pod is Ready; a pod without any condition is taken to be so.
    ready: bool = True
    # spec.nodeSelector, and nodeAffinity's requiredDuringSchedulingIgnoredDuringExecution; None: none.
    node_selector: tuple[tuple[str, str], ...] = ()
    node_terms: tuple[NodeTerm, ...] | None = None
    # Key, operator, value and effect of each toleration.
    tolerations: tuple[tuple[str, str, str, str], ...] = ()
    # The host ports: protocol and number.
    host_ports: frozenset[tuple[str, int]] = frozenset()
    anti_affinity: tuple[AntiAffinity, ...] = ()
    # What else decides on which nodes the pod fits, in words, and is not judged here.
    constraints: tuple[str, ...] = ()
    # Whether spec.schedulingGates has a gate.
    gated: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def terminal(self) -> bool:
        """Whether the pod has ended. Such a pod takes no room."""
        return self.phase in TERMINAL


@frozen
class Budget:
    """A PodDisruptionBudget of a real cluster."""

    namespace: str
    name: str
    # Whether its apiVersion is policy/v1beta1, where an empty selector selects no pod.
    beta: bool
    # None: no selector, which selects no pod.
    selector: Selector | None
    # status.disruptionsAllowed.
    allowed: int
    # The names in status.disruptedPods.
    disrupted: frozenset[str] = frozenset()

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.name}"

    def selects(self, pod: Pod) -> bool:
        """Whether the budget is of this pod, as the API server and the disruption controller take it.

        In policy/v1 an empty selector selects every pod of the namespace.
        """
        if self.selector is None or pod.namespace != self.namespace or (self.beta and not self.selector):
            return False
        return all(each.matches(pod.labels) for each in self.selector)

    def counted_by_scheduler(self, pod: Pod) -> bool:
        """Whether preemption takes the budget to be of this pod.

        Go: `filterPodsWithPDBViolation`. A pod without labels is of no budget, and an empty selector selects nothing,
        in policy/v1 too (PREEMPT-PDB-EMPTY-SELECTOR). #141785 mends this after the modelled releases.
        """
        return bool(self.selector) and bool(pod.labels) and self.selects(pod)


@frozen
class Picture:
    """All that the files say of a cluster."""

    files: tuple[str, ...]
    pods: tuple[Pod, ...]
    nodes: tuple[Node, ...]
    budgets: tuple[Budget, ...]
    # How many priority classes were read.
    classes: int
    # How many objects of other kinds there were.
    passed_over: int
    # What the reader must know of what was read.
    notes: tuple[str, ...] = ()
