"""What must hold of cpu-manager: C1 to C10 and C7' of the dossier's part 11.9, as they are said there.

Safety first, then what a start must do, then liveness. C9 and C11 are no properties of reachable states: see
cpu_manager_validate.py and cpu_manager_locks.py.
"""

from collections.abc import Mapping
from itertools import combinations
from math import ceil

from model.cpu.cpuset import to_string
from model.cpu.policy_pods import PodSpec
from model.machine import Action
from model.systems.cpu_manager.pods import counted, pod_names
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.shapes import pod_spec, scheduler_request
from properties.cpu_manager_view import (
    GONE,
    NO_CPUS,
    Placed,
    checkpoint,
    managed,
    owner,
    placed,
    pod_entries,
    specs,
)
from properties.property import Invariant, Liveness, Property, StepInvariant

State = CPUManagerSystem


def _assigned(state: State) -> frozenset[int]:
    return NO_CPUS.union(*(cpus for _, cpus in checkpoint(state).assignments))


def has_entries(state: State) -> bool:
    """The kubelet runs with the static policy, and somebody has exclusive CPUs."""
    return managed(state) and bool(checkpoint(state).assignments)


# --- C1: D ⊎ ⋃A = T -----------------------------------------------------------------------------------------------


def partitioned(state: State) -> bool:
    if not managed(state):
        return True
    default, assigned = checkpoint(state).default, _assigned(state)
    return not default & assigned and default | assigned == state.kubelet.started_on.cpus


def _explain_partition(state: State) -> str:
    default, assigned, machine = checkpoint(state).default, _assigned(state), state.kubelet.started_on.cpus
    parts = []
    if both := default & assigned:
        parts.append(f"CPUs {to_string(both)} are in the shared pool and exclusive at once")
    if missing := machine - default - assigned:
        parts.append(f"CPUs {to_string(missing)} of the machine are in no set")
    if strange := (default | assigned) - machine:
        parts.append(f"CPUs {to_string(strange)} are in the state and not in the machine")
    return "; ".join(parts)


# --- C2: exclusive is exclusive -----------------------------------------------------------------------------------


def _clashes(state: State) -> list[tuple[tuple[str, str], tuple[str, str], frozenset[int]]]:
    """Pairs of entries with a CPU in common, but for an init container that ends before its own pod's others start."""
    pods = specs(state)
    found = []
    for (key, cpus), (other, others) in combinations(checkpoint(state).assignments, 2):
        both = cpus & others
        if both:
            a, b = owner(key), owner(other)
            if a[0] == b[0] and (_ends_first(pods, a) or _ends_first(pods, b)):
                continue
            found.append((a, b, both))
    return found


def _ends_first(pods: Mapping[str, PodSpec], ref: tuple[str, str]) -> bool:
    init = pods[ref[0]].init if ref[0] in pods else ()
    return any(each.name == ref[1] and not each.restartable for each in init)


def exclusive_sets_disjoint(state: State) -> bool:
    return len(checkpoint(state).assignments) < 2 or not _clashes(state)


def _explain_disjoint(state: State) -> str:
    a, b, both = _clashes(state)[0]
    return f"CPUs {to_string(both)} belong to {'/'.join(a)} and to {'/'.join(b)}"


def _running_exclusive(state: State) -> list[Placed]:
    return [each for each in placed(state) if each.running and each.wants]


def _sharing(state: State) -> tuple[Placed, Placed] | None:
    """Two running containers with exclusive CPUs, one of which may run on the other's."""
    for a, b in combinations(_running_exclusive(state), 2):
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


# --- C3: reserved CPUs --------------------------------------------------------------------------------------------


def reserved_stay_shared(state: State) -> bool:
    if not managed(state):
        return True
    reserved = state.kubelet.reserved_cpus
    return reserved <= checkpoint(state).default and not reserved & _assigned(state)


def _explain_reserved(state: State) -> str:
    reserved = state.kubelet.reserved_cpus
    taken, missing = reserved & _assigned(state), reserved - checkpoint(state).default
    if taken:
        return f"reserved CPUs {to_string(taken)} were given to a container exclusively"
    return f"reserved CPUs {to_string(missing)} are not in the shared pool"


# --- C4: an exclusive container runs on its CPUs, and keeps them --------------------------------------------------


def _misplaced(state: State) -> list[Placed]:
    return [each for each in _running_exclusive(state) if each.container.cpus != each.entry]


def exclusive_on_its_set(state: State) -> bool:
    return not managed(state) or not _misplaced(state)


def runs_exclusive(state: State) -> bool:
    return managed(state) and bool(_running_exclusive(state))


