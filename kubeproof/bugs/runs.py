"""The runs that are kept of a bug: the one of its page, those of its questions, and further ones.

A page has a shortest run of one release. Other releases may lack this run and still have the bug, and the bug may
violate further properties in other runs. So `further-runs.json` beside the page has a run for each release and property
of the bug that no other kept run shows: actions only, since states are computed. `make counterexamples` writes it.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, TypedDict

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.kept import kept_document
from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from kubeproof.input.structure import misfit
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import kept_scope_text
from kubeproof.verdict.itf import actions_of
from kubeproof.verdict.trace import Step, Trace
from kubeproof.verdict.violation import violation
from kubeproof.visible import shortened
from model.machine import Action, Machine
from model.releases import known_release
from properties.property import Invariant, Property, StepInvariant

FURTHER_RUNS = "further-runs.json"


@frozen
class KeptRun:
    """A run that is kept of a bug: what it takes to play it again."""

    bug: Bug
    # A release that has this run, and where it violates a property of the bug.
    release: str
    scope: Any
    actions: tuple[Action, ...]
    # As in `Trace`.
    loop: int | None = None

    def played(self, machine: Machine[Any]) -> Trace:
        """The run in `machine`, as far as the machine has it. A lasso that does not close is a run that ends."""
        state = machine.initial_states()[0]
        steps = [Step(None, state)]
        for action in self.actions:
            if action not in machine.actions(state):
                return Trace(tuple(steps))
            state = machine.step(state, action)
            steps.append(Step(action, state))
        closes = self.loop is not None and steps[self.loop].state == state
        return Trace(tuple(steps), self.loop if closes else None)


class _Run(TypedDict):
    release: str
    scope: str
    loop: int | None
    actions: list[list[Any]]


class _Document(TypedDict):
    """The form of further-runs.json."""

    bug: str
    runs: list[_Run]


@cache
def kept_runs(bug_id: str) -> tuple[KeptRun, ...]:
    """The kept runs of the bug, the one of its page first. Raises InputError if a file is missing or damaged."""
    from kubeproof.bugs.catalogue import bug_named

    bug = bug_named(bug_id)
    of_questions = (f"-question-{number}" for number, _ in enumerate(bug.questions, 1))
    return (*(_of_page(bug, which) for which in ("", *of_questions)), *runs_beside_page(bug))


# What a document that is none of runs ends in, where its parts are read.
_NO_RUN = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, InputError)


def _of_page(bug: Bug, which: str) -> KeptRun:
    document, system = kept_document(bug, which), system_named(bug.system)
    try:
        scope = system.parse_scope(document["#meta"]["scope"])
        return _checked(KeptRun(bug, bug.release, scope, actions_of(document), document.get("loop")))
    except _NO_RUN as error:
        what = f"{type(error).__name__}: {shortened(str(error), 200)}"
    raise InputError(f"counterexamples/{bug.folder}: not a trace of {bug.system}: {what}")


def _checked(run: KeptRun) -> KeptRun:
    """`run`, if its release is one, and its lasso closes in one of its states. Raises ValueError."""
    known_release(run.release)
    if run.loop is not None and not 0 <= run.loop <= len(run.actions):
        raise ValueError(f"loop {run.loop}: expected the number of a state, 0 to {len(run.actions)}")
    return run


def runs_beside_page(bug: Bug) -> tuple[KeptRun, ...]:
    """The kept runs of the bug besides those that its page tells. Raises InputError if the file is damaged."""
    file = files("counterexamples") / bug.folder / FURTHER_RUNS
    if not file.is_file():
        return ()
    place, system = f"counterexamples/{bug.folder}/{FURTHER_RUNS}", system_named(bug.system)
    try:
        document = json_value(file.read_text(encoding="utf-8"))
        wrong = misfit(document, _Document)
        if wrong is None:
            return tuple(
                _checked(
                    KeptRun(
                        bug,
                        run["release"],
                        system.parse_scope(run["scope"]),
                        tuple(Action(name, tuple(args.items())) for name, args in run["actions"]),
                        run["loop"],
                    )
                )
                for run in document["runs"]
            )
    except _NO_RUN as error:
        wrong = f"{type(error).__name__}: {shortened(str(error), 200)}"
    raise InputError(f"{place}: damaged, {wrong}: expected runs; `make counterexamples` writes them")


def further_runs_text(bug: Bug, runs: Iterable[KeptRun]) -> str:
    """The content of further-runs.json: an action on a line."""
    told = []
    for run in runs:
        actions = ",\n    ".join(json.dumps([action.name, dict(action.args)]) for action in run.actions)
        head = {"release": run.release, "scope": kept_scope_text(run.scope), "loop": run.loop}
        told.append(f'  {json.dumps(head)[:-1]}, "actions": [\n    {actions}]}}')
    return f'{{"bug": {json.dumps(bug.id)}, "runs": [\n' + ",\n".join(told) + "\n]}\n"


def first_violations(
    machine: Machine[Any], properties: Iterable[Property], trace: Trace
) -> dict[str, tuple[Trace, str]]:
    """By property what `trace`, a run of `machine`, violates anywhere: the run until there, and what is wrong then."""
    found = {}
    for property in properties:
        asked = property.of(machine)
        at = _first_bad(asked, trace)
        if at is not None:
            until = Trace(trace.steps[: at + 1], trace.loop if at == trace.length else None)
            wrong = violation(machine, property, until)
            if wrong is not None:
                found[property.name] = until, wrong
    return found


def _first_bad(property: Property, trace: Trace) -> int | None:
    """The number of the first state in which, or on the way to which, an asked `property` fails; None if in none."""
    steps = trace.steps
    if isinstance(property, Invariant):
        return next((n for n, step in enumerate(steps) if not property.holds(step.state)), None)
    if isinstance(property, StepInvariant):
        for n in range(1, len(steps)):
            action = steps[n].action
            assert action is not None
            if action.name in property.actions and not property.holds(steps[n - 1].state, action, steps[n].state):
                return n
        return None
    # A liveness property speaks of the lasso as a whole.
    return trace.length if trace.loop is not None else None
