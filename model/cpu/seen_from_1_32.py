"""What was looked at of the kubelet's Go files from 1.32 on.

openshift/kubernetes-autoscaler vendors Kubernetes as it is, and its code was recorded. openshift/microshift has patches
in cpu_manager.go, policy_static.go and policy_options.go of the CPU manager; its trees were held against those.
In its trees of one minor each file of the CPU manager, of the QoS class and of the container's hooks is the same, byte
for byte, except cpu_assignment.go, which changes in 1.33.6.
"""

from model.cpu.go_files import ASSIGNMENT_GO, OPTIONS_GO, STATE_GO, STATIC_GO
from model.rules import Seen, read

UTILS_CPUSET = "vendor/k8s.io/utils/cpuset/"
_AUTOSCALER = "openshift/kubernetes-autoscaler"
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
_RECORDED = (
    ("1.32.0", "1.32.13", "33b149850474"),
    ("1.33.1", "1.33.13", "6b1d2ef88e19"),
    ("1.34.1", "1.34.9", "838a5957d0be"),
    ("1.35.0", "1.35.6", "521e545fb92e"),
    ("1.36.2", "1.36.3", "70920d3c6f5f"),
)

SEEN_FROM_1_32: tuple[Seen, ...] = (
    *(
        Seen(path, first, last, "recorded", f"{_AUTOSCALER} {ref}")
        for path in (STATIC_GO, OPTIONS_GO, "pkg/apis/core/v1/helper/qos/qos.go")
        for first, last, ref in _RECORDED
    ),
    # In 1.33.6 the file is that of 1.34.1.
    *(
        Seen(ASSIGNMENT_GO, first, last, "recorded", f"{_AUTOSCALER} {ref}")
        for first, last, ref in (
            ("1.32.0", "1.32.13", "33b149850474"),
            ("1.33.1", "1.33.5", "6b1d2ef88e19"),
            ("1.33.6", "1.34.9", "838a5957d0be"),
            ("1.35.0", "1.35.6", "521e545fb92e"),
            ("1.36.2", "1.36.3", "70920d3c6f5f"),
        )
    ),
    *(
        Seen(path, "1.36.2", "1.36.3", "recorded", f"{_AUTOSCALER} 70920d3c6f5f")
        for path in (f"{STATE_GO}/state_checkpoint.go", UTILS_CPUSET)
    ),
    *(
        seen
        for path in ("pkg/kubelet/", "pkg/apis/core/", "pkg/features/", UTILS_CPUSET)
        for seen in (*read(path, _AUTOSCALER, _FIRST), *read(path, "openshift/microshift", _PATCHES))
    ),
)
