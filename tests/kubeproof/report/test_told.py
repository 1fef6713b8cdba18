"""Runs told: every action has its sentence, everything that changes shows, and nothing that does not."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from attrs import evolve, fields

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.kept import reproduce
from kubeproof.engines.explicit import Limits, explore
from kubeproof.report.terminal import WIDTH, run_text
from kubeproof.report.told import changes, kept_run, told
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import System
from kubeproof.verdict.trace import Trace
from model.machine import Action
from model.releases import known_release, rules_for

EACH_BUG = pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)

# Fields that say nothing of Kubernetes: what a run has used up of its scope; how often a name was created, which the
# UIDs show; whether the tree has changed since the snapshot. A snapshot shows while a cycle reads it.
SILENT = {"used", "incarnations", "fresh", "snapshot"}


reproduced = cache(reproduce)


def run_of(bug: Bug) -> Trace:
    trace = reproduced(bug).trace
    assert trace is not None
    return trace


def transitions(trace: Trace) -> Iterator[tuple[Any, Action, Any]]:
    for before, step in zip(trace.steps, trace.steps[1:], strict=False):
        assert step.action is not None
        yield before.state, step.action, step.state


def without_times(value: Any) -> Any:
    """A value of scheduling's state without what only orders its queue, and the numbers of its cycles."""
    if hasattr(value, "pod_backoff"):
        untimed = {
            name: tuple(evolve(info, timestamp=0) for info in getattr(value, name))
            for name in ("active", "backoff", "unschedulable")
        }
        backoff = tuple(evolve(entry, last_update=0) for entry in value.pod_backoff)
        return evolve(value, pod_backoff=backoff, **untimed)
    if hasattr(value, "pod_states"):
        over = {entry.deadline: entry.deadline and min(max(entry.deadline, -1), 0) for entry in value.pod_states}
        states = tuple(evolve(entry, deadline=over[entry.deadline]) for entry in value.pod_states)
        nodes = tuple(evolve(info, generation=0) for info in value.nodes)
        return evolve(value, generation=0, nodes=nodes, pod_states=states)
    return value


def without_numbers(value: Any) -> str:
    """What a controller leaves alone: it gives UIDs anew, wherever they stand."""
    return re.sub(r"#\d+", "#", repr(value))


@EACH_BUG
def test_whatever_an_action_changes_shows(bug: Bug) -> None:
    """Field by field: with only this field changed, the facts are others."""
    system = system_named(bug.system)
    for before, action, after in transitions(run_of(bug)):
        for field in fields(type(before)):
            old, new = getattr(before, field.name), getattr(after, field.name)
            if field.name in SILENT or without_times(old) == without_times(new):
                continue
            if action.name == "replace_pod" and without_numbers(old) == without_numbers(new):
                continue
            # Which powers were used says whether the sizes of nodes are told.
            told = evolve(before, used=after.used) if hasattr(before, "used") else before
            shown = list(changes(system.facts(told), system.facts(evolve(told, **{field.name: new}))))
            assert shown, f"{action} changes {field.name}, and nobody is told"


@EACH_BUG
def test_nothing_shows_that_did_not_change(bug: Bug) -> None:
    system = system_named(bug.system)
    release = known_release(bug.release)
    for before, action, after in transitions(run_of(bug)):
        subjects = [change.subject for change in told(system, release, before, action, after).changes]
        old, new = system.facts(before), system.facts(after)
        assert subjects == [s for s in new if old.get(s) != new[s]] + [s for s in old if s not in new]
        assert not told(system, release, before, action, before).changes


@EACH_BUG
def test_the_last_action_says_what_fails(bug: Bug) -> None:
    run = kept_run(reproduced(bug))
    assert f"{bug.violates}: {run.broke}" in run.actions[-1].broken
    assert all(not line.startswith(bug.violates) for action in run.actions[:-1] for line in action.broken)


@EACH_BUG
def test_a_run_fits_a_terminal(bug: Bug) -> None:
    """But for what has no blank to break at, and for the command."""
    *lines, again = run_text(kept_run(reproduced(bug)))
    assert again.startswith("  again: kubeproof check ")
    assert all(len(line) <= WIDTH or len(line.split()) == 1 for line in lines)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
@pytest.mark.parametrize("release", ["1.13.0", "1.17.10", "1.22.3", "1.31.0"])
def test_every_action_has_a_sentence_of_its_own(system: System, release: str) -> None:
    """Of each action in many states: no sentence that is the raw action, no record that nobody has words for."""
    at = known_release(release)
    machine = system.machine(system.scopes.large, rules_for(system.rules_class, at))
    run = explore(machine, symmetry=False, limits=Limits(states=400))
    seen: set[str] = set()
    for number in range(0, run.counts.distinct, 3):
        before = run.state(number)
        for action in machine.actions(before):
            found = told(system, at, before, action, machine.step(before, action))
            assert found.sentence.endswith(".")
            assert f"{action.name}(" not in found.sentence
            texts = [text for change in found.changes for text in (change.subject, change.text)]
            assert not any("=(" in text or "None" in text or "frozenset" in text for text in texts), texts
            seen.add(action.name)
    assert len(seen) > 3
