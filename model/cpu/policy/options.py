"""The policy's options from the kubelet's configuration (Go: cpumanager/policy_options.go, from 1.22 on).

Pure functions. Go walks a map of options, so which of several errors comes out is open: `options` is the order of
that walk, and `model.cpu.policy.choices` tries every order.
"""

from model.cpu.policy.types import Options, StaticPolicyOptions
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.go.formats import quote

FULL_PCPUS_ONLY = "full-pcpus-only"
DISTRIBUTE_ACROSS_NUMA = "distribute-cpus-across-numa"
ALIGN_BY_SOCKET = "align-by-socket"
DISTRIBUTE_ACROSS_CORES = "distribute-cpus-across-cores"
ALPHA_GATE = "CPUManagerPolicyAlphaOptions"
BETA_GATE = "CPUManagerPolicyBetaOptions"

_FIELDS = {
    FULL_PCPUS_ONLY: "full_physical_cpus_only",
    DISTRIBUTE_ACROSS_NUMA: "distribute_cpus_across_numa",
    ALIGN_BY_SOCKET: "align_by_socket",
    DISTRIBUTE_ACROSS_CORES: "distribute_cpus_across_cores",
}
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")


def parse_bool(text: str) -> bool | GoError:
    """`strconv.ParseBool`."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return GoError(f"strconv.ParseBool: parsing {quote(text)}: invalid syntax")


def _with_option(opts: StaticPolicyOptions, name: str, value: str) -> StaticPolicyOptions | GoError:
    parsed = parse_bool(value)
    if isinstance(parsed, GoError):
        return GoError(f"bad value for option {quote(name)}: {parsed.text}")
    values = {field: getattr(opts, field) for field in _FIELDS.values()}
    return StaticPolicyOptions(**(values | {_FIELDS[name]: parsed}))


def _by_gates(options: Options, gates_off: frozenset[str], alpha: tuple[str, ...]) -> StaticPolicyOptions | GoError:
    """`NewStaticPolicyOptions` with `CheckPolicyOptionAvailable`, `alpha` being the alpha options of the release."""
    opts = StaticPolicyOptions()
    for name, value in options:
        if name not in alpha and name != FULL_PCPUS_ONLY:
            return GoError(f"unknown CPU Manager Policy option: {quote(name)}")
        if name in alpha and ALPHA_GATE in gates_off:
            return GoError(f"CPU Manager Policy Alpha-level Options not enabled, but option {quote(name)} provided")
        if name not in alpha and BETA_GATE in gates_off:
            return GoError(f"CPU Manager Policy Beta-level Options not enabled, but option {quote(name)} provided")
        changed = _with_option(opts, name, value)
        if isinstance(changed, GoError):
            return changed
        opts = changed
    return opts


def no_options(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.13 to 1.21: there are none, and nothing is looked at."""
    return StaticPolicyOptions()


def full_pcpus_option(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.22: full-pcpus-only is the one option, and no gate stands before it."""
    opts = StaticPolicyOptions()
    for name, value in options:
        if name != FULL_PCPUS_ONLY:
            return GoError(f"unsupported cpumanager option: {quote(name)} ({value})")
        changed = _with_option(opts, name, value)
        if isinstance(changed, GoError):
            return changed
        opts = changed
    return opts


def gated_options(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.23 and 1.24: distribute-cpus-across-numa comes, alpha; feature gates decide."""
    return _by_gates(options, gates_off, (DISTRIBUTE_ACROSS_NUMA,))


def gated_options_with_sockets(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.25 to 1.30: align-by-socket comes, alpha."""
    return _by_gates(options, gates_off, (DISTRIBUTE_ACROSS_NUMA, ALIGN_BY_SOCKET))


def gated_options_with_cores(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.31: distribute-cpus-across-cores comes, alpha, and goes together with neither of two others."""
    opts = _by_gates(options, gates_off, (DISTRIBUTE_ACROSS_NUMA, ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES))
    if isinstance(opts, GoError) or not opts.distribute_cpus_across_cores:
        return opts
    for other, given in (
        (FULL_PCPUS_ONLY, opts.full_physical_cpus_only),
        (DISTRIBUTE_ACROSS_NUMA, opts.distribute_cpus_across_numa),
    ):
        if given:
            both = f"{other} and {DISTRIBUTE_ACROSS_CORES}"
            return GoError(f"static policy options {both} can not be used at the same time")
    return opts


def accept_options(opts: StaticPolicyOptions, topology: CPUTopology, topology_manager_policy: str) -> GoError | None:
    """1.13 to 1.24: options are not held against the machine."""
    return None


def validate_static_policy_options(
    opts: StaticPolicyOptions, topology: CPUTopology, topology_manager_policy: str
) -> GoError | None:
    """Why the options do not suit the machine, or None (`ValidateStaticPolicyOptions`, 1.25 to 1.31)."""
    if not opts.align_by_socket:
        return None
    if topology_manager_policy == "single-numa-node":
        return GoError(
            f"Topolgy manager single-numa-node policy is incompatible with CPUManager {ALIGN_BY_SOCKET} policy option"
        )
    if topology.num_sockets > topology.num_numa_nodes:
        return GoError(
            "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
        )
    return None
