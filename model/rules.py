"""What a row of the release table is, and what was looked at of the Go sources to know it.

A row says what a release does; `Seen` says what somebody looked at. How well a rule of a release is known follows from
both: `model/evidence.py`.
"""

from collections.abc import Callable
from typing import Any, Literal

from attrs import frozen

# How a rule of a release is known: `recorded` when recordings of the real Go code replay, `read` when its source was
# read, `inferred` when neither the release nor both its neighbours were seen.
Evidence = Literal["recorded", "read", "inferred"]


@frozen
class Row:
    """From a release on, a field of a Rules class is a rule."""

    # The field's name. All Rules classes together use a name once.
    field: str
    # The first release, e.g. "1.18.7" or "1.19.0-alpha.1". The row holds until the field's next row.
    since: str
    # What the release does.
    rule: Callable[..., Any]
    # The pull request that changed the rule, and its back-port if the minor got one; "" where the table begins.
    change: str
    # `FILE FUNCTION[, FUNCTION]` in the Go sources of release `since`; of later releases see `Moved`. "" in a table: as
    # in the row of this field before it.
    source: str = ""


@frozen
class Moved:
    """From a release on, a Go file, or a function of one, has another name or place."""

    # The first release with the new name.
    since: str
    # `FILE`, or `FILE FUNCTION`.
    old: str
    # `FILE`, or `FILE FUNCTION`.
    new: str


@frozen
class Seen:
    """What was looked at of a Go file in a range of releases."""

    # The Go file, or a folder with all that is in it (a folder ends with a slash).
    path: str
    # The first release of the range.
    first: str
    # The last release of the range. The file is the same in all releases of a range.
    last: str
    # `recorded`: operations of the real code were recorded, and they replay. `read`: the source was read.
    evidence: Literal["recorded", "read"]
    # The repository and the ref at which the file was read, or recorded.
    where: str
    # The fields whose rules were seen; empty: all whose rules stand there.
    fields: frozenset[str] = frozenset()


def read(path: str, repository: str, refs: str) -> tuple[Seen, ...]:
    """What was read below `path` in the trees of one repository.

    `refs`: `RELEASE=REF`, separated by blanks.

    >>> read("pkg/scheduler/", "rancher/k3s", "1.18.2=698e444a03fe")[0].where
    'rancher/k3s 698e444a03fe'
    """
    pairs = (pair.split("=") for pair in refs.split())
    return tuple(Seen(path, release, release, "read", f"{repository} {ref}") for release, ref in pairs)
