"""What becomes of the flags of kube-scheduler: which the release refuses, which it ignores, which are not read here.

Go: cmd/kube-scheduler/app/options (options.go, deprecated.go, insecure_serving.go), read of every patch release at hand
of 1.15 to 1.36; `AddFlags` in staging/src/k8s.io/component-base/logs/logs.go, where 1.26 leaves out most flags of klog.
"""

from collections.abc import Iterator, Mapping

from kubeproof.advise.scheduler_config.refusal import Refusal
from kubeproof.advise.scheduler_config.static_pod import SchedulerFlags
from kubeproof.systems.gates import OPTION, gate_refused
from model.releases import Release

_CONFIG = "write a configuration, and name it with --config"
_OUT = "take the flag out"
# Of klog, refused from 1.26 on.
_KLOG = (
    "add-dir-header", "alsologtostderr", "log-backtrace-at", "log-dir", "log-file", "log-file-max-size", "logtostderr",
    "one-output", "skip-headers", "skip-log-headers", "stderrthreshold",
)  # fmt: skip
# Flag -> the last minor that takes it, and what to do.
_UNTIL: dict[str, tuple[int, str]] = {
    "algorithm-provider": (21, _CONFIG), "scheduler-name": (21, _CONFIG),
    "hard-pod-affinity-symmetric-weight": (21, _CONFIG),
    "policy-config-file": (22, _CONFIG), "policy-configmap": (22, _CONFIG), "policy-configmap-namespace": (22, _CONFIG),
    "use-legacy-policy-config": (22, _CONFIG),
    "port": (23, f"{_OUT}: --secure-port serves"), "address": (23, f"{_OUT}: --bind-address serves"),
    **dict.fromkeys(_KLOG, (25, _OUT)),
    "lock-object-name": (27, "use --leader-elect-resource-name"),
    "lock-object-namespace": (27, "use --leader-elect-resource-namespace"),
}  # fmt: skip
# Flag -> the first minor that takes it.
_SINCE = {"pod-max-in-unschedulable-pods-duration": 24}
_POLICY = ("policy-config-file", "policy-configmap", "policy-configmap-namespace", "use-legacy-policy-config")
_READ = ("config", "feature-gates", "algorithm-provider", *_POLICY)
# With --config kube-scheduler itself reads none of these.
_IGNORED = (
    "algorithm-provider", "scheduler-name", "hard-pod-affinity-symmetric-weight", "kubeconfig", "kube-api-burst",
    "kube-api-content-type", "kube-api-qps", "profiling", "contention-profiling", "lock-object-name",
    "lock-object-namespace",
)  # fmt: skip


def flag_refused(flags: SchedulerFlags, gates: Mapping[str, bool], release: Release) -> Refusal | None:
    """The first flag that ends the process. `gates`: those that a flag sets."""
    minor = release.minor
    for name in flags.flags:
        until, mend = _UNTIL.get(name, (minor, ""))
        if minor > until:
            return Refusal(f"unknown flag: --{name}", f"1.{until} is the last that takes it: {mend}")
        since = _SINCE.get(name, minor)
        if minor < since:
            return Refusal(f"unknown flag: --{name}", f"1.{since} is the first that takes it: {_OUT}")
    gate = None if flags.get("emulated-version") else gate_refused(gates, release)
    if gate is not None:
        return Refusal(gate, f"take the gate out of {OPTION}")
    if flags.get("use-legacy-policy-config") == "true" and not flags.get("policy-config-file"):
        text = "required when --use-legacy-policy-config is true"
        return Refusal(f"policyConfigFile: Required value: {text}", "name the file with --policy-config-file")
    return None


def policy_of_flags(flags: SchedulerFlags, minor: int) -> str:
    """Where the flags say that a Policy is, which takes the place of the profiles; "" for nowhere."""
    names = [name for name in ("policy-config-file", "policy-configmap") if flags.get(name)] if minor <= 22 else []
    return f"--{names[0]}={flags.get(names[0])}" if names else ""


def flag_notes(flags: SchedulerFlags, minor: int) -> Iterator[str]:
    """The flags that are given and decide nothing here, and why."""
    ignored = [name for name in flags.flags if flags.get("config") and name in _IGNORED and minor >= 15]
    if ignored:
        yield f"with --config kube-scheduler itself ignores {_listed(ignored)} of {flags.file}"
    if flags.get("write-config-to"):
        yield f"with --write-config-to kube-scheduler writes a file and ends ({flags.file})"
    if flags.get("emulated-version"):
        yield f"not read: --emulated-version={flags.get('emulated-version')}: the image's release is judged"
    rest = [name for name in flags.flags if name not in (*_READ, *ignored, "write-config-to", "emulated-version")]
    if rest:
        yield f"not read of {flags.file}: {_listed(rest)}"


def _listed(names: list[str]) -> str:
    return ", ".join(f"--{name}" for name in names)
