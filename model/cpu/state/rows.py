"""Which release follows which rule of the CPU manager's state file."""

from model.cpu.go_files import STATE_GO
from model.cpu.state import checkpoint, format as checkpoint_format
from model.rules import Row

CHECKPOINT_ROWS: tuple[Row, ...] = (
    Row("store_checkpoint", "1.13.0", checkpoint.store_v1, "", f"{STATE_GO}/state_checkpoint.go storeState"),
    Row("store_checkpoint", "1.18.0-alpha.1", checkpoint.store_v2, "#84462"),
    Row("get_checkpoint", "1.13.0", checkpoint.read_v1, "", f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("get_checkpoint", "1.18.0-alpha.1", checkpoint.read_v1_then_v2, "#84462"),
    Row("get_checkpoint", "1.36.0", checkpoint.read_v2_then_v1, "#134768; not in 1.35.6",
        f"{STATE_GO}/state_checkpoint.go loadAndMigrateCheckpointV2"),
    Row("verify_checkpoint", "1.13.0", checkpoint_format.verify_checksum, "#86689 keeps it so for version 1",
        f"{STATE_GO}/checkpoint.go VerifyChecksum"),
    Row("verify_checkpoint", "1.36.0", checkpoint_format.verify_checksum_under_both_names, "#134768; not in 1.35.6"),
    Row("migrate_checkpoint", "1.13.0", checkpoint.keep_container_ids,
        "", f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("migrate_checkpoint", "1.18.0-alpha.1", checkpoint.migrate_v1_checkpoint_to_v2_checkpoint, "#84462",
        f"{STATE_GO}/state_checkpoint.go migrateV1CheckpointToV2Checkpoint"),
    Row("migrate_checkpoint", "1.36.0", checkpoint.migrate_v1_checkpoint_if_not_v2, "#134768; not in 1.35.6",
        f"{STATE_GO}/state_checkpoint.go loadAndMigrateCheckpointV2"),
    Row("container_in_text", "1.13.0", checkpoint.named_by_id, "", f"{STATE_GO}/state_checkpoint.go restoreState"),
    Row("container_in_text", "1.18.0-alpha.1", checkpoint.named_in_pod, "#84462"),
    Row("not_restored_text", "1.13.0", checkpoint.not_restored_two_lines, "",
        f"{STATE_GO}/state_checkpoint.go NewCheckpointState"),
    Row("not_restored_text", "1.18.0-alpha.1", checkpoint.not_restored_one_line, "not in 1.17.9"),
)  # fmt: skip
