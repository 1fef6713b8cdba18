"""Arguments of plugins, leader election and addresses that kube-scheduler does not start with."""

from pathlib import Path
from typing import Any

import pytest

from tests.kubeproof.advise.scheduler_configs import (
    Ask,
    asker,
    configuration,
    disabled,
    extender,
    plugins,
)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


def arguments(plugin: str, **args: Any) -> dict[str, Any]:
    return configuration(profiles=[{"pluginConfig": [{"name": plugin, "args": args}]}])


def fit(**strategy: Any) -> dict[str, Any]:
    return arguments("NodeResourcesFit", scoringStrategy=strategy)


SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
AT = "profiles[0].pluginConfig[0].args."


@pytest.mark.parametrize(
    ("document", "text"),
    [
        # Decoding.
        (
            arguments("NodeResourcesFit", bogus=1),
            "decoding .profiles[0].pluginConfig[0]: decoding args for plugin Node",
        ),
        (arguments("InterPodAffinity", hardPodAffinityWeight="1"), "decoding args for plugin InterPodAffinity"),
        (arguments("NodeResourcesFit", kind="NodeResourcesFit"), "args for plugin NodeResourcesFit were not of type"),
        (arguments("NodeResourcesFit", apiVersion="kubescheduler.config.k8s.io/v1beta1"), "no kind"),
        # The type of a strategy has no default; that of the arguments has.
        (fit(resources=[{"name": "cpu"}]), 'scoringStrategy.type: Unsupported value: ""'),
        (fit(type="MostRequested"), 'scoringStrategy.type: Unsupported value: "MostRequested"'),
        (fit(type="LeastAllocated", resources=[{"name": "cpu", "weight": 101}]), "not in valid range (0, 100]"),
        (fit(type="RequestedToCapacityRatio"), "must be specified when type is RequestedToCapacityRatio"),
        (fit(type="RequestedToCapacityRatio", requestedToCapacityRatio={}), "at least one point must be specified"),
        (
            fit(
                type="RequestedToCapacityRatio",
                requestedToCapacityRatio={"shape": [{"utilization": 100, "score": 100}, {"utilization": 0}]},
            ),
            "shape[1].utilization: Invalid value: 0: values must be sorted",
        ),
        (fit(type="MostAllocated", requestedToCapacityRatio={"shape": []}), "must be nil when type is not"),
        (fit(type="MostRequested"), 'initializing plugin "NodeResourcesFit"'),
        # Without defaultingType there is System, which takes no constraints.
        (
            arguments("PodTopologySpread", defaultConstraints=[SPREAD]),
            AT + 'defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
        ),
        (
            arguments("PodTopologySpread", defaultingType="List", defaultConstraints=[SPREAD | {"maxSkew": 0}]),
            "defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)",
        ),
        (
            arguments("PodTopologySpread", defaultingType="List", defaultConstraints=[SPREAD, SPREAD]),
            'defaultConstraints[1]: Duplicate value: "{zone, ScheduleAnyway}"',
        ),
        (
            arguments("PodTopologySpread", defaultingType="List", defaultConstraints=[SPREAD | {"labelSelector": {}}]),
            "constraint must not define a selector",
        ),
        (arguments("InterPodAffinity", hardPodAffinityWeight=101), AT + "hardPodAffinityWeight: Invalid value: 101"),
        (
            arguments("DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=0),
            "cannot be zero at the same time as minCandidateNodesAbsolute",
        ),
        (
            arguments("NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}]),
            AT + "resources[0].weight: Invalid value: 2: must be 1",
        ),
        (arguments("VolumeBinding", shape=[{"utilization": 0, "score": 0}]), "unexpected field `shape`"),
        # Leader election, connection, locks.
        (configuration(leaderElection={"leaseDuration": "10s"}), "LeaseDuration must be greater than RenewDeadline"),
        (configuration(leaderElection={"resourceLock": "endpoints"}), "endpoints lock is removed"),
        (configuration(leaderElection={"resourceLock": "lease"}), "Invalid lock-type lease"),
        (configuration(clientConnection={"burst": -1}), "clientConnection.burst: Invalid value: -1"),
        # Only a profile that is alone has a name by default.
        (configuration(profiles=[{}, {"schedulerName": "b"}]), "profiles[0].schedulerName: Required value"),
    ],
)
def test_what_ends_the_start(ask: Ask, document: dict[str, Any], text: str) -> None:
    answer = ask(document, "1.31")
    assert answer.verdict == "refused"
    assert any(text in refusal.text for refusal in answer.refusals), answer.refusals


@pytest.mark.parametrize(
    "document",
    [
        arguments("NodeResourcesFit"),
        arguments("NodeResourcesFit", apiVersion="kubescheduler.config.k8s.io/v1", kind="NodeResourcesFitArgs"),
        # A weight of 0 is 1.
        fit(type="MostAllocated", resources=[{"name": "cpu", "weight": 0}, {"name": "memory", "weight": 100}]),
        arguments("PodTopologySpread", defaultingType="List", defaultConstraints=[SPREAD]),
        # Nobody knows the arguments of a plugin that is not in the tree.
        arguments("Mine", anything={"goes": [1]}),
        configuration(leaderElection={"leaderElect": False, "resourceLock": "endpoints", "leaseDuration": "1s"}),
        configuration(leaderElection={"leaseDuration": "60s", "renewDeadline": "40s", "resourceLock": "leases"}),
    ],
)
def test_what_is_no_refusal(ask: Ask, document: dict[str, Any]) -> None:
    assert ask(document, "1.31").refusals == ()


def test_what_a_plugin_that_is_disabled_has_for_arguments(ask: Ask) -> None:
    """NodeResourcesFit itself looks at its arguments, so that nobody does if it is disabled."""
    bad = {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "x"}}}
    profile = {"pluginConfig": [bad]} | plugins(multiPoint=disabled("NodeResourcesFit"))
    assert ask(configuration(profiles=[profile]), "1.31").refusals == ()
    # In 1.22 the validation does, with all other arguments.
    (refusal,) = ask(configuration("v1beta2", profiles=[{"pluginConfig": [bad]}]), "1.22").refusals
    assert refusal.text.startswith(f"{AT}scoringStrategy.type")


