"""Excerpts of what drivers really wrote: of releases from 1.17.17 to 1.36.2, and of 1.31.13 with one line changed.

Changed were `currState.bindingFinished = true` in finishBinding (to false: `cache-1.31.13-broken`; to a goroutine that
panics: `cache-1.31.13-panic`), `nt.numNodes--` (left out: `node_tree-1.31.13-broken`), the begin of removeZone (an
endless loop: `node_tree-1.31.13-hang`), `delete(p.inFlightPods, pod)` in done (left out:
`scheduling_queue-1.31.13-broken`), the begin of activate (a panic: `scheduling_queue-1.31.13-panic`), the Difference in
updateCPUsToReuse (left out: `cpumanager-1.31.13-broken`), the condition in AddContainer (all are noted:
`cpumanager-1.31.13-told`), the moves of a deletion (left out: `scheduler-1.31.13-broken`) and what skipPodSchedule
answers at its end (false: `scheduler-1.31.13-tries-assumed`). The last line of an excerpt has the number of cases that
are left.
"""

from pathlib import Path

import pytest

from kubeproof.fix.fix import chosen_fix
from kubeproof.go.cases.telling_apart import PAGE, blind_pairs, pairs, tells, untold, untold_text
from kubeproof.go.driver import Driver
from kubeproof.go.held_against import AS_FIX, AS_RELEASE, DIFFERS, HeldAgainst, held_against
from kubeproof.go.record import kept_operations
from kubeproof.go.registry import CACHE, CPUMANAGER, NODE_TREE, SCHEDULER, SCHEDULING_QUEUE
from tests.conftest import DATA, ROOT


def judged(name: str, folder: Path, release: str = "1.31.13") -> HeldAgainst:
    (folder / "results.jsonl").write_bytes((DATA / "go" / f"{name}.jsonl").read_bytes())
    return held_against(folder, release)


def test_1_31_13_is_itself(tmp_path: Path) -> None:
    held = judged("cache-1.31.13", tmp_path)
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 0)
    header = held.results.header
    assert (header["package"], header["go"]) == ("pkg/scheduler/internal/cache", "go1.27.3")
    assert header["halves"]["calls"] == "calls_logger.go"
    # klog's exit is an observation, and the case goes on.
    assert any("fatal" in seen for _, case in held.results.cases for seen in case["observed"][:-1])


@pytest.mark.parametrize(
    ("release", "infos"), [("1.17.17", "infos_nodeinfo_snapshot.go"), ("1.18.2", "infos_nodeinfo.go")]
)
def test_the_cache_of_an_old_release_is_itself(tmp_path: Path, release: str, infos: str) -> None:
    held = judged(f"cache-{release}", tmp_path, release)
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 0)
    assert held.results.header["halves"]["infos"] == infos
    assert {"update_snapshot", "expire", "finish_binding"} <= set(held.of_release.played)


@pytest.mark.parametrize(
    ("release", "shape"),
    [
        ("1.22.6", "nominated_interface.go"),
        ("1.28.14", "nominated_infos.go"),
        ("1.31.13", "nominated_exported.go"),
        ("1.36.2", "nominated_refs.go"),
    ],
)
def test_the_queue_of_a_release_is_itself(tmp_path: Path, release: str, shape: str) -> None:
    held = judged(f"scheduling_queue-{release}", tmp_path, release)
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 0)
    assert held.results.header["halves"]["nominated"] == shape


@pytest.mark.parametrize(
    ("release", "runtime"), [("1.22.0", "v1alpha2"), ("1.31.13", "utils_cpuset"), ("1.36.2", "utils_cpuset")]
)
def test_the_cpu_manager_of_a_release_is_itself(tmp_path: Path, release: str, runtime: str) -> None:
    held = judged(f"cpumanager-{release}", tmp_path, release)
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 0)
    assert held.results.header["halves"]["runtime"] == f"runtime_{runtime}.go"
    played = held.of_release.played
    assert {"create_pod", "allocate", "crash_kubelet", "reconcile_state", "set_policy"} <= set(played)


@pytest.mark.parametrize(
    ("release", "hold"), [("1.17.17", "error_func"), ("1.22.6", "algorithm"), ("1.31.13", "fields")]
)
def test_the_scheduler_of_a_release_is_itself(tmp_path: Path, release: str, hold: str) -> None:
    held = judged(f"scheduler-{release}", tmp_path, release)
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 0)
    assert held.results.header["halves"]["hold"] == f"hold_{hold}.go"
    assert {"create_pod", "deliver_pod", "pop", "schedule", "assume", "bind"} <= set(held.of_release.played)


