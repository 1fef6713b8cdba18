"""The checkpoint file's two formats: fields, checksum, writing (Go: state/checkpoint.go). Pure functions.

Version 1 (up to 1.17) maps container ids to CPU lists; version 2 (from 1.18 on, #84462) pods to containers to lists.
"""

from typing import Literal

from attrs import field, frozen

from model.go import json as go_json
from model.go.errors import GoError

# What Go's map[string]string holds, ascending by key; None is the nil map.
StringMap = tuple[tuple[str, str], ...] | None
PodMap = tuple[tuple[str, StringMap], ...] | None

CORRUPT = GoError("checkpoint is corrupted")


@frozen
class CheckpointV1:
    """Version 1. Go: CPUManagerCheckpoint up to 1.17, then CPUManagerCheckpointV1."""

    policy_name: str = ""
    default_cpu_set: str = ""
    entries: StringMap = ()
    checksum: int = 0
    version: Literal[1] = field(default=1, init=False)


@frozen
class CheckpointV2:
    """Version 2. Go: CPUManagerCheckpoint from 1.18 on."""

    policy_name: str = ""
    default_cpu_set: str = ""
    entries: PodMap = ()
    checksum: int = 0
    version: Literal[2] = field(default=2, init=False)


Checkpoint = CheckpointV1 | CheckpointV2

_GO_TYPES = {1: "map[string]string", 2: "map[string]map[string]string"}


def hashed_text(checkpoint: Checkpoint, type_name: str = "CPUManagerCheckpoint") -> str:
    """What the checksum is computed of: the object as go-spew prints it with `%#v`, the checksum itself as 0.

    `type_name` is the Go type's name: it is part of the text, so renaming the type changes every checksum (#86676).
    """
    return (
        f"(*state.{type_name}){{PolicyName:(string){checkpoint.policy_name}"
        f" DefaultCPUSet:(string){checkpoint.default_cpu_set}"
        f" Entries:({_GO_TYPES[checkpoint.version]}){_spew(checkpoint.entries)} Checksum:(checksum.Checksum)0}}"
    )


def _spew(value: str | StringMap | PodMap) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, str):
        return value
    return "map[" + " ".join(f"{key}:{_spew(each)}" for key, each in value) + "]"


def fnv32a(data: bytes) -> int:
    """FNV-1a with 32 bits. Go: hash/fnv New32a."""
    total = 0x811C9DC5
    for byte in data:
        total = (total ^ byte) * 0x01000193 & 0xFFFFFFFF
    return total


def checksum_of(checkpoint: Checkpoint, type_name: str = "CPUManagerCheckpoint") -> int:
    """The checksum that a kubelet accepts for this content. Go: checkpointmanager/checksum New."""
    return fnv32a(hashed_text(checkpoint, type_name).encode())


def verify_checksum(checkpoint: Checkpoint) -> GoError | None:
    """None when the checksum is right, or 0: then nothing is checked. Go: VerifyChecksum, for version 1 with #86689."""
    if checkpoint.checksum in (0, checksum_of(checkpoint)):
        return None
    return CORRUPT


def verify_checksum_of_renamed_type(checkpoint: Checkpoint) -> GoError | None:
    """As `verify_checksum`, but version 1 is hashed under its new type name: 1.18's development before #86689.

    A file that 1.17 wrote is corrupted then (#86676).
    """
    name = "CPUManagerCheckpointV1" if checkpoint.version == 1 else "CPUManagerCheckpoint"
    if checkpoint.checksum in (0, checksum_of(checkpoint, name)):
        return None
    return CORRUPT


def verify_checksum_under_both_names(checkpoint: Checkpoint) -> GoError | None:
    """As `verify_checksum`; the checksum of version 2 may also be that under its new type name (#134768, 1.36).

    With the gate PodLevelResourceManagers off, as by default. No kubelet writes the second one.
    """
    if checkpoint.version == 2 and checkpoint.checksum == checksum_of(checkpoint, "CPUManagerCheckpointV2"):
        return None
    return verify_checksum(checkpoint)


def marshal_checkpoint(checkpoint: Checkpoint, type_name: str = "CPUManagerCheckpoint") -> str:
    """The file's content, with the checksum that belongs to it. Go: MarshalCheckpoint."""
    checksum = checksum_of(checkpoint, type_name)
    entries = f',"entries":{_encode(checkpoint.entries)}' if checkpoint.entries else ""
    return (
        f'{{"policyName":{_encode(checkpoint.policy_name)},"defaultCpuSet":{_encode(checkpoint.default_cpu_set)}'
        f'{entries},"checksum":{checksum}}}'
    )


def _encode(value: str | StringMap | PodMap) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return go_json.encode_string(value)
    return "{" + ",".join(f"{go_json.encode_string(key)}:{_encode(each)}" for key, each in value) + "}"
