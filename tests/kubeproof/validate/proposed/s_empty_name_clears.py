"""NOM-EMPTY-KEY: an empty node name clears the nomination (as #139904). Right."""

from model.objects import Pod
from model.scheduler.queue.nominator import Nominator, PodLister, add_reference, delete_by_uid

CURES = "NOM-EMPTY-KEY"


def nominator_add(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    if node == "":
        return delete_by_uid(nominator, pod)
    return add_reference(nominator, pod, node, lister)
