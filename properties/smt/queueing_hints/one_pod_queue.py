"""What the queue does to one pod alone, on bits: sub-queues, the list of events in flight, Done, hints."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attrs import define, evolve

from model.objects import Pod
from model.scheduler.queue import events, hints, update, update_with_hints
from model.scheduler.queue.events import ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, PV_ADD, ClusterEvent
from model.scheduler.queue.state import QueuedPodInfo
from model.systems.queueing_hints.rules import PLUGINS, HintsSetup, QueueingHintsRules
from model.systems.queueing_hints.scope import QueueingHintsScope
from properties.forms import Forms
from properties.queueing_hints.view import of_interest
from properties.smt.bits import Bit, all_of, any_of, count, negate
from properties.smt.parts import either, equal
from properties.smt.queueing_hints.one_pod import (
    POD,
    Bits,
    Element,
    Version,
    View,
    no_element,
)
from properties.smt.queueing_hints.timeline_steps import DISCARDS, ONE_LIST

# The event that an Update keeps for the pod in flight, and the event by which a waiting pod may be moved; None: the
# update of a pod in flight queues the pod; it moves a waiting pod without asking a plugin.
UPDATES: Forms[tuple[ClusterEvent | None, ClusterEvent | None]] = Forms(
    "update_with_hints",
    {
        update.update_respecting_backoff: (None, None),
        update_with_hints.update_asking_hints: (None, events.UNSCHEDULABLE_POD_UPDATE),
        update_with_hints.update_keeping_event: (events.UNSCHEDULABLE_POD_UPDATE, events.ASSIGNED_POD_OTHER_UPDATE),
        **dict.fromkeys(
            (update_with_hints.update_keeping_changes, update_with_hints.update_until_moved),
            (events.UNSCHEDULABLE_POD_OTHER_UPDATE, events.UNSCHEDULABLE_POD_OTHER_UPDATE),
        ),
    },
)
# What decides where a failed pod goes: any event, an event since the Pop, an error; or the queue knows of no such pod.
HINT = Forms(
    "hint_for_in_flight_pod",
    {
        hints.hint_by_any_event: "any",
        hints.hint_by_event_since_pop: "since",
        hints.hint_after_error: "error",
        hints.hint_after_error_or_unknown: "unknown",
        hints.hint_of_rejected_pod: "unknown",
    },
)
# Whether a failed pod that goes to activeQ wakes Pop.
WAKES_POP = Forms("requeue_wakes_pop", {hints.requeue_broadcasts: True, hints.requeue_wakes_nobody: False})
TABLES: tuple[Forms[object], ...] = (*ONE_LIST, UPDATES, HINT, DISCARDS, WAKES_POP)
# The formulas ask these what they answer.
CALLED = (
    "done_when_skipped", "done_without_profile", "done_in_binding", "event_of_interest", "worth_requeuing",
    "done_before_requeue", "done_again_after_bind_error",
)  # fmt: skip

_SEEN = QueuedPodInfo(Pod(POD, f"{POD}#1"))
_CHANGED = evolve(_SEEN.pod, annotations=(("note", "1"),))


@define(frozen=True, slots=False)
class PodInQueue:
    """The queue of one scope under one choice of rules."""

    scope: QueueingHintsScope
    rules: QueueingHintsRules

    @cached_property
    def setup(self) -> HintsSetup:
        return HintsSetup(self.scope, self.rules)

    @cached_property
    def kinds(self) -> Mapping[ClusterEvent, int]:
        """The events that may come, numbered."""
        kept, _ = UPDATES.of(self.rules)
        plugins = [event for _, event in PLUGINS[: self.scope.plugins]]
        found = (
            PV_ADD,
            ASSIGNED_POD_ADD,
            self.assigned_update,
            ASSIGNED_POD_DELETE,
            *plugins,
            *([kept] if kept else []),
        )
        return {event: i for i, event in enumerate(dict.fromkeys(found))}

    @cached_property
    def assigned_update(self) -> ClusterEvent:
        """The event of the update of a bound pod."""
        told = self._told()
        calls = self.rules.update_pod_in_cache(_SEEN.pod, _CHANGED)
        (updated,) = told or (call.args[1] for call in calls if call.function == "assigned_pod_updated")
        assert isinstance(updated, ClusterEvent)
        return updated

    def _told(self) -> tuple[ClusterEvent, ...] | None:
        """The events by which every pod that waits is told of the update; None: the queue picks pods that may care."""
        tells = self.setup.assigned_pod_with_hints
        return None if tells is None else tells(_SEEN.pod, _CHANGED)

    def _tell_of_assigned(self, v: View, event: ClusterEvent) -> View:
        """The handler of bound pods; the queue picks nobody, since no pod has an affinity."""
        return self._come(v, event) if self._told() is None else self._move(v, event)

    @cached_property
    def awaited(self) -> tuple[bool, ...]:
        """Whether somebody needs events, by kind."""
        return tuple(of_interest(self.setup, event) for event in self.kinds)

    def _worth(self, event: ClusterEvent) -> tuple[bool, ...]:
        """For which plugin's rejected pod the event is worth a try."""
        found = []
        for plugin, _ in PLUGINS[: self.scope.plugins]:
            info = evolve(_SEEN, unschedulable_plugins=frozenset({plugin}))
            found.append(self.rules.worth_requeuing(info, event, self.setup.registered) != "QueueSkip")
        return tuple(found)

    @cached_property
    def one_list(self) -> bool:
        return ONE_LIST[0].of(self.rules)

    def _move(self, v: View, event: ClusterEvent) -> View:
        """movePodsToActiveOrBackoffQueue of all that wait; the event is kept."""
        helps = any_of(self._helps(v.rejected, event), negate(any_of(*v.rejected)))
        moves = all_of(v.waiting, helps if self.rules.event_of_interest(event, self.setup.registered) else False)
        moved = evolve(v, active=any_of(v.active, moves), waiting=all_of(v.waiting, negate(moves)))
        return self._come(moved, event)

    def _helps(self, rejected: Bits, event: ClusterEvent) -> Bit:
        return any_of(*(bit for bit, worth in zip(rejected, self._worth(event), strict=True) if worth))

    def _come(self, v: View, event: ClusterEvent, *, in_any_case: bool = False) -> View:
        """The event comes: the list keeps the event for the pod in flight, and each attempt takes note."""
        kept = in_any_case or self.rules.event_of_interest(event, self.setup.registered)
        kind = self.kinds[event]
        if kept:
            new = Element(True, False, tuple(i == kind for i in range(len(self.kinds))), False)
            v = self._append(v, new, v.flying)
        if not self.awaited[kind]:
            return v
        hears, binding_hears = all_of(v.cycle, negate(v.done)), all_of(v.binds, negate(v.binding_done))
        return evolve(
            v,
            came=either(hears, (True, *v.came[:-1]), v.came),
            binding_came=either(binding_hears, (True, *v.binding_came[:-1]), v.binding_came),
        )

    def _append(self, v: View, new: Element, wanted: Bit) -> View:
        elements, room = list(v.elements), wanted
        for i, each in enumerate(v.elements):
            elements[i] = either(all_of(room, negate(each.here)), new, each)
            room = all_of(room, each.here)
        return evolve(v, elements=tuple(elements))

    def _unqueued(self) -> Mapping[str, Any]:
        """No sub-queue has the pod."""
        empty = dict.fromkeys(("active", "waiting", "queued_condition", "queued_terminating"), False)
        return {**empty, "rejected": (False,) * self.scope.plugins}

    def _add(self, v: View, pod: Version) -> View:
        return evolve(v, **{**self._unqueued(), "active": True, **_record(pod)})

    def _update(self, v: View, new: Version, old: Version) -> View:
        """The queue's Update, unless the pod is assumed."""
        kept, asked = UPDATES.of(self.rules)
        replaced = evolve(v, **_record(new))
        # A waiting pod goes to activeQ if spec or metadata changed, or if the event that is asked for helps.
        changed = negate(all_of(equal(new.notes, old.notes), equal(new.terminating, old.terminating)))
        moves = changed if asked is None else any_of(negate(any_of(*v.rejected)), self._helps(v.rejected, asked))
        waits = evolve(replaced, active=moves, waiting=negate(moves))
        queued = either(v.active, replaced, either(v.waiting, waits, self._add(v, new)))
        if kept is not None:
            queued = either(v.flying, self._come(v, kept, in_any_case=True), queued)
        return either(v.assumed, v, queued)

    def _is_gone(self, v: View) -> Bit:
        """Whether the store shows that the pod is not to be scheduled any more, so that the pod does not go back."""
        return any_of(negate(v.known), v.listed.bound)

    def _put_back(self, v: View, rejected_by: Bits) -> View:
        """The pod that the store shows pending goes back, then Done."""
        again = self._is_tried_again(v, rejected_by)
        placed = evolve(v, active=again, waiting=negate(again), rejected=rejected_by, **_record(v.listed))
        return self._done(either(v.queued, v, placed))

    def _is_tried_again(self, v: View, rejected_by: Bits) -> Bit:
        """The hint for the pod that comes back: to activeQ, or to unschedulablePods."""
        form, rejected = HINT.of(self.rules), any_of(*rejected_by)
        kept = any_of(*(each.here for each in v.elements))
        seen = self._seen(v)
        helps = [
            all_of(self._helps(rejected_by, event), bit, each.kind[i])
            for event, i in self.kinds.items()
            for bit, each in zip(seen, v.elements, strict=True)
        ]
        by_error = {"any": kept, "since": any_of(*seen)}.get(form, True)
        known = either(rejected, any_of(*helps), by_error)
        unknown = {"any": any_of(rejected, kept), "unknown": True}.get(form, any_of(rejected, kept))
        return either(v.flying, known, unknown)

    def _seen(self, v: View) -> list[Bit]:
        """The events behind the element that the map means."""
        if not self.one_list:
            return [all_of(each.here, negate(each.old)) for each in v.elements]
        last = self._last(v)
        return [all_of(each.here, negate(each.popped), any_of(*last[:i])) for i, each in enumerate(v.elements)]

    def _last(self, v: View) -> list[Bit]:
        """The last element of the pod."""
        pops = [all_of(each.here, each.popped) for each in v.elements]
        return [all_of(pop, negate(any_of(*pops[i + 1 :]))) for i, pop in enumerate(pops)]

    def _done(self, v: View) -> View:
        """Done of the pod: nothing unless the pod is in flight."""
        if self.one_list:
            last = self._last(v)
            left = [all_of(each.here, negate(mine)) for each, mine in zip(v.elements, last, strict=True)]
            pops = [all_of(bit, each.popped) for bit, each in zip(left, v.elements, strict=True)]
            keep = [all_of(bit, any_of(*pops[: i + 1])) for i, bit in enumerate(left)]
        else:
            keep = [all_of(each.here, each.old) for each in v.elements]
        elements = tuple(evolve(each, old=False) for each in self._compact(v.elements, keep))
        return either(v.flying, evolve(v, flying=False, elements=elements), v)

    def _compact(self, elements: tuple[Element, ...], keep: list[Bit]) -> tuple[Element, ...]:
        """The elements that are kept, one behind the other."""
        found = [no_element(len(self.kinds))] * len(elements)
        for i, each in enumerate(elements):
            before = count(keep[:i], i)
            for at in range(i + 1):
                found[at] = either(all_of(keep[i], before[at]), each, found[at])
        return tuple(found)


def _record(pod: Version) -> Mapping[str, Any]:
    """What the queue's record says of the version."""
    return {"queued_condition": pod.condition, "queued_terminating": pod.terminating}
