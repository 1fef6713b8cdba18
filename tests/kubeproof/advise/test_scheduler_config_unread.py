"""What `kubeproof scheduler-config` says of names that match nothing, and of flags that it does not read."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_config import ConfigAnswer, analyse, question
from kubeproof.advise.scheduler_config.reading import read_files
from tests.kubeproof.advise.scheduler_configs import (
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

NOTHING = "nothing changes"


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "release", "profile", "said"),
    [
        # scheduler-plugins#853.
        ("v1", "1.31", plugins(score=disabled("NodeResourceFit")),
         f"NodeResourceFit is disabled at score, where it is not by default: {NOTHING} (did you mean NodeResourcesFit"),
        # scheduler-plugins#426: a plugin that ended with v1beta2.
        ("v1beta3", "1.23", plugins(score=disabled("NodeResourcesLeastAllocated")),
         f"NodeResourcesLeastAllocated is disabled at score, where it is not by default: {NOTHING} "
         "(1.23 has NodeResourcesFit with scoringStrategy LeastAllocated)"),
        # It is a plugin, and does not act there.
        ("v1", "1.31", plugins(score=disabled("NodeName")), "NodeName is disabled at score"),
        ("v1", "1.31", plugins(multiPoint=disabled("Coscheduling")), "Coscheduling is disabled at multiPoint"),
        # In v1beta2 the defaults stand at their points.
        ("v1beta2", "1.25", plugins(multiPoint=disabled("ImageLocality")), "ImageLocality is disabled at multiPoint"),
        ("v1", "1.31", {"pluginConfig": [{"name": "NodeResourceFit", "args": {"a": 1}}]},
         "pluginConfig has arguments of NodeResourceFit, which is not enabled: nobody reads them (did you mean Node"),
        ("v1", "1.31", {"pluginConfig": [{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": 1}}]},
         "pluginConfig has arguments of Coscheduling, which is not enabled"),
        ("v1", "1.31", {"pluginConfig": [{"name": "NodeName", "args": {"a": 1}}]},
         "pluginConfig has arguments of NodeName, which takes none"),
        ("v1", "1.31", plugins(filter={"enabled": [{"name": "NodeName", "weight": 5}]}),
         "the weight 5 of NodeName at filter counts nowhere"),
        ("v1", "1.31", plugins(score={"enabled": [{"name": "ImageLocality", "weight": 0}]}),
         "the weight 0 of ImageLocality counts as 1"),
    ],
)  # fmt: skip
def test_what_changes_nothing(ask: Ask, version: str, release: str, profile: dict[str, Any], said: str) -> None:
    answer = ask(configuration(version, profiles=[profile]), release)
    assert [each for each in answer.no_effect if said in each], answer.no_effect


@pytest.mark.parametrize(
    ("version", "profile"),
    [
        ("v1", plugins(score=disabled("ImageLocality"), preFilter=disabled("NodePorts"))),
        ("v1", plugins(score=disabled("*"), preScore=disabled("*"))),
        ("v1", plugins(multiPoint=disabled("ImageLocality"))),
        ("v1beta2", plugins(score=disabled("ImageLocality"))),
        # By multiPoint of the file, and a plugin of which nobody knows where it acts.
        ("v1", plugins(multiPoint=enabled("Mine"), score=disabled("Mine"))),
        ("v1", {"pluginConfig": [{"name": "NodeResourcesFit", "args": {}}]}),
        ("v1", plugins(multiPoint={"enabled": [{"name": "ImageLocality", "weight": 3}]})),
    ],
)
def test_what_changes_something(ask: Ask, version: str, profile: dict[str, Any]) -> None:
    assert ask(configuration(version, profiles=[profile]), "1.25").no_effect == ()


def test_an_extender_that_does_nothing(ask: Ask) -> None:
    given = [{"urlPrefix": "http://a"}, extender("b", weight=3)]
    said = ask(configuration(extenders=given), "1.31").no_effect
    assert said == (
        "http://a has no verb, and is asked nothing",
        "the weight 3 of http://b counts nowhere: it has no prioritizeVerb",
    )


def test_the_text_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps(configuration(profiles=[plugins(score=disabled("NodeResourceFit"))])))
    status, out = command(capsys, str(file), "--release", "1.31")
    assert status == 0
    assert "Without effect\n  NodeResourceFit is disabled at score" in out


# --- plugins that are not there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "release", "profile", "text"),
    [
        # A plugin of another release.
        ("v1beta3", "1.25", plugins(score=enabled("NodeResourcesLeastAllocated")),
         'ScorePlugin "NodeResourcesLeastAllocated" does not exist'),
        ("v1", "1.29", plugins(multiPoint=enabled("SelectorSpread")), 'PreFilterPlugin "SelectorSpread" does not'),
        ("v1beta1", "1.19", plugins(filter=enabled("NodeDeclaredFeatures")), "does not exist"),
    ],
)  # fmt: skip
def test_a_plugin_of_another_release(ask: Ask, version: str, release: str, profile: dict[str, Any], text: str) -> None:
    (refusal,) = ask(configuration(version, profiles=[profile]), release).refusals
    assert text in refusal.text


def given(
    tmp_path: Path, document: Any, *flags: str, image: str = "kube-scheduler:v1.28.3", kind: str = "Pod"
) -> ConfigAnswer:
    container = {"name": "s", "image": image, "command": ["kube-scheduler", *flags]}
    spec: dict[str, Any] = {"containers": [container]}
    pod = {"kind": kind, "metadata": {}, "spec": spec if kind == "Pod" else {"template": {"spec": spec}}}
    paths = [tmp_path / "pod.json"]
    paths[0].write_text(json.dumps(pod))
    if document is not None:
        paths.append(tmp_path / "config.json")
        paths[1].write_text(json.dumps(document))
    files = read_files(paths)
    return analyse(files, question(files, None, None))


def test_the_image_of_kubernetes_has_no_plugins_of_others(tmp_path: Path) -> None:
    """kubernetes/website#21128: the sample of scheduler-plugins with the usual image."""
    document = configuration(profiles=[plugins(filter=enabled("Coscheduling"))])
    (refusal,) = given(tmp_path, document, image="registry.k8s.io/kube-scheduler:v1.28.3").refusals
    assert 'FilterPlugin "Coscheduling" does not exist' in refusal.text
    assert given(tmp_path, document, image="mine/kube-scheduler:v1.28.3").verdict == "unknown"


