"""What is known of a kubelet's configuration, as far as it concerns the CPU manager: a file, and flags. Pure.

What nothing says is not judged. A whole KubeletConfiguration says all: what is not in it has the kubelet's default.
"""

from collections.abc import Mapping
from typing import Any

from attrs import Factory, evolve, frozen

from kubeproof.advise.cpu_state.online_cpus import MAX_ID
from kubeproof.errors import InputError
from kubeproof.systems.gates import read_gates
from kubeproof.visible import shortened
from model.cpu.cpuset import CPUSet, CPUSetRules, TooManyCPUs, parse
from model.cpu.policy.pods import quantity
from model.cpu.policy.types import Options
from model.gates import Gate
from model.go.errors import GoError
from model.releases import Release, newest


@frozen
class Configuration:
    """The kubelet's configuration. None: nothing says."""

    # cpuManagerPolicy, and its options.
    policy: str | None = None
    options: Options | None = None
    # reservedSystemCPUs, or --reserved-cpus.
    reserved_cpus: str | None = None
    # systemReserved and kubeReserved: the CPUs in it.
    system_reserved: str | None = None
    kube_reserved: str | None = None
    # Whether systemReservedCgroup or kubeReservedCgroup is set.
    reserved_cgroup: bool = False
    topology_manager_policy: str | None = None
    gates: Mapping[str, bool] = Factory(dict)
    # Whether the file is a whole configuration.
    whole: bool = False
    # A field of the file with a value that the kubelet cannot decode: the field, what stands there, and what must.
    undecoded: tuple[str, str, str] | None = None
    # Which option said the policy; None: nothing did.
    policy_by: str | None = None
    # The fields here that a KubeletConfiguration says. A release that does not know one passes over it.
    of_file: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


NOT_GIVEN = Configuration()


@frozen
class Flags:
    """The kubelet's flags, as texts. They come before what a file says."""

    policy: str | None = None
    policy_options: str | None = None
    reserved_cpus: str | None = None
    system_reserved: str | None = None
    kube_reserved: str | None = None
    topology_manager_policy: str | None = None
    feature_gates: str | None = None


def with_flags(file: Configuration, flags: Flags) -> Configuration:
    """The configuration of the file, with the flags. Raises InputError."""
    said: dict[str, Any] = {
        "policy": flags.policy,
        "policy_by": None if flags.policy is None else "--policy",
        "options": None if flags.policy_options is None else _pairs(flags.policy_options, "--policy-options"),
        "reserved_cpus": flags.reserved_cpus,
        "system_reserved": _cpu_of(flags.system_reserved, "--system-reserved"),
        "kube_reserved": _cpu_of(flags.kube_reserved, "--kube-reserved"),
        "topology_manager_policy": flags.topology_manager_policy,
    }
    if flags.reserved_cpus is not None:
        cpus_given(flags.reserved_cpus, "--reserved-cpus")
    gates = dict(file.gates) | read_gates(flags.feature_gates or "")
    given = {name: value for name, value in said.items() if value is not None}
    return evolve(file, gates=gates, of_file=file.of_file - given.keys(), **given)


def _pairs(text: str, option: str) -> Options:
    """Pairs as the kubelet takes them (cliflag.MapStringString): NAME=VALUE with commas between; the last counts."""
    found = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise InputError(
                f"{option}: '{shortened(part)}' is not a pair: expected NAME=VALUE, such as {_SUCH[option]}"
            )
        found[name.strip()] = value.strip()
    return tuple(found.items())


_SUCH = {
    "--policy-options": "full-pcpus-only=true",
    **dict.fromkeys(("--system-reserved", "--kube-reserved"), "cpu=500m"),
}


def _cpu_of(text: str | None, option: str) -> str | None:
    if text is None:
        return None
    cpu = dict(_pairs(text, option)).get("cpu", "0")
    try:
        quantity(cpu)
    except ValueError as error:
        raise InputError(f"{option}: {error}") from None
    return cpu


def cpus_given(text: str, option: str) -> CPUSet:
    """The CPUs of a list on the command line, as the newest release parses the list.

    Raises InputError for a text that is not a list, and for an empty list.
    """
    try:
        cpus = parse(text.strip(), newest(CPUSetRules, "cpu-manager"), MAX_ID + 1)
    except TooManyCPUs:
        raise InputError(f"{option}: {_short(text)}: more CPUs than Linux can have: {_LIST}") from None
    if isinstance(cpus, GoError):
        raise InputError(f"{option}: {_short(text)}: {shortened(' '.join(cpus.text.split()), 97)}: {_LIST}")
    if not cpus:
        raise InputError(f"{option}: the list has no CPU: {_LIST}")
    if max(cpus) > MAX_ID:
        raise InputError(f"{option}: {_short(text)}: there is no CPU {max(cpus)}: {_LIST}")
    return cpus


_LIST = f"expected a list such as 0-3,8 of CPUs from 0 to {MAX_ID}"


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:37]}...")


# --- Feature gates


def is_on(gate: Gate, gates: Mapping[str, bool], release: Release) -> bool:
    """Whether the gate is on in a kubelet of the release with these gates set.

    AllAlpha and AllBeta set those that nobody sets otherwise: of the gates here alpha ones are off by default, and beta
    ones on.
    """
    default = gate.default_in(release)
    if default is None or gate.is_locked(release):
        return bool(default)
    return gates.get(gate.name, gates.get("AllBeta" if default else "AllAlpha", default))
