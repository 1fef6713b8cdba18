"""Docstrings as mkdocstrings shows them: with the comments above fields, and doctests as code."""

import re
from pathlib import Path
from typing import Any

import griffe

_DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class Comments(griffe.Extension):
    """This project documents a field in a comment above the field."""

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """The comment above `attr` becomes its docstring."""
        if attr.docstring is not None or attr.lineno is None or not isinstance(attr.filepath, Path):
            return
        lines = attr.filepath.read_text(encoding="utf-8").split("\n")[: attr.lineno - 1]
        above: list[str] = []
        while lines and (line := lines.pop().strip()).startswith("# "):
            above.insert(0, line[2:])
        if above:
            attr.docstring = griffe.Docstring("\n".join(above), parent=attr)

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """A doctest becomes a block of code."""
        if obj.docstring is not None:
            obj.docstring.value = _DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
