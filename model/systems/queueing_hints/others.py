"""A bound pod of others: it comes, changes its labels, and goes. The handler of assigned pods is told.

Others do not wait in the queue, so the informer's store says nothing that the scheduler asks for: the handlers hear of
the pod as soon as it changes, and lag with `listeners` as for every pod.
"""

from collections.abc import Iterator
from functools import partial

from model.evolve import evolve
from model.machine import Action, Offer
from model.objects import Pairs, Pod
from model.scheduler.eventhandlers import PodNotification
from model.systems.queueing_hints.plugins import APP, FILLS, OTHER
from model.systems.queueing_hints.records import QueueingHints
from model.systems.queueing_hints.rules import HintsSetup
from model.systems.queueing_hints.scope import QueueingHintsScope
from model.world.go_files import HANDLERS_GO, at
from model.world.informers import notify
from model.world.state import left
from model.world.step import Step

# The node of the other pod, which is the one node.
_NODE = "n1"
_LABELS: Pairs = (("app", APP),)
# What the other pod is when it comes: its labels, and how much of the node it takes.
_KINDS: dict[str, tuple[Pairs, int]] = {"labelled": (_LABELS, 0), "plain": ((), 0), "big": ((), FILLS)}
STEPS = (
    Step(name="bind_other", place=at(HANDLERS_GO, "addPodToCache"), power=("assigned",)),
    Step(name="label_other", place=at(HANDLERS_GO, "updatePodInCache"), power=("assigned",)),
    Step(name="remove_other", place=at(HANDLERS_GO, "deletePodFromCache"), power=("assigned",)),
)  # fmt: skip


def offers(setup: HintsSetup) -> tuple[Offer[QueueingHints], ...]:
    """What may become of the pod of others."""
    return (partial(_change, setup.scope),) if setup.scope.assigned else ()


def _change(scope: QueueingHintsScope, state: QueueingHints) -> Iterator[Action]:
    if not left(state, "assigned", scope.assigned):
        return
    if state.other is None:
        yield from (Action.of("bind_other", kind=kind) for kind in _KINDS)
        return
    yield Action("label_other")
    yield Action("remove_other")


def act(setup: HintsSetup, state: QueueingHints, action: Action) -> QueueingHints:
    """The state after the pod of others has changed, and who is at once told was told."""
    old, new = state.other, None
    match action.name:
        case "bind_other":
            labels, takes = _KINDS[str(action["kind"])]
            times = state.used.of("assigned") + 1
            new = Pod(OTHER, f"{OTHER}#{times}", cpu_milli=takes, node_name=_NODE, labels=labels)
        case "label_other":
            assert old is not None
            new = evolve(old, labels=() if old.labels else _LABELS)
    state = evolve(state, other=new, used=state.used.once_more("assigned"))
    return notify(setup, state, PodNotification(old, new))
