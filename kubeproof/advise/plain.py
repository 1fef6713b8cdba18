"""An answer as a document of JSON."""

from typing import Any

from cattrs.preconf.json import make_converter


def to_json(answer: object) -> dict[str, Any]:
    """The answer in plain lists, dicts, strings, numbers."""
    plain: dict[str, Any] = make_converter().unstructure(answer)
    return plain
