"""Counterexamples to induction, taken by the Python machine.

The timeline before the step becomes a state of the machine. List, map, sub-queues, cache and attempts are those of the
timeline. Where an attempt stands, which pod is the first of activeQ and what the informer is about to deliver is tried
in every way that one step can tell apart. From there an action leads to a state whose timeline breaks the lemma. If no
action does, the formulas say more than the machine does.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product
from typing import Literal

from attrs import evolve, frozen

from model.machine import Action
from model.objects import Pod
from model.scheduler.queue.events import PV_ADD, ClusterEvent
from model.scheduler.queue.state import REMOVED, InFlightEvent, InFlightPod, Queue, QueuedPodInfo
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine
from model.systems.queueing_hints.cycle_steps import NODE
from model.systems.queueing_hints.failure_steps import FAILURE, GONE as FAILURE_OF_GONE
from model.systems.queueing_hints.records import Goroutine
from model.systems.queueing_hints.rules import PLUGINS
from model.variables import Bag, Channel, Places
from model.world.api_server import CPU
from model.world.calls_in import call_cache
from model.world.events import Listener, PodEvent
from model.world.pod_handlers import handlers, listener_of, with_listener
from properties.smt.queueing_hints.counterexample import Counterexample
from properties.smt.queueing_hints.lemmas import Lemma
from properties.smt.queueing_hints.timeline import Place
from properties.smt.queueing_hints.timeline_steps import GONE, LOSES, NEW_POD, NO_PROFILE, SKIP, UPDATED, Environment
from properties.smt.queueing_hints.watched_run import Moment, facts

_AWAITED = PLUGINS[0][1]


@frozen
class News:
    """What the informer is about to deliver, or its handler of pending pods is in the midst of."""

    # Whether the pod of this UID is new or has changed; "" for no pod.
    kind: Literal["add", "update"] = "add"
    uid: str = ""
    handler: Listener | None = None


@frozen
class States:
    """The states of the machine that a timeline may be."""

    environment: Environment
    machine: QueueingHintsMachine
    it: Counterexample
    # By pod.
    uids: tuple[str, ...]

    def every(self) -> Iterator[Moment]:
        going = [place for place in self.pops() if self.it.before.under_way(place)]
        chosen = [dict(zip(going, kinds, strict=True)) for kinds in product(*(list(self._kinds(p)) for p in going))]
        # Pods of attempts may be being deleted. Only a cycle that skips its pod asks.
        ends = (False, True) if self.it.step == SKIP else (False,)
        for kinds in chosen:
            # One attempt at most is the cycle.
            for cycle in (None, *(p for p in going if kinds[p][0] in ("schedule", "assume") or kinds[p] == FAILURE)):
                if any(kinds[p][0] in ("schedule", "assume") for p in going if p != cycle):
                    continue
                for first, news, end in product((*self._queued(), None), self._news(), ends):
                    moment = self._moment(kinds, cycle, first, news, end)
                    if moment is not None:
                        yield moment

    # --- the timeline

    def places(self) -> list[Place]:
        """What has come, in order."""
        return [place for place in range(len(self.it.facts.popped_at)) if self.it.before.past(place)]

    def pops(self) -> list[Place]:
        return [place for place in self.places() if self.it.facts.popped(place)]

    def _uid(self, place: Place) -> str:
        return next(uid for k, uid in enumerate(self.uids) if self.it.facts.of(place, k))

    def _queued(self) -> list[str]:
        """The pods of the sub-queues."""
        return [uid for k, uid in enumerate(self.uids) if self.it.before.queued(k)]

    def _kinds(self, place: Place) -> Iterator[tuple[str, ...]]:
        """Where the attempt may stand."""
        before, rules = self.it.before, self.machine.rules
        if before.binds(place):
            yield from (("bind",), ("binding_failed",), ("pre_bind", "bind"))
            if rules.done_in_binding() == "WaitOnPermit":
                yield ("done_after_permit", "pre_bind", "bind")
        elif before.settled(place):
            yield ("patch_failure",)
        else:
            yield from (FAILURE, ("schedule",), ("assume",), FAILURE_OF_GONE)
            if rules.done_again_after_bind_error():
                yield from ((*FAILURE, "done_again"), ("done_again",), (*FAILURE_OF_GONE, "done_again"))

    def _news(self) -> Iterator[News]:
        if self.it.step == NEW_POD:
            namesakes = self.environment.namesakes
            every = (uid for k, uid in enumerate(self.uids) if namesakes or self.it.before.fresh(k))
            yield from (News("add", uid) for uid in every)
        elif self.it.step == UPDATED:
            for uid in self.uids:
                yield News("update", uid)
                if self.machine.scope.fine:
                    yield from (News("update", uid, handler) for handler in self._in_midst_of_update(uid))
        else:
            yield News()

    def _in_midst_of_update(self, uid: str) -> Iterator[Listener]:
        """The handler of pending pods, or the one handler of pods, after each hold of a lock."""
        every = handlers(self.machine.setup)
        last, steps = every[-1], {f"handle_{handler}" for handler in every}
        state = self._base(News("update", uid), assumed=())
        action: Action | None = Action.of("deliver_pod", pod=_name(uid))
        while action is not None:
            state = self.machine.step(state, action)
            if not listener_of(state, last).idle:
                yield listener_of(state, last)
            action = next((a for a in self.machine.actions(state) if a.name in steps), None)

    # --- the state

    def _moment(
        self,
        kinds: dict[Place, tuple[str, ...]],
        cycle: Place | None,
        first: str | None,
        news: News,
        ends: bool,
    ) -> Moment | None:
        """`first`: the pod of activeQ; other queued pods wait. `ends`: the pods of attempts are being deleted."""
        at = {place: i for i, place in enumerate(self.places())}
        goroutines = {p: self._goroutine(p, steps, bound=p != cycle, ends=ends) for p, steps in kinds.items()}
        bindings = [each for p, each in goroutines.items() if p != cycle]
        assumed = [uid for k, uid in enumerate(self.uids) if self.it.before.assumed(k)]
        base, queued = self._base(news, assumed), self._queued()
        if len({_name(uid) for uid in queued}) < len(queued):
            # A sub-queue has one pod of a name. Lemmas say nothing that needs a queued pod.
            queued = [uid for uid in queued if uid == first]
        waiting = tuple(QueuedPodInfo(_pod(uid)) for uid in sorted(queued) if uid != first)
        active = (QueuedPodInfo(_pod(first)),) if first is not None else ()
        state = evolve(
            base,
            queue=evolve(self._in_flight(at), active=active, unschedulable=waiting),
            cycle=goroutines.get(cycle),
            bindings=Bag.of(*bindings),
        )
        before = self.it.before
        listed = tuple(at[place] for place in at if before.listed(place))
        counts, previous = {}, {}
        if before.pairs:
            counts = {at[e]: frozenset(at[p] for p in at if before.counts(e, p)) for e in at if before.listed(e)}
            previous = {at[p]: at[e] for p in at for e in at if before.previous(p, e)}
        moment = Moment(
            self.machine,
            state,
            tuple(self._uid(p) if self.it.facts.popped(p) else bool(self.it.facts.awaited(p)) for p in at),
            listed,
            None if cycle is None else at[cycle],
            tuple((at[p], goroutine) for p, goroutine in goroutines.items() if p != cycle),
            counts,
            previous,
            frozenset(uid for k, uid in enumerate(self.uids) if not before.fresh(k)),
        )
        return moment if self._is_that(moment, at) else None

    def _is_that(self, moment: Moment, at: dict[Place, int]) -> bool:
        """Whether the map means the elements that it should: Go finds them by UID."""
        entries = {at[place] for place in at if self.it.before.entry(place)}
        return set(moment.entries().values()) == entries and len(moment.state.queue.in_flight_pods) == len(entries)

    def _base(self, news: News, assumed: Iterable[str]) -> QueueingHints:
        """The API server, the informer and the cache. Of two pods of a name the last one is there."""
        (state,) = self.machine.initial_states()
        there = {_name(uid): _pod(uid) for uid in sorted(self.uids)}
        names = [f"p{i + 1}" for i in range(len(state.pods))]
        live = [there.get(name) for name in names]
        old, watch = list(live), Channel[PodEvent]()
        if news.uid:
            at, pod = names.index(_name(news.uid)), _pod(news.uid)
            new = evolve(pod, annotations=(("note", "1"),)) if news.kind == "update" else pod
            live[at], old[at] = new, pod if news.kind == "update" else None
            watch = watch.send(PodEvent(news.kind, new))
        state = evolve(
            state,
            pods=Places(live),
            lister=Places(old if news.handler is None else live),
            incarnations=Places(sum(_name(uid) == name for uid in self.uids) for name in names),
            pod_watch=watch if news.handler is None else Channel(),
            conditions=Places((True,) * len(state.conditions)),
        )
        if news.handler is not None:
            state = with_listener(state, handlers(self.machine.setup)[-1], news.handler)
        for uid in assumed:
            _, state = call_cache(self.machine.setup, state, "assume_pod", evolve(_pod(uid), node_name=NODE))
        return state

    def _in_flight(self, at: dict[Place, int]) -> Queue:
        before, one_list = self.it.before, not self.it.before.pairs
        listed = [place for place in at if before.listed(place)]

        def previous(pop: Place) -> int | None:
            marks = [] if one_list else [event for event in at if before.previous(pop, event)]
            return (listed.index(marks[0]) if marks[0] in listed else REMOVED) if marks else None

        def element(place: Place) -> InFlightPod | InFlightEvent:
            if self.it.facts.popped(place):
                return InFlightPod(self._uid(place))
            number = 0 if one_list else sum(bool(before.counts(place, pop)) for pop in at)
            return InFlightEvent(self._event(place), in_flight_pods_num=number)

        flying = [InFlightPod(self._uid(place), previous(place)) for place in at if before.entry(place)]
        return Queue(
            in_flight_pods=tuple(sorted(flying, key=lambda pod: pod.uid)),
            in_flight_events=tuple(map(element, listed)),
        )

    def _event(self, place: Place) -> ClusterEvent:
        return _AWAITED if self.it.facts.awaited(place) else PV_ADD

    def _goroutine(self, place: Place, steps: tuple[str, ...], *, bound: bool, ends: bool) -> Goroutine:
        uid, done = self._uid(place), bool(self.it.before.done(place))
        pod = evolve(_pod(uid), node_name=NODE if bound else "", terminating=ends)
        came = [p for p in self.places() if p > place and not self.it.facts.popped(p)]
        events = () if done else tuple(map(self._event, came))
        return Goroutine(steps, QueuedPodInfo(pod), uid, done=done, events=events)


def _name(uid: str) -> str:
    return uid.split("#")[0]


def _pod(uid: str) -> Pod:
    return Pod(_name(uid), uid, cpu_milli=CPU)


_EVENTS = ("cluster_event", "uninteresting_event")
_HANDLERS = ("deliver_pod", "handle_assigned", "handle_unassigned", "handle_pod")
# By the name of a step: the actions that may take it.
ACTIONS: Mapping[str, tuple[str, ...]] = {
    NEW_POD: _HANDLERS,
    UPDATED: _HANDLERS,
    LOSES: _HANDLERS,
    "Pop": ("pop",),
    "an event is kept": _EVENTS,
    "an event is not kept": _EVENTS,
    "a pod is assumed": ("assume",),
    "a binding fails": ("binding_failed",),
    "Done before Bind": ("done_after_permit", "pre_bind"),
    "Done after Bind": ("bind", "finish_binding"),
    SKIP: ("schedule",),
    NO_PROFILE: ("schedule",),
    "Done after the failure handler": ("done_again",),
    "a failed pod goes back before its Done": ("requeue",),
    "a failed pod goes back": ("requeue", "done_after_requeue"),
    GONE: ("patch_failure", "done_after_failure"),
    "an attempt ends after its Done": ("patch_failure", "bind", "finish_binding"),
}


@frozen
class Replayed:
    """What the machine does."""

    action: Action
    before: Moment
    after: Moment


def replayed(environment: Environment, lemmas: tuple[Lemma, ...], it: Counterexample) -> Replayed | None:
    """The machine's action from the timeline `before`, or None if no state was found that takes the step."""
    bounds = {"pods": it.facts.pods, "plugins": 1, "goroutines": 3, "stale_binds": 0, "events": 1, "uninteresting": 1}
    others = dict.fromkeys(("tolerations", "assigned", "hint_errors", "pre_check"), 0)
    scope = evolve(environment.scope, gate=1, **bounds, **others)
    grains = [evolve(scope, fine=0, listeners=0, clock=0, flush=0)]
    if environment.pop_between:
        grains.append(evolve(scope, fine=1, listeners=0, clock=1, flush=0))
    apart = tuple(f"p{k + 1}#1" for k in range(it.facts.pods))
    namesakes = permutations(f"p1#{k + 1}" for k in range(it.facts.pods)) if environment.namesakes else ()
    for grain, uids in product(grains, (apart, *namesakes)):
        machine = QueueingHintsMachine(grain, environment.rules)
        for moment in States(environment, machine, it, uids).every():
            found = _taken(moment, lemmas, it)
            if found is not None:
                return found
    return None


def holds(lemma: Lemma, moment: Moment) -> bool:
    """Whether the lemma holds of the timeline of a moment."""
    pods = sorted({f"p{i + 1}#{k + 1}" for i, count in enumerate(moment.state.incarnations) for k in range(count)})
    keep = sorted(moment.kept_places())
    return lemma(facts(moment, pods, keep), moment.timeline(pods, keep)) is True


def _taken(moment: Moment, lemmas: tuple[Lemma, ...], it: Counterexample) -> Replayed | None:
    assert it.broken is not None
    if not all(holds(lemma, moment) for lemma in lemmas):
        return None
    for action in moment.machine.actions(moment.state):
        for after in moment.after(action) if _may_be(it.step, action) else ():
            if not holds(it.broken, after):
                return Replayed(action, moment, after)
    return None


def _may_be(step: str, action: Action) -> bool:
    """Whether the action may take the step of this name."""
    unknown = dict(action.args).get("outcome") == "unknown profile"
    return action.name in ACTIONS[step] and unknown == (step == NO_PROFILE)
