"""Whether this state file is sound, and whether this kubelet starts with the file: the answer as data.

`rendering` makes text of the answer.
"""

from collections.abc import Iterator
from typing import Literal

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.deletion import Deleted, deleted
from kubeproof.advise.cpu_state.kubelet_start import (
    FIRST_WITH_RESERVED_LIST,
    Refusal,
    Start,
    configured_policy,
    start,
)
from kubeproof.advise.cpu_state.question import StateQuestion, machine_of, written_version
from kubeproof.advise.cpu_state.sets import Partition, partition
from kubeproof.systems.releases import release_notes
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.types import PolicyRules
from model.cpu.state.checkpoint import new_checkpoint_state
from model.cpu.state.format import Checkpoint, checksum_of, marshal_checkpoint
from model.go.errors import GoError
from model.releases import rules_for
from model.systems.cpu_manager.kubelet import STATE_FILE, CPUManagerRules

# The rules that this answer depends on.
_RULES = frozenset(
    {"parse_cpuset", "reserve_cpus", "reserved_physical_cpus", "validate_state", "report_at_start", "policy_named"}
    | {"store_checkpoint", "get_checkpoint", "verify_checkpoint", "migrate_checkpoint"}
)
# Those that are asked if what they judge is given.
_OF_OPTIONS = frozenset({"static_policy_options", "validate_static_policy_options", "check_options", "new_none_policy"})


@frozen
class Checksum:
    """The checksum of the file."""

    # "not checked": the checksum is 0 or missing, and the kubelet then checks nothing.
    verdict: Literal["right", "wrong", "not checked"]
    # The checksum in the file, and the right one for the content.
    found: int
    right: int
    # The right one in each format that the file has; None: the file does not have this format. A file without entries
    # has both formats.
    right_as_version_1: int | None
    right_as_version_2: int | None
    # The one that the release asks for, up to 1.17 that of version 1; None: the release cannot read the file.
    right_for_release: int | None


@frozen
class Entry:
    """The exclusive CPUs of a container in the file."""

    # The UID of the pod; None in a file of version 1.
    pod: str | None
    container: str
    cpus: str


@frozen
class Reserved:
    """The reserved CPUs, as lists."""

    # As it was given.
    given: str
    # What the release reserves. Of a number, and up to 1.16 of a list too, it chooses which CPUs.
    cpus: str
    # Those that are not in the shared pool, and those that containers have.
    not_in_pool: str
    taken: str


@frozen
class Repaired:
    """What the kubelet would do if the checksum were right."""

    would_start: bool
    error: str | None


@frozen
class ToDo:
    """One thing to do."""

    do: str
    # The command for it, if there is a command.
    command: str | None = None
    # Whether this one thing is enough, in place of all that follow.
    instead: bool = False


@frozen
class StateAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    file: str
    release: str
    # The upstream release whose rules were used, and why this release was taken.
    judged_as: str
    release_by: str
    would_start: bool
    # Whether the kubelet starts and the CPU sets agree with all that was given.
    consistent: bool
    # Why the kubelet does not start; empty if it starts.
    refusals: tuple[Refusal, ...]
    # The version of the file; None if the file has no known format.
    version: int | None
    policy: str
    # The policy in the kubelet's configuration, and the option that said it; None: it is taken to be that of the file.
    configured_policy: str
    configured_by: str | None
    # The options of the policy, as NAME=VALUE; None: not given, not judged.
    policy_options: tuple[str, ...] | None
    # Whether there is a CPU manager at all: up to 1.25 a gate switches it off.
    manager_on: bool
    # Why the file or its sets cannot be read, or None.
    unread: str | None
    checksum: Checksum | None
    # Set if the checksum is wrong.
    repaired: Repaired | None
    # The CPUs of the machine, and the option that named them; None: they are those of the file.
    cpus: str
    cpus_by: str | None
    # None if nothing says.
    reserved: Reserved | None
    # The shared pool.
    pool: str
    entries: tuple[Entry, ...]
    # None if the sets cannot be read, or if the policy is none.
    partition: Partition | None
    # Empty if the file is sound and the kubelet starts.
    to_do: tuple[ToDo, ...]
    if_deleted: Deleted
    notes: tuple[str, ...]