@pytest.mark.parametrize(("release", "starts"), [("1.22", True), ("1.23", False), ("1.27", False)])
def test_addresses_are_no_longer_served(ask: Ask, release: str, starts: bool) -> None:
    answer = ask(configuration("v1beta2", healthzBindAddress="0.0.0.0:10251"), release)
    assert (answer.verdict != "refused") == starts
    assert ask(configuration("v1beta2", healthzBindAddress="0.0.0.0:0"), release).verdict != "refused"


@pytest.mark.parametrize(
    ("lock", "release", "starts"),
    [("endpoints", "1.23", True), ("endpoints", "1.24", False), ("endpointsleases", "1.27", True),
     ("endpointsleases", "1.28", False), ("configmaps", "1.24", False)],
)  # fmt: skip
def test_locks_are_removed(ask: Ask, lock: str, release: str, starts: bool) -> None:
    document = configuration("v1beta3", leaderElection={"resourceLock": lock})
    assert (ask(document, release).verdict != "refused") == starts


def test_two_configurations_of_one_plugin(ask: Ask) -> None:
    """Up to 1.21 an extender whose resource the scheduler is to ignore brings a second one of NodeResourcesFit."""
    managed = [extender(managedResources=[{"name": "a.com/x", "ignoredByScheduler": True}])]
    own = [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"ignoredResources": ["b.com/y"]}}]}]
    document = configuration("v1beta1", profiles=own, extenders=managed)
    (refusal,) = ask(document, "1.21").refusals
    assert "repeated config for plugin NodeResourcesFit" in refusal.text
    newer = ask(document, "1.22")
    assert newer.refusals == ()
    assert any("ignoredResources of NodeResourcesFit" in said for said in newer.no_effect)
