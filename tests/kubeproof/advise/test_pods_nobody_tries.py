"""Pods that wait beyond every timer, and pods of which no scheduler has heard, after public reports."""

from datetime import timedelta
from typing import Any

import pytest

from kubeproof.advise.pod_events import render
from kubeproof.advise.pod_events.timers import timers
from model.releases import known_release
from tests.kubeproof.advise.pod_lists import SHORT, T0, T9, TWO, ask, bound, event, failed, kinds, node, notes, pod

LATER = "2020-12-14T12:00:00Z"
LATE = event("Pulled", "image", LATER, "other", by="kubelet")


def new(name: str = "p", **more: Any) -> Any:
    """A pod without the condition PodScheduled."""
    return pod(name, since=None, **more)


def test_a_pod_that_no_scheduler_has_tried() -> None:
    """rackerlabs/spot#444, kubernetes#119967, #112180, website#36424, crane-scheduler#5: no condition, no event."""
    answer = ask(*TWO, new("a"), new("b", schedulerName="gpu"), LATE, release="1.32.3")
    assert [(one.kind, one.pods) for one in answer.findings] == [
        ("never-tried", ("web/a",)), ("never-tried", ("web/b",)),
    ]  # fmt: skip
    assert all(one.bugs == () for one in answer.findings)
    said = " ".join(render(answer).split())
    assert "No documented bug of 1.32.3 leaves this." in said
    assert "Is there a scheduler of this schedulerName, does it run, and does it lead?" in said
    assert "never tried by any scheduler (gpu)" in said
    assert "3 h after the first was created" in said
    assert [(one.state, one.scheduler) for one in answer.facts][:2] == [
        ("waits, never tried", "default-scheduler"), ("waits, never tried", "gpu"),
    ]  # fmt: skip


def test_where_its_scheduler_runs_the_answer_says_so() -> None:
    """#102790: the scheduler missed the pod's event, and served others."""
    tried = [pod("q", "n1"), bound("2020-12-14T10:00:00Z", of="q")]
    (found,) = ask(*TWO, new(), *tried, LATE).findings
    assert "#102790" in found.caution
    assert any("tried another pod" in one.text for one in found.evidence)
    # An older attempt says nothing of now, and another scheduler nothing of this one.
    old = [pod("q", "n1", since="2020-12-14T08:00:00Z"), bound("2020-12-14T08:00:00Z", of="q")]
    assert "Is there a scheduler" in ask(*TWO, new(), *old, LATE).findings[0].caution
    assert "Is there a scheduler" in ask(*TWO, new(schedulerName="gpu"), *tried, LATE).findings[0].caution


def test_the_pods_of_schedulers_are_evidence() -> None:
    """scheduler-plugins#853: kube-scheduler panics and is started again, and no pod gets an event."""
    scheduler = pod("kube-scheduler-cp-1", "n1", namespace="kube-system")
    scheduler["status"]["containerStatuses"] = [
        {
            "restartCount": 14,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"reason": "Error", "finishedAt": T9}},
        }
    ]
    (found,) = ask(new(), scheduler, LATE).findings
    said = "Running, 14 restarts, waits: CrashLoopBackOff, ended 2020-12-14T09:30:00Z: Error"
    assert f"kube-system/kube-scheduler-cp-1: {said}" in [one.text for one in found.evidence]


@pytest.mark.parametrize(
    ("message", "release", "fits"),
    [
        # An extender does not answer, and the pod waits.
        ('Post "http://127.0.0.1/gpu/filter": context deadline exceeded', "1.28.3", "CYCLE-ERROR-STUCK"),
        ('running PreBind plugin "VolumeBinding": binding volumes: timed out', "1.22.3", "QUEUE-ERROR-STUCK"),
        ('nodeinfo not found for node name "n9"', "1.27.0", "CYCLE-PREFILTER-NONEXISTENT-NODE"),
        # #94437: the scheduler has missed that the node is gone.
        ('Failed to bind volumes: failed to get node "n9": node "n9" not found', "1.18.4", "NODETREE-NAMEONLY-REMOVE"),
    ],
)
def test_a_pod_that_waits_with_an_error_text(message: str, release: str, fits: str) -> None:
    waits = [pod(message=message, since=T9), failed("2020-12-14T11:59:00Z", message), LATE]
    (found,) = ask(*waits, release=release).findings
    assert (found.kind, found.pods) == ("error-text", ("web/p",))
    assert fits in [bug.bug for bug in found.bugs if bug.in_release]
    # Where the next attempt has bound the pod, most of these texts say nothing.
    answer = ask(bound(T9), failed(T0, message), LATE, release=release)
    assert kinds(answer) == (["error-text"] if "nodeinfo" in message else [])


