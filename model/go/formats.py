"""How Go prints strings, as far as the error texts of the modelled components need it."""

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def quote(text: str) -> str:
    """`text` as Go's `%q` (`strconv.Quote`) prints it.

    >>> print(quote('r:' + chr(0) + ':z1'))
    "r:\\x00:z1"
    """
    return '"' + "".join(map(_quote_rune, text)) + '"'


def _quote_rune(rune: str) -> str:
    if rune in '"\\':
        return "\\" + rune
    if rune in _ESCAPES:
        return _ESCAPES[rune]
    if rune.isprintable():
        return rune
    code = ord(rune)
    # strconv.appendEscapedRune: below a space and DEL as a byte, then by the width of the code point.
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
