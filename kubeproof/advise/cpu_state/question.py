"""What is asked about a state file: the file, the machine, the kubelet's configuration and the release. Pure.

What is not given is not judged. Without a machine the CPUs of the file are taken for the machine.
"""

import math
from typing import Any

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.configuration import NOT_GIVEN, Configuration, cpus_given, is_on
from kubeproof.advise.cpu_state.online_cpus import MAX_ID
from kubeproof.advise.cpu_state.sets import FileSets, file_sets
from kubeproof.advise.cpu_state.topology_files import from_topology_text
from kubeproof.errors import InputError
from kubeproof.systems.gates import gate_refused
from kubeproof.systems.releases import release_named
from model.cpu.configuration import MANAGER_GATE
from model.cpu.cpuset import CPUSet, CPUSetRules, TooManyCPUs
from model.cpu.discover import TopologyRules
from model.cpu.policy.options import STRICT_RESERVATION
from model.cpu.policy.pods import quantity
from model.cpu.state.checkpoint import CheckpointRules
from model.cpu.state.inspect import Inspection
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.gates import GATES
from model.go.errors import GoError
from model.releases import EVERY_MINOR, LAST_PATCH, Release, parse_release, rules_for

# The first minors that know a field of the configuration. Others pass over it.
_KNOWN_FROM = {"reserved_cpus": 17, "options": 22, "topology_manager_policy": 16}


@frozen
class Machine:
    """The machine of the kubelet."""

    topology: CPUTopology
    # The option that named the CPUs; None: the CPUs are those of the file's sets.
    given_by: str | None


@frozen
class ReservedCPUs:
    """What the kubelet keeps for the system."""

    # As it was given.
    text: str
    # The CPUs of a list; empty: the kubelet is given a number and chooses.
    cpus: CPUSet
    # How many; 0: the configuration reserves none.
    number: int


@frozen
class StateQuestion:
    """All that is asked."""

    # The file's name, its bytes, and what was found in them.
    file: str
    raw: bytes
    found: Inspection
    # The release, and why this release was taken.
    release: Release
    release_by: str
    # The CPU sets of the file, as the release reads them.
    sets: FileSets
    machine: Machine
    # None: not given.
    reserved: ReservedCPUs | None
    # The configuration, as far as the release knows its fields.
    configuration: Configuration = NOT_GIVEN
    # Why the kubelet refuses the configuration before it looks at what is in it, or None.
    broken: str | None = None

    @property
    def manager_on(self) -> bool:
        """Whether there is a CPU manager: the gate CPUManager can be switched off up to 1.25."""
        return is_on(GATES[MANAGER_GATE], self.configuration.gates, self.release)


def question(
    file: str,
    raw: bytes,
    found: Inspection,
    *,
    release: str | None = None,
    cpus: str | None = None,
    topology: tuple[str, str] | None = None,
    configuration: Configuration = NOT_GIVEN,
) -> StateQuestion:
    """The whole question. `topology`: the name and the text of a file. The others are options as given.

    Raises InputError.
    """
    at, release_by = _release(release, found)
    try:
        sets = file_sets(found, written_version(at), rules_for(CPUSetRules, at))
    except TooManyCPUs as error:
        raise InputError(f"{file}: {error}") from None
    known = known_in(configuration, at)
    reserved, broken = reserved_in(known, at)
    machine = machine_given(at, cpus, topology)
    if machine is None:
        machine = machine_of(_assumed(sets, reserved, file), None)
    return StateQuestion(file, raw, found, at, release_by, sets, machine, reserved, known, broken)


def machine_given(at: Release, cpus: str | None, topology: tuple[str, str] | None) -> Machine | None:
    """The machine, as `--cpus` or `--topology` gives it; None: neither does. Raises InputError."""
    if cpus is not None and topology is not None:
        raise InputError("--cpus and --topology: both name the machine's CPUs: expected one of the two")
    if cpus is not None:
        return machine_of(cpus_given(cpus, "--cpus"), "--cpus")
    if topology is None:
        return None
    discover = rules_for(TopologyRules, at).discover
    return Machine(from_topology_text(topology[1], topology[0], discover), "--topology")


