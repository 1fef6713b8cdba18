"""What is asked about a state file: the file, the machine, the reserved CPUs and the release. Pure.

What is not given is not judged. Without a machine the CPUs of the file are taken for the machine.
"""

import re

from attrs import frozen

from kubeproof.advise.cpu_state.online_cpus import MAX_ID
from kubeproof.advise.cpu_state.sets import FileSets, file_sets
from kubeproof.advise.cpu_state.topology_files import from_topology_text
from kubeproof.errors import InputError
from kubeproof.systems.releases import release_named
from model.cpu.cpuset import CPUSet, CPUSetRules, TooManyCPUs, parse
from model.cpu.discover import TopologyRules
from model.cpu.state.checkpoint import CheckpointRules
from model.cpu.state.inspect import Inspection
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.releases import EVERY_MINOR, LAST_PATCH, Release, newest, parse_release, rules_for


@frozen
class Machine:
    """The machine of the kubelet."""

    topology: CPUTopology
    # The option that named the CPUs; None: the CPUs are those of the file's sets.
    given_by: str | None


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
    # The list of reserved CPUs as it was given, and as a set; None: not given.
    reserved: tuple[str, CPUSet] | None


def question(
    file: str,
    raw: bytes,
    found: Inspection,
    *,
    release: str | None = None,
    cpus: str | None = None,
    topology: tuple[str, str] | None = None,
    reserved: str | None = None,
) -> StateQuestion:
    """The whole question. `topology`: the name and the text of a file. The others are options as given.

    Raises InputError.
    """
    at, release_by = _release(release, found)
    try:
        sets = file_sets(found, written_version(at), rules_for(CPUSetRules, at))
    except TooManyCPUs as error:
        raise InputError(f"{file}: {error}") from None
    kept = None if reserved is None else (reserved, cpus_given(reserved, "--reserved"))
    if cpus is not None and topology is not None:
        raise InputError("--cpus and --topology: both name the machine's CPUs: expected one of the two")
    if cpus is not None:
        machine = machine_of(cpus_given(cpus, "--cpus"), "--cpus")
    elif topology is not None:
        discover = rules_for(TopologyRules, at).discover
        machine = Machine(from_topology_text(topology[1], topology[0], discover), "--topology")
    else:
        machine = machine_of(_assumed(sets, kept, file), None)
    return StateQuestion(file, raw, found, at, release_by, sets, machine, kept)


def machine_of(cpus: CPUSet, given_by: str | None) -> Machine:
    """A machine of which only the CPUs are known: each CPU is taken for a core, and all are on one socket."""
    return Machine(CPUTopology.of((cpu, cpu, 0, 0) for cpu in cpus), given_by)


def cpus_given(text: str, option: str) -> CPUSet:
    """The CPUs of a list on the command line, as the newest release parses the list.

    Raises InputError for a text that is not a list, and for an empty list.
    """
    try:
        cpus = parse(text.strip(), newest(CPUSetRules, "cpu-manager"), MAX_ID + 1)
    except TooManyCPUs:
        raise InputError(f"{option}: {_short(text)}: more CPUs than Linux can have: {_LIST}") from None
    if isinstance(cpus, GoError):
        raise InputError(f"{option}: {_short(text)}: {_one_line(cpus.text)}: {_LIST}")
    if not cpus:
        raise InputError(f"{option}: the list has no CPU: {_LIST}")
    if max(cpus) > MAX_ID:
        raise InputError(f"{option}: {_short(text)}: there is no CPU {max(cpus)}: {_LIST}")
    return cpus


_LIST = f"expected a list such as 0-3,8 of CPUs from 0 to {MAX_ID}"


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


def _assumed(sets: FileSets, reserved: tuple[str, CPUSet] | None, file: str) -> CPUSet:
    cpus = sets.union | (reserved[1] if reserved else frozenset())
    if len(cpus) > MAX_ID + 1:
        raise InputError(f"{file}: {len(cpus)} CPUs, more than Linux can have: give the machine's CPUs with --cpus")
    return cpus


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:37]}...")


def _one_line(text: str) -> str:
    line = re.sub(r"\s+", " ", text)
    return line if len(line) <= 100 else f"{line[:97]}..."
