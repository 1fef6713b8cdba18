"""The fields of a scope: how much there is of something, and the powers of the environment."""

from typing import Any

from attrs import field, fields
from attrs.validators import ge, in_, le

_POWER = "power"


def amount(default: int = 0, least: int = 0, most: int = 9) -> int:
    """How much there is of something, or another bound that is no power."""
    return field(default=default, validator=[ge(least), le(most)])


def choice(*values: int) -> int:
    """One of these values, the first by default; no power."""
    return field(default=values[0], validator=in_(values))


def power(most: int = 9) -> int:
    """A power: how often something may happen, or of how many it may. Off by default, as a switch is."""
    return field(default=0, validator=[ge(0), le(most)], metadata={_POWER: True})


def switch() -> int:
    """A power that is on (1) or off (0)."""
    return field(default=0, validator=in_((0, 1)), metadata={_POWER: True})


def powers_in(scope_class: type[Any]) -> tuple[str, ...]:
    """The powers of a class of scopes."""
    return tuple(each.name for each in fields(scope_class) if _POWER in each.metadata)
