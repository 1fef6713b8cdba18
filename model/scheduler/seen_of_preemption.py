"""What was looked at of the Go files of the cycle, of preemption and of zones from 1.32 on.

The trees of a minor were compared, all that there are. The files below are the same in all of them, byte for byte,
except preemption.go, which changes in 1.34.2.
"""

from model.rules import Moved, Seen, read
from model.scheduler.go_files import EVALUATOR_GO, EXECUTOR_GO, PREEMPTION_GO, RUNTIME_GO, ZONE_KEY_GO

_PATHS = (
    EVALUATOR_GO,
    EXECUTOR_GO,
    PREEMPTION_GO,
    RUNTIME_GO,
    "pkg/scheduler/extender.go",
    "pkg/scheduler/framework/runtime/waiting_pods_map.go",
)
_CLEAN = "1.32.0=33b149850474 1.33.1=6b1d2ef88e19 1.34.1=838a5957d0be 1.35.0=521e545fb92e 1.36.2=70920d3c6f5f"
_OTHERS = (
    "1.32.13=d4b43f374a5b 1.33.13=78a395343031 1.34.2=df47b5b06dac 1.34.9=473c3de15d9a 1.35.6=5019821e0eb2 "
    "1.36.3=ab25d11482f8"
)

SEEN_OF_PREEMPTION: tuple[Seen, ...] = (
    *(
        seen
        for path in (*_PATHS, ZONE_KEY_GO)
        for seen in (
            *read(path, "openshift/kubernetes-autoscaler", _CLEAN),
            *read(path, "openshift/microshift", _OTHERS),
        )
    ),
    *(
        seen
        for path in _PATHS
        for seen in (
            *read(path, "kubernetes-sigs/cluster-capacity", "1.33.0=57922fe894c6"),
            *read(path, "openshift-kni/scheduler-plugins", "1.35.7=2117d3e301"),
        )
    ),
)

MOVED_OF_PREEMPTION: tuple[Moved, ...] = (
    Moved("1.36.0-alpha.0", f"{EVALUATOR_GO} NewEvaluator", f"{EXECUTOR_GO} NewExecutor"),
    *(Moved("1.36.0-alpha.0", f"{EVALUATOR_GO} {name}", f"{EXECUTOR_GO} {name}") for name in (
        "prepareCandidate", "prepareCandidateAsync", "IsPodRunningPreemption")),
)  # fmt: skip
