"""What a pod asks for and what a node counts for it, release by release, by the reports that tell of differences."""

from typing import Any

import pytest

from kubeproof.advise.pod_events.requests import requests_in
from model.releases import known_release
from model.scheduler.pod_requests import SIDECARS_ARE_OFF, Asked, PodResources


def cpu(amount: int, **more: Any) -> Asked:
    """A container that asks for so many thousandths; `allocated` and `actual` in its status."""
    status = {name: {"cpu": more.pop(name)} for name in ("allocated", "actual") if name in more}
    return Asked({"cpu": amount}, in_status=bool(status), **status, **more)


def on_node(pod: PodResources, release: str, **gates: bool) -> int:
    return requests_in(known_release(release), gates).on_node(pod)["cpu"]


def tried(pod: PodResources, release: str, **gates: bool) -> int:
    return requests_in(known_release(release), gates).of_tried(pod)["cpu"]


def test_init_containers_and_sidecars() -> None:
    def asked(containers: list[int], *init: Asked, release: str = "1.31.13") -> int:
        return tried(PodResources(tuple(map(cpu, containers)), init), release)

    assert asked([1000, 500]) == 1500
    assert asked([1000], cpu(3000), cpu(2000)) == 3000
    sidecar = cpu(500, restartable=True)
    assert asked([1000], sidecar, cpu(2000)) == 2500
    assert asked([3000], sidecar, cpu(2000)) == 3500
    # A sidecar that starts after an init container is not beside it.
    assert asked([1000], cpu(2000), sidecar) == 2000
    # To 1.27 no release knows sidecars.
    assert asked([3000], sidecar, cpu(2000), release="1.27.16") == 3000


def test_a_pod_with_a_sidecar_fits_nowhere_where_the_gate_is_off() -> None:
    pod = PodResources((cpu(1),), (cpu(1, restartable=True),))
    for release, refusals in (("1.27.16", ()), ("1.28.0", (SIDECARS_ARE_OFF,)), ("1.29.0", ()), ("1.36.3", ())):
        assert requests_in(known_release(release)).refusals(pod) == refusals
    assert requests_in(known_release("1.28.0"), {"SidecarContainers": True}).refusals(pod) == ()
    # #131379: eight devices for the sidecar, eight for the container.
    devices = Asked({"npu": 8})
    both = PodResources((devices,), (Asked({"npu": 8}, restartable=True),))
    assert requests_in(known_release("1.31.0")).of_tried(both) == {"npu": 16}


@pytest.mark.parametrize(
    ("release", "counts"),
    [("1.16.9", False), ("1.16.10", True), ("1.17.5", False), ("1.17.6", True), ("1.18.2", False), ("1.18.3", True),
     ("1.19.0", True), ("1.36.3", True)],
)  # fmt: skip
def test_a_node_counts_init_containers(release: str, counts: bool) -> None:
    """#89092, #90177. #124282: also of a pod whose init containers have ended."""
    pod = PodResources((cpu(30),), (cpu(3000),))
    assert (on_node(pod, release), tried(pod, release)) == (3000 if counts else 30, 3000)


def test_overhead_counts_from_1_18_on() -> None:
    pod = PodResources((cpu(1000),), overhead={"cpu": 250})
    asked = {release: tried(pod, release) for release in ("1.15.4", "1.17.17", "1.18.0", "1.23.17", "1.26.0", "1.36.3")}
    assert list(asked.values()) == [1000, 1000, 1250, 1250, 1250, 1250]
    assert tried(pod, "1.16.15", PodOverhead=True) == 1250


def test_resources_of_the_pod_itself_count_from_1_34_on() -> None:
    pod = PodResources((cpu(1000), Asked({"memory": 5})), own=Asked({"cpu": 4000, "hugepages-2Mi": 3, "npu": 9}))
    found = [dict(requests_in(known_release(release)).of_tried(pod)) for release in ("1.31.13", "1.33.13", "1.34.0")]
    assert found[0] == found[1] == {"cpu": 1000, "memory": 5}
    assert found[2] == {"cpu": 4000, "memory": 5, "hugepages-2Mi": 3}
    on = {"PodLevelResources": True}
    assert dict(requests_in(known_release("1.32.0"), on).of_tried(pod)) == {"cpu": 4000, "memory": 5}
    # A pod's own requests may be less than those of its containers with sidecars: they replace these.
    assert tried(PodResources((cpu(3000),), own=Asked({"cpu": 2000})), "1.34.1") == 2000


