"""Which of the scheduler's bugs do pods and events fit: the report's picture, each finding, and what is no finding."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.advise.pod_events import PodEventsAnswer, analyse, picture_of, read_files, render, to_json
from kubeproof.advise.pod_events.bugs import Range, known_bug, merged
from kubeproof.bugs.catalogue import EVERY_BUG, bug_named
from kubeproof.bugs.counterexample import minimal_counterexample, release_rows_of
from kubeproof.bugs.kept import KeptRow, kept_releases
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from model.releases import parse_release
from tests.conftest import DATA, ROOT

Captured = pytest.CaptureFixture[str]
PODS, EVENTS, NODES, NEWER = (DATA / f"pod-events-{name}.json" for name in ("pods", "events", "nodes", "new"))
SHORT = "0/2 nodes are available: 2 Insufficient cpu."
T0, T1, T2, T9 = ("2020-12-14T09:00:00Z", "2020-12-14T09:00:05Z", "2020-12-14T09:00:09Z", "2020-12-14T09:30:00Z")


def condition(status: str, since: str, message: str = "") -> dict[str, Any]:
    return {"type": "PodScheduled", "status": status, "lastTransitionTime": since, "message": message}


def pod(name: str = "p", node: str | None = None, nominated: str | None = None, cpu: str = "1", **more: Any) -> Any:
    """A pod of namespace web. `more`: fields of spec, except phase, since, message, uid, namespace and metadata."""
    uid, namespace = more.pop("uid", f"u-{name}"), more.pop("namespace", "web")
    since, message = more.pop("since", T0), more.pop("message", "")
    phase = more.pop("phase", "Running" if node else "Pending")
    conditions = [condition("True" if node else "False", since, message)] if since else []
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": uid, "creationTimestamp": T0}
        | more.pop("metadata", {}),
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], "nodeName": node} | more,
        "status": {"phase": phase, "nominatedNodeName": nominated, "conditions": conditions},
    }


def node(name: str, cpu: str = "4", created: str = "2020-01-01T00:00:00Z", **spec: Any) -> Any:
    status = {"allocatable": {"cpu": cpu, "pods": "10"}, "conditions": [{"lastHeartbeatTime": T9}]}
    metadata = {"name": name, "creationTimestamp": created, "labels": {"disk": "ssd"}}
    return {"kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def event(reason: str, message: str, last: str | None, of: str = "p", **more: Any) -> Any:
    """A v1 Event of a pod of namespace web; `first` and `last` differ if both are given."""
    by, uid = more.pop("by", "default-scheduler"), more.pop("uid", f"u-{of}")
    first, kind = more.pop("first", last), more.pop("kind", "Pod")
    return {
        "kind": "Event",
        "reason": reason,
        "message": message,
        "involvedObject": {"kind": kind, "namespace": "web", "name": of, "uid": uid},
        "firstTimestamp": first,
        "lastTimestamp": last,
        "source": {"component": by, "host": more.pop("host", "")},
        **more,
    }


def bound(at: str = T0, to: str = "n1", **more: Any) -> Any:
    return event("Scheduled", more.pop("message", f"Successfully assigned web/p to {to}"), at, **more)


def failed(at: str | None = T1, message: str = SHORT, **more: Any) -> Any:
    return event("FailedScheduling", message, at, **more)


def ask(*items: Any, release: str | None = None) -> PodEventsAnswer:
    picture = picture_of([({"kind": "List", "items": list(items)}, "f")])
    return analyse(picture, None if release is None else parse_release(release))


def kinds(answer: PodEventsAnswer) -> list[str]:
    return [finding.kind for finding in answer.findings]


def bugs(answer: PodEventsAnswer) -> list[str]:
    return [bug.bug for bug in answer.findings[0].bugs]


def notes(answer: PodEventsAnswer) -> str:
    return " | ".join(note.what for note in (*answer.normal, *answer.not_judged))


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


# --- pods that wait -----------------------------------------------------------------------------------------------

SYSTEM = pod("proxy", "n1", cpu="0", namespace="kube-system")
TWO = (node("n1"), node("n2"), SYSTEM)


def test_a_nominated_pod_whose_node_has_room() -> None:
    waits = pod(nominated="n2", cpu="3", message=SHORT)
    answer = ask(*TWO, waits, failed(T9))
    assert kinds(answer) == ["nominated-with-room"]
    assert bugs(answer)[0] == "NOM-NOT-CLEARED"
    assert any("n2 has left 4 of cpu (asked: 3), 10 more pods" in one.text for one in answer.findings[0].evidence)
    # With a leak in the same picture that comes first.
    leak = [bound(T0, of="q"), failed(T1, of="q")]
    assert kinds(ask(*TWO, waits, failed(T9), *leak)) == ["failed-after-bound", "nominated-with-room"]
    assert ask(*TWO, waits, failed(T9), *leak).findings[1].bugs[0].bug == "NOM-EXT-LEAK"


@pytest.mark.parametrize(
    ("items", "said"),
    [
        # Victims that terminate still take their room.
        ([pod("victim", "n2", cpu="4", metadata={"deletionTimestamp": T9})], "waits for room on that node"),
        ([pod("other", "n2", cpu="1500m")], "waits for room on that node"),
        ([pod("rival", nominated="n2", cpu="2", message=SHORT)], "waits for room on that node"),
        ([event("Killing", "Stopping container", T9, "gone", by="kubelet", host="n2")], "not tried yet since"),
        ([event("Killing", "Stopping container", T9, "gone", by="kubelet")], "not tried yet since"),
        ([node("n2", created="2020-12-14T09:29:59Z"), failed("2020-12-14T09:20:00Z")], "not tried yet since|^$"),
    ],
)
def test_a_nominated_pod_that_may_well_wait(items: list[Any], said: str) -> None:
    at = T9 if items[0]["kind"] != "Node" else "2020-12-14T09:20:00Z"
    answer = ask(*TWO, pod(nominated="n2", cpu="3", message=SHORT), failed(at), *items)
    assert [one for one in answer.findings if one.pod == "web/p"] == []
    assert re.search(said, notes(answer))


def test_pods_that_have_ended_take_no_room() -> None:
    for phase in ("Succeeded", "Failed"):
        done = pod("done", "n2", cpu="4", phase=phase)
        assert kinds(ask(*TWO, pod(nominated="n2", cpu="3", message=SHORT), failed(T9), done)) == [
            "nominated-with-room"
        ]
    ended = pod("done", "n2", cpu="4", phase="Succeeded")
    ended["status"]["containerStatuses"] = [{"state": {"terminated": {"finishedAt": T9}}}]
    assert ask(*TWO, pod(nominated="n2", cpu="3", message=SHORT), failed(T2), ended).findings == ()


@pytest.mark.parametrize(
    ("spec", "of_node"),
    [
        ({}, {"unschedulable": True}),
        ({}, {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}),
        ({"nodeSelector": {"disk": "hdd"}}, {}),
        ({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}}, {}),
        ({"volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}, {}),
        ({"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule"}]}, {}),
    ],
)
def test_what_else_may_keep_it_off_the_node_is_not_judged(spec: Any, of_node: Any) -> None:
    nodes = (node("n1"), node("n2", **of_node), SYSTEM)
    text = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had taints that the pod didn't tolerate."
    full = pod("full", "n1", cpu="4")
    answer = ask(*nodes, full, pod(nominated="n2", message=text, **spec), failed(T9))
    assert answer.findings == ()
    assert "it may fail for" in notes(answer)


def test_a_taint_that_is_tolerated_keeps_nothing_off() -> None:
    nodes = (node("n1"), node("n2", taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]), SYSTEM)
    for tolerations in ([{"operator": "Exists"}], [{"key": "gpu", "value": "yes"}]):
        assert kinds(ask(*nodes, pod(nominated="n2", tolerations=tolerations), failed(T9))) == ["nominated-with-room"]
    assert (
        ask(*nodes, pod(nominated="n2", tolerations=[{"key": "gpu", "value": "no"}]), failed(T9, "no")).findings == ()
    )


def test_a_shortage_is_wrong_where_fewer_nodes_have_it_than_are_said_to() -> None:
    full = pod("full", "n1", cpu="4")
    answer = ask(*TWO, full, pod(message=SHORT), failed(T9))
    assert kinds(answer) == ["short-with-room"]
    assert bugs(answer) == [
        "NOM-EXT-LEAK", "NOM-THREE-ATTEMPTS", "NOM-NOT-CLEARED", "NOM-PHANTOM-DELETED", "CACHE-MISSED-DELETE",
    ]  # fmt: skip
    one = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had taints that the pod didn't tolerate."
    assert ask(*TWO, full, pod(message=one), failed(T9)).findings == ()
    # Said to lack CPUs, and full of pods.
    crowd = [pod(f"c{i}", "n2", cpu="0") for i in range(10)]
    assert ask(*TWO, full, pod(message=SHORT), failed(T9), *crowd).findings == ()
    # What preemption says comes after, and counts for nothing here.
    after = one + " preemption: 0/2 nodes are available: 2 Insufficient cpu."
    assert ask(*TWO, full, pod(message=after), failed(T9)).findings == ()
    three = "0/3 nodes are available: 3 Insufficient cpu."
    assert ask(*TWO, full, pod(message=three), failed(T9)).findings == ()
    assert ask(*TWO, full, pod("q", "n2", cpu="3500m"), pod(message=SHORT), failed(T9)).findings == ()
    # The reason of the last attempt stands in the condition; the event's is that of the first in a series.
    assert ask(*TWO, full, pod(message="0/2 nodes are available: 2 node(s) were cordoned."), failed(T9)).findings == ()
    # A nomination of the same or a higher priority keeps the room; one of a lower does not.
    reserved = pod("r", nominated="n2", cpu="4", message=SHORT)
    assert [f.pod for f in ask(*TWO, full, pod(message=SHORT), failed(T9), reserved).findings] == []
    reserved["spec"]["priority"] = -5
    assert "web/p" in [f.pod for f in ask(*TWO, full, pod(message=SHORT), failed(T9), reserved).findings]


def test_room_is_not_judged_from_the_pods_of_one_namespace_or_without_a_recent_attempt() -> None:
    waits = pod(nominated="n2", message=SHORT)
    answer = ask(node("n1"), node("n2"), waits, failed(T9))
    assert answer.findings == ()
    assert "all pods given are of namespace web" in notes(answer)
    assert "no FailedScheduling event" in notes(ask(*TWO, waits, failed(T9, uid="another")))
    # Without any events: how long it has waited decides.
    assert kinds(ask(*TWO, waits)) == ["nominated-with-room"]
    assert "less than ten minutes" in notes(ask(*TWO, pod(nominated="n2", since="2020-12-14T09:25:00Z")))


def test_a_nominated_node_that_is_gone() -> None:
    waits = pod(nominated="n9")
    answer = ask(*TWO, waits, failed(T9))
    assert kinds(answer) == ["nominated-node-gone"]
    only = answer.findings[0].bugs[0]
    assert (only.bug, only.affected[-1].last) == ("NOM-NOT-CLEARED", "1.18.20")
    assert not ask(*TWO, waits, failed(T9), release="1.19.0").findings[0].bugs[0].in_release
    # Just gone, not tried since; pods still run there; a single node is no list; a bound pod does not care.
    gone = event("RemovingNode", "Node n9 event: Removing Node n9 from Controller", T9, "n9", kind="Node", uid="n9")
    assert "not tried yet since" in notes(ask(*TWO, waits, failed(T1), gone))
    assert kinds(ask(*TWO, waits, failed("2020-12-14T09:31:00Z"), gone)) == ["nominated-node-gone"]
    assert "it has just gone, or is missing" in notes(ask(*TWO, waits, failed(T9), pod("x", "n9")))
    one = picture_of([(node("n1"), "a"), ({"kind": "List", "items": [SYSTEM, waits, failed(T9)]}, "b")])
    assert analyse(one).findings == ()
    assert ask(*TWO, pod(node="n1", nominated="n9")).findings == ()


# --- bugs and releases --------------------------------------------------------------------------------------------


def test_releases_are_kept_as_they_were_computed() -> None:
    bug = bug_named("NODETREE-CURSOR")
    example = minimal_counterexample(bug)
    assert example is not None
    computed = [
        (row.first, row.last, row.shows_bug, tuple(row.evidence.split(", "))) for row in release_rows_of(example)
    ]
    assert [(row.first, row.last, row.shown, row.evidence) for row in kept_releases(bug)] == computed
    known = known_bug("NODETREE-CURSOR")
    assert known.affected == (Range("1.13.0", "1.18.6"),)
    assert known.page == "counterexamples/nodetree-cursor/README.md"
    assert known.traced
    assert known.cured_in(None) == "1.18.7"
    assert known_bug("BIND-TIMEOUT-BOUND").cured_in(None) is None
    assert not known_bug("CPU-HINTS").traced


def test_every_bug_has_its_releases_and_the_page_says_the_same() -> None:
    for bug in EVERY_BUG:
        page = (ROOT / "counterexamples" / bug.folder / "README.md").read_text()
        table = page.partition("## Which releases")[2].partition("\nRules:")[0]
        rows = [line for line in table.splitlines() if re.match(r"\| 1\.\d+\.\d+ to 1\.\d+\.\d+ \|", line)]
        kept = kept_releases(bug)
        assert [(f"| {row.first} to {row.last} |", row.shown) for row in kept] == [
            (re.match(r"\| [^|]*\|", line)[0], "**yes**" in line) for line in rows
        ], bug.id
        assert known_bug(bug.id).affected, bug.id
        for row in kept:
            assert parse_release(row.first).version <= parse_release(row.last).version


def test_releases_that_show_a_bug_in_a_row_are_one_range() -> None:
    rows = [
        KeptRow(first, last, shown, shown, ("read",))
        for first, last, shown in (
            ("1.13.0", "1.13.12", False),
            ("1.14.0", "1.14.10", True),
            ("1.15.0", "1.15.11", True),
            ("1.16.0", "1.16.15", False),
            ("1.17.0", "1.17.17", True),
        )
    ]
    assert list(merged(rows)) == [Range("1.14.0", "1.15.11"), Range("1.17.0", "1.17.17")]


def test_a_bug_without_releases_and_an_unknown_one_are_refused() -> None:
    with pytest.raises(InputError, match=r"counterexamples/no-such/releases.json: missing or damaged"):
        kept_releases(evolve(bug_named("NODETREE-CURSOR"), id="NO-SUCH"))
    with pytest.raises(InputError, match="'NO-SUCH' is not a bug"):
        known_bug("NO-SUCH")


def test_where_no_bug_of_the_release_fits_that_is_said() -> None:
    answer = ask(*TWO, pod(nominated="n9"), failed(T9), release="1.31")
    assert "None of the bugs that look like this is known of 1.31" in " ".join(render(answer).split())
    assert kinds(answer) == ["nominated-node-gone"]


# --- the command --------------------------------------------------------------------------------------------------


def command(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["pod-events", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_says_what_was_found_and_how_it_ended(capsys: Captured) -> None:
    files = [str(path) for path in (PODS, EVENTS, NODES)]
    status, out, err = command(capsys, *files)
    assert (status, err) == (1, "")
    readme = (ROOT / "README.md").read_text()
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
    assert out.startswith("Nothing found in 5 pods.\n")
    assert "no events are given" in out
    empty = tmp_path / "empty.json"
    empty.write_text('{"kind": "List", "items": []}')
    status, out, _ = command(capsys, str(empty))
    assert (status, out.splitlines()[0]) == (0, "Nothing found in what was given.")


def test_what_is_in_names_is_shown_as_it_can_be() -> None:
    answer = ask(bound(message="\x1b[31m to n1\nX"), failed(message="\x1b]0;x\x07 0/2 nodes are available"))
    assert all(line.isprintable() for line in render(answer).split("\n"))
    many = [item for i in range(50) for item in (bound(of=f"p{i}"), failed(of=f"p{i}"))]
    text = render(ask(*many))
    assert "And 30 more findings" in text
    assert text.count("a scheduling failure after it was bound") == 20
