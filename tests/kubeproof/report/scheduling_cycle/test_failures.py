"""What is undone after a failure: the table follows from driven cycles, and says what the pages say."""

import pytest

from kubeproof.report.scheduling_cycle.driven import MIDDLE, NEW, NOTHING, OLD, Failing, left, phases, run
from kubeproof.report.scheduling_cycle.failures import FAILINGS, TOLD, TOLD_SHORT, aftermath, diagram, points, shortened
from model.releases import Release
from model.scheduler.framework.calls import Event
from model.scheduler.framework.status import Code

SOME = (OLD[0], OLD[-1], MIDDLE[0], MIDDLE[-1], NEW[0], NEW[-1])
EARLY = (*OLD, *MIDDLE)


@pytest.mark.parametrize("release", SOME, ids=str)
def test_every_failure_strikes_in_a_cycle_that_succeeds_without_it(release: Release) -> None:
    assert any(isinstance(call, Event) and call.reason == "Scheduled" for call in run(release, NOTHING).calls)
    missed = [failing.what for failing in FAILINGS if run(release, failing).failed_at is None]
    assert missed == (["PreScore"] if release in OLD else [])


@pytest.mark.parametrize("release", SOME, ids=str)
def test_only_a_failed_reserve_up_to_1_18_leaves_something(release: Release) -> None:
    """CYCLE-RESERVE-NO-UNRESERVE."""
    found = {failing.what for failing in FAILINGS if left(run(release, failing))}
    assert found == ({"Reserve"} if release in EARLY else set())
    if release in EARLY:
        assert left(run(release, Failing("Reserve", plugin="R2"))) == ("what R1 reserved",)
        assert left(run(release, Failing("Reserve", plugin="R1"))) == ()


def test_what_is_given_back_comes_in_reverse_from_1_19_on() -> None:
    assert aftermath(run(NEW[-1], Failing("Permit")))[:3] == ["Unreserve R2", "Unreserve R1", "ForgetPod"]
    assert aftermath(run(NEW[0], Failing("Permit")))[:3] == ["Unreserve R2", "Unreserve R1", "ForgetPod"]
    for release in (OLD[-1], MIDDLE[-1]):
        assert aftermath(run(release, Failing("Permit")))[:3] == ["ForgetPod", "Unreserve R1", "Unreserve R2"]


def test_a_rejected_pod_is_told_of_before_others_are_moved() -> None:
    rejected = shortened(aftermath(run(NEW[-1], Failing("wait", Code.UNSCHEDULABLE))))
    failed = shortened(aftermath(run(NEW[-1], Failing("wait"))))
    assert rejected[-2:] == [TOLD_SHORT, "MoveAllToActiveOrBackoffQueue"]
    assert failed[-2:] == ["MoveAllToActiveOrBackoffQueue", TOLD_SHORT]
    assert shortened(["a", *TOLD]) == ["a", TOLD_SHORT]
    assert shortened(["a"]) == ["a"]


def test_permit_is_asked_in_the_goroutine_in_1_17_and_in_the_cycle_later() -> None:
    for release, part in ((OLD[-1], 1), (NEW[-1], 0)):
        assert "Permit" in phases(release)[part]
        assert "wait for Permit" in phases(release)[1]
        assert f'["{phases(release)[1][0]}"]' in diagram(release)
    old, new = (phases(release)[0] for release in (OLD[-1], NEW[-1]))
    assert old.index("Reserve") < old.index("AssumePod")
    assert new.index("AssumePod") < new.index("Reserve")


@pytest.mark.parametrize("release", SOME, ids=str)
def test_the_points_are_those_of_the_driven_cycles(release: Release) -> None:
    asked = ("AssumePod", "DeleteNominatedPodIfExists", "Reserve", "Permit", "wait for Permit", "PreBind", "Bind")
    cycle, binding = ([words for words in part if words in asked] for part in phases(release))
    assert cycle == points(release, "points_in_cycle")
    assert binding == points(release, "points_in_binding")
    for failing, field in (
        (Failing("Reserve", plugin="R2"), "after_failed_reserve"),
        (Failing("AssumePod"), "after_failed_assume"),
        (Failing("Permit"), "after_failed_permit"),
    ):
        words = [words.split(" R")[0] for words in shortened(aftermath(run(release, failing)))]
        assert list(dict.fromkeys(words)) == points(release, field)
