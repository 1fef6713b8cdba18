"""A scheduler's log as a third witness: what is read of each form, and what it changes in the answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from kubeproof.advise.log_lines import line_of, time_of
from kubeproof.advise.pod_events import PodEventsAnswer, analyse, picture_of, read_files, render
from kubeproof.advise.pod_events.attempt_log import read_log
from model.releases import known_release
from tests.kubeproof.advise.pod_lists import T0, T9, TWO, bound, event, failed, kinds, node, pod

SHORT = "0/2 nodes are available: 2 Insufficient cpu."
# The same in each form: free text up to 1.18 and still in 1.20, key="value" from 1.19 on, JSON.
FREE = f"""I1214 09:10:00.000001       1 eventhandlers.go:173] add event for unscheduled pod web/p
I1214 09:10:00.000002       1 scheduler.go:577] Attempting to schedule pod: web/p
I1214 09:10:00.100000       1 factory.go:462] Unable to schedule web/p: no fit: {SHORT}; waiting
I1214 09:11:00.000002       1 scheduler.go:577] Attempting to schedule pod: web/p
I1214 09:11:00.100000       1 scheduler.go:742] pod web/p is bound successfully on node "n1", 2 nodes evaluated
"""
KEYS = f"""I1214 09:10:00.000001       1 eventhandlers.go:126] "Add event for unscheduled pod" pod="web/p"
I1214 09:10:00.000002       1 schedule_one.go:84] "About to try and schedule pod" pod="web/p"
I1214 09:10:00.000003       1 schedule_one.go:100] "Attempting to schedule pod" pod="web/p"
I1214 09:10:00.100000       1 schedule_one.go:867] "Unable to schedule pod; no fit; waiting" pod="web/p" err="{SHORT}"
I1214 09:11:00.000002       1 schedule_one.go:84] "About to try and schedule pod" pod="web/p"
I1214 09:11:00.000003       1 schedule_one.go:100] "Attempting to schedule pod" pod="web/p"
I1214 09:11:00.050000       1 default_binder.go:53] "Attempting to bind pod to node" pod="web/p" node="n1"
I1214 09:11:00.100000       1 schedule_one.go:252] "Successfully bound pod to node" pod="web/p" node="n1"
"""
AT = {"09:10:00": 1607937000000, "09:11:00": 1607937060000}
OF = {"name": "p", "namespace": "web"}
JSON = "\n".join(
    json.dumps(each)
    for each in (
        {"ts": AT["09:10:00"] + 0.001, "msg": "Add event for unscheduled pod", "v": 3, "pod": OF},
        {"ts": AT["09:10:00"] + 0.002, "msg": "Attempting to schedule pod", "v": 3, "pod": OF},
        {"ts": AT["09:10:00"] + 100, "msg": "Unable to schedule pod; no fit; waiting", "pod": OF, "err": SHORT},
        {"ts": AT["09:11:00"] + 0.002, "msg": "Attempting to schedule pod", "v": 3, "pod": OF},
        {"ts": AT["09:11:00"] + 100, "msg": "Successfully bound pod to node", "v": 2, "pod": OF, "node": "n1"},
    )
)


def ask(log: str, *items: Any, release: str | None = None) -> PodEventsAnswer:
    documents = [({"kind": "List", "items": list(items)}, "f")] if items else []
    return analyse(picture_of(documents, [read_log(log, "s.log")]), None if release is None else known_release(release))


JOURNAL = KEYS.replace("I1214", "Dec 14 09:10:00 cp-1 kube-scheduler[30766]: I1214")


@pytest.mark.parametrize("log", [FREE, KEYS, JSON, JOURNAL], ids=["free", "keys", "json", "journal"])
def test_each_form_of_a_log_tells_the_same(log: str) -> None:
    read = read_log(log, "s.log")
    assert read.heard == {"web/p"}
    assert [times for _, times in read.tried.values()] == [2]
    scheduled, fails = read.events
    assert (scheduled.reason, scheduled.message) == ("Scheduled", "Successfully assigned web/p to n1")
    assert (fails.reason, fails.message, fails.count) == ("FailedScheduling", SHORT, 1)
    answer = ask(log, pod(node="n1"))
    assert answer.findings == ()
    assert (answer.logs[0].attempts, answer.logs[0].pods) == (2, 1)
    assert answer.until == "2020-12-14T09:11:00.100000Z"
    # The failure is before the bind, both by the log's own clock.
    assert [note.what for note in answer.normal] == ["a failure before the bind"]


def test_a_failure_after_the_bind_in_the_log_alone() -> None:
    again = KEYS + KEYS.splitlines()[3].replace("09:10:00", "09:12:00")
    answer = ask(again)
    assert [(one.kind, one.pod) for one in answer.findings] == [("failed-after-bound", "web/p")]
    # Of a pod of which events tell, the log is not a second teller.
    assert kinds(ask(KEYS, pod(node="n1", since="2020-12-14T09:11:00Z"), bound("2020-12-14T09:11:00Z"))) == []


def test_the_log_says_that_a_pod_was_tried_though_no_event_is_left() -> None:
    waits = pod(since=None)
    late = event("Pulled", "image", "2020-12-14T09:13:00Z", "x", by="kubelet")
    tried = "\n".join(KEYS.splitlines()[:4])
    assert kinds(ask(tried, waits, late)) == []
    # 20 min later nobody has tried it again.
    assert kinds(ask(tried, waits, event("Pulled", "image", T9, "x", by="kubelet"))) == ["not-tried-again"]
    other = tried.replace("web/p", "web/q")
    (found,) = ask(other, waits, event("Pulled", "image", T9, "x", by="kubelet")).findings
    assert found.kind == "never-tried"
    assert any(
        "it does not name these pods as new, and has attempts of 1 other pods" in one.text for one in found.evidence
    )
    heard = KEYS.splitlines()[0]
    (found,) = ask(heard, waits, event("Pulled", "image", T9, "x", by="kubelet")).findings
    assert any("it has heard of 1 of these pods" in one.text for one in found.evidence)


LOST = """I1214 09:00:00.000000       1 leaderelection.go:258] successfully acquired lease kube-system/kube-scheduler
I1214 09:20:00.000000       1 leaderelection.go:285] failed to renew lease kube-system/kube-scheduler: timed out
E1214 09:20:00.100000       1 server.go:231] "Leaderelection lost"
"""


def test_a_panic_is_a_bugs_only_in_the_function_of_the_bug() -> None:
    nil = "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 311 [running]:\n"

    def fits(function: str) -> list[str]:
        answer = ask(f"{KEYS}{nil}k8s.io/kubernetes/pkg/scheduler/{function}(0x0)\n", release="1.18.0")
        return [bug.bug for found in answer.findings if found.kind == "error-text" for bug in found.bugs]

    assert fits("nodeinfo.(*NodeInfo).RemovePod") == ["CACHE-NODE-BEFORE-PODS-CRASH"]
    assert fits("framework/plugins/podtopologyspread.(*preFilterState).updateWithPod") == []


def test_a_scheduler_that_loses_its_lease_or_panics_has_ended() -> None:
    """#65966, scheduler-plugins#801 and #853: it lost its lease, or it panicked, and pods wait."""
    answer = ask(LOST, pod(since=None), event("Pulled", "image", T9, "x", by="kubelet"))
    assert kinds(answer) == ["never-tried", "scheduler-ended"]
    assert any(one.text == "the scheduler lost its lease" for one in answer.findings[0].evidence)
    assert answer.logs[0].lost == "2020-12-14T09:20:00.100000Z"
    panic = KEYS + "panic: runtime error: integer divide by zero\n\ngoroutine 311 [running]:\n"
    answer = ask(panic, release="1.29.5")
    assert kinds(answer) == ["error-text", "scheduler-ended"]
    assert [bug.bug for bug in answer.findings[0].bugs if bug.in_release] == ["FILTER-DIVIDE-BY-ZERO"]
    assert "integer divide by zero" in " ".join(render(answer).split())
    # Nothing gives the year.
    assert "2000" not in render(answer)
    # A new lease after that: the process was started again.
    assert kinds(ask(LOST + LOST.splitlines()[0].replace("09:00", "09:21"))) == []


