"""A nominator that compares UIDs: a pod is nominated only while the lister shows this very pod, not bound.

Since 1.24 (#109245) the nominator refuses a pod whose name the lister shows bound, or does not know. It looks the name
up: a goroutine that still has a deleted pod in hand nominates it when a namesake was created meanwhile, and nobody
takes that nomination back. Try it:

    kubeproof check scheduling --release 1.24.0 --engine z3 --scope recreates=1,deletes=1 \\
        --fix examples/fixes/nominate_listed_uid.py
"""

from model.objects import Pod
from model.scheduler.queue.nominator import Nominator, PodLister, add_overriding, delete_by_uid
from properties.smt.bits import Bit, negate
from properties.smt.scheduling.observed import Observed


def nominator_add(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    listed = None if lister is None else lister(pod.name)
    if lister is not None and (listed is None or listed.uid != pod.uid or listed.node_name):
        return delete_by_uid(nominator, pod)
    return add_overriding(nominator, pod, node, lister)


def nominator_add_smt(pod: Observed) -> Bit:
    """Refused unless the store has the pod itself, pending."""
    return negate(pod.listed_pending)
