"""Temporary folders whose names tell their owner, so that a later command removes what a killed one left behind.

The name has the host, the pid name space and the pid of the owner: two containers may share a folder for temporary
files. Touches the file system only.
"""

import os
import shutil
import socket
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from kubeproof.processes.ties import kill_marked, owner

PREFIX = "kubeproof-"


def _place() -> str:
    """A short name of where pids mean the same: the host and the pid name space."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(f'{socket.gethostname()} {space}'.encode()):08x}"


def owned_prefix(kind: str, pid: int | None = None) -> str:
    """The beginning of the name of a file or folder of the process `pid`; without `pid` of this command's owner."""
    return f"{PREFIX}{kind}-{_place()}-{owner() if pid is None else pid}-"


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A temporary folder for `kind` ("tlc"). It is removed at the end, or by a later command if this one is killed."""
    with tempfile.TemporaryDirectory(prefix=owned_prefix(kind), ignore_cleanup_errors=True) as name:
        yield Path(name)


def remove_left_behind(folder: Path | None = None, of: int | None = None) -> None:
    """Remove from `folder` (default: the one for temporary files) what belongs to dead owners, or to the owner `of`."""
    with suppress(OSError):
        for entry in os.scandir(folder or tempfile.gettempdir()):
            pid = _owner_of(entry.name)
            if pid is None or not (pid == of or (of is None and _is_gone(pid, entry))):
                continue
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)


def kill_left_behind() -> None:
    """Kill what the fixes of dead owners have started."""
    kill_marked(lambda mark: (pid := _owner_of(mark)) is not None and not psutil.pid_exists(pid))


def _owner_of(name: str) -> int | None:
    """The pid of the owner in the name of an entry; None if it is not ours, or of another place."""
    parts = name.lstrip(".").split("-")
    if len(parts) < 5 or parts[0] != "kubeproof" or parts[2] != _place() or not parts[3].isdecimal():
        return None
    return int(parts[3])


def _is_gone(pid: int, entry: "os.DirEntry[str]") -> bool:
    """Whether no process `pid` lives, or only one that is younger than the entry."""
    try:
        return psutil.Process(pid).create_time() > entry.stat(follow_symlinks=False).st_mtime + 1
    except psutil.NoSuchProcess:
        return True
    except (psutil.Error, OSError):
        return False
