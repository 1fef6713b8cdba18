"""Go's `sort.Slice` as Go 1.8 to 1.18 did it: what a comparison that is no ordering makes of a list.

Go: sort/zfuncversion.go `quickSort_func` of those releases (Kubernetes up to 1.24 was built with them). For true
orderings without ties any sort gives the same list; use `sorted` there.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
Less = Callable[[T, T], bool]


def sort_slice(items: list[T], less: Less[T]) -> None:
    """Sort `items` in place, comparing and swapping exactly as `sort.Slice` did (1.8 to 1.18)."""
    n = len(items)
    _quick_sort(items, less, 0, n, 2 * n.bit_length())


def _swap(items: list[T], i: int, j: int) -> None:
    items[i], items[j] = items[j], items[i]


def _quick_sort(items: list[T], less: Less[T], a: int, b: int, depth: int) -> None:
    while b - a > 12:
        if depth == 0:
            _heap_sort(items, less, a, b)
            return
        depth -= 1
        low, high = _do_pivot(items, less, a, b)
        # The shorter side is sorted by recursion, the longer one by going on, which bounds the stack.
        if low - a < b - high:
            _quick_sort(items, less, a, low, depth)
            a = high
        else:
            _quick_sort(items, less, high, b, depth)
            b = low
    if b - a > 1:
        for i in range(a + 6, b):
            if less(items[i], items[i - 6]):
                _swap(items, i, i - 6)
        for i in range(a + 1, b):
            while i > a and less(items[i], items[i - 1]):
                _swap(items, i, i - 1)
                i -= 1


def _sift_down(items: list[T], less: Less[T], root: int, end: int, first: int) -> None:
    while True:
        child = 2 * root + 1
        if child >= end:
            return
        if child + 1 < end and less(items[first + child], items[first + child + 1]):
            child += 1
        if not less(items[first + root], items[first + child]):
            return
        _swap(items, first + root, first + child)
        root = child


def _heap_sort(items: list[T], less: Less[T], a: int, b: int) -> None:
    n = b - a
    for root in range((n - 1) // 2, -1, -1):
        _sift_down(items, less, root, n, a)
    for end in range(n - 1, -1, -1):
        _swap(items, a, a + end)
        _sift_down(items, less, 0, end, a)


def _median_of_three(items: list[T], less: Less[T], x: int, y: int, z: int) -> None:
    """Put the median of the three elements at `x`."""
    if less(items[x], items[y]):
        _swap(items, x, y)
    if less(items[z], items[x]):
        _swap(items, z, x)
        if less(items[x], items[y]):
            _swap(items, x, y)


def _do_pivot(items: list[T], less: Less[T], lo: int, hi: int) -> tuple[int, int]:
    """Partition [lo, hi): less than the pivot, then equal to it from the first answer on, greater from the second."""
    m = (lo + hi) // 2
    if hi - lo > 40:
        s = (hi - lo) // 8
        _median_of_three(items, less, lo, lo + s, lo + 2 * s)
        _median_of_three(items, less, m, m - s, m + s)
        _median_of_three(items, less, hi - 1, hi - 1 - s, hi - 1 - 2 * s)
    _median_of_three(items, less, lo, m, hi - 1)
    # `pivot` stays at `lo` until the last swap.
    a, c = lo + 1, hi - 1
    while a < c and less(items[a], items[lo]):
        a += 1
    b = a
    while True:
        while b < c and not less(items[lo], items[b]):
            b += 1
        while b < c and less(items[lo], items[c - 1]):
            c -= 1
        if b >= c:
            break
        _swap(items, b, c - 1)
        b += 1
        c -= 1
    many_equal = hi - c < 5
    if not many_equal and hi - c < (hi - lo) // 4:
        # Three samples are asked whether they equal the pivot; two that do mean many duplicates.
        equal = 0
        if not less(items[lo], items[hi - 1]):
            _swap(items, c, hi - 1)
            c += 1
            equal += 1
        if not less(items[b - 1], items[lo]):
            b -= 1
            equal += 1
        if not less(items[m], items[lo]):
            _swap(items, m, b - 1)
            b -= 1
            equal += 1
        many_equal = equal > 1
    if many_equal:
        while True:
            while a < b and not less(items[b - 1], items[lo]):
                b -= 1
            while a < b and less(items[a], items[lo]):
                a += 1
            if a >= b:
                break
            _swap(items, a, b - 1)
            a += 1
            b -= 1
    _swap(items, lo, b - 1)
    return b - 1, c