@pytest.mark.parametrize(("release", "found"), [("1.34.9", 2000), ("1.35.0", 2000), ("1.36.2", 3500)])
def test_overhead_counts_twice_where_the_pod_itself_was_resized(release: str, found: int) -> None:
    """#139627: status.allocatedResources has the overhead in it."""
    own = Asked({"cpu": 1500}, allocated={"cpu": 3000}, actual={"cpu": 1500}, in_status=True)
    assert on_node(PodResources((cpu(1000),), own=own, overhead={"cpu": 500}), release) == found


UP = PodResources((cpu(3000, allocated=1000, actual=1000),))
DOWN = PodResources((cpu(1000, allocated=3000, actual=3000),))
# #129532: what is allocated is not there yet, and less is asked for already.
BOTH = PodResources((cpu(1000, allocated=3000, actual=2000),))
RESIZE = "InPlacePodVerticalScaling"


@pytest.mark.parametrize("release", ["1.33.0", "1.34.1", "1.35.0", "1.36.3"])
def test_a_node_counts_the_most_of_what_is_asked_for_allocated_and_actual(release: str) -> None:
    assert [on_node(pod, release) for pod in (UP, DOWN, BOTH)] == [3000, 3000, 3000]
    # The pod that is tried is on no node: its status says nothing.
    assert tried(DOWN, release) == 1000


def test_up_to_1_32_the_spec_counts_unless_the_gate_is_on() -> None:
    assert [on_node(DOWN, release) for release in ("1.26.0", "1.27.0", "1.32.13")] == [1000, 1000, 1000]
    # 1.27 reads what is allocated, 1.32 what is actual (#117765): less than the kubelet has promised.
    for release, both in (("1.27.0", 3000), ("1.31.14", 3000), ("1.32.0", 2000), ("1.33.0", 3000)):
        assert on_node(BOTH, release, **{RESIZE: True}) == both
    assert on_node(BOTH, "1.34.9", **{RESIZE: False}) == 1000


def test_what_is_infeasible_does_not_count() -> None:
    old, new = {"resize_infeasible": True}, {"resize_pending_infeasible": True}
    for release, how in (("1.27.0", old), ("1.32.0", old), ("1.33.0", new), ("1.36.3", new)):
        pod = PodResources(UP.containers, **how)
        assert on_node(pod, release, **({} if how is new else {RESIZE: True})) == 1000
    # Of a status that another release writes, none is read.
    assert on_node(PodResources(UP.containers, **old), "1.33.0") == 3000
    # A kubelet that says nothing of resources: the spec counts.
    assert on_node(PodResources((cpu(3000),), **new), "1.34.1") == 3000


def test_a_sidecar_can_be_resized_from_1_33_on() -> None:
    pod = PodResources((cpu(1000),), (cpu(500, allocated=2000, actual=500, restartable=True),))
    assert (on_node(pod, "1.32.0", **{RESIZE: True}), on_node(pod, "1.33.0")) == (1500, 3000)


def test_up_to_1_27_a_pod_is_compared_with_what_it_does_not_ask_for() -> None:
    """#116408."""
    asks, nothing = PodResources((Asked({"memory": 1}),)), PodResources((Asked(),))
    compared = {release: requests_in(known_release(release)).compared(asks) for release in ("1.27.16", "1.28.0")}
    assert {release: set(each) for release, each in compared.items()} == {
        "1.27.16": {"cpu", "memory", "ephemeral-storage"}, "1.28.0": {"memory"},
    }  # fmt: skip
    assert requests_in(known_release("1.20.0")).compared(nothing) == {}
