"""The bounds of the system scheduling: how much there is of everything, and which powers the environment has.

Every power is a number of times, or a switch (0 or 1), and is off unless the scope names it.
"""

from attrs import frozen

from model.scope import amount, choice, power, switch
from model.world import start


@frozen
class SchedulingScope:
    """What there is, and what may happen in a run."""

    # --- how much there is

    # Pod names. Each pod is created once.
    pods: int = amount(2, 1, 6)
    # How many of the pods, the first, have the higher priority.
    high: int = power(6)
    # How many of the pods of higher priority, the first, have a priority that is higher still.
    top: int = power(6)
    # How many of the pods, the last, ask for twice as much CPU as the others.
    big: int = power(6)
    # Node names.
    nodes: int = amount(1, 1, 6)
    # In how many zones the nodes are, the first nodes in the first zone; 0: nodes have no zone labels, and are in one.
    node_zones: int = power(6)
    # How many pods fit on a node, if they are not big.
    room: int = amount(1, 1)
    # How many binding goroutines and retries of earlier attempts of one pod may be under way at a time. A pod with so
    # many is not popped. Go knows no such bound, but without one there are infinitely many states.
    goroutines: int = amount(2, 1)
    # Where a rule from outside may read the attempts of a pod, they count up to this number, which also stands for all
    # higher ones; 0: up to 3. The rules of the releases tell no more apart than the model keeps.
    attempts: int = amount()
    # How many of the nodes are not there at the start.
    late_nodes: int = power()
    # How many of the pods, the last, are bound when the scheduler starts. The store of its informer has them, and the
    # handlers still have to hear of them.
    bound_at_start: int = power(6)

    # --- how often something may happen in a run

    # An annotation of a pod changes.
    updates: int = power()
    # The finalizers of a pod change.
    finalizers: int = power()
    # The labels of a pod change.
    labels: int = power()
    # A big pod that is pending asks for as much CPU as the others from now on. The API server takes such an update with
    # InPlacePodVerticalScaling, which is there from 1.27 on and on by default from 1.33 on.
    shrinks: int = power()
    # A pod asks for more from now on, by what a small pod asks for, where InPlacePodVerticalScaling is on by default: a
    # pod that is pending in any case, a bound pod if its kubelet has the room. A resize that the kubelet puts off or
    # refuses is not made.
    resizes: int = power()
    # A user deletes a pod.
    deletes: int = power()
    # A deleted pod is created again, with the same name and a new UID.
    recreates: int = power()
    # The informer delivers an object again, unchanged.
    resyncs: int = power()
    # The watch of the pods breaks: events on their way are lost, and a new list is compared with the store.
    relists: int = power()
    # A node is deleted.
    node_deletes: int = power()
    # A deleted node is added again.
    node_adds: int = power()
    # The allocatable CPU of a node grows by what a small pod asks for.
    node_grows: int = power()
    # The allocatable CPU of a node shrinks by as much, whatever runs there.
    node_shrinks: int = power()
    # A node is cordoned, or uncordoned again.
    cordons: int = power()
    # A binding is done, and its answer is lost.
    lost_replies: int = power()
    # A binding is refused.
    bind_errors: int = power()
    # Another scheduler binds a pod.
    other_binders: int = power()
    # A second scheduler, with informers, queue, cache and cycles of its own, by the rules of the same release. 1: a
    # replica that leads too, and every pod is of both. 2: it has another name, which every second pod has.
    second: int = power(2)

    # --- switches: 0 or 1

    # The status of a node is written again and again, as kubelets do.
    heartbeats: int = switch()
    # There is an extender. The rule `extender_filter` describes it.
    extender: int = switch()
    # A pod that fits on no node may preempt others.
    preemption: int = switch()
    # On every node runs a pod of others whose required anti-affinity keeps pods with the label app=1 away. The first
    # change of a pod's labels gives the pod this label, the second takes the label away.
    anti_affinity: int = switch()
    # Time passes, and pods back off. Without the clock all backoffs are 0.
    clock: int = switch()
    # With `clock`: flushUnschedulableQLeftover runs.
    flush: int = switch()
    # With `clock`: assumed pods expire.
    expiry: int = switch()
    # A bound pod that is deleted terminates first.
    graceful: int = switch()
    # A pod with finalizers that is deleted terminates until its finalizers are gone. Without the switch the finalizers
    # keep nothing.
    blocked_deletes: int = switch()
    # Each of the two pod handlers may lag behind the informer's store.
    listeners: int = switch()
    # Each hold of a lock is an action of its own.
    fine: int = switch()
    # A controller makes each pod again that is gone, as often as that happens. UIDs that nobody knows any more are
    # given anew, so that there are finitely many states.
    controllers: int = switch()
    # 1: what one update of an object may change it changes at once. An update of a pod's annotations, labels or
    # finalizers changes all three, and a node whose CPU changes is cordoned, or uncordoned, as well.
    together: int = choice(0, 1)
    # The order of names and UIDs means nothing. 1: it is the other one. A pod that is created again has the smaller
    # UID; the pods of higher priority are the last ones, and the big ones the first.
    turned: int = choice(0, 1)
    # A snapshot is updated from the last one. Without this switch each snapshot is taken anew.
    keep_snapshot: int = switch()

    def __attrs_post_init__(self) -> None:
        if self.high > self.pods:
            raise ValueError(f"high={self.high} pods of higher priority: there are only {self.pods} pods")
        if self.top > self.high:
            raise ValueError(f"top={self.top} pods of the highest priority: only {self.high} have a higher one")
        if self.big > self.pods:
            raise ValueError(f"big={self.big} big pods: there are only {self.pods} pods")
        if self.late_nodes > self.nodes:
            raise ValueError(f"late_nodes={self.late_nodes}: there are only {self.nodes} nodes")
        if self.bound_at_start >= self.pods:
            raise ValueError(
                f"bound_at_start={self.bound_at_start} of {self.pods} pods: expected one that is not bound"
            )
        if self.bound_at_start and (self.fine or not self.listeners):
            raise ValueError(f"bound_at_start={self.bound_at_start} bound pods: expected listeners=1 and fine=0 too")
        if self.bound_at_start and self.late_nodes:
            raise ValueError(f"bound_at_start={self.bound_at_start} bound pods: expected late_nodes=0")
        if self.second and (self.fine or self.clock or self.heartbeats or self.bound_at_start):
            raise ValueError(f"second={self.second}: expected fine, clock, heartbeats and bound_at_start to be 0")
        if self.controllers and self.turned:
            raise ValueError("controllers=1: expected turned=0, as UIDs are given anew in ascending order")
        start.pods_at_start(self)
