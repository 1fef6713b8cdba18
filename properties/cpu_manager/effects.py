"""Effects of a change of the CPU manager's rules: starts, admissions, chosen CPUs, writes, updates.

Each operation in each state that the system reaches without the change is done under both choices of rules.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, frozen

from model.cpu.cpuset import CPUSet, to_string
from model.machine import Action
from model.systems.cpu_manager import CPUManagerSystem
from model.systems.cpu_manager.doing import Doing
from model.systems.cpu_manager.steps import Steps
from properties.compared_steps import Reached
from properties.cpu_manager.view import checkpoint, owner, placed
from properties.effect import Effect

OPERATIONS = frozenset(
    {"allocate", "start_container", "exit_container", "complete_pod", "delete_pod", "remove_container",
     "reconcile_state", "start_kubelet"}
)  # fmt: skip
_TAKES = frozenset({"allocate", "start_container"})


@frozen
class Compared:
    """One operation in one state, under the rules before and after."""

    state: CPUManagerSystem
    action: Action
    old: Doing
    new: Doing


@define
class _Tally:
    """The counts of one subject."""

    subject: str
    # In how many operations the subject differs, and in how many it was compared.
    changed: int = 0
    total: int = 0
    # The first difference.
    example: str | None = None

    def add(self, compared: Compared, old: Any, new: Any) -> None:
        self.total += 1
        if old != new:
            self.changed += 1
            self.example = self.example or f"{_place(compared)}: {old} -> {new}"


def effects_of_rules(reached: Iterable[Reached]) -> list[Effect]:
    """What differs in the operations of the reached states. Only what differs."""
    starts, admissions = _Tally("whether the kubelet starts"), _Tally("whether a container gets its CPUs")
    chosen, whole = _Tally("which CPUs a container is given"), _Tally("whole cores that a container is given")
    free, writes = _Tally("CPUs in the shared pool afterwards"), _Tally("writes of the state file")
    runs_on, memory = _Tally("CPUs that a running container is confined to"), _Tally("what the manager remembers")
    for each in _compare(reached):
        old, new = each.old, each.new
        if each.action.name == "start_kubelet":
            starts.add(each, _start(old), _start(new))
        if each.action.name in _TAKES:
            admissions.add(each, _admission(old), _admission(new))
            if old.error is None and new.error is None:
                given = _entry(each, old.after), _entry(each, new.after)
                chosen.add(each, *(to_string(cpus) or "none" for cpus in given))
                if each.state.node.threads > 1 and given[0]:
                    whole.add(each, *(_whole_cores(cpus, each.state) for cpus in given))
        free.add(each, len(checkpoint(old.after).default), len(checkpoint(new.after).default))
        writes.add(each, len(old.stores), len(new.stores))
        runs_on.add(each, _confined(old.after), _confined(new.after))
        memory.add(each, _remembered(old.after), _remembered(new.after))
    tallies = (starts, admissions, chosen, whole, free, writes, runs_on, memory)
    return [Effect(t.subject, t.changed, t.total, t.example, "operations") for t in tallies if t.changed]


def _compare(reached: Iterable[Reached]) -> Iterator[Compared]:
    for scope in reached:
        # An operation is more than a step: what is written, and which errors there are.
        before: Steps = scope.old.steps  # type: ignore[attr-defined]
        after: Steps = scope.new.steps  # type: ignore[attr-defined]
        for state in scope.states:
            for action in scope.old.actions(state):
                if action.name in OPERATIONS:
                    yield Compared(state, action, before.do(state, action), after.do(state, action))


def _place(compared: Compared) -> str:
    state = checkpoint(compared.state)
    entries = ", ".join(f"{'/'.join(owner(key))} {to_string(cpus)}" for key, cpus in state.assignments)
    return f"{compared.action} with shared pool {to_string(state.default) or 'empty'}, {entries or 'no entries'}"


def _start(doing: Doing) -> str:
    kubelet = doing.after.kubelet
    return "it starts" if kubelet.phase == "up" else f"refused ({kubelet.error})"


def _admission(doing: Doing) -> str:
    return "given" if doing.error is None else f"refused ({getattr(doing.error, 'text', 'it never returns')})"


def _entry(compared: Compared, after: CPUManagerSystem) -> CPUSet:
    """The exclusive CPUs of the operation's container after the operation; empty if the container has none."""
    ref = (compared.action["pod"], compared.action["container"])
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
