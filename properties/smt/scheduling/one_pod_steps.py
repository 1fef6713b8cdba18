"""What each action of the system scheduling does to one pod alone: `View` to `View`, on bits.

Follows model/systems/scheduling in its coarse grain, where the pod is the only one, nodes stay, nobody touches the pod
but the scheduler and its extender, and nobody backs off. Tests compare every step from every reachable state.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, partial

from attrs import define, evolve

from model.machine import Action
from model.scheduler.queue.events import ASSIGNED_POD_ADD, ASSIGNED_POD_UPDATE, ClusterEvent, Registration
from model.systems.scheduling import SchedulingRules, SchedulingScope
from model.systems.scheduling.rules import SchedulingSetup
from properties.smt.bits import Bit, all_of, any_of, choose, negate
from properties.smt.parts import either, equal
from properties.smt.scheduling import forms
from properties.smt.scheduling.one_pod import (
    KINDS,
    POD,
    Bits,
    Event,
    Retry,
    Version,
    View,
    as_kept,
    blank,
    less,
    nothing,
)


@define(frozen=True, slots=False)
class Steps:
    """The actions of a scope with one pod, under rules that have a form."""

    scope: SchedulingScope
    rules: SchedulingRules

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        return tuple(f"n{i + 1}" for i in range(self.scope.nodes))

    @cached_property
    def own(self) -> bool:
        """Whether the error function has a goroutine (up to 1.18)."""
        return forms.ERROR_FUNC.of(self.rules)

    @cached_property
    def preempts_first(self) -> bool:
        """Whether the failure is recorded after preemption, where the error function has a goroutine (1.18)."""
        return self.own and forms.PREEMPTS_FIRST.of(self.rules)

    @cached_property
    def _registered(self) -> tuple[Registration, ...]:
        return SchedulingSetup(self.scope, self.rules).registered

    @cached_property
    def every(self) -> Mapping[Action, tuple[Callable[[View], Bit], Callable[[View], View]]]:
        """Each action: whether a view enables it, and what it leads to."""
        found = {
            Action.of("create_pod", pod=POD): (lambda v: negate(v.created), self._create),
            Action.of("deliver_pod", pod=POD): (lambda v: v.watch[0].here, self._deliver),
            Action.of("pop", pod=POD): (self._can_pop, self._pop),
            Action.of("schedule", pod=POD): (self._stands("schedule"), self._schedule),
        }
        for i, node in enumerate(self.nodes):
            found[Action.of("assume", pod=POD, node=node)] = partial(_candidate, i), partial(self._assume, i)
            found[Action.of("bind", pod=POD, by="binding", node=node)] = partial(_to_bind, i), partial(self._bind, i)
        if self.own:
            found[Action.of("record_failure", pod=POD)] = (
                self._stands("record_fit_error", "record_error"),
                self._record_failure,
            )
            for nth in range(self.scope.goroutines):
                more = {"nth": str(nth + 1)} if nth else {}
                for name, adds, does in (("get_pod", False, self._get), ("add_unschedulable", True, self._add)):
                    action = Action.of(name, pod=POD, **more)
                    found[action] = partial(self._has_retry, nth, adds), partial(self._retry, nth, adds, does)
        else:
            found[Action.of("requeue", pod=POD)] = self._stands("requeue"), self._requeue
            found[Action.of("add_nominated_pod", pod=POD)] = self._stands("add_nominated_pod"), self._add_nominated
        if self.scope.preemption:
            found |= self._preemption()
        return found

    def _preemption(self) -> dict[Action, tuple[Callable[[View], Bit], Callable[[View], View]]]:
        name = "preempt" if self.own else "post_filter"
        does = self._preempt if self.own else self._post_filter
        found: dict[Action, tuple[Callable[[View], Bit], Callable[[View], View]]] = {
            Action.of(name, pod=POD): (partial(self._has_no_candidate, name), does(None))
        }
        for i, node in enumerate(self.nodes):
            enabled = partial(self._may_preempt, name, i)
            found[Action.of(name, pod=POD, node=node, victims="")] = enabled, does(i)
        if self.own:
            stands = self._stands("set_nominated_node_name")
            found[Action.of("set_nominated_node_name", pod=POD)] = stands, self._set_nominated
        return found

    # --- API server and informer

    def _create(self, v: View) -> View:
        return self._write(evolve(v, created=True), blank(self.scope), new=True)

    def _write(self, v: View, pod: Version, *, new: bool = False) -> View:
        """The pod is written; an event follows if it changed."""
        changed = True if new else negate(equal(v.live, pod))
        watch = list(v.watch)
        room: Bit = changed
        for i, event in enumerate(v.watch):
            free = all_of(room, negate(event.here))
            watch[i] = either(free, Event(True, pod), event)
            room = all_of(room, event.here)
        return evolve(v, live=pod, watch=tuple(watch))

    def _deliver(self, v: View) -> View:
        """The store first, then both handlers, that of assigned pods before the other."""
        new, old, known = v.watch[0].pod, v.listed, v.known
        v = evolve(v, watch=(*v.watch[1:], Event(False, blank(self.scope))), listed=new, known=True)
        return either(new.bound, self._deliver_bound(v, new, old), self._deliver_pending(v, new, old, known))

    def _deliver_bound(self, v: View, new: Version, old: Version) -> View:
        kept = blank(self.scope)
        added = evolve(v, assumed=False, added=True, counted=new.node, kept=kept, active=False, waiting=False)
        added = self._noted(evolve(added, queued=kept, nominated=self._nobody), ASSIGNED_POD_ADD)
        return either(old.bound, self._noted(v, ASSIGNED_POD_UPDATE), added)

    def _noted(self, v: View, event: ClusterEvent) -> View:
        """A move request, of which no pod in unschedulableQ has anything."""
        if forms.MOVE_PODS.of(self.rules) and not self.rules.event_of_interest(event, self._registered):
            return v
        late = tuple(evolve(retry, late=any_of(retry.late, retry.here)) for retry in v.retries)
        return self._sorted(evolve(v, moved=True, retries=late))

    def _deliver_pending(self, v: View, new: Version, old: Version, known: Bit) -> View:
        added = self._nominate(evolve(v, active=True, waiting=False, queued=new), new, self._nobody)
        updated = either(v.queued_somewhere, self._update(v, new, old), added)
        return either(known, either(self._is_skipped(v, new), v, updated), added)

    def _is_skipped(self, v: View, pod: Version) -> Bit:
        """skipPodUpdate: the pod is assumed, and if the release asks, differs in nothing that matters."""
        if forms.SKIP_POD_UPDATE.of(self.rules):
            return v.assumed
        stripped = forms.STRIP_POD.of(self.rules)
        one, other = (evolve(as_kept(p), condition=False) if stripped else as_kept(p) for p in (pod, v.kept))
        return all_of(v.assumed, equal(one, other))

    def _update(self, v: View, new: Version, old: Version) -> View:
        """The queue's Update of a pod that a sub-queue has."""
        moves = all_of(v.waiting, negate(equal(old.allocated, new.allocated)))
        queued = evolve(v, active=any_of(v.active, moves), waiting=all_of(v.waiting, negate(moves)), queued=new)
        silent = negate(any_of(*old.nominated, *new.nominated))
        keeps = forms.NOMINATOR_UPDATE.of(self.rules)
        memory = tuple(all_of(silent, bit) for bit in v.nominated) if keeps else self._nobody
        return self._nominate(queued, new, memory)

    # --- nominator and queue

    @property
    def _nobody(self) -> Bits:
        return (False,) * (self.scope.nodes + 1)

    def _nominate(self, v: View, pod: Version, node: Bits) -> View:
        """`add`: to `node`, or where the status of `pod` says."""
        form = forms.NOMINATOR_ADD.of(self.rules)
        named = node if form.overrides else (*node[:-1], False)
        status: Bits = (*pod.nominated, False)
        where = either(any_of(*named), named, status)
        refused: Bit = negate(v.known) if form.refuses_unlisted else False
        if form.refuses_bound:
            refused = any_of(refused, v.listed.bound)
        return evolve(v, nominated=tuple(all_of(negate(refused), bit) for bit in where))

    def _put_back(self, v: View, pod: Version, late: Bit) -> View:
        """AddUnschedulableIfNotPresent; a pod that missed a move request does not back off long."""
        placed = evolve(v, active=late, waiting=negate(late), queued=pod)
        return either(v.queued_somewhere, v, self._nominate(placed, pod, self._nobody))

    # --- the cycle

    def _stands(self, *kinds: str) -> Callable[[View], Bit]:
        return lambda v: any_of(*(v.at[KINDS.index(kind)] for kind in kinds))

    def _at(self, v: View, kind: str, where: Bit = True) -> View:
        """The cycle goes on with `kind`."""
        return evolve(v, at=tuple(all_of(where, kind == each) for each in KINDS))

    def _end(self, v: View) -> View:
        over = nothing(self.scope)
        v = evolve(v, at=over.at, mine=over.mine, candidates=over.candidates, target=over.target, taken=over.taken)
        return evolve(v, looked_up=over.looked_up)

    def _can_pop(self, v: View) -> Bit:
        """One goroutine less than the scope allows, at most."""
        full = all_of(any_of(*v.binding, v.retries[-1].here), *(retry.here for retry in v.retries[:-1]))
        return all_of(v.active, negate(any_of(*v.at)), negate(full))

    def _pop(self, v: View) -> View:
        v = evolve(v, active=False, mine=v.queued, queued=blank(self.scope), moved=False)
        return self._at(v, "schedule")

    def _schedule(self, v: View) -> View:
        """Skipped; or feasible nodes, the extender, and candidates, or a failure."""
        room = self.scope.room == 1
        feasible = tuple(negate(all_of(bit, v.cached)) if room else True for bit in v.counted)
        some = any_of(*feasible)
        seen = evolve(v, taken=v.counted)
        skipped = self._is_skipped(v, v.mine) if forms.SKIP_POD_SCHEDULE.of(self.rules) else False
        answer = self._extender(v.mine)
        written = self._write(seen, evolve(v.live, allocated=True))
        called = either(all_of(some, answer.annotates), written, seen)
        placed = self._choose(evolve(called, taken=self._nobody[:-1]), feasible)
        failed = either(all_of(some, answer.error), self._failed(seen, False), self._failed(seen, True))
        return either(skipped, self._end(v), either(all_of(some, answer.passed), placed, failed))

    def _extender(self, pod: Version) -> forms.Answer:
        asked = forms.EXTENDER_FILTER.of(self.rules) if self.scope.extender else forms.keeps_all
        return asked(pod.allocated)

    def _choose(self, v: View, feasible: Bits) -> View:
        candidates = feasible
        if forms.PREFER.of(self.rules):
            first = tuple(all_of(a, b) for a, b in zip(v.mine.nominated, feasible, strict=True))
            candidates = either(any_of(*first), first, feasible)
        return self._at(evolve(v, candidates=candidates), "assume")

    def _failed(self, v: View, no_node_fits: bool) -> View:
        """The steps after a failure begin; only a FitError leads to preemption."""
        preempts = no_node_fits and bool(self.scope.preemption)
        silent = no_node_fits and not preempts
        asked = forms.NOMINATE_WITHOUT_POST_FILTER if silent else forms.NOMINATE_WITHOUT_CANDIDATE
        cleared = asked.of(self.rules)
        target = (*self._nobody[:-1], cleared) if not self.own else self._nobody
        v = evolve(v, target=target, candidates=self._nobody[:-1])
        if not preempts:
            v = evolve(v, taken=self._nobody[:-1])
        if not self.own:
            return self._at(v, "post_filter" if preempts else "requeue")
        if not preempts:
            return self._record(v, "record_error")
        return self._at(v, "preempt") if self.preempts_first else self._record(v, "record_fit_error")

    def _record(self, v: View, kind: str) -> View:
        """The error function's goroutine starts, and the failure is to be recorded."""
        return self._at(self._with_retry(v, Retry(True, False, v.moved, blank(self.scope))), kind)

    def _assume(self, i: int, v: View) -> View:
        """AssumePod refuses a pod that the cache has; else the binding goroutine starts."""
        node = tuple(n == i for n in range(self.scope.nodes))
        refused = self._failed(evolve(v, mine=evolve(v.mine, node=node)), False)
        kept = as_kept(v.mine)
        done = evolve(v, assumed=True, counted=node, kept=kept, nominated=self._nobody, binding=node)
        return either(v.cached, refused, self._end(done))

    def _bind(self, i: int, v: View) -> View:
        node = tuple(n == i for n in range(self.scope.nodes))
        over = evolve(v, binding=self._nobody[:-1])
        bound = self._write(over, evolve(v.live, node=node, condition=False))
        return either(v.live.bound, over, bound)

    # --- after a failure, up to 1.18

    def _record_failure(self, v: View) -> View:
        """A PUT of the condition, in conflict unless the version at hand is the live one."""
        unbound = evolve(v.mine, node=self._nobody[:-1])
        writes = all_of(negate(v.mine.condition), equal(unbound, v.live))
        v = either(writes, self._write(v, evolve(v.live, condition=True)), v)
        preempts = self._stands("record_fit_error")(v)
        return either(preempts, self._at(v, "preempt"), self._end(v))

    def _with_retry(self, v: View, retry: Retry) -> View:
        retries = list(v.retries)
        room: Bit = True
        for i, old in enumerate(v.retries):
            retries[i] = either(all_of(room, negate(old.here)), retry, old)
            room = all_of(room, old.here)
        return self._sorted(evolve(v, retries=tuple(retries)))

    def _sorted(self, v: View) -> View:
        """As the machine sorts them: by what is next, then by the version, then by being late."""
        retries = list(v.retries)
        for end in range(len(retries) - 1, 0, -1):
            for i in range(end):
                one, other = retries[i], retries[i + 1]
                swap = less(_order(other), _order(one))
                retries[i], retries[i + 1] = either(swap, other, one), either(swap, one, other)
        return evolve(v, retries=tuple(retries))

    def _chosen(self, v: View, nth: int, adds: bool) -> list[Bit]:
        """Which retry is the nth that is at this step; equal ones count once."""
        chosen: list[Bit] = []
        seen: list[Bit] = []
        for i, retry in enumerate(v.retries):
            stands = all_of(retry.here, retry.adds if adds else negate(retry.adds))
            first = stands if not i else all_of(stands, negate(equal(v.retries[i - 1], retry)))
            chosen.append(all_of(first, _exactly(seen, nth)))
            seen.append(first)
        return chosen

    def _has_retry(self, nth: int, adds: bool, v: View) -> Bit:
        return any_of(*self._chosen(v, nth, adds))

    def _retry(self, nth: int, adds: bool, does: Callable[[View, Retry], tuple[View, Retry]], v: View) -> View:
        """The chosen retry goes on, and is put in its place, or is gone."""
        found = v
        for i, chosen in enumerate(self._chosen(v, nth, adds)):
            after, retry = does(v, v.retries[i])
            retries = (*v.retries[:i], retry, *v.retries[i + 1 :])
            found = either(chosen, self._sorted(evolve(after, retries=retries)), found)
        return found

    def _get(self, v: View, retry: Retry) -> tuple[View, Retry]:
        got = evolve(retry, adds=True, pod=v.live)
        return v, either(v.live.bound, self._no_retry, got)

    def _add(self, v: View, retry: Retry) -> tuple[View, Retry]:
        return self._put_back(v, retry.pod, retry.late), self._no_retry

    @property
    def _no_retry(self) -> Retry:
        return Retry(False, False, False, blank(self.scope))

    def _has_no_candidate(self, kind: str, v: View) -> Bit:
        may = [self._may_preempt(kind, i, v) for i in range(self.scope.nodes)]
        return all_of(self._stands(kind)(v), negate(any_of(*may)))

    def _may_preempt(self, kind: str, i: int, v: View) -> Bit:
        """A node where nobody has to go; on the one that counts the pod itself there may be no room for it again."""
        if not forms.PREEMPTS_WITH.of(self.rules):
            return False
        free = negate(v.taken[i]) if self.scope.room == 1 else True
        return all_of(self._stands(kind)(v), free, self._let_in(i, v))

    def _let_in(self, i: int, v: View) -> Bit:
        """A bound pod, as preemption looks the pod up, is let in by its own node alone."""
        pod = v.live if self.own else v.listed
        return any_of(negate(pod.bound), pod.node[i])

    def _end_preemption(self, v: View) -> View:
        """What follows preemption: nothing, or the failure is recorded (1.18)."""
        if not self.preempts_first:
            return self._end(v)
        over = nothing(self.scope)
        return self._record(evolve(v, looked_up=over.looked_up, target=over.target, taken=over.taken), "record_error")

    def _preempt(self, i: int | None) -> Callable[[View], View]:
        if i is None:
            return self._end_preemption
        node: Bits = (*(n == i for n in range(self.scope.nodes)), False)

        def nominate(v: View) -> View:
            kept = evolve(v, looked_up=v.live) if self.preempts_first else evolve(v, mine=v.live)
            v = evolve(kept, target=node, taken=self._nobody[:-1])
            return self._at(self._nominate(v, v.live, node), "set_nominated_node_name")

        return nominate

    def _set_nominated(self, v: View) -> View:
        """A PUT of the status; in conflict the nomination is deleted."""
        at_hand = v.looked_up if self.preempts_first else v.mine
        written = self._write(v, evolve(v.live, nominated=v.target[:-1]))
        return self._end_preemption(either(equal(v.live, at_hand), written, evolve(v, nominated=self._nobody)))

    # --- after a failure, from 1.19 on

    def _post_filter(self, i: int | None) -> Callable[[View], View]:
        def choose_node(v: View) -> View:
            target = v.target if i is None else (*(n == i for n in range(self.scope.nodes)), False)
            return self._at(evolve(v, target=target, taken=self._nobody[:-1]), "requeue")

        return choose_node

    def _requeue(self, v: View) -> View:
        tried = evolve(v.listed, condition=v.mine.condition, nominated=v.mine.nominated)
        at_hand = tried if forms.PATCHES_FROM_ATTEMPT.of(self.rules) else v.listed
        again = self._put_back(evolve(v, mine=v.listed, looked_up=at_hand), v.listed, v.moved)
        return self._at(either(v.listed.bound, evolve(v, looked_up=v.mine), again), "add_nominated_pod")

    def _add_nominated(self, v: View) -> View:
        """The nomination, then a patch of the condition and of the nominated node."""
        v = self._nominate(v, v.mine, v.target)
        renames = all_of(any_of(*v.target), negate(equal(v.target[:-1], v.looked_up.nominated)))
        nominated = either(renames, v.target[:-1], v.live.nominated)
        patched = evolve(v.live, condition=choose(v.looked_up.condition, v.live.condition, True), nominated=nominated)
        return self._end(self._write(v, patched))


def _candidate(i: int, v: View) -> Bit:
    return all_of(v.at[KINDS.index("assume")], v.candidates[i])


def _to_bind(i: int, v: View) -> Bit:
    return v.binding[i]


def _order(retry: Retry) -> list[Bit]:
    pod = retry.pod
    first = [negate(retry.here), negate(retry.adds), *reversed(pod.nominated), negate(pod.allocated)]
    return [*first, pod.condition, negate(retry.late)]


def _exactly(bits: list[Bit], number: int) -> Bit:
    """So many of the bits are true."""
    if not bits:
        return number == 0
    rest = bits[:-1]
    fewer = _exactly(rest, number - 1) if number else False
    return choose(bits[-1], fewer, _exactly(rest, number))
