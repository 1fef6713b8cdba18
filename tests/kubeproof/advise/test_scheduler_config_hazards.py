"""What `kubeproof scheduler-config` answers: numbers, and hazards with their runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_config.hazards import Hazard
from kubeproof.advise.scheduler_config.numbers import cycle_time
from kubeproof.advise.scheduler_config.profiles import merged_profiles
from kubeproof.advise.scheduler_config.reading import decoded, read_files
from kubeproof.advise.scheduler_config.runs import Scheduler, driver, pod_named
from model.releases import parse_release, rules_for
from model.scheduler.filtering import FilteringRules, FilterSetup, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import ExtenderAnswer, ExtenderCall, PluginAnswer, PluginCall, driven
from model.scheduler.framework.status import SUCCESS, Code, Status
from tests.conftest import DATA
from tests.kubeproof.advise.scheduler_configs import (
    GPU,
    Ask,
    asker,
    command,
    configuration,
    disabled,
    enabled,
    extender,
    plugins,
    policy,
)

Captured = pytest.CaptureFixture[str]
COSCHEDULING = str(DATA / "scheduler-config-coscheduling.yaml")


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


def hazards(answer: Any) -> dict[str, Hazard]:
    """The hazards that the default configuration does not have, by kind."""
    return {each.kind: each for each in answer.hazards if not each.default_too}


# --- numbers ----------------------------------------------------------------------------------------------------------

SLOW = [
    extender("a", httpTimeout="2s", prioritizeVerb="p", weight=1),
    extender("b", preemptVerb="e", ignorable=True),
    extender("c", httpTimeout="90s", bindVerb="bind"),
]


def test_filters_and_preempts_are_summed_and_the_slowest_prioritize_counts_once(ask: Ask) -> None:
    cycle = ask(configuration(extenders=SLOW), "1.31").cycle
    assert cycle is not None
    assert (cycle.fits, cycle.preempts, cycle.nominated, cycle.bind) == (97 + 2, 97 + 5, 97 + 97 + 5, 90)
    # Before 1.22 a nominated node was not tried first.
    older = ask(configuration("v1beta1", extenders=SLOW), "1.21").cycle
    assert older is not None
    assert older.nominated == 97 + 5


def test_the_queries_per_second_may_be_no_whole_number(ask: Ask) -> None:
    assert ask(configuration(clientConnection={"qps": 50.5, "burst": 100}), "1.31").verdict == "none"


@pytest.mark.parametrize("nominated", ["", "n1"])
def test_the_longest_cycle_is_what_a_run_of_the_model_takes(tmp_path: Path, nominated: str) -> None:
    """Every call is answered just in time: the Filter calls are added up, and Prioritize is asked at the same time."""
    path = tmp_path / "c.json"
    path.write_text(json.dumps(configuration(extenders=SLOW)))
    document = read_files([path]).document
    assert document is not None
    given = decoded(document, 31)
    scheduler = Scheduler(given, merged_profiles(given, parse_release("1.31.13"))[0], parse_release("1.31.13"))
    spans = {"http://a": 2, "http://b": 5, "http://c": 90}
    full = [nominated]

    def answer(call: Any) -> Any:
        match call:
            # The nominated node passes all filters, and the last extender refuses it the first time.
            case ExtenderCall(extender="http://b", verb="Filter") if full[0]:
                full[0] = ""
                return ExtenderAnswer(refused=(("n1", "taken"),))
        return None

    calls = driver(scheduler, pod_named("p", nominated), answer).go().calls
    filters = sum(spans[call.extender] for call, _ in calls if isinstance(call, ExtenderCall) and call.verb == "Filter")
    asked = {call.extender for call, _ in calls if isinstance(call, ExtenderCall) and call.verb == "Prioritize"}
    time = cycle_time(given, 31, preempts=True)
    assert filters + (2 if "http://a" in asked else 0) == (time.nominated - 5 + 2 if nominated else time.fits)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("release", "scores"), [("1.17.10", True), ("1.28.14", True), ("1.31.13", True), ("1.31.13", False)]
)
@pytest.mark.parametrize("nodes", [1, 99, 100, 257, 1000])
def test_every_node_is_examined_after_as_many_pods_as_said(ask: Ask, release: str, scores: bool, nodes: int) -> None:
    version = "v1" if release != "1.17.10" else "v1alpha1"
    profile = {} if scores else {"profiles": [plugins(score=disabled("*"))]}
    (seen,) = ask(configuration(version, **profile), release, str(nodes)).numbers[0].seen
    rules = rules_for(FilteringRules, parse_release(release))
    setup = FilterSetup(rules, 0, None, scores, lambda node: answered(SUCCESS))
    names = tuple(f"n{number}" for number in range(nodes))
    start, met, pods = 0, set[str](), 0
    while len(met) < nodes:
        found = driven(find_nodes_that_fit_pod(setup, names, start, "", None), lambda call: None)
        start, pods = found.start, pods + 1
        met |= set(found.feasible)
    assert pods == seen.pods


def test_half_of_the_nodes_are_enough_in_1_13(ask: Ask) -> None:
    """The default was 50 percent, and a 0 was taken for silence."""
    for document in (configuration("v1alpha1"), configuration("v1alpha1", percentageOfNodesToScore=0), policy()):
        (seen,) = ask(document, "1.13", "5000").numbers[0].seen
        assert (seen.enough, seen.pods) == (2500, 2)
    assert ask(configuration("v1alpha1"), "1.14", "5000").numbers[0].seen[0].enough == 500


def test_shares_of_the_total(ask: Ask) -> None:
    ours = extender(prioritizeVerb="p", weight=12)
    numbers = ask(configuration(extenders=[ours]), "1.31").numbers[0]
    by_name = {share.name: share for share in numbers.shares}
    assert sum(share.share for share in numbers.shares) == pytest.approx(1)
    assert (by_name["http://x"].points, by_name["http://x"].share) == (1200, 0.5)
    assert by_name["TaintToleration"].points == 300
    # VolumeBinding gives 0 to every node.
    assert "VolumeBinding" not in by_name


def test_nodes_from_a_file(ask: Ask) -> None:
    answer = ask(configuration(), "1.31", str(DATA / "nodes-report.json"))
    assert answer.nodes_known
    assert answer.numbers[0].seen[0].nodes > 1


# --- hazards ----------------------------------------------------------------------------------------------------------


def test_what_a_dead_extender_stops(ask: Ask) -> None:
    dead = hazards(ask(configuration(extenders=[GPU]), "1.31.13"))["dead-extender"]
    assert dead.what.startswith("If http://gpu:1 does not answer, every pod that asks for a.com/gpu stays pending.")
    assert any("FailedScheduling" in line for line in dead.run)
    assert "ignorable: true lets the pods through" in dead.mend
    # Without managedResources every pod waits for it.
    both = extender(ignorable=True, prioritizeVerb="p", weight=1, httpTimeout="3s")
    assert "Each try lasts 6 s" in hazards(ask(configuration(extenders=[both]), "1.31.13"))["dead-extender"].what
    everybody = hazards(ask(configuration(extenders=[extender()]), "1.31.13"))["dead-extender"]
    assert "every pod stays pending" in everybody.what
    ignorable = hazards(ask(configuration(extenders=[extender(ignorable=True)]), "1.31.13"))["dead-extender"]
    assert "no pod is stopped. Each try lasts 5 s" in ignorable.what
    assert any("event Scheduled" in line for line in ignorable.run)


@pytest.mark.parametrize(("release", "stops"), [("1.29.14", True), ("1.30.0", False)])
def test_an_ignorable_binder_that_is_dead_stops_pods_up_to_1_29(ask: Ask, release: str, stops: bool) -> None:
    dead = hazards(ask(configuration(extenders=[GPU | {"ignorable": True}]), release))["dead-extender"]
    assert ("stays pending" in dead.what) == stops
    changed = hazards(ask(configuration(extenders=[GPU]), release))["dead-extender"]
    assert ("ignorable: true does not help" in changed.mend) == stops


def test_an_extender_refuses_a_node_after_preemption_for_it(ask: Ask) -> None:
    for release in ("1.17.10", "1.18.20", "1.28.14", "1.31.13"):
        document = configuration(extenders=[GPU]) if release > "1.19" else policy(extenders=[GPU])
        found = hazards(ask(document, release))["refused-after-preemption"]
        second = found.run[found.run.index("the victims on n1 are gone; the second try") :]
        assert "status: nominatedNodeName is n1" in found.run
        assert "extender http://gpu:1 Filter (n1): refuses n1" in second
        assert any("FailedScheduling" in line for line in second)


@pytest.mark.parametrize(
    ("release", "forgotten"),
    [("1.19.12", True), ("1.20.9", True), ("1.20.10", False), ("1.21.3", True), ("1.21.4", False), ("1.22.0", False)],
)
def test_a_preempt_verb_that_the_release_does_not_call(ask: Ask, release: str, forgotten: bool) -> None:
    answer = ask(configuration("v1beta1", extenders=[extender(preemptVerb="preempt")]), release)
    assert ("refused-after-preemption" in hazards(answer)) == forgotten


def test_a_binder_that_answers_too_late(ask: Ask) -> None:
    found = hazards(ask(configuration(extenders=[GPU | {"httpTimeout": "30s"}]), "1.31.13"))["late-binder"]
    assert "only after 30 s (httpTimeout)" in found.what
    bind = next(number for number, line in enumerate(found.run) if " Bind (n1): error" in line)
    assert [line for line in found.run[bind:] if line.startswith(("cache", "queue"))] == [
        "cache: FinishBinding",
        "cache: ForgetPod",
        "queue: MoveAllToActiveOrBackoffQueue",
        "queue: AddUnschedulableIfNotPresent",
    ]


def test_preemption_switched_off(ask: Ask) -> None:
    off = plugins(postFilter=disabled("DefaultPreemption"))
    found = hazards(ask(configuration(profiles=[off]), "1.31.13"))["no-preemption"]
    assert any("no room" in line for line in found.run)
    assert not any("PostFilter" in line for line in found.run)
    older = ask(configuration("v1alpha1", disablePreemption=True), "1.17.10")
    assert "disablePreemption is true" in hazards(older)["no-preemption"].what
    # Then nobody is evicted for a pod that the extender refuses.
    assert "refused-after-preemption" not in hazards(ask(configuration(profiles=[off], extenders=[GPU]), "1.31"))


@pytest.mark.parametrize(
    ("point", "plugin", "reads"),
    [
        ("preFilter", "NodeResourcesFit", "Filter"),
        ("preFilter", "NodePorts", "Filter"),
        ("preFilter", "InterPodAffinity", "Filter"),
        ("preScore", "TaintToleration", "Score"),
        ("preScore", "PodTopologySpread", "Score"),
    ],
)
def test_a_plugin_reads_what_a_disabled_point_would_have_written(ask: Ask, point: str, plugin: str, reads: str) -> None:
    profile = plugins(**{point: disabled(plugin)})
    found = hazards(ask(configuration(profiles=[profile]), "1.31.13"))["disabled-partner"]
    assert found.about == plugin
    assert any(line.startswith(f"{reads} ({plugin}, n1): Error: ") and "cycleState" in line for line in found.run)
    assert not any("PostFilter" in line or "Scheduled" in line.split(":")[0].split() for line in found.run)
    # Disabled at both points, nothing is missing.
    both = plugins(**{point: disabled(plugin), reads.lower(): disabled(plugin)})
    assert "disabled-partner" not in hazards(ask(configuration(profiles=[both]), "1.31.13"))


def test_what_a_plugin_computes_anew_is_no_hazard(ask: Ask) -> None:
    for point, plugin in (("preFilter", "NodeAffinity"), ("preScore", "NodeResourcesFit"), ("preFilter", "VolumeZone")):
        assert ask(configuration(profiles=[plugins(**{point: disabled(plugin)})]), "1.31").verdict == "none"


def test_a_plugin_that_is_not_in_the_tree_is_an_unknown_box(ask: Ask) -> None:
    answer = ask(configuration(profiles=[plugins(filter=enabled("Mine"))]), "1.31")
    assert (answer.verdict, answer.would_decide) == ("unknown", "")
    assert (answer.unknown[0].points, answer.unknown[0].anywhere) == (("filter",), False)
    anywhere = ask(configuration(profiles=[plugins(multiPoint=enabled("Mine"))]), "1.31")
    assert (anywhere.verdict, anywhere.unknown[0].points, anywhere.unknown[0].anywhere) == ("unknown", (), True)
    assert "the points at which Mine acts" in anywhere.would_decide


def test_a_plugin_under_multi_point_whose_arguments_tell_of_a_wait(ask: Ask) -> None:
    """As the coscheduling plugin is configured from v1 on."""
    profile = plugins(multiPoint=enabled("Mine")) | {
        "pluginConfig": [{"name": "Mine", "args": {"permitWaitingTimeSeconds": 7}}]
    }
    found = hazards(ask(configuration(profiles=[profile]), "1.31.13"))["groups-block"]
    assert found.run[0] == "a1: assumed on n1, waits at Permit for Mine, 7 s at most"


def test_another_plugin_may_preempt_in_place_of_the_default_one(ask: Ask) -> None:
    profile = plugins(postFilter=disabled("*") | enabled("Mine"))
    assert ask(configuration(profiles=[profile]), "1.31").verdict == "unknown"


def test_a_policy_counts_nanoseconds(ask: Ask) -> None:
    found = hazards(ask(policy(extenders=[extender(httpTimeout=30)]), "1.22"))
    assert "5 seconds are 5000000000" in found["short-timeout"].what
    assert "short-timeout" not in hazards(ask(policy(extenders=[extender(httpTimeout=3 * 10**10)]), "1.22"))


def test_a_negative_timeout_is_none(ask: Ask) -> None:
    answer = ask(configuration(extenders=[extender(httpTimeout="-1s")]), "1.31")
    assert "no-timeout" in hazards(answer)
    assert (answer.longest, answer.pods_per_second) == (None, 0)


def test_one_hazard_of_several_profiles_is_told_once(ask: Ask) -> None:
    names = [{"schedulerName": f"s{number}"} for number in range(3)]
    found = hazards(ask(configuration(profiles=names, extenders=[GPU]), "1.31.13"))
    assert found["dead-extender"].profiles == ("s0", "s1", "s2")


def test_profiles_with_the_same_numbers_are_shown_together(capsys: Captured, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    light = {"schedulerName": "light"} | plugins(
        score={"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality"}]}
    )
    path.write_text(
        json.dumps(configuration(profiles=[{"schedulerName": "default-scheduler"}, light, {"schedulerName": "b"}]))
    )
    status, out = command(capsys, str(path))
    assert status == 0
    assert "\nProfiles default-scheduler, b\n" in out
    assert "\nProfile light\n" in out


def test_without_filters_nothing_is_short_of_room(ask: Ask) -> None:
    profile = plugins(filter=disabled("*"), postFilter=disabled("*"))
    answer = ask(configuration(profiles=[profile], extenders=[GPU]), "1.31.13")
    assert hazards(answer)["no-preemption"].run == ()
    # The release has whole cycles: no note says that it has not.
    assert answer.notes == ()


@pytest.mark.parametrize(
    ("release", "version"), [("1.18.20", "v1alpha2"), ("1.19.4", "v1beta1"), ("1.22.3", "v1beta2"), ("1.27.8", "v1")]
)
def test_a_cycle_is_whole_from_1_18_on(ask: Ask, release: str, version: str) -> None:
    answer = ask(configuration(version, extenders=[GPU]), release)
    run = hazards(answer)["late-binder"].run
    assert any("Bind" in line for line in run)
    assert any("AssumePod" in line for line in run)
    assert not any("no whole cycle" in note for note in answer.notes)


def test_a_score_of_1_18_lacks_what_pre_score_would_have_written(ask: Ask) -> None:
    """1.18 is the first release with PreScore."""
    found = hazards(ask(configuration("v1alpha2", profiles=[plugins(preScore=disabled("TaintToleration"))]), "1.18.20"))
    assert any(line.startswith("Score (TaintToleration, n1): Error: ") for line in found["disabled-partner"].run)


def test_the_run_of_1_16_ends_with_the_search_and_a_note_says_so(ask: Ask) -> None:
    answer = ask(policy(extenders=[GPU]), "1.16.15")
    assert not any("AssumePod" in line for hazard in answer.hazards for line in hazard.run)
    assert any("no whole cycle" in note for note in answer.notes)


def test_ignorable_extenders_are_asked_last(ask: Ask) -> None:
    answer = ask(configuration(extenders=[extender("a", ignorable=True), extender("b")]), "1.31")
    assert [each.name for each in answer.extenders] == ["http://b", "http://a"]
    run_of_b = next(each for each in answer.hazards if each.about == "http://b" and each.run).run
    assert not any("http://a" in line for line in run_of_b)


def test_five_profiles_and_three_extenders(ask: Ask) -> None:
    profiles = [{"schedulerName": f"s{number}"} | plugins(permit=enabled("Mine")) for number in range(5)]
    assert ask(configuration(profiles=profiles, extenders=SLOW), "1.31.13").verdict == "hazards"


def test_no_plugin_answers_but_those_that_are_configured(tmp_path: Path) -> None:
    """The run of a configuration asks its plugins, each at its points, and no other."""
    document = read_files([COSCHEDULING]).document
    assert document is not None
    given = decoded(document, 28)
    (profile,) = merged_profiles(given, parse_release("1.28.14"))
    scheduler = Scheduler(given, profile, parse_release("1.28.14"))

    def refuse(call: Any) -> Any:
        mine = isinstance(call, PluginCall) and call.plugin == "Coscheduling" and call.point == "Permit"
        return PluginAnswer(Status(Code.UNSCHEDULABLE, ("not yet",))) if mine else None

    calls = [call for call, _ in driver(scheduler, pod_named("p"), refuse).go().calls if isinstance(call, PluginCall)]
    for call in calls:
        point = call.point[0].lower() + call.point[1:]
        assert call.plugin in profile.at("reserve" if point == "unreserve" else point)
    assert calls[-1].point == "Unreserve"