# --- flags ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flag", "release", "refused"),
    [
        ("--port=0", "1.23.3", False), ("--port=0", "1.24.0", True), ("--address=1.2.3.4", "1.24.0", True),
        ("--logtostderr=true", "1.25.2", False), ("--logtostderr=true", "1.26.0", True),
        ("--lock-object-name=x", "1.27.0", False), ("--lock-object-name=x", "1.28.0", True),
        ("--algorithm-provider=DefaultProvider", "1.21.9", False),
        ("--algorithm-provider=DefaultProvider", "1.22.3", True), ("--scheduler-name=x", "1.22.3", True),
        ("--pod-max-in-unschedulable-pods-duration=1m", "1.23.3", True),
        ("--pod-max-in-unschedulable-pods-duration=1m", "1.24.0", False),
        ("--use-legacy-policy-config=true", "1.20.4", True),
    ],
)  # fmt: skip
def test_flags_come_and_go(tmp_path: Path, flag: str, release: str, refused: bool) -> None:
    answer = given(tmp_path, None, flag, image=f"kube-scheduler:v{release}")
    assert (answer.verdict == "refused") == refused
    if refused and "legacy" not in flag:
        assert answer.refusals[0].text == f"unknown flag: {flag.partition('=')[0]}"


@pytest.mark.parametrize("kind", ["Pod", "Deployment", "DaemonSet"])
def test_flags_that_are_not_read_are_named(tmp_path: Path, kind: str) -> None:
    flags = ("--config=/c", "--kubeconfig=/k", "--kube-api-qps=5", "--v=2", "--leader-elect=true")
    notes = given(tmp_path, configuration(), *flags, kind=kind).notes
    assert any("with --config kube-scheduler itself ignores --kubeconfig, --kube-api-qps" in note for note in notes)
    assert any("not read" in note and "--v, --leader-elect" in note for note in notes)
    # Without --config it reads them.
    assert any("--kubeconfig" in note and "not read" in note for note in given(tmp_path, None, *flags[1:]).notes)


def test_a_policy_takes_the_place_of_the_profiles(tmp_path: Path) -> None:
    """kubernetes#105202: both --config and --policy-configmap are given."""
    flags = ("--config=/c", "--policy-configmap=scheduler-policy")
    answer = given(tmp_path, configuration("v1beta2"), *flags, image="kube-scheduler:v1.22.3")
    assert answer.verdict == "unknown"
    assert "--policy-configmap=scheduler-policy" in answer.would_decide
    assert given(tmp_path, policy(), *flags, image="kube-scheduler:v1.22.3").verdict == "none"


def test_the_key_of_a_policy_in_a_config_map(tmp_path: Path) -> None:
    file = tmp_path / "map.json"
    for key, named in (("policy.cfg", False), ("policy.json", True)):
        file.write_text(json.dumps({"kind": "ConfigMap", "data": {key: json.dumps(policy())}}))
        files = read_files([file])
        answer = analyse(files, question(files, "1.20.4", None))
        assert any("policy.cfg" in note for note in answer.notes) == named
