"""Numbers of all states in a file that is mapped into memory: what a search has not looked at for long is not there."""

import mmap
import os
import tempfile
from pathlib import Path
from typing import IO, Literal


class OnDisk:
    """As `InMemory` of the core. The file has no name: it is gone with this process, however that ends."""

    def __init__(self, folder: Path, kind: Literal["Q", "I"]) -> None:
        """`kind`: as of an array, "Q" or "I"."""
        self._folder, self.kind = folder, kind
        self.numbers = memoryview(b"").cast(kind)
        # None once the disk was full.
        self._file: IO[bytes] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 as long as this
        except OSError:
            pass

    def grow(self, count: int) -> None:
        """Be so many. The new ones are 0. Where the disk is full, all are in memory from here on.

        Raises MemoryError, and then all is as it was.
        """
        size = max(1, count) * self.numbers.itemsize
        if self._reserved(size):
            assert self._file is not None
            grown = _map(self._file.fileno(), size)
        else:
            before = self.numbers.cast("B")
            grown = _map(-1, size)
            grown[: len(before)] = before
            self._file = None
        self.numbers = grown.cast(self.kind)

    def _reserved(self, size: int) -> bool:
        """Whether the disk has room. A page that is written to where it has none would end the process."""
        if self._file is None:
            return False
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._file.fileno(), 0, size)
            else:
                self._file.truncate(size)
        except OSError:
            return False
        return True

    def another(self) -> "OnDisk":
        """None yet, in another file."""
        return OnDisk(self._folder, self.kind)


def _map(file: int, size: int) -> memoryview:
    try:
        return memoryview(mmap.mmap(file, size))
    except OSError as error:
        raise MemoryError(error.strerror) from None
