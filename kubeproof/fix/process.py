"""A process that has executed the file of a fix: how it is begun, what is sent to it and heard from it, how it ends."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any

from attrs import Factory, define

from kubeproof.fix.reading import read
from kubeproof.fix.said import with_notes
from kubeproof.fix.wire import NotSent, Pipe, pickled
from kubeproof.processes.ties import MARK, close_to_others, end_with_parent, kill_below, kill_marked, without_ptrace

ANSWER = 1 << 20  # bytes of what a process sends until it has answered one request
RESULTS = 16 << 20  # the same for what Z3 says, with traces
TEXT = 700  # characters of what a process says of an error, with the name of the file
SEND_SECONDS = 20.0  # a process that reads nothing leaves what is sent in the socket
WROTE = "wrote to kubeproof's pipe"


class Ended(Exception):
    """The process ended, did not answer in time, or answered what is no answer. The text goes on from "the rule"."""


@define(eq=False)
class Process:
    """One process that has executed the file, below a process that adopts what it leaves behind."""

    pipe: Pipe
    process: "subprocess.Popen[bytes]"
    # How many requests were sent, and the functions that the last of them gave.
    requests: int = 0
    given: list[Callable[..., Any]] = Factory(list)
    # What the rule asked of them: the function, its arguments, its answer with what it said on the way.
    heard: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = Factory(list)
    # Whether a function that was given came back.
    gives_back: bool = False

    def send(self, data: bytes, given: Sequence[Callable[..., Any]] = ()) -> None:
        """Send a request, as `packed` made it. `given`: the functions that stand in it by number. Raises Ended."""
        self.requests += 1
        self.given, self.heard, self.gives_back = [*given], [], False
        self._send(data)

    def _send(self, data: bytes) -> None:
        try:
            self.pipe.send(data, monotonic() + SEND_SECONDS)
        except OSError:
            raise Ended(self.end_text()) from None

    def answer(
        self, rules: Mapping[str, Callable[..., Any]], kinds: str, seconds: float, late: str, most: int = ANSWER
    ) -> tuple[str, Any]:
        """The answer to the last request: one of `kinds` with a value, or "raised" or "refused" with a line.

        While the rule runs, it may ask what a function that it was given answers. `most`: bytes of all messages.
        Raises Ended.
        """
        until = monotonic() + seconds

        def of_number(kind: str, name: Any) -> Any:
            if kind == "rule":
                return rules[name]
            self.gives_back = True
            return self.given[name]

        while True:
            try:
                data = self.pipe.receive(most, until)
            except TimeoutError:
                raise Ended(f"{late} within {seconds:g} seconds") from None
            except (EOFError, OSError):
                raise Ended(self.end_text()) from None
            except NotSent as error:
                raise Ended(f"returned {error}, or {WROTE}") from None
            most -= len(data)
            # Without the number of the request both processes send the same, and the same again for another call.
            body = data.removeprefix(b"[%d," % self.requests)
            try:
                message = read(data if body is data else b"[" + body, of_number)
            except NotSent as error:
                return "raised", f"returned {error}"
            if body is data or type(message) is not tuple or len(message) != 2:
                raise Ended(WROTE)
            kind, value = message
            if kind == "ask":
                self._send(packed(self._asked(value), rules, self.given))
            elif kind in ("raised", "refused") and type(value) is str:
                return kind, " ".join(value.split())[:TEXT]
            elif kind in kinds.split():
                return kind, value
            else:
                raise Ended(WROTE)

    def _asked(self, value: Any) -> tuple[bool, Any]:
        try:
            number, args = value
            answer = with_notes(lambda: self.given[number](*args))
            self.heard.append((self.given[number], args, answer))
            return True, answer
        except Exception as error:
            return False, f"{type(error).__name__}: {error}"

    def end_text(self) -> str:
        """How the process ended."""
        try:
            status = self.process.wait(2)
        except subprocess.TimeoutExpired:
            return "closed kubeproof's pipe"
        if status < 0:
            return f"ended its process by {signal.Signals(-status).name}"
        return f"ended its process with status {status}"


def packed(value: Any, rules: Mapping[str, Callable[..., Any]], given: list[Callable[..., Any]]) -> bytes:
    """What is sent of `value`. The functions in it that have no name are added to `given`."""

    def to_number(function: Any) -> tuple[str, Any]:
        field = field_of(function, rules)
        if field is not None:
            return "rule", field
        given.append(function)
        return "given", len(given) - 1

    return pickled(value, to_number)


def field_of(function: Any, rules: Mapping[str, Callable[..., Any]]) -> str | None:
    """The field of which `function` is the rule of the fix, or the guarded function around that rule."""
    bare = getattr(function, "__wrapped__", function)
    return next((field for field, rule in rules.items() if rule in (function, bare)), None)


def begun(seed: str, mark: str) -> Process:
    """A process that waits for the file."""
    parent = os.getpid()

    def before() -> None:
        end_with_parent(parent)
        without_ptrace()

    close_to_others()
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "kubeproof.fix.server", str(theirs.fileno()), str(parent)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "PYTHONHASHSEED": seed,
            MARK: mark,
        },
        start_new_session=True,
        preexec_fn=before if sys.platform == "linux" else None,
    )
    theirs.close()
    return Process(Pipe(ours), process)


def end(processes: list[Process], mark: str) -> None:
    """Kill the processes and all that they have started."""
    if not processes:
        return
    for each in processes:
        with suppress(OSError):
            each.pipe.end.close()
        kill_below(each.process.pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(each.process.pid, signal.SIGKILL)
        each.process.wait()
    processes.clear()
    kill_marked(mark.__eq__)
