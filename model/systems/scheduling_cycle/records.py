"""The state of the system scheduling-cycle: that of scheduling, what plugins hold for pods, and the waiting pods."""

from attrs import field, frozen

from model.objects import SELDOM, Pod
from model.scheduler.waiting_pods import WaitingPods
from model.systems.scheduling.records import Goroutine, Scheduling
from model.variables import Bag


@frozen
class Search:
    """The search of a cycle for feasible nodes, as far as it has come; only with `quota`."""

    # The nodes that were asked, in order. With several workers nobody knows the order.
    examined: tuple[str, ...] = ()
    # The nodes that were found feasible, as many as are enough at most.
    found: tuple[str, ...] = ()
    # The nodes that have a status: they were refused, or left out.
    refused: tuple[str, ...] = ()
    # To 1.16: the nodes of the tree when the search began; and how many are still to be taken from the tree.
    tree: tuple[str, ...] = ()
    left: int = 0
    # Whether more nodes than enough were feasible, so that the search ended early.
    stopped: bool = False
    # Whether the pod is tried on its nominated node alone; and whether that was done.
    alone: bool = False
    tried: bool = False


@frozen(cache_hash=True)
class Searches:
    """What a search leaves to the next one, and what the searches so far have not examined; only with `quota`."""

    # nextStartNodeIndex.
    start: int = 0
    # The nodes that the last search over all nodes had, each once. If a search has others, all is counted anew.
    nodes: tuple[str, ...] = ()
    # Of each of these nodes how many searches over all nodes, one after the other, have not examined it, up to the
    # number of nodes. Go keeps no such note.
    passed_over: tuple[int, ...] = ()


@frozen(cache_hash=True)
class CycleGoroutine(Goroutine):
    """A scheduling cycle or a binding cycle, with what its pod has got so far."""

    # The node that was chosen; "" before.
    host: str = ""
    # How many of the Reserve plugins hold something for this attempt: the first ones.
    reserved: int = 0
    # For how many plugins at Permit the pod has to wait, as long as the map of waiting pods does not have the pod.
    waits: int = 0
    # The extenders that were asked to bind the pod, counted from 0, until it is known whether one has bound the pod. Go
    # keeps no such note; no rule reads it.
    asked: tuple[int, ...] = field(default=(), metadata={SELDOM: True})
    # Whether preemption has cancelled the binding while its pod was in PreBind (1.36 on).
    canceled: bool = field(default=False, metadata={SELDOM: True})
    # With `cycle_state`: for which pod a plugin has written into the CycleState of the attempt, or what the CycleState
    # has besides.
    cycle_state: str = field(default="", metadata={SELDOM: True})
    # What the search for nodes has come to; None without `quota`, and when the scheduling cycle is over.
    search: Search | None = field(default=None, metadata={SELDOM: True})
    # The pod that was assumed, if the record has got another object and steps are left that are about the assumed pod.
    assumed: Pod | None = field(default=None, metadata={SELDOM: True})

    @property
    def assumed_pod(self) -> Pod:
        """Go's assumedPod, from `assume` on."""
        return self.assumed or self.pod


@frozen(cache_hash=True)
class Reservation:
    """What a Reserve plugin holds for a pod that is not bound. When the pod is bound, it is the pod's own."""

    # The plugin, counted from 1 in the order in which plugins are asked.
    plugin: int
    uid: str
    node: str


@frozen
class Eviction:
    """A pod that preemption has deleted."""

    preemptor: str
    victim: str
    # The node to which the preemptor was nominated then.
    node: str


@frozen(cache_hash=True)
class SchedulingCycle(Scheduling):
    """A state of the system."""

    cycle: CycleGoroutine | None = None
    bindings: Bag[CycleGoroutine] = Bag()  # type: ignore[assignment]
    # What the Reserve plugins hold: their own books, which the scheduler does not read.
    reservations: tuple[Reservation, ...] = ()
    # The pods that wait at Permit.
    waiting_pods: WaitingPods = ()
    # The nodes that a PreFilter plugin names for each pod, for whoever reads a state; (): none does. Always the same.
    named: tuple[str, ...] = ()
    # Where searches begin; None without `quota`.
    searches: Searches | None = field(default=None, metadata={SELDOM: True})
    # status.disruptionsAllowed of the budget, as the scheduler knows it.
    disruptions_allowed: int = field(default=0, metadata={SELDOM: True})
    # With `cycle_state`, in 1.14: for which pod a plugin has written into the context that all cycles share; "": it is
    # empty.
    plugin_context: str = field(default="", metadata={SELDOM: True})
    # Whom preemption has deleted, as long as these pods terminate. Go keeps no such note; no rule reads it.
    evictions: tuple[Eviction, ...] = field(default=(), metadata={SELDOM: True})
