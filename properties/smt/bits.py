"""Bools with constants folded, one-hot values and small unary counts: the vocabulary of the finite encodings.

A bit is a Z3 Bool or a Python bool. A one-hot value is a list of bits of which at most one is true: bit v says
"the value is v", and no bit true means "none".
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from z3 import And, BoolRef, BoolVal, Not, Or

Bit: TypeAlias = bool | BoolRef
OneHot: TypeAlias = list[Bit]


def all_of(*bits: Bit) -> Bit:
    """The conjunction."""
    rest = [bit for bit in bits if bit is not True]
    if any(bit is False for bit in rest):
        return False
    return rest[0] if len(rest) == 1 else And(rest) if rest else True


def any_of(*bits: Bit) -> Bit:
    """The disjunction."""
    rest = [bit for bit in bits if bit is not False]
    if any(bit is True for bit in rest):
        return True
    return rest[0] if len(rest) == 1 else Or(rest) if rest else False


def negate(bit: Bit) -> Bit:
    """The negation."""
    return not bit if isinstance(bit, bool) else Not(bit)


def same(left: Bit, right: Bit) -> Bit:
    """Both or neither."""
    if isinstance(left, bool):
        return right if left else negate(right)
    if isinstance(right, bool):
        return left if right else negate(left)
    return left == right


def choose(condition: Bit, then: Bit, otherwise: Bit) -> Bit:
    """`then` if `condition`, else `otherwise`."""
    if condition is True:
        return then
    if condition is False:
        return otherwise
    if then is otherwise:
        return then
    return any_of(all_of(condition, then), all_of(negate(condition), otherwise))


def choose_each(condition: Bit, then: Sequence[Bit], otherwise: Sequence[Bit]) -> list[Bit]:
    """`choose` bit by bit."""
    return [choose(condition, a, b) for a, b in zip(then, otherwise, strict=True)]


def one_hot(value: int | None, size: int) -> OneHot:
    """The constant `value` among `size` values, or none of them."""
    return [v == value for v in range(size)]


def exactly_one(bits: Sequence[Bit]) -> Bit:
    """One bit is true and no other."""
    pairs = [negate(all_of(a, b)) for i, a in enumerate(bits) for b in bits[:i]]
    return all_of(any_of(*bits), *pairs)


def count(bits: Iterable[Bit], limit: int) -> OneHot:
    """How many bits are true, as a one-hot value of 0 to `limit`, beyond which no count may go."""
    total = one_hot(0, limit + 1)
    for bit in bits:
        total = increment(total, bit)
    return total


def increment(value: OneHot, condition: Bit) -> OneHot:
    """`value` plus one where `condition` is true; one-hot, its last value must not be passed."""
    return choose_each(condition, [False, *value[:-1]], value)


def same_count(left: OneHot, right: OneHot) -> Bit:
    """The one-hot values are equal."""
    return all_of(*map(same, left, right))


def at_least(value: OneHot, bound: int) -> Bit:
    """The one-hot `value` is `bound` or more."""
    return any_of(*value[bound:])


def formula(bit: Bit) -> BoolRef:
    """The bit as a Z3 Bool."""
    return BoolVal(bit) if isinstance(bit, bool) else bit
