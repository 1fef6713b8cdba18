"""What `kubeproof scheduler-config` says that the scheduler itself refuses, in its words."""

from pathlib import Path
from typing import Any

import pytest

from tests.kubeproof.advise.scheduler_configs import (
    Ask,
    asker,
    configuration,
    disabled,
    enabled,
    extender,
    plugins,
    policy,
)

TWO = [extender("a", bindVerb="b"), extender("b", bindVerb="b")]
WEIGHT = [extender(prioritizeVerb="p")]
TWICE = [extender(managedResources=[{"name": "a.com/x"}]), extender(managedResources=[{"name": "a.com/x"}])]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


@pytest.mark.parametrize(
    ("document", "release", "text"),
    [
        (configuration(extenders=TWO), "1.31", '"found 2 extenders implementing bind": only one extender'),
        (policy(extenders=TWO), "1.17", "Only one extender can implement bind, found 2"),
        (configuration(extenders=WEIGHT), "1.31", "extenders[0].weight: Invalid value: 0: must have a positive weight"),
        (policy(extenders=WEIGHT), "1.16", "Priority for extender http://x should have a positive weight"),
        (
            configuration(extenders=TWICE),
            "1.31",
            'extenders[1].managedResources[0].name: Invalid value: "a.com/x": duplicate extender managed resource name',
        ),
        (policy(extenders=TWICE), "1.17", "Duplicate extender managed resource name a.com/x"),
        (
            configuration(extenders=[extender(managedResources=[{"name": "cpu"}])]),
            "1.31",
            'name: Invalid value: "cpu": is an invalid extended resource name',
        ),
        (
            configuration("v1beta1", profiles=[{"pluginConfig": [{"name": "x"}, {"name": "x"}]}]),
            "1.21",
            "creating profile for scheduler name default-scheduler: repeated config for plugin x",
        ),
        (
            configuration(profiles=[{"pluginConfig": [{"name": "x"}, {"name": "x"}]}]),
            "1.31",
            'profiles[0].pluginConfig[1]: Duplicate value: "x"',
        ),
        (configuration(profiles=[{}, {}]), "1.31", "profiles[1].schedulerName: Duplicate value"),
        (configuration(profiles=[{"schedulerName": ""}]), "1.31", "profiles[0].schedulerName: Required value"),
        (
            configuration(profiles=[{}, {"schedulerName": "b"} | plugins(queueSort=enabled("Mine") | disabled("*"))]),
            "1.31",
            "profiles[1].plugins.queueSort: Invalid value: config.PluginSet{Enabled:[]config.Plugin{config.Plugin{"
            'Name:"Mine", Weight:0}}, Disabled:[]config.Plugin{config.Plugin{Name:"*", Weight:0}}}: '
            "queueSort must be the same for all profiles",
        ),
        (
            configuration(profiles=[{}, {"schedulerName": "b"} | plugins(queueSort=enabled("Mine") | disabled("*"))]),
            "1.34",
            "profiles[1].plugins.queueSort: Invalid value: config.PluginSet{Enabled:[]config.Plugin{config.Plugin{"
            'Name:"Mine", Weight:0}}, Disabled:[]config.Plugin{config.Plugin{Name:"*", Weight:0'
            "}}}: must be the same for all profiles",
        ),
        (
            configuration(profiles=[plugins(queueSort=enabled("Mine"))]),
            "1.31",
            'only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 2',
        ),
        (
            configuration(profiles=[plugins(bind=disabled("*"))]),
            "1.31",
            "one bind plugin is needed for profile with scheduler name",
        ),
        (configuration("v1beta3", profiles=[plugins(bind=disabled("*"))]), "1.23", "at least one bind plugin is"),
        (
            configuration(profiles=[plugins(filter=enabled("ImageLocality"))]),
            "1.31",
            'plugin "ImageLocality" does not extend FilterPlugin plugin',
        ),
        (
            configuration(profiles=[plugins(filter=enabled("EBSLimits"))]),
            "1.31",
            'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version '
            '"kubescheduler.config.k8s.io/v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
        ),
        (
            configuration("v1beta2", profiles=[plugins(score=enabled("NodeResourcesLeastAllocated"))]),
            "1.22",
            'was removed in version "kubescheduler.config.k8s.io/v1beta2"',
        ),
        (
            configuration("v1beta1", profiles=[plugins(score=enabled("NodeResourcesFit"))]),
            "1.22",
            'was conflict with ["NodeResourcesLeastAllocated"] in version',
        ),
        (
            configuration(percentageOfNodesToScore=101),
            "1.31",
            "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
        ),
        (configuration("v1alpha1", percentageOfNodesToScore=101), "1.16", "101: not in valid range 0-100"),
        (configuration(parallelism=0), "1.31", "parallelism: Invalid value: 0: should be an integer"),
        (
            configuration(podMaxBackoffSeconds=0),
            "1.31",
            "podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds",
        ),
        (
            policy(priorities=[{"name": "p", "weight": 0}]),
            "1.22",
            "priority p should have a positive weight applied to it or it has overflown",
        ),
        (
            policy(priorities=[{"name": "p", "weight": (2**63 - 1) // 10}]),
            "1.16",
            "Priority p should have a positive weight applied to it or it has overflown",
        ),
    ],
)
def test_what_the_scheduler_refuses_in_its_words(ask: Ask, document: Any, release: str, text: str) -> None:
    answer = ask(document, release)
    assert answer.verdict == "refused"
    assert any(text in refusal.text for refusal in answer.refusals), answer.refusals
    assert answer.cycle is None


def test_the_largest_weight_of_a_priority_is_not_refused(ask: Ask) -> None:
    largest = (2**63 - 1) // 10 - 1
    assert ask(policy(priorities=[{"name": "LeastRequestedPriority", "weight": largest}]), "1.16").verdict != "refused"


def test_what_differs_only_in_the_profile_is_not_refused(ask: Ask) -> None:
    same = plugins(queueSort=enabled("Mine") | disabled("*"))
    named = [{"schedulerName": name} | same for name in ("a", "b")]
    assert ask(configuration(profiles=named), "1.31").verdict == "unknown"
    assert ask(configuration(extenders=[TWO[0], extender("b")]), "1.31").verdict == "hazards"


def source(release: str, **algorithm: Any) -> tuple[Any, str]:
    return configuration("v1alpha1", algorithmSource=algorithm), release


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (source("1.16.15", provider="Mine"), 'using provider "Mine": plugin "Mine" has not been registered'),
        (source("1.17.17", provider="Mine"), 'using provider "Mine": provider "Mine" is not registered'),
        (source("1.18.20", provider="Mine"), 'using provider "Mine": algorithm provider "Mine" is not registered'),
        (
            (
                configuration(
                    "v1alpha1",
                    algorithmSource={"policy": {"file": {"path": "/p"}}},
                    plugins={"score": enabled("ImageLocality")},
                ),
                "1.18.20",
            ),
            "using Plugins and Policy simultaneously is not supported",
        ),
    ],
)
def test_where_the_algorithm_comes_from(ask: Ask, asked: tuple[Any, str], text: str) -> None:
    (refusal,) = ask(*asked).refusals
    assert text in refusal.text


def test_the_two_providers_there_are(ask: Ask) -> None:
    for provider in ("DefaultProvider", "ClusterAutoscalerProvider"):
        assert ask(*source("1.18.20", provider=provider)).refusals == ()
