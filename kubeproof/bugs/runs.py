"""The runs that are kept of a bug: the one of its page, those of its questions, and further ones.

A page has a shortest run of one release. Other releases may lack this run and still have the bug, and the bug may
violate further properties in other runs. So `runs.json` beside the page has the run of the page, then those that answer
its questions, then one for each release and property of the bug that no other kept run shows. Actions are kept, and a
digest of each state, since states are computed. `make counterexamples` writes the file.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypedDict

from attrs import field, frozen

from kubeproof.bugs.bug import Bug
from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from kubeproof.input.structure import misfit
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import kept_scope_text
from kubeproof.verdict.itf import state_digest
from kubeproof.verdict.trace import Step, Trace
from kubeproof.verdict.violation import violation
from kubeproof.visible import shortened
from model.machine import Action, Machine
from model.releases import Release, known_release, rules_for
from properties.property import Invariant, Property, StepInvariant

RUNS = "runs.json"


@frozen
class KeptRun:
    """A run that is kept of a bug: what it takes to play it again."""

    bug: Bug
    # A property that the run violates. It may violate others too, and is the same run.
    property: str = field(eq=False)
    # A release that has this run, and where it violates the property.
    release: str
    scope: Any
    actions: tuple[Action, ...]
    # As in `Trace`.
    loop: int | None = None
    # A digest of each state, the initial one first, as they were when the run was kept; none of a new run.
    states: tuple[str, ...] = field(default=(), eq=False)

    def machine(self, release: Release | None = None) -> Machine[Any]:
        """The system in the run's scope, under the rules of `release`. None: of the run's own."""
        system = system_named(self.bug.system)
        return system.machine(self.scope, rules_for(system.rules_class, release or known_release(self.release)))

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

    def is_sound(self, machine: Machine[Any]) -> bool:
        """Whether `machine` has the run and does not violate the property in it."""
        trace = self.played(machine)
        property = system_named(self.bug.system).property_named(self.property)
        return trace.length == len(self.actions) and violation(machine, property, trace) is None


class _Run(TypedDict):
    property: str
    release: str
    scope: str
    loop: int | None
    # The digest of the initial state.
    initial: str
    # Each with its arguments, and the digest of the state after it.
    actions: list[list[Any]]


class _Document(TypedDict):
    """The form of runs.json."""

    bug: str
    system: str
    runs: list[_Run]


@cache
def kept_runs(bug_id: str) -> tuple[KeptRun, ...]:
    """The kept runs of the bug, the one of its page first. Raises InputError if the file is missing or damaged."""
    from kubeproof.bugs.catalogue import bug_named

    return _beside_page(bug_named(bug_id))


def kept_run(bug: Bug) -> KeptRun:
    """The run of the bug's page. Raises InputError as `kept_runs`."""
    return _beside_page(bug)[0]


def further_kept(bug: Bug) -> tuple[KeptRun, ...]:
    """The kept runs of the bug besides those that its page tells; none if the file is missing or damaged."""
    try:
        return _beside_page(bug)[1 + len(bug.questions) :]
    except InputError:
        return ()


def _beside_page(bug: Bug) -> tuple[KeptRun, ...]:
    file = files("counterexamples") / bug.folder / RUNS
    return read_runs(bug, file, f"counterexamples/{bug.folder}/{RUNS}", 1 + len(bug.questions))


# What a document that is none of runs ends in, where its parts are read.
_NO_RUN = (ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError)


def read_runs(bug: Bug, file: Traversable, place: str, least: int = 1) -> tuple[KeptRun, ...]:
    """The runs of `bug` in `file`, which messages call `place`: `least` or more. Raises InputError."""
    try:
        document = json_value(file.read_text(encoding="utf-8"))
        wrong = misfit(document, _Document)
        if wrong is None:
            runs = tuple(_read(bug, run) for run in document["runs"])
            if document["system"] == bug.system and len(runs) >= least:
                return runs
            wrong = f"{len(runs)} of {shortened(document['system'])}, not {least} or more of {bug.system}"
    except OSError as error:
        wrong = type(error).__name__
    except _NO_RUN as error:
        wrong = f"{type(error).__name__}: {shortened(str(error), 200)}"
    raise InputError(f"{place}: missing or damaged, {wrong}: expected runs; `make counterexamples` writes them")


def _read(bug: Bug, run: _Run) -> KeptRun:
    """Raises one of `_NO_RUN`."""
    system, actions, states = system_named(bug.system), [], [run["initial"]]
    for name, args, digest in run["actions"]:
        actions.append(Action(name, tuple(args.items())))
        states.append(digest)
    hash(tuple(actions))  # an argument is no list
    known_release(run["release"])
    loop, scope = run["loop"], system.parse_scope(run["scope"])
    if loop is not None and not 0 <= loop <= len(actions):
        raise ValueError(f"loop {loop}: expected the number of a state, 0 to {len(actions)}")
    violates = system.property_named(run["property"]).name
    return KeptRun(bug, violates, run["release"], scope, tuple(actions), loop, tuple(states))


def runs_text(bug: Bug, runs: Iterable[KeptRun]) -> str:
    """The content of runs.json: an action on a line. The digests are those of the states as they are now."""
    told = []
    for run in runs:
        first, *after = run.played(run.machine()).steps
        of = {
            "property": run.property,
            "release": run.release,
            "scope": kept_scope_text(run.scope),
            "loop": run.loop,
            "initial": state_digest(first.state),
        }
        lines = ",\n    ".join(
            json.dumps([action.name, dict(action.args), state_digest(step.state)])
            for action, step in zip(run.actions, after, strict=True)
        )
        told.append(f'  {json.dumps(of)[:-1]}, "actions": [\n    {lines}]}}')
    head = json.dumps({"bug": bug.id, "system": bug.system})[:-1]
    return f'{head}, "runs": [\n' + ",\n".join(told) + "\n]}\n"


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
