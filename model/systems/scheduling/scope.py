"""The bounds of the system scheduling: how much there is of everything, and which powers the environment has.

Every power is a number of times, or a switch (0 or 1), and is off unless the scope names it.
"""

from attrs import field, frozen
from attrs.validators import ge, in_, le

_SWITCH = in_((0, 1))


def _times() -> int:
    return field(default=0, validator=[ge(0), le(9)])


@frozen
class SchedulingScope:
    """What there is and what may happen.

    `pods`: pod names; each is created once. `high`: how many of them have the higher priority. `nodes`: node names.
    `room`: pods that fit on a node. `late_nodes`: nodes that are not there at the start. `goroutines`: of one pod, the
    binding goroutines and retries of earlier attempts that may be under way at a time. While there are as many it is
    not popped; Go knows no such bound, so without one there are infinitely many states.

    Powers, each a number of times in a run: `updates` (an annotation of a pod changes), `finalizers` (its finalizers
    change), `labels` (its labels change), `deletes` (a user deletes a pod), `recreates` (a deleted pod is created
    again under its name, with a new UID), `resyncs` (the informer delivers an object again, unchanged), `relists` (the
    pods' watch breaks: events on their way are lost, and a new list is compared with the store), `node_deletes`,
    `node_adds`, `lost_replies` (a binding is done, its answer is lost), `bind_errors` (a binding is refused),
    `other_binders` (another scheduler binds a pod).

    Switches: `heartbeats` (a node's status is written again and again, as kubelets do), `extender` (there is one, which
    the rule `extender_filter` describes), `preemption`, `clock` (time passes and pods back off; without it backoffs
    are 0), `flush` (with `clock`: flushUnschedulableQLeftover runs), `expiry` (with `clock`: assumed pods expire),
    `graceful` (a bound pod that is deleted terminates first), `listeners` (the two pod handlers lag behind the
    informer's store, each on its own), `fine` (every hold of a lock is an action of its own), `keep_snapshot` (the
    snapshot is updated from the last one, not taken afresh).
    """

    pods: int = field(default=2, validator=[ge(1), le(6)])
    high: int = field(default=0, validator=[ge(0), le(6)])
    nodes: int = field(default=1, validator=[ge(1), le(6)])
    room: int = field(default=1, validator=[ge(1), le(9)])
    goroutines: int = field(default=2, validator=[ge(1), le(9)])
    late_nodes: int = _times()
    updates: int = _times()
    finalizers: int = _times()
    labels: int = _times()
    deletes: int = _times()
    recreates: int = _times()
    resyncs: int = _times()
    relists: int = _times()
    node_deletes: int = _times()
    node_adds: int = _times()
    lost_replies: int = _times()
    bind_errors: int = _times()
    other_binders: int = _times()
    heartbeats: int = field(default=0, validator=_SWITCH)
    extender: int = field(default=0, validator=_SWITCH)
    preemption: int = field(default=0, validator=_SWITCH)
    clock: int = field(default=0, validator=_SWITCH)
    flush: int = field(default=0, validator=_SWITCH)
    expiry: int = field(default=0, validator=_SWITCH)
    graceful: int = field(default=0, validator=_SWITCH)
    listeners: int = field(default=0, validator=_SWITCH)
    fine: int = field(default=0, validator=_SWITCH)
    keep_snapshot: int = field(default=0, validator=_SWITCH)

    def __attrs_post_init__(self) -> None:
        if self.high > self.pods:
            raise ValueError(f"high={self.high} pods of higher priority: there are only {self.pods} pods")
        if self.late_nodes > self.nodes:
            raise ValueError(f"late_nodes={self.late_nodes}: there are only {self.nodes} nodes")
