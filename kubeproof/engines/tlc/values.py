"""Reads TLA+ values and states, as TLC prints them, into Python. Pure.

A sequence becomes a tuple, a set a frozenset, a record or function a `Record` (a mapping with a hash), a string or
model value a str, TRUE or FALSE a bool, an integer an int, an interval `1..3` a frozenset.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<number>-?\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<symbol><<|>>|\|->|:>|@@|/\\|\.\.|[\[\]{}(),=]))"
)
_ESCAPED = {"n": "\n", "t": "\t", "f": "\f", "r": "\r"}


class ValueSyntaxError(ValueError):
    """A text that is not a TLA+ value or state."""


@frozen(eq=False)
class Record(Mapping[Any, Any]):
    """A TLA+ record or function: an immutable mapping, equal to any mapping of the same pairs."""

    items_: frozenset[tuple[Any, Any]]

    def __getitem__(self, key: Any) -> Any:
        for k, value in self.items_:
            if k == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    def __hash__(self) -> int:
        return hash(self.items_)


def parse_value(text: str) -> Any:
    """The value that `text` is. Raises ValueSyntaxError.

    >>> parse_value('<<{1, 2}, "a", n1>>') == (frozenset({1, 2}), "a", "n1")
    True
    """
    reader = _Reader(text)
    value = reader.value()
    reader.end()
    return value


def parse_state(text: str) -> dict[str, Any]:
    """The state that `text` is: conjuncts `/\\ variable = value`, or one `variable = value`."""
    reader = _Reader(text)
    variables: dict[str, Any] = {}
    while reader.peek() is not None:
        if variables or reader.peek() == "/\\":
            reader.take("/\\")
        name = reader.name()
        reader.take("=")
        variables[name] = reader.value()
    return variables


class _Reader:
    """A recursive-descent parser over the tokens of `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        position = 0
        while text[position:].strip():
            found = _TOKEN.match(text, position)
            if found is None:
                raise ValueSyntaxError(f"not a TLA+ value: {text[position : position + 20]!r}")
            self.tokens.append((found.lastgroup or "", found[found.lastgroup or 0]))
            position = found.end()

    def peek(self) -> str | None:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise ValueSyntaxError(f"the value ends too early: {self.text[-40:]!r}")
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, symbol: str) -> None:
        kind, token = self.next()
        if kind != "symbol" or token != symbol:
            raise ValueSyntaxError(f"expected {symbol!r}, got {token!r}")

    def name(self) -> str:
        kind, token = self.next()
        if kind != "name":
            raise ValueSyntaxError(f"expected a name, got {token!r}")
        return token

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise ValueSyntaxError(f"unexpected {self.peek()!r} after the value")

    def value(self) -> Any:
        kind, token = self.next()
        if kind == "number":
            if self.peek() == "..":
                self.take("..")
                return frozenset(range(int(token), int(self.next()[1]) + 1))
            return int(token)
        if kind == "string":
            return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), token[1:-1])
        if kind == "name":
            return {"TRUE": True, "FALSE": False}.get(token, token)
        if token == "<<":
            return tuple(self.listed(">>"))
        if token == "{":
            return frozenset(self.listed("}"))
        if token == "[":
            return self.record()
        if token == "(":
            return self.function()
        raise ValueSyntaxError(f"no value begins with {token!r}")

    def listed(self, close: str) -> list[Any]:
        values: list[Any] = []
        while self.peek() != close:
            if values:
                self.take(",")
            values.append(self.value())
        self.take(close)
        return values

    def record(self) -> Record:
        pairs: list[tuple[Any, Any]] = []
        while self.peek() != "]":
            if pairs:
                self.take(",")
            name = self.name()
            self.take("|->")
            pairs.append((name, self.value()))
        self.take("]")
        return Record(frozenset(pairs))

    def function(self) -> Record:
        pairs: list[tuple[Any, Any]] = []
        while self.peek() != ")":
            if pairs:
                self.take("@@")
            key = self.value()
            self.take(":>")
            pairs.append((key, self.value()))
        self.take(")")
        return Record(frozenset(pairs))
