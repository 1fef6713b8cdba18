"""One incarnation of a pod in the system scheduling, as bits: what the proofs for any number of pods look at.

Everything else (other pods, other incarnations of the name, nodes, goroutines, events) is environment, which may do
anything that model/systems/scheduling lets it do to this pod: `pod_steps` has the steps. `observe` reads the
bits off a Python state; tests compare its steps with these.
"""

from typing import Any

from attrs import fields, frozen
from z3 import Bool

from model.objects import Pod
from model.scheduler.cache.state import find_pod_state
from model.scheduler.calls import Call
from model.scheduler.eventhandlers import PodNotification
from model.systems.scheduling.records import Goroutine, Scheduling
from model.world.api_server import place
from model.world.events import Listener
from model.world.moves import GO_ON_UPDATING
from properties.scheduling.view import goroutines
from properties.smt.bits import Bit, any_of

# A binding is still to be posted as long as the cycle has assumed the pod, or its goroutine is before the request.
TO_BIND = ("delete_nominated_pod", "bind")


@frozen(kw_only=True)
class Observed:
    """What is observed of one incarnation of a pod."""

    # The API server's object. No bit is set before the pod is created.
    pending: Bit
    bound: Bit
    gone: Bit
    # The pending object is being deleted, and its finalizers keep it: no Binding binds the pod any more.
    terminating: Bit
    # The object in the informer's store.
    listed_pending: Bit
    listed_bound: Bit
    listed_gone: Bit
    # The store has another incarnation with the same name.
    namesake_pending: Bit
    namesake_bound: Bit
    # The handler of unassigned pods (from 1.35 on that of all pods) has still to hear of a version that is not bound.
    coming: Bit
    # It has still to hear that the pod is bound or gone.
    leaving: Bit
    # nominatedPodToNode has the pod.
    filed: Bit
    # The node in nominatedPodToNode lists the pod; another node lists the pod.
    there: Bit
    elsewhere: Bit
    # The podState of the cache.
    assumed: Bit
    added: Bit
    # A goroutine has still to post a Binding of the pod; a second goroutine has too.
    binds: Bit
    second_bind: Bit
    # A goroutine has still to forget the pod; a second goroutine has too.
    undoes: Bit
    second_undo: Bit
    # The scheduling cycle is of this pod, and is past the check whether the pod is assumed.
    placing: Bit

    @classmethod
    def fresh(cls, tag: str = "") -> "Observed":
        return cls(**{field.name: Bool(field.name + tag) for field in fields(cls)})

    def of(self, model: Any) -> "Observed":
        """The bits as they are in a model."""
        names = [field.name for field in fields(Observed)]
        return Observed(**{name: bool(model.eval(getattr(self, name), model_completion=True)) for name in names})

    @property
    def created(self) -> Bit:
        return any_of(self.pending, self.bound, self.gone)

    @property
    def listed(self) -> Bit:
        """The store has had the pod, or passed it over."""
        return any_of(self.listed_pending, self.listed_bound, self.listed_gone)

    @property
    def deleted(self) -> Bit:
        """The pod is gone, or goes without being bound."""
        return any_of(self.terminating, self.gone)

    @property
    def nominated(self) -> Bit:
        """Some node's list has the pod."""
        return any_of(self.there, self.elsewhere)

    @property
    def cached(self) -> Bit:
        return any_of(self.assumed, self.added)


def observe(state: Scheduling, name: str, incarnation: int) -> Observed:
    """The bits of the pod with UID name#incarnation in a Python state."""
    uid, at = f"{name}#{incarnation}", place(name)
    live, listed = state.pods[at], state.lister[at]
    created = state.incarnations[at] >= incarnation
    here = live is not None and live.uid == uid
    shown = listed is not None and listed.uid == uid
    to_come = any(event.kind != "delete" and event.pod.uid == uid for event in state.pod_watch)
    where = state.queue.nominator.node_of(uid)
    lists = [node for node, pods in state.queue.nominator.nominated_pods for pod in pods if pod.uid == uid]
    cached = find_pod_state(state.cache, uid)
    mine = [g for g in goroutines(state) if g.pod.uid == uid]
    binding = sum(g.steps[0] in TO_BIND for g in mine)
    undoing = sum("forget_pod" in g.steps for g in mine)
    namesake = listed is not None and not shown
    return Observed(
        pending=here and not _node_of(live),
        bound=here and bool(_node_of(live)),
        gone=created and not here,
        terminating=here and live is not None and live.terminating and not live.node_name,
        listed_pending=shown and not _node_of(listed),
        listed_bound=shown and bool(_node_of(listed)),
        listed_gone=created and not shown and not to_come,
        namesake_pending=namesake and not _node_of(listed),
        namesake_bound=namesake and bool(_node_of(listed)),
        coming=any(_hears(listener, uid, new=True) for listener in (state.unassigned, state.handler)),
        leaving=any(_hears(listener, uid, new=False) for listener in (state.unassigned, state.handler)),
        filed=where is not None,
        there=where in lists,
        elsewhere=any(node != where for node in lists) or len(lists) > len(set(lists)),
        assumed=cached is not None and cached.assumed,
        added=cached is not None and not cached.assumed,
        binds=binding > 0,
        second_bind=binding > 1,
        undoes=undoing > 0,
        second_undo=undoing > 1,
        placing=_places(state.cycle, uid),
    )


def _node_of(pod: Pod | None) -> str:
    return "" if pod is None else pod.node_name


def _places(cycle: Goroutine | None, uid: str) -> bool:
    return cycle is not None and cycle.pod.uid == uid and cycle.steps[0] != "schedule"


def _hears(listener: Listener, uid: str, new: bool) -> bool:
    """A notification to come, or the calls in hand, bring a pending version (`new`) or take the last one away."""
    if any(_brings(n, uid) if new else _takes(n, uid) for n in listener.pending):
        return True
    return any(_calls_with(call, uid, new) for call in listener.calls)


def _is_pending(pod: Pod | None, uid: str) -> bool:
    return pod is not None and pod.uid == uid and not pod.node_name


def _brings(notification: PodNotification, uid: str) -> bool:
    return _is_pending(notification.new, uid)


def _takes(notification: PodNotification, uid: str) -> bool:
    return _is_pending(notification.old, uid) and not _is_pending(notification.new, uid)


def _calls_with(call: Call, uid: str, new: bool) -> bool:
    if call.component != "queue" or call.function not in ("add", "update", GO_ON_UPDATING, "delete"):
        return False
    last = call.args[-1].uid == uid
    if call.function == "delete":
        # Of a bound version where the informer missed the delete, which is deleted from the cache and the queue.
        return last and not new and not _node_of(call.args[-1])
    return last if new else call.function in ("update", GO_ON_UPDATING) and call.args[0].uid == uid and not last
