"""What is known of preemption beside its steps: powers taken, fields read, repairs, what nothing notices."""

from collections.abc import Iterable, Mapping

from attrs import frozen

from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.read_fields import ReadField
from kubeproof.systems.system import Repair
from model.machine import Action, Value
from model.objects import NAMESPACE
from model.scheduler.preemption.disruption_budgets import Grouped, disrupted_pods_are_free
from model.scheduler.preemption.objects import Budgets, PodDisruptionBudget, Pods, PreemptionPod
from model.systems.preemption import PreemptionScope

# --- which powers of the environment a run of preemption makes use of -------------------------------------------------

# The argument of `fit_nowhere` that is there where a power is used.
_OF_ARGUMENT = {
    "extender": "extenders",
    "nominated": "terminating",
    "policy": "never",
    "pre_filter": "unresolvable",
    "secret": "unnamed_secrets",
    "unresolvable": "unresolvable",
}


def powers_taken(scope: PreemptionScope, actions: Iterable[Action]) -> set[str]:
    """The bounds that let the actions of a run happen."""
    used: set[str] = set()
    come = 0
    for action in actions:
        args = dict(action.args)
        if action.name == "run_pod":
            used |= {"start_times"} if args.get("start") == 2 else set()
            used |= {"terminating"} if "deleted_by" in args else set()
        elif action.name == "set_budget":
            used |= {"budgets", "disrupted"} if "disrupted" in args else {"budgets"}
            used |= {"empty_selectors"} if "selector" in args else set()
        elif action.name == "prepare_candidate":
            used |= {"refused_requests"} if "refused" in args else set()
        elif action.name == "fit_nowhere":
            come += 1
            used |= _of_pod(args) | ({"more_pods"} if come > 1 else set())
    return used


def _of_pod(args: dict[str, Value]) -> set[str]:
    used = {power for argument, power in _OF_ARGUMENT.items() if argument in args}
    used |= {"unsteady_filters"} if args["cpu"] == 0 else set()
    return used | ({"empty_answers"} if "no victims" in str(args.get("extender", "")) else set())


# --- the fields of pods, nodes and budgets that the rules of preemption read, and the powers that change them ---------

READ_FIELDS = (
    ReadField("Pod.metadata.labels", ("budgets",)),
    ReadField("Pod.metadata.deletionTimestamp", ("terminating",)),
    ReadField("Pod.spec.priority", ("priorities",)),
    ReadField("Pod.spec.preemptionPolicy", ("never",)),
    ReadField("Pod.spec.containers[].resources.requests", ("cpus",), "memory and all else but CPU"),
    ReadField("Pod.spec.imagePullSecrets", ("unnamed_secrets",)),
    ReadField(
        "Pod.spec.affinity", (), "a filter refuses a node for CPU, or for a reason that no pod that goes changes"
    ),
    ReadField("Pod.status.startTime", ("start_times",), "a pod that was not started yet"),
    ReadField("Pod.status.nominatedNodeName", ("terminating",), "other nominated pods"),
    ReadField("Pod.status.conditions", ("terminating",)),
    ReadField("Pod.status.qosClass", ("qos",)),
    ReadField("Node.status.allocatable", ("cpus",), "a node that has room, and the number of pods"),
    ReadField("PodDisruptionBudget.status.disruptionsAllowed", ("budgets", "more_pods")),
    ReadField("PodDisruptionBudget.status.disruptedPods", ("disrupted",), "several pods at once"),
    ReadField("PodDisruptionBudget.spec.selector", ("budgets", "empty_selectors"), "other operators than equality"),
)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "Nothing happens while an attempt lasts.",
    "There are too few nodes for a search that ends early with a node unseen, unless each node is a candidate.",
)


# The gates that the system takes as off.
GATES_TAKEN = (
    GateTaken("SchedulerAsyncPreemption", "a goroutine deletes the victims: here that is one step of the attempt"),
    GateTaken("SchedulerAsyncAPICalls", "the API dispatcher makes the PATCHes (see api-calls)"),
    GateTaken("InPlacePodVerticalScaling", "no request of a pod changes: `kubeproof preemption` counts a resize"),
    GateTaken("DynamicResourceAllocation", "no pod has a resource claim"),
)


# --- the repairs of preemption: rules that no modelled release has, each without one documented bug -------------------


@frozen
class _Asked(PodDisruptionBudget):
    """A budget that the scheduler takes as the API server does."""

    def matches(self, pod: PreemptionPod) -> bool:
        return self.namespace == NAMESPACE and (self.of_every_pod or PodDisruptionBudget.matches(self, pod))


def every_selector_is_asked(pods: Pods, budgets: Budgets) -> Grouped:
    """`disrupted_pods_are_free`, also of a selector that is empty (as #141785, in no modelled release)."""
    asked = (
        _Asked(each.name, each.namespace, each.selector, each.disruptions_allowed, each.disrupted_pods,
               each.of_every_pod)
        for each in budgets
    )  # fmt: skip
    return disrupted_pods_are_free(pods, tuple(asked))


REPAIRS = (
    Repair("PREEMPT-PDB-EMPTY-SELECTOR", "pods_with_pdb_violation", disrupted_pods_are_free, every_selector_is_asked),
)


# --- fields of the state of preemption in which no property notices a wrong value within a step, and why none has to --

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "PodDisruptionBudget.name": "the selector says whose budget it is",
    "Preemption.ended": "a text for the reader; what counts is which pods are deleted",
    "PreemptionNode.allowed_pods": "each node has room for one pod more, as far as their number goes",
    "PreemptionPod.disruption_target": "the properties read the cluster as it is, and so do the rules",
    "PreemptionPod.preempts_never": "the properties read the cluster as it is, and so do the rules",
    "PreemptionPod.terminating": "the properties read the cluster as it is, and so do the rules",
}
