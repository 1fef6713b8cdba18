"""Ties between a process and its parent: a child ends with its parent, nothing below a process is left, and a child
that is not trusted cannot open its parent's files.

On Linux the kernel holds both (prctl(2): PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER). Elsewhere a thread of each worker
watches a pipe that the parent holds open. There a process that has left its parent is not found; and if all of
kubeproof is killed, java goes on until it is done, and a fix until its call returns.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import filterfalse
from time import monotonic, sleep
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a signal may come in the first moments of a command
    import psutil

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
CAP_SYS_PTRACE = 19
# The pid of the process to which all processes and temporary folders of a command belong.
OWNER = "KUBEPROOF_OWNER"
# What a fix starts inherits this, and is found by its value also if it has left its parent.
MARK = "KUBEPROOF_FIX"
# In the command line of the process that keeps a list of what the processes of `multiprocessing` share.
TRACKER = "multiprocessing.resource_tracker"


def owner() -> int:
    """The process to which this one belongs: the supervisor of the command, else this process."""
    return int(os.environ.get(OWNER) or os.getpid())


def _prctl(option: int, value: int) -> None:
    """Best effort: without it the tie is weaker, and everything else works."""
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_with_parent(parent: int) -> None:
    """The kernel kills this process when the process `parent`, which made it, ends in any way."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have ended before the call.
    if os.getppid() != parent:
        os._exit(128 + signal.SIGKILL)


def end_with(parent: int, held: int) -> None:
    """End this process when the process `parent`, which made it and holds the other end of the pipe `held`, ends."""
    if sys.platform == "linux":
        end_with_parent(parent)
    else:
        end_with_pipe(held)


def end_with_pipe(held: int) -> None:
    """The same on any system: a thread waits until nobody holds the other end of the pipe `held`."""
    import threading

    def watch() -> None:
        os.read(held, 1)
        os._exit(128 + signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def adopt_orphans() -> None:
    """What a descendant of this process leaves behind becomes a child of this process, so that it can be ended."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def close_to_others() -> None:
    """No process of the same user opens this one's files in /proc, or its memory.

    Who has CAP_SYS_PTRACE may, as root's processes do: see `without_ptrace`.
    """
    _prctl(PR_SET_DUMPABLE, 0)


def without_ptrace() -> None:
    """The program that this process executes next has no CAP_SYS_PTRACE, though it is root's."""
    _prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE)


def kill_below(pid: int, *, itself: bool = False) -> None:
    """Kill every descendant of the process `pid`, and with `itself` the process too."""
    import psutil

    def descendants() -> "list[psutil.Process]":
        return [*top.children(recursive=True), *([top] if itself else [])]

    with suppress(psutil.Error):
        top = psutil.Process(pid)
        _kill_all(descendants)


def kill_marked(meant: Callable[[str], bool]) -> None:
    """Kill every process of this user in whose environment MARK has a value that is `meant`."""
    import psutil

    def marked() -> "list[psutil.Process]":
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if meant(process.environ().get(MARK, "")):
                    found.append(process)
        return found

    _kill_all(marked)


def _kill_all(find: "Callable[[], list[psutil.Process]]") -> None:
    """Kill what `find` finds, and wait until that is dead: a process lives on for a moment after it was killed."""
    import psutil

    # A process may make another one while it is being killed.
    for tried in range(20):
        found = [each for each in find() if not _is_dead(each)]
        if not found:
            return
        # The tracker of multiprocessing ends when the others have, and gives back their semaphores before.
        for each in found if tried > 10 else filterfalse(_is_tracker, found):
            with suppress(psutil.Error):
                each.kill()
        # Not `psutil.wait_procs`, which takes the exit status from those that wait for it.
        until = monotonic() + 0.05
        while monotonic() < until and not all(map(_is_dead, found)):
            sleep(0.002)


def _is_tracker(process: "psutil.Process") -> bool:
    import psutil

    try:
        return any(TRACKER in part for part in process.cmdline())
    except psutil.Error:
        return False


def _is_dead(process: "psutil.Process") -> bool:
    import psutil

    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return True
