"""How the runs of a system are drawn: who acts, whose each fact is, and which facts are columns, cards and cells.

What draws (report/web/viewer.mjs) knows no rule and no system. It is given facts and these descriptions.

A pattern names subjects of facts. A `*` in it stands for any text: "queue: nominated to *". The label of a subject is
what stands from the first `*` on, else what follows ": ".
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from model.machine import Action


@frozen
class Columns:
    """Each subject is a column, and each item of its fact a chip in it."""

    title: str
    # Patterns. A column that is empty in all states of the run is left out.
    subjects: tuple[str, ...]
    # Whether columns that are always empty are drawn too.
    whole: bool = False
    # A pattern with the same `*`: its fact is the place of a cursor in the column; "" for none.
    cursor: str = ""
    # The subject whose items are the labels of the columns, in order; "" for the order of the facts.
    order: str = ""
    # The subject whose fact is the place of a cursor among the columns; "" for none.
    turn: str = ""


@frozen
class Places:
    """Each item of one fact is a column, and each subject of a pattern a chip in the column that its own fact names."""

    title: str
    # The subject of which each item, by its first word, is a column.
    of: str
    # The pattern of the subjects that are chips. The item of such a fact that begins with `by` names the column.
    chips: str
    by: str = "on "
    # A pattern whose label is that of a column: its fact stands under the heading; "" for none.
    note: str = ""


@frozen
class Cards:
    """Each subject is a card, and each item of its fact a line on it."""

    title: str
    # Patterns.
    subjects: tuple[str, ...]


@frozen
class Grid:
    """Each subject is a cell. Of its fact the first item is the group, the second the owner, the others stand below."""

    title: str
    # The pattern of the cells.
    cells: str


Panel = Columns | Places | Cards | Grid


def _place_as_lane(before: Any, action: Action, place: str) -> str:
    return place.partition(" ")[0] if ".go" in place else place


@frozen
class Picture:
    """How a system is drawn. Without `panels` its states are shown as facts alone."""

    panels: tuple[Panel, ...] = ()
    # The lanes, in order: a lane that begins with one of these texts stands there. Others come last.
    lanes: tuple[str, ...] = ()
    # (before, action, its Go place) -> the lane of whoever acts.
    actor: Callable[[Any, Action, str], str] = _place_as_lane
    # The subject of a fact -> the lane of whose fact it is; "" for nobody's.
    owner: Callable[[str], str] = lambda subject: ""
    # What is drawn of a state, and is no fact since other facts say it in words.
    drawn: Callable[[Any], Mapping[str, tuple[str, ...]]] = lambda state: {}
