"""What each action of the system queueing-hints does to one pod alone: `View` to `View`, on bits.

Follows model/systems/queueing_hints in its coarse grain, without the clock. Tests compare every step from the states of
small scopes.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, partial

from attrs import define, evolve

from model.machine import Action
from model.scheduler.queue.events import ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, PV_ADD, ClusterEvent
from model.systems.queueing_hints.cluster import EVENTS
from model.systems.queueing_hints.rules import PLUGINS
from properties.smt.bits import Bit, all_of, any_of, negate
from properties.smt.parts import either, equal
from properties.smt.queueing_hints.one_pod import (
    BINDING,
    COUNTED,
    CYCLE,
    PATCH_AND_DONE,
    Bits,
    Change,
    Element,
    Version,
    View,
    action,
    blank,
    nothing,
)
from properties.smt.queueing_hints.one_pod_queue import WAKES_POP, PodInQueue
from properties.smt.queueing_hints.timeline_steps import DISCARDS

Does = tuple[Callable[[View], Bit], Callable[[View], View]]


@define(frozen=True, slots=False)
class Steps(PodInQueue):
    """The actions of one scope under one choice of rules."""

    @cached_property
    def every(self) -> Mapping[Action, Does]:
        """By action: whether a state enables the action, and where the action leads."""
        every = {**self._of_others(), **self._of_cycle(), **self._of_binding()}
        if WAKES_POP.of(self.rules):
            return every
        return {action: (may, partial(self._may_sleep, action.name, does)) for action, (may, does) in every.items()}

    def _may_sleep(self, name: str, does: Callable[[View], View], v: View) -> View:
        """Pop sleeps on if a failed pod goes to activeQ while no cycle runs."""
        after = does(v)
        slept = any_of(v.sleeps, negate(any_of(v.cycle, v.active)))
        unseen = True if name == "requeue" else v.active
        return evolve(after, sleeps=all_of(after.active, negate(after.cycle), slept, unseen))

    # --- users, the cluster, the informer

    def _of_others(self) -> dict[Action, Does]:
        alive: Callable[[View], Bit] = lambda v: all_of(v.here, negate(v.live.terminating))  # noqa: E731
        found: dict[Action, Does] = {action("create_pod"): (lambda v: negate(v.created), self._create)}
        if self.scope.updates:
            found[action("update_annotations")] = self._counted("updates", alive, self._annotate)
        if self.scope.deletes:
            found[action("delete_pod")] = self._counted("deletes", alive, self._delete)
        if self.scope.graceful:
            found[action("finish_termination")] = (lambda v: all_of(v.here, v.live.terminating), self._remove)
        for i, (plugin, event) in enumerate(PLUGINS[: self.scope.plugins]):
            for name in ("change_condition", "cluster_event"):
                if getattr(self.scope, EVENTS[name]):
                    flips = i if name == "change_condition" else None
                    does = partial(self._event, event, flips)
                    found[Action.of(name, plugin=plugin)] = self._counted(EVENTS[name], lambda v: True, does)
        if self.scope.uninteresting:
            does = partial(self._event, PV_ADD, None)
            found[Action("uninteresting_event")] = self._counted("uninteresting", lambda v: True, does)
        found[action("deliver_pod")] = (lambda v: v.watch[0].here, self._deliver)
        return found

    def _counted(self, power: str, may: Callable[[View], Bit], does: Callable[[View], View]) -> Does:
        """The action uses the power once."""
        at = COUNTED.index(power)
        return (lambda v: all_of(may(v), negate(v.used[at][-1]))), lambda v: does(self._uses(power, v))

    def _uses(self, power: str, v: View) -> View:
        at = COUNTED.index(power)
        return evolve(v, used=(*v.used[:at], (True, *v.used[at][:-1]), *v.used[at + 1 :]))

    def _create(self, v: View) -> View:
        return self._tell(evolve(v, created=True, here=True, live=blank(self.scope)), False, True)

    def _annotate(self, v: View) -> View:
        return self._write(v, evolve(v.live, notes=(True, *v.live.notes[:-1])))

    def _delete(self, v: View) -> View:
        return self._write(v, evolve(v.live, terminating=True)) if self.scope.graceful else self._remove(v)

    def _remove(self, v: View) -> View:
        told = self._tell(v, True, True)
        return evolve(told, here=False, live=blank(self.scope))

    def _write(self, v: View, pod: Version) -> View:
        changed = negate(equal(v.live, pod))
        return self._tell(evolve(v, live=pod), False, changed)

    def _tell(self, v: View, deleted: bool, told: Bit) -> View:
        """An event of the API server's version goes into the watch, if `told`."""
        watch, room = list(v.watch), told
        for i, change in enumerate(v.watch):
            watch[i] = either(all_of(room, negate(change.here)), Change(True, deleted, v.live), change)
            room = all_of(room, change.here)
        return evolve(v, watch=tuple(watch))

    def _event(self, event: ClusterEvent, flips: int | None, v: View) -> View:
        conditions = tuple(negate(bit) if i == flips else bit for i, bit in enumerate(v.conditions))
        return self._move(evolve(v, conditions=conditions), event)

    def _deliver(self, v: View) -> View:
        """The store first, then both handlers, that of assigned pods before the other."""
        change, old, known = v.watch[0], v.listed, v.known
        gone = change.deleted
        none = Change(False, False, blank(self.scope))
        listed = either(gone, blank(self.scope), change.pod)
        v = evolve(v, watch=(*v.watch[1:], none), known=negate(gone), listed=listed)
        was_bound = all_of(known, old.bound)
        removed = self._move(evolve(v, assumed=False, added=False), ASSIGNED_POD_DELETE)
        joined = self._tell_of_assigned(evolve(v, assumed=False, added=True), ASSIGNED_POD_ADD)
        updated = self._tell_of_assigned(v, self.assigned_update)
        of_bound = either(gone, removed, updated)
        leaves = evolve(joined, **self._unqueued())
        of_pending = either(
            gone,
            evolve(v, **self._unqueued()),
            either(known, self._update(v, change.pod, old), self._add(v, change.pod)),
        )
        pending = either(all_of(change.pod.bound, negate(gone)), either(known, leaves, joined), of_pending)
        return either(was_bound, of_bound, pending)

    # --- the scheduling cycle

    def _of_cycle(self) -> dict[Action, Does]:
        found: dict[Action, Does] = {
            action("pop"): (self._may_pop, self._pop),
            action("schedule"): (self._stands("schedule"), self._schedule),
            action("assume"): (self._stands("assume"), self._assume),
            action("requeue"): (self._stands("requeue"), self._requeue),
            action("patch_failure"): (_either_at(self._stands), self._patch),
        }
        if self.scope.errors:
            errs = self._counted("errors", self._stands("schedule"), self._errs)
            found[action("schedule", outcome="error")] = errs
        if self.scope.unknown_profiles:
            does = partial(self._leaves, self.rules.done_without_profile())
            left = self._counted("unknown_profiles", self._stands("schedule"), does)
            found[action("schedule", outcome="unknown profile")] = left
        return found

    def _stands(self, kind: str) -> Callable[[View], Bit]:
        return lambda v: v.at[CYCLE.index(kind)]

    def _at(self, v: View, kind: str) -> View:
        """The cycle goes on with `kind`, and knows no more whether its pod terminates, nor who rejects the pod."""
        at = tuple(kind == each for each in CYCLE)
        return evolve(v, at=at, terminating=False, rejected_by=(False,) * self.scope.plugins)

    def _ended(self, v: View) -> View:
        over = nothing(self.scope, len(self.kinds))
        names = ("at", "condition", "terminating", "rejected_by", "done", "came")
        return evolve(v, **{name: getattr(over, name) for name in names})

    def _may_pop(self, v: View) -> Bit:
        full = v.binds if self.scope.goroutines == 1 else False
        return all_of(v.active, negate(any_of(v.cycle, full, v.sleeps)))

    def _pop(self, v: View) -> View:
        mine = self._at(v, "schedule")
        mine = evolve(mine, condition=v.queued_condition, terminating=v.queued_terminating, **self._unqueued())
        if self.one_list:
            flies = self._append(mine, Element(True, True, (False,) * len(self.kinds), False), True)
        else:
            flies = evolve(mine, elements=tuple(evolve(each, old=each.here) for each in v.elements))
        popped = evolve(flies, flying=True)
        if not DISCARDS.of(self.rules):
            return popped
        return either(v.flying, evolve(v, **self._unqueued()), popped)

    def _schedule(self, v: View) -> View:
        left = self._leaves(self.rules.done_when_skipped(), v)
        rejecting = tuple(negate(bit) for bit in v.conditions)
        rejected = evolve(self._at(v, "requeue"), rejected_by=rejecting)
        tried = either(any_of(*rejecting), rejected, self._at(v, "assume"))
        return either(any_of(v.terminating, v.assumed), left, tried)

    def _errs(self, v: View) -> View:
        left = self._leaves(self.rules.done_when_skipped(), v)
        return either(any_of(v.terminating, v.assumed), left, self._at(v, "requeue"))

    def _leaves(self, with_done: bool, v: View) -> View:
        return self._ended(self._done(v) if with_done else v)

    def _assume(self, v: View) -> View:
        refused = any_of(v.assumed, v.added)
        first = "done_after_permit" if self.rules.done_in_binding() == "WaitOnPermit" else "pre_bind"
        starts = evolve(
            v,
            assumed=True,
            binding=tuple(each == first for each in BINDING),
            binding_condition=v.condition,
            binding_done=v.done,
            binding_came=v.came,
        )
        return either(refused, self._at(v, "requeue"), self._ended(starts))

    def _requeue(self, v: View) -> View:
        back = self._at(self._put_back(v, v.rejected_by), "patch_failure")
        back = evolve(back, done=True, came=self._none_came, condition=v.listed.condition)
        return either(self._is_gone(v), self._at(v, PATCH_AND_DONE), back)

    @property
    def _none_came(self) -> Bits:
        return nothing(self.scope, len(self.kinds)).came

    def _patch(self, v: View) -> View:
        patched = self._patched(v, v.condition)
        return self._ended(either(self._stands(PATCH_AND_DONE)(v), self._done(patched), patched))

    def _patched(self, v: View, known: Bit) -> View:
        """The condition is written unless the version at hand has it; a pod that is gone is not found."""
        written = self._write(v, evolve(v.live, condition=True))
        return either(all_of(v.here, negate(known)), written, v)

    # --- the binding

    def _binding_at(self, kind: str) -> Callable[[View], Bit]:
        return lambda v: v.binding[BINDING.index(kind)]

    def _of_binding(self) -> dict[Action, Does]:
        found = self._binding_at
        every: dict[Action, Does] = {
            action("pre_bind", by="binding"): (found("pre_bind"), self._pre_bind),
            action("bind", by="binding"): (found("bind"), self._bind),
            action("binding_failed", by="binding"): (found("binding_failed"), self._binding_failed),
            action("requeue", by="binding"): (found("requeue"), self._requeue_of_binding),
            action("patch_failure", by="binding"): (_either_at(found), self._patch_of_binding),
        }
        if self.rules.done_in_binding() == "WaitOnPermit":
            every[action("done_after_permit", by="binding")] = (found("done_after_permit"), self._done_after_permit)
        if self.rules.done_again_after_bind_error():
            every[action("done_again", by="binding")] = (found("done_again"), self._done_again)
        undone = partial(self._binds_at, "binding_failed")
        if self.scope.bind_errors:
            fails = self._counted("bind_errors", found("pre_bind"), undone)
            every[action("pre_bind", by="binding", reply="error")] = fails
            every[action("bind", by="binding", reply="refused")] = self._counted("bind_errors", found("bind"), undone)
        if self.scope.lost_replies:
            lost = self._counted("lost_replies", found("bind"), lambda v: undone(self._posted(v)))
            every[action("bind", by="binding", reply="lost")] = lost
        return every

    def _binds_at(self, kind: str, v: View) -> View:
        return evolve(v, binding=tuple(kind == each for each in BINDING))

    def _binding_ended(self, v: View) -> View:
        over = nothing(self.scope, len(self.kinds))
        names = ("binding", "binding_condition", "binding_done", "binding_came")
        return evolve(v, **{name: getattr(over, name) for name in names})

    def _with_done(self, v: View) -> View:
        return evolve(self._done(v), binding_done=True, binding_came=self._none_came)

    def _done_after_permit(self, v: View) -> View:
        return self._binds_at("pre_bind", self._with_done(v))

    def _pre_bind(self, v: View) -> View:
        early = self.rules.done_in_binding() == "PreBind"
        return self._binds_at("bind", self._with_done(v) if early else v)

    def _refused(self, v: View) -> Bit:
        return any_of(negate(v.here), v.live.bound, v.live.terminating)

    def _posted(self, v: View) -> View:
        """The API server takes the Binding, or refuses it."""
        return either(self._refused(v), v, self._write(v, evolve(v.live, bound=True, condition=False)))

    def _bind(self, v: View) -> View:
        posted = self._posted(v)
        late = self.rules.done_in_binding() == "Bind"
        finished = self._binding_ended(self._done(posted) if late else posted)
        return either(self._refused(v), self._binds_at("binding_failed", v), finished)

    def _binding_failed(self, v: View) -> View:
        """ForgetPod; if the pod was assumed, its leaving is an event."""
        failed = self._binds_at("requeue", v)
        return either(v.assumed, self._move(evolve(failed, assumed=False), ASSIGNED_POD_DELETE), failed)

    def _requeue_of_binding(self, v: View) -> View:
        back = self._binds_at("patch_failure", self._put_back(v, (False,) * self.scope.plugins))
        back = evolve(back, binding_done=True, binding_came=self._none_came, binding_condition=v.listed.condition)
        return either(self._is_gone(v), self._binds_at(PATCH_AND_DONE, v), back)

    def _patch_of_binding(self, v: View) -> View:
        patched = self._patched(v, v.binding_condition)
        patched = either(self._binding_at(PATCH_AND_DONE)(v), self._with_done(patched), patched)
        again = self.rules.done_again_after_bind_error()
        return self._binds_at("done_again", patched) if again else self._binding_ended(patched)

    def _done_again(self, v: View) -> View:
        return self._binding_ended(self._done(v))


def _either_at(stands: Callable[[str], Callable[[View], Bit]]) -> Callable[[View], Bit]:
    """Whether the goroutine is to write the condition, with or without Done after that."""
    return lambda v: any_of(stands("patch_failure")(v), stands(PATCH_AND_DONE)(v))
