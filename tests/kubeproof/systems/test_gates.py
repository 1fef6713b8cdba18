"""`--feature-gates` sets bounds of queueing-hints, and a gate that a release locks is refused."""

from itertools import islice

import pytest
from attrs import evolve, fields

from kubeproof.advise.scheduler_memory.picture import Picture
from kubeproof.advise.scheduler_memory.question import Gate, question
from kubeproof.check.check import check_system
from kubeproof.cli import app, run
from kubeproof.engines import explicit
from kubeproof.errors import InputError
from kubeproof.report.rules import rules_in_force
from kubeproof.store.results import looked_up
from kubeproof.systems.gates import bounds_of_gates, read_gates, unasked, with_gates
from kubeproof.systems.growing import growing_scopes
from kubeproof.systems.registry import SYSTEMS
from kubeproof.validate.validate import validate
from model.gates import GATES, HINTS as HINTS_IN_QUEUE
from model.releases import known_release, parse_release, rules_for
from tests.conftest import by_engines

HINTS = SYSTEMS["queueing-hints"]
HINTS_GATE = HINTS_IN_QUEUE.name


@pytest.mark.parametrize(
    ("scope", "gates", "text"),
    [
        (None, None, None), ("pods=2", None, "pods=2"), (None, "SchedulerQueueingHints=false", "gate=2"),
        ("0,pods=1,goroutines=1", "SchedulerQueueingHints=True", "0,pods=1,goroutines=1,gate=1"),
        ("only pods=1,goroutines=1", "SchedulerQueueingHints=True", "0,pods=1,goroutines=1,gate=1"),
        ("pods=1", "SchedulerPopFromBackoffQ=false, SchedulerQueueingHints=true",
         "pods=1,pop_from_backoff=2,gate=1"),
    ],
)  # fmt: skip
def test_gates_are_bounds_of_the_scope(scope: str | None, gates: str | None, text: str | None) -> None:
    assert with_gates(HINTS, scope, gates) == text


