"""Which pods wait although there is room, by pod-events, and which may well wait."""

import re
from typing import Any

import pytest

from kubeproof.advise.pod_events import analyse, picture_of
from tests.kubeproof.advise.pod_lists import (
    SHORT,
    SYSTEM,
    T0,
    T1,
    T9,
    TWO,
    ask,
    bound,
    bugs,
    event,
    failed,
    kinds,
    node,
    notes,
    pod,
)


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
    assert ask(*TWO, pod(nominated="n2", cpu="3", message=SHORT), failed("2020-12-14T09:25:00Z"), ended).findings == ()


@pytest.mark.parametrize(
    ("spec", "of_node"),
    [
        ({}, {"unschedulable": True}),
        ({}, {"taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]}),
        ({"nodeSelector": {"disk": "hdd"}}, {}),
        ({"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}}, {}),
        ({"volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}, {}),
        ({"volumes": [{"awsElasticBlockStore": {"volumeID": "v"}}]}, {}),
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
