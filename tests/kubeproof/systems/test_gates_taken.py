"""What a system leaves out of a release's default configuration, by the table of gates."""

import json

import pytest
from attrs import fields

from kubeproof.cli import app, run
from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.feature_gates import STAGES
from model.gates import GATES
from model.releases import known_release

Captured = pytest.CaptureFixture[str]
NEWEST = known_release("1.36")
# Each pod asks for one amount of CPU, whatever it is the sum of.
OF_REQUESTS = {
    "PodOverhead", "SidecarContainers", "PodLevelResources", "InPlacePodLevelResourcesVerticalScaling",
}  # fmt: skip
# The release table says what they do, by release.
BY_ROWS = {
    "ClearingNominatedNodeNameAfterBinding", "NominatedNodeNameForExpectation", "PodDisruptionConditions",
    "PreferNominatedNode", "NonPreemptingPriority", "PodPriority", "SchedulerQueueingHints", "SchedulerPopFromBackoffQ",
}  # fmt: skip
# Of plugins that spread pods: no system has scores, or a filter that counts pods.
OF_SPREADING = {"EvenPodsSpread", "DefaultPodTopologySpread"}
# No node has conditions: the scheduler reads the taints that follow from them.
OF_CONDITIONS = {"TaintNodesByCondition"}
OF_THE_KUBELET = {name for name in STAGES if name.startswith("CPUManager")} | {"PodLevelResources", "TopologyManager"}
# What a power or a rule of the system lets happen, or what does not touch what the system is about.
BY_POWERS = {
    "scheduling": {"InPlacePodVerticalScaling"},
    "scheduling-cycle": {"InPlacePodVerticalScaling", "OpportunisticBatching"},
    "queueing-hints": {"PodSchedulingReadiness", "DynamicResourceAllocation"},
    "preemption": {"OpportunisticBatching", "NodeDeclaredFeatures", "PodSchedulingReadiness"},
    "cpu-manager": {"SidecarContainers", "PodOverhead"},
}
OF_A_QUEUE = ("scheduling", "scheduling-cycle", "queueing-hints", "preemption")


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_a_gate_that_is_taken_as_off_is_on_in_some_release(system: System) -> None:
    for taken in system.gates_taken:
        assert taken.releases(system.minors), f"{taken.name} is off by default wherever it is taken as off"
        bounds = {field.name for field in fields(system.scope_class)}
        assert not GATES[taken.name].bound or GATES[taken.name].bound not in bounds


@pytest.mark.parametrize("name", [*OF_A_QUEUE, "cpu-manager"])
def test_each_gate_that_is_on_by_default_is_modelled_or_said_to_be_left_out(name: str) -> None:
    """A gate that becomes default in the table fails here, until somebody says what a system does about it."""
    on = {gate for gate in STAGES if GATES[gate].default_in(NEWEST)}
    asked = on & (OF_THE_KUBELET | OF_REQUESTS | {"InPlacePodVerticalScaling"}) if name == "cpu-manager" else on
    known = BY_POWERS[name] | BY_ROWS | OF_SPREADING | OF_CONDITIONS | OF_THE_KUBELET | OF_REQUESTS
    assert asked - known - {taken.name for taken in SYSTEMS[name].gates_taken} == set()


def test_the_releases_in_which_a_gate_is_on_follow_the_table() -> None:
    calls = GateTaken("SchedulerAsyncAPICalls", "")
    assert calls.releases(range(13, 37)) == "1.34.0 to 1.34.1, 1.35.0"
    assert GateTaken("SchedulerQueueingHints", "", until="1.32.0").releases(range(13, 37)) == "1.28.0 to 1.28.4"
    assert GateTaken("PodLevelResourceManagers", "").releases(range(13, 37)) == ""


@pytest.mark.parametrize(
    ("release", "gates"),
    [
        ("1.26.15", []), ("1.28.3", ["SchedulerQueueingHints", "PodSchedulingReadiness"]),
        ("1.31.14", ["PodSchedulingReadiness"]), ("1.33.0", ["SchedulerAsyncPreemption", "PodSchedulingReadiness"]),
        ("1.34.1", ["SchedulerAsyncPreemption", "SchedulerAsyncAPICalls", "PodSchedulingReadiness",
                    "DynamicResourceAllocation"]),
        ("1.34.2", ["SchedulerAsyncPreemption", "PodSchedulingReadiness", "DynamicResourceAllocation"]),
    ],
)  # fmt: skip
def test_a_verdict_says_what_of_the_default_configuration_it_leaves_out(
    capsys: Captured, release: str, gates: list[str]
) -> None:
    args = ["check", "scheduling", "--release", release, "--scope", "only pods=1,nodes=1,room=1,goroutines=1",
            "--property", "pod-in-one-place"]  # fmt: skip
    run(lambda: app(args, prog_name="kubeproof", standalone_mode=False))
    (line,) = (each for each in capsys.readouterr().out.splitlines() if each.startswith("left out"))
    said = f"; of what {release} has on by default: {', '.join(gates)} (see" if gates else "other points (see"
    assert said in line
    run(lambda: app([*args, "--json"], prog_name="kubeproof", standalone_mode=False))
    assert json.loads(capsys.readouterr().out)["default_gates_left_out"] == gates


def test_list_says_it_release_by_release(capsys: Captured) -> None:
    run(lambda: app(["list", "preemption"], prog_name="kubeproof", standalone_mode=False))
    lines = capsys.readouterr().out.splitlines()
    (line,) = (each for each in lines if each.startswith("  SchedulerAsyncPreemption"))
    assert line.startswith("  SchedulerAsyncPreemption (1.33.0 to 1.36.3): a goroutine deletes the victims")
