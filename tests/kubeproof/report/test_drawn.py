"""What the viewer is given says the same as the told run, and no fact is left without a lane."""

import json
from collections.abc import Collection
from functools import cache
from typing import Any

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.kept import Reproduction, reproduce
from kubeproof.report.drawn import HOLDS, SILENT, VIOLATED, drawn_run, drawn_system
from kubeproof.systems.picture import Cards, Columns, Grid, Places
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.scheduler_picture import PICTURE as SCHEDULER
from kubeproof.systems.system import System
from model.releases import known_release, rules_for
from properties.property import Invariant

# One of each system stays fast.
SOME = {bug.system: bug for bug in reversed(BUGS)}
EACH_BUG = pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, marks=() if bug in SOME.values() else pytest.mark.slow) for bug in BUGS],
    ids=lambda bug: bug.id,
)


def drawn(bug: Bug) -> tuple[Reproduction, dict[str, Any]]:
    found = reproduce(bug)
    assert found.trace is not None
    system, release = system_named(bug.system), known_release(bug.release)
    machine = system.machine(found.scope, rules_for(system.rules_class, release))
    return found, drawn_run(system, release, machine, bug.violates, found.trace)


def folded(differences: list[dict[str, Any]]) -> list[dict[str, Any]]:
    states: list[dict[str, Any]] = []
    for each in differences:
        old = states[-1] if states else {}
        states.append({key: fact for key, fact in {**old, **each}.items() if fact is not None})
    return states


@EACH_BUG
def test_the_differences_add_up_to_the_facts(bug: Bug) -> None:
    found, run = drawn(bug)
    assert found.trace is not None
    system = system_named(bug.system)
    states = [step.state for step in found.trace.steps]
    assert folded(run["facts"]) == [system.facts(state) for state in states]
    assert folded(run["drawn"]) == [dict(system.picture.drawn(state)) for state in states]
    assert json.loads(json.dumps(run))["loop"] == found.trace.loop


@EACH_BUG
def test_a_property_is_judged_in_each_state(bug: Bug) -> None:
    found, run = drawn(bug)
    assert found.trace is not None
    system = system_named(bug.system)
    first, letters, _ = run["properties"][0]
    assert system.properties[first].name == bug.violates
    assert letters[-1] == VIOLATED
    for number, letters, why in run["properties"]:
        assert set(letters) <= {HOLDS, VIOLATED, SILENT}
        property = system.properties[number]
        if isinstance(property, Invariant):
            wrong = [at for at, step in enumerate(found.trace.steps) if not property.holds(step.state)]
            assert wrong == [at for at, letter in enumerate(letters) if letter == VIOLATED] == list(why)


@EACH_BUG
def test_whoever_acts_and_what_is_changed_has_a_lane(bug: Bug) -> None:
    _, run = drawn(bug)
    picture = system_named(bug.system).picture
    lanes = run["lanes"]
    assert all(any(lane == known or lane.startswith(f"{known} ") for known in picture.lanes) for lane in lanes)
    used = {lane for action in run["actions"] for lane in (action["by"], *action["to"])}
    assert used == set(range(len(lanes)))
    assert len(run["actions"]) == len(run["facts"]) - 1


def test_the_flagship() -> None:
    _, run = drawn(bug_named("NODETREE-CURSOR"))
    assert run["lanes"] == ["handlers of nodes", "nodeTree", "scheduling cycle", "snapshot"]
    assert [action["text"] for action in run["actions"]][-2:] == ["add_node n3 z2", "update_snapshot"]
    assert [(action["by"], action["to"]) for action in run["actions"]][-2:] == [(0, [1]), (2, [1, 3])]


def test_a_binding_and_the_next_cycle_of_one_pod_are_two_lanes() -> None:
    _, run = drawn(bug_named("QH-NO-BROADCAST"))
    by = [run["lanes"][action["by"]] for action in run["actions"]]
    assert by[:5] == ["users and others", "informer", *["scheduling cycle"] * 3]
    assert by[5:9] == ["binding of p1"] * 4


def test_a_delivery_is_the_informer_s_where_the_handlers_stand_in_another_file() -> None:
    _, run = drawn(bug_named("QUEUE-LOST-MOVE-FLAG"))
    by = {run["lanes"][each["by"]] for each in run["actions"] if each["text"].startswith("deliver_")}
    assert by == {"informer"}


def test_what_a_second_scheduler_does_is_in_its_own_lanes() -> None:
    _, run = drawn(bug_named("TWO-SCHEDULERS-OVERCOMMIT"))
    second = [action for action in run["actions"] if action["text"].startswith("second_")]
    assert second
    assert all(run["lanes"][action["by"]].startswith("second ") for action in second)


@cache
def subjects(name: str) -> frozenset[str]:
    """What the facts of the kept runs of a system are about."""
    runs = [drawn(bug)[1] for bug in BUGS if bug.system == name]
    return frozenset(subject for run in runs for each in (*run["facts"], *run["drawn"]) for subject in each)


# What no kept run shows: a handler of all pods that has something left to do, and a PATCH that is waited for.
UNSEEN = {"handler of pods", "the way back to the queue waits for"}


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_each_pattern_of_a_picture_fits_something(system: System) -> None:
    """In the states of the kept runs: a panel of a fact that has another name would never be drawn."""
    every = frozenset[str]().union(*map(subjects, SYSTEMS))
    shared = {pattern for panel in SCHEDULER.panels for pattern in patterns(panel)}
    for panel in system.picture.panels:
        for pattern in patterns(panel):
            # A second scheduler has the panels of the first. What schedulers share, one of them shows.
            one = pattern.removeprefix("second ")
            assert one in UNSEEN or fits(one, every if one in shared else subjects(system.name)), pattern


def patterns(panel: Columns | Places | Cards | Grid) -> list[str]:
    if isinstance(panel, Columns):
        return [each for each in (*panel.subjects, panel.cursor, panel.order, panel.turn) if each]
    if isinstance(panel, Places):
        return [panel.of, panel.chips, panel.note] if panel.note else [panel.of, panel.chips]
    return list(panel.subjects) if isinstance(panel, Cards) else [panel.cells]


def fits(pattern: str, found: Collection[str]) -> bool:
    parts = pattern.split("*")
    return any(subject.startswith(parts[0]) and all(part in subject for part in parts) for subject in found)


def test_all_runs_of_a_system_share_its_panels() -> None:
    system = SYSTEMS["node-listing"]
    shared = drawn_system(system)
    assert [panel["kind"] for panel in shared["panels"]] == ["Columns", "Columns"]
    assert [name for name, _ in shared["properties"]] == [each.name for each in system.properties]
