"""One pod alone in the system queueing-hints as bits: the states that the formulas for runs have.

A view says what decides what happens next. The pod is one incarnation, nothing backs off, and at most one binding of
the pod is under way. Of an event in the list the kind is kept, which tells what plugins make of the event.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from model.machine import Action
from model.objects import Pod
from model.scheduler.queue.events import ClusterEvent
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod, QueuedPodInfo
from model.systems.queueing_hints.records import Goroutine, QueueingHints
from model.systems.queueing_hints.rules import PLUGINS
from model.systems.queueing_hints.scope import QueueingHintsScope
from properties.smt.bits import Bit, all_of, any_of, negate

POD = "p1"
# Places in the watch, and in the list of events in flight. Runs that need more are not looked at; tests see to it that
# the scopes that they cover do not.
WATCH, ELEMENTS = 5, 7
# The next step of a goroutine that writes the condition, where Done follows in the same action.
PATCH_AND_DONE = "patch_failure, done_after_failure"
# Where the cycle may stand, and the binding, by their next step.
CYCLE = ("schedule", "assume", "requeue", "patch_failure", PATCH_AND_DONE)
BINDING = (
    "done_after_permit", "pre_bind", "bind", "binding_failed", "requeue", "patch_failure", PATCH_AND_DONE,
    "done_again",
)  # fmt: skip
# The powers that the formulas know, each of which is counted.
COUNTED = (
    "changes", "events", "uninteresting", "updates", "deletes", "errors", "unknown_profiles", "bind_errors",
    "lost_replies",
)  # fmt: skip

Bits = tuple[Bit, ...]


@frozen
class Version:
    """A version of the pod's object."""

    # How often an annotation was changed: so many bits are true, from the first on.
    notes: Bits
    condition: Bit
    bound: Bit
    terminating: Bit


@frozen
class Change:
    """A place for an event in the watch of the pods."""

    # Whether there is an event, and whether it tells of a deletion.
    here: Bit
    deleted: Bit
    # The version in the event.
    pod: Version


@frozen
class Element:
    """A place for an element of the list."""

    # Whether there is an element, and whether it is the pod.
    here: Bit
    popped: Bit
    # The kind of the event, one bit for each.
    kind: Bits
    # 1.28.0: the pod in flight has a `previousEvent`, and the element is not behind that event.
    old: Bit


@frozen(kw_only=True)
class View:
    """A state."""

    # Whether the pod was created, whether the API server has the pod, and then its version there.
    created: Bit
    here: Bit
    live: Version
    watch: tuple[Change, ...]
    # Whether the informer's store knows the pod, and then the store's version.
    known: Bit
    listed: Version
    # Whether activeQ has the pod, whether unschedulablePods has the pod; then what the record says.
    active: Bit
    waiting: Bit
    queued_condition: Bit
    queued_terminating: Bit
    rejected: Bits
    # Whether the condition of each plugin holds.
    conditions: Bits
    # The podState of the cache.
    assumed: Bit
    added: Bit
    # Where the scheduling cycle is (`CYCLE`), and what is known in it. `came`: how many awaited events came.
    at: Bits
    condition: Bit
    terminating: Bit
    rejected_by: Bits
    done: Bit
    came: Bits
    # The same of the binding (`BINDING`).
    binding: Bits
    binding_condition: Bit
    binding_done: Bit
    binding_came: Bits
    # Whether Pop sleeps although activeQ has the pod.
    sleeps: Bit
    # Whether the pod is in flight, and the list.
    flying: Bit
    elements: tuple[Element, ...]
    # How often each power was used (`COUNTED`).
    used: tuple[Bits, ...]

    @property
    def cycle(self) -> Bit:
        return any_of(*self.at)

    @property
    def binds(self) -> Bit:
        return any_of(*self.binding)

    @property
    def queued(self) -> Bit:
        return any_of(self.active, self.waiting)

    @property
    def running(self) -> Bit:
        """Some attempt is still to call Done."""
        return any_of(all_of(self.cycle, negate(self.done)), all_of(self.binds, negate(self.binding_done)))


def blank(scope: QueueingHintsScope) -> Version:
    return Version((False,) * scope.updates, False, False, False)


def no_element(kinds: int) -> Element:
    return Element(False, False, (False,) * kinds, False)


def nothing(scope: QueueingHintsScope, kinds: int) -> View:
    """Before the pod is created. `kinds`: how many kinds of events there are."""
    version, plugins, counts = blank(scope), (False,) * scope.plugins, (False,) * ELEMENTS
    bits: dict[str, Any] = dict.fromkeys(
        (
            "created", "here", "known", "active", "waiting", "queued_condition", "queued_terminating", "assumed",
            "added", "condition", "terminating", "done", "binding_condition", "binding_done", "sleeps", "flying",
        ),
        False,
    )  # fmt: skip
    return View(
        **bits,
        live=version,
        listed=version,
        watch=(Change(False, False, version),) * WATCH,
        rejected=plugins,
        rejected_by=plugins,
        conditions=plugins,
        at=(False,) * len(CYCLE),
        binding=(False,) * len(BINDING),
        came=counts,
        binding_came=counts,
        elements=(no_element(kinds),) * ELEMENTS,
        used=tuple((False,) * getattr(scope, power) for power in COUNTED),
    )


