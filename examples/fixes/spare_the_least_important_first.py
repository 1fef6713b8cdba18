"""The change that everybody proposes for fewer evictions, and that is wrong: the least important pods come back first.

Small pods of low priority find room again, and one large pod leaves in their place. That is one eviction in place of
several, and it is the most important pod that goes. Try it:

    kubeproof validate examples/fixes/spare_the_least_important_first.py --release 1.31.13 --engine explicit
"""

from collections.abc import Iterable

from model.scheduler.preemption.importance import by_importance
from model.scheduler.preemption.objects import Pods, PreemptionPod


def order_of_lower_pods(pods: Iterable[PreemptionPod]) -> Pods:
    return by_importance(pods)[::-1]
