"""The process of a fix: executes the file of the fix, then calls its functions as kubeproof asks, until the pipe ends.

Imports nothing but how values travel, and what a rule says on the way. What the fix does to this process changes no
answer of an engine, with one exception: what Z3 says of a formula that the fix brings is found out here, so a fix could
forge that.
"""

import inspect
import os
import re
import socket
import sys
import types
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from kubeproof.fix.said import note_again, with_notes
from kubeproof.fix.wire import Given, NotSent, Pipe, unpickled, written
from kubeproof.processes.ties import adopt_orphans, end_with_parent, kill_below

MEMORY = 2 << 30  # bytes of address space
FILE = 16 << 20  # bytes of each file that the fix writes
TEXT = 300  # characters of an error
LINE = 80  # characters of the line where it arose


class Server:
    """Answers kubeproof's requests. An answer is (number of the request, kind, value)."""

    def __init__(self, pipe: Pipe) -> None:
        self.pipe = pipe
        self.request = 0
        self.rules: dict[str, Callable[..., Any]] = {}
        self.names: Mapping[str, Any] = {}
        # Whether each rule is called twice.
        self.twice = False
        # The file of the fix, and its lines.
        self.path, self.lines = "", [""]

    def run(self) -> None:
        while True:
            data = self.pipe.receive()
            self.request += 1
            kind, *args = self._received(data)
            try:
                answer = getattr(self, kind)(data, *args)
            except BaseException as error:
                answer = "raised", f"raised {in_a_line(error)}{place_of(error, self.path, self.lines)}"
            self._send(answer)

    def _send(self, answer: tuple[str, Any]) -> None:
        try:
            data = written((self.request, *answer), self._number)
        except NotSent as error:
            data = written((self.request, "raised", f"returned {error}"), self._number)
        self.pipe.send(data)

    def load(self, data: bytes, path: str, source: bytes, fields: Mapping[str, int], twice: bool) -> tuple[str, Any]:
        """Execute the file. `fields`: with how many arguments the rule of a field is called.

        `twice`: each call must answer the same twice, and leave its arguments as they are.
        """
        self.twice = twice
        self.path, self.lines = path, lines_of(source)
        module = types.ModuleType(os.path.basename(path).rpartition(".")[0].replace("-", "_") or "fix")
        refused = execute(module, path, source)
        if refused:
            return "refused", refused
        self.names = dict(vars(module))
        found = []
        for field in fields:
            value = self.names.get(field)
            if not callable(value):
                continue
            own = getattr(value, "__module__", None) == module.__name__
            name = str(getattr(value, "__name__", field))
            if own or name != field:
                self.rules[field] = value
                begun: Any = getattr(value, "__code__", None)
                line = begun.co_firstlineno if getattr(begun, "co_filename", None) == path else None
                module_name = str(getattr(value, "__module__", ""))
                found.append((field, module_name, name, line, _unbound(value, fields[field])))
        forms = tuple(name for name, value in self.names.items() if name.endswith("_smt") and callable(value))
        return "loaded", (tuple(found), _plain(self.names.get("CURES")), forms)

    def call(self, data: bytes, field: str, calls: tuple[tuple[Any, ...], ...]) -> tuple[str, Any]:
        """What the rule answers to each of these arguments, and what it says on the way."""
        first = tuple(with_notes(partial(self.rules[field], *args)) for args in calls)
        if not self.twice:
            return "returned", first
        again = self._received(data)[2]
        if calls != again:
            return "raised", "changed what it was given: expected a function that returns new values"
        second = tuple(with_notes(partial(self.rules[field], *args)) for args in again)
        return ("returned", first) if first == second else ("differs", (first[0], second[0]))

    def forms(self, data: bytes, module: str, function: str, args: tuple[Any, ...]) -> tuple[str, Any]:
        """What a function of kubeproof makes of the formulas that the file brings, and of its rules."""
        brought = {field: form for field in self.rules if callable(form := self.names.get(f"{field}_smt"))}
        return "returned", getattr(import_module(module), function)(self.rules, brought, *args)

    def ask(self, call: int, number: int, args: tuple[Any, ...]) -> Any:
        if call != self.request:
            raise RuntimeError("a function that a rule was given is called after the rule has returned")
        self._send(("ask", (number, args)))
        good, value = self._received(self.pipe.receive())
        if not good:
            raise RuntimeError(value)
        answer, notes = value
        note_again(notes)
        return answer

    def _number(self, function: Any) -> tuple[str, Any]:
        for field, rule in self.rules.items():
            if rule is function:
                return "rule", field
        raise NotSent(f"a function of its own, {getattr(function, '__name__', '')}")

    def _received(self, data: bytes) -> Any:
        def of_number(kind: str, name: Any) -> Any:
            return self.rules[name] if kind == "rule" else Given(self.ask, self.request, name)

        return unpickled(data, of_number)


