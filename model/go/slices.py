"""A Go slice of ints, which shares its backing array with others; and combinations built with it.

Go: `append` and pkg/kubelet/cm/cpumanager/cpu_assignment.go `iterateCombinations`, 1.23 to 1.31. Mutable, as there: a
slice that was kept changes when a shorter one that shares its array is appended to.
"""

from collections.abc import Iterator, Sequence


class GoSlice:
    """The first `length` elements of `array`, whose length is the capacity. `GoSlice()` is an empty slice."""

    __slots__ = ("array", "length")

    def __init__(self, array: list[int] | None = None, length: int = 0) -> None:
        self.array: list[int] = [] if array is None else array
        self.length = length

    def append(self, value: int) -> "GoSlice":
        """`append(slice, value)`: in place while the array has room, else in a new array of twice the size."""
        if self.length < len(self.array):
            self.array[self.length] = value
            return GoSlice(self.array, self.length + 1)
        spare = max(1, 2 * self.length) - self.length - 1
        return GoSlice([*self.array[: self.length], value, *[0] * spare], self.length + 1)

    def now(self) -> tuple[int, ...]:
        """The elements at this moment."""
        return tuple(self.array[: self.length])


def iterate_combinations(items: Sequence[int], k: int) -> Iterator[GoSlice]:
    """Each subset of `k` of `items`, in the order and with the sharing in which the Go code hands them to its callback.

    A slice that is kept is to be read when Go reads it: the next subset may overwrite it.
    """

    def walk(k: int, start: int, accum: GoSlice) -> Iterator[GoSlice]:
        if k == 0:
            yield accum
            return
        for i in range(start, len(items) - k + 1):
            yield from walk(k - 1, i + 1, accum.append(items[i]))

    if k >= 1:
        yield from walk(k, 0, GoSlice())
