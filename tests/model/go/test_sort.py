"""Go's old sort.Slice, and slices that share their array."""

from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from model.go import sort as go_sort
from model.go.slices import GoSlice, iterate_combinations
from model.go.sort import sort_slice


@given(st.lists(st.integers(-20, 20), max_size=120))
def test_an_ordering_sorts(items: list[int]) -> None:
    result = list(items)
    sort_slice(result, int.__lt__)
    assert result == sorted(items)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=60))
def test_what_is_no_ordering_ends_in_a_permutation(items: list[tuple[int, int]]) -> None:
    result = list(items)
    sort_slice(result, lambda i, j: i[0] < j[0] or i[1] < j[1])
    assert sorted(result) == sorted(items)


def test_two_elements_that_are_each_less_than_the_other_change_places() -> None:
    items = [(1, 2), (2, 1)]
    sort_slice(items, lambda i, j: i[0] < j[0] or i[1] < j[1])
    assert items == [(2, 1), (1, 2)]


def test_seven_elements_get_a_pass_with_gap_6_before_insertion() -> None:
    asked: list[tuple[int, int]] = []

    def less(i: int, j: int) -> bool:
        asked.append((i, j))
        return i < j

    sort_slice([0, 1, 2, 3, 4, 5, 6], less)
    assert asked == [(6, 0), (1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5)]


def killer(n: int) -> list[int]:
    """McIlroy's adversary: values decided while the sort runs, so that each of its pivots is nearly the least."""
    undecided = n
    values = [undecided] * n
    decided = 0
    candidate = 0

    def less(x: int, y: int) -> bool:
        nonlocal decided, candidate
        if values[x] == values[y] == undecided:
            values[x if x == candidate else y] = decided
            decided += 1
        if values[x] == undecided:
            candidate = x
        elif values[y] == undecided:
            candidate = y
        return values[x] < values[y]

    sort_slice(list(range(n)), less)
    return values


def test_bad_pivots_end_in_heap_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    ranges: list[int] = []
    heap_sort = go_sort._heap_sort

    def watched(items: list[int], less: go_sort.Less[int], a: int, b: int) -> None:
        ranges.append(b - a)
        heap_sort(items, less, a, b)

    items = killer(300)
    expected = sorted(items)
    monkeypatch.setattr(go_sort, "_heap_sort", watched)
    sort_slice(items, int.__lt__)
    assert items == expected
    assert ranges
    assert ranges[0] > 12


@given(st.integers(0, 9), st.integers(0, 9))
def test_combinations_come_in_order(n: int, k: int) -> None:
    items = list(range(10, 10 + n))
    expected = list(combinations(items, k)) if k else []
    assert [subset.now() for subset in iterate_combinations(items, k)] == expected


def test_kept_combinations_are_overwritten_where_arrays_have_room() -> None:
    overwritten = set()
    for k in range(1, 11):
        kept = [(subset, subset.now()) for subset in iterate_combinations(range(11), k)]
        overwritten |= {k for subset, then in kept if subset.now() != then}
    assert overwritten == {4, 6, 7, 8, 10}


def test_append_shares_until_the_array_is_full() -> None:
    three = GoSlice().append(1).append(2).append(3)
    four = three.append(4)
    three.append(5)
    assert (four.now(), len(four.array)) == ((1, 2, 3, 5), 4)
    five = four.append(6)
    four.append(7)
    assert (five.now(), len(five.array)) == ((1, 2, 3, 5, 6), 8)
