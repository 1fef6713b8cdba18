"""The extender of issue #86942 answers with an error for a pod that has its GPU already, instead of an empty list.

An empty list is a FitError: the scheduler goes on to preempt, and nominates a pod that is being bound. After an error
it records the failure and stops. This is how the reporter cured it; no scheduler changes.
"""

from model.objects import Pod
from model.scheduler.extender import ALLOCATED, ExtenderReply


def extender_filter(pod: Pod, nodes: tuple[str, ...]) -> ExtenderReply:
    """extender.go Filter: what the extender's own program answers, and what it writes to the pod before."""
    if all(pair in pod.annotations for pair in ALLOCATED):
        return ExtenderReply(error="the pod has its GPU already")
    return ExtenderReply(nodes, annotate=ALLOCATED)
