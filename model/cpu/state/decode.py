"""Reads the bytes of a checkpoint file into one of its two formats (Go: state/checkpoint.go UnmarshalCheckpoint).

Pure functions. As with json.Unmarshal a syntax error anywhere comes first, then the first value of a wrong type in the
order of the text. Go goes on decoding after that one, but no kubelet looks at what came out.
"""

from collections.abc import Callable
from typing import Any

from model.cpu.state.format import CheckpointV1, CheckpointV2, PodMap, StringMap
from model.go.errors import GoError
from model.go.json import Number, Object, Value, fold_name, kind, parse_json

_STRUCT = "CPUManagerCheckpoint"
_MAX_UINT64 = (1 << 64) - 1
_FIELDS = {fold_name(name): name for name in ("policyName", "defaultCpuSet", "entries", "checksum")}


def unmarshal_v1(raw: bytes, struct: str = _STRUCT) -> CheckpointV1 | GoError:
    """`raw` as version 1, or the error of json.Unmarshal.

    `struct`: the Go type, which the error names: from 1.18 on CPUManagerCheckpointV1, which is told from 1.36 on.
    """
    fields = _unmarshal(raw, _string_map, struct)
    if isinstance(fields, GoError):
        return fields
    return CheckpointV1(**fields)


def unmarshal_v2(raw: bytes) -> CheckpointV2 | GoError:
    """`raw` as version 2, or the error of json.Unmarshal."""
    fields = _unmarshal(raw, _pod_map, _STRUCT)
    if isinstance(fields, GoError):
        return fields
    return CheckpointV2(**fields)


def known_fields(raw: bytes) -> frozenset[str]:
    """Which of the checkpoint's fields `raw` names at its top, whatever their values; none if it is no JSON object."""
    value = parse_json(raw)
    members = value.members if isinstance(value, Object) else []
    return frozenset(_FIELDS[fold_name(name)] for name, _ in members if fold_name(name) in _FIELDS)


def has_pod_entries(raw: bytes) -> bool:
    """Whether `raw` names podEntries at its top: version 3, which 1.36 writes with PodLevelResourceManagers on.

    Go: CPUManagerCheckpointV3 in state/checkpoint.go.
    """
    value = parse_json(raw)
    members = value.members if isinstance(value, Object) else []
    return any(fold_name(name) == fold_name("podEntries") for name, _ in members)


class _TypeMismatch(Exception):
    """Ends the decoding: what was found, and the Go type that it cannot become."""


# From a value and what the field holds already (a name may be repeated) to what it holds then.
_Decode = Callable[[Value, Any], Any]


def _unmarshal(raw: bytes, entries: _Decode, struct: str) -> dict[str, Any] | GoError:
    value = parse_json(raw)
    if isinstance(value, GoError):
        return value
    if value is None:
        return {}
    if not isinstance(value, Object):
        return GoError(f"json: cannot unmarshal {kind(value)} into Go value of type state.{struct}")
    decoders: dict[str, tuple[str, _Decode]] = {
        "policyName": ("policy_name", _string),
        "defaultCpuSet": ("default_cpu_set", _string),
        "entries": ("entries", entries),
        "checksum": ("checksum", _checksum),
    }
    fields: dict[str, Any] = {"policy_name": "", "default_cpu_set": "", "entries": (), "checksum": 0}
    for name, member in value.members:
        known = _FIELDS.get(fold_name(name))
        if known is None:
            continue
        attribute, decode = decoders[known]
        try:
            fields[attribute] = decode(member, fields[attribute])
        except _TypeMismatch as mismatch:
            found, wanted = mismatch.args
            return GoError(f"json: cannot unmarshal {found} into Go struct field {struct}.{known} of type {wanted}")
    return fields


def _string(value: Value, before: str) -> str:
    if value is None:
        return before
    if not isinstance(value, str):
        raise _TypeMismatch(kind(value), "string")
    return value


def _checksum(value: Value, before: int) -> int:
    if value is None:
        return before
    if not isinstance(value, Number):
        raise _TypeMismatch(kind(value), "checksum.Checksum")
    # strconv.ParseUint: no sign, no point, no exponent. Longer than 20 digits is too big (JSON has no leading zeros).
    literal = value.literal
    if not literal.isdecimal() or len(literal) > 20 or int(literal) > _MAX_UINT64:
        raise _TypeMismatch(f"number {literal}", "checksum.Checksum")
    return int(literal)


def _string_map(value: Value, before: StringMap) -> StringMap:
    if value is None:
        return None
    if not isinstance(value, Object):
        raise _TypeMismatch(kind(value), "map[string]string")
    # A repeated field adds to the map that is there; a repeated key replaces the element.
    return _sorted(dict(before or ()) | {name: _string(member, "") for name, member in value.members})


def _pod_map(value: Value, before: PodMap) -> PodMap:
    if value is None:
        return None
    if not isinstance(value, Object):
        raise _TypeMismatch(kind(value), "map[string]map[string]string")
    return _sorted(dict(before or ()) | {name: _string_map(member, ()) for name, member in value.members})


def _sorted(entries: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(entries.items(), key=lambda item: item[0]))
