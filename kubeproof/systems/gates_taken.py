"""Which feature gates a system takes otherwise than releases have them by default: data, and what follows by release.

What a gate is by default says `model/feature_gates.csv`. So nobody writes down since when a system leaves out a part of
the default configuration.
"""

from collections.abc import Iterable, Iterator

from attrs import frozen
from packaging.version import Version

from model.gates import GATES
from model.releases import LAST_PATCH, Release, known_release


@frozen
class GateTaken:
    """A gate that a system takes as off, whatever a release has by default."""

    name: str
    # What the system does not have so, or what it has in its place: a sentence.
    says: str
    # From this release on the system takes the gate as the release has it; "": it never does.
    until: str = ""

    def differs_in(self, release: Release) -> bool:
        """Whether the release has the gate on by default, and the system takes it as off."""
        as_released = bool(self.until) and Version(self.until) <= release.version
        return not as_released and GATES[self.name].is_on(release)

    def releases(self, minors: Iterable[int]) -> str:
        """Those of `minors` in which it differs: `1.28.0 to 1.28.4, 1.35.0`; "" for none."""
        return ", ".join(f"{a} to {b}" if a != b else str(a) for a, b in _spans(self, minors))


def _spans(taken: GateTaken, minors: Iterable[int]) -> Iterator[tuple[Release, Release]]:
    """The first and the last release of each row of releases in which it differs."""
    first = last = None
    for minor in minors:
        for patch in range(LAST_PATCH[minor] + 1):
            release = known_release(f"1.{minor}.{patch}")
            if taken.differs_in(release):
                first, last = first or release, release
            elif first is not None and last is not None:
                yield first, last
                first = last = None
    if first is not None and last is not None:
        yield first, last
