"""What was looked at of the Go files of the CPU manager and of what it asks in the kubelet.

From 1.32 on openshift/kubernetes-autoscaler was recorded, which vendors Kubernetes as it is. openshift/microshift has
patches in cpu_manager.go, policy_static.go and policy_options.go; its trees were held against those. In its trees of
one minor each file of the CPU manager, of the QoS class and of the container's hooks is the same, byte for byte, except
cpu_assignment.go, which changes in 1.33.6.
"""

from model.cpu.go_files import ASSIGNMENT_GO, CPUSET_GO, OPTIONS_GO, PODS_GO, STATE_GO, STATIC_GO
from model.rules import Moved, Seen, read
from model.trees import BOTH, KUBELET_ONLY, read_below

CPUSET = "pkg/kubelet/cm/cpuset/"
UTILS_CPUSET = "vendor/k8s.io/utils/cpuset/"
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

# --- From 1.32 on

_VENDORED = "openshift/kubernetes-autoscaler"
_FIRST = "1.32.0=33b149850474 1.33.1=6b1d2ef88e19 1.34.1=838a5957d0be 1.35.0=521e545fb92e 1.36.2=70920d3c6f5f"
_PATCHES = (
    "1.32.4=004d9bd35815 1.32.5=3d2e0dec7153 1.32.6=fd504539508b 1.32.7=d61c18b2af9e 1.32.8=4cacebacdae3 "
    "1.32.9=d6427bb79325 1.32.10=2e5200044d57 1.32.12=3eb3c5996a90 1.32.13=d4b43f374a5b 1.33.2=7531746be2b6 "
    "1.33.3=05547be75b17 1.33.4=33511744e57e 1.33.5=5178c620e542 1.33.6=3bc1248aa5b9 1.33.8=10fe50b11fbd "
    "1.33.9=15a502085ec3 1.33.10=47f3632d8544 1.33.11=99bb3de6ab6d 1.33.12=e53859aca076 1.33.13=78a395343031 "
    "1.34.2=df47b5b06dac 1.34.4=0766f64ac514 1.34.5=238410b75e9c 1.34.6=2074990a16dc 1.34.7=e318e213ecd4 "
    "1.34.8=fb3c7e773f7d 1.34.9=473c3de15d9a 1.35.1=c91759f1bfdf 1.35.2=a69e717a78e6 1.35.3=cebc51a9b9c7 "
    "1.35.4=160d34fefe78 1.35.5=4f61957a9c78 1.35.6=5019821e0eb2 1.36.3=ab25d11482f8"
)
# Of the state file only 1.36.2 was recorded. Its files have no checksum that this release alone accepts, so that
# checkpoint.go is not told.
_RECORDED_FROM_1_32 = (
    ("1.32.0", "1.32.13", "33b149850474"),
    ("1.33.1", "1.33.13", "6b1d2ef88e19"),
    ("1.34.1", "1.34.9", "838a5957d0be"),
    ("1.35.0", "1.35.6", "521e545fb92e"),
    ("1.36.2", "1.36.3", "70920d3c6f5f"),
)

_FROM_1_32_ON: tuple[Seen, ...] = (
    *(
        Seen(path, first, last, "recorded", f"{_VENDORED} {ref}")
        for path in (STATIC_GO, OPTIONS_GO, "pkg/apis/core/v1/helper/qos/qos.go")
        for first, last, ref in _RECORDED_FROM_1_32
    ),
    # In 1.33.6 the file is that of 1.34.1.
    *(
        Seen(ASSIGNMENT_GO, first, last, "recorded", f"{_VENDORED} {ref}")
        for first, last, ref in (
            ("1.32.0", "1.32.13", "33b149850474"),
            ("1.33.1", "1.33.5", "6b1d2ef88e19"),
            ("1.33.6", "1.34.9", "838a5957d0be"),
            ("1.35.0", "1.35.6", "521e545fb92e"),
            ("1.36.2", "1.36.3", "70920d3c6f5f"),
        )
    ),
    *(
        Seen(path, "1.36.2", "1.36.3", "recorded", f"{_VENDORED} 70920d3c6f5f")
        for path in (f"{STATE_GO}/state_checkpoint.go", UTILS_CPUSET)
    ),
    *(
        seen
        for path in ("pkg/kubelet/", "pkg/apis/core/", "pkg/features/", UTILS_CPUSET)
        for seen in (*read(path, _VENDORED, _FIRST), *read(path, "openshift/microshift", _PATCHES))
    ),
)

# --- What the kubelet's command does before it makes the container manager

_COMMAND: tuple[Seen, ...] = (
    *read("cmd/kubelet/", "rancher/k3s", (
        "1.15.3=b1cd19d42dd3 1.16.7=16c99b871b7a 1.16.15=31fddb21b508 1.17.0=0f644650f5d8 1.17.17=e8c9484078bc "
        "1.18.0=53ed13bf29c4 1.18.20=57b73dc9ffb0 1.19.0=c5dc09159f7f 1.19.12=559d0c472949 1.20.0=8936cf577f24 "
        "1.20.9=12be663c5319 1.21.0=2705431d9645 1.21.3=9c981b018415 1.22.0-beta.1=bcde52a494f0"
    )),
    *read("cmd/kubelet/", AUTOSCALER, (
        "1.14.0-beta.1=530016e629e6 1.22.0=0fbfe18e5d50 1.23.0=dd94dd7b834d 1.24.0=6328195795d1 1.24.16=ba33f962be9c "
        "1.25.12=b0e8e960c4a4 1.26.1=5e378d744763 1.26.15=166d00af579f 1.27.1=abc16667772c 1.31.13=6ea9989e35cd"
    )),
    *read("cmd/kubelet/", "kubeedge/kubeedge", (
        "1.22.17=1c9e489ef8c2 1.23.17=885616374695 1.24.17=e3ddd256628a 1.27.15=84067f4dc030 1.28.11=9efaf21bbef0 "
        "1.29.6=9ec9137b2634 1.30.7=34d653628ffb 1.31.12=6e5afec56717 1.32.10=1a7ee88d3c61"
    )),
    *read("cmd/kubelet/", _VENDORED, "1.25.0=d16352d90b61 1.36.2=70920d3c6f5f"),
    *read("cmd/kubelet/", "openshift/microshift", (
        "1.32.4=004d9bd35815 1.32.13=d4b43f374a5b 1.33.2=7531746be2b6 1.33.13=78a395343031 1.34.1=553d373856fa "
        "1.34.9=473c3de15d9a 1.35.1=c91759f1bfdf 1.35.6=5019821e0eb2 1.36.3=ab25d11482f8"
    )),
)  # fmt: skip

# --- All

SEEN: tuple[Seen, ...] = (
    *RECORDED,
    *_FROM_1_32_ON,
    *_COMMAND,
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
