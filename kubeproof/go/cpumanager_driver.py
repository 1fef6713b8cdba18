"""The driver of the CPU manager, from 1.18 on."""

from kubeproof.go.driver import Driver, Half, Part
from model.systems.cpu_manager.kubelet import CPUManagerRules

_NEW_MANAGER = r"^func NewManager\(cpuPolicyName string, "
_ADD_CONTAINER = r"^func \(m \*manager\) AddContainer\("
# Up to 1.17 containers get their CPUs when they start: a half for those would be another driver.
_ALLOCATES = r"^func \(m \*manager\) Allocate\("
_UPDATE = r"UpdateContainerResources\("
_KUBELETS_CPUSET = r'"k8s\.io/kubernetes/pkg/kubelet/cm/cpuset"'

CPUMANAGER = Driver(
    "cpumanager",
    ("pkg/kubelet/cm/cpumanager",),
    "cpumanager",
    (
        Part(
            "manager",
            (
                Half("new_logger.go", (r"^func NewManager\(logger logr\.Logger, cpuPolicyName",)),
                Half("new_options.go", (_NEW_MANAGER + r"cpuPolicyOptions map",), ("new_void.go", "calls_plain.go")),
                Half(
                    "new_numa.go",
                    (_NEW_MANAGER + r".*numaNodeInfo topology\.NUMANodeInfo", _ALLOCATES),
                    ("new_error.go", "calls_plain.go"),
                ),
                Half(
                    "new_error.go",
                    (_NEW_MANAGER, _ADD_CONTAINER + r".*\) error", _ALLOCATES),
                    ("new_plain.go", "calls_plain.go"),
                ),
                Half("new_void.go", (_NEW_MANAGER, _ADD_CONTAINER, _ALLOCATES), ("new_plain.go", "calls_plain.go")),
            ),
        ),
        Part(
            "runtime",
            (
                Half("runtime_v1alpha2.go", (r'"k8s\.io/cri-api/pkg/apis/runtime/v1alpha2"',)),
                Half("runtime_linux.go", (_UPDATE + r"id string, resources \*runtimeapi\.Linux",)),
                Half("runtime_resources.go", (_UPDATE + r"id string, resources \*runtimeapi\.Container",)),
                Half("runtime_utils_cpuset.go", (_UPDATE + "ctx", r'"k8s\.io/utils/cpuset"')),
                Half("runtime_context.go", (_UPDATE + "ctx", _KUBELETS_CPUSET)),
            ),
        ),
    ),
    beside=("observed.go", "recorded.go"),
    frame=("frame.go", "played.go"),
    rules=(CPUManagerRules,),
    # First those in which sidecars and the option full-pcpus-only show most.
    releases=(
        *("1.28.0", "1.22.0", "1.18.2", "1.18.4", "1.21.0", "1.22.1", "1.24.2", "1.26.0", "1.27.0", "1.29.0"),
        *("1.31.0", "1.32.0", "1.33.0", "1.34.1", "1.36.2"),
    ),
)
