"""Properties of the CPU sets: the shared pool, exclusive sets, reserved CPUs, allocatable CPUs, whole cores."""

from itertools import combinations

from model.cpu.cpuset import to_string
from model.systems.cpu_manager.records import CPUManagerSystem
from properties.cpu_manager.view import (
    Placed,
    assigned,
    checkpoint,
    has_entries,
    managed,
    owner,
    pooled,
    running_exclusive,
    runs_exclusive,
)
from properties.property import Invariant

State = CPUManagerSystem


# --- the shared pool and the exclusive sets partition the machine ----------------------------------------------------


def partitioned(state: State) -> bool:
    if not managed(state):
        return True
    default, taken = checkpoint(state).default, assigned(state)
    return not default & taken and default | taken == pooled(state)


def _explain_partition(state: State) -> str:
    default, taken, machine = checkpoint(state).default, assigned(state), pooled(state)
    parts = []
    if both := default & taken:
        parts.append(f"CPUs {to_string(both)} are in the shared pool and exclusive at once")
    if missing := machine - default - taken:
        parts.append(f"CPUs {to_string(missing)} of the machine are in no set")
    if strange := (default | taken) - machine:
        parts.append(f"CPUs {to_string(strange)} are in the state and not in the machine")
    return "; ".join(parts)


# --- exclusive sets are disjoint -------------------------------------------------------------------------------------


def _clashes(state: State) -> list[tuple[tuple[str, str], tuple[str, str], frozenset[int]]]:
    """Pairs of entries with a CPU in common. An init container may share CPUs with its pod's later containers."""
    found = []
    for (key, cpus), (other, others) in combinations(checkpoint(state).assignments, 2):
        both = cpus & others
        if both:
            a, b = owner(key), owner(other)
            if a[0] == b[0] and (_ends_first(a) or _ends_first(b)):
                continue
            found.append((a, b, both))
    return found


def _ends_first(ref: tuple[str, str]) -> bool:
    """Whether this is an init container, which ends before the next container starts. `shapes.py` names it i0, i1, …"""
    return ref[1].startswith("i")


def exclusive_sets_disjoint(state: State) -> bool:
    return len(checkpoint(state).assignments) < 2 or not _clashes(state)


def _explain_disjoint(state: State) -> str:
    a, b, both = _clashes(state)[0]
    return f"CPUs {to_string(both)} belong to {'/'.join(a)} and to {'/'.join(b)}"


def _sharing(state: State) -> tuple[Placed, Placed] | None:
    """Two running containers with exclusive CPUs, one of which may run on the other's."""
    for a, b in combinations(running_exclusive(state), 2):
        if a.entry and b.entry and (a.container.cpus & b.container.cpus):
            return a, b
    return None


def running_exclusive_apart(state: State) -> bool:
    return _sharing(state) is None


def _explain_apart(state: State) -> str:
    found = _sharing(state)
    assert found is not None
    a, b = found
    both = a.container.cpus & b.container.cpus
    return f"{a} and {b} run at the same time, both on CPUs {to_string(both)}, which each has exclusively"


# --- reserved CPUs ---------------------------------------------------------------------------------------------------


def reserved_stay_shared(state: State) -> bool:
    if not managed(state):
        return True
    reserved, shared = state.kubelet.reserved_cpus, checkpoint(state).default
    if state.kubelet.started_on.strict_reservation:
        return not reserved & (shared | assigned(state))
    return reserved <= shared and not reserved & assigned(state)


def _explain_reserved(state: State) -> str:
    reserved = state.kubelet.reserved_cpus
    taken, missing = reserved & assigned(state), reserved - checkpoint(state).default
    if taken:
        return f"reserved CPUs {to_string(taken)} were given to a container exclusively"
    if state.kubelet.started_on.strict_reservation:
        return f"reserved CPUs {to_string(reserved & checkpoint(state).default)} are in the shared pool"
    return f"reserved CPUs {to_string(missing)} are not in the shared pool"


# --- allocatable CPUs, and full-pcpus-only ---------------------------------------------------------------------------


NOT_REPORTED = "there are no allocatable CPUs to judge: releases before 1.21 report none"


def reports_allocatable(state: State) -> bool:
    """Whether the kubelet is up and reports which CPUs are allocatable, as kubelets do from 1.21 on."""
    return managed(state) and state.kubelet.manager.allocatable_cpus is not None


def allocatable_is_unreserved(state: State) -> bool:
    if not reports_allocatable(state):
        return True
    kubelet = state.kubelet
    return kubelet.manager.allocatable_cpus == kubelet.started_on.cpus - kubelet.reserved_cpus


def _explain_allocatable(state: State) -> str:
    told = to_string(state.kubelet.manager.allocatable_cpus or frozenset())
    return f"the kubelet reports CPUs {told} as allocatable; {to_string(assigned(state))} are exclusive now"


def _split(state: State) -> list[tuple[tuple[str, str], int]]:
    node = state.kubelet.started_on
    return [
        (owner(key), cpu // node.threads)
        for key, cpus in checkpoint(state).assignments
        for cpu in sorted(cpus)
        if not frozenset(range(cpu - cpu % node.threads, cpu - cpu % node.threads + node.threads)) & node.cpus <= cpus
    ]


def whole_cores(state: State) -> bool:
    return not (managed(state) and state.kubelet.started_on.full_pcpus) or not _split(state)


def gives_whole_cores(state: State) -> bool:
    return has_entries(state) and state.kubelet.started_on.full_pcpus


def _explain_split(state: State) -> str:
    ref, core = _split(state)[0]
    return f"{'/'.join(ref)} has a part of core {core}, although full-pcpus-only is on"


PARTITION = Invariant(
    name="cpus-partition-machine",
    sentence="The shared pool and the exclusive sets together are the machine's CPUs, and no CPU is in both.",
    broken_by=("allocate_returning_init_cpus", "remove_container_freeing_all"),
    holds=partitioned,
    premise=has_entries,
    explain=_explain_partition,
)
DISJOINT = Invariant(
    name="exclusive-sets-disjoint",
    sentence="No CPU belongs to two containers, except to an init container and later containers of its own pod.",
    broken_by=("remove_container_freeing_all", "update_cpus_to_reuse_of_sidecars"),
    holds=exclusive_sets_disjoint,
    premise=has_entries,
    explain=_explain_disjoint,
)
APART = Invariant(
    name="running-exclusive-apart",
    sentence="No two running containers run on a CPU that both have exclusively.",
    broken_by=("remove_container_freeing_all", "update_cpus_to_reuse_of_sidecars"),
    holds=running_exclusive_apart,
    premise=runs_exclusive,
    explain=_explain_apart,
)
RESERVED = Invariant(
    name="reserved-never-exclusive",
    sentence="Reserved CPUs are never exclusive, and stay in the shared pool unless they are reserved strictly.",
    broken_by=("allocate_reserved",),
    holds=reserved_stay_shared,
    premise=has_entries,
    explain=_explain_reserved,
)
ALLOCATABLE = Invariant(
    name="allocatable-is-unreserved",
    sentence="The CPUs reported as allocatable are all of the machine's but the reserved ones.",
    broken_by=("allocatable_cpus_free_now",),
    holds=allocatable_is_unreserved,
    premise=reports_allocatable,
    explain=_explain_allocatable,
)
WHOLE_CORES = Invariant(
    name="whole-cores-only",
    sentence="With full-pcpus-only no container has a part of a core.",
    broken_by=("allocate_reserved",),
    holds=whole_cores,
    premise=gives_whole_cores,
    explain=_explain_split,
)
