"""One run of a workload under the rules of a release, and what the run retained."""

from statistics import linear_regression

from attrs import frozen

from kubeproof.growth.clock import Clock
from kubeproof.growth.cluster import Cluster
from kubeproof.growth.scheduler import SLOW_MS, Scheduler, rules_of
from kubeproof.growth.workloads import WORKLOADS, Users
from model.releases import Release
from model.scheduler.queue.state import InFlightPod, Queue

# How long after the last event the scheduler gets to end what is under way.
REST_MS = 600_000
# Sizes in bytes on a 64-bit machine: `list.Element` of container/list, and `clusterEvent` of the queue.
ELEMENT_BYTES, CLUSTER_EVENT_BYTES = 48, 80


@frozen
class Load:
    """What goes on in a run, and how much."""

    workload: str = "scale-loop"
    powers: frozenset[str] = frozenset()
    # How many pods the cluster has, and how many events are counted.
    pods: int = 1_000
    events: int = 10_000
    # How long a slow PreBind or Bind takes, where the power slow-binds is on.
    slow_ms: int = SLOW_MS


@frozen
class Holder:
    """The pod in flight that holds the events, and is in no cycle."""

    pod: str
    # How often the pod was popped.
    popped: int
    # How its last cycle ended.
    ended: str
    # How many elements of other such pods, or of this pod, are in the list behind.
    others: int


@frozen
class Growth:
    """What one run retained."""

    release: Release
    # Whether the gate SchedulerQueueingHints was on.
    gate: bool
    # The number of retained events after each event, and the time of each event in ms.
    series: tuple[int, ...]
    times: tuple[int, ...]
    # The number of retained events 10 minutes after the last event, when all that was under way has ended.
    at_rest: int
    # The first event after which the number never was 0 again; None: all was released in the end.
    never_zero_from: int | None
    # None: no pod is in flight but those in a cycle.
    holder: Holder | None
    # How often any pod was popped, and how many pods were.
    attempts: int
    pods_tried: int

    @property
    def largest(self) -> int:
        return max(self.series)

    @property
    def largest_at(self) -> int:
        """The number of the event with which the largest number was reached first, from 1 on."""
        return self.series.index(self.largest) + 1

    @property
    def last(self) -> int:
        return self.series[-1]

    @property
    def slope(self) -> float:
        """Retained events per event, by least squares over the run."""
        return linear_regression(range(len(self.series)), self.series).slope if len(self.series) > 1 else 0.0


def event_bytes(object_bytes: int) -> int:
    """The memory that one event keeps: its element, its record, and two objects of this many bytes."""
    return ELEMENT_BYTES + CLUSTER_EVENT_BYTES + 2 * object_bytes


def _holder(scheduler: Scheduler, state: Queue) -> Holder | None:
    """The pod that is in flight longest, but in no cycle.

    1.28.0 has no elements of pods in its list, and a pod in flight once, by its last Pop.
    """
    in_list = [each.uid for each in state.in_flight_events if isinstance(each, InFlightPod)]
    by_pop = sorted((each.uid for each in state.in_flight_pods), key=scheduler.last_pop.__getitem__)
    stuck = [uid for uid in in_list or by_pop if not scheduler.running[uid]]
    if not stuck:
        return None
    first, *others = stuck
    return Holder(first, scheduler.popped[first], scheduler.ended.get(first, ""), len(others))


def grow(load: Load, release: Release, gate: bool | None = None, *, hint_functions: bool = True) -> Growth:
    """Run the workload under the rules of the release. `gate`: None for the release's default.

    `hint_functions`: see `rules_of`.
    """
    chosen = rules_of(release, gate, hint_functions=hint_functions)
    workload = WORKLOADS[load.workload]
    powers = load.powers | workload.powers
    clock = Clock()
    cluster = Cluster(clock)
    users = Users(cluster, clock, load.pods, powers)
    workload.begin(users)
    slow_ms = load.slow_ms if "slow-binds" in powers else 0
    scheduler = Scheduler(chosen, cluster, clock, slow_ms=slow_ms, errors="errors" in powers)
    meter = scheduler.meter
    while len(meter.series) < load.events:
        clock.step()
    series, times, end = tuple(meter.series), tuple(meter.times), clock.now + REST_MS
    users.stop()
    while clock.now < end or +scheduler.running:
        clock.step()
    return Growth(
        release=release,
        gate=chosen.setup.queueing_hints,
        series=series[: load.events],
        times=times[: load.events],
        at_rest=meter.retained,
        never_zero_from=meter.last_zero + 1 if meter.retained else None,
        holder=_holder(scheduler, scheduler.queue),
        attempts=scheduler.popped.total(),
        pods_tried=len(scheduler.popped),
    )
