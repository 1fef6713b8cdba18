"""Where a step of a system stands in Go, release by release: files and functions move, and a page has to follow them.

A place is a text: the file below pkg/scheduler, or another file's path, then its functions ("schedule_one.go
schedulePod"). What is no step of a Go component has the name of whoever does it ("a user").
"""

from packaging.version import Version

# (since, place) in the order of releases; `since` as Kubernetes writes a release: "1.18.4", "1.19.0-alpha.1".
Place = tuple[tuple[str, str], ...]

OLDEST = "1.13.0"


def always(place: str) -> Place:
    """The same place in every release."""
    return ((OLDEST, place),)


def place_in(places: Place, release: Version) -> str:
    """The place that holds in `release`: the newest of those that are not newer than the release.

    A step that a release does not have (a fix may bring one) stands where the nearest release has it. Raises
    ValueError where `places` is empty.

    >>> place_in((("1.13.0", "scheduler.go bind"), ("1.24.0", "schedule_one.go bind")), Version("1.23.4"))
    'scheduler.go bind'
    """
    if not places:
        raise ValueError("not a place: it names no release")
    found = places[0][1]
    for since, place in places:
        if Version(since) <= release:
            found = place
    return found
