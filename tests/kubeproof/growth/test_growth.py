"""`kubeproof growth queueing-hints`: what releases retain of the same workload, and how the command says so."""

import json
from xml.etree import ElementTree

import pytest

from kubeproof.cli import app, run
from kubeproof.growth.answer import _table, reported
from kubeproof.growth.asked import MINORS
from kubeproof.growth.clock import Clock
from kubeproof.growth.cluster import Cluster
from kubeproof.growth.run import Growth, Load, event_bytes, grow
from kubeproof.growth.scheduler import RULE_FIELDS
from kubeproof.growth.svg import growth_svg
from kubeproof.growth.workloads import POWERS, WORKLOADS, Users
from kubeproof.report.kept_tables import NOW
from kubeproof.report.markdown import environment
from kubeproof.report.played import played_table
from kubeproof.systems.releases import release_notes
from model.releases import parse_release
from tests.conftest import ROOT

Captured = pytest.CaptureFixture[str]
BOTH = frozenset({"updates", "deletes"})


def growth(
    release: str, gate: bool | None = None, workload: str = "scale-loop", powers: frozenset[str] = BOTH
) -> Growth:
    return grow(Load(workload, powers, pods=60, events=600), parse_release(release, MINORS), gate)


def test_the_same_run_each_time() -> None:
    assert growth("1.28.3") == growth("1.28.3")


@pytest.mark.parametrize("workload", WORKLOADS)
def test_nothing_is_retained_with_the_gate_off(workload: str) -> None:
    found = growth("1.28.3", gate=False, workload=workload, powers=frozenset(POWERS))
    assert (found.largest, found.at_rest, found.holder) == (0, 0, None)


def test_what_1_28_3_retains_for_ever_1_32_2_releases() -> None:
    old, new = growth("1.28.3"), growth("1.32.2")
    assert old.at_rest >= old.last > 300
    assert old.slope > 0.5
    assert old.holder is not None
    # From this event on, and not before.
    assert old.never_zero_from is not None
    assert all(old.series[old.never_zero_from - 1 :])
    assert old.series[old.never_zero_from - 2] == 0
    assert (new.last, new.at_rest, new.never_zero_from, new.holder) == (0, 0, None, None)
    assert 0 < new.largest < 10


def test_the_pod_that_was_popped_first_holds_the_events_also_where_the_list_has_no_pods() -> None:
    old, new = (growth(release, powers=frozenset({"deletes"})) for release in ("1.28.0", "1.28.3"))
    assert old.holder is not None
    assert new.holder is not None
    assert old.holder.pod == new.holder.pod
    # By their names another pod would come first.
    assert old.holder.others > 0


def test_a_reader_is_told_of_each_inferred_rule_that_decides_what_is_retained() -> None:
    notes = release_notes(parse_release("1.29.15", MINORS), RULE_FIELDS)
    assert [note.partition(" ")[0] for note in notes] == ["event_of_interest", "unschedulable_events", "spread_events"]


@pytest.mark.parametrize("workload", WORKLOADS)
def test_alone_no_workload_is_a_leak(workload: str) -> None:
    assert growth("1.28.3", workload=workload, powers=frozenset()).at_rest == 0


def test_where_the_gate_is_locked_there_is_one_run(capsys: Captured) -> None:
    _, out, _ = command(capsys, "queueing-hints", "-r", "1.33.13", "--against", "1.36.3", "--json", *SHORT)
    runs = [(each["release"], each["gate"]) for each in json.loads(out)["runs"]]
    assert runs == [("1.33.13", True), ("1.33.13", False), ("1.36.3", True)]


def test_from_1_33_on_a_slow_binding_holds_nothing() -> None:
    old, new = (growth(release, True, "slow-bind", frozenset()) for release in ("1.32.2", "1.33.13"))
    assert (old.largest > 0, new.largest) == (True, 0)


