"""A run as a Mermaid sequence diagram: GitHub, GitLab and many editors draw one of a block of Markdown.

Who acts has a lane: a file of Go, or whoever else does the action, such as a user. The place of an action says it.
"""

import re

from kubeproof.report.told import ToldRun

# What ends a statement, begins a comment or a directive, or is read as HTML; and the sign of an entity itself.
_SPECIAL = re.compile(r"[#;%{}<>&\"\\|]")


def sequence_diagram(run: ToldRun) -> str:
    """The diagram of a run: its actions with their numbers, and what fails since one of them."""
    lanes = dict.fromkeys(lane for action in run.actions for lane in _lanes(action.place))
    number = {lane: f"L{at}" for at, lane in enumerate(lanes, 1)}
    lines = ["sequenceDiagram", "    autonumber"]
    lines += [f"    {_kind(lane)} {number[lane]} as {escaped(lane)}" for lane in lanes]
    for at, action in enumerate(run.actions, 1):
        if at == run.repeats_from:
            lines.append("    loop for ever")
        ways = [number[lane] for lane in _lanes(action.place)]
        lines.append(f"    {ways[0]}->>{ways[-1]}: {escaped(action.sentence)}")
        lines += [f"    Note over {ways[-1]}: {escaped(failure)}" for failure in action.broken]
    if run.repeats_from is not None:
        lines.append("    end")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """`text` in one line, as a text of Mermaid. Code in backquotes is plain there.

    >>> escaped("`Pop`: a#1; b")
    'Pop: a#35;1#59; b'
    """
    plain = " ".join(text.replace("`", "").split())
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", plain)


def _lanes(place: str) -> list[str]:
    """Who acts at a place, from the first to the last: files of Go, or whoever does it."""
    files = ((part, re.search(r"[^\s/]+\.go\b", part)) for part in place.split(" -> "))
    return [part if file is None else file[0] for part, file in files]


def _kind(lane: str) -> str:
    """How a lane is drawn: code as a box, all else as a person."""
    return "participant" if lane.endswith(".go") else "actor"
