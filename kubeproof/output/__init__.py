"""All that a command says goes out here: answers to stdout, notes and errors to stderr.

Names from arguments and files reach no terminal as they are: what a terminal would obey is written as an escape. An
answer that cannot be written is an error with an exit status of its own, since 1 says "violated".
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from textwrap import TextWrapper
from typing import Any, TextIO, TypeVar

from rich.console import Console, RenderableType

from kubeproof.visible import one_line, visible_lines

Answer = TypeVar("Answer")

NOT_WRITTEN = 4  # the exit status if the answer could not be written


class OutputError(Exception):
    """Standard output takes no more. The text says why; it is empty if the reader has gone, as with `| head`."""


class _Stream:
    """Standard output or standard error as a text stream that encodes every text and knows of no other error.

    What the encoding does not have is written as an escape.
    """

    def __init__(self, stream: TextIO | None, *, needed: bool) -> None:
        """`stream` is None if it was closed before the start. `needed`: an error is an OutputError, else ignored."""
        self._stream = stream
        self._needed = needed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        with self._refusing():
            if self._stream is None:
                raise ValueError("closed")
            self._stream.write(text.encode(self.encoding, "backslashreplace").decode(self.encoding))
        return len(text)

    def flush(self) -> None:
        with self._refusing():
            if self._stream is not None:
                self._stream.flush()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            self._stream = None
            if not self._needed:
                return
            if isinstance(error, BrokenPipeError):
                raise OutputError("") from None
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise OutputError(f"standard output: {reason}: the answer was not written") from None


@contextmanager
def checked_streams() -> Iterator[None]:
    """Inside, an answer that cannot be written is an OutputError, and an error line that cannot be written is lost."""
    before = sys.stdout, sys.stderr
    written = False
    sys.stdout, sys.stderr = _Stream(before[0], needed=True), _Stream(before[1], needed=False)
    try:
        yield
        sys.stdout.flush()
        written = True
    finally:
        # Python flushes standard output at its end, and would complain a second time.
        failed = isinstance(sys.exc_info()[1], OutputError) and not written
        sys.stdout, sys.stderr = (None if failed else before[0]), before[1]


_INDENT = 2  # of the further lines of a line that is too wide
_LEAST = 20  # characters of a line: no terminal that says less is believed
# A line that is a command with options, to be copied.
_COMMAND = re.compile(r"\s*([a-z ]+: )?kubeproof [a-z]([^']|'[^']*')* --([^']|'[^']*')*")


def wrapped(line: str, width: int) -> list[str]:
    """`line` in lines of at most `width` characters, broken between words only. A command can be copied still.

    >>> wrapped("  1  Node n1 joins in zone z1.", 20)
    ['  1  Node n1 joins', '    in zone z1.']
    >>> wrapped("again: kubeproof check scheduling --release 1.17.10", 40)
    ['again: kubeproof check scheduling \\\\', '  --release 1.17.10']
    """
    width = max(width, _LEAST)
    if len(line.rstrip()) <= width:
        return [line]
    further = " " * (len(line) - len(line.lstrip()) + _INDENT)
    if _COMMAND.fullmatch(line):
        # An option stays with its value, and what is quoted stays whole.
        text = re.sub("'[^']*'", lambda quoted: quoted[0].replace(" ", "\xa0"), line)
        text, end = text.replace(" --", "\0--").replace(" ", "\xa0").replace("\0", " "), " \\"
    else:
        text, end = line, ""
    wrapper = TextWrapper(width - len(end), break_long_words=False, break_on_hyphens=False, expand_tabs=False)
    wrapper.subsequent_indent = further if len(further) <= width // 2 else ""
    *lines, last = (each.replace("\xa0", " ") for each in wrapper.wrap(text))
    return [*(each + end for each in lines), last]


class _Plain(Console):
    """A console to which a text is a text: no markup, no emoji code, no control character but the newline.

    On a terminal a line that is too wide goes on below, after a whole word. In a pipe a line stays one line. With
    `soft_wrap` it does so on a terminal too.
    """

    def print(self, *objects: Any, **options: Any) -> None:
        wraps = self.is_terminal and not options.get("soft_wrap")
        texts = [self._shown(each, wraps) if isinstance(each, str) else each for each in objects]
        if wraps and not all(isinstance(each, str) for each in objects):
            options["soft_wrap"] = False
        # Rich would keep what it could not write, and print this before the next text.
        with self.capture() as rendered:
            super().print(*texts, **options)
        self.file.write(rendered.get())
        self.file.flush()

    def _shown(self, text: str, wraps: bool) -> str:
        shown = visible_lines(text)
        return "\n".join(part for line in shown.split("\n") for part in wrapped(line, self.width)) if wraps else shown


_TEXT: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False, "soft_wrap": True}
# A pipe has no width. Tables are then as wide as in a wide terminal.
out = _Plain(width=None if sys.stdout and sys.stdout.isatty() else 140, **_TEXT)
err = _Plain(stderr=True, **_TEXT)


def line_width(most: int) -> int:
    """How wide a line of an answer may be: `most`, or as wide as a narrower terminal."""
    return min(most, out.width) if out.is_terminal else most


def print_answer(
    answer: Answer, to_json: Callable[[Answer], Any], to_text: Callable[[Answer], RenderableType], as_json: bool
) -> None:
    """What a command found: with `--json` one document, else a text."""
    if as_json:
        print_json(to_json(answer))
    else:
        out.print(to_text(answer))


def print_json(document: Any) -> None:
    """One JSON document. A character that is not printable is written as JSON's `\\u` escape."""
    ascii_only = "utf" not in sys.stdout.encoding.lower()
    text = json.dumps(document, indent=2, ensure_ascii=ascii_only)
    lines = (line if line.isprintable() else "".join(map(_json_escape, line)) for line in text.split("\n"))
    sys.stdout.write("\n".join(lines) + "\n")


def _json_escape(each: str) -> str:
    return each if each.isprintable() else json.dumps(each)[1:-1]


def note(lines: Sequence[str]) -> None:
    """Each of `lines` on stderr, as a note."""
    for line in lines:
        _say(f"note: {one_line(line)}")


def error(text: str) -> None:
    """An error on stderr, in one line. It is lost if stderr is closed or takes no more."""
    try:
        _say(f"kubeproof: {one_line(text)}")
    except (AttributeError, OSError, ValueError):
        sys.stderr = None  # Python would try once more at its end, and give an exit status of its own


def _say(line: str) -> None:
    """`line` on stderr, as it is or as wide as the terminal."""
    lines = wrapped(line, err.width) if sys.stderr.isatty() else [line]
    sys.stderr.write("\n".join(lines) + "\n")
