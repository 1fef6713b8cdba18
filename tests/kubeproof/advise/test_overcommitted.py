"""Pods that their kubelet rejected, and nodes over their allocatable, after public reports."""

from typing import Any

import pytest

from kubeproof.advise.pod_events import render
from tests.kubeproof.advise.pod_lists import T0, T1, T2, ask, bound, event, failed, kinds, node, pod

CPU = "Node didn't have enough resource: cpu, requested: 1000, used: 94939, capacity: 95690"


def rejected(name: str = "p", reason: str = "OutOfcpu", message: str = f"Pod {CPU}", **more: Any) -> Any:
    made = pod(name, "n1", phase="Failed", **more)
    made["status"] |= {"reason": reason, "message": message}
    return made


def of_kubelet(reason: str = "OutOfcpu", message: str = CPU, at: str = T1, of: str = "p") -> Any:
    return event(reason, message, at, of, by="kubelet", host="n1")


@pytest.mark.parametrize(
    ("release", "fits"),
    [
        ("1.13.5", ["CACHE-START-UNSYNCED", "CACHE-ASSUME-TTL"]),
        ("1.24.4", ["CACHE-START-UNSYNCED", "CACHE-ASSUME-TTL"]),
        ("1.26.3", ["CACHE-START-UNSYNCED"]),
        ("1.32.3", []),
        ("1.34.1", ["BIND-RESIZED"]),
    ],
)
def test_a_kubelet_that_has_no_room_for_what_was_bound(release: str, fits: list[str]) -> None:
    """neondatabase/autoscaling#374, kubernetes#107679, #76772: OutOfcpu a second after Scheduled."""
    answer = ask(node("n1"), rejected(), bound(), of_kubelet(), release=release)
    (found,) = answer.findings
    assert (found.kind, found.node, found.pods) == ("rejected-by-kubelet", "n1", ("web/p",))
    assert [bug.bug for bug in found.bugs if bug.in_release] == fits
    there = "pods given that are on n1 and have not ended: 0; they ask for 0 of cpu"
    assert [one.text for one in found.evidence] == [CPU, there, "bound by default-scheduler: 1"]
    assert (answer.pods[0].rejected, answer.pods[0].rejected_for) == (T1, "OutOfcpu")
    said = " ".join(render(answer).split())
    assert "Two schedulers that do not know of each other" in said
    assert ("until its containers are gone (#106884)" in said) == (release != "1.13.5")
    assert ("a resize in place may take the room" in said) == (release == "1.34.1")


def test_a_failure_just_before_such_a_bind_is_evidence_and_not_normal() -> None:
    """neondatabase/autoscaling#374: no node fits, two seconds later one is chosen, and its kubelet has no room."""
    answer = ask(rejected(), failed(T0), bound(T1), of_kubelet(at=T2))
    assert kinds(answer) == ["rejected-by-kubelet"]
    assert any("(5 s before the bind of web/p)" in one.text for one in answer.findings[0].evidence)
    assert answer.normal == ()


def test_rejected_pods_of_a_node_are_one_finding_and_either_witness_is_enough() -> None:
    """#76772 and #136782: a batch of pods on one node, most of them rejected."""
    many = [rejected(f"p{i}", "OutOfpods", "") for i in range(30)]
    answer = ask(*many, of_kubelet("OutOfpods", "no place", of="gone"))
    assert [(one.count, len(one.pods)) for one in answer.findings] == [(31, 20)]
    assert "and 28 more" in render(answer)
    assert kinds(ask(of_kubelet())) == ["rejected-by-kubelet"]
    assert kinds(ask(rejected())) == ["rejected-by-kubelet"]
    # Another program that uses the same reason, and a pod that failed by itself.
    assert kinds(ask(event("OutOfcpu", CPU, T1, by="karpenter"))) == []
    for reason in ("", "Evicted", "DeadlineExceeded", "OutOf"):
        assert kinds(ask(rejected(reason=reason))) == []


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("NodeAffinity", "A kubelet that has just started also says so"),  # #109663, #100467
        ("MatchNodeSelector", "A kubelet that has just started also says so"),  # #99708
        ("NodePorts", "A kubelet that has just started also says so"),
        ("UnexpectedAdmissionError", "the kubelet's own managers"),  # #138446
        ("TopologyAffinityError", "the kubelet's own managers"),
    ],
)
def test_what_else_a_kubelet_rejects_fits_no_bug_of_the_scheduler(reason: str, said: str) -> None:
    answer = ask(rejected(reason=reason, message="Pod was rejected: Predicate failed"))
    (found,) = answer.findings
    assert (found.kind, found.bugs) == ("rejected-by-kubelet", ())
    text = " ".join(render(answer).split())
    assert said in text
    assert "No documented bug leaves this." in text


