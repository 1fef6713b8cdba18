"""A Go test that plays the kept run of a bug on a checkout, and asserts the property on Go's own values."""

import textwrap
from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.kept import kept_releases
from kubeproof.bugs.played import trace_digest
from kubeproof.bugs.runs import KeptRun
from kubeproof.go.further_tests import GoTest, go_test_of
from kubeproof.players.player import CannotPlayError, Player, literal
from kubeproof.players.registry import player_of
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import Facts, System, fact_text
from kubeproof.verdict.trace import Step, Trace
from kubeproof.verdict.violation import violation
from model.machine import Action, Machine
from model.releases import Release, known_release, rules_for
from properties.go import WHY_NO_FORM, go_form, go_name
from properties.property import Liveness, Property

# How often the actions of a lasso's cycle are taken again before the property is asked.
ROUNDS = 20
_WIDTH = 116


@frozen
class Played:
    """The kept run of a bug as it goes under the rules of a release."""

    test: GoTest
    # The release of the checkout, whose rules say what is expected.
    release: Release
    machine: Machine[Any]
    trace: Trace
    # The actions that go round for ever, after those of `trace`.
    cycle: tuple[Action, ...]
    # What is wrong first under these rules; None if nothing is.
    wrong: str | None
    # Why the kept run ends earlier under these rules; "" if it does not.
    ends: str

    @property
    def bug(self) -> Bug:
        return self.test.bug

    @property
    def digest(self) -> str:
        """What tells the run from any other."""
        return trace_digest(self.test.run)


def played_run(test: GoTest, release: Release, rules: Any = None) -> Played:
    """The run of `test` under the rules of `release`. Raises CannotPlayError if the system does not know `release`.

    `rules`: others in their place.
    """
    bug, kept = test.bug, test.run
    system = system_named(bug.system)
    if release.minor not in system.minors:
        raise CannotPlayError(f"{system.name} knows 1.{system.minors[0]} to 1.{system.minors[-1]}")
    machine = system.machine(kept.scope, rules or rules_for(system.rules_class, release))
    actions, loop = kept.actions, kept.loop
    trace, ends = _as_far(machine, actions)
    closes = loop is not None and not ends and trace.steps[loop].state == trace.last
    trace = evolve(trace, loop=loop if closes else None)
    wrong = _first_wrong(machine, system.property_named(bug.violates), trace)
    cycle = () if loop is None or ends else actions[loop:]
    return Played(test, release, machine, trace, cycle, wrong, ends)


def _first_wrong(machine: Machine[Any], property: Property, trace: Trace) -> str | None:
    """What is wrong where the property is violated first, since a test asks it after each action too."""
    if isinstance(property, Liveness):
        return violation(machine, property, trace)
    found = (violation(machine, property, Trace(trace.steps[:end])) for end in range(1, len(trace.steps) + 1))
    return next((wrong for wrong in found if wrong is not None), None)


def _as_far(machine: Machine[Any], actions: tuple[Action, ...]) -> tuple[Trace, str]:
    """The run that takes these actions as long as they are enabled, and why it ends before the last of them."""
    steps = [Step(None, machine.initial_states()[0])]
    for number, action in enumerate(actions, 1):
        state = steps[-1].state
        if action not in set(machine.actions(state)):
            return Trace(tuple(steps)), f"action {number}, {action}, is not enabled"
        steps.append(Step(action, machine.step(state, action)))
    return Trace(tuple(steps)), ""


def form_of(bug: Bug) -> str | None:
    """The Go file with the property of `bug`: of its system, or of one that it extends and that asks the same.

    None if the property has no form in Go.
    """
    system = system_named(bug.system)
    form = go_form(system.name, bug.violates)
    for name in system.extends:
        same = [each for each in system_named(name).properties if each is system.property_named(bug.violates)]
        form = form or (go_form(name, bug.violates) if same else None)
    return form


def go_test_file(test: GoTest, release: Release | None, package_clause: str, halves: str) -> str:
    """The Go file with `test`. Raises CannotPlayError if Go cannot play its run.

    `release`: None is that of the test, or of the bug.
    """
    run, body = body_of(test, release, halves)
    lines = [f"package {package_clause}", "", 'import "testing"', ""]
    lines += [f"// {line}".rstrip() for line in _head(run, system_named(run.bug.system))]
    lines.append(f"func {run.test.name}(t *testing.T) {{")
    lines += [f"\t{line}".rstrip() for line in body]
    return "\n".join([*lines, "}", ""])


