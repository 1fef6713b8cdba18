"""How much memory a command takes with all its processes. Reads what the system says of them, once a second."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

import psutil

_SECONDS = 1.0


class Peak:
    """The most memory that this process and those below it took at once so far, in MiB."""

    def __init__(self) -> None:
        self.mebibytes = 0

    def look(self) -> None:
        own = psutil.Process()
        taken = 0
        for process in (own, *own.children(recursive=True)):
            with suppress(psutil.Error):  # it has ended
                info = process.memory_info()
                # Not twice what several have in common.
                taken += info.rss - getattr(info, "shared", 0)
        self.mebibytes = max(self.mebibytes, taken >> 20)

    def __str__(self) -> str:
        return f"peak memory {self.mebibytes:,} MiB"


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """The peak while the block lasts."""
    peak, ended = Peak(), Event()

    def watch() -> None:
        while not ended.wait(_SECONDS):
            peak.look()

    peak.look()
    Thread(target=watch, daemon=True).start()
    try:
        yield peak
    finally:
        ended.set()
        peak.look()
