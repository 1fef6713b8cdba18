"""Whether a parsed value has the fields of a form, and no others. Raises InputError only: one line with the place.

kube-scheduler decodes strictly from v1beta1 on. Of an older version it passes over what it does not know, and of a
Policy too: there such a field is refused here all the same, since it does nothing.
"""

import json
import re
from typing import Any

from kubeproof.advise.scheduler_config.api_versions import Field, Form, ListOf, Scalar
from kubeproof.errors import InputError
from kubeproof.input.documents import kind_text, value_text

_LIMIT, _LIMIT_32 = 1 << 63, 1 << 31
_NANOSECONDS = {
    "ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
_PART = re.compile(r"(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)", re.ASCII)


def parse_duration(text: str) -> int | None:
    """The nanoseconds of a duration as Go's `time.ParseDuration` reads it; None if it is none.

    >>> parse_duration("1m30s") // 10**9
    90
    """
    rest, sign = text, 1
    if rest[:1] in ("+", "-"):
        sign, rest = (-1 if rest[0] == "-" else 1), rest[1:]
    if rest == "0":
        return 0
    total = 0
    while rest:
        part = _PART.match(rest)
        if part is None or not (part[1] or part[2]) or len(part[0]) > 40:
            return None
        unit = _NANOSECONDS[part[3]]
        fraction = part[2] or ""
        total += int(part[1] or 0) * unit + int(fraction or 0) * unit // 10 ** len(fraction)
        rest = rest[part.end() :]
        if total >= _LIMIT:
            return None
    return sign * total if text.lstrip("+-") else None


def check(value: dict[str, Any], form: Form, kind: str, minor: int, place: str) -> None:
    """Raises InputError if a field of `value` is unknown in this minor or of another type. Null is no value.

    `place`: the file, and the place in it, as `file: extenders[0]` or `file:`. `kind`: what has these fields.
    """
    for name, found in value.items():
        # YAML reads `yes:` and `1:` as keys that are no text.
        at = _at(place, name if isinstance(name, str) else json.dumps(name, default=str))
        field = form.get(name) if isinstance(name, str) else None
        if field is None or not field.since <= minor <= field.until:
            raise InputError(f"{at}: not a field of {kind} in 1.{minor}: expected {_fields(form, minor)}")
        if found is not None:
            _check_field(found, field, kind, minor, at)


def _fields(form: Form, minor: int) -> str:
    names = sorted(name for name, field in form.items() if field.since <= minor <= field.until)
    return f"one of {', '.join(names)}"


def _at(place: str, name: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in name[:60])
    return f"{place}{shown}" if place.endswith(": ") else f"{place}.{shown}"


def _check_field(found: Any, field: Field, kind: str, minor: int, at: str) -> None:
    shape = field.shape
    if isinstance(shape, ListOf):
        if not isinstance(found, list):
            raise InputError(f"{at}: expected a list, found {kind_text(found)}")
        for number, each in enumerate(found):
            if not isinstance(each, dict):
                raise InputError(f"{at}[{number}]: expected a mapping, found {kind_text(each)}")
            check(
                each,
                shape.form,
                f"{at.rpartition('.')[2].rpartition(' ')[2]}[] of {_top(kind)}",
                minor,
                f"{at}[{number}]",
            )
    elif isinstance(shape, dict):
        if not isinstance(found, dict):
            raise InputError(f"{at}: expected a mapping, found {kind_text(found)}")
        check(found, shape, f"{at.rpartition('.')[2].rpartition(' ')[2]} of {_top(kind)}", minor, at)
    else:
        _check_scalar(found, shape, at)


def _top(kind: str) -> str:
    return kind.rpartition(" of ")[2]


def _check_scalar(found: Any, shape: Scalar, at: str) -> None:
    expected = {
        "string": "a string",
        "flag": "true or false",
        "number": "a whole number",
        "number32": "a whole number of 32 bits",
        "decimal": "a number",
        "nanoseconds": "a whole number of nanoseconds, such as 5000000000",
        "duration": "a duration with its unit, such as 5s",
        "strings": "a list of strings",
        "anything": "a mapping",
    }[shape]
    if shape == "string":
        fits = isinstance(found, str)
    elif shape == "flag":
        fits = isinstance(found, bool)
    elif shape == "decimal":
        fits = isinstance(found, int | float) and not isinstance(found, bool)
    elif shape in ("number", "nanoseconds"):
        fits = _is_number(found, _LIMIT)
    elif shape == "number32":
        fits = _is_number(found, _LIMIT_32)
    elif shape == "duration":
        fits = isinstance(found, str) and parse_duration(found) is not None
    elif shape == "strings":
        fits = isinstance(found, list) and all(isinstance(each, str) for each in found)
    else:
        fits = isinstance(found, dict)
    if not fits:
        raise InputError(f"{at}: expected {expected}, found {value_text(found)}")


def _is_number(found: Any, limit: int) -> bool:
    # YAML and Go write 5.0 for 5, too.
    if isinstance(found, float):
        return found.is_integer() and abs(found) < limit
    return isinstance(found, int) and not isinstance(found, bool) and -limit <= found < limit
