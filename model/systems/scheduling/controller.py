"""A controller that makes each pod again that is gone (`controllers=1`), as one actor; and UIDs that are given anew.

A run that goes on for ever has more UIDs than any bound. Of a UID this alone is asked: whether it is another one. So
before a pod is made again, the incarnations of its name that somebody still knows are numbered from 1.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from attrs import fields, has

from model.evolve import evolve
from model.machine import Action, Offer
from model.places import always
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.variables import REMEMBERED, Places, plain
from model.world import users
from model.world.api_server import pod_name
from model.world.step import Step

STEPS = (Step(name="replace_pod", place=always("a controller"), power=("controllers",)),)
_UID = re.compile(r"(\w+)#(\d+)")


def offers(setup: SchedulingSetup, /) -> tuple[Offer[Scheduling], ...]:
    """Each pod that was there may be made again."""
    return tuple(partial(_replaces, at) for at in range(setup.scope.pods) if setup.scope.controllers)


def _replaces(at: int, state: Scheduling) -> Iterator[Action]:
    if state.pods[at] is None and state.incarnations[at]:
        yield Action.of("replace_pod", pod=pod_name(at))


def act(setup: SchedulingSetup, state: Scheduling, action: Action, /) -> Scheduling:
    """The state with the pod under a new UID."""
    return users.act(setup, with_few_uids(state), Action.of("create_pod", pod=action["pod"]))


def with_few_uids(state: Scheduling) -> Scheduling:
    """The state with the known incarnations of each name numbered from 1, in their order."""
    whole_state = plain(state)
    numbers: dict[str, list[int]] = {}
    for name, number in sorted(_uids_in(evolve(whole_state, incarnations=Places()))):
        numbers.setdefault(name, []).append(number)
    # A name of which nobody knows an incarnation was there all the same.
    counts = (len(numbers.get(pod_name(at), "?")) if times else 0 for at, times in enumerate(whole_state.incarnations))
    new = {f"{name}#{old}": f"{name}#{at}" for name, olds in numbers.items() for at, old in enumerate(olds, start=1)}
    renumbered: Scheduling = _with_uids(evolve(whole_state, incarnations=Places(counts)), new)
    return renumbered


@lru_cache(maxsize=REMEMBERED)
def _uids_in(value: Any) -> frozenset[tuple[str, int]]:
    """The names and numbers of the UIDs that are part of a value."""
    if isinstance(value, str):
        found = _UID.fullmatch(value)
        return frozenset({(found[1], int(found[2]))} if found else ())
    parts = _parts(value)
    return frozenset().union(*map(_uids_in, parts)) if parts else frozenset()


def _parts(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple | frozenset):
        return tuple(value)
    return tuple(getattr(value, field.name) for field in fields(type(value))) if has(type(value)) else ()


def _with_uids(value: Any, new: Mapping[str, str]) -> Any:
    """`value` with these UIDs in the place of the old ones. Those of one name keep their order: nothing is resorted."""
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, tuple):
        return type(value)(_with_uids(each, new) for each in value)
    if isinstance(value, frozenset):
        return frozenset(_with_uids(each, new) for each in value)
    if not has(type(value)):
        return value
    return evolve(value, **{field.name: _with_uids(getattr(value, field.name), new) for field in fields(type(value))})
