"""async-preemption: the victims of one preemptor are deleted in a goroutine, in every order with what goes on around.

Environment of `model.scheduler.preemption.async_preemption`: the API server's pods, an informer, kubelets that end
pods, somebody who deletes a victim, a victim that waits at Permit, and the queue as far as the preemptor is in it.
Hints are on: NodeResourcesFit moves the preemptor at each deletion of a bound pod. A cycle of the preemptor is one
step, from the snapshot to the start of the goroutine; its way back to the queue is another one.

Left out: the queue's flush after five minutes, so a pod that only the flush helps waits for ever; other pods; nodes to
choose from; a victim in PreBind.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import ClassVar

from attrs import define

from model.evolve import evolve
from model.go.errors import MetErrors, errors_met
from model.machine import Action, Offer
from model.scheduler.preemption.async_preemption import prepare_candidate, prepare_candidate_async
from model.scheduler.preemption.objects import PreemptionPod
from model.systems.async_preemption.records import (
    AFTER_DELETE,
    AsyncPreempting,
    AsyncPreemptionSystemRules,
    Phase,
    victim_name,
    victim_place,
)
from model.systems.async_preemption.scope import AsyncPreemptionScope
from model.systems.async_preemption.steps import (
    ended,
    handled,
    held,
    is_sent_after,
    is_untouched,
    moved,
    next_request,
    on_to_last_victim,
    requested,
    stored,
    written,
)
from model.variables import Places, whole

_ON, _OFF = 1, 2


@define(frozen=True, slots=False)
class AsyncPreemptionMachine:
    """The system in a scope, under the rules of a release or of a proposed fix.

    Victims are not interchangeable: the last one is asked for apart from the others.
    """

    scope: AsyncPreemptionScope
    rules: AsyncPreemptionSystemRules

    # Nothing that a rule is given is dropped.
    cuts: ClassVar[Mapping[str, str]] = {}
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    symmetric: ClassVar[bool] = True
    named: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    action_names = (
        "hold_at_permit", "try_preemptor", "requeue_preemptor", "patch_victim", "delete_victim",
        "reject_waiting_victim", "fail_request", "go_on_to_last_victim", "end_preemption", "delete_pod", "end_pod",
        "fail_binding", "store_event", "handle_event",
    )  # fmt: skip

    @property
    def is_asynchronous(self) -> bool:
        """Whether SchedulerAsyncPreemption is on."""
        if self.scope.asynchronous:
            return self.scope.asynchronous == _ON
        return self.rules.async_preemption_default()

    def initial_states(self) -> tuple[AsyncPreempting, ...]:
        runs: Phase = "runs"
        phases = Places((runs,) * self.scope.victims)
        return (AsyncPreempting(phases, phases, phases),)

    @cached_property
    def offers(self) -> tuple[Offer[AsyncPreempting], ...]:
        return (
            self._holds,
            self._of_preemptor,
            *(partial(self._of_goroutine, number) for number in range(self.scope.goroutines)),
            *(partial(self._of_victim, at) for at in range(self.scope.victims)),
            self._stores,
            self._handles,
        )

    def ends(self, state: AsyncPreempting) -> bool:
        return False

    def actions(self, state: AsyncPreempting) -> Iterator[Action]:
        for offer in self.offers:
            yield from offer(state)

    def _holds(self, state: AsyncPreempting) -> Iterator[Action]:
        if self.scope.waiting and is_untouched(state):
            waits = [at for at, phase in enumerate(state.true) if phase == "waits"]
            if len(waits) < self.scope.waiting:
                # In the order of names, so that no choice of victims is made in two orders.
                for at in range(max(waits, default=-1) + 1, self.scope.victims):
                    yield Action.of("hold_at_permit", victim=victim_name(at))

    def _of_preemptor(self, state: AsyncPreempting) -> Iterator[Action]:
        if state.place == "active" and self._may_be_tried(state):
            yield Action.of("try_preemptor")
        if state.place == "tried" and (self.is_asynchronous or not state.goroutines):
            yield Action.of("requeue_preemptor")

    def _may_be_tried(self, state: AsyncPreempting) -> bool:
        """Whether there are not too many goroutines afterwards. A cycle starts one at most."""
        most = self.scope.goroutines
        return len(state.goroutines) < most or len(self._tried(state).goroutines) <= most

    def _of_victim(self, at: int, state: AsyncPreempting) -> Iterator[Action]:
        phase, victim = state.true[at], victim_name(at)
        if self.scope.deletions and phase in AFTER_DELETE and state.deletions < self.scope.deletions:
            yield Action.of("delete_pod", victim=victim)
        if phase in ("deleted", "ending"):
            yield Action.of("end_pod", victim=victim)
        if phase == "rejected":
            yield Action.of("fail_binding", victim=victim)

    def _stores(self, state: AsyncPreempting) -> Iterator[Action]:
        if self.scope.lag and state.events.ask(is_sent_after, state.stored):
            yield Action.of("store_event")

    def _handles(self, state: AsyncPreempting) -> Iterator[Action]:
        if state.stored or (not self.scope.lag and state.events):
            yield Action.of("handle_event")

    def _of_goroutine(self, number: int, state: AsyncPreempting) -> Iterator[Action]:
        if number >= len(state.goroutines):
            return
        goroutine = state.goroutines[number]
        if goroutine.next == "end" or not (goroutine.others or goroutine.last):
            yield Action.of("end_preemption", goroutine=number)
        elif goroutine.next == "others" and not goroutine.others:
            yield Action.of("go_on_to_last_victim", goroutine=number)
        else:
            for victim in (goroutine.last,) if goroutine.next == "last" else goroutine.others:
                request = next_request(state, goroutine, victim)
                # A pod that waits at Permit is rejected without a request, so nothing fails.
                rejects = request == "reject_waiting_victim"
                if rejects or not goroutine.failed:
                    yield Action.of(request, goroutine=number, victim=victim)
                if goroutine.failed:
                    # parallelize.Until may come to no more of those that are asked for side by side.
                    fails = not rejects or goroutine.next == "others"
                else:
                    fails = not rejects and bool(self.scope.failures) and state.failures < self.scope.failures
                if fails:
                    yield Action.of("fail_request", goroutine=number, victim=victim)

    def step(self, state: AsyncPreempting, action: Action) -> AsyncPreempting:
        match action.name:
            case "hold_at_permit":
                return held(state, victim_place(action["victim"]))
            case "try_preemptor":
                return self._tried(state)
            case "requeue_preemptor":
                back = evolve(state, place="unschedulable", noted=False)
                return moved(self.rules, back) if state.noted else back
            case "go_on_to_last_victim":
                return on_to_last_victim(self.rules, state, action["goroutine"])
            case "end_preemption":
                return ended(self.rules, state, action["goroutine"])
            case "patch_victim" | "delete_victim" | "reject_waiting_victim" | "fail_request":
                return requested(self.rules, state, action)
            case "delete_pod":
                after = written(state, action["victim"], AFTER_DELETE)
                return evolve(after, deletions=state.deletions + 1)
            case "end_pod":
                return written(state, action["victim"], {"deleted": "gone", "ending": "gone"})
            case "fail_binding":
                at = victim_place(action["victim"])
                left = evolve(state, true=state.true.put(at, "queued"), known=state.known.put(at, "gone"))
                return moved(self.rules, left)
            case "store_event":
                return stored(state)
            case "handle_event":
                return handled(self.rules, state)
        raise ValueError(f"async-preemption has no action {action.name}")

    def errors(self, state: AsyncPreempting, action: Action) -> MetErrors:
        return errors_met(lambda: self.step(state, action))

    def rename(self, state: AsyncPreempting, names: Mapping[str, str]) -> AsyncPreempting:
        return state

    def canonical(self, state: AsyncPreempting, fixed: frozenset[str] = frozenset()) -> AsyncPreempting:
        return state

    def _tried(self, state: AsyncPreempting) -> AsyncPreempting:
        """The preemptor's cycle. A victim that terminates with the condition forbids another preemption."""
        known = whole(state.known)
        if all(phase == "gone" for phase in known):
            return evolve(state, place="bound", noted=False)
        tried = evolve(state, place="tried", noted=False)
        if "ending" in known:
            return tried
        there = [(victim_name(at), phase) for at, phase in enumerate(known) if phase != "gone"]
        pods = tuple(PreemptionPod(name, terminating=phase == "deleted") for name, phase in there)
        victims = tuple(pod.name for pod in self.rules.victims_to_delete(pods))
        marked = frozenset(name for name, phase in there if phase == "marked")
        if self.is_asynchronous:
            preempting, goroutine = prepare_candidate_async(state.preempting, victims, marked)
        else:
            preempting, goroutine = state.preempting, prepare_candidate(victims, marked)
        if goroutine is None:
            return tried
        return evolve(tried, preempting=preempting, goroutines=(*state.goroutines, goroutine))
