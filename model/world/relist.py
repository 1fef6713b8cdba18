"""A relist: the pods' watch breaks, and the informer compares a new list with its store.

Go: Reflector.ListAndWatch and DeltaFIFO.Replace of client-go. Touches the pods' watch only.
"""

from collections.abc import Iterator
from itertools import permutations, product
from typing import TypeVar

from model.evolve import evolve
from model.machine import Action
from model.variables import Channel
from model.world.events import PodEvent
from model.world.state import HasInformers

S = TypeVar("S", bound=HasInformers)


def relistings(state: HasInformers) -> Iterator[Channel[PodEvent]]:
    """What the informer may make of a new list of the pods (DeltaFIFO.Replace): the differences from its store.

    First what the list has, in its order, then what it lacks, in map order. The list goes by name; names are
    interchangeable here, so every order is possible.
    """
    listed: list[PodEvent] = []
    gone: list[PodEvent] = []
    for known, pod in zip(state.lister, state.pods, strict=True):
        if pod is None and known is not None:
            gone.append(PodEvent("delete", known, final_state_unknown=True))
        elif pod is not None and pod != known:
            listed.append(PodEvent("add" if known is None else "update", pod))
    for first, then in product(permutations(listed), permutations(gone)):
        yield Channel((*first, *then))


def relist_actions(state: HasInformers) -> Iterator[Action]:
    """The pods' watch breaks, and what was under way is lost; `order`: of the differences, where there are several."""
    for events in relistings(state):
        order = {"order": " ".join(event.pod.name for event in events)} if len(events) > 1 else {}
        yield Action.of("relist_pods", **order)


def relist(state: S, action: Action) -> S:
    """The new list is compared with the store."""
    found = zip(relist_actions(state), relistings(state), strict=True)
    return evolve(state, pod_watch=next(events for offered, events in found if offered == action))
