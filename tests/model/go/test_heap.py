"""Go's container/heap and integers."""

import pytest
from hypothesis import given, strategies as st

from model.go import heap
from model.go.integers import MAX_INT32, MAX_INT64, int32, int64, quotient


@given(st.lists(st.integers(-5, 5), max_size=20))
def test_a_heap_gives_its_items_in_order(items: list[int]) -> None:
    left = list(items)
    heap.init(left, int.__gt__)
    assert [heap.pop(left, int.__gt__) for _ in items] == sorted(items, reverse=True)


def test_an_empty_heap_has_nothing_to_give() -> None:
    with pytest.raises(IndexError):
        heap.pop([], int.__gt__)


def test_equals_come_in_the_order_of_the_heap() -> None:
    # With two children that are equal the left one goes up, as in Go: the last item stands first after each pop.
    left = ["a0", "a1", "a2"]

    def before(one: str, other: str) -> bool:
        return one[0] < other[0]

    heap.init(left, before)
    assert [heap.pop(left, before) for _ in range(3)] == ["a0", "a2", "a1"]


def test_integers_wrap_around() -> None:
    assert (int64(MAX_INT64), int64(MAX_INT64 + 1), int64(2**64 + 5)) == (MAX_INT64, -(2**63), 5)
    assert (int32(MAX_INT32 + 1), int32(2**32), int32(-1)) == (-(2**31), 0, -1)


def test_division_rounds_towards_zero() -> None:
    assert [quotient(a, 3) for a in (7, -7, 0, 6, -6)] == [2, -2, 0, 2, -2]
    assert quotient(-(2**63), -1) == -(2**63)
