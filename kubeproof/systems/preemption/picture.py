"""How preemption is drawn: the pods on each node, the budgets, and how far the attempt is."""

from typing import Any

from kubeproof.systems.picture import Cards, Columns, Picture
from model.machine import Action

USERS, SERVER, BUDGETS, CYCLE = "users", "API server", "disruption controller", "scheduling cycle"


def _actor(before: Any, action: Action, place: str) -> str:
    return {"a user": USERS, "the disruption controller": BUDGETS}.get(place, CYCLE)


def _owner(subject: str) -> str:
    if subject.startswith("budget"):
        return BUDGETS
    return CYCLE if subject.startswith(("attempt", "contexts", "the scheduler", "gone")) else SERVER


PICTURE = Picture(
    panels=(
        Columns("nodes", ("pods on *",), whole=True),
        Cards("attempt", ("attempt: *", "contexts left", "the scheduler")),
        Cards("budgets", ("budget *", "gone, and not counted yet")),
        Cards("pods", ("preemptor", "status of *", "deleted")),
    ),
    lanes=(USERS, SERVER, BUDGETS, CYCLE),
    actor=_actor,
    owner=_owner,
)
