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
STRICT_RESERVATION = "strict-cpu-reservation"
ALIGN_BY_UNCORE_CACHE = "prefer-align-cpus-by-uncorecache"
ALPHA_GATE = "CPUManagerPolicyAlphaOptions"
BETA_GATE = "CPUManagerPolicyBetaOptions"

_FIELDS = {
    FULL_PCPUS_ONLY: "full_physical_cpus_only",
    DISTRIBUTE_ACROSS_NUMA: "distribute_cpus_across_numa",
    ALIGN_BY_SOCKET: "align_by_socket",
    DISTRIBUTE_ACROSS_CORES: "distribute_cpus_across_cores",
    STRICT_RESERVATION: "strict_cpu_reservation",
    ALIGN_BY_UNCORE_CACHE: "prefer_align_by_uncore_cache",
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


def _by_gates(
    options: Options,
    gates_off: frozenset[str],
    alpha: tuple[str, ...],
    beta: tuple[str, ...] = (FULL_PCPUS_ONLY,),
    stable: tuple[str, ...] = (),
) -> StaticPolicyOptions | GoError:
    """`NewStaticPolicyOptions` with `CheckPolicyOptionAvailable`, given the options of each level in the release."""
    opts = StaticPolicyOptions()
    for name, value in options:
        if name not in (*alpha, *beta, *stable):
            return GoError(f"unknown CPU Manager Policy option: {quote(name)}")
        if name in alpha and ALPHA_GATE in gates_off:
            return GoError(f"CPU Manager Policy Alpha-level Options not enabled, but option {quote(name)} provided")
        if name in beta and BETA_GATE in gates_off:
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
    return _compatible(opts)


def _compatible(opts: StaticPolicyOptions | GoError) -> StaticPolicyOptions | GoError:
    """The end of `NewStaticPolicyOptions`: some exclude each other. Uncore caches are an option from 1.32 on."""
    if isinstance(opts, GoError):
        return opts
    across_numa = (DISTRIBUTE_ACROSS_NUMA, opts.distribute_cpus_across_numa)
    across_cores = (DISTRIBUTE_ACROSS_CORES, opts.distribute_cpus_across_cores)
    by_uncore = (ALIGN_BY_UNCORE_CACHE, opts.prefer_align_by_uncore_cache)
    for (one, one_given), (other, other_given) in (
        ((FULL_PCPUS_ONLY, opts.full_physical_cpus_only), across_cores),
        (across_numa, across_cores),
        (by_uncore, across_cores),
        (by_uncore, across_numa),
    ):
        if one_given and other_given:
            return GoError(f"static policy options {one} and {other} can not be used at the same time")
    return opts


def options_of_1_32(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.32: strict-cpu-reservation and prefer-align-cpus-by-uncorecache come, alpha."""
    alpha = (DISTRIBUTE_ACROSS_NUMA, ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES)
    return _compatible(_by_gates(options, gates_off, (*alpha, STRICT_RESERVATION, ALIGN_BY_UNCORE_CACHE)))


def options_of_1_33(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.33: full-pcpus-only asks no gate; distribute-cpus-across-numa and strict-cpu-reservation are beta."""
    alpha = (ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES, ALIGN_BY_UNCORE_CACHE)
    beta = (STRICT_RESERVATION, DISTRIBUTE_ACROSS_NUMA)
    return _compatible(_by_gates(options, gates_off, alpha, beta, (FULL_PCPUS_ONLY,)))


def options_of_1_34(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.34: prefer-align-cpus-by-uncorecache is beta."""
    alpha = (ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES)
    beta = (STRICT_RESERVATION, DISTRIBUTE_ACROSS_NUMA, ALIGN_BY_UNCORE_CACHE)
    return _compatible(_by_gates(options, gates_off, alpha, beta, (FULL_PCPUS_ONLY,)))


def options_of_1_35(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.35: strict-cpu-reservation asks no gate."""
    alpha = (ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES)
    beta = (DISTRIBUTE_ACROSS_NUMA, ALIGN_BY_UNCORE_CACHE)
    return _compatible(_by_gates(options, gates_off, alpha, beta, (FULL_PCPUS_ONLY, STRICT_RESERVATION)))


def options_of_1_36(options: Options, gates_off: frozenset[str]) -> StaticPolicyOptions | GoError:
    """1.36: prefer-align-cpus-by-uncorecache asks no gate."""
    alpha = (ALIGN_BY_SOCKET, DISTRIBUTE_ACROSS_CORES)
    stable = (FULL_PCPUS_ONLY, STRICT_RESERVATION, ALIGN_BY_UNCORE_CACHE)
    return _compatible(_by_gates(options, gates_off, alpha, (DISTRIBUTE_ACROSS_NUMA,), stable))


def accept_options(opts: StaticPolicyOptions, topology: CPUTopology, topology_manager_policy: str) -> GoError | None:
    """1.13 to 1.24: options are not held against the machine."""
    return None


def validate_static_policy_options(
    opts: StaticPolicyOptions, topology: CPUTopology, topology_manager_policy: str
) -> GoError | None:
    """Why the options do not suit the machine, or None (`ValidateStaticPolicyOptions`, from 1.25 on)."""
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
