"""A tempting cure that is refused: the nominator believes the pod's own status only, never what preemption tells it.

A nomination that stays with a running pod was made in memory, for a pod that the API server had bound already. But
nominations are made in memory (#70898, 1.14) for a reason: until the status has gone to the API server and come back,
nobody else keeps the room that the victims left. For 1.22.
"""

from model.objects import Pod
from model.scheduler.queue.nominator import Nominator, PodLister, add_if_listed


def nominator_add(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """scheduling_queue.go nominatedPodMap.add: up to 1.18 under the queue's lock."""
    return add_if_listed(nominator, pod, None, lister)
