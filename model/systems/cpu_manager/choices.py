"""With `numbering`: what an operation does under every numbering of the machine's CPUs, one action for each outcome.

The release picks among equal CPUs by their numbers. A machine's numbers are what its firmware makes them, so with this
switch an operation may take what it would take under any numbering that keeps cores together. That is more than one
machine does in a run: what holds here holds for each of them, and a violation has to be found again without the switch.
"""

from collections.abc import Callable, Iterator
from typing import Any

from model.cpu.assignment.assignment import AssignmentRules
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.types import StaticPolicyOptions
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.systems.cpu_manager.kubelet import packed
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.symmetry import numberings

Outcomes = tuple[CPUSet | GoError, ...]
Choices = tuple[CPUSet, ...]


class AnyNumbering:
    """The release's choice of CPUs under any numbering.

    An operation runs between `prescribe` and `open`: what its choices are to be, and where none was prescribed, the
    outcomes of the first of them.
    """

    def __init__(self, scope: CPUManagerScope, rules: AssignmentRules) -> None:
        self._scope, self._rules, self._take = scope, rules, packed(rules)
        self._known: dict[tuple[Callable[..., Any], CPUTopology, CPUSet, int], Outcomes] = {}
        self._prescribed: list[CPUSet] = []
        self.open: Outcomes = ()

    def prescribe(self, chosen: Choices) -> None:
        self._prescribed, self.open = list(chosen), ()

    def outcomes(self, topology: CPUTopology, available: CPUSet, num: int, options: StaticPolicyOptions) -> Outcomes:
        """All that the release takes of `available` under some numbering, ascending."""
        key = (self._rules.take_by_topology, topology, available, num)
        found = self._known.get(key)
        if found is None:
            taken: dict[CPUSet | GoError, None] = {}
            for place in numberings(self._scope):
                back = {new: old for old, new in place.items()}
                got = self._take(topology, frozenset(place[cpu] for cpu in available), num, options)
                taken[got if isinstance(got, GoError) else frozenset(back[cpu] for cpu in got)] = None
            found = self._known[key] = tuple(sorted(taken, key=_text))
        return found

    def __call__(
        self, topology: CPUTopology, available: CPUSet, num: int, options: StaticPolicyOptions
    ) -> CPUSet | GoError:
        """The next prescribed choice; where none is, the first of several, which are then `open`."""
        outcomes = self.outcomes(topology, available, num, options)
        if len(outcomes) == 1:
            return outcomes[0]
        if self._prescribed:
            return self._prescribed.pop(0)
        self.open = self.open or outcomes
        return outcomes[0]


def _text(taken: CPUSet | GoError) -> str:
    return taken.text if isinstance(taken, GoError) else to_string(taken)


def sequences(run: Callable[[Choices], Outcomes]) -> Iterator[Choices]:
    """The choices that lead through an operation to its end, one sequence for each way.

    `run` does the operation with these choices, and gives what is open then.
    """
    todo: list[Choices] = [()]
    while todo:
        chosen = todo.pop()
        following = run(chosen)
        if following:
            todo += [(*chosen, each) for each in reversed(following) if not isinstance(each, GoError)]
        else:
            yield chosen
