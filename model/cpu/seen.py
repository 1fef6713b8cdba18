"""What was looked at of the Go files of the CPU manager and of what it asks in the kubelet."""

from model.cpu.go_files import ASSIGNMENT_GO, CPUSET_GO, OPTIONS_GO, PODS_GO, STATIC_GO
from model.cpu.seen_from_1_32 import SEEN_FROM_1_32, UTILS_CPUSET
from model.rules import Moved, Seen
from model.trees import BOTH, KUBELET_ONLY, read_below

CPUSET = "pkg/kubelet/cm/cpuset/"
STATE = "pkg/kubelet/cm/cpumanager/state/"
AUTOSCALER = "kubernetes/autoscaler"
POLICY = (STATIC_GO, OPTIONS_GO, "pkg/apis/core/v1/helper/qos/qos.go")


def _recorded(paths: tuple[str, ...], first: str, last: str, where: str) -> tuple[Seen, ...]:
    return tuple(Seen(path, first, last, "recorded", f"{AUTOSCALER} {where}") for path in paths)


_OLD, _RC = "branch cluster-autoscaler-release-1.14", "671a2fdfe6"
_22, _23, _26, _28, _31 = (f"branch cluster-autoscaler-release-1.{minor}" for minor in (22, 23, 26, 28, 31))

RECORDED: tuple[Seen, ...] = (
    *_recorded((STATE, CPUSET, ASSIGNMENT_GO, *POLICY), "1.14.0-beta.1", "1.14.10", _OLD),
    *_recorded((STATE, CPUSET, ASSIGNMENT_GO), "1.19.0-rc.1", "1.20.10", _RC),
    *_recorded(POLICY, "1.19.0-rc.1", "1.19.0-rc.1", _RC),
    *_recorded((STATE, CPUSET, ASSIGNMENT_GO, *POLICY), "1.22.0", "1.22.17", _22),
    *_recorded((STATE,), "1.23.0", "1.25.16", _23),
    *_recorded((CPUSET, *POLICY), "1.23.0", "1.23.13", _23),
    *_recorded((ASSIGNMENT_GO,), "1.23.0", "1.23.0", _23),
    *_recorded((STATE, CPUSET, ASSIGNMENT_GO, *POLICY), "1.26.0", "1.26.15", _26),
    *_recorded((STATE, UTILS_CPUSET, ASSIGNMENT_GO, *POLICY), "1.28.0", "1.28.14", _28),
    *_recorded((STATE, UTILS_CPUSET, ASSIGNMENT_GO, *POLICY), "1.31.0", "1.31.13", _31),
)

# Rules of recorded files that the recordings do not touch: no recorded pod has resources of its own.
NOT_TOLD: frozenset[str] = frozenset({"pod_level_cpus"})

SEEN: tuple[Seen, ...] = (
    *RECORDED,
    *SEEN_FROM_1_32,
    *read_below("pkg/kubelet/", BOTH, KUBELET_ONLY),
    *read_below("pkg/apis/core/", BOTH, KUBELET_ONLY),
    *read_below("pkg/features/", BOTH, KUBELET_ONLY),
    *read_below(UTILS_CPUSET, BOTH),
    *(Seen(path, "1.31.14", "1.31.14", "read",
           "openshift/microshift 8eb6c2962b3a, whose cpumanager has patches, but is that of its 1.31.10 to 1.31.13")
      for path in ("pkg/kubelet/", "pkg/apis/core/", "pkg/features/", UTILS_CPUSET)),
)  # fmt: skip

MOVED: tuple[Moved, ...] = (
    Moved("1.28.0-alpha.1", CPUSET_GO, "vendor/k8s.io/utils/cpuset/cpuset.go"),
    Moved("1.20.0", f"{STATIC_GO} guaranteedCPUs", f"{STATIC_GO} podGuaranteedCPUs"),
    Moved("1.18.0-beta.2", f"{STATIC_GO} AddContainer", f"{STATIC_GO} Allocate"),
    Moved("1.17.0-alpha.1", "pkg/kubelet/cm/cpumanager/topology_hints.go", STATIC_GO),
    Moved("1.22.5", f"{PODS_GO} filterOutTerminatedPods", f"{PODS_GO} filterOutInactivePods"),
)
