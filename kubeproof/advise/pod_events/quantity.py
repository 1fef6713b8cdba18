"""Reads quantities as Kubernetes writes quantities (500m, 2, 1Gi, 128974848, 1e3), exactly. Pure functions.

Go: resource.Quantity. A quantity is a decimal number with a suffix of powers of 1000 or 1024, or an exponent of 10.
"""

import re
from fractions import Fraction
from functools import lru_cache
from math import ceil

_POWERS = {"n": -3, "u": -2, "m": -1, "": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
# The API server caps larger quantities. The limits of digits keep the arithmetic small.
_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40}))"
    r"(?:(?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<exponent>[+-]?\d{1,2}))?",
    re.ASCII,
)


class QuantityError(ValueError):
    """A text that is not a quantity."""


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Fraction:
    """The number that `text` means. Raises QuantityError.

    >>> parse_quantity("500m"), parse_quantity("1Gi"), parse_quantity("1e3")
    (Fraction(1, 2), Fraction(1073741824, 1), Fraction(1000, 1))
    """
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise QuantityError(text)
    number = Fraction(found["number"])
    if found["exponent"] is not None:
        tens: int = 10 ** abs(int(found["exponent"]))
        return number / tens if found["exponent"].startswith("-") else number * tens
    suffix = found["suffix"] or ""
    if suffix in _BINARY:
        unit: int = 1024 ** _BINARY[suffix]
        return number * unit
    power: int = 1000 ** abs(_POWERS[suffix])
    return number / power if _POWERS[suffix] < 0 else number * power


def counted(resource: str, text: str) -> int:
    """`text` in the units in which the scheduler counts `resource`: CPUs in thousandths, all else in ones; rounded up.

    Go: Quantity.MilliValue and Quantity.Value. Raises QuantityError.
    """
    return ceil(parse_quantity(text) * 1000) if resource == "cpu" else ceil(parse_quantity(text))


def amount_text(resource: str, amount: int) -> str:
    """An amount in those units for people: 1500m CPUs, 2Gi of memory."""
    if resource == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for suffix in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
            unit = 1024 ** _BINARY[suffix]
            if abs(amount) >= unit:
                return f"{amount // unit}{suffix}" if amount % unit == 0 else f"{amount / unit:.1f}{suffix}"
    return str(amount)
