"""Records of bits, taken apart and put together: what the formulas for runs of several systems share."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Generic, TypeVar

from attrs import define, field, fields
from z3 import BoolRef

from properties.smt.bits import Bit, all_of, choose, same
from properties.smt.form import Cells

Part = TypeVar("Part")


@cache
def _fields(record: Any) -> tuple[str, ...]:
    """The names of the fields of a class of records."""
    return tuple(each.name for each in fields(record))


def flat(part: Any) -> list[Bit]:
    """The bits of a view, or a part of one, in a fixed order."""
    bits: list[Bit] = []
    _flatten(part, bits)
    return bits


def _flatten(part: Any, bits: list[Bit]) -> None:
    if isinstance(part, (bool, BoolRef)):
        bits.append(part)
    elif isinstance(part, tuple):
        for each in part:
            _flatten(each, bits)
    else:
        for name in _fields(part.__class__):
            _flatten(getattr(part, name), bits)


def names(part: Any, name: str = "") -> list[str]:
    """A name for each bit, in the order of `flat`."""
    if isinstance(part, (bool, BoolRef)):
        return [name]
    if isinstance(part, tuple):
        return [each for i, one in enumerate(part) for each in names(one, f"{name}.{i + 1}")]
    return [each for one in _fields(part.__class__) for each in names(getattr(part, one), f"{name}.{one}".lstrip("."))]


def shaped(part: Any, bits: Iterable[Bit]) -> Any:
    """`bits` in the shape of `part`."""
    return _shaped(part, iter(bits))


def _shaped(part: Any, bits: Iterator[Bit]) -> Any:
    if isinstance(part, (bool, BoolRef)):
        return next(bits)
    if isinstance(part, tuple):
        return tuple([_shaped(each, bits) for each in part])
    return type(part)(**{name: _shaped(getattr(part, name), bits) for name in _fields(part.__class__)})


@define
class Shape(Generic[Part]):
    """A record of bits. Other bits are read in its shape."""

    of: Part
    # The cells that were read last, and how they read: several formulas are asked of the same cells in turn.
    _latest: tuple[tuple[Cells, Part], ...] = field(default=(), init=False)

    def view(self, cells: Cells) -> Part:
        for known, found in self._latest:
            if known is cells:
                return found
        view: Part = shaped(self.of, cells)
        # Those before a step, and those after.
        self._latest = (*self._latest[-1:], (cells, view))
        return view


def either(condition: Bit, then: Part, otherwise: Part) -> Part:
    """`then` if `condition`, else `otherwise`: views, or parts of one."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    bits = [choose(condition, a, b) for a, b in zip(flat(then), flat(otherwise), strict=True)]
    chosen: Part = shaped(then, bits)
    return chosen


def equal(one: Any, other: Any) -> Bit:
    return all_of(*map(same, flat(one), flat(other)))
