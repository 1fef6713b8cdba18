"""Go's integers of a fixed size: a number that does not fit wraps around (the Go specification, "Integer overflow")."""

MAX_INT32, MAX_INT64 = 2**31 - 1, 2**63 - 1


def int64(number: int) -> int:
    """The int64 that has the lowest 64 bits of `number`."""
    return (number + 2**63) % 2**64 - 2**63


def int32(number: int) -> int:
    """The int32 that has the lowest 32 bits of `number`, as the conversion int32(number) of Go."""
    return (number + 2**31) % 2**32 - 2**31


def quotient(a: int, b: int) -> int:
    """Go's division of integers, which rounds towards 0. Of the lowest int64 and -1 it gives the lowest int64."""
    return int64(a // b if (a < 0) == (b < 0) else -(-a // b))
