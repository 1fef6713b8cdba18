"""No operation of the CPU manager fails that would not have to.

An error of an allocation is needless if the container has its CPUs already, or if there are enough CPUs for it. Errors
of a start are the subject of `restart-unchanged`.
"""

from model.go.errors import MetError
from model.machine import Action
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.shapes import SHARED
from properties.cpu_manager.view import checkpoint, managed, placed, specs
from properties.property import ErrorInvariant

State = CPUManagerSystem


def _whole_cores(state: State) -> int:
    """How many CPUs there are in cores of which every CPU is in the shared pool and not reserved."""
    free = checkpoint(state).default - state.kubelet.reserved_cpus
    node = state.kubelet.started_on
    cores = (frozenset(range(at, at + node.threads)) for at in range(0, node.cores * node.threads, node.threads))
    return sum(len(core) for core in cores if core <= free)


def enough(state: State, pod: str, container: str) -> bool:
    """Whether the container has its CPUs, or the shared pool has as many as the container asks for."""
    if any((each.pod, each.name) == (pod, container) and each.entry is not None for each in placed(state)):
        return True
    cpu = specs(state)[pod].container(container).cpu
    if cpu == SHARED:
        return True
    wants, node = int(cpu), state.kubelet.started_on
    if node.full_pcpus:
        return wants % node.threads == 0 and wants <= _whole_cores(state)
    return wants <= len(checkpoint(state).default - state.kubelet.reserved_cpus)


def needless(before: State, action: Action, error: MetError) -> bool:
    return enough(before, action["pod"], action["container"])


def allocates(before: State, action: Action, after: State) -> bool:
    """Whether a kubelet with the static policy allocates for a pod that it knows."""
    return managed(before) and action["pod"] in pod_names(len(before.pods))


def _explain(before: State, action: Action, error: MetError) -> str:
    return f"{error.function} answers '{error.text}', though {error.about} has its CPUs or there are enough"


NO_NEEDLESS_ERROR = ErrorInvariant(
    name="no-needless-error",
    sentence="No allocation fails for a container that has its CPUs, or for which there are enough.",
    broken_by=("smt_alignment_error",),
    actions=frozenset({"allocate", "start_container"}),
    needless=needless,
    premise=allocates,
    explain=_explain,
)
