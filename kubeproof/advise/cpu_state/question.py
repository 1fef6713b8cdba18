"""What is asked about a state file: the file, the machine, the reserved CPUs and the release. Pure functions.

What is not given is not judged: without a machine it is the union of the sets in the file, and without reserved CPUs
nothing is asked of them.
"""

import re

from attrs import frozen

from kubeproof.advise.cpu_state.sets import FileSets, file_sets
from kubeproof.advise.cpu_state.topology_files import MAX_ID, from_topology_text
from kubeproof.check.check import release_named
from kubeproof.errors import InputError
from model.cpu.cpuset import CPUSet, CPUSetRules, TooManyCPUs, parse
from model.cpu.discover import TopologyRules
from model.cpu.state.checkpoint import CheckpointRules
from model.cpu.state.inspect import Inspection
from model.cpu.state.state import CPUManagerState
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.releases import NEWEST_PATCH, Release, newest, parse_release, rules_for


@frozen
class Machine:
    """`given_by`: the option that named the CPUs, or None: then they are those of the file's sets."""

    topology: CPUTopology
    given_by: str | None


@frozen
class Question:
    """`file`: its name. `raw`: its bytes. `found`: what they hold. `sets`: its CPU sets as `release` reads them.

    `release_by`: why this release. `reserved`: the list as it was given, and as a set; None: not given.
    """

    file: str
    raw: bytes
    found: Inspection
    release: Release
    release_by: str
    sets: FileSets
    machine: Machine
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
) -> Question:
    """The question in full. `topology`: name and text of a file. The rest: options as given. Raises InputError."""
    at, release_by = _release(release, found)
    try:
        sets = file_sets(found, written_version(at), rules_for(CPUSetRules, at))
    except TooManyCPUs as error:
        raise InputError(f"{file}: {error}") from None
    kept = None if reserved is None else (reserved, cpus_given(reserved, "--reserved"))
    if cpus is not None and topology is not None:
        raise InputError("--cpus and --topology: expected one of them: both name the machine's CPUs")
    if cpus is not None:
        machine = machine_of(cpus_given(cpus, "--cpus"), "--cpus")
    elif topology is not None:
        discover = rules_for(TopologyRules, at).discover
        machine = Machine(from_topology_text(topology[1], topology[0], discover), "--topology")
    else:
        machine = machine_of(_assumed(sets, kept, file), None)
    return Question(file, raw, found, at, release_by, sets, machine, kept)


def machine_of(cpus: CPUSet, given_by: str | None) -> Machine:
    """A machine of which only the CPUs are known: each is taken for a core, on one socket."""
    return Machine(CPUTopology.of((cpu, cpu, 0, 0) for cpu in cpus), given_by)


def cpus_given(text: str, option: str) -> CPUSet:
    """The CPUs of a list on the command line, as the newest release parses it. Raises InputError: none, or no list."""
    try:
        cpus = parse(text.strip(), newest(CPUSetRules, "cpu-manager"), MAX_ID + 1)
    except TooManyCPUs:
        raise InputError(f"{option}: {_short(text)}: more CPUs than Linux can have: {_LIST}") from None
    if isinstance(cpus, GoError):
        raise InputError(f"{option}: {_short(text)}: {_one_line(cpus.text)}: {_LIST}")
    if not cpus:
        raise InputError(f"{option}: names no CPU: {_LIST}")
    if max(cpus) > MAX_ID:
        raise InputError(f"{option}: {_short(text)}: there is no CPU {max(cpus)}: {_LIST}")
    return cpus


_LIST = f"expected a list such as 0-3,8 of CPUs from 0 to {MAX_ID}"


def written_version(release: Release) -> int:
    """Which version of the file `release` writes, 1 or 2."""
    return rules_for(CheckpointRules, release).store_checkpoint("", CPUManagerState()).version


def _release(text: str | None, found: Inspection) -> tuple[Release, str]:
    if text is not None:
        return release_named(text), "--release"
    checkpoint = found.checkpoint
    if not isinstance(checkpoint, GoError) and checkpoint.version == 1:
        for minor in sorted(NEWEST_PATCH, reverse=True):
            candidate = parse_release(f"1.{minor}.{NEWEST_PATCH[minor]}")
            if written_version(candidate) == 1:
                return candidate, "the newest that writes files of version 1"
    return release_named(None), "the newest modelled"


def _assumed(sets: FileSets, reserved: tuple[str, CPUSet] | None, file: str) -> CPUSet:
    cpus = sets.union | (reserved[1] if reserved else frozenset())
    if len(cpus) > MAX_ID + 1:
        raise InputError(f"{file}: names {len(cpus)} CPUs, more than Linux can have: give the machine's with --cpus")
    return cpus


def _short(text: str) -> str:
    return ascii(text if len(text) <= 40 else f"{text[:37]}...")


def _one_line(text: str) -> str:
    line = re.sub(r"\s+", " ", text)
    return line if len(line) <= 100 else f"{line[:97]}..."