def test_a_slow_bind_holds_events_until_it_ends() -> None:
    old, new = (growth(release, True, "slow-bind", frozenset()) for release in ("1.31.13", "1.32.2"))
    assert old.largest > 10 * new.largest > 0
    assert old.at_rest == new.at_rest == 0


def test_what_becomes_of_a_pod_depends_on_its_name_alone() -> None:
    """A draw for one pod more must not change what becomes of the next."""
    made = []
    for first in ((), ("lost",)):
        clock = Clock()
        cluster = Cluster(clock)
        users = Users(cluster, clock, 10, frozenset(POWERS))
        for owner in first:
            users.create_pod(owner)
        users._made = 1
        for _ in range(20):
            users.create_pod("loop")
        made.append(
            [(pod.name, pod.cpu_milli, pod.finalizers) for pod in cluster.pods.values() if pod.name != "lost-1"]
        )
    assert made[0] == made[1]
    assert len(set(made[0])) == 20


def test_without_hints_a_pod_that_fits_nowhere_is_tried_more_often() -> None:
    on, off = (growth("1.28.3", gate, powers=frozenset({"rejections"})) for gate in (True, False))
    assert on.pods_tried == off.pods_tried > 30
    assert off.attempts > on.attempts >= on.pods_tried


@pytest.mark.parametrize(
    ("release", "saves"), [("1.28.3", False), ("1.31.13", False), ("1.32.2", True), ("1.36.3", True)]
)
def test_from_1_32_on_hint_functions_save_attempts_where_nodes_come(release: str, saves: bool) -> None:
    """Up to 1.31 `preCheckForNode` keeps a node that joins from pods which the node does not suit."""
    load = Load("churn", frozenset({"selectors"}), pods=100, events=1_000)
    of = parse_release(release, MINORS)
    asked, not_asked = (grow(load, of, True, hint_functions=functions) for functions in (True, False))
    assert asked.pods_tried == not_asked.pods_tried
    assert (not_asked.attempts > asked.attempts) is saves


def test_the_bytes_of_an_event() -> None:
    assert event_bytes(6_000) == 48 + 80 + 2 * 6_000


def test_the_picture_has_a_line_for_each_run() -> None:
    root = ElementTree.fromstring(growth_svg([("1.28.3 gate on", (1, 2, 3)), ("a <b>", (0, 0, 0))]))
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    lines = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
    assert {"1.28.3 gate on", "a <b>", "events that came", "retained events"} <= set(names)
    # Three events on 600 units from 70 on; 5 is the top, 300 units high, from 20 on.
    assert lines[0].get("points") == "270.0,260.0 470.0,200.0 670.0,140.0"


