"""At which exit of a cycle Done is called, and which updates SchedulingGates waits for: release by release."""

import pytest

from model.evidence import cell
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.scheduler.done import DoneRules
from model.scheduler.events_to_register import SchedulingGatesRules


@pytest.mark.parametrize(
    ("release", "skipped", "phase", "again"),
    [
        ("1.28.0-beta.0", False, "Bind", True),
        ("1.28.0", False, "Bind", False),
        ("1.28.3", False, "Bind", False),
        ("1.31.14", False, "Bind", False),
        # Release notes: #126962 and #120586 are of 1.32.0-alpha.1.
        ("1.32.0-alpha.1", True, "PreBind", False),
        ("1.32.0", True, "PreBind", False),
        ("1.32.13", True, "PreBind", False),
    ],
)
def test_the_exits_of_a_cycle_that_call_done(release: str, skipped: bool, phase: str, again: bool) -> None:
    rules = rules_for(DoneRules, parse_release(release, EVERY_MINOR))
    assert rules.done_when_skipped() is skipped
    assert rules.done_without_profile() is (skipped and release != "1.32.0-alpha.1")
    assert rules.done_in_binding() == phase
    assert rules.done_again_after_bind_error() is again


@pytest.mark.parametrize(
    ("release", "off", "on"),
    [("1.28.3", 1, 1), ("1.29.0", 0, 0), ("1.30.14", 0, 0), ("1.31.13", 0, 1), ("1.32.0", 0, 1)],
)
def test_scheduling_gates_waits_for_updates_of_a_pod_in_some_releases(release: str, off: int, on: int) -> None:
    rules = rules_for(SchedulingGatesRules, parse_release(release, EVERY_MINOR))
    assert (len(rules.gates_events(False)), len(rules.gates_events(True))) == (off, on)


def test_the_go_function_is_that_of_the_release() -> None:
    def place(field: str, release: str) -> tuple[str, str]:
        found = cell(field, parse_release(release, EVERY_MINOR))
        return found.place.removeprefix("pkg/scheduler/"), found.evidence

    assert place("done_when_skipped", "1.29.0") == ("schedule_one.go scheduleOne", "read")
    assert place("done_when_skipped", "1.31.13") == ("schedule_one.go ScheduleOne", "read")
    assert place("done_in_binding", "1.32.2") == ("schedule_one.go bindingCycle", "read")
