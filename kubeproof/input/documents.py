"""Reads a file of JSON or YAML into plain Python values, or raises one InputError. Knows nothing of Kubernetes.

YAML aliases are refused and the depth is bounded before YAML is built. Otherwise a few hundred bytes could fill the
memory or, in libyaml's binding, the C stack. kubectl writes no aliases and nests less than 20 levels.
"""

import json
import os
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

import yaml
from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.input.files import read_bytes, shown

MAX_BYTES = 64 * 1024 * 1024
MAX_YAML_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 100
# Values and ends of YAML, which takes some hundred times as long to read as JSON: some five seconds on an idle machine.
MAX_YAML_EVENTS = 500_000 if hasattr(yaml, "CSafeLoader") else 50_000


@frozen
class Expected:
    """What a file should be."""

    # The command that writes the file; "" if a person does.
    command: str
    # What is in the file.
    what: str
    # The largest size; None: MAX_BYTES.
    max_bytes: int | None = None
    # The largest size of YAML; None: MAX_YAML_BYTES.
    max_yaml_bytes: int | None = None


_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """The safe loader, but with timestamps as text, as in JSON."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(path: str | os.PathLike[str], expected: Expected) -> Any:
    """The value in the file at `path`; `-` reads standard input. Raises InputError only."""
    limit = MAX_BYTES if expected.max_bytes is None else expected.max_bytes
    return parse(read_bytes(path, limit, expected.what), shown(path), expected)


def parse(data: bytes, name: str, expected: Expected) -> Any:
    """The value in `data`: JSON if `data` begins with { or [, else YAML. Errors begin with `name`."""
    text = _decode(data, name)
    if not text.strip():
        source = f"the output of {expected.command}" if expected.command else expected.what
        raise InputError(f"{name}: the file is empty: expected {source}")
    if text.lstrip()[0] in "{[":
        return _json(text, name)
    limit = MAX_YAML_BYTES if expected.max_yaml_bytes is None else expected.max_yaml_bytes
    if len(data) > limit:
        raise InputError(f"{name}: YAML larger than {limit >> 20} MiB: expected JSON for so much")
    return _yaml(text, name)


def parse_each(data: bytes, name: str, expected: Expected) -> Iterator[Any]:
    """The value of each document in `data`: YAML may have several, with lines `---` between."""
    parts = [data] if data.lstrip()[:1] in (b"{", b"[") else _BETWEEN.split(data)
    for part in [part for part in parts if part.strip()] or [b""]:
        yield parse(part, name, expected)


_BETWEEN = re.compile(rb"^---(?:[ \t].*)?$", re.MULTILINE)


def _decode(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{name}: byte 1: UTF-16 text: expected UTF-8 (PowerShell: | Out-File -Encoding utf8)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start + 1}: not UTF-8 text: expected JSON or YAML") from None
    if "\x00" in text:
        raise InputError(f"{name}: line {_line(text, text.index(chr(0)))}: a NUL byte: expected JSON or YAML text")
    return text


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def json_value(text: str) -> Any:
    """The value of a JSON text, without what Python adds to JSON: no NaN, no number beyond what a float can be.

    Half of a surrogate pair, which has no UTF-8, is U+FFFD, as in Go (encoding/json, Unmarshal). Raises ValueError,
    RecursionError.
    """
    if _SURROGATE.search(text):
        text = _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text)
    return json.loads(text, parse_constant=_no_number, parse_float=_finite)


_HALF = re.compile("[\ud800-\udfff]")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# An escape of a JSON string. `half`: of a surrogate pair, without the other half.
_ESCAPE = re.compile(r"\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(?P<half>ud[89a-f][\da-f]{2})|.)", re.I | re.S | re.A)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number beyond the largest float")
    return number


def _json(text: str, name: str) -> Any:
    try:
        return json_value(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
            raise InputError(f"{name}: {place}: the file ends in the middle of the JSON: expected its end") from None
        raise InputError(f"{name}: {place}: not JSON: {error.msg}") from None
    except RecursionError:
        raise InputError(f"{name}: nested too deeply: expected kubectl's output") from None
    except ValueError:
        # NaN, 1e999 or an integer of thousands of digits. json gives no position.
        raise InputError(f"{name}: a number that is none, or has too many digits: expected kubectl's output") from None


def _yaml(text: str, name: str) -> Any:
    try:
        _refuse_what_explodes(text, name)
        return yaml.load(text, Loader=_Loader)  # the loader derives from the safe one
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = error.problem or error.context or "not understood"
        raise InputError(f"{name}: {place}not YAML: {_one_line(problem)}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{name}: not YAML: {_one_line(str(error))}") from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        # PyYAML does not catch errors of its constructors, such as the KeyError of `!!bool maybe`.
        raise InputError(f"{name}: not YAML: a value does not fit its tag ({type(error).__name__})") from None


def _refuse_what_explodes(text: str, name: str) -> None:
    depth = 0
    for number, event in enumerate(yaml.parse(text, Loader=_Base)):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if number > MAX_YAML_EVENTS:
            mend = "expected JSON for so much, which is read some hundred times as fast"
            raise InputError(f"{name}: line {line}: too many values for YAML: {mend}")
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{name}: line {line}: a YAML alias: expected none, as kubectl writes")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                levels = f"nested deeper than {MAX_DEPTH} levels"
                raise InputError(f"{name}: line {line}: {levels}: expected kubectl's output")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent) and _HALF.search(event.value):
            raise InputError(f"{name}: line {line}: half of a surrogate pair: expected text that has UTF-8")


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200]


def key_twice(text: str) -> tuple[int, str] | None:
    """The line and the name of the first key that a mapping has twice. Of these a YAML reader takes the last silently.

    `text`: YAML or JSON that was read already, so that its depth and its aliases are bounded.

    >>> key_twice('{"a": 1, "b": {"c": 1, "c": 2}}')
    (1, 'c')
    """
    try:
        left = [yaml.compose(text, Loader=_Base)]
    except yaml.YAMLError:
        # JSON that is no YAML, such as with a tab between its words.
        return None
    while left:
        node = left.pop()
        if isinstance(node, yaml.SequenceNode):
            left.extend(reversed(node.value))
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    return key.start_mark.line + 1, key.value
                seen.add(str(key.value))
            left.extend(value for _, value in reversed(node.value))
    return None


# --- How an error names a value that was found in a file


def kind_text(value: Any) -> str:
    """What a value is, for an error line."""
    names = {dict: "a mapping", list: "a list", str: "a string", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else f"a {type(value).__name__}")


def value_text(value: Any) -> str:
    """A scalar in one line of bounded length; of another value only what kind it is."""
    if isinstance(value, str):
        return ascii(value[:60]) + ("…" if len(value) > 60 else "")
    if isinstance(value, dict | list):
        return kind_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "a number" if isinstance(value, int) and abs(value) > 10**30 else f"the number {value}"
    return kind_text(value)
