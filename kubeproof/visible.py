"""Text for a terminal: what a terminal would obey, or not show, is written as an escape. Imports nothing of ours."""

from shlex import quote

LONGEST_LINE = 4000  # characters of an error: names from outside have no bound


def visible(text: str, keep: str = "") -> str:
    """`text` with an escape such as `\\x1b` or `\\u202e` for each character that is not printable.

    `keep`: characters that stay, such as a newline.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in keep else _escape(each) for each in text)


def visible_lines(text: str) -> str:
    """`visible` for a text of several lines."""
    return visible(text, "\n")


def one_line(text: str) -> str:
    """`text`, `visible`, for one line. A text that is too long has its middle cut out."""
    line = visible(text.strip())
    if len(line) <= LONGEST_LINE:
        return line
    half = LONGEST_LINE // 2
    return f"{line[:half]} … {line[-half:]}"


def shortened(text: str, most: int = 60) -> str:
    """`text`, `visible` and of at most `most` characters, for a message that repeats what was given."""
    return visible(text if len(text) <= most else f"{text[:most]}…")


def shell_word(text: str) -> str:
    """`text` as one word of a command line that a person can copy; with escapes as bash reads them in `$'…'`."""
    if text.isprintable():
        return quote(text)
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(each if each.isprintable() else _shell_escape(each) for each in quoted)}'"


def _shell_escape(each: str) -> str:
    code = ord(each)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}"


def _escape(each: str) -> str:
    return each.encode("unicode_escape").decode("ascii")