def _explain_misplaced(state: State) -> str:
    each = _misplaced(state)[0]
    has = "has no entry in the state" if each.entry is None else f"is to have CPUs {to_string(each.entry)}"
    return f"{each} asked for {each.wants} exclusive CPUs, {has} and runs on {to_string(each.container.cpus)}"


def keeps_its_set(before: State, action: Action, after: State) -> bool:
    return not _lost(before, after)


def _lost(before: State, after: State) -> list[tuple[Placed, Placed]]:
    """Containers that run before and after with another entry, or none."""
    later = {str(each): each for each in placed(after)}
    return [
        (each, then)
        for each in _running_exclusive(before)
        if (then := later.get(str(each))) is not None
        and then.running
        and then.container.instance == each.container.instance
        and each.entry is not None
        and then.entry != each.entry
    ]


def somebody_keeps(before: State, action: Action, after: State) -> bool:
    return any(each.entry for each in _running_exclusive(before))


def _explain_lost(before: State, action: Action, after: State) -> str:
    each, then = _lost(before, after)[0]
    assert each.entry is not None
    now = "no entry any more" if then.entry is None else f"CPUs {to_string(then.entry)}"
    return f"{each} runs with exclusive CPUs {to_string(each.entry)}; after {action} it has {now}"


# --- C5: after reconciling, shared containers are off exclusive CPUs ----------------------------------------------


def _knows_all(state: State) -> bool:
    return all(pod.seen == "yes" for pod in state.pods if pod.phase == "active")


def _trespassing(state: State) -> list[Placed]:
    assigned = _assigned(state)
    return [each for each in placed(state) if each.running and not each.wants and each.container.cpus & assigned]


def shared_off_exclusive(before: State, action: Action, after: State) -> bool:
    return not reconciles_shared(before, action, after) or not _trespassing(after)


def reconciles_shared(before: State, action: Action, after: State) -> bool:
    """A running kubelet that knows all its pods reconciles, and there is a shared container and an exclusive CPU."""
    if not (managed(after) and _knows_all(before) and before.kubelet.manager.sources_ready):
        return False
    return bool(_assigned(after)) and any(each.running and not each.wants for each in placed(after))


def _explain_trespassing(before: State, action: Action, after: State) -> str:
    each = _trespassing(after)[0]
    both = each.container.cpus & _assigned(after)
    return (
        f"{each} shares, and after reconciling it still may run on CPUs {to_string(both)}, which are exclusive: "
        f"its cpuset is {to_string(each.container.cpus)}, the shared pool {to_string(checkpoint(after).default)}"
    )


# --- C6: what pods leave behind -----------------------------------------------------------------------------------


def _index(state: State, pod: str) -> int:
    return pod_names(len(state.pods)).index(pod)


def is_gone(state: State, pod: str) -> bool:
    """The pod is through or deleted, and a kubelet runs that could clean up."""
    return managed(state) and state.pods[_index(state, pod)].phase in GONE


def cpus_returned(state: State, pod: str) -> bool:
    return not is_gone(state, pod) or not any(pod_entries(state, pod))


def ids_forgotten(state: State, pod: str) -> bool:
    """A pod that is noted as pending admission counts as there: that is what `cpus_returned` sees."""
    manager = state.kubelet.manager
    if manager.pending_admission_pod is not None and manager.pending_admission_pod.uid == pod:
        return True
    ids = [ref for _, ref in manager.container_map] + [key for key, _ in manager.memory.container_map]
    return not is_gone(state, pod) or all(ref[0] != pod for ref in ids)


def _explain_not_returned(state: State, pod: str) -> str:
    kept = NO_CPUS.union(*pod_entries(state, pod))
    return f"{pod} is {state.pods[_index(state, pod)].phase}, and CPUs {to_string(kept)} stay its own"


def _explain_not_forgotten(state: State, pod: str) -> str:
    return f"{pod} is {state.pods[_index(state, pod)].phase}, and containerMap keeps its containers for ever"


# --- C7 and C7': starts -------------------------------------------------------------------------------------------


def starts_unchanged(before: State, action: Action, after: State) -> bool:
    """The kubelet starts on the machine and with the configuration of its last start."""
    return before.node == before.kubelet.started_on


def restart_succeeds(before: State, action: Action, after: State) -> bool:
    if not starts_unchanged(before, action, after):
        return True
    if after.kubelet.phase != "up" or after.file is None:
        return False
    return before.file is None or after.file.state == before.file.state or before.file.state.default == NO_CPUS


def _explain_restart(before: State, action: Action, after: State) -> str:
    if after.kubelet.phase != "up":
        return f"nothing changed, and the kubelet does not start: {after.kubelet.error}"
    return "what the kubelet restored is not what it had written"


