"""What `preemption` and `pod-events` take a pod to request: in-place resize, sidecars, overhead, the pod's own."""

from typing import Any

import pytest

from kubeproof.advise.pod_events import analyse as analyse_events, picture_of as picture_of_events
from kubeproof.advise.preemption import analyse, exit_status, pod_named
from kubeproof.cli import app, run
from model.releases import known_release
from tests.kubeproof.advise.preemption_lists import ask, going, node, picture, pod, waiting

Captured = pytest.CaptureFixture[str]


def resized(spec: str, allocated: str, reason: str = "Deferred", actual: str | None = None, **more: Any) -> Any:
    """A pod of n1 whose resize waits."""
    status = {
        "conditions": [{"type": "PodResizePending", "status": "True", "reason": reason}],
        "containerStatuses": [
            {
                "name": "c",
                "allocatedResources": {"cpu": allocated},
                "resources": {"requests": {"cpu": actual or allocated}},
            }
        ],
    }
    containers = [{"name": "c", "resources": {"requests": {"cpu": spec}}}]
    return pod("v", "n1", containers=containers, status=status, **more)


@pytest.mark.parametrize(
    ("spec", "allocated", "reason", "release", "goes"),
    [
        # A resize down that waits: the node still has what is allocated. #135107
        ("1", "3", "Deferred", "1.34.2", [["v"]]), ("1", "3", "Deferred", "1.33.0", [["v"]]),
        ("1", "3", "Deferred", "1.32.0", []),
        # A resize that the kubelet can never grant is not counted.
        ("10", "1", "Infeasible", "1.34.2", []), ("10", "1", "Infeasible", "1.32.0", [["v"]]),
        # A resize up that waits counts already: the node is over its allocatable. #122602
        ("6", "1", "Deferred", "1.34.2", [["v"]]),
    ],
)  # fmt: skip
def test_preemption_counts_a_pod_that_is_resized_as_the_release_does(
    spec: str, allocated: str, reason: str, release: str, goes: list[list[str]]
) -> None:
    read = picture(node(cpu="4"), resized(spec, allocated, reason), waiting("2"))
    answer = analyse(read, pod_named(read, "web/p"), known_release(release))
    assert (going(answer).get("n1", []), exit_status(answer)) == (goes, 0)
    if goes:
        counted = max(spec, allocated, key=int) if release >= "1.33" else spec
        assert answer.evictions[0].victims[0].requests == {"cpu": counted}


def test_a_gate_can_be_given_and_what_does_not_count_is_said() -> None:
    read = picture(node(cpu="4"), resized("1", "3"), waiting("2"))
    given = {"InPlacePodVerticalScaling": True}
    assert analyse(read, pod_named(read, "web/p"), known_release("1.29.0"), given).outcome == "preempts"
    answer = analyse(read, pod_named(read, "web/p"), known_release("1.29.0"))
    assert [note for note in answer.notes if "does not count" in note] == [
        "InPlacePodVerticalScaling is off by default in 1.29.0, so status.containerStatuses[].allocatedResources of "
        "web/v does not count: --feature-gates InPlacePodVerticalScaling=true if it is on there"
    ]
    (note,) = (
        each for each in ask(node(), waiting(overhead={"cpu": "1"}), release="1.15.4").notes if "not count" in each
    )
    assert note == "1.15.4 has no gate PodOverhead, so spec.overhead of web/p does not count"
    assert not any("does not count" in each for each in ask(node(), waiting(overhead={"cpu": "1"})).notes)


def test_a_gate_that_nobody_can_set_is_refused(capsys: Captured, tmp_path: Any) -> None:
    file = tmp_path / "all.json"
    for release, gate, says in (
        ("1.35.0", "InPlacePodVerticalScaling=false", "1.35.0 does not start so"),
        ("1.26.1", "InPlacePodVerticalScaling=true", "has no such gate: expected a release from 1.27.0 on"),
        ("1.27.1", "PodOverhead=true", "has no such gate any more"),
        ("1.27.1", "Other=true", "is not a gate of preemption"),
    ):
        args = ["preemption", str(file), "--pod", "a/b", "--release", release, "--feature-gates", gate]
        assert run(lambda args=args: app(args, prog_name="kubeproof", standalone_mode=False)) == 2
        assert says in capsys.readouterr().err


def test_a_pod_with_a_sidecar_fits_nowhere_in_1_28() -> None:
    sidecar = [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}]
    answers = {release: ask(node(cpu="4"), waiting("2", initContainers=sidecar), release=release)
               for release in ("1.27.16", "1.28.0", "1.29.0")}  # fmt: skip
    assert [each.outcome for each in answers.values()] == ["fits", "no-candidate", "fits"]
    assert [each.requests["cpu"] for each in answers.values()] == ["2", "3", "3"]
    assert answers["1.28.0"].nodes[0].reasons == (
        "Pod has a restartable init container and the SidecarContainers feature is disabled",
    )


@pytest.mark.parametrize(("release", "outcome"), [("1.18.2", "fits"), ("1.18.3", "preempts")])
def test_init_containers_of_pods_on_the_node(release: str, outcome: str) -> None:
    """#89092."""
    init = [{"name": "i", "resources": {"requests": {"cpu": "3"}}}]
    answer = ask(node(cpu="4"), pod("v", "n1", cpu="1", initContainers=init), waiting("2"), release=release)
    assert answer.outcome == outcome


@pytest.mark.parametrize(("release", "outcome"), [("1.27.16", "preempts"), ("1.28.0", "fits")])
def test_a_node_without_room_of_what_is_not_asked_for(release: str, outcome: str) -> None:
    """#116408: the node has more CPU requested than it has, and the pod asks for memory alone."""
    asks = [{"name": "c", "resources": {"requests": {"memory": "1Gi"}}}]
    answer = ask(node(cpu="2"), pod("v", "n1", cpu="3"), waiting(containers=asks), release=release)
    assert (answer.outcome, answer.requests) == (outcome, {"memory": "1Gi"})


def test_the_pods_own_requests_count_from_1_34_on() -> None:
    own = {"requests": {"cpu": "4"}}
    for release, asked in (("1.33.0", "2"), ("1.34.0", "4")):
        read = picture(node(cpu="4"), waiting("2", resources=own))
        assert analyse(read, pod_named(read, "web/p"), known_release(release)).requests == {"cpu": asked}


def events(*items: Any) -> Any:
    uids = [item | {"metadata": item["metadata"] | {"uid": item["metadata"]["name"]}} for item in items]
    return picture_of_events([({"kind": "List", "items": uids}, "f.json")])


def test_pod_events_does_not_accuse_a_scheduler_that_counts_a_resize() -> None:
    """The node has 4, what is allocated to the other pod is 3: there is no room for 2."""
    message = "0/1 nodes are available: 1 Insufficient cpu."
    unschedulable = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    since = {"lastTransitionTime": "2024-01-01T00:00:00Z"}
    late = {"name": "q", "namespace": "dev", "creationTimestamp": "2024-01-01T02:00:00Z"}
    p = waiting("2", status={"conditions": [unschedulable | since]})
    given = events(node(cpu="4"), resized("1", "3"), p, pod("q", "n2", metadata=late))
    assert [found.kind for found in analyse_events(given, known_release("1.34.2")).findings] == []
    # A release that counts the spec alone has room, and says that there is none.
    assert [found.kind for found in analyse_events(given, known_release("1.32.0")).findings] == ["short-with-room"]
