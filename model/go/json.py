"""JSON as Go's encoding/json reads and writes it, error texts included (Go: scanner.go, decode.go, encode.go).

Pure functions on bytes. Nothing here recurses, and a text is gone through once, so that any bytes may be given.
"""

import re
from typing import NoReturn

from attrs import frozen

from model.go.errors import GoError
from model.go.formats import quote

# scanner.go maxNestingDepth, which Go has had since 1.15.
MAX_DEPTH = 10_000


@frozen
class Number:
    """A number as it stands in the text: what it means depends on the type that it is decoded into."""

    literal: str


@frozen
class Array:
    """An array. No type that is decoded here has one, so its elements are not kept."""


@frozen(eq=False)
class Object:
    """An object's members in the order of the text, repeated names included."""

    members: list[tuple[str, "Value"]]


Value = None | bool | str | Number | Array | Object


def kind(value: Value) -> str:
    """What decode.go calls `value` in an UnmarshalTypeError; "null" never is an error."""
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case str():
            return "string"
        case Number():
            return "number"
        case Array():
            return "array"
        case _:
            return "object"


def fold_name(name: str) -> str:
    """Two names that are equal after this are the same field. Go: fold.go foldName, for fields with ASCII names."""
    return name.replace("\u017f", "s").replace("\u212a", "k").lower() if not name.isascii() else name.lower()


def parse_json(raw: bytes) -> Value | GoError:
    """The one value that `raw` holds, or the SyntaxError of Go's json.Unmarshal. Go: decode.go checkValid, value."""
    # Bytes that are no UTF-8 are kept apart, each as one character, until it is known whether they stand in a string.
    try:
        return _Scanner(raw.decode("utf-8", "surrogateescape")).scan()
    except _SyntaxError as error:
        return GoError(str(error))


def encode_string(text: str) -> str:
    """`text` as json.Marshal writes a string. Go: encode.go string, with escapeHTML."""
    return '"' + _TO_ESCAPE.sub(lambda found: _escape(found[0]), text) + '"'


_TO_ESCAPE = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escape(rune: str) -> str:
    if "\ud800" <= rune <= "\udfff":
        return "\\ufffd"
    # Up to Go 1.21; later ones write \b and \f for two control characters that no name here can have.
    return _SHORT_ESCAPES.get(rune, f"\\u{ord(rune):04x}")


class _SyntaxError(Exception):
    """Ends the scan; the text is that of Go's SyntaxError."""


_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(r"[0-9]*")
_HEX = frozenset("0123456789abcdefABCDEF")
_HEX4 = re.compile(r"[0-9A-Fa-f]{4}")
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_LITERALS: dict[str, tuple[str, Value]] = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class _Scanner:
    """One pass over one text. Local to `parse_json`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def scan(self) -> Value:
        """The value of the whole text. Containers that are still open are on a list, not on Python's stack."""
        open_: list[tuple[list[tuple[str, Value]] | None, str]] = []  # members (None: an array), the name in the object
        while True:
            value = self._begin_value()
            if isinstance(value, Array | Object):
                if len(open_) >= MAX_DEPTH:
                    self._at -= 1
                    self._fail("exceeded max depth")
                members = value.members if isinstance(value, Object) else None
                closing = "]" if members is None else "}"
                self._skip_space()
                if not self._take(closing):
                    open_.append((members, "" if members is None else self._key()))
                    continue
            while open_:  # stateEndValue
                members, name = open_.pop()
                if members is not None:
                    members.append((name, value))
                self._skip_space()
                if self._take(","):
                    open_.append((members, "" if members is None else self._key()))
                    break
                if not self._take("]" if members is None else "}"):
                    self._fail("after array element" if members is None else "after object key:value pair")
                value = Array() if members is None else Object(members)
            else:
                self._skip_space()
                if self._at < len(self._text):
                    self._fail("after top-level value")
                return value

    def _begin_value(self) -> Value:
        """A whole scalar, or an empty container whose bracket has been taken. Go: stateBeginValue."""
        self._skip_space()
        char = self._peek()
        if char == '"':
            return self._string()
        if char == "{":
            self._at += 1
            return Object([])
        if char == "[":
            self._at += 1
            return Array()
        if char in _LITERALS:
            return self._literal(*_LITERALS[char])
        if not char or char not in "-0123456789":
            self._fail("looking for beginning of value")
        return self._number()

    def _key(self) -> str:
        self._skip_space()
        if self._peek() != '"':
            self._fail("looking for beginning of object key string")
        name = self._string()
        self._skip_space()
        if not self._take(":"):
            self._fail("after object key")
        return name

    def _literal(self, word: str, value: Value) -> Value:
        for i, expected in enumerate(word):
            if i and self._peek() != expected:
                self._fail(f"in literal {word} (expecting '{expected}')", inside=True)
            self._at += 1
        return value

    def _number(self) -> Number:
        start = self._at
        self._take("-")
        if not self._take("0"):
            self._digits("in numeric literal")
        if self._take("."):
            self._digits("after decimal point in numeric literal")
        if self._take("e") or self._take("E"):
            if not self._take("+"):
                self._take("-")
            self._digits("in exponent of numeric literal")
        return Number(self._text[start : self._at])

    def _digits(self, context: str) -> None:
        end = _match_end(_DIGITS, self._text, self._at)
        if end == self._at:
            self._fail(context, inside=True)
        self._at = end

    def _string(self) -> str:
        """The string that begins here, unquoted. Go: stateInString ..., decode.go unquote."""
        parts = []
        self._at += 1
        while True:
            end = _match_end(_PLAIN, self._text, self._at)
            parts.append(self._text[self._at : end])
            self._at = end
            if self._take('"'):
                # Go's unquote gives one replacement character for each byte that is no UTF-8.
                return _NO_UTF8.sub("\ufffd", "".join(parts))
            if not self._take("\\"):
                self._fail("in string literal")
            parts.append(self._escaped())

    def _escaped(self) -> str:
        char = self._peek()
        if char in _ESCAPED:
            self._at += 1
            return _ESCAPED[char]
        if char != "u":
            self._fail("in string escape code", inside=True)
        code = self._hex4()
        if 0xD800 <= code < 0xDC00 and self._text.startswith("\\u", self._at):
            low = _HEX4.match(self._text, self._at + 2)
            if low and 0xDC00 <= int(low[0], 16) < 0xE000:
                self._at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (int(low[0], 16) - 0xDC00))
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)

    def _hex4(self) -> int:
        self._at += 1
        start = self._at
        while self._at < start + 4:
            if self._peek() not in _HEX:
                self._fail("in \\u hexadecimal character escape", inside=True)
            self._at += 1
        return int(self._text[start : self._at], 16)

    def _skip_space(self) -> None:
        self._at = _match_end(_SPACE, self._text, self._at)

    def _peek(self) -> str:
        """The next character; "" at the end."""
        return self._text[self._at : self._at + 1]

    def _take(self, char: str) -> bool:
        found = self._text.startswith(char, self._at)
        self._at += found
        return found

    def _fail(self, context: str, inside: bool = False) -> NoReturn:
        """`inside` a scalar, where a space is as wrong as the end is: scanner.go's eof tries one first."""
        char = self._peek()
        if not char and not inside:
            raise _SyntaxError("unexpected end of JSON input")
        # Go looks at single bytes: it shows the first one of a character, as if that were Latin-1.
        byte = (char or " ").encode("utf-8", "surrogateescape")[0]
        shown = {0x27: "\\'", 0x22: '"'}.get(byte, quote(chr(byte))[1:-1])
        raise _SyntaxError(f"invalid character '{shown}' {context}")


def _match_end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
