"""Whether a pod fits into what is left of a node: CPU, and how many pods the node allows. Pure.

Go: `fitsRequest` in pkg/scheduler/framework/plugins/noderesources/fit.go (to 1.17 `PodFitsResources` in
algorithm/predicates/predicates.go). Left out: memory and all other resources.
"""

from attrs import frozen

from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod, RunFilters


def fits_request(pod: PreemptionPod, node: PreemptionNode) -> Status:
    """Success, or each thing of which there is too little. A pod that asks for no CPU is not checked for CPU.

    To 1.33 the answer says nothing of whether an empty node would do.
    """
    reasons = []
    if len(node.pods) + 1 > node.allowed_pods:
        reasons.append("Too many pods")
    if pod.cpu_milli > 0 and pod.cpu_milli > node.cpu_milli - sum(each.cpu_milli for each in node.pods):
        reasons.append("Insufficient cpu")
    return Status(Code.UNSCHEDULABLE, tuple(reasons)) if reasons else SUCCESS


def fits_request_or_never(pod: PreemptionPod, node: PreemptionNode) -> Status:
    """1.34 on: of a pod that asks for more than the node has, the answer is UnschedulableAndUnresolvable."""
    status = fits_request(pod, node)
    if status.ok or pod.cpu_milli <= node.cpu_milli:
        return status
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, status.reasons)


@frozen(slots=False, kw_only=True)
class FitRules:
    """What releases do differently."""

    # (pod, node) -> the answer of NodeResourcesFit.
    fits_node: RunFilters
