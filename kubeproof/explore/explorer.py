"""The explorer: `start`, `take`, `undo`, `look`, `search`. JSON in, JSON out.

It has no state but a few machines that were made: each question has the whole run, so that a link does. Plain Python,
without what a browser lacks: no process, no thread, no file.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kubeproof.errors import InputError, RuleError
from kubeproof.explore.goals import searched
from kubeproof.explore.look import seen
from kubeproof.explore.run import MachineOf, Run, Side, machine_of_release, taken
from kubeproof.explore.saved import saved
from kubeproof.report.drawn import action_text
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from kubeproof.visible import shortened
from model.machine import Machine

Json = dict[str, Any]
_MACHINES = 8  # that are kept: two sides, and those of other pages


class Explorer:
    """What answers a page. `machine_of`: the machine of a side; without one there are releases, and no fix."""

    def __init__(self, machine_of: MachineOf = machine_of_release) -> None:
        @lru_cache(maxsize=_MACHINES)
        def made(system: str, scope: Any, side: Side) -> Machine[Any]:
            return machine_of(system_named(system), scope, side)

        def machine(system: System, scope: Any, side: Side) -> Machine[Any]:
            return made(system.name, scope, side)

        self._machine_of: MachineOf = machine
        self._questions: dict[str, Callable[[Json], Json]] = {
            "start": self.start,
            "take": self.take,
            "undo": self.undo,
            "look": self.look,
            "search": self.search,
            "save": self.save,
        }

    def answer(self, question: str, asked: Any) -> Json:
        """What one of the functions below says, by its name; {"error": a line} for wrong input."""
        try:
            if question not in self._questions:
                raise InputError(f"'{shortened(question)}' is not a question: expected {', '.join(self._questions)}")
            if not isinstance(asked, dict):
                raise InputError(f"{question}: no object: expected one with a run")
            return self._questions[question](asked)
        except (InputError, RuleError) as error:
            return {"error": str(error)}

    def start(self, asked: Json) -> Json:
        """{"run"}: what is seen in the first state of the system, whatever actions the run has."""
        run = _read(asked)
        return seen(_with(run, ()), self._machine_of)

    def take(self, asked: Json) -> Json:
        """{"run", "at", "action"}: what is seen after the action of this text, taken in state `at` of the run."""
        run, at = _read(asked), _at(asked)
        text = asked.get("action")
        if not isinstance(text, str):
            raise InputError("take: action: no text: expected that of an enabled action")
        return seen(_with(run, (*run.actions[:at], text)), self._machine_of)

    def undo(self, asked: Json) -> Json:
        """{"run"}: what is seen without the last action of the run."""
        run = _read(asked)
        return seen(_with(run, run.actions[:-1]), self._machine_of)

    def look(self, asked: Json) -> Json:
        """{"run", "at"}: what is seen in state `at` of the run; without `at` in the last."""
        return seen(_read(asked), self._machine_of, _at(asked))

    def search(self, asked: Json) -> Json:
        """{"run", "at", "goal"}: `said`, what was found, with what is seen after the run to the goal."""
        run, at = _read(asked), _at(asked)
        machine = self._machine_of(run.system, run.scope, run.side)
        begun = taken(machine, run.actions[:at])
        found = searched(run.system, machine, begun, asked.get("goal"))
        if found.trace is None:
            return {"said": found.said}
        texts = (*run.actions[: begun.length], *map(action_text, found.trace.actions))
        return {"said": found.said, **seen(_with(run, texts), self._machine_of)}

    def save(self, asked: Json) -> Json:
        """{"run", "at", "as": "itf" or "pytest"}: the run up to `at` as a file, its `name` and its `text`."""
        run, at = _read(asked), _at(asked)
        machine = self._machine_of(run.system, run.scope, run.side)
        return saved(run, machine, taken(machine, run.actions[:at]), asked.get("as"))


def _read(asked: Json) -> Run:
    return Run.read(asked.get("run"))


def _at(asked: Json) -> int | None:
    at = asked.get("at")
    if at is not None and (type(at) is not int or at < 0):
        raise InputError(f"at: {shortened(repr(at))} is not the number of a state: expected one from 0 on")
    return at


def _with(run: Run, actions: tuple[str, ...]) -> Run:
    return Run(run.system, run.scope, run.side, actions, run.against)