def analyse(asked: StateQuestion) -> StateAnswer:
    """The whole answer."""
    begun = start(asked, asked.raw)
    sets, machine = asked.sets, asked.machine.topology.cpus
    checkpoint, options = sets.checkpoint, asked.configuration.options
    policy = configured_policy(asked)
    same = checkpoint is None or checkpoint.policy_name == policy
    judged = sets.unread is None and policy != "none" and same and asked.manager_on
    lies = partition(sets, _shared_out(asked, begun)) if judged else None
    checksum = None if checkpoint is None else _checksum(asked, checkpoint)
    without = deleted(asked)
    would_start = not begun.refusals
    return StateAnswer(
        file=asked.file,
        release=str(asked.release),
        judged_as=asked.release.upstream,
        release_by=asked.release_by,
        would_start=would_start,
        consistent=would_start and (lies is None or lies.holds),
        refusals=begun.refusals,
        version=None if checkpoint is None else checkpoint.version,
        policy=policy if checkpoint is None else checkpoint.policy_name,
        configured_policy=policy,
        configured_by=asked.configuration.policy_by,
        policy_options=None if options is None else tuple(f"{name}={value}" for name, value in options),
        manager_on=asked.manager_on,
        unread=sets.unread,
        checksum=checksum,
        repaired=_repaired(asked, checkpoint) if checksum and checksum.verdict == "wrong" else None,
        cpus=to_string(machine),
        cpus_by=asked.machine.given_by,
        reserved=_reserved(asked, begun),
        pool=to_string(sets.default),
        entries=tuple(Entry(holder.pod, holder.container, to_string(cpus)) for holder, cpus in sets.entries),
        partition=lies,
        to_do=() if would_start and (lies is None or lies.holds) else _to_do(asked, policy, begun, without),
        if_deleted=without,
        notes=_notes(asked, begun, without),
    )


def _shared_out(asked: StateQuestion, begun: Start) -> CPUSet:
    """The CPUs that the sets of a sound file share out: with strict-cpu-reservation not those that are reserved."""
    policy, cpus = begun.policy, asked.machine.topology.cpus
    return cpus - policy.reserved if policy is not None and policy.options.strict_cpu_reservation else cpus


def _checksum(asked: StateQuestion, checkpoint: Checkpoint) -> Checksum:
    right = checksum_of(checkpoint)
    found = checkpoint.checksum
    v1, v2 = (None if isinstance(each, GoError) else checksum_of(each) for each in (asked.found.v1, asked.found.v2))
    verdict: Literal["right", "wrong", "not checked"] = "right" if found == right else "wrong"
    asked_for = v1 if written_version(asked.release) == 1 else right
    return Checksum("not checked" if found == 0 else verdict, found, right, v1, v2, asked_for)


def _repaired(asked: StateQuestion, checkpoint: Checkpoint | None) -> Repaired | None:
    if checkpoint is None:
        return None
    again = start(asked, marshal_checkpoint(checkpoint).encode())
    return Repaired(not again.refusals, again.refusals[0].error if again.refusals else None)


def _reserved(asked: StateQuestion, begun: Start) -> Reserved | None:
    if asked.reserved is None:
        return None
    cpus = asked.reserved.cpus if begun.policy is None else begun.policy.reserved
    taken = cpus.intersection(cpu for _, each in asked.sets.entries for cpu in each)
    strict = begun.policy is not None and begun.policy.options.strict_cpu_reservation
    outside = "" if strict else to_string(cpus - asked.sets.default)
    return Reserved(asked.reserved.text, to_string(cpus), outside, to_string(taken))


def _to_do(asked: StateQuestion, policy: str, begun: Start, without: Deleted) -> tuple[ToDo, ...]:
    """What an operator has to do; if the kubelet does not start without the file either, what the kubelet says then."""
    steps = []
    if policy not in ("none", "static"):
        steps.append(ToDo("Configure a policy that there is: cpuManagerPolicy static or none"))
    elif not without.starts:
        wrong = "Correct the kubelet's configuration: without the file it does not start either"
        if asked.configuration.undecoded is not None:
            field, _, expected = asked.configuration.undecoded
            return (ToDo(f"Correct the kubelet's configuration: write {field} with values of the type {expected}"),)
        again = without.error in [refusal.error for refusal in begun.refusals]
        return (ToDo(wrong if again else f"{wrong}: {without.error}"),)
    return (
        *steps,
        *_instead(asked),
        ToDo("Drain the node", "kubectl drain NODE --ignore-daemonsets"),
        ToDo("Stop the kubelet", "systemctl stop kubelet"),
        ToDo("Delete the state file", f"rm {STATE_FILE}"),
        ToDo("Start the kubelet", "systemctl start kubelet"),
        ToDo("Let pods come back", "kubectl uncordon NODE"),
    )