def test_a_new_pod_may_not_have_been_tried_yet() -> None:
    soon = event("Pulled", "image", "2020-12-14T09:00:30Z", "other", by="kubelet")
    answer = ask(pod("other", "n1"), new(), soon)
    assert answer.findings == ()
    assert "created less than 60 s before the newest time" in notes(answer)
    # Without any other time nothing says that a scheduler is there at all.
    alone = ask(new())
    assert kinds(alone) == ["never-tried"]
    assert "the files do not say how long it waits" in render(alone).replace("\n", " ").replace(" " * 24, "")


def test_what_was_tried_by_its_status_an_event_or_a_nomination_was_tried() -> None:
    for items in ([pod(since=T0)], [new(), failed(T9)], [new(nominated="n1")]):
        assert "never-tried" not in kinds(ask(*items, LATE)), items
    # Another scheduler's failure is not an attempt of its own.
    assert kinds(ask(new(), failed(T9, by="karpenter"), LATE)) == ["never-tried"]


def test_scheduling_gates_are_normal_until_they_are_gone() -> None:
    gated = new(schedulingGates=[{"name": "example.com/quota"}])
    gated["status"]["conditions"] = [
        {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "lastTransitionTime": T0}
    ]
    answer = ask(gated, LATE)
    assert answer.findings == ()
    assert "held back by scheduling gates: example.com/quota" in notes(answer)
    assert answer.facts[0].state == "waits at scheduling gates"
    del gated["spec"]["schedulingGates"]
    (found,) = ask(gated, LATE, release="1.30.2").findings
    assert found.kind == "never-tried"
    assert "since its gates are gone" in found.title
    assert "QUEUE-GATED-SKIP" in [bug.bug for bug in found.bugs if bug.in_release]


def test_a_pod_that_is_not_tried_again() -> None:
    """#87145: `28m (x2 over 28m)`, and the count remains the same. #104521: dropped by the error function."""
    message = "pod has unbound immediate PersistentVolumeClaims"
    waits = [pod(message=message), failed("2020-12-14T09:00:05Z", message, count=2)]
    (found,) = ask(*waits, event("Pulled", "image", T9, "x", by="kubelet"), release="1.16.3").findings
    assert found.kind == "not-tried-again"
    assert any("a flush after 60 s and a backoff of at most 10 s" in one.text for one in found.evidence)
    (found,) = ask(*waits, LATE, release="1.19.13").findings
    assert [bug.bug for bug in found.bugs if bug.in_release] == ["QUEUE-TWO-INFORMERS"]
    (found,) = ask(*waits, LATE, release="1.13.0").findings
    assert "QUEUE-STUCK-NO-FLUSH" in [bug.bug for bug in found.bugs if bug.in_release]
    # Tried a moment ago, as its event says.
    assert kinds(ask(*waits, failed("2020-12-14T11:58:00Z", message), LATE)) == []


def test_the_longest_wait_is_that_of_the_release() -> None:
    assert timers(known_release("1.24.0")).longest() - timers(known_release("1.23.0")).longest() == timedelta(minutes=4)
    assert timers(known_release("1.13.0")).flush is None
    assert timers(None).longest() == timers(known_release("1.36.3")).longest() == timers(None).longest(after_error=True)
    silent = [pod(message=SHORT), failed("2020-12-14T09:20:30Z"), event("Pulled", "x", T9, "x", by="kubelet")]
    assert kinds(ask(*silent, release="1.22.0")) == ["not-tried-again"]
    assert kinds(ask(*silent, release="1.24.0")) == []
    # From 1.29 on a pod that met an error waits for its backoff alone.
    late = event("Pulled", "x", T9, "x", by="kubelet")
    errs = [pod(message="x", since=T0), failed("2020-12-14T09:22:30Z", "x"), late]
    errs[0]["status"]["conditions"][0]["reason"] = "SchedulerError"
    assert kinds(ask(*errs, release="1.29.0")) == ["not-tried-again"]
    assert kinds(ask(*errs, release="1.28.0")) == []
    # A series is written again only after half an hour, also if the pod is tried every five minutes.
    series = {"eventTime": "2020-12-14T08:00:00.000000Z", "series": {"count": 9, "lastObservedTime": T0}}
    waits = [pod(message=SHORT), failed(None, **series)]
    assert kinds(ask(*waits, late, release="1.24.0")) == []
    assert kinds(ask(*waits, LATE, release="1.24.0")) == ["not-tried-again"]