def known_in(configuration: Configuration, at: Release) -> Configuration:
    """The configuration without the fields of a file that the release does not know, with a note of each."""
    made = configuration
    for field, since in _KNOWN_FROM.items():
        if field in made.of_file and at.minor < since:
            note = f"{at} does not know {_NAMES[field]}, which comes with 1.{since}, and passes over it"
            without: dict[str, Any] = {field: None}
            made = evolve(made, notes=(*made.notes, note), **without)
    return made


_NAMES = {
    "reserved_cpus": "reservedSystemCPUs",
    "options": "cpuManagerPolicyOptions",
    "topology_manager_policy": "topologyManagerPolicy",
}


def reserved_in(known: Configuration, at: Release) -> tuple[ReservedCPUs | None, str | None]:
    """What the configuration reserves, None if nothing says; and why the kubelet refuses it at once, or None.

    Go: ValidateKubeletConfiguration; parseResourceList in cmd/kubelet/app/server.go; GetNodeAllocatableReservation in
    pkg/kubelet/cm/node_container_manager_linux.go. Raises InputError.
    """
    if known.undecoded is not None:
        return None, _undecoded(*known.undecoded, at)
    refused = gate_refused(known.gates, at)
    if known.reserved_cpus is not None:
        try:
            cpus = cpus_given(known.reserved_cpus, "reservedSystemCPUs")
        except InputError as error:
            return None, f"(the kubelet finds no list of CPUs: {error})"
        return ReservedCPUs(known.reserved_cpus, cpus, len(cpus)), refused
    amounts = {"systemReserved": known.system_reserved, "kubeReserved": known.kube_reserved}
    given = {field: cpu for field, cpu in amounts.items() if cpu is not None}
    try:
        total = sum(quantity(cpu) for cpu in given.values())
    except ValueError as error:
        return None, f"(the kubelet finds no quantity of cpu: {error})"
    for cpu in given.values():
        if quantity(cpu) < 0:
            return None, f'resource quantity for "cpu" cannot be negative: {cpu}'
    if not given and not known.whole:
        _refuse_strict(known)
        return None, refused
    text = " and ".join(f"{field} {cpu}" for field, cpu in given.items()) or "nothing"
    return ReservedCPUs(text, frozenset(), math.ceil(total)), refused


def _undecoded(field: str, found: str, expected: str, at: Release) -> str:
    """What the kubelet says of a value that it cannot decode. Up to 1.22 another decoder words it."""
    if at.minor < _FIRST_WITH_SIGS_JSON:
        return f"(failed to decode: {field} has a {found}, where Go has a {expected})"
    into = f"Go struct field KubeletConfiguration.{field} of type {expected}"
    return f"failed to decode: json: cannot unmarshal {found} into {into}"


_FIRST_WITH_SIGS_JSON = 23


def _refuse_strict(known: Configuration) -> None:
    if dict(known.options or ()).get(STRICT_RESERVATION, "false").lower() in ("true", "t", "1"):
        raise InputError(f"--policy-options: {STRICT_RESERVATION}: the reserved CPUs decide: expected --reserved-cpus")


def machine_of(cpus: CPUSet, given_by: str | None) -> Machine:
    """A machine of which only the CPUs are known: each CPU is taken for a core, and all are on one socket."""
    return Machine(CPUTopology.of((cpu, cpu, 0, 0) for cpu in cpus), given_by)


def written_version(release: Release) -> int:
    """Which version of the file `release` writes, 1 or 2."""
    return rules_for(CheckpointRules, release).store_checkpoint("", CPUManagerState()).version


def _release(text: str | None, found: Inspection) -> tuple[Release, str]:
    if text is not None:
        return release_named(text, minors=EVERY_MINOR), "--release"
    checkpoint = found.checkpoint
    if not isinstance(checkpoint, GoError) and checkpoint.version == 1:
        for minor in reversed(EVERY_MINOR):
            candidate = parse_release(f"1.{minor}.{LAST_PATCH[minor]}", EVERY_MINOR)
            if written_version(candidate) == 1:
                return candidate, "the newest that writes files of version 1"
    return release_named(None, minors=EVERY_MINOR), "the newest modelled"


def _assumed(sets: FileSets, reserved: ReservedCPUs | None, file: str) -> CPUSet:
    cpus = sets.union | (reserved.cpus if reserved else frozenset())
    if len(cpus) > MAX_ID + 1:
        raise InputError(f"{file}: {len(cpus)} CPUs, more than Linux can have: give the machine's CPUs with --cpus")
    return cpus
