"""The scheduler of a growth run, in clusters so small that each number can be reached by hand."""

import pytest

from kubeproof.growth.asked import MINORS
from kubeproof.growth.clock import Clock
from kubeproof.growth.cluster import Cluster
from kubeproof.growth.scheduler import BIND_MS, CYCLE_MS, TOO_MUCH_CPU, Rules, Scheduler, rules_of
from model.evolve import evolve
from model.objects import Node, Pod
from model.releases import parse_release

FINALIZERS = ("batch.kubernetes.io/job-tracking",)


def rules(release: str, gate: bool | None = None) -> Rules:
    return rules_of(parse_release(release, MINORS), gate)


class Small:
    """One node, one pod that runs, and a scheduler."""

    def __init__(self, chosen: Rules, *, errors: bool = False) -> None:
        self.clock = Clock()
        self.cluster = Cluster(self.clock)
        self.cluster.start_with((Pod("old", "old", node_name="n"),), (Node("n"),))
        self.scheduler = Scheduler(chosen, self.cluster, self.clock, errors=errors)

    def wait(self, ms: int) -> None:
        end = self.clock.now + ms
        # The clock stands at the time of the last action, so that a marker has to end the wait.
        self.clock.after(ms, lambda: None)
        while self.clock.now < end:
            self.clock.step()

    @property
    def retained(self) -> int:
        return self.scheduler.meter.retained


def skipped(chosen: Rules) -> Small:
    """Pod b waits behind pod a, and is being deleted when it is popped."""
    small = Small(chosen)
    small.cluster.create_pod(Pod("a", "a"))
    small.cluster.create_pod(Pod("b", "b", finalizers=FINALIZERS))
    small.wait(3)
    small.cluster.delete_pod("b")
    small.wait(5_000)
    return small


def test_a_skipped_pod_holds_every_event_that_comes_after() -> None:
    small = skipped(rules("1.28.3"))
    # That pod a is bound, and that a runs. That b is gone tells only the handler of unbound pods.
    assert small.retained == 2
    assert small.scheduler.ended["b"] == "skipped, since the pod was being deleted"
    for _ in range(3):
        small.cluster.update_pod("old")
    small.wait(100)
    assert small.retained == 5


@pytest.mark.parametrize(
    ("release", "gate", "retained"),
    [("1.28.0", None, 2), ("1.28.3", False, 0), ("1.28.5", None, 0), ("1.28.5", True, 2), ("1.30.14", True, 2),
     ("1.31.13", True, 2), ("1.32.0", None, 0)],
)  # fmt: skip
def test_which_release_retains_events_for_a_skipped_pod(release: str, gate: bool | None, retained: int) -> None:
    assert skipped(rules(release, gate)).retained == retained


def test_done_of_skipped_pods_cures_1_31() -> None:
    chosen = rules("1.31.13", True)
    done = type(chosen.done)(**{**vars(chosen.done), "done_when_skipped": lambda: True})
    assert skipped(evolve(chosen, done=done)).retained == 0


@pytest.mark.parametrize(("release", "retained", "popped"), [("1.28.3", 1, 2), ("1.30.14", 1, 2), ("1.31.13", 0, 1)])
def test_an_update_in_flight_queues_the_pod_again(release: str, retained: int, popped: int) -> None:
    """The second Pop overwrites the first one's entry, and one of two elements stays (QH-DUP-ELEMENT).

    No pod is in flight then, so that the queue keeps no event until the next pod is in flight.
    """
    small = Small(rules(release, True))
    small.cluster.create_pod(Pod("a", "a"))
    small.wait(4)
    small.cluster.update_pod("a", annotations=(("seen", "yes"),))
    small.wait(5_000)
    small.cluster.update_pod("old")
    small.wait(100)
    assert (small.retained, small.scheduler.popped["a"]) == (0, popped)
    small.cluster.create_pod(Pod("b", "b"))
    small.wait(5)
    small.cluster.remove_pod("old")
    small.wait(5_000)
    assert (small.retained, small.scheduler.ended["b"]) == (retained, "bound")


