"""NOM-EMPTY-KEY, and of a node that changes the last change alone moves pods, since one move is cheaper.

Wrong: an update may uncordon a node that has more CPU, and a pod waits for the first change.
"""

from model.objects import Node, Pod
from model.scheduler import node_handlers
from model.scheduler.calls import Calls
from model.scheduler.queue.nominator import Nominator, PodLister, add_reference, delete_by_uid

CURES = "NOM-EMPTY-KEY"


def nominator_add(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    if node == "":
        return delete_by_uid(nominator, pod)
    return add_reference(nominator, pod, node, lister)


def move_on_node_update(old: Node, new: Node) -> Calls:
    return node_handlers.move_on_each_node_change(old, new)[-1:]
