"""A second scheduler over the same API server, as one actor: informers, queue, cache and goroutines of its own.

It follows the rules of the release as the first one does. It is a replica that leads too (`second=1`; Go: a leader that
has lost its lease goes on until its process has ended, client-go leaderelection.go), so that each pod is of both; or it
has another name (`second=2`), and every second pod has its name in spec.schedulerName.

Its state is `Scheduling.second`: a record like that of the first, in which the API server's part is empty. Each of its
actions has the name of the first one's, with `second_` before.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from attrs import evolve as with_attributes

from model.evolve import evolve
from model.machine import Action, Offer
from model.objects import Pod
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import OTHER_SCHEDULER, SchedulingSetup
from model.systems.scheduling.threads import SCHEDULER
from model.variables import Places, plain, touched, whole
from model.world import informers
from model.world.events import Used
from model.world.step import Scope, Step

PREFIX = "second_"
_INFORMERS = (*informers.STEPS, informers.HANDLE_POD)
_OWN = (*_INFORMERS, *SCHEDULER.STEPS)
_NAMES_OF_INFORMERS = frozenset(step.name for step in _INFORMERS)
# What takes events off a watch. No such step writes to the API server.
_READS_WATCH = _NAMES_OF_INFORMERS | {f"{PREFIX}{name}" for name in _NAMES_OF_INFORMERS}


def _second(step: Step) -> Step:
    """The step of the second scheduler that is like this one of the first."""

    def needs(scope: Scope) -> object:
        return scope.second and step.needs(scope)

    return with_attributes(
        step,
        name=f"{PREFIX}{step.name}",
        part_of=tuple(f"{PREFIX}{name}" for name in step.part_of),
        power=step.power or ("second",),
        needs=needs,
    )


STEPS = tuple(map(_second, _OWN))
NAMES = frozenset(step.name for step in STEPS)


def of_both(names: Iterable[str]) -> frozenset[str]:
    """The names of these steps of the first scheduler, and of the same steps of the second."""
    found = frozenset(names)
    return found | {f"{PREFIX}{name}" for name in found if f"{PREFIX}{name}" in NAMES}


def has_other_name(setup: SchedulingSetup) -> bool:
    return setup.scope.second == 2


def alone(seen: Scheduling) -> Scheduling:
    """What of the state is the second scheduler's own."""
    kept: Scheduling = plain(evolve(seen, pods=Places(), nodes=Places(), incarnations=Places(), used=Used()))
    return kept


def as_seen(setup: SchedulingSetup, state: Scheduling) -> Scheduling:
    """The state as the second scheduler's steps take it."""
    seen = with_objects(state)
    return evolve(seen, pods=Places(map(_of_other, state.pods))) if has_other_name(setup) else seen


def with_objects(state: Scheduling) -> Scheduling:
    """The second scheduler's own components, with the API server's part."""
    assert state.second is not None
    of_api = {name: getattr(state, name) for name in ("pods", "nodes", "incarnations", "used")}
    return evolve(state.second, **of_api)


def _of_other(pod: Pod | None) -> Pod | None:
    """The pod as the other scheduler sees it: what is its own names no other scheduler."""
    return None if pod is None else evolve(pod, scheduler_name="" if pod.scheduler_name else OTHER_SCHEDULER)


def offers(setup: SchedulingSetup, /) -> tuple[Offer[Scheduling], ...]:
    """What the second scheduler may do, in the order of the first."""
    if not setup.scope.second:
        return ()
    every: tuple[Offer[Any], ...] = (*informers.offers(setup), *SCHEDULER.offers(setup))
    return tuple(partial(_second_may, setup, offer) for offer in every)


def _second_may(setup: SchedulingSetup, offer: Offer[Scheduling], state: Scheduling) -> Iterator[Action]:
    for action in offer(as_seen(setup, state)):
        yield Action(f"{PREFIX}{action.name}", action.args)


def act(setup: SchedulingSetup, state: Scheduling, action: Action, /) -> Scheduling:
    """The state after an action of the second scheduler, of whose writes the first one hears."""
    seen = as_seen(setup, state)
    own = first_of(action)
    actor: Any = informers if own.name in _NAMES_OF_INFORMERS else SCHEDULER
    after: Scheduling = actor.act(setup, seen, own)
    state = evolve(state, second=alone(after), used=after.used)
    if touched(after, seen, "pods"):
        state = evolve(state, pods=Places(map(_of_other, after.pods)) if has_other_name(setup) else after.pods)
    return _told(setup, state, action, seen, after)


def first_of(action: Action) -> Action:
    """The action of the first scheduler that is like this one of the second."""
    return Action(action.name.removeprefix(PREFIX), action.args)


def hear(setup: SchedulingSetup, state: Scheduling, action: Action, after: Scheduling) -> Scheduling:
    """`after`, with what somebody other than the second scheduler wrote on its way to the second scheduler."""
    second = after.second
    if second is None or action.name in NAMES:
        return after
    heard = _told(setup, second, action, state, after)
    return after if heard is second else evolve(after, second=heard)


def _told(
    setup: SchedulingSetup, scheduler: Scheduling, action: Action, before: Scheduling, after: Scheduling
) -> Scheduling:
    """The `scheduler`, with the events that the other's `action` sent, which led from `before` to `after`."""
    if action.name in _READS_WATCH:
        return scheduler
    for event in whole(after.pod_watch)[len(whole(before.pod_watch)) :]:
        pod = _of_other(event.pod) if has_other_name(setup) else event.pod
        scheduler = evolve(scheduler, pod_watch=scheduler.pod_watch.send(evolve(event, pod=pod)))
    for node_event in whole(after.node_watch)[len(whole(before.node_watch)) :]:
        scheduler = evolve(scheduler, node_watch=scheduler.node_watch.send(node_event))
    return scheduler
