"""How much memory a command takes with all its processes, and how much is left. Reads what the system says."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

try:
    import psutil
except ModuleNotFoundError:
    # A browser says nothing of its memory.
    psutil = None  # type: ignore[assignment]

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


# A search ends when less than this is left, in MiB, or this part of all that there may be. A process that takes less
# than this part goes on: it is others that need so much.
_RESERVE, _PART = 256, 0.05
_CGROUPS = Path("/sys/fs/cgroup")
# By version of cgroups: the files of the limit and of what is taken, and what begins the names of the parts of it that
# can be given back: pages of files.
_FILES = (
    ("memory.max", "memory.current", ""),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
)


def takes_more(mebibytes: int) -> bool:
    """Whether this process takes more memory than that."""
    return psutil.Process().memory_info().rss >> 20 > mebibytes


def short_of_memory() -> str | None:
    """What leaves this process little memory, with its size; None while there is enough, and where nothing says it.

    The machine, a limit of the process (`ulimit -v`), or one of its cgroups, as a container has them.
    """
    if psutil is None:
        return None
    taken = psutil.Process().memory_info()
    for name, most, left in _limits(taken.vms):
        if left < min(_RESERVE << 20, most * _PART) and taken.rss > most * _PART:
            return f"{name} of {most >> 20:,} MiB"
    return None


def _limits(addresses: int) -> Iterator[tuple[str, int, int]]:
    """(name, bytes that there may be, bytes that are left) of each limit, for a process with so many of addresses."""
    machine = psutil.virtual_memory()
    yield "the machine's memory", machine.total, machine.available
    with suppress(ImportError, AttributeError):  # not Linux
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            yield "the limit of address space (ulimit -v)", most, most - addresses
    for folder in _cgroups():
        for limit, taken, begin in _FILES:
            with suppress(OSError, ValueError):  # another version, or no limit: the word max
                most = int((folder / limit).read_text())
                if most < machine.total:
                    of = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                    files = sum(int(of.get(f"{begin}{which}_file", 0)) for which in ("active", "inactive"))
                    left = most - int((folder / taken).read_text()) + files
                    yield "the memory limit of the cgroup", most, left


def _cgroups() -> Iterator[Path]:
    """The cgroups that this process may be in, those above them included. In a container the top is its own."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in ("", "memory"):
                top = _CGROUPS / controllers
                own = top / path.lstrip("/")
                yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(top))
