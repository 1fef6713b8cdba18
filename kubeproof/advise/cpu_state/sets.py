"""The CPU sets in a state file, and whether they partition a machine. Pure; the time is linear in the file's size."""

from attrs import frozen

from model.cpu.cpuset import MAX_LISTED, CPUSet, CPUSetRules, parse, to_string
from model.cpu.state.format import Checkpoint, checksum_of
from model.cpu.state.inspect import Inspection
from model.go.errors import GoError


@frozen
class Holder:
    """A container that has CPUs."""

    # The UID of the pod; None in a file of version 1.
    pod: str | None
    # The name of the container; its id in a file of version 1.
    container: str

    def __str__(self) -> str:
        return self.container if self.pod is None else f"{self.container} of pod {self.pod}"


@frozen
class FileSets:
    """The CPU sets of a file. A set that cannot be read is empty."""

    # The file in its format; None if the file has no known format.
    checkpoint: Checkpoint | None
    # The shared pool.
    default: CPUSet = frozenset()
    # The exclusive CPUs of each container.
    entries: tuple[tuple[Holder, CPUSet], ...] = ()
    # Why not all could be read, or None.
    unread: str | None = None

    @property
    def union(self) -> CPUSet:
        """Every CPU that is in a set."""
        return self.default.union(*(cpus for _, cpus in self.entries))


@frozen
class Sharing:
    """CPUs that are in several sets."""

    # As a list.
    cpus: str
    # Whether the shared pool has these CPUs.
    pool: bool
    # The containers that have these CPUs.
    holders: tuple[Holder, ...]
    # Whether only containers of one pod have them. The CPUs of an init container pass to the containers after it, so
    # this is right unless the containers run at the same time. The file does not say which are init containers.
    one_pod: bool


@frozen
class Partition:
    """Whether the sets partition the machine."""

    holds: bool
    # Whether there is no set with a CPU, no container and no pod. Then the kubelet puts all CPUs into the shared pool.
    empty: bool
    # The CPUs in several sets.
    shared: tuple[Sharing, ...]
    # The CPUs of the machine that are in no set, and the CPUs of sets that the machine does not have, as lists.
    in_no_set: str
    not_in_machine: str


def format_of(found: Inspection, written: int) -> Checkpoint | None:
    """The file in its format, or None.

    A file without entries has both formats: then the checksum decides, and if it does not, the version `written` that
    the release writes.
    """
    v1, v2 = found.v1, found.v2
    if isinstance(v1, GoError) or isinstance(v2, GoError):
        either = v2 if isinstance(v1, GoError) else v1
        return None if isinstance(either, GoError) else either
    for each in (v1, v2):
        if each.checksum == checksum_of(each):
            return each
    return v1 if written == 1 else v2


def file_sets(found: Inspection, written: int, rules: CPUSetRules) -> FileSets:
    """The sets in a file, read by the parser of a release that writes version `written`, whatever the checksum is.

    Raises TooManyCPUs if the sets have more than MAX_LISTED CPUs in all.
    """
    checkpoint = format_of(found, written)
    if checkpoint is None:
        assert isinstance(found.v2, GoError)
        return FileSets(None, unread=found.v2.text)
    listed: list[tuple[Holder | None, str]] = [(None, checkpoint.default_cpu_set)]
    if checkpoint.version == 1:
        listed += [(Holder(None, container), text) for container, text in checkpoint.entries or ()]
    else:
        for pod, containers in checkpoint.entries or ():
            listed += [(Holder(pod, name), text) for name, text in containers or ()]
    default: CPUSet = frozenset()
    entries: list[tuple[Holder, CPUSet]] = []
    left, unread = MAX_LISTED, None
    for holder, text in listed:
        cpus = parse(text, rules, left)
        if isinstance(cpus, GoError):
            unread = unread or cpus.text
            cpus = frozenset()
        left -= len(cpus)
        if holder is None:
            default = cpus
        else:
            entries.append((holder, cpus))
    return FileSets(checkpoint, default, tuple(entries), unread)


def partition(sets: FileSets, machine: CPUSet) -> Partition:
    """How the sets partition a machine with these CPUs, or why they do not."""
    owners: dict[int, list[int]] = {cpu: [-1] for cpu in sets.default}
    for index, (_, cpus) in enumerate(sets.entries):
        for cpu in cpus:
            owners.setdefault(cpu, []).append(index)
    groups: dict[tuple[int, ...], list[int]] = {}
    for cpu in sorted(owners):
        if len(owners[cpu]) > 1:
            groups.setdefault(tuple(owners[cpu]), []).append(cpu)
    shared = tuple(_sharing(sets, group, frozenset(cpus)) for group, cpus in groups.items())
    in_no_set, not_in_machine = machine - owners.keys(), owners.keys() - machine
    empty = not owners and (sets.checkpoint is None or not sets.checkpoint.entries)
    return Partition(
        holds=empty or (not in_no_set and not not_in_machine and all(one.one_pod for one in shared)),
        empty=empty,
        shared=shared,
        in_no_set="" if empty else to_string(in_no_set),
        not_in_machine=to_string(frozenset(not_in_machine)),
    )


def _sharing(sets: FileSets, group: tuple[int, ...], cpus: CPUSet) -> Sharing:
    holders = tuple(sets.entries[index][0] for index in group if index >= 0)
    pool = group[0] < 0
    pods = {holder.pod for holder in holders}
    return Sharing(to_string(cpus), pool, holders, not pool and len(pods) == 1 and None not in pods)