def execute(module: types.ModuleType, path: str, source: bytes) -> str:
    """Execute a file in `module`; what is wrong with it, in words that begin with the line, or "" if nothing is."""
    module.__file__ = path
    try:
        code = compile(source, path, "exec")
    except BaseException as error:
        # Of what it cannot read at all Python gives the line None or 0. What is nested too deeply is a MemoryError.
        line, text = getattr(error, "lineno", None), getattr(error, "msg", None) or in_a_line(error)
        return f"{_line(line)}not Python: {text}"
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        return f"{_line(_line_in(error, path))}{in_a_line(error)}"
    return ""


def lines_of(source: bytes) -> list[str]:
    """The lines of a file, as Python counts them."""
    return re.split("\r\n|\r|\n", source.decode("utf-8", "replace"))


def place_of(error: BaseException, path: str, lines: list[str]) -> str:
    """Where in the file at `path` the error arose, with the text of the line; "" if nowhere there."""
    line = _line_in(error, path)
    if line is None or not 0 < line <= len(lines):
        return ""
    text = " ".join(lines[line - 1].split())
    text = f"{text[: LINE - 3]}..." if len(text) > LINE else text
    return f" ({os.path.basename(path)}, line {line}: {text})"


def _unbound(rule: Callable[..., Any], count: int) -> str | None:
    """Why the rule cannot be called with `count` arguments; None if it can, or if the first call tells."""
    try:
        inspect.signature(rule).bind(*range(count))
    except TypeError as error:
        return str(error)
    except ValueError:
        return None
    return None


def _plain(value: Any) -> Any:
    """A value that a file gives for people: texts as they are, all else as its text."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, tuple | list) and all(isinstance(each, str) for each in value):
        return tuple(map(str, value))
    return (in_text(value),)


def in_text(value: Any) -> str:
    """`value` as a short text. Its class may be of the fix."""
    try:
        return " ".join(repr(value).split())[:TEXT]
    except BaseException:
        return f"a {type(value).__name__}"


def in_a_line(error: BaseException) -> str:
    """An error in one line. Its class may be of the fix."""
    try:
        text = " ".join(str(error).split())
    except BaseException:
        text = "an error without a text"
    if len(text) > TEXT:
        text = f"{text[: TEXT - 3]}..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line(number: int | None) -> str:
    return f"line {number}: " if number else ""


def _line_in(error: BaseException, file: str) -> int | None:
    line = None
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _limit() -> None:
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, FILE), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def main() -> None:
    """Arguments: the pipe to kubeproof, kubeproof's pid.

    The fix runs in a child. This process adopts what the child leaves behind, kills it, and ends as the child has.
    """
    pipe, parent = Pipe(socket.socket(fileno=int(sys.argv[1]))), int(sys.argv[2])
    if sys.platform == "linux":
        end_with_parent(parent)
    _limit()
    adopt_orphans()
    keeper = os.getpid()
    child = os.fork()
    if child:
        pipe.end.close()
        _keep(child)
    os.setsid()
    if sys.platform == "linux":
        end_with_parent(keeper)
    try:
        Server(pipe).run()
    except (EOFError, OSError):
        # What the fix still does must not go on.
        os._exit(0)


def _keep(child: int) -> None:
    """Wait for the end of `child`, kill what is left of it, and end in the same way."""
    status = None
    while status is None:
        pid, ended = os.wait()
        status = os.waitstatus_to_exitcode(ended) if pid == child else None
    kill_below(os.getpid())
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
