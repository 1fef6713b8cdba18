"""What `kubeproof scheduler-config` says of a Policy: names, arguments, and the plugins that they become."""

from pathlib import Path
from typing import Any

import pytest

from tests.kubeproof.advise.scheduler_configs import Ask, asker, policy


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return asker(tmp_path)


def predicates(*names: str) -> dict[str, Any]:
    return {"predicates": [{"name": name} for name in names]}


def priority(name: str, weight: int = 2, **argument: Any) -> dict[str, Any]:
    return {"name": name, "weight": weight} | ({"argument": argument} if argument else {})


def label(key: str = "x") -> dict[str, Any]:
    return {"labelPreference": {"label": key, "presence": True}}


RATIO = {"requestedToCapacityRatioArguments": {"shape": [{"utilization": 0, "score": 0}]}}
# kubernetes/community#3891, of 2019.
COMMUNITY = predicates(
    "PodFitsPorts", "PodFitsHostPorts", "PodFitsResources", "HostName", "MatchNodeSelector", "NoVolumeZoneConflict",
    "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MatchInterPodAffinity", "NoDiskConflict",
    "GeneralPredicates", "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "PodToleratesNodeTaints",
    "CheckVolumeBinding",
)  # fmt: skip
# openshift-docs#22521.
GENERAL = predicates("GeneralPredicates", "PodFitsResources", "HostName")
INVALID = "Invalid configuration: "


@pytest.mark.parametrize(
    ("document", "release", "text"),
    [
        # #99306.
        ({"priorities": [priority("RequestedToCapacityRatioPriority")]}, "1.20.4",
         f'{INVALID}Priority type not found for "RequestedToCapacityRatioPriority"'),
        ({"priorities": [priority("RequestedToCapacityRatioPriority")]}, "1.17.17", None),
        ({"priorities": [priority("RequestedToCapacityRatioPriority", **RATIO)]}, "1.20.4", None),
        ({"priorities": [priority("FooPriority")]}, "1.13.12", f"{INVALID}Priority type not found for FooPriority"),
        ({"priorities": [priority("FooPriority")]}, "1.22.3",
         'couldn\'t create scheduler from policy: priority type not found for "FooPriority"'),
        (predicates("PodFitsFoo"), "1.16.15", f"{INVALID}Predicate type not found for PodFitsFoo"),
        (predicates("PodFitsFoo"), "1.21.9", f'{INVALID}Predicate type not found for "PodFitsFoo"'),
        # The names of plugins are none of predicates.
        (predicates("NodeResourcesFit"), "1.20.4", f'{INVALID}Predicate type not found for "NodeResourcesFit"'),
        # tidb-operator#2860.
        (predicates("CheckNodeCondition"), "1.16.9", f"{INVALID}Predicate type not found for CheckNodeCondition"),
        (COMMUNITY, "1.15.3", f"{INVALID}Predicate type not found for CheckNodeMemoryPressure"),
        (predicates("MaxCinderVolumeCount"), "1.13.5", f"{INVALID}Predicate type not found for MaxCinderVolumeCount"),
        (predicates("MaxCinderVolumeCount"), "1.14.10", None),
        (predicates("EvenPodsSpread"), "1.17.17", f"{INVALID}Predicate type not found for EvenPodsSpread"),
        (predicates("EvenPodsSpread"), "1.18.20", None),
        ({"priorities": [priority("ResourceLimitsPriority")]}, "1.18.20",
         f'{INVALID}Priority type not found for "ResourceLimitsPriority"'),
        # Without arguments the predicates of arguments are known from 1.18 on.
        (predicates("CheckNodeLabelPresence"), "1.17.17",
         f"{INVALID}Predicate type not found for CheckNodeLabelPresence"),
        (predicates("CheckNodeLabelPresence", "CheckServiceAffinity"), "1.18.20", None),
        # These three are known by name, and break.
        ({"priorities": [priority("NodeLabel")]}, "1.19.14",
         "panic: runtime error: invalid memory address or nil pointer dereference"),
        ({"priorities": [priority("ServiceAffinity")]}, "1.22.3",
         "panic: runtime error: invalid memory address or nil pointer dereference"),
        ({"priorities": [priority("RequestedToCapacityRatio")]}, "1.20.4", "at least one point must be specified"),
        ({"priorities": [priority("NodeLabel")]}, "1.17.17", f"{INVALID}Priority type not found for NodeLabel"),
        # Arguments.
        ({"predicates": [{"name": "mine", "argument": {}}]}, "1.20.4",
         "Exactly 1 predicate argument is required, numArgs: 0, Predicate: mine"),
        ({"predicates": [{"name": "mine", "argument": {"labelsPresence": {"labels": ["a"], "presence": True},
                                                       "serviceAffinity": {"labels": ["a"]}}}]}, "1.16.15",
         "Exactly 1 predicate argument is required, numArgs: 2, Predicate: mine"),
        ({"priorities": [priority("mine", serviceAntiAffinity=None)]}, "1.20.4",
         "no priority arguments set for priority mine"),
        ({"priorities": [priority("mine", serviceAntiAffinity=None)]}, "1.16.15",
         "Exactly 1 priority argument is required, numArgs: 0, Priority: mine"),
        ({"priorities": [priority("a", 1, **label()), priority("b", 2, **label())]}, "1.18.20",
         'LabelPreference  priority "b" has a different weight with "a"'),
        ({"priorities": [priority("a", 1, **label()), priority("b", 2, **label())]}, "1.16.15", None),
        ({"priorities": [priority("a", **RATIO), priority("b", **RATIO)]}, "1.17.17",
         'Priority "b" redeclares custom priority "RequestedToCapacityRatio", from:"a"'),
        # Other values.
        ({"hardPodAffinitySymmetricWeight": 101}, "1.18.20",
         "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]"),
        ({"hardPodAffinitySymmetricWeight": -1}, "1.17.17",
         "invalid hardPodAffinitySymmetricWeight: -1, must be in the range 1-100"),
        # Plugins that two predicates bring.
        (GENERAL, "1.16.15", None),
        (GENERAL, "1.17.17", "error initializing the scheduling framework: plugin \"NodeName\" already registered as"),
        (GENERAL, "1.18.20", 'plugin "NodeResourcesFit" already registered as "PreFilterPlugin"'),
        (GENERAL, "1.19.14", 'plugin "NodeResourcesFit" already registered as "PreFilterPlugin"'),
        (GENERAL, "1.20.4", None),
    ],
)  # fmt: skip
def test_what_is_refused_of_a_policy(ask: Ask, document: dict[str, Any], release: str, text: str | None) -> None:
    answer = ask(policy(**document), release)
    if text is None:
        assert answer.verdict != "refused", answer.refusals
    else:
        assert answer.verdict == "refused"
        assert any(text in refusal.text for refusal in answer.refusals), answer.refusals


