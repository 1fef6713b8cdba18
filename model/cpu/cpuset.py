"""Sets of CPUs, printed and parsed in the kernel's list format (Go: cpuset.go). Pure functions on plain frozensets.

Go: pkg/kubelet/cm/cpuset/cpuset.go; from 1.28 on k8s.io/utils/cpuset. Union, Difference and the other set operations
are frozenset's own.
"""

from collections.abc import Callable

from attrs import frozen

from model.go.errors import GoError
from model.go.formats import quote

CPUSet = frozenset[int]

# A list such as 0-999999999 makes the kubelet build a billion map entries. Linux has at most 8192 CPUs.
MAX_LISTED = 1 << 20

_MAX_INT = (1 << 63) - 1
_MAX_UINT = (1 << 64) - 1


class TooManyCPUs(ValueError):
    """A list that names more CPUs than the model expands. Go has no such limit: it runs out of time or memory."""


def parse_skipping_odd_parts(text: str) -> tuple[range, ...] | GoError:
    """Up to 1.21: a part with two or more dashes is passed over, and `3-1` is no CPU at all."""
    return _ranges(text, -1, None)


def parse_refusing_ge_ranges(text: str) -> tuple[range, ...] | GoError:
    """1.22 to 1.26: all after a part's first dash is one number, and `3-1` is refused, with `>=` in the text."""
    return _ranges(text, 1, ">=")


def parse_refusing_empty_ranges(text: str) -> tuple[range, ...] | GoError:
    """From 1.27 on the text of the refusal says `>`, which is what is tested."""
    return _ranges(text, 1, ">")


@frozen(slots=False, kw_only=True)
class CPUSetRules:
    """How a release takes a list apart: the ranges it names, in the list's order, or why it is none."""

    parse_cpuset: Callable[[str], tuple[range, ...] | GoError]


def printed(text: str) -> CPUSet:
    """The set that `to_string` printed as `text`. Raises ValueError for a text of another form."""
    cpus = parse(text, CPUSetRules(parse_cpuset=parse_refusing_empty_ranges))
    if isinstance(cpus, GoError):
        raise ValueError(cpus.text)
    return cpus


def parse(text: str, rules: CPUSetRules, limit: int = MAX_LISTED) -> CPUSet | GoError:
    """The set that `text`, e.g. `0-3,8`, stands for in a release with `rules`.

    Raises TooManyCPUs if the parts of the list name more than `limit` CPUs in all. Go: cpuset.go Parse.
    """
    ranges = rules.parse_cpuset(text)
    if isinstance(ranges, GoError):
        return ranges
    # Not len(): that fails for a range longer than the platform's largest index.
    listed = sum(max(0, each.stop - each.start) for each in ranges)
    if listed > limit:
        raise TooManyCPUs(f"CPU list {_shorten(text)} names {listed} CPUs; at most {limit} are expanded")
    return frozenset(cpu for each in ranges for cpu in each)


def to_string(cpus: CPUSet) -> str:
    """`cpus` as a list: ascending, neighbours joined to ranges; "" for no CPU. Go: cpuset.go String.

    >>> to_string(frozenset({8, 0, 1, 2}))
    '0-2,8'
    """
    ranges: list[tuple[int, int]] = []
    for cpu in sorted(cpus):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], cpu)
        else:
            ranges.append((cpu, cpu))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _ranges(text: str, most_splits: int, relation: str | None) -> tuple[range, ...] | GoError:
    if text == "":
        return ()
    result = []
    for part in text.split(","):
        boundaries = part.split("-", most_splits)
        if len(boundaries) > 2:
            continue
        numbers = []
        for boundary in boundaries:
            number = atoi(boundary)
            if isinstance(number, GoError):
                return number
            numbers.append(number)
        start, end = numbers[0], numbers[-1]
        if start > end and relation:
            return GoError(f"invalid range {quote(part)} ({start} {relation} {end})")
        result.append(range(start, end + 1))
    return tuple(result)


def atoi(text: str) -> int | GoError:
    """`text` as a 64-bit int: an optional sign, then ASCII digits only. Go: strconv.Atoi.

    >>> atoi("+07")
    7
    >>> atoi("1 ").text
    'strconv.Atoi: parsing "1 ": invalid syntax'
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    number = 0
    for digit in digits:
        if digit not in "0123456789":
            return _atoi_error(text, "invalid syntax")
        number = 10 * number + int(digit)
        # strconv.ParseUint stops here, before it sees what comes after.
        if number > _MAX_UINT:
            return _atoi_error(text, "value out of range")
    if not digits:
        return _atoi_error(text, "invalid syntax")
    if text[0] == "-":
        number = -number
    return number if -_MAX_INT - 1 <= number <= _MAX_INT else _atoi_error(text, "value out of range")


def _atoi_error(text: str, reason: str) -> GoError:
    return GoError(f"strconv.Atoi: parsing {quote(text)}: {reason}")


def _shorten(text: str) -> str:
    return quote(text if len(text) <= 60 else text[:57] + "...")