def body_of(test: GoTest, release: Release | None, halves: str) -> tuple[Played, list[str]]:
    """The run of `go_test_file`, and the lines of the test's body. Raises CannotPlayError if Go cannot play the run."""
    bug, further = test.bug, test.further
    player = player_of(bug.system)
    if form_of(bug) is None:
        why = WHY_NO_FORM.get((bug.system, bug.violates), "nobody has written it")
        raise CannotPlayError(f"the property {bug.violates} of {bug.system} has no form in Go: {why}")
    run = played_run(test, release or known_release((further and further.release) or bug.release))
    if run.ends:
        raise CannotPlayError(f"under the rules of {run.release} the kept run ends: {run.ends}")
    return run, list(_body(run, player, system_named(bug.system), halves))


def why_not_played(bug: Bug | ComponentBug, release: Release | None = None, run: KeptRun | None = None) -> str:
    """Why no Go test plays the kept run of `bug` on the code of `release`; "" if one can be written.

    `release`: None is that of the bug. `run`: the run, if it is not kept yet.
    """
    if isinstance(bug, ComponentBug):
        return "components show this bug, so that there is no run to play"
    why = _why(bug, release, run)
    if why or release is not None:
        return why
    player = player_of(bug.system)
    if player.releases and all(_why(bug, known_release(each), run) for each in player.releases):
        return f"the run goes in no release whose code the driver {player.driver} plays: {', '.join(player.releases)}"
    return ""


def _why(bug: Bug, release: Release | None, run: KeptRun | None) -> str:
    try:
        body_of(go_test_of(bug) if run is None else GoTest(bug, run), release, "")
    except CannotPlayError as error:
        return str(error)
    return ""


def _head(run: Played, system: System) -> Iterator[str]:
    bug = run.bug
    property = system.property_named(bug.violates)
    what = "the kept run of" if run.test.further is None else f"with {run.test.further.run}"
    yield from _wrapped(f"{run.test.name} plays {what} {bug.id}: {bug.title}.")
    yield ""
    yield from _wrapped(f"{bug.violates}: {property.sentence}")
    yield ""
    shown = [f"{row.first} to {row.last}" for row in kept_releases(bug) if row.shown]
    yield from _wrapped(f"Releases with the bug, of those that are modelled: {', '.join(shown) or 'none'}.")
    for name, addresses in (("Issue", bug.issues), ("Fix", bug.fixes)):
        for address in addresses:
            yield f"{name}: {address}"
    if not bug.issues:
        yield "No upstream report is known."
    if run.wrong is None:
        yield ""
        yield from _wrapped(f"Under the rules of {run.release} the property holds in this run.")


def _body(run: Played, player: Player, system: System, halves: str) -> Iterator[str]:
    bug, further = run.bug, run.test.further
    property = system.property_named(bug.violates)
    of = {
        "Bug": bug.id, "Release": str(run.release), "Trace": run.digest, "Halves": halves,
        "Property": bug.violates, "Actions": run.trace.length,
    }  # fmt: skip
    if further is not None:
        of["Run"] = further.run
    literal_of = "playedRun{" + ", ".join(f"{name}: {literal(value)}" for name, value in of.items()) + "}"
    yield from player.begin(run.machine, literal_of, () if further is None else further.fields)
    if not isinstance(property, Liveness):
        yield f"k.mustHold({go_name(form_of(bug) or '')})"
    old: Facts = {}
    for number, step in enumerate(run.trace.steps):
        if step.action is not None:
            yield ""
            before = run.trace.steps[number - 1].state
            for line in _wrapped(f"{number}. {system.sentence(before, step.action, step.state)}"):
                yield f"// {line}"
            yield player.call(step.action, before)
        new = player.facts(step.state)
        yield from _state(old, new)
        old = new
    if isinstance(property, Liveness):
        yield from _for_ever(run, player)


def _state(old: Facts, new: Facts) -> Iterator[str]:
    """The line that compares the state: the facts that changed."""
    changes = [f"{subject} = {fact_text(fact)}" for subject, fact in new.items() if old.get(subject) != fact]
    changes += [f"{subject} = gone" for subject in old if subject not in new]
    texts = [literal(change) for change in changes]
    if len(texts) <= 1:
        yield f"k.state({', '.join(texts)})"
        return
    yield "k.state("
    yield from (f"\t{text}," for text in texts)
    yield ")"


def _for_ever(run: Played, player: Player) -> Iterator[str]:
    yield ""
    if run.cycle:
        yield "// However often this goes on:"
        yield f"for i := 0; i < {ROUNDS}; i++ {{"
        yield from (f"\t{player.call(action, run.trace.last)}" for action in run.cycle)
        yield "}"
    yield f"k.finally({go_name(form_of(run.bug) or '')})"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
