"""What an operation of cpu-manager does, as a record, and a memory of what was done in one state."""

from attrs import field, frozen

from model.cpu.cpuset import CPUSet
from model.cpu.policy.types import Problem
from model.cpu.state.state import CPUManagerState
from model.machine import Action
from model.systems.cpu_manager.choices import Choices, Outcomes
from model.systems.cpu_manager.records import CPUManagerSystem


@frozen
class Doing:
    """A whole operation."""

    # The state after the operation.
    after: CPUManagerSystem
    # Every state that the operation wrote to the file, in order.
    stores: tuple[CPUManagerState, ...] = ()
    error: Problem | None = None
    # Errors that the operation logs, and goes on.
    logged: tuple[Problem, ...] = field(default=(), eq=False)
    # (container id, CPUs) of each UpdateContainerResources, in order.
    updates: tuple[tuple[str, CPUSet], ...] = ()
    # With the bound `numbering`: the outcomes of the first choice of CPUs that is still open.
    open: Outcomes = ()


class Latest:
    """What was done in one state: to say which actions it enables, some have to be done already."""

    def __init__(self) -> None:
        self._state: CPUManagerSystem | None = None
        self._done: dict[tuple[Action, int, Choices], Doing] = {}

    def done_in(self, state: CPUManagerSystem) -> dict[tuple[Action, int, Choices], Doing]:
        if state is not self._state:
            self._state, self._done = state, {}
        return self._done
