"""One pod alone in the system scheduling, with nodes of its own, as bits: the states that the formulas for runs have.

A view says what the machine can tell: versions of the pod by what differs between them, nodes by number, times and
cycle numbers as `normal` leaves them. What nobody reads has no bit, such as the object that a NodeInfo keeps: several
states may have one view, and then every action leads from them to states of one view.
"""

from typing import Any

from attrs import evolve, fields, frozen
from z3 import Bool, BoolRef

from model.objects import Pod
from model.scheduler.extender import ALLOCATED
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.scope import SchedulingScope
from properties.smt.bits import Bit, all_of, any_of, negate, same
from properties.smt.parts import names

POD = "p1"
# Events of the pod that may be under way at a time. Tests see to it that the scopes covered need less.
WATCH = 4
# Where the cycle may stand, by its next step. Preemption follows after one of the two records of a failure alone.
KINDS = (
    "schedule", "assume", "record_fit_error", "record_error", "preempt", "set_nominated_node_name", "post_filter",
    "requeue", "add_nominated_pod",
)  # fmt: skip

Bits = tuple[Bit, ...]


@frozen
class Version:
    """A version of the pod's object."""

    # The extender's annotation, and the condition.
    allocated: Bit
    condition: Bit
    # The nominated node, and the node: one bit for each node, no bit for "".
    nominated: Bits
    node: Bits

    @property
    def bound(self) -> Bit:
        return any_of(*self.node)


@frozen
class Event:
    """A place for an event in the watch of the pods."""

    # Whether there is an event.
    here: Bit
    # The version of the pod in the event.
    pod: Version


@frozen
class Retry:
    """A place for the goroutine of a retry."""

    # Whether there is a goroutine.
    here: Bit
    # Whether its GET is done. Then the goroutine adds the version that it got to the queue.
    adds: Bit
    # Whether a move request came after its cycle began.
    late: Bit
    # The version that the goroutine got.
    pod: Version


@frozen(kw_only=True)
class View:
    """A state, as far as the one pod is concerned."""

    # Whether the pod was created, and then the API server's version.
    created: Bit
    live: Version
    # Whether the informer's store knows the pod, and then the store's version.
    known: Bit
    listed: Version
    # The events on their way to the store.
    watch: tuple[Event, ...]
    # Whether activeQ has the pod, whether another sub-queue has the pod, and then the queue's version.
    active: Bit
    waiting: Bit
    queued: Version
    # The node in the nominator. The last bit is for the node "".
    nominated: Bits
    # The podState of the cache: whether the pod is assumed or added, on which node, and the assumed version.
    assumed: Bit
    added: Bit
    counted: Bits
    kept: Version
    # Whether a move request came in this cycle.
    moved: Bit
    # Where the scheduling cycle is (`KINDS`), and its version of the pod.
    at: Bits
    mine: Version
    # The version that preemption has looked up, where the failure is recorded afterwards; or that of the patch.
    looked_up: Version
    # The nodes that the cycle may assume.
    candidates: Bits
    # The node that the cycle nominates; no bit: the node in the status.
    target: Bits
    # The node on which the snapshot counts the pod.
    taken: Bits
    # The node of the binding goroutine.
    binding: Bits
    # Sorted.
    retries: tuple[Retry, ...]

    @property
    def cached(self) -> Bit:
        return any_of(self.assumed, self.added)

    @property
    def queued_somewhere(self) -> Bit:
        return any_of(self.active, self.waiting)

    @property
    def busy(self) -> Bit:
        """Some goroutine has the pod."""
        return any_of(*self.at, *self.binding, *(retry.here for retry in self.retries))


def blank(scope: SchedulingScope) -> Version:
    """No version, and the first one."""
    return Version(False, False, (False,) * scope.nodes, (False,) * scope.nodes)


def nothing(scope: SchedulingScope) -> View:
    """Before the pod is created."""
    none = (False,) * scope.nodes
    version = blank(scope)
    bits: dict[str, Any] = dict.fromkeys((field.name for field in fields(View)), False)
    bits |= dict.fromkeys(("live", "listed", "queued", "kept", "mine", "looked_up"), version)
    bits |= dict.fromkeys(("counted", "candidates", "taken", "binding"), none)
    bits |= dict.fromkeys(("nominated", "target"), (*none, False))
    bits["watch"] = (Event(False, version),) * WATCH
    bits["at"] = (False,) * len(KINDS)
    bits["retries"] = (Retry(False, False, False, version),) * scope.goroutines
    return View(**bits)


