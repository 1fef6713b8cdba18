"""Records of bits, taken apart and put together: what the formulas for runs of several systems share."""

from typing import Any, TypeVar

from attrs import evolve, fields
from z3 import BoolRef

from properties.smt.bits import Bit, all_of, choose, same

Part = TypeVar("Part")


def flat(part: Any) -> list[Bit]:
    """The bits of a view, or a part of one, in a fixed order."""
    if isinstance(part, (bool, BoolRef)):
        return [part]
    parts = part if isinstance(part, tuple) else [getattr(part, field.name) for field in fields(type(part))]
    return [bit for each in parts for bit in flat(each)]


def names(part: Any, name: str = "") -> list[str]:
    """A name for each bit, in the order of `flat`."""
    if isinstance(part, (bool, BoolRef)):
        return [name]
    if isinstance(part, tuple):
        return [each for i, one in enumerate(part) for each in names(one, f"{name}.{i + 1}")]
    inner = [field.name for field in fields(type(part))]
    return [each for one in inner for each in names(getattr(part, one), f"{name}.{one}".lstrip("."))]


def shaped(part: Any, bits: list[Bit]) -> Any:
    """`bits`, taken from the front, in the shape of `part`."""
    if isinstance(part, (bool, BoolRef)):
        return bits.pop(0)
    if isinstance(part, tuple):
        return tuple(shaped(each, bits) for each in part)
    return evolve(part, **{f.name: shaped(getattr(part, f.name), bits) for f in fields(type(part))})


def either(condition: Bit, then: Part, otherwise: Part) -> Part:
    """`then` if `condition`, else `otherwise`: views, or parts of one."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    bits = [choose(condition, a, b) for a, b in zip(flat(then), flat(otherwise), strict=True)]
    chosen: Part = shaped(then, bits)
    return chosen


def equal(one: Any, other: Any) -> Bit:
    return all_of(*map(same, flat(one), flat(other)))
