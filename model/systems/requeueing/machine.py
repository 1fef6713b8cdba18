"""requeueing as a transition system: a pod is tried, the cluster changes, and the queue is told or not.

An attempt is one step: what comes while a pod is scheduled is the concern of the system queueing-hints. Nothing backs
off, and leftover pods are not flushed.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from itertools import product

from attrs import define

from model.evolve import evolve
from model.go.errors import MetErrors, errors_met
from model.machine import Action, Offer
from model.scheduler.cycle import NODE_UNSCHEDULABLE
from model.scheduler.events_to_register import TAINT_TOLERATION
from model.scheduler.filters import rejected_by
from model.scheduler.hint_functions import CORDON_TAINT
from model.scheduler.hint_objects import HintedNode, HintedPod
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.in_flight import done
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.requeueing import told
from model.systems.requeueing.objects import (
    TAINT,
    WEB,
    bound_pods_of,
    changes_of,
    counted_labels,
    labels_of,
    nodes_of,
    the_pod,
    zoned,
)
from model.systems.requeueing.records import Requeueing
from model.systems.requeueing.rules import RequeueingRules, RequeueingSetup
from model.systems.requeueing.scope import RequeueingScope
from model.variables import Channel, Places

ACTIONS = (
    "attempt", "handle_node", "add_node", "change_node", "remove_node", "bind_pod", "label_pod", "remove_pod",
    "tolerate", "label_own",
)  # fmt: skip


@define(frozen=True, slots=False)
class RequeueingMachine:
    """The system in a scope, under the rules of a release."""

    scope: RequeueingScope
    rules: RequeueingRules

    action_names = ACTIONS
    symmetric = False

    @property
    def sorts(self) -> Mapping[str, tuple[str, ...]]:
        return {}

    @property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        return {}

    @property
    def cuts(self) -> Mapping[str, str]:
        return {}

    @cached_property
    def setup(self) -> RequeueingSetup:
        return RequeueingSetup(self.scope, self.rules)

    def initial_states(self) -> tuple[Requeueing, ...]:
        """Any nodes, any pods that are bound to them, and the pod in activeQ."""
        pod = the_pod(self.scope)
        queue = _plain(queue_functions.add(self.setup.queue, Queue(), pod, told.NOW))
        each = [(None, *nodes_of(self.scope, f"n{at + 1}")) for at in range(self.scope.nodes)]
        if self.scope.by_name:
            each[-1] = each[-1][-1:]
        return tuple(
            Requeueing(pod, Places(nodes), Places(bound), Places(nodes), Channel(), queue)
            for nodes in product(*each)
            for bound in product(*(self._bound(f"q{at + 1}", nodes) for at in range(self.scope.assigned)))
        )

    def _bound(self, name: str, nodes: tuple[HintedNode | None, ...]) -> Iterator[HintedPod | None]:
        """No pod of that name, and each that one of the nodes may have."""
        yield None
        for node in filter(None, nodes):
            yield from bound_pods_of(self.scope, name, node.name)

    @cached_property
    def offers(self) -> tuple[Offer[Requeueing], ...]:
        changing = self.scope.nodes - self.scope.by_name
        return (
            self._attempts,
            self._of_handler,
            *(partial(self._changes_of_node, at) for at in range(changing)),
            *(partial(self._changes_of_bound_pod, at) for at in range(self.scope.assigned)),
            self._changes_of_own_pod,
        )

    def ends(self, state: Requeueing) -> bool:
        return state.placed

    def actions(self, state: Requeueing) -> Iterator[Action]:
        if not self.ends(state):
            for offer in self.offers:
                yield from offer(state)

    def _attempts(self, state: Requeueing) -> Iterator[Action]:
        if state.queue.active:
            yield Action("attempt")

    def _of_handler(self, state: Requeueing) -> Iterator[Action]:
        """Nothing changes before the handler is through. The offers below see to that."""
        if state.handler:
            yield Action("handle_node")

    def _changes_of_node(self, at: int, state: Requeueing) -> Iterator[Action]:
        scope, name = self.scope, f"n{at + 1}"
        if not (scope.joins or scope.changes or scope.removals) or state.handler:
            return
        node = state.nodes[at]
        if node is None:
            for number, _ in enumerate(nodes_of(scope, name) if scope.joins else ()):
                yield Action.of("add_node", node=name, number=number)
            return
        for number, _ in enumerate(changes_of(scope, node) if scope.changes else ()):
            yield Action.of("change_node", node=name, number=number)
        if scope.removals and all(pod is None or pod.node_name != name for pod in state.assigned):
            yield Action.of("remove_node", node=name)

    def _changes_of_bound_pod(self, at: int, state: Requeueing) -> Iterator[Action]:
        scope, name = self.scope, f"q{at + 1}"
        if not (scope.assigned_changes or scope.assigned_labels) or state.handler:
            return
        pod = state.assigned[at]
        if pod is None:
            for node in filter(None, state.nodes if scope.assigned_changes else ()):
                for number, _ in enumerate(bound_pods_of(scope, name, node.name)):
                    yield Action.of("bind_pod", pod=name, node=node.name, number=number)
            return
        if scope.assigned_changes:
            yield Action.of("remove_pod", pod=name)
        if scope.assigned_labels and zoned(scope) and not pod.anti_affinity_app:
            yield Action.of("label_pod", pod=name)

    def _changes_of_own_pod(self, state: Requeueing) -> Iterator[Action]:
        scope = self.scope
        if not (scope.own_tolerations or scope.own_labels) or state.handler:
            return
        if scope.own_tolerations and not state.pod.toleration:
            for key, plugin in ((TAINT, TAINT_TOLERATION), (CORDON_TAINT, NODE_UNSCHEDULABLE)):
                if plugin in scope.plugins:
                    yield Action.of("tolerate", key=key)
        if scope.own_labels and labels_of(scope):
            yield Action("label_own")

    def step(self, state: Requeueing, action: Action) -> Requeueing:
        match action.name:
            case "attempt":
                state = self._attempt(state)
            case "handle_node":
                state = told.handle(self.setup, state)
            case "add_node" | "change_node" | "remove_node":
                state = self._change_node(state, action)
            case "tolerate":
                state = self._update(state, toleration=action["key"])
            case "label_own":
                state = self._update(state, labels=() if state.pod.labels else WEB)
            case _:
                state = self._change_bound_pod(state, action)
        return evolve(state, queue=_plain(state.queue))

    def _attempt(self, state: Requeueing) -> Requeueing:
        """Pop; the filters read the cache; the pod is placed, or goes back with the plugins that rejected it."""
        info, queue = queue_functions.pop(self.setup.queue, state.queue)
        plugins = rejected_by(self.rules.base, state.pod, state.cached, state.assigned)
        if plugins is None:
            return evolve(state, queue=done(self.setup.queue, queue, state.pod.uid), placed=True)
        info = evolve(info, unschedulable_plugins=plugins, pending_plugins=frozenset())
        error, queue = queue_functions.add_unschedulable_if_not_present(
            self.setup.queue, queue, info, queue.scheduling_cycle, told.NOW
        )
        assert error is None
        return evolve(state, queue=done(self.setup.queue, queue, state.pod.uid))

    def _change_node(self, state: Requeueing, action: Action) -> Requeueing:
        at = int(action["node"][1:]) - 1
        old = state.nodes[at]
        match action.name:
            case "add_node":
                new = nodes_of(self.scope, action["node"])[action["number"]]
            case "change_node":
                assert old is not None
                new = changes_of(self.scope, old)[action["number"]]
            case _:
                new = None
        handler = Channel(told.of_node(self.setup, old, new))
        state = evolve(state, nodes=state.nodes.put(at, new), handler=handler)
        return state if self.scope.fine else told.handle(self.setup, state)

    def _change_bound_pod(self, state: Requeueing, action: Action) -> Requeueing:
        at = int(action["pod"][1:]) - 1
        old = new = state.assigned[at]
        if action.name == "bind_pod":
            new = list(bound_pods_of(self.scope, action["pod"], action["node"]))[action["number"]]
        elif action.name == "remove_pod":
            new = None
        elif old is not None:
            new = evolve(old, labels=() if old.labels else counted_labels(self.scope))
        return evolve(
            state, assigned=state.assigned.put(at, new), queue=told.of_bound_pod(self.setup, state.queue, old, new)
        )

    def _update(self, state: Requeueing, **changed: object) -> Requeueing:
        new = evolve(state.pod, **changed)
        return evolve(state, pod=new, queue=told.of_own_update(self.setup, state.queue, state.pod, new))

    def errors(self, state: Requeueing, action: Action) -> MetErrors:
        return errors_met(lambda: self.step(state, action))

    def rename(self, state: Requeueing, names: Mapping[str, str]) -> Requeueing:
        return state

    def canonical(self, state: Requeueing, fixed: frozenset[str] = frozenset()) -> Requeueing:
        return state


def _plain(queue: Queue) -> Queue:
    """The queue less times and cycle numbers: nothing backs off, and no attempt goes on between two steps."""
    assert not queue.backoff

    def plain(infos: tuple[QueuedPodInfo, ...]) -> tuple[QueuedPodInfo, ...]:
        return tuple(
            evolve(info, timestamp=0, attempts=0, unschedulable_count=0, consecutive_errors_count=0) for info in infos
        )

    return Queue(active=plain(queue.active), unschedulable=plain(queue.unschedulable))