def test_preemptions_and_error_texts_in_a_log() -> None:
    preempted = "\n".join(
        f'I1214 09:{minute}:00.000000       1 preemption.go:367] "Preemptor Pod preempted victim Pod" '
        f'preemptor="web/p" victim="web/v{minute}" node="n1"'
        for minute in (10, 15, 20, 25)
    )
    waits = pod(message=SHORT, since="2020-12-14T09:24:00Z")
    tried = KEYS.splitlines()[3].replace("09:10:00", "09:29:00")
    assert "preempted-again" in kinds(ask(preempted + "\n" + tried, *TWO, waits))
    error = (
        'E1214 09:10:00.000000       1 schedule_one.go:883] "Error scheduling pod; retrying" '
        'err="nodeinfo not found for node name \\"n9\\"" pod="web/q"\n'
    )
    (found,) = ask(error, release="1.27.0").findings
    assert (found.kind, found.pods) == ("error-text", ("web/q",))
    assert found.bugs[0].bug == "CYCLE-PREFILTER-NONEXISTENT-NODE"


def test_the_year_of_a_log_is_that_of_the_other_files() -> None:
    answer = ask(KEYS, node("n1"), pod(node="n1", since=T0))
    assert answer.logs[0].begins == "2020-12-14T09:10:00.000001Z"
    january = node("n1")
    january["status"]["conditions"][0]["lastHeartbeatTime"] = "2021-01-01T00:00:00Z"
    assert ask(KEYS, january).logs[0].begins == "2020-12-14T09:10:00.000001Z"
    by_runtime = KEYS.replace("I1214", "2020-12-14T10:10:00.5+01:00 stderr F I1214")
    assert str(time_of(by_runtime)) == "2020-12-14 09:10:00.500000+00:00"


