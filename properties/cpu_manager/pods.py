"""Properties of pods: which CPUs pods get, and that the CPUs of a pod that is gone return to the shared pool."""

from math import ceil

from model.cpu.cpuset import to_string
from model.machine import Action
from model.systems.cpu_manager.pods import counted, pod_names
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.shapes import SHARED, pod_spec, scheduler_request
from properties.cpu_manager.view import GONE, NO_CPUS, checkpoint, has_entries, managed, owner, pod_entries, specs
from properties.property import Invariant, Liveness, StepInvariant

State = CPUManagerSystem


# --- what pods leave behind ------------------------------------------------------------------------------------------


def _index(state: State, pod: str) -> int:
    return pod_names(len(state.pods)).index(pod)


def is_gone(state: State, pod: str) -> bool:
    """Whether the pod has ended or is deleted, and a kubelet runs that can clean up."""
    return managed(state) and state.pods[_index(state, pod)].phase in GONE


def cpus_returned(state: State, pod: str) -> bool:
    return not is_gone(state, pod) or not any(pod_entries(state, pod))


def ids_forgotten(state: State, pod: str) -> bool:
    """Whether no map has a container of the pod. `cpus_returned` judges a pod that is noted as pending admission."""
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


# --- what the scheduler counted --------------------------------------------------------------------------------------


def _hoarders(state: State) -> list[tuple[str, int, int]]:
    """Active pods with more CPUs than the scheduler counted: the pod, how many CPUs it has, how many were counted."""
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
    if container.cpu == SHARED or counted(before.pods, by_index) > len(node.cpus) - node.reserved:
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
RETURNED = Liveness(
    name="gone-pods-return-cpus",
    sentence="The CPUs of a pod that is through or deleted return to the shared pool, by reconciling alone.",
    broken_by=("manager_allocate_pending", "reconcile_state_adding"),
    sorts=("pod",),
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
    sorts=("pod",),
    goal=ids_forgotten,
    premise=is_gone,
    explain=_explain_not_forgotten,
    fair=frozenset({"reconcile_state", "sources_ready", "admit", "allocate"}),
    recurring=frozenset({"reconcile_state"}),
)
