"""The state of the system scheduling-cycle: that of scheduling, what plugins hold for pods, and the waiting pods."""

from attrs import frozen

from model.scheduler.waiting_pods import WaitingPods
from model.systems.scheduling.records import Goroutine, Scheduling


@frozen(cache_hash=True)
class CycleGoroutine(Goroutine):
    """A scheduling cycle or a binding cycle, with what its pod has got so far."""

    # The node that was chosen; "" before.
    host: str = ""
    # How many of the Reserve plugins hold something for this attempt: the first ones.
    reserved: int = 0
    # For how many plugins at Permit the pod has to wait, as long as the map of waiting pods does not have the pod.
    waits: int = 0


@frozen(cache_hash=True)
class Reservation:
    """What a Reserve plugin holds for a pod that is not bound. When the pod is bound, it is the pod's own."""

    # The plugin, counted from 1 in the order in which plugins are asked.
    plugin: int
    uid: str
    node: str


@frozen(cache_hash=True)
class SchedulingCycle(Scheduling):
    """A state of the system."""

    cycle: CycleGoroutine | None
    bindings: tuple[CycleGoroutine, ...]
    # What the Reserve plugins hold: their own books, which the scheduler does not read.
    reservations: tuple[Reservation, ...]
    # The pods that wait at Permit.
    waiting_pods: WaitingPods
    # The nodes that a PreFilter plugin names for each pod, for whoever reads a state; (): none does. Always the same.
    named: tuple[str, ...]