def test_the_zone_of_a_log_is_told_by_the_pods_that_both_say_are_bound() -> None:
    local = KEYS.replace("I1214 09:1", "I1214 14:4")
    at = "2020-12-14T09:11:00Z"
    assert ask(local, pod(node="n1", since=at)).logs[0].begins == "2020-12-14T09:10:00.000001Z"
    # Events of this pod are not what the log says of it again, and nothing is found after the bind.
    assert ask(local, bound(at), pod(node="n1", since=at)).findings == ()
    # A log with the container runtime's time needs nobody.
    by_runtime = KEYS.replace("I1214", "2020-12-14T10:10:00.5+01:00 stderr F I1214")
    assert ask(by_runtime, bound(T0)).logs[0].begins == "2020-12-14T09:10:00.500000Z"


def test_the_keys_of_a_line() -> None:
    line = line_of('E0101 00:00:00.000000 1 x.go:1] "A \\"b\\"" err="c \\"d\\"" pod="web/p" n=3')
    assert (line.text, line.keys) == ('A "b"', {"err": 'c "d"', "pod": "web/p", "n": "3"})
    assert line_of('{"ts":1,"msg":"m","pod":{"name":"p","namespace":"web"}}').keys["pod"] == "web/p"
    assert line_of("{not json").text == "{not json"
    assert line_of('E0101 00:00:00.000000 1 x.go:1] "A" err=< pod="web/p"').keys == {"pod": "web/p"}


PIECES = st.sampled_from(
    [
        *FREE.splitlines(),
        *KEYS.splitlines(),
        *JSON.splitlines(),
        *LOST.splitlines(),
        "panic: x",
        "err=<",
        '"',
        '\\"',
        "{",
        "}",
    ]
)


@pytest.mark.slow
@given(st.lists(PIECES | st.text(max_size=20), max_size=8), st.booleans())
@settings(max_examples=300, deadline=None)
def test_random_lines_raise_nothing(lines: list[str], cut: bool) -> None:
    text = ("" if cut else "\n").join(lines)
    answer = ask(text[: len(text) // 2] if cut else text, pod(since=None), node("n1"))
    assert all(line.isprintable() for line in render(answer).split("\n"))


def test_a_log_is_recognised_among_the_files(tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(json.dumps({"kind": "List", "items": [pod(node="n1"), failed(T0, of="q")]}))
    for log in (FREE, KEYS, JSON, JOURNAL):
        (tmp_path / "s.log").write_text(log)
        picture = read_files([tmp_path / "s.log", tmp_path / "pods.json"])
        assert (len(picture.logs), len(picture.pods or ())) == (1, 1)
        assert [name.rpartition("/")[2] for name in picture.files] == ["s.log", "pods.json"]
