"""A cycle call by call in 1.19 to 1.27, of which there are no recordings: what the Go source of each release says."""

import pytest

from model.releases import parse_release, rules_for
from model.scheduler.framework.calls import Event, PatchStatus, PluginCall, QueueCall
from model.scheduler.framework.status import Code
from model.scheduler.scheduling_cycle import CycleCallRules
from tests.model.scheduler.test_schedule_one import calls, check_what_an_end_leaves, failures

RELEASES = ("1.19.4", "1.20.8", "1.22.6", "1.23.5", "1.24.4", "1.25.12", "1.26.4", "1.27.8")
NO_FIT = ("F1", "Filter", Code.UNSCHEDULABLE)


def told(release: str, plugin: str, point: str, code: Code) -> PatchStatus:
    """What the condition says after the failure."""
    (patch,) = (each for each in calls(release, (plugin, point, code)) if isinstance(each, PatchStatus))  # type: ignore[arg-type]
    return patch


@pytest.mark.parametrize("release", RELEASES)
def test_every_failure_gives_back_what_was_taken_and_nobody_is_told_that_a_pod_is_done(release: str) -> None:
    for failing in failures():
        check_what_an_end_leaves(calls(release, failing), tells_done=False)
        check_what_an_end_leaves(calls(release, ("P1", "Permit", Code.WAIT), failing), tells_done=False)
    for permit in (Code.SUCCESS, Code.UNSCHEDULABLE):
        asked = calls(release, ("P1", "Permit", Code.WAIT), permit=permit)
        check_what_an_end_leaves(asked, tells_done=False)


@pytest.mark.parametrize(
    ("release", "plugin", "point", "text"),
    [
        ("1.19.4", "R2", "Reserve", 'error while running Reserve in "R2" reserve plugin for pod "p": no'),
        ("1.20.8", "R2", "Reserve", 'running Reserve plugin "R2": no'),
        ("1.19.4", "F1", "Filter", 'running "F1" filter plugin for pod "p": no'),
        ("1.20.8", "F1", "Filter", 'running "F1" filter plugin for pod "p": no'),
        ("1.22.6", "F1", "Filter", 'running "F1" filter plugin: no'),
        ("1.19.4", "PF1", "PreFilter", 'prefilter plugin "PF1" failed for pod "p": no'),
        ("1.23.5", "PF1", "PreFilter", 'running PreFilter plugin "PF1": no'),
        ("1.24.4", "PF1", "PreFilter", 'running PreFilter plugin "PF1": %!w(<nil>)'),
        ("1.26.4", "PF1", "PreFilter", 'running PreFilter plugin "PF1": no'),
        ("1.19.4", "B1", "Bind", 'Binding rejected: plugin "B1" failed to bind pod "ns/p": no'),
        ("1.25.12", "B1", "Bind", 'binding rejected: running Bind plugin "B1": no'),
        ("1.26.4", "B1", "Bind", 'running Bind plugin "B1": no'),
    ],
)
def test_the_text_of_an_error(release: str, plugin: str, point: str, text: str) -> None:
    assert told(release, plugin, point, Code.ERROR).message == text


@pytest.mark.parametrize(
    ("release", "point", "plugin", "reason"),
    [
        ("1.25.12", "PreBind", "PB1", "SchedulerError"),
        ("1.26.4", "PreBind", "PB1", "Unschedulable"),
        ("1.19.4", "Permit", "P1", "Unschedulable"),
        ("1.27.8", "Reserve", "R1", "SchedulerError"),
        ("1.28.14", "Reserve", "R1", "Unschedulable"),
    ],
)
def test_a_rejection_is_an_error_where_the_release_passes_none_on(
    release: str, point: str, plugin: str, reason: str
) -> None:
    assert told(release, plugin, point, Code.UNSCHEDULABLE).reason == reason


@pytest.mark.parametrize(
    ("release", "reason"),
    [("1.23.5", "Unschedulable"), ("1.24.4", "Unschedulable"), ("1.24.9", "SchedulerError"),
     ("1.25.0", "Unschedulable"), ("1.25.2", "SchedulerError"), ("1.27.8", "SchedulerError")],
)  # fmt: skip
def test_the_reason_of_an_error_before_a_host_is_chosen(release: str, reason: str) -> None:
    assert told(release, "F1", "Filter", Code.ERROR).reason == reason


@pytest.mark.parametrize(
    ("release", "text"),
    [
        ("1.19.4", "0/2 nodes are available: 2 no."),
        ("1.23.5", "0/2 nodes are available: 2 no."),
        ("1.24.4", "0/2 nodes are available: 2 no. no"),
        ("1.26.4", "0/2 nodes are available: 2 no. no."),
        ("1.29.4", "0/2 nodes are available: 2 no. no"),
    ],
)
def test_what_a_failure_says_of_nodes_and_of_post_filter(release: str, text: str) -> None:
    asked = calls(release, NO_FIT, ("PoF1", "PostFilter", Code.UNSCHEDULABLE))
    (patch,) = (each for each in asked if isinstance(each, PatchStatus))
    assert patch.message == text


@pytest.mark.parametrize(("release", "moves"), [("1.22.6", 0), ("1.23.5", 1), ("1.25.12", 1), ("1.27.8", 1)])
def test_others_hear_of_the_room_of_a_failed_binding_from_1_23_on(release: str, moves: int) -> None:
    asked = calls(release, ("B1", "Bind", Code.ERROR))
    found = [each for each in asked if isinstance(each, QueueCall) and each.function.startswith("Move")]
    assert len(found) == moves


def test_an_event_is_cut_off_as_the_patch_does_it() -> None:
    long = "x" * 2000
    for release, length in (("1.19.7", 2000), ("1.19.8", 1024), ("1.20.2", 2000), ("1.20.3", 1024), ("1.22.6", 1024)):
        assert len(rules_for(CycleCallRules, parse_release(release)).event_text(long)) == length


def test_up_to_1_23_1_a_failure_leaves_the_nomination_alone() -> None:
    for release, nominated in (("1.22.6", None), ("1.23.1", None), ("1.23.2", ""), ("1.27.8", "")):
        asked = calls(release, ("R1", "Reserve", Code.ERROR))
        (add,) = (each for each in asked if isinstance(each, QueueCall) and each.function == "AddNominatedPod")
        assert add.nominated == nominated, release


def test_pre_score_is_not_asked_for_a_single_node_and_a_success_writes_one_event() -> None:
    asked = calls("1.19.4")
    assert [each.text for each in asked if isinstance(each, Event)] == ["Successfully assigned ns/p to n1"]
    assert any(isinstance(each, PluginCall) and each.point == "PreScore" for each in asked)