# --- the view of a Python state --------------------------------------------------------------------------------------


def view(scope: QueueingHintsScope, kinds: Mapping[ClusterEvent, int], awaited: Bits, state: QueueingHints) -> View:
    """The bits of a Python state. `awaited`: whether somebody needs events, by kind."""
    queue, cycle = state.queue, state.cycle
    live, listed = state.pods[0], state.lister[0]
    (info,) = (*queue.active, *queue.unschedulable, None)[:1]
    binding = state.bindings[0] if state.bindings else None
    assert len(state.bindings) < 2
    assert not queue.backoff
    podstate = state.cache.pod_states[0] if state.cache.pod_states else None
    watch = [Change(True, event.kind == "delete", version(scope, event.pod)) for event in state.pod_watch]
    spare = nothing(scope, len(kinds))
    elements = _elements(state, kinds)
    assert len(watch) <= WATCH
    assert len(elements) <= ELEMENTS
    scheduling = cycle is not None and cycle.steps[0] == "schedule"
    rejected_by = cycle.rejected_by if cycle is not None and cycle.steps[0] == "requeue" else ()
    return View(
        created=bool(state.incarnations[0]),
        here=live is not None,
        live=version(scope, live),
        watch=(*watch, *spare.watch[len(watch) :]),
        known=listed is not None,
        listed=version(scope, listed),
        active=bool(queue.active),
        waiting=bool(queue.unschedulable),
        queued_condition=info is not None and bool(info.pod.condition),
        queued_terminating=info is not None and info.pod.terminating,
        rejected=_plugins(scope, _rejecting(info)),
        conditions=state.conditions,
        assumed=podstate is not None and podstate.assumed,
        added=podstate is not None and not podstate.assumed,
        at=_at(CYCLE, cycle),
        condition=cycle is not None and bool(cycle.pod.condition),
        terminating=scheduling and cycle is not None and cycle.pod.terminating,
        rejected_by=_plugins(scope, rejected_by),
        done=cycle is not None and cycle.done,
        came=_came(cycle, kinds, awaited),
        binding=_at(BINDING, binding),
        binding_condition=binding is not None and bool(binding.pod.condition),
        binding_done=binding is not None and binding.done,
        binding_came=_came(binding, kinds, awaited),
        sleeps=state.sleeps,
        flying=bool(queue.in_flight_pods),
        elements=(*elements, *spare.elements[len(elements) :]),
        used=tuple(unary(state.used.of(power), getattr(scope, power)) for power in COUNTED),
    )


def version(scope: QueueingHintsScope, pod: Pod | None) -> Version:
    if pod is None:
        return blank(scope)
    notes = int(dict(pod.annotations).get("note", "0"))
    return Version(unary(notes, scope.updates), bool(pod.condition), bool(pod.node_name), pod.terminating)


def unary(number: int, size: int) -> Bits:
    """So many of the bits are true, from the first on."""
    return tuple(i < number for i in range(size))


def _rejecting(info: QueuedPodInfo | None) -> Iterable[str]:
    return () if info is None else info.unschedulable_plugins


def _plugins(scope: QueueingHintsScope, names: Iterable[str]) -> Bits:
    chosen = set(names)
    return tuple(plugin in chosen for plugin, _ in PLUGINS[: scope.plugins])


def _at(kinds: tuple[str, ...], goroutine: Goroutine | None) -> Bits:
    if goroutine is None:
        return (False,) * len(kinds)
    follows = "done_after_failure" in goroutine.steps
    return tuple(kind == (PATCH_AND_DONE if follows else goroutine.steps[0]) for kind in kinds)


def _came(goroutine: Goroutine | None, kinds: Mapping[ClusterEvent, int], awaited: Bits) -> Bits:
    events = () if goroutine is None else goroutine.events
    return unary(sum(bool(awaited[kinds[event]]) for event in events), ELEMENTS)


def _elements(state: QueueingHints, kinds: Mapping[ClusterEvent, int]) -> list[Element]:
    flying = state.queue.in_flight_pods
    previous = flying[0].previous_event if flying else None
    assert previous != REMOVED
    found = []
    for place, each in enumerate(state.queue.in_flight_events):
        popped = isinstance(each, InFlightPod)
        kind = kinds[each.event] if isinstance(each, InFlightEvent) else None
        old = previous is not None and place <= previous
        found.append(Element(True, popped, tuple(k == kind for k in range(len(kinds))), old))
    return found


def action(name: str, *, by: str = "", **choice: str) -> Action:
    """The machine's action of this name, of the pod, or of its binding."""
    of_pod = Action.of(name, pod=POD, by=by) if by else Action.of(name, pod=POD)
    return Action(name, (*of_pod.args, *choice.items()))