def comes_up(state: State, node: str) -> bool:
    """The kubelet runs, or its configured policy is none that exists."""
    return state.kubelet.phase == "up" or state.node.policy not in ("static", "none")


def is_down(state: State, node: str) -> bool:
    return state.kubelet.phase != "up"


def _explain_down(state: State, node: str) -> str:
    return f"the kubelet does not start, however often it tries: {state.kubelet.error}"


def runs_configured_policy(state: State) -> bool:
    return state.kubelet.phase != "up" or state.file is None or state.file.policy == state.kubelet.started_on.policy


def is_up(state: State) -> bool:
    return state.kubelet.phase == "up"


def _explain_policy(state: State) -> str:
    running = state.file.policy if state.file else ""
    return f"the configured policy is {state.kubelet.started_on.policy}, and the kubelet runs {running}"


# --- C8: what the scheduler counted -------------------------------------------------------------------------------


def _hoarders(state: State) -> list[tuple[str, int, int]]:
    """(pod, CPUs it holds, CPUs counted) of active pods that hold more than the scheduler counted."""
    found = []
    for name, spec in specs(state).items():
        held = len(NO_CPUS.union(*pod_entries(state, name)))
        if held > ceil(scheduler_request(spec)):
            found.append((name, held, ceil(scheduler_request(spec))))
    return found


def holds_what_was_counted(state: State) -> bool:
    return not managed(state) or not _hoarders(state)


def _explain_hoarding(state: State) -> str:
    pod, held, count = _hoarders(state)[0]
    return f"{pod} holds {held} exclusive CPUs, and the scheduler counted {count}"


def asks_for_counted_cpus(before: State, action: Action, after: State) -> bool:
    """A container with exclusive CPUs is allocated or started, and all pods together fit what the scheduler counts."""
    if not managed(before):
        return False
    pods = specs(before)
    names = pod_names(len(before.pods))
    by_index = {i: pods[name] for i, name in enumerate(names) if name in pods}
    node = before.kubelet.started_on
    container = pods[action["pod"]].container(action["container"])
    if container.cpu == "500m" or counted(before.pods, by_index) > len(node.cpus) - node.reserved:
        return False
    # With full-pcpus-only a container that asks for a part of a core is refused, as documented.
    return not (node.full_pcpus and int(container.cpu) % node.threads)


def counted_cpus_are_given(before: State, action: Action, after: State) -> bool:
    if not asks_for_counted_cpus(before, action, after):
        return True
    index = _index(before, action["pod"])
    if after.pods[index].phase == "failed":
        return False
    if action.name == "allocate":
        return True
    names = [each.name for each in pod_spec(action["pod"], before.pods[index].shape).containers]
    return after.pods[index].containers[names.index(action["container"])].state == "running"


def _explain_refused(before: State, action: Action, after: State) -> str:
    free = checkpoint(before).default - before.kubelet.reserved_cpus
    what = "the pod is rejected" if action.name == "allocate" else "the container does not start"
    return (
        f"the scheduler counted enough CPUs for {action['pod']}, and {what} at {action['container']}: "
        f"free are {to_string(free) or 'none'}; "
        + ", ".join(f"{'/'.join(owner(key))} has {to_string(cpus)}" for key, cpus in checkpoint(before).assignments)
    )


# --- C10 and full-pcpus-only --------------------------------------------------------------------------------------


def allocatable_is_unreserved(state: State) -> bool:
    if not managed(state):
        return True
    kubelet = state.kubelet
    return kubelet.manager.allocatable_cpus == kubelet.started_on.cpus - kubelet.reserved_cpus


def _explain_allocatable(state: State) -> str:
    told = to_string(state.kubelet.manager.allocatable_cpus)
    return f"the kubelet reports CPUs {told} as allocatable; {to_string(_assigned(state))} are exclusive now"


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


