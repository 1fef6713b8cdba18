"""How async-preemption is drawn: the victims as each of those knows them, the preemptor, and its preemptions."""

from typing import Any

from kubeproof.systems.picture import Cards, Columns, Picture
from model.machine import Action

USERS, SERVER, INFORMER, CYCLE, PREEMPTION = (
    "users, kubelets",
    "API server",
    "informer",
    "scheduling cycle",
    "preemption",
)


def _actor(before: Any, action: Action, place: str) -> str:
    if "goroutine" in dict(action.args):
        return f"{PREEMPTION} {action['goroutine'] + 1}"
    if place in ("the informer", "the API server") or place.startswith("eventhandlers.go"):
        return SERVER if place == "the API server" else INFORMER
    return CYCLE if ".go" in place else USERS


def _owner(subject: str) -> str:
    """
    >>> _owner("v1"), _owner("v1 in the informer's store"), _owner("preemption 1")
    ('API server', 'informer', 'preemption 1')
    """
    if subject.endswith("store") or subject.startswith("events"):
        return INFORMER
    if subject.startswith(f"{PREEMPTION} "):
        return subject
    return SERVER if subject.startswith("v") and " " not in subject else CYCLE


PICTURE = Picture(
    panels=(
        Cards("victims", ("v*",)),
        Cards("preemptor", ("preemptor", "`preempting`")),
        Cards("preemptions", ("preemption *",)),
        Columns("events", ("events on the way",)),
    ),
    lanes=(USERS, SERVER, INFORMER, CYCLE, PREEMPTION),
    actor=_actor,
    owner=_owner,
)
