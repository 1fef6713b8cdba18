"""scheduling as a transition system: which actions a state enables, and what each does.

Environment of the components in model/scheduler: an API server, informers, users, the scheduler's goroutines, a clock.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

from attrs import define

from model.evolve import evolve
from model.machine import Action, Footprint
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.state import Queue
from model.systems.scheduling import cycle_steps, informers, symmetry, threads, users
from model.systems.scheduling.api_server import place, pod_name
from model.systems.scheduling.calls_in import NOW, call_cache, with_queue
from model.systems.scheduling.clock import later, next_instant
from model.systems.scheduling.footprints import footprints
from model.systems.scheduling.normal import normal
from model.systems.scheduling.records import Listener, Scheduling, Used
from model.systems.scheduling.rules import SchedulingRules, Setup
from model.systems.scheduling.scope import SchedulingScope

USERS = (
    "create_pod", "recreate_pod", "update_annotations", "update_finalizers", "update_labels", "delete_pod",
    "finish_termination", "bind_elsewhere", "delete_node", "add_node", "heartbeat",
)  # fmt: skip
INFORMERS = ("deliver_pod", "handle_assigned", "handle_unassigned", "deliver_node", "resync_pod", "relist_pods")
CLOCK = ("tick", "flush_backoff_q_completed", "flush_unschedulable_q_leftover", "cleanup_assumed_pods")


@define(frozen=True, slots=False)
class SchedulingMachine:
    """The system in a scope, under the rules of a release or of a proposed fix.

    It starts with the nodes known to the scheduler, and without pods. Pods of one priority are interchangeable, and so
    are nodes.
    """

    scope: SchedulingScope
    rules: SchedulingRules

    action_names = (*USERS, *INFORMERS, "pop", *threads.STEPS, *CLOCK)

    @cached_property
    def footprints(self) -> Mapping[str, Footprint]:
        return footprints(self.scope)

    @cached_property
    def setup(self) -> Setup:
        return Setup(self.scope, self.rules)

    @cached_property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return symmetry.sorts(self.scope)

    def initial_states(self) -> tuple[Scheduling, ...]:
        scope = self.scope
        nodes = tuple(
            users.node_of(scope, at) if at < scope.nodes - scope.late_nodes else None for at in range(scope.nodes)
        )
        cache = Cache()
        for node in nodes:
            if node is not None:
                _, cache = cache_functions.add_node(self.rules, cache, node)
        none = (None,) * scope.pods
        state = Scheduling(
            none, nodes, (0,) * scope.pods, (), (), none, Listener(), Listener(), (), Queue(), cache, CacheSnapshot(),
            None, (), (), "", Used(),
        )  # fmt: skip
        return (normal(self.setup, state),)

    def actions(self, state: Scheduling) -> Iterator[Action]:
        """Users and informers first, then the scheduler. A scheduler that has crashed is the end of the run."""
        if state.crashed:
            return
        yield from users.user_actions(self.setup, state)
        yield from self._informers(state)
        yield from self._pop(state)
        yield from threads.cycle_actions(self.setup, state)
        yield from threads.other_actions(self.setup, state)
        yield from self._clock(state)

    def _informers(self, state: Scheduling) -> Iterator[Action]:
        scope = self.scope
        waits = scope.fine and not scope.listeners and not informers.quiet(state)
        if state.pod_watch and not waits:
            yield Action.of("deliver_pod", pod=state.pod_watch[0].pod.name)
        for handler in informers.HANDLERS:
            if not getattr(state, handler).idle:
                yield Action(f"handle_{handler}")
        if state.node_watch or state.node_calls:
            yield Action("deliver_node")
        if state.used.of("resyncs") < scope.resyncs and not waits:
            for at, pod in enumerate(state.lister):
                if pod is not None and all(event.pod.name != pod.name for event in state.pod_watch):
                    yield Action.of("resync_pod", pod=pod_name(at))
        if state.pod_watch and state.used.of("relists") < scope.relists:
            yield from informers.relist_actions(state)

    def _pop(self, state: Scheduling) -> Iterator[Action]:
        """One cycle at a time, and not too many goroutines of one pod: the scope bounds these where Go does not."""
        if state.cycle is not None or not state.queue.active:
            return
        under_way = [goroutine.pod.name for goroutine in (*state.bindings, *state.retries)]
        for head in queue_functions.heads(self.setup.queue, state.queue):
            name = state.queue.active[head].pod.name
            if under_way.count(name) < self.scope.goroutines:
                yield Action.of("pop", pod=name)

    def _clock(self, state: Scheduling) -> Iterator[Action]:
        if not self.scope.clock:
            return
        setup = self.setup
        if next_instant(setup, state) is not None:
            yield Action("tick")
        if queue_functions.flush_backoff_q_completed(setup.queue, state.queue, NOW) is not state.queue:
            yield Action("flush_backoff_q_completed")
        if self.scope.flush:
            leftover = queue_functions.flush_unschedulable_q_leftover(setup.queue, state.queue, NOW)
            if leftover is not state.queue:
                yield Action("flush_unschedulable_q_leftover")
        if self.scope.expiry:
            _, cache = cache_functions.cleanup_assumed_pods(self.rules, state.cache, NOW)
            if cache is not state.cache:
                yield Action("cleanup_assumed_pods")

    def step(self, state: Scheduling, action: Action) -> Scheduling:
        return normal(self.setup, self.bare_step(state, action))

    def bare_step(self, state: Scheduling, action: Action) -> Scheduling:
        """`step` as Go does it, with times, cycle numbers and generations as they come."""
        setup, name = self.setup, action.name
        if name in USERS:
            return users.act(setup, state, action)
        match name:
            case "deliver_pod":
                return informers.deliver_pod(setup, state)
            case "handle_assigned":
                return informers.handle(setup, state, "assigned")
            case "handle_unassigned":
                return informers.handle(setup, state, "unassigned")
            case "deliver_node":
                return informers.deliver_node(setup, state)
            case "resync_pod":
                state = evolve(state, used=state.used.once_more("resyncs"))
                return informers.resync(setup, state, place(action["pod"]))
            case "relist_pods":
                return informers.relist(evolve(state, used=state.used.once_more("relists")), action)
            case "pop":
                return cycle_steps.pop(setup, state, action)
            case "tick":
                until = next_instant(setup, state)
                return later(setup, state, 1 + (until or 0))
            case "flush_backoff_q_completed" | "flush_unschedulable_q_leftover":
                return with_queue(state, getattr(queue_functions, name)(setup.queue, state.queue, NOW))
            case "cleanup_assumed_pods":
                return call_cache(setup, state, name, NOW)[1]
        reply = dict(action.args).get("reply")
        if reply is not None:
            state = evolve(state, used=state.used.once_more("lost_replies" if reply == "lost" else "bind_errors"))
        if name in ("get_pod", "add_unschedulable"):
            return threads.run_other(setup, state, action, "retries")
        if "by" in dict(action.args):
            return threads.run_other(setup, state, action, "bindings")
        return threads.run_cycle(setup, state, action)

    def rename(self, state: Scheduling, names: Mapping[str, str]) -> Scheduling:
        return symmetry.rename(self.setup, state, names)

    def canonical(self, state: Scheduling, fixed: frozenset[str] = frozenset()) -> Scheduling:
        return symmetry.canonical(self.setup, state, fixed)
