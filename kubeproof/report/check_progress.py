"""Progress of `kubeproof check`: a line that a terminal shows anew all the time, and a log every ten seconds."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.text import Text

from kubeproof.engines.explicit import Counts
from kubeproof.engines.watch import Watch
from kubeproof.output.progress import spoken


class CheckProgress:
    """What a check does at this moment, as one line."""

    def __init__(self) -> None:
        self._began = self._counting_since = monotonic()
        self._what = "checking"
        self._counts: Counts | None = None
        self._states = 0

    def watch(self, seconds: float) -> Watch:
        """A watch for a check that may take so many seconds from now on, which tells this."""
        return Watch(monotonic() + seconds, self.tell, self.count)

    def tell(self, what: str) -> None:
        self._what, self._counts, self._states, self._counting_since = what, None, 0, monotonic()

    def count(self, counts: Counts) -> None:
        if counts.distinct < self._states:  # another search
            self._counting_since = monotonic()
        self._counts, self._states = counts, counts.distinct

    def line(self) -> str:
        """What is looked at, the counts of the search under way, and the time since the command began."""
        now, counts = monotonic(), self._counts
        elapsed = f"{now - self._began:.0f} s"
        if counts is None:
            return f"{self._what}, {elapsed}"
        rate = counts.distinct / max(now - self._counting_since, 0.1)
        return (
            f"{self._what}, {elapsed}: {counts.distinct:,} states, {rate:,.0f}/s, {counts.waiting:,} wait, depth "
            f"{counts.depth}"
        )

    def __rich__(self) -> Text:
        return Text(self.line())


@contextmanager
def check_progress(console: Console) -> Iterator[CheckProgress]:
    """The progress of a check, shown on `console` or, if that is no terminal, noted on stderr from time to time."""
    shown = CheckProgress()
    if console.is_terminal:
        with console.status(shown):
            yield shown
        return
    with spoken(shown.line):
        yield shown
