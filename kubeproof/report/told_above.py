"""Which actions of a run an earlier run of the same page has told: they are told once."""

import re
from collections.abc import Sequence
from itertools import groupby, takewhile

from attrs import frozen

from kubeproof.report.told import ToldRun
from kubeproof.verdict.trace import Trace

# Fewer actions in a row are told again: to look them up takes longer than to read them.
_FEWEST = 2


@frozen
class OnPage:
    """A run of a page."""

    # The heading that the run stands under.
    heading: str
    trace: Trace
    told: ToldRun

    @property
    def anchor(self) -> str:
        """How a link leads to the heading, as GitHub makes it."""
        return re.sub(r"[^\w -]", "", self.heading.lower()).replace(" ", "-")


@frozen
class Above:
    """Actions in a row that the page has told of an earlier run, with the same numbers: `first` to `last`."""

    first: int
    last: int
    of: OnPage


def told_above(run: OnPage, earlier: Sequence[OnPage]) -> dict[int, Above]:
    """By the number of each action of `run` that is told above: with which others, and where.

    Both runs begin with the same actions as far as that, and such an action did the same in both. Of several earlier
    runs it is the one that tells most, else the first.
    """
    found = [_told_in(run, other) for other in earlier]
    return max(found, key=len, default={})


def _told_in(run: OnPage, other: OnPage) -> dict[int, Above]:
    pairs = zip(run.trace.actions, other.trace.actions, run.told.actions, other.told.actions, strict=False)
    begun = enumerate(takewhile(lambda pair: pair[0] == pair[1], pairs), 1)
    above: dict[int, Above] = {}
    for same, group in groupby(begun, key=lambda numbered: numbered[1][2] == numbered[1][3]):
        numbers = [number for number, _ in group]
        if same and len(numbers) >= _FEWEST:
            above |= dict.fromkeys(numbers, Above(numbers[0], numbers[-1], other))
    return above
