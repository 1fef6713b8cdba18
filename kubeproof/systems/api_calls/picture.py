"""How api-calls is drawn: the pod as each knows it, and the dispatcher's calls."""

from typing import Any

from kubeproof.systems.picture import Cards, Columns, Picture
from model.machine import Action

SERVER, HANDLERS, SCHEDULER, DISPATCHER = "API server", "handlers", "scheduler", "dispatcher"
# Who acts, by the file or the first words of the place.
_BY_PLACE = {
    "call_queue.go": DISPATCHER,
    "pod_status_patch.go": DISPATCHER,
    "eventhandlers.go": HANDLERS,
    "the": SERVER,
}
_OWNERS = {
    "pod at the API server": SERVER,
    "pod as the handlers know it": HANDLERS,
    "events on the way": HANDLERS,
    "call": DISPATCHER,
    "told of a call in flight": DISPATCHER,
}


def _actor(before: Any, action: Action, place: str) -> str:
    return _BY_PLACE.get(place.partition(" ")[0], SCHEDULER)


def _owner(subject: str) -> str:
    return next((lane for begins, lane in _OWNERS.items() if subject.startswith(begins)), SCHEDULER)


PICTURE = Picture(
    panels=(
        Cards("pod", ("pod at the API server", "pod as the handlers know it", "object of the attempt", "wanted last")),
        Cards("scheduler", ("for the scheduler the pod is", "nominated in memory", "node of the binding")),
        Cards("dispatcher", ("call in flight", "call that waits", "the binding waits for", "told of a call in flight")),
        Cards("goroutines of failed bindings", ("PATCH of a failed binding", "the way back to the queue waits for")),
        Columns("events", ("events on the way",)),
    ),
    lanes=(SERVER, HANDLERS, SCHEDULER, DISPATCHER),
    actor=_actor,
    owner=_owner,
)