def less(one: list[Bit], other: list[Bit]) -> Bit:
    """Lexicographically, false before true."""
    found: Bit = False
    for a, b in reversed(list(zip(one, other, strict=True))):
        found = any_of(all_of(negate(a), b), all_of(same(a, b), found))
    return found


def fresh(scope: SchedulingScope, tag: str) -> list[BoolRef]:
    """Variables for the bits of a view."""
    return [Bool(f"{name}@{tag}") for name in names(nothing(scope))]


# --- the view of a Python state --------------------------------------------------------------------------------------


def view(scope: SchedulingScope, state: Scheduling) -> View:
    """The bits of a Python state that tell of its pod p1."""
    live, listed, cycle = state.pods[0], state.lister[0], state.cycle
    empty, queue = nothing(scope), state.queue
    active, waiting = ([i.pod for i in q if i.pod.name == POD] for q in (queue.active, queue.unschedulable))
    podstates = [s for s in state.cache.pod_states if s.pod.name == POD]
    assumed = bool(podstates) and podstates[0].assumed
    watch = [Event(True, version(scope, event.pod)) for event in state.pod_watch if event.pod.name == POD]
    nominated = [node for node, pods in queue.nominator.nominated_pods for pod in pods if pod.name == POD]
    retries = [_retry(scope, goroutine) for goroutine in state.retries if goroutine.pod.name == POD]
    mine = cycle is not None and cycle.pod.name == POD
    counting = [info for info in state.snapshot.listed() if info is not None and mine]
    taken = {info.name for info in counting if any(pod.name == POD for pod in info.pods)}
    bound_for = {goroutine.node for goroutine in state.bindings if goroutine.pod.name == POD}
    assert len(nominated) < 2
    assert len(bound_for) < 2
    assert not queue.backoff
    found = evolve(
        empty,
        created=live is not None,
        live=version(scope, live),
        known=listed is not None,
        listed=version(scope, listed),
        watch=(*watch, *empty.watch[len(watch) :]),
        active=bool(active),
        waiting=bool(waiting),
        queued=version(scope, next(iter((*active, *waiting)), None)),
        nominated=_named(scope, nominated[0] if nominated else None),
        assumed=assumed,
        added=bool(podstates) and not assumed,
        counted=_nodes(scope, {s.pod.node_name for s in podstates}),
        kept=as_kept(version(scope, podstates[0].pod)) if assumed else empty.kept,
        moved=queue.move_request_cycle >= 0,
        taken=_nodes(scope, taken),
        binding=_nodes(scope, bound_for),
        retries=(*retries, *empty.retries[len(retries) :]),
    )
    return found if cycle is None or not mine else _with_cycle(scope, found, cycle)


def _with_cycle(scope: SchedulingScope, found: View, cycle: Goroutine) -> View:
    kind = cycle.steps[0]
    if kind == "record_failure":
        kind = "record_fit_error" if len(cycle.steps) > 1 else "record_error"
    nominates = kind in ("set_nominated_node_name", "post_filter", "requeue", "add_nominated_pod")
    return evolve(
        found,
        at=tuple(kind == each for each in KINDS),
        mine=version(scope, cycle.pod),
        looked_up=version(scope, cycle.at_hand or (cycle.pod if kind == "add_nominated_pod" else None)),
        candidates=_nodes(scope, set(cycle.candidates)),
        target=_named(scope, cycle.node if nominates else None),
    )


def _retry(scope: SchedulingScope, goroutine: Goroutine) -> Retry:
    return Retry(True, goroutine.steps[0] == "add_unschedulable", goroutine.cycle == -1, version(scope, goroutine.pod))


def version(scope: SchedulingScope, pod: Pod | None) -> Version:
    if pod is None:
        return blank(scope)
    allocated = all(pair in pod.annotations for pair in ALLOCATED)
    nodes = _nodes(scope, {pod.nominated_node_name}), _nodes(scope, {pod.node_name})
    return Version(allocated, bool(pod.condition), *nodes)


def as_kept(pod: Version) -> Version:
    """What an update of an assumed pod may be compared with: not its node, and not its annotations."""
    return evolve(pod, allocated=False, node=(False,) * len(pod.node))


def _nodes(scope: SchedulingScope, chosen: set[str | None] | set[str]) -> Bits:
    return tuple(f"n{i + 1}" in chosen for i in range(scope.nodes))


def _named(scope: SchedulingScope, node: str | None) -> Bits:
    return (*_nodes(scope, {node}), node == "")
