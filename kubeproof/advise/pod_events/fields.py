"""Fields of a parsed object, each with its place in the file. Another value than expected is one InputError line."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.input.documents import kind_text, value_text

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)


@frozen(order=True)
class Moment:
    """A time in UTC."""

    at: datetime
    # Whether the time was written with a fraction of the second. If not, the fraction was cut off, not rounded.
    exact: bool = False

    def later_than(self, other: "Moment", by: timedelta = timedelta(0)) -> bool:
        """Whether this time was certainly later, by more than `by`. Within one second only fractions can say this."""
        if self.exact and other.exact:
            return self.at - by > other.at
        return self.at.replace(microsecond=0) - by > other.at.replace(microsecond=0)

    def __str__(self) -> str:
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ" if self.exact else "%Y-%m-%dT%H:%M:%SZ")


@frozen
class Fields:
    """The fields of a mapping. A missing field has the empty value of its type."""

    value: dict[str, Any]
    # The file's name, and the place of the mapping in the file: errors begin with both.
    file: str
    place: str

    def refuse(self, key: str, expected: str, found: Any) -> InputError:
        """The error for a field that is not as `expected`."""
        shown = found if isinstance(found, str) and found == "nothing" else value_text(found)
        return InputError(f"{self.file}: {self._at(key)}: expected {expected}, found {shown}")

    def _at(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def map(self, key: str) -> "Fields":
        found = self.value.get(key)
        if found is None:
            found = {}
        if not isinstance(found, dict):
            raise InputError(f"{self.file}: {self._at(key)}: expected a mapping, found {kind_text(found)}")
        return Fields(found, self.file, self._at(key))

    def maps(self, key: str) -> Iterator["Fields"]:
        """The mappings of a list."""
        found = self.value.get(key)
        if found is None:
            return
        if not isinstance(found, list):
            raise InputError(f"{self.file}: {self._at(key)}: expected a list, found {kind_text(found)}")
        for number, each in enumerate(found):
            place = f"{self._at(key)}[{number}]"
            if not isinstance(each, dict):
                raise InputError(f"{self.file}: {place}: expected a mapping, found {kind_text(each)}")
            yield Fields(each, self.file, place)

    def text(self, key: str) -> str:
        found = self.value.get(key)
        if found is None:
            return ""
        if not isinstance(found, str):
            raise self.refuse(key, "a string", found)
        return found

    def name(self, key: str) -> str:
        """A text that must be there."""
        found = self.text(key)
        if not found:
            raise InputError(f"{self.file}: {self._at(key)}: missing: expected a {key}, as kubectl prints it")
        return found

    def number(self, key: str) -> int:
        found = self.value.get(key)
        if found is None:
            return 0
        if not isinstance(found, int) or isinstance(found, bool) or abs(found) > 2**63:
            raise self.refuse(key, "a whole number", found)
        return found

    def flag(self, key: str) -> bool:
        found = self.value.get(key)
        if found is not None and not isinstance(found, bool):
            raise self.refuse(key, "true or false", found)
        return bool(found)

    def texts(self, key: str) -> dict[str, str]:
        """A mapping of strings; numbers are taken as they are written."""
        inner = self.map(key)
        texts = {}
        for name, value in inner.value.items():
            huge = isinstance(value, int) and abs(value) > 2**200
            is_text = isinstance(value, str | int | float) and not isinstance(value, bool) and not huge
            if not isinstance(name, str) or not is_text:
                raise InputError(f"{self.file}: {inner.place}: expected strings, found {value_text(value)}")
            texts[name] = str(value)[:200]
        return texts

    def moment(self, key: str) -> Moment | None:
        """A time, or None if the field is missing or has Go's zero time."""
        found = self.value.get(key)
        if found is None:
            return None
        if isinstance(found, str) and _RFC3339.fullmatch(found):
            try:
                at = datetime.fromisoformat(found.upper()).astimezone(UTC)
            except (ValueError, OverflowError):
                raise self.refuse(key, "a time such as 2020-07-01T08:00:00Z", found) from None
            return None if at.year == 1 else Moment(at, "." in found)
        raise self.refuse(key, "a time such as 2020-07-01T08:00:00Z", found)