@pytest.mark.parametrize(("release", "while_bound"), [("1.31.13", 1), ("1.32.0", 0)])
def test_1_32_is_done_before_bind(release: str, while_bound: int) -> None:
    small = Small(rules(release, True))
    small.cluster.create_pod(Pod("a", "a"))
    small.wait(CYCLE_MS + 10)
    small.cluster.remove_pod("old")
    small.wait(5)
    assert small.retained == while_bound
    small.wait(BIND_MS)
    assert small.retained == 0


def test_failures_are_done_and_the_pod_comes_back() -> None:
    small = Small(rules("1.28.3"))
    small.cluster.create_pod(Pod("big", "big", cpu_milli=TOO_MUCH_CPU))
    small.wait(20_000)
    assert (small.scheduler.popped["big"], small.retained) == (1, 0)
    # A pod that goes is an event that NodeResourcesFit waits for.
    small.cluster.remove_pod("old")
    small.wait(20_000)
    assert (small.scheduler.popped["big"], small.retained) == (2, 0)
    assert small.scheduler.ended["big"] == "failed: no node fits"


def test_a_pod_that_is_gone_when_it_is_bound_is_done() -> None:
    small = Small(rules("1.28.3"))
    small.cluster.create_pod(Pod("a", "a"))
    small.wait(CYCLE_MS)
    small.cluster.delete_pod("a")
    small.wait(5_000)
    assert small.scheduler.ended["a"] == "failed: the binding failed"
    assert (small.retained, small.scheduler.queue.in_flight_pods) == (0, ())


def created_again(release: str, cpu: int, wait: int) -> Small:
    """Pod a is lost in its attempt, and another pod of the name comes. An event comes while pod b is tried."""
    small = Small(rules(release, True))
    small.cluster.create_pod(Pod("a", "a", cpu_milli=cpu))
    small.wait(wait)
    small.cluster.remove_pod("a")
    small.cluster.create_pod(Pod("a", "a#2"))
    small.wait(5_000)
    small.cluster.create_pod(Pod("b", "b"))
    small.wait(5)
    small.cluster.remove_pod("old")
    small.wait(5_000)
    return small


@pytest.mark.parametrize(
    ("release", "cycle", "binding"),
    [("1.28.3", 1, 1), ("1.31.13", 1, 1), ("1.32.2", 1, 0), ("1.33.13", 1, 0), ("1.34.7", 1, 0), ("1.34.8", 0, 0),
     ("1.35.4", 1, 0), ("1.35.5", 0, 0), ("1.36.3", 0, 0)],
)  # fmt: skip
def test_a_pod_that_is_created_again_while_its_attempt_fails(release: str, cycle: int, binding: int) -> None:
    """QH-RECREATE-LEAK. From 1.32 on Done comes before Bind, so that a binding that fails leaves nothing."""
    in_cycle, in_binding = created_again(release, TOO_MUCH_CPU, 3), created_again(release, 100, CYCLE_MS + 5)
    assert in_cycle.scheduler.ended["a"] == "failed: no node fits"
    assert in_binding.scheduler.ended["a"] == "failed: the binding failed"
    assert (in_cycle.retained > 0, in_binding.retained > 0) == (bool(cycle), bool(binding))


@pytest.mark.parametrize(("release", "kept"), [("1.31.13", 0), ("1.32.2", 1), ("1.36.3", 1)])
def test_from_1_32_on_a_node_that_goes_is_an_event(release: str, kept: int) -> None:
    small = Small(rules(release, True))
    small.cluster.add_node(Node("m"))
    small.wait(5)
    small.cluster.create_pod(Pod("a", "a"))
    small.wait(4)
    small.cluster.remove_node("m")
    small.wait(4)
    assert small.retained == kept


@pytest.mark.parametrize(("release", "tried"), [("1.34.7", 1), ("1.35.0", 0), ("1.36.3", 0)])
def test_from_1_35_on_one_handler_hears_of_every_pod(release: str, tried: int) -> None:
    """The informer missed a delete: a bound pod becomes the next pod of its name, which is not bound.

    Two handlers hear of a delete and of an add. The one handler of 1.35 hears of an update of the bound pod.
    """
    small = Small(rules(release))
    old = small.cluster.pods.pop("old")
    small.cluster.pods["old"] = again = Pod("old", "old#2")
    small.cluster._pod_changed(old, again)
    small.wait(100)
    assert small.scheduler.popped["old#2"] == tried
