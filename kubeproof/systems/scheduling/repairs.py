"""The repairs of scheduling: rules that no modelled release has, each without one documented bug."""

from kubeproof.systems.repair import Repair
from model.objects import Pod
from model.scheduler.queue import nominator, update
from model.scheduler.queue.nominator import Nominator, PodLister
from model.scheduler.queue.rules import Effect, QueueSetup
from model.scheduler.queue.state import Queue, find


def _is_in_flight(queue: Queue, old: Pod, new: Pod) -> bool:
    """Whether an update is of a pod that no sub-queue has, and that the informer had before as the same pending pod."""
    places = (queue.active, queue.backoff, queue.unschedulable)
    waits = any(find(place, new.name) is not None for place in places)
    return not waits and old.uid == new.uid and not old.node_name


def update_from_backoff_noting_in_flight(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """`update_from_backoff_to_active`; an update of a pod in flight is noted as a move request, and not queued."""
    if _is_in_flight(queue, old, new):
        return setup.rules.note_move_request(queue), None
    return update.update_from_backoff_to_active(setup, queue, old, new, now)


def update_noting_in_flight(setup: QueueSetup, queue: Queue, old: Pod, new: Pod, now: int) -> Effect:
    """`update_respecting_backoff`; an update of a pod in flight is noted as a move request, and not queued."""
    if _is_in_flight(queue, old, new):
        return setup.rules.note_move_request(queue), None
    return update.update_respecting_backoff(setup, queue, old, new, now)


def add_overriding_by_name(nominator_: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_overriding`, except that "" clears the nomination (as #139904, in 1.37)."""
    if node == "":
        return nominator.delete_by_uid(nominator_, pod)
    return nominator.add_overriding(nominator_, pod, node, lister)


def add_overriding_by_name_unless_bound(
    nominator_: Nominator, pod: Pod, node: str | None, lister: PodLister | None
) -> Nominator:
    """`add_overriding_unless_bound`, except that "" clears the nomination (as #139904, in 1.37)."""
    if node == "":
        return nominator.delete_by_uid(nominator_, pod)
    return nominator.add_overriding_unless_bound(nominator_, pod, node, lister)


def add_reference_by_name(nominator_: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_reference`, except that "" clears the nomination (as #139904, in 1.37)."""
    if node == "":
        return nominator.delete_by_uid(nominator_, pod)
    return nominator.add_reference(nominator_, pod, node, lister)


REPAIRS = (
    Repair(
        "QUEUE-INFLIGHT-DUP",
        "queue_update",
        update.update_from_backoff_to_active,
        update_from_backoff_noting_in_flight,
    ),
    Repair("QUEUE-INFLIGHT-DUP", "queue_update", update.update_respecting_backoff, update_noting_in_flight),
    Repair("NOM-EMPTY-KEY", "nominator_add", nominator.add_overriding, add_overriding_by_name),
    Repair(
        "NOM-EMPTY-KEY",
        "nominator_add",
        nominator.add_overriding_unless_bound,
        add_overriding_by_name_unless_bound,
    ),
    Repair("NOM-EMPTY-KEY", "nominator_add", nominator.add_reference, add_reference_by_name),
)
