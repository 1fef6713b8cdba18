"""How an error names a value that was found in a file."""

from typing import Any


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