def command(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["growth", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.slow
def test_the_report_has_the_picture() -> None:
    found = reported(Load(powers=BOTH, pods=40, events=300))
    nothing = {"runs": {"bugs": 0, "stretches": 0, "errors": []}, "recordings": {"files": 0}, "pages": NOW}
    nothing |= dict.fromkeys(("systems", "bugs", "components", "not_shown"), ())
    nothing["viewer"] = dict.fromkeys(("style", "systems", "script"), "")
    page = environment().get_template("report.html.j2").render(nothing, played=played_table(()), growth=found)
    assert page.count("<polyline") == 5
    named = ["1.28.3 on", "1.28.5 off", "1.31.13 on", "1.32.2 on", "1.36.3 on"]
    assert [line.partition(":")[0] for line in found.lines] == named
    assert f"<li>{found.lines[1]}</li>" in page
    assert found.lines[1] == "1.28.5 off: 0 events at rest; nothing is held"


SHORT = ("--pods", "40", "--events", "300")


def test_the_command_names_who_holds_the_events(capsys: Captured) -> None:
    asked = ("queueing-hints", "--release", "1.28.3", "--against", "1.32.2,1.28.3", "--with", "deletes", *SHORT)
    status, out, err = command(capsys, *asked)
    assert (status, err) == (0, "")
    assert "Events are retained at rest in 1.28.3 on. The other runs release all of them." in out
    assert "its last cycle: skipped, since the pod was being deleted" in out
    status, out, _ = command(capsys, *asked, "--json")
    document = json.loads(out)
    assert [(each["release"], each["gate"], each["gate_default"]) for each in document["runs"]] == [
        ("1.28.3", True, True), ("1.28.3", False, True), ("1.32.2", True, True), ("1.32.2", False, True),
    ]  # fmt: skip
    first = document["runs"][0]
    assert first["bytes_at_rest"] == first["at_rest"] * 12_128
    assert len(first["samples"]) == 10
    assert first["samples"][-1]["retained"] == first["last"]


def test_the_gate_as_kube_scheduler_writes_it(capsys: Captured) -> None:
    _, out, _ = command(capsys, "queueing-hints", "-r", "1.31.13", "--feature-gates", "SchedulerQueueingHints=true",
                        "--json", *SHORT)  # fmt: skip
    (only,) = json.loads(out)["runs"]
    assert (only["gate"], only["gate_default"]) == (True, False)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("memory",), "'memory' is nothing that grows: expected queueing-hints"),
        (("queueing-hints", "--workload", "x"),
         "--workload: 'x' is not a workload: expected one of scale-loop, churn, slow-bind, quiet"),
        (("queueing-hints", "--release", "1.27.3"),
         "--release: release '1.27.3' is outside the modelled range 1.28 to 1.36"),
        (("queueing-hints", "--release", "1.28.0-alpha.2"),
         "--release: release '1.28.0-alpha.2' has no gate SchedulerQueueingHints in the models: "
         "expected 1.28.0-beta.0 or newer"),
        (("queueing-hints", "--against", "1.28.5,1.27"),
         "--against: release '1.27' is outside the modelled range 1.28 to 1.36"),
        (("queueing-hints", "-r", "1.28.5", "--against", "1.35.1", "--feature-gates", "SchedulerQueueingHints=false"),
         "SchedulerQueueingHints=false: 1.35.1 does not start so: expected a release before 1.34.0, from which on the "
         "gate is locked on"),
        (("queueing-hints", "--with", "updates,x"),
         "--with: 'x' is not an environment action: expected some of updates, deletes, recreates, rejections, "
         "selectors, errors, slow-binds, or none"),
        (("queueing-hints", "--feature-gates", "X=true"),
         "--feature-gates: 'X=true' is not a gate of this command: expected some of SchedulerQueueingHints=false"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_one_line(capsys: Captured, args: tuple[str, ...], line: str) -> None:
    assert command(capsys, *args) == (2, "", f"kubeproof: {line}\n")


def test_a_number_out_of_range_is_one_line(capsys: Captured) -> None:
    status, out, err = command(capsys, "queueing-hints", "--events", "0")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_the_readme_shows_what_the_command_prints(capsys: Captured) -> None:
    readme = (ROOT / "docs/queue-growth.md").read_text("utf-8")
    shown = readme.split("--feature-gates SchedulerQueueingHints=true\n", 1)[1].split("\n```", 1)[0]
    _, out, _ = command(capsys, "queueing-hints", "--release", "1.28.3", "--against", "1.28.5,1.31.13,1.32.2",
                        "--feature-gates", "SchedulerQueueingHints=true")  # fmt: skip
    assert out.startswith(shown)


def test_on_a_narrow_terminal_a_table_is_parted_between_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["release", "gate", "largest", "at rest"], ["1.28.3", "on", "139", "7"]]
    whole = list(_table(rows, 2))
    assert whole == ["release  gate  largest  at rest", "1.28.3     on      139        7"]
    monkeypatch.setattr("kubeproof.growth.answer.line_width", lambda most: min(most, 25))
    first, second = "\n".join(_table(rows, 2)).split("\n\n")
    assert first.splitlines() == ["release  gate  largest", "1.28.3     on      139"]
    assert second.splitlines() == ["release  gate  at rest", "1.28.3     on        7"]
