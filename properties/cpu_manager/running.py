"""Properties of running containers: on which CPUs they run."""

from model.cpu.cpuset import to_string
from model.machine import Action
from model.systems.cpu_manager.records import CPUManagerSystem
from properties.cpu_manager.view import Placed, assigned, checkpoint, managed, placed, running_exclusive, runs_exclusive
from properties.property import Invariant, StepInvariant

State = CPUManagerSystem


# --- an exclusive container runs on its CPUs, and keeps them ---------------------------------------------------------


def _misplaced(state: State) -> list[Placed]:
    return [each for each in running_exclusive(state) if each.container.cpus != each.entry]


def exclusive_on_its_set(state: State) -> bool:
    return not managed(state) or not _misplaced(state)


def _explain_misplaced(state: State) -> str:
    each = _misplaced(state)[0]
    has = "has no entry in the state" if each.entry is None else f"is to have CPUs {to_string(each.entry)}"
    return f"{each} asked for {each.wants} exclusive CPUs, {has} and runs on {to_string(each.container.cpus)}"


def keeps_its_set(before: State, action: Action, after: State) -> bool:
    return not _lost(before, after)


def _lost(before: State, after: State) -> list[tuple[Placed, Placed]]:
    """Containers that run before and after, and whose entry is another one or gone."""
    later = {str(each): each for each in placed(after)}
    return [
        (each, then)
        for each in running_exclusive(before)
        if (then := later.get(str(each))) is not None
        and then.running
        and then.container.instance == each.container.instance
        and each.entry is not None
        and then.entry != each.entry
    ]


def somebody_keeps(before: State, action: Action, after: State) -> bool:
    return any(each.entry for each in running_exclusive(before))


def _explain_lost(before: State, action: Action, after: State) -> str:
    each, then = _lost(before, after)[0]
    assert each.entry is not None
    now = "no entry any more" if then.entry is None else f"CPUs {to_string(then.entry)}"
    return f"{each} runs with exclusive CPUs {to_string(each.entry)}; after {action} it has {now}"


# --- after reconciling, shared containers are off exclusive CPUs -----------------------------------------------------


def _knows_all(state: State) -> bool:
    return all(pod.seen == "yes" for pod in state.pods if pod.phase == "active")


def _trespassing(state: State) -> list[Placed]:
    taken = assigned(state)
    return [each for each in placed(state) if each.running and not each.wants and each.container.cpus & taken]


def shared_off_exclusive(before: State, action: Action, after: State) -> bool:
    return not reconciles_shared(before, action, after) or not _trespassing(after)


def reconciles_shared(before: State, action: Action, after: State) -> bool:
    """Whether a kubelet that knows all its pods reconciles, with a shared container and an exclusive CPU."""
    if not (managed(after) and _knows_all(before) and before.kubelet.manager.sources_ready):
        return False
    return bool(assigned(after)) and any(each.running and not each.wants for each in placed(after))


def _explain_trespassing(before: State, action: Action, after: State) -> str:
    each = _trespassing(after)[0]
    both = each.container.cpus & assigned(after)
    return (
        f"{each} shares, and after reconciling it still may run on CPUs {to_string(both)}, which are exclusive: "
        f"its cpuset is {to_string(each.container.cpus)}, the shared pool {to_string(checkpoint(after).default)}"
    )


_ENVIRONMENT = frozenset({"add_core", "offline_cpu", "grow_reserved", "set_policy", "delete_state_file"})
_PODS = frozenset(
    {"create_pod", "admit", "allocate", "start_container", "exit_container", "complete_pod", "delete_pod"}
)
_KUBELET = frozenset(
    {"sources_ready", "remove_container", "reconcile_state", "stop_kubelet", "start_kubelet", "crash_kubelet"}
)
_EVERY = _ENVIRONMENT | _PODS | _KUBELET

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
    broken_by=("reconcile_state_removing",),
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