def test_what_the_kubelet_counts_stands_beside_what_the_files_have() -> None:
    """#86986: the kubelet counts pods that the API server does not have. #99919: hugepages that are not free yet."""
    pages = "Node didn't have enough resource: hugepages-2Mi, requested: 6291456, used: 6291456, capacity: 10485760"
    answer = ask(rejected(reason="OutOfhugepages-2Mi", message=pages), pod("q", "n1"))
    said = [one.text for one in answer.findings[0].evidence]
    assert "pods given that are on n1 and have not ended: 1; they ask for 0 of hugepages-2Mi" in said


def test_a_pod_that_is_larger_than_the_node_is_not_overcommitment() -> None:
    answer = ask(rejected(message="Node didn't have enough resource: cpu, requested: 9, used: 0, capacity: 8"))
    assert answer.findings[0].bugs == ()
    assert "empty: no scheduler that sees the node binds it" in answer.findings[0].caution


@pytest.mark.parametrize(
    ("pods", "short"),
    [
        ([pod("a", "n1", "", "3"), pod("b", "n1", "", "3")], "cpu"),  # koordinator#1544
        ([pod(f"p{i}", "n1", cpu="0") for i in range(11)], "pods"),
        ([pod("a", "n1", cpu="3"), pod("b", "n1", cpu="1", overhead={"cpu": "250m"})], "cpu"),
        ([pod("a", "n1", cpu="1", initContainers=[{"resources": {"requests": {"cpu": "5"}}}])], "cpu"),
        ([pod("a", "n1", cpu="3"), pod("b", "n1", cpu="3", metadata={"deletionTimestamp": T2})], "cpu"),
    ],
)
def test_a_node_that_holds_more_than_it_has(pods: list[Any], short: str) -> None:
    answer = ask(node("n1"), *pods, release="1.24.4")
    (found,) = [one for one in answer.findings if one.kind == "node-over-allocatable"]
    assert (found.node, found.title) == ("n1", f"holds more than its allocatable: {short}")
    assert [bug.bug for bug in found.bugs if bug.in_release] == ["CACHE-START-UNSYNCED", "CACHE-ASSUME-TTL"]


def test_only_pods_that_count_fill_a_node_and_only_with_what_it_lists() -> None:
    full = pod("a", "n1", cpu="4")
    for phase in ("Succeeded", "Failed"):
        assert kinds(ask(node("n1"), full, pod("b", "n1", cpu="1", phase=phase))) == []
    assert kinds(ask(node("n1"), full, pod("b", "n2", cpu="1"))) == []
    gpu = pod("g", "n1")
    gpu["spec"]["containers"][0]["resources"]["requests"] = {"example.com/gpu": "2"}
    assert kinds(ask(node("n1"), gpu)) == []
    small = node("n1")
    small["status"]["allocatable"] |= {"example.com/gpu": "1", "ephemeral-storage": "1Gi"}
    assert ask(small, gpu).findings[0].title == "holds more than its allocatable: example.com/gpu"


def test_a_resize_that_waits_is_not_what_the_node_has_granted() -> None:
    def resized(spec: str, allocated: str, **more: Any) -> Any:
        made = pod("a", "n1", cpu=spec, **more)
        made["spec"]["containers"][0]["name"] = "c"
        granted = {"allocatedResources": {"cpu": allocated}, "resources": {"requests": {"cpu": allocated}}}
        made["status"]["containerStatuses"] = [{"name": "c"} | granted]
        return made

    answer = ask(node("n1"), resized("6", "2"), release="1.34.1")
    assert answer.findings == ()
    assert any("waits for a resize" in note.what for note in answer.normal)
    assert kinds(ask(node("n1"), resized("6", "5"), release="1.34.1")) == ["node-over-allocatable"]
    # Where no pod is resized in place, the spec counts.
    assert kinds(ask(node("n1"), resized("6", "2"), release="1.26.3")) == ["node-over-allocatable"]


def test_who_bound_the_pods_and_which_leader_was_new_is_evidence() -> None:
    static = pod("s", "n1", cpu="3", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}})
    other = [pod("o", "n1", cpu="3", schedulerName="volcano"), bound(T1, of="o", by="volcano")]
    leader = event("LeaderElection", "m1 became leader", T0, "kube-scheduler", kind="Lease", uid="")
    (found,) = ask(node("n1"), static, *other, leader).findings
    said = [one.text for one in found.evidence]
    assert "bound by nobody, it is a static pod: 1; volcano: 1" in said
    assert any("became leader; " in text for text in said)
    # The one that was bound last stands first.
    assert next(text for text in said if "asks for" in text).startswith("web/o")
