"""What `kubeproof scheduler-config` reads: real configurations, versions, and profiles merged with the defaults."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_config import ConfigAnswer, analyse, question, to_json
from kubeproof.advise.scheduler_config.default_plugins import defaults, gate_on
from kubeproof.advise.scheduler_config.plugins import acts_at
from kubeproof.advise.scheduler_config.reading import read_files
from model.releases import known_release, rules_for
from model.scheduler.filtering import FilteringRules
from tests.conftest import DATA, ROOT
from tests.kubeproof.advise.scheduler_configs import (
    Ask,
    asker,
    command,
    configuration,
    disabled,
    enabled,
    plugins,
    policy,
)

Captured = pytest.CaptureFixture[str]
COSCHEDULING = str(DATA / "scheduler-config-coscheduling.yaml")


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


# --- real configurations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "release", "version"),
    [("gpushare.yaml", "1.31.13", "v1"), ("gpushare.json", "1.17.10", "Policy"), ("gpushare.json", "1.22.3", "Policy")],
)
def test_a_gpu_sharing_extender(capsys: Captured, file: str, release: str, version: str) -> None:
    status, out = command(capsys, str(DATA / f"scheduler-config-{file}"), "--release", release, "--json")
    answer = json.loads(out)
    assert (status, answer["verdict"], answer["version"]) == (1, "hazards", version)
    assert answer["extenders"][0]["verbs"] == ["Filter", "Bind"]
    own = [each["kind"] for each in answer["hazards"] if not each["default_too"]]
    assert own == ["dead-extender", "refused-after-preemption", "late-binder"]
    assert "every pod that asks for aliyun.com/gpu-mem stays pending" in answer["hazards"][0]["what"]
    assert answer["cycle"]["fits"] == 5.0
    given = read_files([DATA / f"scheduler-config-{file}"])
    assert answer == json.loads(json.dumps(to_json(analyse(given, question(given, release, None)))))
    assert [call["verb"] for call in answer["cycle"]["calls"]] == ["Filter", "Bind"]


def test_a_coscheduling_plugin(capsys: Captured) -> None:
    status, out = command(capsys, COSCHEDULING, "--release", "1.28.14")
    assert status == 1
    assert "Coscheduling at queueSort, preFilter, postFilter, reserve, permit:" in out
    assert "a1: assumed on n1, waits at Permit for Coscheduling, 10 s at most" in out
    assert 'PreFilterPlugin "Coscheduling" does not exist' in " ".join(out.split())
    assert "b2: 0/2 nodes are available: 1 a1 holds the room, 1 b1 holds the room." in out
    assert "a1, 10 s later: cache: ForgetPod" in out
    # The default configuration has no plugin at Permit, and its own hazard is told apart.
    assert "lost-reply: DefaultBinder (the default configuration has it too)" in out


def test_without_a_release_the_newest_that_takes_the_file_is_asked(capsys: Captured) -> None:
    assert "1.28.15 (the newest that takes this file)" in command(capsys, COSCHEDULING)[1]
    status, out = command(capsys, COSCHEDULING, "--release", "1.31")
    assert status == 1
    said = 'no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3"'
    assert said in out
    assert "1.31 takes kubescheduler.config.k8s.io/v1" in out


def test_the_pod_names_the_release_and_the_file_that_is_missing(capsys: Captured) -> None:
    pod = str(DATA / "scheduler-config-pod.yaml")
    status, out = command(capsys, pod)
    assert status == 3
    assert "Release    1.23.3" in out
    assert "--config=/etc/kubernetes/scheduler-policy-config.yaml" in out
    status, out = command(capsys, pod, COSCHEDULING, "--json")
    assert (status, json.loads(out)["release"]) == (1, "1.23.3")


def test_the_readme_has_this_example(capsys: Captured) -> None:
    file = "scheduler-config-gpushare.yaml"
    status, out = command(capsys, str(DATA / file), "--release", "1.31.13", "--nodes", "500")
    shown = out.partition("\nrefused-after-preemption")[0]
    assert status == 1
    assert (
        f"$ kubeproof scheduler-config {file} --release 1.31.13 --nodes 500\n{shown}"
        in (ROOT / "docs/your-cluster.md").read_text()
    )


# --- versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "first", "last"),
    [
        ("v1alpha1", 13, 18),
        ("v1alpha2", 18, 18),
        ("v1beta1", 19, 22),
        ("v1beta2", 22, 27),
        ("v1beta3", 23, 28),
        ("v1", 25, 31),
    ],
)
def test_each_release_takes_its_versions(ask: Ask, version: str, first: int, last: int) -> None:
    for minor in (first - 1, first, last, last + 1):
        if 13 <= minor <= 31:
            refused = ask(configuration(version), f"1.{minor}").verdict == "refused"
            assert refused == (not first <= minor <= last)


def test_a_policy_ends_with_1_22(ask: Ask) -> None:
    assert ask(policy(), "1.22").verdict == "none"
    (refusal,) = ask(policy(), "1.23").refusals
    assert refusal.text == "unknown flag: --policy-config-file"


@pytest.mark.parametrize("minor", range(13, 37))
def test_the_default_configuration_has_no_hazard_of_its_own(ask: Ask, minor: int) -> None:
    version = next(each for each in ("v1", "v1beta3", "v1beta1", "v1alpha1") if _takes(each, minor))
    answer = ask(configuration(version), f"1.{minor}")
    assert (answer.verdict, answer.unknown, answer.refusals) == ("none", (), ())
    assert {each.kind for each in answer.hazards} == {"lost-reply"}
    # Every default plugin acts at each point at which it stands.
    for version_here in ("v1alpha2", "v1beta1", "v1beta2"):
        if minor >= 18 and _takes(version_here, minor):
            for point, listed in defaults(version_here, minor, {}).items():
                assert all(point in acts_at(name, minor) for name, _ in listed), (minor, version_here, point)


def _takes(version: str, minor: int) -> bool:
    spans = {
        "v1": (25, 36),
        "v1beta3": (23, 28),
        "v1beta2": (22, 27),
        "v1beta1": (19, 22),
        "v1alpha2": (18, 18),
        "v1alpha1": (13, 18),
    }
    return spans[version][0] <= minor <= spans[version][1]


def test_what_the_default_configuration_has_more_from_1_32_on(ask: Ask) -> None:
    def points(release: str) -> dict[str, tuple[str, ...]]:
        return ask(configuration("v1"), release).profiles[0].points

    assert "DefaultPreemption" not in points("1.31").get("preEnqueue", ())
    assert "DefaultPreemption" in points("1.32")["preEnqueue"]
    assert "DynamicResources" not in points("1.33")["filter"]
    assert "DynamicResources" in points("1.34")["filter"]
    assert "DynamicResources" in points("1.35")["score"]
    assert "NodeDeclaredFeatures" not in points("1.35")["filter"]
    assert "NodeDeclaredFeatures" in points("1.36")["filter"]


# --- merging ----------------------------------------------------------------------------------------------------------


def points_of(
    ask: Ask, profile: dict[str, Any], release: str = "1.31", version: str = "v1"
) -> dict[str, tuple[str, ...]]:
    return ask(configuration(version, profiles=[profile]), release).profiles[0].points


def test_a_star_takes_all_defaults_of_a_point_away(ask: Ask) -> None:
    points = points_of(
        ask, plugins(score={"disabled": [{"name": "*"}], "enabled": [{"name": "ImageLocality", "weight": 5}]})
    )
    assert points["score"] == ("ImageLocality",)
    assert "TaintToleration" in points["preScore"]
    assert "score" not in points_of(
        ask, plugins(multiPoint=disabled("*"), queueSort=enabled("PrioritySort"), bind=enabled("DefaultBinder"))
    )


def test_multi_point_is_expanded_in_three_parts(ask: Ask) -> None:
    points = points_of(ask, plugins(filter=enabled("Mine", "NodeName")))
    # First what both name, then multiPoint's, then the point's own.
    assert points["filter"][0] == "NodeName"
    assert points["filter"][-1] == "Mine"
    assert points["filter"].count("NodeName") == 1


@pytest.mark.parametrize(("release", "weights"), [("1.16.15", [2**32 + 3, 4]), ("1.17.10", [4, 3])])
def test_the_weight_of_a_priority_is_cut_to_32_bits_from_1_17_on(ask: Ask, release: str, weights: list[int]) -> None:
    large = [{"name": "LeastRequestedPriority", "weight": 2**32 + 3}, {"name": "ImageLocalityPriority", "weight": 4}]
    assert [share.weight for share in ask(policy(priorities=large), release).numbers[0].shares] == weights


def test_an_enabled_default_is_replaced_in_place_from_v1beta2_on(ask: Ask) -> None:
    heavy = plugins(score={"enabled": [{"name": "ImageLocality", "weight": 7}]})
    points = points_of(ask, heavy, "1.22", "v1beta2")
    assert points["score"].index("ImageLocality") == 1
    # In v1beta1 it is there twice, and the scheduler refuses that.
    (refusal,) = ask(configuration("v1beta1", profiles=[heavy]), "1.22").refusals
    assert 'plugin "ImageLocality" already registered as "ScorePlugin"' in refusal.text


def test_what_is_disabled_is_not_told_to_the_expansion_before_v1beta3(ask: Ask) -> None:
    """v1beta2 of 1.23 on has multiPoint, and its defaults stand at their points."""
    profile = plugins(multiPoint=enabled("ImageLocality"), score=disabled("*"))
    assert points_of(ask, profile, "1.25", "v1beta2")["score"] == ("ImageLocality",)
    assert "score" not in points_of(ask, profile, "1.25", "v1beta3")


def test_predicates_cannot_be_disabled_by_plugins(ask: Ask) -> None:
    points = ask(configuration("v1alpha1", plugins={"filter": disabled("*")}), "1.17.10").profiles[0].points
    assert "GeneralPredicates" in points["filter"]


@pytest.mark.parametrize(
    ("release", "version", "gate", "point", "plugin"),
    [
        ("1.18", "v1alpha2", "EvenPodsSpread=false", "filter", "-PodTopologySpread"),
        ("1.19", "v1beta1", "DefaultPodTopologySpread=true", "score", "-SelectorSpread"),
        ("1.23", "v1beta3", "DefaultPodTopologySpread=false", "score", "+SelectorSpread"),
        ("1.22", "v1beta2", "VolumeCapacityPriority=true", "score", "+VolumeBinding"),
        ("1.26", "v1", "PodSchedulingReadiness=true", "preEnqueue", "+SchedulingGates"),
        ("1.27", "v1", "PodSchedulingReadiness=false", "preEnqueue", "-SchedulingGates"),
        ("1.31", "v1", "DynamicResourceAllocation=true", "postFilter", "+DynamicResources"),
        ("1.28", "v1beta3", "DynamicResourceAllocation=true", "postFilter", "-DynamicResources"),
    ],
)
def test_gates_that_the_pod_sets(
    tmp_path: Path, release: str, version: str, gate: str, point: str, plugin: str
) -> None:
    answer = with_flag(tmp_path, release, version, f"--feature-gates={gate}")
    assert (plugin[1:] in answer.profiles[0].points.get(point, ())) == (plugin[0] == "+")
    assert answer.verdict == "none"


def with_flag(folder: Path, release: str, version: str, *flags: str) -> ConfigAnswer:
    container = {"name": "s", "image": "kube-scheduler", "command": ["kube-scheduler", *flags]}
    pod, file = folder / "pod.json", folder / "config.json"
    pod.write_text(json.dumps({"kind": "Pod", "metadata": {}, "spec": {"containers": [container]}}))
    file.write_text(json.dumps(configuration(version)))
    given = read_files([pod, file])
    return analyse(given, question(given, release, None))


@pytest.mark.parametrize(
    ("release", "version", "gate", "says"),
    [
        ("1.30", "v1", "PodSchedulingReadiness=false",
         "cannot set feature gate PodSchedulingReadiness to false, feature is locked to true"),
        ("1.30", "v1", "PodSchedulingReadiness=true", None),
        ("1.29", "v1", "PodSchedulingReadiness=false", None),
        ("1.25", "v1beta3", "DefaultPodTopologySpread=false",
         "cannot set feature gate DefaultPodTopologySpread to false, feature is locked to true"),
        # Gone, with either value; not yet there; and one that does not decide which plugins there are.
        ("1.26", "v1", "DefaultPodTopologySpread=true", "unrecognized feature gate: DefaultPodTopologySpread"),
        ("1.25", "v1beta3", "DynamicResourceAllocation=true", "unrecognized feature gate: DynamicResourceAllocation"),
        ("1.33", "v1", "CPUManager=true", "unrecognized feature gate: CPUManager"),
        ("1.35", "v1", "SchedulerQueueingHints=false",
         "cannot set feature gate SchedulerQueueingHints to false, feature is locked to true"),
        # Of a gate that is not known here nothing is said.
        ("1.30", "v1", "Foo=true", None),
    ],
)  # fmt: skip
def test_gates_that_nobody_can_set_so(tmp_path: Path, release: str, version: str, gate: str, says: str | None) -> None:
    answer = with_flag(tmp_path, release, version, f"--feature-gates={gate}")
    assert [each.text for each in answer.refusals] == ([] if says is None else [says])
    emulated = with_flag(tmp_path, release, version, f"--feature-gates={gate}", "--emulated-version=1.30")
    assert emulated.refusals == ()


@pytest.mark.parametrize("minor", range(13, 37))
def test_the_gate_of_the_nominated_node_is_the_rule_of_the_model(minor: int) -> None:
    rules = rules_for(FilteringRules, known_release(f"1.{minor}"))
    assert gate_on("PreferNominatedNode", minor, {}) == (rules.prefer("n", ("n", "")) == ("n",))
