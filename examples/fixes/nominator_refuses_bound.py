"""The nominator asks the pod lister, and refuses a pod that it shows bound (upstream's #109245, 1.24; for 1.22).

The lister is the informer's store, so a bind whose event is still on its way is not seen; that event then takes the
nomination away. It cures nothing of why a bound pod's failure is recorded at all.
"""

from model.objects import Pod
from model.scheduler.queue.nominator import Nominator, PodLister, add_if_listed, delete_by_uid


def nominator_add(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """scheduling_queue.go nominator.add: under the nominator's own lock."""
    listed = None if lister is None else lister(pod.name)
    if listed is not None and listed.node_name:
        return delete_by_uid(nominator, pod)
    return add_if_listed(nominator, pod, node, lister)