@pytest.mark.parametrize(
    ("system", "scope", "gates", "says"),
    [
        ("queueing-hints", None, "SchedulerAsyncPreemption=true", "is not a gate of queueing-hints: expected some of"),
        ("queueing-hints", None, "SchedulerQueueingHints", "is not a gate of queueing-hints"),
        ("queueing-hints", None, "SchedulerQueueingHints=off", "is not a gate of queueing-hints"),
        ("queueing-hints", "gate=1", "SchedulerQueueingHints=false", "--scope has gate too"),
        ("queueing-hints", "only gate=1", "SchedulerQueueingHints=false", "--scope has gate too"),
        ("node-listing", None, "SchedulerQueueingHints=false", "is not a gate of node-listing: expected none, as"),
    ],
)
def test_what_is_no_gate_is_refused_in_one_line(system: str, scope: str | None, gates: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        with_gates(SYSTEMS[system], scope, gates)
    assert "\n" not in str(refused.value)


def test_a_gate_that_the_release_locks_is_refused() -> None:
    scope = "0,pods=1,goroutines=1"
    off = "SchedulerQueueingHints=false"
    for release in ("1.34.0", "1.36.2"):
        with pytest.raises(InputError, match=f"{off}: {release} does not start so"):
            check_system("queueing-hints", release, scope=scope, feature_gates=off)
    with pytest.raises(InputError, match="the gate is locked on"):
        check_system("queueing-hints", "1.35.0", scope=f"{scope},gate=2")
    report = check_system("queueing-hints", "1.33.13", scope=scope, feature_gates=off)
    assert report.scope.gate == 2


OWN = "0,cores=2,pods=1,containers=1,size=1,threads=1,reserved=1,pod_level=1"


@pytest.mark.parametrize(
    ("release", "gates", "exclusive"),
    [
        ("1.32.0", "PodLevelResources=true", True), ("1.32.0", "PodLevelResources=false", False),
        ("1.32.0", None, False), ("1.33.13", "PodLevelResources=true", True), ("1.34.1", None, False),
        ("1.34.1", "PodLevelResources=true", False), ("1.36.3", None, False),
        ("1.36.3", "PodLevelResources=false", False),
    ],
)  # fmt: skip
def test_the_gate_of_the_kubelet_decides_about_pods_with_resources_of_their_own(
    release: str, gates: str | None, exclusive: bool
) -> None:
    """With one pod, exclusive CPUs of a pod with resources of its own are more states in which some CPUs are."""
    (own, plain) = (
        check_system("cpu-manager", release, scope=scope, feature_gates=gates, properties=["exclusive-set-kept"])
        for scope in (OWN, OWN.replace(",pod_level=1", ""))
    )
    witnesses = [by_engines(report.results)[0].claim.details["witnesses"] for report in (own, plain)]
    assert (int(witnesses[0]) > int(witnesses[1])) is exclusive


def test_a_gate_that_the_release_does_not_have_is_refused() -> None:
    for gates, scope in (("PodLevelResources=true", OWN), (None, f"{OWN},pod_level_gate=2")):
        with pytest.raises(InputError, match=r"PodLevelResources: 1\.31\.14 has no such gate: expected .* from 1\.32"):
            check_system("cpu-manager", "1.31.14", scope=scope, feature_gates=gates)
    cpu_manager = SYSTEMS["cpu-manager"]
    with pytest.raises(InputError, match=r"PodLevelResources: 1\.28\.0 has no such gate"):
        rules_in_force(cpu_manager, known_release("1.28.0"), feature_gates="PodLevelResources=false")
    found = rules_in_force(
        cpu_manager, parse_release("1.32.0", cpu_manager.minors), feature_gates="PodLevelResources=1"
    )
    assert (found.gates, found.unasked) == ({"PodLevelResources": True}, ())


def test_validate_takes_the_gates_of_any_system() -> None:
    """One system has the gate: a fix is judged there in the scope with this gate."""
    rule = ["allocate=allocate_returning_init_cpus"]
    gate = "PodLevelResources=true"
    found = validate(
        None, "1.32.0", rules=rule, systems=["cpu-manager"], scope=OWN, feature_gates=gate, engines=["explicit"]
    )
    assert [part.scopes[0].pod_level_gate for part in found.parts] == [1]
    with pytest.raises(InputError, match="is not a gate of queueing-hints"):
        validate(None, "1.32.0", rules=rule, feature_gates="Unknown=true")


def test_all_beta_says_nothing_of_a_gate_that_is_locked() -> None:
    assert read_gates("AllBeta=false,X=true") == {"AllBeta": False, "X": True}
    asked = question(Picture((), (), (), (), (), ()), release="1.35.1", feature_gates="AllBeta=false")
    assert asked.gate == Gate(True, "locked on in 1.35.1")
    assert question(Picture((), (), (), (), (), ()), release="1.33.1", feature_gates="AllBeta=false").gate.on is False


@pytest.mark.slow
def test_what_rules_leaves_out_nobody_asks() -> None:
    scopes = ("0,pods=1,plugins=1,goroutines=1,changes=1,updates=1",
              "0,pods=1,plugins=1,goroutines=2,changes=1,updates=1,fine=1,clock=1",
              "0,pods=1,plugins=1,goroutines=1,changes=1,assigned=1,pre_check=1,hint_errors=1")  # fmt: skip
    asked: dict[bool, set[str]] = {True: set(), False: set()}
    for gate in asked:
        for release, scope in zip(("1.28.0", "1.31.14", "1.31.14"), scopes, strict=True):
            noted = looked_up(HINTS, rules_for(HINTS.rules_class, known_release(release)))
            bounds = HINTS.parse_scope(with_gates(HINTS, scope, f"{HINTS_GATE}={str(gate).lower()}") or "")
            explicit.check(HINTS.machine(bounds, noted.rules), HINTS.properties[:1])
            asked[gate] |= noted.fields
        assert not unasked({HINTS_GATE: gate}) & asked[gate]
    assert unasked({HINTS_GATE: True}) <= asked[False]
    # These are asked where two plugins reject a pod, and in 1.29.
    assert unasked({HINTS_GATE: False}) - asked[True] <= {
        "requeue_wakes_pop", "pending_plugins_known",
    }  # fmt: skip
    assert unasked({"SchedulerPopFromBackoffQ": False}) == {"pop_from_backoff_q"}


@pytest.mark.parametrize(("gate", "errors"), [(1, True), (2, False)])
def test_without_the_gate_no_hint_function_answers_an_error(gate: int, errors: bool) -> None:
    scope = HINTS.parse_scope(f"0,pods=1,plugins=1,goroutines=1,changes=1,events=1,hint_errors=1,gate={gate}")
    noted = looked_up(HINTS, rules_for(HINTS.rules_class, known_release("1.31.13")))
    explicit.check(HINTS.machine(scope, noted.rules), HINTS.properties[:1])
    assert ("hint_functions_answer_errors" in noted.fields) is errors


def command(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = run(lambda: app([*args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


OFF = ("--feature-gates", f"{HINTS_GATE}=false")


def test_the_rules_of_a_queue_without_hints(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = command(capsys, "rules", "queueing-hints", "--release", "1.28.3", *OFF)
    lines = out.splitlines()
    left_out = sorted(unasked({HINTS_GATE: False}))
    head, _, names = lines[1].partition(": ")
    assert (status, head) == (0, f"with {HINTS_GATE}=false nobody asks {len(left_out)} of the rules")
    assert sorted(names.split(", ")) == left_out
    assert "queue_update" in lines
    assert "update_with_hints" not in lines
    status, out, err = command(capsys, "rules", "queueing-hints", "-r", "1.28.5", "--against", "1.35.1", *OFF)
    assert (status, out, err.count("1.35.1 does not start so")) == (2, "", 1)
    status, out, err = command(capsys, "rules", "scheduling", *OFF)
    assert (status, out, err.count("is not a gate of scheduling")) == (2, "", 1)


@pytest.mark.parametrize(
    ("bug", "status", "line"),
    [
        ("QH-DONE-SKIP", 1, "QH-DONE-SKIP does NOT appear with SchedulerQueueingHints=false in 1.31.13: "
         "in-flight-while-scheduled holds at the end of the recorded run"),
        ("QH-ERROR-STUCK", 0, "QH-ERROR-STUCK appears with SchedulerQueueingHints=false in 1.28.3"),
        ("QH-UPDATE-POP-RACE", 1, "QH-UPDATE-POP-RACE does NOT appear with SchedulerQueueingHints=false in 1.31.13: "
         "the recorded run does not exist: action 10: handle_unassigned() is not enabled"),
    ],
)  # fmt: skip
def test_which_bug_a_gate_cures(capsys: pytest.CaptureFixture[str], bug: str, status: int, line: str) -> None:
    found, out, _ = command(capsys, "reproduce", bug, *OFF)
    assert (found, out.splitlines()[0]) == (status, line)
    # Nothing is said of a shortest run: nobody looked for one under these gates.
    assert "shorter" not in out


def test_a_bug_without_the_gate_is_not_replayed_with_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    for bug, says in (
        ("QH-PLUGIN-HINT-MISS", "not shown by a run of a system"),
        ("QUEUE-INFLIGHT-DUP", "not a gate of scheduling"),
    ):
        status, out, err = command(capsys, "reproduce", bug, *OFF)
        assert (status, out, err.count(says), err.count("\n")) == (2, "", 1, 1)


def test_a_hunt_grows_scopes_with_the_gate() -> None:
    gates = bounds_of_gates(HINTS, f"{HINTS_GATE}=false")
    grown = list(islice(growing_scopes(HINTS, gates), 300))
    assert {scope.gate for scope in grown} == {2}
    # The same scopes otherwise, the built-in ones included.
    on = [evolve(scope, gate=2) for scope in islice(growing_scopes(HINTS), 300)]
    assert set(grown) == set(on)


@pytest.mark.slow
def test_with_the_gate_off_no_bug_is_named_that_needs_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    args = ("hunt", "queueing-hints", "--release", "1.28.3", *OFF, "--time", "90s")
    status, out, _ = command(capsys, *args, "--scope", "0,pods=1,goroutines=1,permits=1")
    assert status == 1
    # With the gate on this is a kept bug of that system; with the gate off it is one of the system scheduling.
    assert "1. pod-in-one-place" in out
    assert "QH-RECORD-ALL" not in out
    status, out, err = command(capsys, "hunt", "queueing-hints", "--release", "1.36.3", *OFF)
    assert (status, out, err.count("1.36.3 does not start so")) == (2, "", 1)


def test_each_gate_names_rows_and_a_bound_of_a_system() -> None:
    bounds = {field.name for system in SYSTEMS.values() for field in fields(system.scope_class)}
    for name, gate in GATES.items():
        assert name == gate.name
        assert not gate.bound or gate.bound in bounds
        assert gate.only_on | gate.only_off <= gate.rows
