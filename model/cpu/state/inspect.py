"""What a file found on some machine holds, whoever wrote it.

Pure functions on bytes, beside the kubelet's own reading in checkpoint.py: nothing like them is in Go.
"""

from attrs import frozen

from model.cpu.state.decode import has_pod_entries, known_fields, unmarshal_v1, unmarshal_v2
from model.cpu.state.format import Checkpoint, CheckpointV1, CheckpointV2, checksum_of
from model.go.errors import GoError


@frozen
class Inspection:
    """What is in a state file."""

    # The file, read in each of the two formats. The checksum is not checked.
    v1: CheckpointV1 | GoError
    v2: CheckpointV2 | GoError
    # Which of its keys are keys of a state file.
    known_fields: frozenset[str]
    # Whether it has sets of whole pods besides, as version 3 has. Neither format above has a field for them.
    pod_entries: bool = False

    @property
    def checkpoint(self) -> Checkpoint | GoError:
        """The file in its format: version 1 if only that fits, or if the checksum is that of version 1, else 2.

        A file without entries fits both, and its checksum tells. An error if neither fits: that of version 2.
        """
        if isinstance(self.v1, GoError):
            return self.v2
        if isinstance(self.v2, GoError) or self.v1.checksum == checksum_of(self.v1):
            return self.v1
        return self.v2

    @property
    def container_ids(self) -> tuple[str, ...]:
        """The container ids of a file of version 1; () for any other."""
        checkpoint = self.checkpoint
        if isinstance(checkpoint, GoError) or checkpoint.version == 2:
            return ()
        return tuple(container_id for container_id, _ in checkpoint.entries or ())


def inspect(raw: bytes) -> Inspection:
    """What `raw` holds. Never raises, in time and memory in proportion to the length."""
    return Inspection(unmarshal_v1(raw), unmarshal_v2(raw), known_fields(raw), has_pod_entries(raw))
