"""api-calls: the requests for one pod wait in the dispatcher, in every order with attempts, answers and events.

Environment of `model.scheduler.api_dispatcher`: the API server, an informer, the scheduling cycle, the goroutine of the
binding, and preemptions by other pods. With the gate SchedulerAsyncAPICalls off a PATCH is made where it is asked for.
The pod may be tried whenever it is in the queue: some event takes it to activeQ.

Left out: a PATCH that fails, which nobody repeats; a reply that is lost; pods that are deleted or created again; other
pods, whose calls wait beside these; writers of the status besides the scheduler; the victims of a preemption.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from attrs import define

from model.evolve import evolve
from model.go.errors import MetErrors, errors_met, met_error
from model.machine import Action, Offer
from model.scheduler.api_calls import PodStatus
from model.systems.api_calls.records import ERROR, UNSCHEDULABLE, ApiCalling, ApiCallsRules
from model.systems.api_calls.scope import GATE_ON, ApiCallsScope
from model.systems.api_calls.steps import (
    after_failure,
    bind,
    bound_as_told,
    ended,
    failed,
    heard,
    made,
    meant,
    nominated_in_memory,
    patch,
    posted,
    started,
)


@define(frozen=True, slots=False)
class ApiCallsMachine:
    """The system in a scope, under the rules of a release or of a proposed fix."""

    scope: ApiCallsScope
    rules: ApiCallsRules

    # Nothing that a rule is given is dropped.
    cuts: ClassVar[Mapping[str, str]] = {}
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    symmetric: ClassVar[bool] = True
    named: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    action_names = (
        "try_pod", "nominate", "find_no_candidate", "wait_for_victims", "assume", "bind", "post_binding",
        "refuse_binding", "recover_from_binding", "patch_after_binding", "start_call", "make_request", "end_call",
        "clear_nomination", "handle_event",
    )  # fmt: skip

    @property
    def is_asynchronous(self) -> bool:
        """Whether SchedulerAsyncAPICalls is on."""
        if self.scope.asynchronous_calls:
            return self.scope.asynchronous_calls == GATE_ON
        return self.rules.async_api_calls_default()

    def initial_states(self) -> tuple[ApiCalling, ...]:
        return (ApiCalling(),)

    @cached_property
    def offers(self) -> tuple[Offer[ApiCalling], ...]:
        return self._of_place, self._late, self._starts, self._of_call_in_flight, self._clears, self._events

    def ends(self, state: ApiCalling) -> bool:
        return False

    def actions(self, state: ApiCalling) -> Iterator[Action]:
        for offer in self.offers:
            yield from offer(state)

    def _of_place(self, state: ApiCalling) -> Iterator[Action]:
        """What comes next for the pod, by where the pod is."""
        match state.place:
            case "queued" if state.attempts < self.scope.attempts and not state.known.node:
                yield Action.of("try_pod")
            case "tried":
                for number in range(self.scope.nodes):
                    node = f"n{number + 1}"
                    yield Action.of("nominate", node=node)
                    yield Action.of("assume", node=node)
                yield Action.of("find_no_candidate")
                if state.attempted.nominated_node_name:
                    yield Action.of("wait_for_victims")
            case "reserved":
                yield Action.of("bind")
            case "binding" if state.awaited < 0:
                yield Action.of("post_binding")
                if self._may_be_refused(state):
                    yield Action.of("refuse_binding")
            case "failed":
                yield Action.of("recover_from_binding")

    def _may_be_refused(self, state: ApiCalling) -> bool:
        return bool(self.scope.refusals) and state.refusals < self.scope.refusals

    def _late(self, state: ApiCalling) -> Iterator[Action]:
        if state.late:
            yield Action.of("patch_after_binding")

    def _starts(self, state: ApiCalling) -> Iterator[Action]:
        if state.dispatcher.calls_queue:
            yield Action.of("start_call")

    def _of_call_in_flight(self, state: ApiCalling) -> Iterator[Action]:
        in_flight = state.dispatcher.in_flight
        if not in_flight:
            return
        if state.answered:
            yield Action.of("end_call")
            return
        yield Action.of("make_request")
        if self.scope.refusals and in_flight[0].call_id == state.awaited and self._may_be_refused(state):
            yield Action.of("refuse_binding")

    def _clears(self, state: ApiCalling) -> Iterator[Action]:
        if not self.scope.clears or state.clears >= self.scope.clears:
            return
        if state.place in ("queued", "patching") and state.memory:
            yield Action.of("clear_nomination")

    def _events(self, state: ApiCalling) -> Iterator[Action]:
        if state.events:
            yield Action.of("handle_event")

    def step(self, state: ApiCalling, action: Action) -> ApiCalling:
        match action.name:
            case "try_pod":
                return evolve(state, place="tried", attempted=state.known.status, attempts=state.attempts + 1)
            case "nominate":
                return self._rejected(state, action["node"])
            case "find_no_candidate":
                return self._rejected(state, self.rules.nominate_without_candidate())
            case "wait_for_victims":
                return self._rejected(state, None)
            case "assume":
                return self._assumed(state, action["node"])
            case "bind":
                return bind(self.rules, state, self.is_asynchronous)
            case "post_binding":
                state, answer = posted(self.rules, state, state.host)
                return bound_as_told(state) if answer == "done" else evolve(state, place="failed")
            case "refuse_binding":
                return self._refused(state)
            case "recover_from_binding":
                return failed(self.rules, state, self.is_asynchronous)
            case "patch_after_binding":
                first, asked = state.late.head(), evolve(state, late=state.late.rest())
                return self._patched_and_back(asked, first.status, ERROR, first.nominated)
            case "start_call":
                return started(state)
            case "make_request":
                return made(self.rules, state)
            case "end_call":
                return ended(state)
            case "clear_nomination":
                return self._cleared(state)
            case "handle_event":
                return heard(state, self.is_asynchronous)
        raise ValueError(f"api-calls has no action {action.name}")

    def errors(self, state: ApiCalling, action: Action) -> MetErrors:
        return errors_met(lambda: self.step(state, action))

    def rename(self, state: ApiCalling, names: Mapping[str, str]) -> ApiCalling:
        return state

    def canonical(self, state: ApiCalling, fixed: frozenset[str] = frozenset()) -> ApiCalling:
        return state

    def _patch(self, state: ApiCalling, status: PodStatus, condition: str | None, nominated: str | None) -> ApiCalling:
        return patch(self.rules, state, self.is_asynchronous, status, condition, nominated)

    def _rejected(self, state: ApiCalling, nominated: str | None) -> ApiCalling:
        """handleSchedulingFailure in the cycle. A pod that is known bound does not go back, and is patched."""
        if state.known.node:
            after = evolve(state, place="bound", host=state.known.node, attempted=PodStatus())
            return self._patch(after, state.attempted, UNSCHEDULABLE, nominated)
        status = state.attempted if self.rules.patches_from_attempt() else state.known.status
        after = evolve(
            state,
            place=after_failure(self.rules, self.is_asynchronous),
            attempted=PodStatus(),
            memory=nominated_in_memory(state, nominated),
            meant=meant(state, UNSCHEDULABLE, nominated),
        )
        return self._patched_and_back(after, status, UNSCHEDULABLE, nominated)

    def _patched_and_back(
        self, state: ApiCalling, status: PodStatus, condition: str, nominated: str | None
    ) -> ApiCalling:
        """The PATCH of a failed attempt. A pod that waits for the PATCH goes back when somebody answers the call."""
        if state.place == "patching":
            state = evolve(state, back_after=state.dispatcher.next_id)
        return self._patch(state, status, condition, nominated)

    def _assumed(self, state: ApiCalling, node: str) -> ApiCalling:
        """The pod is assumed, and is nominated in memory no more. Before PreBind it may be nominated to its host."""
        assumed = evolve(state, place="reserved", host=node, memory="")
        if not self.scope.pre_bind:
            return bind(self.rules, assumed, self.is_asynchronous)
        if not self.rules.nominates_host():
            return assumed
        wanted = evolve(assumed, meant=evolve(state.meant, nominated_node_name=node))
        return self._patch(wanted, state.attempted, None, node)

    def _refused(self, state: ApiCalling) -> ApiCalling:
        met_error("Bind", "the API server refuses the Binding")
        counted = evolve(state, refusals=state.refusals + 1)
        return evolve(counted, answered="refused") if state.awaited >= 0 else evolve(counted, place="failed")

    def _cleared(self, state: ApiCalling) -> ApiCalling:
        """clearNominatedNodeName. With the gate off it asks whether the status names a node."""
        status = state.known.status
        memory = "" if self.rules.clears_nomination_in_memory() else state.memory
        counted = evolve(
            state, clears=state.clears + 1, meant=evolve(state.meant, nominated_node_name=""), memory=memory
        )
        if not self.is_asynchronous and not status.nominated_node_name:
            return counted
        return self._patch(counted, status, None, "")