def _instead(asked: StateQuestion) -> Iterator[ToDo]:
    """What makes the kubelet start with this file. Only what the model confirms is offered."""
    if not start(asked, asked.raw).refusals:
        return
    union = asked.sets.union
    other = union and union != asked.machine.topology.cpus and partition(asked.sets, union).holds
    if other and _starts(evolve(asked, machine=machine_of(union, None))):
        do = f"Give the machine the CPUs {to_string(union)} again, and the kubelet starts with this file"
        yield ToDo(do, instead=True)
    checkpoint, known = asked.sets.checkpoint, asked.configuration
    own = "" if checkpoint is None else checkpoint.policy_name
    if own and known.policy not in (None, own) and _starts(evolve(asked, configuration=evolve(known, policy=own))):
        yield ToDo(f"Configure the policy of the file, {own}, and the kubelet starts with this file", instead=True)
    if asked.reserved is not None and asked.reserved.number and _starts(evolve(asked, reserved=None)):
        pool = to_string(asked.sets.default)
        yield ToDo(f"Reserve only CPUs of the shared pool, {pool}, and the kubelet starts with this file", instead=True)


def _starts(asked: StateQuestion) -> bool:
    return not start(asked, asked.raw).refusals


def _notes(asked: StateQuestion, begun: Start, without: Deleted) -> tuple[str, ...]:
    known = asked.configuration
    rules = _RULES | ({"discover"} if asked.machine.given_by == "--topology" else set())
    rules |= set() if not known.options else _OF_OPTIONS
    rules |= set() if asked.reserved is None else {"check_reserved_cpus"}
    rules |= set() if known.topology_manager_policy is None else {"check_topology_manager", "check_numa_nodes"}
    notes = [*release_notes(asked.release, sorted(rules)), *known.notes]
    if asked.reserved is not None and asked.reserved.cpus and asked.release.minor < FIRST_WITH_RESERVED_LIST:
        size = asked.reserved.number
        notes.append(f"--reserved-cpus: {asked.release} knows only how many CPUs to reserve, and {size} is taken")
    if begun.policy is not None and begun.policy.reserved and _is_number(asked):
        sure = "" if asked.machine.given_by == "--topology" else ", if each CPU is a core; --topology would tell"
        notes.append(f"{asked.release} is given a number of reserved CPUs, and reserves {_reserved_text(begun)}{sure}")
    migrated = asked.found.container_ids and written_version(asked.release) == 2
    if migrated:
        notes.append(_unknown_container(asked))
    if asked.found.pod_entries:
        notes.append(
            f"{asked.file} has podEntries, which a kubelet with PodLevelResourceManagers on writes (from 1.36 on): "
            "judged is a kubelet with this gate off, which does not know them"
        )
    if any(one.given_anew is not None for one in without.running) and _passes_over_pod_level(asked):
        notes.append(
            "the file does not say which pods have resources of their own (spec.resources): if the file is deleted, "
            f"{asked.release} gives such a pod no CPUs again, and the CPUs of the other containers may then be others"
        )
    return tuple(notes)


def _passes_over_pod_level(asked: StateQuestion) -> bool:
    """Whether a container of a pod with resources of its own gets no CPUs by default, where it got them before."""
    rules = rules_for(PolicyRules, asked.release)
    gate = rules.pod_level_gate()
    pod = PodSpec("p", app=(ContainerSpec("a"),), pod_level=True)
    return gate is not None and not rules.pod_level_cpus(pod, "a", rules.guaranteed_cpus(pod, "a"), gate)


def _is_number(asked: StateQuestion) -> bool:
    """Whether the kubelet chooses which CPUs it reserves."""
    reserved = asked.reserved
    return reserved is not None and (not reserved.cpus or asked.release.minor < FIRST_WITH_RESERVED_LIST)


def _reserved_text(begun: Start) -> str:
    return "" if begun.policy is None else to_string(begun.policy.reserved)


def _unknown_container(asked: StateQuestion) -> str:
    """What the kubelet says of a file of version 1 if one of its containers is gone: the model answers."""
    rules = rules_for(CPUManagerRules, asked.release)
    unknown = new_checkpoint_state(rules, rules, asked.raw, configured_policy(asked), {}, STATE_FILE)[0]
    said = unknown.text if isinstance(unknown, GoError) else "it starts all the same"
    return f"the containers of the file are taken to be on the machine still; if one is gone: {said}"
