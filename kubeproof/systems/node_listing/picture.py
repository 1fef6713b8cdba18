"""How node-listing is drawn: the zones of the tree with their cursors, and the list that came of them."""

from typing import Any

from kubeproof.systems.picture import Columns, Picture
from model.machine import Action

HANDLERS, CYCLE, TREE, SNAPSHOT = "handlers of nodes", "scheduling cycle", "nodeTree", "snapshot"


def _actor(before: Any, action: Action, place: str) -> str:
    return CYCLE if action.name == "update_snapshot" else HANDLERS


def _owner(subject: str) -> str:
    return CYCLE if subject == "the last cycle" else subject.partition(":")[0]


PICTURE = Picture(
    panels=(
        Columns(
            "nodeTree: zones",
            ("nodeTree: nodes of *",),
            whole=True,
            cursor="nodeTree: lastIndex of *",
            order="nodeTree: zones",
            turn="nodeTree: zoneIndex",
        ),
        Columns("snapshot", ("snapshot: nodeInfoList", "snapshot: nodeInfoMap")),
    ),
    lanes=(HANDLERS, TREE, CYCLE, SNAPSHOT),
    actor=_actor,
    owner=_owner,
)
