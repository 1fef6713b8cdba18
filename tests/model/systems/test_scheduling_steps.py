"""Steps of scheduling are declared once: their Go places exist in each release, and what is derived fits together."""

import json
import re

import pytest
from attrs import fields

from model.places import place_in
from model.releases import known_release, rules_for
from model.scope import powers_in
from model.systems.scheduling.actors import SCHEDULING, STEPS
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import SchedulingRules
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling.threads import SCHEDULER
from tests.conftest import ROOT

MINORS = (14, *range(16, 37))
# Each hold of a lock is an action of its own. Pods bound at the start and a second scheduler are for a coarser grain.
EVERYTHING = SchedulingScope(
    pods=2, nodes=2, **dict.fromkeys({*powers_in(SchedulingScope)} - {"bound_at_start", "second"}, 1)
)


def functions_in(minor: int) -> set[str]:
    """ "FILE FUNCTION" for each function that a readable release of the minor has, of those that steps name."""
    files = json.loads((ROOT / "tests/data/scheduler-functions.json").read_text("utf-8"))["files"]
    found = set()
    for file, functions in files.items():
        for function, minors in functions.items():
            for span in minors.split(", "):
                first, _, last = span.partition(" to ")
                if int(first[2:]) <= minor <= int((last or first)[2:]):
                    found.add(f"{file} {function}")
    return found


def rules_of(minor: int) -> SchedulingRules:
    return rules_for(SchedulingRules, known_release(f"1.{minor}"))


@pytest.mark.parametrize("minor", MINORS)
def test_the_place_of_each_step_is_in_the_sources_of_the_release(minor: int) -> None:
    """Each part of a place names one file, and functions that the file has there."""
    there, version = functions_in(minor), known_release(f"1.{minor}").version
    for name in STEPS.keys() - SCHEDULING.never_offered(EVERYTHING, rules_of(minor)):
        for part in place_in(STEPS[name].place, version).split(" -> "):
            if part.startswith("client-go ") or not re.search(r"\.go\b", part):
                continue
            file, _, functions = part.partition(" ")
            assert file.endswith(".go"), (name, part)
            assert part.count(".go") == 1, (name, part)
            if functions:
                assert {f"{file} {function}" for function in functions.split(", ")} <= there, (name, part)


def test_a_release_before_another_file_had_it_has_another_place() -> None:
    """What pages once said of 1.31: generic_scheduler.go, and skipPodSchedule in scheduler.go."""
    newest = known_release("1.31.13").version
    offered = STEPS.keys() - SCHEDULING.never_offered(EVERYTHING, rules_of(31))
    places = {place_in(STEPS[name].place, newest) for name in offered}
    assert not any("generic_scheduler.go" in place or "scheduler.go skip" in place for place in places)
    assert place_in(STEPS["schedule"].place, newest) == "schedule_one.go skipPodSchedule, schedulePod"


def test_a_name_is_declared_once_by_one_actor() -> None:
    names = [step.name for actor in SCHEDULING.actors for step in actor.STEPS]
    assert len(names) == len(set(names)) == len(STEPS)
    assert SchedulingMachine(EVERYTHING, rules_of(31)).action_names == tuple(STEPS)


def test_declarations_name_fields_bounds_and_steps_that_there_are() -> None:
    of_state, of_scope = ({field.name for field in fields(record)} for record in (Scheduling, SchedulingScope))
    for step in STEPS.values():
        assert {*getattr(step, "goroutines", ())} <= of_state, step.name
        assert step.powers <= of_scope, step.name
        assert {*step.part_of} <= STEPS.keys(), step.name
        assert bool(step.part_of) == bool(step.why), step.name
    assert SCHEDULER.need_snapshot <= STEPS.keys()


def test_what_is_an_action_of_its_own_is_part_of_none() -> None:
    """With `fine` every hold of a lock is an action; without, a part is offered only where nothing takes it along."""
    assert [step.name for step in STEPS.values() if step.part_of and not step.apart(EVERYTHING)] == [
        "choose",
        "second_choose",
    ]
    coarse = SchedulingScope(preemption=1, extender=1)
    assert [step.name for step in STEPS.values() if "bind_failed" in step.part_of and not step.apart(coarse)] == [
        "start_error_func", "finish_binding", "forget_pod", "move_after_forget",
    ]  # fmt: skip
    assert "delete_victims" in SCHEDULING.never_offered(coarse, rules_of(31))
    assert "delete_victims" not in SCHEDULING.never_offered(coarse, rules_of(18))


@pytest.mark.parametrize("minor", MINORS)
def test_steps_of_other_releases_are_left_out(minor: int) -> None:
    left_out = SCHEDULING.never_offered(EVERYTHING, rules_of(minor))
    own_goroutine = minor < 19
    assert ("get_pod" in left_out) is not own_goroutine
    assert ("post_filter" in left_out) is own_goroutine
    assert "choose" in left_out