_STARTS = frozenset({"start_kubelet"})
_ENVIRONMENT = frozenset({"add_core", "offline_cpu", "grow_reserved", "set_policy", "delete_state_file"})
_PODS = frozenset(
    {"create_pod", "admit", "allocate", "start_container", "exit_container", "complete_pod", "delete_pod"}
)
_KUBELET = frozenset(
    {"sources_ready", "remove_container", "reconcile_state", "stop_kubelet", "start_kubelet", "crash_kubelet"}
)
_EVERY = _ENVIRONMENT | _PODS | _KUBELET

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
    sentence="No CPU belongs to two containers, but for an init container and the later ones of its own pod.",
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
    sentence="Reserved CPUs stay in the shared pool and are never exclusive.",
    broken_by=("allocate_reserved",),
    holds=reserved_stay_shared,
    premise=has_entries,
    explain=_explain_reserved,
)
ON_ITS_SET = Invariant(
    name="exclusive-on-its-set",
    sentence="A running container that was promised exclusive CPUs has an entry, and runs on exactly those CPUs.",
    broken_by=("reconcile_state_removing_terminated", "reconcile_state_removing", "active_pods_with_workers"),
    holds=exclusive_on_its_set,
    premise=runs_exclusive,
    explain=_explain_misplaced,
)
KEPT = StepInvariant(
    name="exclusive-set-kept",
    sentence="A running container's exclusive CPUs stay its own, whatever happens around it.",
    broken_by=("reconcile_state_removing", "active_pods_with_workers"),
    actions=_EVERY,
    holds=keeps_its_set,
    premise=somebody_keeps,
    explain=_explain_lost,
)
OFF_EXCLUSIVE = StepInvariant(
    name="shared-off-exclusive",
    sentence="After reconciling, no shared container may run on a CPU that belongs to another exclusively.",
    broken_by=("reconcile_state_telling_changes",),
    actions=frozenset({"reconcile_state"}),
    holds=shared_off_exclusive,
    premise=reconciles_shared,
    explain=_explain_trespassing,
)
RESTART = StepInvariant(
    name="restart-unchanged",
    sentence="On an unchanged machine the kubelet starts again, after a crash too, and restores what it had written.",
    broken_by=("allocate_returning_init_cpus", "remove_container_freeing_all"),
    actions=_STARTS,
    holds=restart_succeeds,
    premise=starts_unchanged,
    explain=_explain_restart,
)
POLICY = Invariant(
    name="runs-configured-policy",
    sentence="A running kubelet runs the CPU manager policy that it is configured with.",
    broken_by=("fall_back_to_none",),
    holds=runs_configured_policy,
    premise=is_up,
    explain=_explain_policy,
)
COUNTED = Invariant(
    name="holds-what-was-counted",
    sentence="No pod holds more exclusive CPUs than the scheduler counted for it.",
    broken_by=("allocate", "add_container_by_id"),
    holds=holds_what_was_counted,
    premise=has_entries,
    explain=_explain_hoarding,
)
GIVEN = StepInvariant(
    name="counted-cpus-are-given",
    sentence="A pod that fits what the scheduler counts is admitted, and its containers get their CPUs.",
    broken_by=("manager_allocate_as_it_is", "manager_add_container_taking_cpus"),
    actions=frozenset({"allocate", "start_container"}),
    holds=counted_cpus_are_given,
    premise=asks_for_counted_cpus,
    explain=_explain_refused,
)
ALLOCATABLE = Invariant(
    name="allocatable-is-unreserved",
    sentence="The CPUs reported as allocatable are all of the machine's but the reserved ones.",
    broken_by=("allocatable_cpus_free_now",),
    holds=allocatable_is_unreserved,
    premise=managed,
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
RETURNED = Liveness(
    name="gone-pods-return-cpus",
    sentence="The CPUs of a pod that is through or deleted return to the shared pool, by reconciling alone.",
    broken_by=("manager_allocate_pending", "reconcile_state_adding"),
    sort="pod",
    goal=cpus_returned,
    premise=is_gone,
    explain=_explain_not_returned,
    fair=frozenset({"reconcile_state", "sources_ready", "admit", "allocate"}),
    recurring=frozenset({"reconcile_state"}),
)
FORGOTTEN = Liveness(
    name="gone-pods-are-forgotten",
    sentence="Of a pod that is through or deleted, and not the last admitted, containerMap keeps nothing for ever.",
    broken_by=("remove_stale_assignments",),
    sort="pod",
    goal=ids_forgotten,
    premise=is_gone,
    explain=_explain_not_forgotten,
    fair=frozenset({"reconcile_state", "sources_ready", "admit", "allocate"}),
    recurring=frozenset({"reconcile_state"}),
)
COMES_UP = Liveness(
    name="kubelet-comes-up",
    sentence="A kubelet that is down comes up without an operator, also after CPUs, reserve or policy have changed.",
    broken_by=("validate_state", "validate_state_by_id"),
    sort="node",
    goal=comes_up,
    premise=is_down,
    explain=_explain_down,
    fair=frozenset({"start_kubelet"}),
    recurring=frozenset({"start_kubelet"}),
)

PROPERTIES: tuple[Property, ...] = (
    PARTITION, DISJOINT, APART, RESERVED, ON_ITS_SET, KEPT, OFF_EXCLUSIVE, RESTART, POLICY, COUNTED, GIVEN,
    ALLOCATABLE, WHOLE_CORES, RETURNED, FORGOTTEN, COMES_UP,
)  # fmt: skip