def test_the_first_name_that_is_none_ends_the_process(ask: Ask) -> None:
    (refusal,) = ask(policy(**predicates("PodFitsHostPort", "CheckNodeFoo")), "1.20.4").refusals
    assert 'for "PodFitsHostPort"' in refusal.text
    assert "PodFitsHostPorts" in refusal.mend


@pytest.mark.parametrize("minor", range(13, 23))
def test_the_defaults_of_a_policy_are_known_and_registered_once(ask: Ask, minor: int) -> None:
    assert ask(policy(), f"1.{minor}").verdict == "none"


def points(ask: Ask, release: str, **fields: Any) -> dict[str, tuple[str, ...]]:
    return ask(policy(**fields), release).profiles[0].points


def test_a_policy_becomes_plugins_from_1_18_on(ask: Ask) -> None:
    given = predicates("PodFitsPorts", "MatchInterPodAffinity", "CheckVolumeBinding")
    found = points(ask, "1.19.14", **given, priorities=[priority("InterPodAffinityPriority")])
    # In Go's own order, with the two that every Policy gets.
    assert found["filter"] == ("NodeUnschedulable", "NodePorts", "TaintToleration", "VolumeBinding", "InterPodAffinity")
    assert found["preFilter"] == ("NodePorts", "VolumeBinding", "InterPodAffinity")
    assert (found["preScore"], found["score"]) == (("InterPodAffinity",), ("InterPodAffinity",))
    assert found["postFilter"] == ("DefaultPreemption",)
    # Up to 1.17 they stay predicates, and PodFitsPorts is one of its own.
    both = predicates("PodFitsPorts", "PodFitsHostPorts", "GeneralPredicates")
    assert {"PodFitsPorts", "GeneralPredicates"} <= {*points(ask, "1.16.15", **both)["filter"]}
    assert ask(policy(**predicates("PodFitsPorts", "GeneralPredicates")), "1.17.17").verdict == "none"
    assert ask(policy(**predicates("PodFitsPorts", "GeneralPredicates")), "1.18.20").verdict == "refused"


def test_what_becomes_of_weights(ask: Ask) -> None:
    def weights(release: str, *given: dict[str, Any]) -> dict[str, int]:
        answer = ask(policy(priorities=[*given]), release)
        return {share.name: share.weight for share in answer.numbers[0].shares}

    # Of two labels the plugin has twice the weight; of one name that is there twice the last weight counts.
    assert weights("1.20.4", priority("a", 3, **label("a")), priority("b", 3, **label("b"))) == {"NodeLabel": 6}
    assert weights("1.20.4", priority("LeastRequestedPriority", 3), priority("LeastRequestedPriority", 4)) == {
        "NodeResourcesLeastAllocated": 4
    }
    assert weights("1.19.14", priority("SelectorSpreadPriority", 5)) == {"SelectorSpread": 5}


def test_two_priorities_that_are_one_plugin(ask: Ask) -> None:
    """Go keeps the weight of the first one, whatever it means to keep."""
    both = [priority("SelectorSpreadPriority", 9), priority("EvenPodsSpreadPriority", 2)]
    answer = ask(policy(priorities=both), "1.20.4")
    assert [(share.name, share.weight) for share in answer.numbers[0].shares] == [("PodTopologySpread", 2)]
    (lost,) = [each for each in answer.hazards if each.kind == "lost-weight"]
    assert "the weight 2 of EvenPodsSpreadPriority counts, and 9 does not" in lost.what
    assert not [each for each in ask(policy(priorities=both), "1.19.14").hazards if each.kind == "lost-weight"]
