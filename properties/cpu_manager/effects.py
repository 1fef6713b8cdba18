"""Effects of a change of the CPU manager's rules: starts, admissions, chosen CPUs, writes, updates.

Each operation in each state that the system reaches without the change is done under both choices of rules.
"""

from collections.abc import Iterable

from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.types import Problem
from model.machine import Action
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerSystem
from properties.cpu_manager.view import checkpoint, owner, placed
from properties.effect import Effect, Reached, Taken, Tally

OPERATIONS = frozenset(
    {"allocate", "start_container", "exit_container", "complete_pod", "delete_pod", "remove_container",
     "reconcile_state", "start_kubelet"}
)  # fmt: skip
_TAKES = frozenset({"allocate", "start_container"})


class _Place:
    """Where an operation was compared, in words."""

    def __init__(self, step: Taken) -> None:
        self._step = step

    def __str__(self) -> str:
        state = checkpoint(self._step.state())
        entries = ", ".join(f"{'/'.join(owner(key))} {to_string(cpus)}" for key, cpus in state.assignments)
        return f"{self._step.action} with shared pool {to_string(state.default) or 'empty'}, {entries or 'no entries'}"


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the operations of the reached states. Only what differs."""
    starts, admissions = Tally("whether the kubelet starts"), Tally("whether a container gets its CPUs")
    chosen, whole = Tally("which CPUs a container is given"), Tally("whole cores that a container is given")
    free, writes = Tally("CPUs in the shared pool afterwards"), Tally("writes of the state file")
    runs_on, memory = Tally("CPUs that a running container is confined to"), Tally("what the manager remembers")
    for scope in reached:
        threads = scope.old.scope.threads  # type: ignore[attr-defined]
        for step in scope.steps:
            if step.action.name not in OPERATIONS:
                continue
            (stores, error), (new_stores, new_error) = step.said(_written)
            place, takes = _Place(step), step.action.name in _TAKES
            writes.add(place, stores, new_stores)
            if takes:
                admissions.add(place, _admission(error), _admission(new_error))
            given = takes and error is None and new_error is None
            if step.action.name == "start_kubelet":
                starts.add(place, _start(error), _start(new_error))
            if step.alike:
                for tally in (free, runs_on, memory):
                    tally.total += 1
                chosen.total += given
                whole.total += given and threads > 1 and bool(_entry(step.action, step.old()))
                continue
            old, new = step.old(), step.new()
            if given:
                entries = _entry(step.action, old), _entry(step.action, new)
                chosen.add(place, *(to_string(cpus) or "none" for cpus in entries))
                if threads > 1 and entries[0]:
                    whole.add(place, *(_whole_cores(cpus, step.state()) for cpus in entries))
            free.add(place, len(checkpoint(old).default), len(checkpoint(new).default))
            runs_on.add(place, _confined(old), _confined(new))
            memory.add(place, _remembered(old), _remembered(new))
    tallies = (starts, admissions, chosen, whole, free, writes, runs_on, memory)
    return [tally.effect("operations") for tally in tallies if tally.changed]


def _written(machine: CPUManagerMachine, state: CPUManagerSystem, action: Action) -> tuple[int, Problem | None]:
    """How many times the operation writes the file, and the error that it returns."""
    done = machine.steps.do(state, action)
    return len(done.stores), done.error


def _start(error: Problem | None) -> str:
    return "it starts" if error is None else f"refused ({getattr(error, 'text', 'it never returns')})"


def _admission(error: Problem | None) -> str:
    return "given" if error is None else f"refused ({getattr(error, 'text', 'it never returns')})"


def _entry(action: Action, after: CPUManagerSystem) -> CPUSet:
    """The exclusive CPUs of the operation's container after the operation; empty if the container has none."""
    ref = (action["pod"], action["container"])
    return next((each.entry or frozenset() for each in placed(after) if (each.pod, each.name) == ref), frozenset())


def _whole_cores(cpus: CPUSet, state: CPUManagerSystem) -> int:
    threads = state.node.threads
    return sum(
        cpus >= frozenset(range(first, first + threads)) for first in range(0, state.node.cores * threads, threads)
    )


def _confined(state: CPUManagerSystem) -> str:
    return ", ".join(f"{each} on {to_string(each.container.cpus)}" for each in placed(state) if each.running) or "none"


def _remembered(state: CPUManagerSystem) -> str:
    """A memory in short: the pending pod, CPUs to reuse, containers that were told, containers in the maps."""
    manager = state.kubelet.manager
    pending = manager.pending_admission_pod
    reuse = ", ".join(f"{pod} {to_string(cpus)}" for pod, cpus in manager.memory.cpus_to_reuse if cpus)
    told = ", ".join(f"{'/'.join(ref)} {to_string(cpus)}" for ref, cpus in manager.last_update_state)
    parts = (
        f"pending {pending.uid}" if pending else "",
        f"reusable {reuse}" if reuse else "",
        f"told {told}" if told else "",
        f"{len(manager.container_map) + len(manager.memory.container_map)} containers mapped",
    )
    return "; ".join(part for part in parts if part)
