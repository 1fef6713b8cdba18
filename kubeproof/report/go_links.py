"""Links to the Go functions of a place, at the release's tag on GitHub, where the path of the file is known."""

import re
from functools import cache
from pathlib import PurePosixPath

from attrs import frozen

from model.evidence import files_in
from model.releases import Release

_TAG = "https://github.com/kubernetes/kubernetes/blob/v"
_BETWEEN = re.compile(r"( -> |; )")


@frozen
class Part:
    """A part of a place: a text, and where it leads."""

    text: str
    # "" for what is no file, or a file whose path is not known.
    link: str = ""


def linked(place: str, release: Release) -> tuple[Part, ...]:
    """The parts of `place`: "cache.go AddNode -> node_tree.go addNode" has three."""
    found = []
    for text in _BETWEEN.split(place):
        file = text.partition(" ")[0]
        path = _paths(release).get(file, "") if file.endswith(".go") else ""
        found.append(Part(text, f"{_TAG}{release.upstream}/{path}" if path else ""))
    return tuple(found)


@cache
def _paths(release: Release) -> dict[str, str]:
    """By name the path of each Go file that a rule of the release stands in; of files of one name, none."""
    found: dict[str, set[str]] = {}
    for path in files_in(release.version):
        found.setdefault(PurePosixPath(path).name, set()).add(path)
    return {name: paths.pop() for name, paths in found.items() if len(paths) == 1}