def test_a_scheduler_that_tries_assumed_pods_is_the_release_with_that_rule(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_bytes((DATA / "go/scheduler-1.31.13-tries-assumed.jsonl").read_bytes())
    held = held_against(tmp_path, "1.31.13", chosen_fix(None, ["skip_pod_schedule=skip_terminating_pod"]))
    assert (held.verdict, held.exit_status) == (AS_FIX, 0)
    other = held_against(tmp_path, "1.31.13", chosen_fix(None, ["update_is_ignored=no_update_is_ignored"]))
    assert (other.verdict, other.exit_status) == (DIFFERS, 1)


@pytest.mark.slow
def test_a_branch_with_the_cure_of_a_stale_note_is_the_release_with_its_rule(tmp_path: Path) -> None:
    """In `AddContainer` of the checkout the CPUs of a container that shares are noted too."""
    fix = chosen_fix(ROOT / "examples/fixes/tell_when_started.py", [])
    (tmp_path / "results.jsonl").write_bytes((DATA / "go/cpumanager-1.31.13-told.jsonl").read_bytes())
    assert fix is not None
    try:
        held = held_against(tmp_path, "1.31.13", fix)
    finally:
        fix.close()
    assert (held.verdict, held.exit_status) == (AS_FIX, 0)


@pytest.mark.parametrize(
    "rule",
    [
        "queue_update=update_from_backoff_to_active",
        "nominator_add=add_unchecked",
        "note_activation=activation_is_kept",
    ],
)
def test_rules_of_each_class_of_the_queue_are_told_from_the_code(tmp_path: Path, rule: str) -> None:
    """A rule of the queue, one of the nominator, and one of the pods in flight."""
    (tmp_path / "results.jsonl").write_bytes((DATA / "go/scheduling_queue-1.31.13.jsonl").read_bytes())
    held = held_against(tmp_path, "1.31.13", chosen_fix(None, [rule]))
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 1)


def test_the_nominator_of_1_22_has_the_record_that_an_update_changes_in_place(tmp_path: Path) -> None:
    """The list keeps its order, since a namesake takes the place of the pod that was nominated."""
    cases = judged("scheduling_queue-1.22.6", tmp_path, "1.22.6").results.cases
    last = [case["observed"][-1]["nominated"] for _, case in cases if case["case"] == 71]
    assert last == [{"n1": ["p1#2", "p2#1"]}]


def test_the_real_queue_answers_to_the_calls_of_kept_runs(tmp_path: Path) -> None:
    cases = judged("scheduling_queue-1.31.13", tmp_path).results.cases
    of = {case["config"].get("name"): case for _, case in cases}
    # The failure handler found p1#2, and Done was that of p1#2: p1#1 stays in flight.
    assert of["QH-RECREATE-LEAK"]["observed"][-1]["in_flight"] == ["p1#1"]
    # In 1.31 an update of a pod in flight puts nothing into activeQ: there is no second Pop, as up to 1.30.
    assert [op["op"] for op in of["QH-DUP-ELEMENT"]["ops"]] == ["add", "pop", "update"]


@pytest.mark.parametrize(
    ("name", "operation", "field"),
    [
        ("cache-1.31.13-broken", "finish_binding", "pod_states"),
        ("cache-1.31.13-panic", "finish_binding", "panic"),
        ("node_tree-1.31.13-broken", "remove", "num_nodes"),
        ("node_tree-1.31.13-hang", "remove", "hang"),
        ("scheduling_queue-1.31.13-broken", "add_unschedulable", "in_flight"),
        ("scheduling_queue-1.31.13-panic", "activate", "panic"),
        ("cpumanager-1.31.13-broken", "allocate", "CPU manager: cpusToReuse"),
        ("scheduler-1.31.13-broken", "deliver_pod", "queue: unschedulableQ"),
    ],
)
def test_one_changed_line_is_told_apart(tmp_path: Path, name: str, operation: str, field: str) -> None:
    held = judged(name, tmp_path)
    assert held.verdict == DIFFERS
    shortest = held.shortest
    assert shortest is not None
    assert shortest.op["op"] == operation
    assert field in shortest.differing()


@pytest.mark.slow
@pytest.mark.parametrize(
    "driver", [NODE_TREE, CACHE, SCHEDULING_QUEUE, CPUMANAGER], ids=lambda driver: str(driver.name)
)
def test_the_kept_operations_tell_all_rules_apart_that_may_be(driver: Driver) -> None:
    assert len(pairs(driver)) >= 9
    assert untold(driver) == []


@pytest.mark.slow
def test_the_runs_of_the_scheduler_tell_rules_of_handlers_cycle_and_extender_apart() -> None:
    """Not all of them: `python -m kubeproof.go.cases.telling_apart scheduler` names the others on the page."""
    left = untold(SCHEDULER)
    assert untold_text(SCHEDULER, left) in PAGE.read_text("utf-8")
    told = {pair.field for pair in pairs(SCHEDULER)} - {pair.field for pair in left}
    assert told >= {"update_is_ignored", "skip_pod_update", "skip_pod_schedule", "after_bind_error"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "driver",
    [NODE_TREE, CACHE, SCHEDULING_QUEUE, CPUMANAGER],
    ids=lambda driver: str(driver.name),
)
def test_what_is_said_to_show_nowhere_shows_in_no_case(driver: Driver) -> None:
    """The cases of a driver are many and mixed: a pair that one of them tells apart is not blind."""
    shown = [
        pair.text
        for pair in blind_pairs(driver)
        for case in kept_operations(driver.name)
        if tells(driver, pair, case.get("config", {}), case["ops"])
    ]
    assert shown == []
