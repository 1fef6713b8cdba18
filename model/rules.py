"""What a row of the release table is: from which release on a rule holds, and how that is known."""

from collections.abc import Callable
from typing import Any, Literal

from attrs import frozen

Evidence = Literal["recorded", "read", "inferred"]


@frozen
class Row:
    """From release `since` on, the field `rule_field` of a Rules class is `rule`.

    `evidence`: `recorded` when recordings of that rule in a release replay, `read` when its Go source was read,
    `inferred` when the exact patch release was seen in neither.
    """

    rule_field: str
    since: str
    rule: Callable[..., Any]
    change: str
    source: str
    evidence: Evidence
