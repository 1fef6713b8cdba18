"""NOM-EMPTY-KEY: an empty node name is passed over. Wrong: nothing then takes back what the pod was nominated to."""

from model.objects import Pod
from model.scheduler.queue.nominator import Nominator, PodLister, add_reference

CURES = "NOM-EMPTY-KEY"


def nominator_add(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    return nominator if node == "" else add_reference(nominator, pod, node, lister)