def test_a_missing_event_says_something_only_if_events_of_the_time_are_given() -> None:
    waits = pod(message=SHORT)
    old = event("Pulled", "image", T0, "other", by="kubelet")
    tried = failed(T0, of="gone")
    assert kinds(ask(waits, LATE)) == []
    assert kinds(ask(waits, LATE, old)) == []
    assert kinds(ask(waits, LATE, old, tried)) == ["not-tried-again"]


def test_a_nomination_that_waits() -> None:
    """#95752: the victim never ends, since its kubelet is down. #92600, #93505: the room went to somebody else."""
    victim = event("Preempted", "Preempted by web/p on node n2", T0, "victim")
    waits = [pod(nominated="n2", cpu="3", message=SHORT), failed("2020-12-14T11:59:00Z"), victim, LATE]
    taken = pod("taken", "n2", cpu="4")
    (found,) = ask(*TWO, *waits, taken, release="1.17.0").findings
    assert found.kind == "nomination-waits"
    assert "PREEMPT-RACE-BEFORE-NOMINATE" in [bug.bug for bug in found.bugs if bug.in_release]
    stuck = pod("victim", "n2", cpu="4", metadata={"deletionTimestamp": "2020-12-14T09:01:00Z"})
    answer = ask(*TWO, *waits, stuck, release="1.17.0")
    assert kinds(answer) == ["nomination-waits", "deletion-overdue"]
    assert "#95752" in answer.findings[0].caution
    within = pod("victim", "n2", cpu="4", metadata={"deletionTimestamp": "2020-12-14T12:10:00Z"})
    answer = ask(*TWO, *waits, within)
    assert answer.findings == ()
    assert "victims that are within their grace" in notes(answer)


def test_a_pod_that_preempts_again_and_again() -> None:
    """#130429: another scheduler puts the victim's next copy where the victim was."""
    rounds = [
        event("Preempted", "Preempted by web/p on node n2", f"2020-12-14T11:5{i}:00Z", f"v{i}", by="default-scheduler")
        for i in range(0, 8, 2)
    ]
    waits = [pod(nominated="n2", cpu="3", message=SHORT), failed("2020-12-14T11:59:00Z"), LATE]
    victim = pod("v9", "n2", cpu="4", schedulerName="second")
    (found,) = ask(*TWO, *waits, victim, *rounds, release="1.33.1").findings
    assert found.kind == "preempted-again"
    assert "4 rounds" in found.title
    assert any("other schedulers: second" in one.text for one in found.evidence)
    assert "ASYNC-PREEMPT-REPEAT" in [bug.bug for bug in found.bugs if bug.in_release]
    # The victims of one preemption are one round.
    once = [event("Preempted", "Preempted by web/p on node n2", "2020-12-14T11:50:00Z", f"v{i}") for i in range(9)]
    assert "preempted-again" not in kinds(ask(*TWO, *waits, victim, *once))


@pytest.mark.parametrize(("node_name", "said"), [("n1", "it keeps its room there"), (None, "the scheduler skips it")])
def test_a_pod_that_should_be_gone(node_name: str | None, said: str) -> None:
    answer = ask(pod(node=node_name, metadata={"deletionTimestamp": T9}), LATE)
    assert kinds(answer) == ["deletion-overdue"]
    assert said in " ".join(render(answer).split())
    soon = ask(pod(node=node_name, metadata={"deletionTimestamp": LATER}), LATE)
    assert soon.findings == ()
    assert "is being deleted" in notes(soon)


def test_facts_count_what_they_do_not_name() -> None:
    crowd = [pod(f"c{i}", "n1", cpu="0") for i in range(9)]
    answer = ask(node("n1"), *crowd, new(), LATE)
    assert [(one.state, one.count) for one in answer.facts] == [("waits, never tried", 1), ("has a node", 9)]
    assert answer.pods[0].silent == 3 * 3600
    assert "web/c0, web/c1, web/c2 and 6 more" in " ".join(render(answer).split())
