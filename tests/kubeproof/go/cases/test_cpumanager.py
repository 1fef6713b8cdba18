"""Operations of the CPU manager are runs of cpu-manager, and the player follows the machine."""

import json
from typing import Any

import pytest

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_run
from kubeproof.conform.conform import replay_cases
from kubeproof.conform.cpumanager import CPUManagerPlayer
from kubeproof.errors import InputError
from kubeproof.go.cases.cpumanager import config, kept_runs, operation
from kubeproof.go.record import kept_operations
from kubeproof.players.cpu_manager import CPU_MANAGER
from kubeproof.systems.system import fact_text
from model.releases import known_release, parse_release

MACHINE = {
    "cores": 3,
    "threads": 1,
    "reserved": 1,
    "full_pcpus": False,
    "active_after_admission": False,
    "removes_at_stop": False,
}
POD = {"op": "create_pod", "pod": "p1", "containers": "app 1, app shared"}
ALLOCATE = {"op": "allocate", "pod": "p1", "container": "a0"}


def player(release: str = "1.31.13", **more: Any) -> CPUManagerPlayer:
    return CPUManagerPlayer(parse_release(release), {**MACHINE, **more})


def of_release(release: str, more: dict[str, Any]) -> dict[str, Any]:
    """A case without operations."""
    return {"system": "cpumanager", "release": release, "case": 0, "config": {**MACHINE, **more}}


@pytest.mark.parametrize("name", ["CPU-STALE-LAST-UPDATE", "CPU-CRASH-BETWEEN-WRITES", "CPU-INIT-LEAK"])
def test_a_kept_run_ends_where_the_machine_ends(name: str) -> None:
    (bug,) = (bug for bug in BUGS if bug.id == name)
    run = kept_run(bug)
    machine = run.machine()
    plays = CPUManagerPlayer(known_release(run.release), config(run.scope, machine.rules))
    state = machine.initial_states()[0]
    for action in run.actions:
        state = machine.step(state, action)
        seen = plays.play(operation(action))
        seen.pop("error", None)
        assert seen == {subject: fact_text(fact) for subject, fact in CPU_MANAGER.facts(state).items()}


def test_the_kept_runs_are_among_the_operations() -> None:
    runs = list(kept_runs())
    assert len(runs) >= 17
    assert [(case["config"], case["ops"]) for case in kept_operations("cpumanager")][: len(runs)] == runs


def test_an_operation_that_cannot_be_taken_is_impossible() -> None:
    plays = player()
    assert plays.play(ALLOCATE) == {"impossible": True}
    assert plays.play({**POD, "containers": "app 3"}) == {"impossible": True}
    assert plays.play(POD)["pod p1"] == "active, not seen by the kubelet"
    assert plays.play(POD) == {"impossible": True}
    assert plays.play({"op": "start_kubelet"}) == {"impossible": True}
    assert "error" not in plays.play(ALLOCATE)


def test_an_error_has_the_words_of_go() -> None:
    plays = player(threads=2, full_pcpus=True)
    plays.play({**POD, "containers": "app 1"})
    seen = plays.play(ALLOCATE)
    assert seen["error"].startswith("SMT Alignment Error: requested 1 cpus not multiple cpus per core = 2")
    assert seen["pod p1"] == "Failed"


def test_a_crash_may_come_after_the_last_write() -> None:
    """The model's runs leave this crash out, since a kubelet that is stopped then leaves the same file."""
    for write, there in ((1, True), (2, True), (3, False)):
        plays = player()
        plays.play(POD)
        crash = {**ALLOCATE, "op": "crash_kubelet", "during": "allocate", "write": write}
        assert ("impossible" not in plays.play(crash)) is there


def test_every_order_of_a_map_of_go_is_taken_and_nothing_else() -> None:
    """Two entries are removed in one pass, and the kubelet dies after the first: either may be left."""
    shapes = {"p1": "app 1", "p2": "app 1", "p3": "app shared"}
    pods = [{"op": "create_pod", "pod": name, "containers": shape} for name, shape in shapes.items()]
    # The pod that was admitted last is kept.
    admitted = [{"op": "allocate", "pod": name, "container": "a0"} for name in shapes]
    gone = [{"op": "delete_pod", "pod": name} for name in ("p1", "p2")]
    ops = [*pods, *admitted, *gone, {"op": "crash_kubelet", "during": "reconcile_state", "write": 2}]
    plays = player(cores=4)
    first = [plays.play(op) for op in ops][-1]
    entries = {key: first[key] for key in first if key.startswith("cpu_manager_state")}
    assert entries == {
        "cpu_manager_state": "policy static, defaultCpuSet 0-1,3",
        "cpu_manager_state: p2/a0": "CPUs 2",
    }
    other = {key: value for key, value in first.items() if key not in entries}
    other |= {"cpu_manager_state": "policy static, defaultCpuSet 0,2-3", "cpu_manager_state: p1/a0": "CPUs 1"}
    assert plays.agrees(ops[-1], other, first)
    assert not plays.agrees(ops[-1], {**other, "cpu_manager_state: p1/a0": "CPUs 2"}, first)
    # From then on the other file is there.
    assert plays.play({"op": "start_kubelet"})["cpu_manager_state: p1/a0"] == "CPUs 1"


@pytest.mark.parametrize(
    ("more", "op", "said"),
    [
        ({"cores": "3"}, POD, "'config' is not a config of cpumanager: cores: expected a whole number"),
        ({"cores": 0}, POD, "'config' is not a config of cpumanager"),
        ({"reserved": 9}, POD, "'config' is not a config of cpumanager"),
        ({}, {"op": "fly"}, "operation 0: op: expected one of create_pod"),
        ({}, {**POD, "pod": "p10"}, "create_pod cannot be played here"),
        ({}, {**POD, "containers": "app 1, init 1"}, "'app 1, init 1' is not a list of containers: expected one such"),
        ({}, {"op": "crash_kubelet", "during": "start_kubelet", "write": 1}, "operation 0: crash_kubelet cannot be"),
        ({}, {"op": "offline_cpu", "cpu": "1"}, "not an operation offline_cpu: cpu: expected a whole number"),
    ],
)
def test_bad_input_is_refused_in_one_line(more: dict[str, Any], op: dict[str, Any], said: str) -> None:
    case = {**of_release("1.31.13", more), "ops": [op], "observed": [{}]}
    with pytest.raises(InputError) as raised:
        replay_cases("results.jsonl", [("line 2", json.loads(json.dumps(case)))])
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("release", "more", "why"),
    [("1.17.10", {}, "up to 1.17 containers get their CPUs"), ("1.21.0", {"full_pcpus": True}, "came with 1.22")],
)
def test_what_a_release_does_not_have_is_not_covered(release: str, more: dict[str, Any], why: str) -> None:
    case = {**of_release(release, more), "ops": [], "observed": []}
    replay = replay_cases("results.jsonl", [("line 2", case)])
    assert [why in reason for reason in replay.not_covered] == [True]
