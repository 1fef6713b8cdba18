"""A command in a worker process, and a supervisor that only waits: so a signal is answered at any moment.

The worker may be inside Z3, or in a pool, where Python hears no signal. The supervisor hears signals always: it ends
the worker, kills all that is left of the worker's processes, removes their temporary folders, and gives the exit status
130 (SIGINT), 143 (SIGTERM) or 129 (SIGHUP). If the supervisor itself is killed, the kernel ends the worker.

The module imports nothing slow: a signal may come in the first moments of a command.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from types import FrameType

from kubeproof.processes.ties import OWNER, adopt_orphans, close_to_others, end_with, kill_below

# `nohup` ignores SIGHUP, and then it stays ignored.
_HANG_UP = hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
ENDING = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if _HANG_UP else ()))
GRACE = 1.2  # seconds that a worker has to print what it found so far
# What the supervisor sends to the worker. The worker ignores the other signals: a terminal and `timeout` send them to
# both processes.
STOP = getattr(signal, "SIGUSR1", None)
MESSAGES = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


def hold_signals() -> None:
    """Let signals wait until the supervisor asks for them. To be called before anything slow is imported."""
    if hasattr(os, "fork"):
        # On some systems a signal that is ignored by default is not kept.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, (*ENDING, signal.SIGCHLD))


def supervised(command: Callable[[], int]) -> int:
    """The exit status of `command`, which is executed in a worker of its own. Returns in both processes."""
    if not hasattr(os, "fork"):
        return command()
    hold_signals()
    read, held = os.pipe()
    os.environ[OWNER] = str(os.getpid())
    supervisor = os.getpid()
    worker = os.fork()
    if worker == 0:
        os.close(held)
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*ENDING, signal.SIGCHLD))
        end_with(supervisor, read)
        # After a kill the tracker of multiprocessing gives back semaphores. It is started with these options.
        sys.warnoptions.append("ignore:resource_tracker")
        return command()
    os.close(read)
    return _supervise(worker)


def _supervise(worker: int) -> int:
    from kubeproof.processes.left_behind import remove_left_behind

    adopt_orphans()
    close_to_others()
    remove_left_behind()
    ended_by: signal.Signals | None = None
    status = _ended(worker)
    while status is None:
        heard = signal.sigwait((*ENDING, signal.SIGCHLD))
        if heard != signal.SIGCHLD:
            ended_by = signal.Signals(heard)
            status = _stopped(worker)
            break
        status = _ended(worker)
    kill_below(os.getpid())
    remove_left_behind(of=os.getpid())
    if ended_by is not None:
        _say(MESSAGES.get(ended_by, f"ended by {ended_by.name}"))
        return 128 + ended_by
    assert status is not None
    if status < 0:
        _say(f"ended by {signal.Signals(-status).name}: expected a command that comes to its end; is memory short?")
        return 128 - status
    return status


def _stopped(worker: int) -> int | None:
    """The exit status of the worker after it was asked to end; None if it had to be killed."""
    assert STOP is not None
    with suppress(ProcessLookupError):
        os.kill(worker, STOP)
    until = monotonic() + GRACE
    while monotonic() < until and not signal.sigpending() & set(ENDING):
        status = _ended(worker)
        if status is not None:
            return status if status >= 0 else None
        sleep(0.01)
    kill_below(worker, itself=True)
    return None


def _ended(worker: int) -> int | None:
    """The exit status of the worker, negative for a signal; None if it still runs. Also looks after orphans."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == worker:
                return os.waitstatus_to_exitcode(status)
            if pid == 0:
                break
    return None


def _say(text: str) -> None:
    with suppress(OSError):
        # A progress line hides the cursor.
        shown = "\x1b[?25h" if os.isatty(2) else ""
        os.write(2, f"{shown}kubeproof: {text}\n".encode())


def has_supervisor() -> bool:
    """Whether this process is below a supervisor, which says by what signal the command ended."""
    return STOP is not None and os.environ.get(OWNER, str(os.getpid())) != str(os.getpid())


@contextmanager
def results_so_far() -> Iterator[None]:
    """Inside, a signal is a KeyboardInterrupt, so that the results so far are printed. Elsewhere it ends the worker."""
    if STOP is None or not has_supervisor():
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> None:
        signal.signal(signum, signal.SIG_IGN)
        raise KeyboardInterrupt

    def unheard(raised: "sys.UnraisableHookArgs") -> None:
        # The interrupt came where Python cannot raise, such as in a `__del__`. The supervisor ends the worker.
        if raised.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(raised)

    hook, sys.unraisablehook = sys.unraisablehook, unheard
    before = signal.signal(STOP, interrupt)
    try:
        yield
    finally:
        signal.signal(STOP, before)
        sys.unraisablehook = hook
