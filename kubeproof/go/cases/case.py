"""A case of operations, and what no case can show."""

from typing import Any

from attrs import frozen
from hypothesis import strategies as st

# (config, operations)
Case = tuple[dict[str, Any], list[dict[str, Any]]]


def drawn(op: str, **arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An operation with these arguments."""
    return st.fixed_dictionaries({"op": st.just(op), **arguments})


@frozen
class Blind:
    """Rules for one field in whose place no operation of a component shows others."""

    field: str
    why: str
    # The names of rules that releases follow; (): all that there are.
    rules: tuple[str, ...] = ()
    # The names of rules in their place; (): the same.
    others: tuple[str, ...] = ()

    def covers(self, field: str, rule: str, other: str) -> bool:
        """Whether `other` in the place of `rule` is not seen."""
        if field != self.field or not self.rules:
            return field == self.field
        return rule in self.rules and other in (self.others or self.rules)
