"""Fields of the state of preemption in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "PodDisruptionBudget.name": "the selector says whose budget it is",
    "Preemption.ended": "a text for the reader; what counts is which pods are deleted",
    "PreemptionNode.allowed_pods": "each node has room for one pod more, as far as their number goes",
    "PreemptionPod.disruption_target": "the properties read the cluster as it is, and so do the rules",
    "PreemptionPod.preempts_never": "the properties read the cluster as it is, and so do the rules",
    "PreemptionPod.terminating": "the properties read the cluster as it is, and so do the rules",
}
