"""Which release follows which rule of the CPU manager's components, each row with its source."""

from model.cpu import cpuset
from model.release_row import Row

CPUSET_GO = "pkg/kubelet/cm/cpuset/cpuset.go"

CPUSET_ROWS: tuple[Row, ...] = (
    Row("parse_cpuset", "1.13.0", cpuset.parse_skipping_odd_parts, "", f"{CPUSET_GO} Parse", "recorded"),
    Row("parse_cpuset", "1.22.0-alpha.1", cpuset.parse_refusing_ge_ranges,
        "a part with two dashes or an empty range is an error; not in 1.21.0", f"{CPUSET_GO} Parse", "recorded"),
    Row("parse_cpuset", "1.27.0-alpha.1", cpuset.parse_refusing_empty_ranges,
        "the error says >; not in 1.26.15, in 1.27.14", f"{CPUSET_GO} Parse; from 1.28 k8s.io/utils/cpuset", "recorded"),
)  # fmt: skip

CPU_ROWS: tuple[Row, ...] = CPUSET_ROWS
