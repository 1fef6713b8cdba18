"""Which rules an exploration reads. Releases with the same rules for these fields have the same runs."""

from typing import Any

from attrs import fields


class Watched:
    """A choice of rules that behaves like the given one and notes which fields are read."""

    def __init__(self, rules: Any) -> None:
        self.read: set[str] = set()
        self.rules = _watched(rules, self.read)

    @property
    def choice(self) -> dict[str, Any]:
        """The rules that were looked at, by field."""
        read = sorted(self.read)
        return {name: getattr(self.rules, name) for name in read}


def agree(rules: Any, choice: dict[str, Any]) -> bool:
    """Whether `rules` has these rules for these fields."""
    return all(getattr(rules, name) is rule for name, rule in choice.items())


def _watched(rules: Any, read: set[str]) -> Any:
    own = type(rules)
    names = frozenset(field.name for field in fields(own))

    def get(self: Any, name: str) -> Any:
        if name in names:
            read.add(name)
        return object.__getattribute__(self, name)

    # The rules are in the instance's __dict__: Rules classes have no slots, as each system's derives from several.
    copy: Any = object.__new__(type(own.__name__, (own,), {"__getattribute__": get}))
    object.__getattribute__(copy, "__dict__").update(rules.__dict__)
    return copy
