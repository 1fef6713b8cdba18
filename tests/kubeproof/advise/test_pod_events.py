"""Which of the scheduler's bugs do pods and events fit: the report's picture, each finding, and what is no finding."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.pod_events import analyse, read_files, render, to_json
from kubeproof.cli import app, run
from model.releases import parse_release
from tests.conftest import DATA, ROOT
from tests.kubeproof.advise.pod_lists import (
    SHORT,
    T0,
    T1,
    T2,
    ask,
    bound,
    bugs,
    condition,
    event,
    failed,
    kinds,
    notes,
    pod,
)

Captured = pytest.CaptureFixture[str]
PODS, EVENTS, NODES, NEWER = (DATA / f"pod-events-{name}.json" for name in ("pods", "events", "nodes", "new"))


# --- the report ---------------------------------------------------------------------------------------------------


def test_the_reports_three_questions_in_its_own_picture() -> None:
    answer = analyse(read_files([PODS, EVENTS, NODES]))
    assert [(one.kind, one.pod) for one in answer.findings] == [
        ("failed-after-bound", "ai/train-0"),
        ("short-with-room", "ai/infer-7c9d5-qx2lp"),
    ]
    first, second = answer.findings
    assert [one.what for one in first.evidence] == ["Scheduled", "FailedScheduling", "now"]
    assert first.bugs[0].bug == "NOM-EXT-LEAK"
    assert any("train-0" in one.text and "nominated for gpu-2" in one.text for one in second.evidence)
    assert [bug.bug for bug in second.bugs] == ["NOM-EXT-LEAK", "NOM-THREE-ATTEMPTS"]
    assert [(note.what, note.pods) for note in answer.normal] == [
        ("a failure before the bind", ("web/shop-5f7d8-k2m4t",))
    ]


def test_what_is_not_given_is_not_judged() -> None:
    only_events = analyse(read_files([EVENTS]))
    assert kinds(only_events) == ["failed-after-bound"]
    assert "no pods are given" in notes(only_events)
    only_pods = analyse(read_files([PODS]))
    assert kinds(only_pods) == []
    assert "no events are given" in notes(only_pods)
    assert "no nodes are given" in notes(only_pods)
    assert kinds(analyse(read_files([PODS, EVENTS]))) == ["failed-after-bound"]


def test_events_as_newer_releases_print_them() -> None:
    answer = analyse(read_files([NEWER]), parse_release("1.26.0"))
    assert [one.pod for one in answer.findings] == ["batch/loader-y7"]
    assert [(bug.bug, bug.in_release) for bug in answer.findings[0].bugs] == [
        ("CYCLE-EXTRA-ATTEMPT-STATUS", False),
        ("QUEUE-INFLIGHT-DUP", True),
        ("QUEUE-RESYNC-DUP", False),
    ]
    assert "a failure before the bind" in notes(answer)
    assert "500 ms after the bind" in answer.findings[0].evidence[1].text


# --- after the bind -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "fits"),
    [
        (SHORT, ["NOM-EXT-LEAK", "NOM-THREE-ATTEMPTS", "QUEUE-INFLIGHT-DUP", "QUEUE-RESYNC-DUP"]),
        ("AssumePod failed: pod u-p is in the cache, so can't be assumed",
         ["CYCLE-EXTRA-ATTEMPT-STATUS", "QUEUE-INFLIGHT-DUP", "QUEUE-RESYNC-DUP"]),
        ("Binding rejected: etcdserver: request timed out", ["BIND-TIMEOUT-BOUND"]),
        ('Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
         ["BIND-TIMEOUT-BOUND", "QUEUE-INFLIGHT-DUP", "QUEUE-RESYNC-DUP"]),
        ("skip schedule deleting pod: web/p", ["QUEUE-INFLIGHT-DUP", "QUEUE-RESYNC-DUP"]),
    ],
)  # fmt: skip
def test_the_words_of_a_failure_after_the_bind_say_what_it_fits(message: str, fits: list[str]) -> None:
    answer = ask(bound(), failed(message=message))
    assert kinds(answer) == ["failed-after-bound"]
    assert bugs(answer) == fits


def test_a_series_counts_by_its_last_time() -> None:
    series = failed(None, eventTime="2020-12-14T08:59:00.000000Z", series={"count": 3, "lastObservedTime": T1})
    assert kinds(ask(bound(), series)) == ["failed-after-bound"]
    before = failed(None, eventTime="2020-12-14T08:58:00.000000Z", series={"count": 3, "lastObservedTime": T0})
    assert kinds(ask(bound(T1), before)) == []
    assert kinds(ask(bound(T1), failed(T0, first="2020-12-14T08:00:00Z", count=9))) == []
    assert kinds(ask(bound(), failed(T1, first="2020-12-14T08:00:00Z", count=9))) == ["failed-after-bound"]


def test_a_time_that_is_cut_to_the_second_is_not_taken_for_its_beginning() -> None:
    """Scheduled within the second 09:00:00; whether the failure at 09:00:00.4 came later, nobody knows."""
    answer = ask(bound(T0), failed(None, eventTime="2020-12-14T09:00:00.400000Z"))
    assert answer.findings == ()
    assert "in the same second as the bind" in notes(answer)
    assert kinds(ask(bound(T0), failed(None, eventTime="2020-12-14T09:00:01.000000Z"))) == ["failed-after-bound"]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([bound(T1), failed(T0)], "a failure before the bind"),
        ([bound(T0), failed(T0)], "in the same second as the bind"),
        ([bound(T0), failed(T1, uid="another")], ""),
        ([bound(T0), failed(T1, by="karpenter")], "another scheduler"),
        ([bound(T0), event("NotTriggerScaleUp", "pod didn't trigger scale-up", T1)], ""),
        (
            [
                bound(T0, reportingInstance="default-scheduler-a"),
                failed(T1, reportingInstance="default-scheduler-b"),
            ],
            "just become leader",
        ),
        (
            [
                bound(T0),
                failed(T2),
                event("LeaderElection", "m2_1f3 became leader", T1, "kube-scheduler", kind="Lease", uid=""),
            ],
            "just become leader",
        ),
        ([pod(node="n1", since=T0), failed("2020-12-14T09:00:04Z")], "within 5 s of the bind"),
        ([pod(node="n1", since=T1), failed(T0)], "before the bind|within 5 s"),
        ([pod(node="n1", since=None), failed(T1)], "failures before or after?"),
        ([bound(T0), failed(None)], "without a time"),
    ],
)
def test_failures_that_say_nothing_against_the_scheduler(items: list[Any], said: str) -> None:
    answer = ask(*items)
    assert answer.findings == ()
    assert re.search(said, notes(answer))


def test_without_a_scheduled_event_the_condition_says_when_it_was_bound() -> None:
    answer = ask(pod(node="n1", since=T0), failed(T2))
    assert kinds(answer) == ["failed-after-bound"]
    assert "BIND-TIMEOUT-BOUND" in bugs(answer)
    # An election long before the bind explains nothing.
    leader = event("LeaderElection", "m1 became leader", "2020-12-14T08:00:00Z", "kube-scheduler", kind="Lease", uid="")
    assert kinds(ask(pod(node="n1", since=T0), failed(T2), leader)) == ["failed-after-bound"]


def test_a_pod_that_no_scheduler_has_bound() -> None:
    made = {"creationTimestamp": T1}
    other = [bound(T0, of="q"), pod("q", "n1")]
    answer = ask(*other, pod(node="n1", since=T1, metadata=made))
    assert answer.findings == ()
    assert "somebody has written spec.nodeName" in notes(answer)
    assert [one.bound_by for one in answer.pods] == [
        "default-scheduler",
        "unknown (no Scheduled event; schedulerName default-scheduler)",
    ]
    static = made | {"annotations": {"kubernetes.io/config.mirror": "x"}}
    for item in (
        pod(node="n1", since=T1, metadata=static),
        pod(node="n1", since=T0),
        pod(node="n1", namespace="x", metadata=made),
    ):
        assert "somebody has written" not in notes(ask(*other, item))


def test_scheduled_twice_is_about_one_uid_and_one_scheduler() -> None:
    answer = ask(bound(T0, "n1", metadata={"name": "a"}), bound(T1, "n2", metadata={"name": "b"}))
    assert kinds(answer) == ["scheduled-twice"]
    assert "n1 and n2" in answer.findings[0].title
    assert "to the same node" in ask(bound(count=2)).findings[0].title
    other = bound(T1, "n2", uid="another", metadata={"name": "b"})
    assert ask(bound(T0, "n1", metadata={"name": "a"}), other).findings == ()
    volcano = bound(T1, "n2", by="volcano", metadata={"name": "b"})
    assert ask(bound(T0, "n1", metadata={"name": "a"}), volcano).findings == ()
    # The same event in two files, or from both APIs, is one event.
    once = bound(metadata={"name": "a", "namespace": "web", "uid": "e1"})
    assert ask(once, once).findings == ()


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ("Preempted by web/p on node n2", {}),
        ("by web/p on node n2", {}),
        ("Preempted by a pod on node n2", {"related": {"kind": "Pod", "uid": "u-p"}}),
        ("Preempted by pod 0b7c2d54-31f6-4c86-a5f0-7d1e2a9c4e01 on node n2", {}),
    ],
)
def test_victims_of_a_pod_that_runs(message: str, more: dict[str, Any]) -> None:
    uid = "0b7c2d54-31f6-4c86-a5f0-7d1e2a9c4e01" if "0b7c" in message else "u-p"
    victim = event("Preempted", message, T1, "victim", **more)
    answer = ask(bound(T0, uid=uid), victim)
    assert kinds(answer) == ["preempted-after-bound"]
    assert any("web/victim" in one.text for one in answer.findings[0].evidence)
    assert ask(bound(T2, uid=uid), victim).findings == ()
    # Which of two pods of one name it was cannot be said, unless the event has the uid.
    twins = ask(bound(T0, uid=uid), failed(T0, uid="twin"), victim)
    assert kinds(twins) == (["preempted-after-bound"] if more or "0b7c" in message else [])


def test_an_earlier_preemption_makes_its_own_nomination_the_likelier_cause() -> None:
    victim = event("Preempted", "Preempted by web/p on node n2", T0, "victim")
    assert bugs(ask(victim, bound(T1), failed(T2)))[0] == "NOM-THREE-ATTEMPTS"


def test_a_nomination_left_on_a_bound_pod_is_normal_unless_it_was_written_afterwards() -> None:
    answer = ask(pod(node="n1", nominated="n2"))
    assert answer.findings == ()
    assert "Kubernetes does not clear that" in notes(answer)

    def written(at: str) -> Any:
        fields = {"f:status": {"f:nominatedNodeName": {}}}
        return {"managedFields": [{"manager": "kube-scheduler", "time": at, "fieldsV1": fields}]}

    assert kinds(ask(pod(node="n1", nominated="n2", since=T0, metadata=written(T1)))) == ["status-after-bound"]
    assert ask(pod(node="n1", nominated="n2", since=T1, metadata=written(T0))).findings == ()
    unscheduled = pod(node="n1", since=None)
    unscheduled["status"]["conditions"] = [condition("False", T1, SHORT)]
    assert kinds(ask(unscheduled)) == ["status-after-bound"]


# --- the command --------------------------------------------------------------------------------------------------


def command(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["pod-events", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_says_what_was_found_and_how_it_ended(capsys: Captured) -> None:
    files = [str(path) for path in (PODS, EVENTS, NODES)]
    status, out, err = command(capsys, *files)
    assert (status, err) == (1, "")
    readme = (ROOT / "docs/your-cluster.md").read_text()
    assert out.partition("\n\nNOM-EXT-LEAK:")[0] in readme
    status, out, _ = command(capsys, *files, "--json", "-r", "v1.17.4-tke.1")
    assert status == 1
    found = json.loads(out)
    assert (found["release"], found["judged_as"]) == ("1.17.4-tke.1", "1.17.4")
    assert found["looked_at"]["pods"] == 5
    assert found["findings"][0]["evidence"][0]["what"] == "Scheduled"
    assert found["findings"][0]["bugs"][0]["bug"] == "NOM-EXT-LEAK"
    assert found == json.loads(json.dumps(to_json(analyse(read_files(files), parse_release("v1.17.4-tke.1")))))


def test_nothing_found_is_said_with_how_much_was_looked_at(capsys: Captured, tmp_path: Path) -> None:
    status, out, _ = command(capsys, str(PODS))
    assert status == 0
    assert out.startswith("Nothing found in 5 pods, of what is named below.\n")
    assert "no events are given" in out
    # What was looked for is named, and only what these files can show.
    said = " ".join(out.split())
    assert "a pod that waits and was never tried by a scheduler" in said
    assert "a node that holds more than its allocatable" not in said
    empty = tmp_path / "empty.json"
    empty.write_text('{"kind": "List", "items": []}')
    status, out, _ = command(capsys, str(empty))
    assert (status, out.splitlines()[0]) == (0, "Nothing found in what was given, of what is named below.")


def test_what_is_in_names_is_shown_as_it_can_be() -> None:
    answer = ask(bound(message="\x1b[31m to n1\nX"), failed(message="\x1b]0;x\x07 0/2 nodes are available"))
    assert all(line.isprintable() for line in render(answer).split("\n"))
    many = [item for i in range(50) for item in (bound(of=f"p{i}"), failed(of=f"p{i}"))]
    text = render(ask(*many))
    assert "And 30 more findings" in text
    assert text.count("a scheduling failure after it was bound") == 20
