"""The bounds of the system queueing-hints: how much there is of everything, and which powers the environment has.

Every power is a number of times, or a switch (0 or 1), and is off unless the scope names it.
"""

from attrs import frozen

from model.scope import amount, choice, power, switch

# The values of `gate`.
GATE_DEFAULT, GATE_ON, GATE_OFF = 0, 1, 2


@frozen
class QueueingHintsScope:
    """What there is, and what may happen in a run."""

    # --- how much there is

    # Pod names. Each pod is created once.
    pods: int = amount(1, 1, 4)
    # Plugins that reject every pod as long as a condition of the cluster does not hold. At the start none holds.
    plugins: int = power(3)
    # How many binding goroutines of one pod may be under way at a time. A pod with so many is not popped. Go knows no
    # such bound, but without one there are infinitely many states.
    goroutines: int = amount(1, 1, 3)
    # While the informer lags, a pod that is deleted or bound already is tried again and again: the API server refuses
    # each Binding, and each time an event comes. If another cycle runs meanwhile, there are infinitely many states.
    # With a bound, a Binding that will be refused waits until the informer has heard of the pod, once a cycle has
    # lived through so many events, or the queue keeps so many. 0: no such bound.
    stale_binds: int = amount()
    # The gate SchedulerQueueingHints: 0 as the release has it, 1 on, 2 off (`--feature-gates`).
    gate: int = choice(GATE_DEFAULT, GATE_ON, GATE_OFF)

    # The gate SchedulerPopFromBackoffQ, which is there from 1.33 on, on a release that has it: 0 on, 2 off.
    pop_from_backoff: int = choice(GATE_DEFAULT, GATE_OFF)

    # --- how often something may happen in a run

    # The condition of a plugin comes to hold, or holds no more. The plugin waits for the event that tells so.
    changes: int = power()
    # An event comes that a plugin waits for, and no condition has changed.
    events: int = power()
    # An event comes that no plugin waits for.
    uninteresting: int = power()
    # An annotation of a pod changes.
    updates: int = power()
    # A pod comes to tolerate the taint that all nodes have. Without the power there is no such taint.
    tolerations: int = power()
    # A bound pod of others comes, changes its labels, or goes. A pod may ask to be beside the other pod.
    assigned: int = power()
    # The object of an event is one that the hint functions of plugins answer an error of.
    hint_errors: int = power()
    # A user deletes a pod.
    deletes: int = power()
    # A deleted pod is created again, with the same name and a new UID.
    recreates: int = power()
    # The informer delivers an object again, unchanged.
    resyncs: int = power()
    # The watch of the pods breaks: events on their way are lost, and a new list is compared with the store.
    relists: int = power()
    # An attempt fails by an error, not by a plugin's rejection.
    errors: int = power()
    # The pod's scheduler name is that of no profile.
    unknown_profiles: int = power()
    # A binding waits at Permit until a plugin allows or rejects the pod.
    permits: int = power()
    # A pod is created with a scheduling gate, which somebody takes off.
    gates: int = power()
    # The ResourceClaims that every pod names come, or go. At the start there are none. As long as there are none,
    # DynamicResources holds each pod back in PreEnqueue.
    claims: int = power()
    # The ResourceClaims are allocated, or are so no more. At the start they are not. As long as they are not,
    # DynamicResources leaves each pod pending in Reserve.
    pending: int = power()
    # A plugin that accepts a pod asks for another pod to be tried at once (`PodsToActivate`).
    activations: int = power()
    # PreBind fails, or the Binding is refused.
    bind_errors: int = power()
    # A binding is done, and its answer is lost.
    lost_replies: int = power()

    # --- switches: 0 or 1

    # A pod that is deleted terminates first, bound or not: a finalizer keeps the pod.
    graceful: int = switch()
    # Time passes, and pods back off. Without the clock all backoffs are 0, which kube-scheduler does not take: then a
    # failed pod may be popped before whoever hands the pod back has left the lock of the queue. The windows of a second
    # that backoffs end with from 1.33 on are one moment here. All pods have one priority, so Pop takes the same pod.
    clock: int = switch()
    # With `clock`: flushUnschedulablePodsLeftover runs.
    flush: int = switch()
    # Conditions are those of one node. The first plugin that rejects a pod ends the filters. Each plugin waits for the
    # Node events that its `EventsToRegister` names in the release, and that the scheduler adds (#109437).
    # `preCheckForNode` keeps an event of the node from pods, up to 1.31, and with the gate off up to 1.33.
    pre_check: int = switch()
    # Each handler of pods may lag behind the informer's store.
    listeners: int = switch()
    # Each hold of a lock is an action of its own. Say `clock` too: see `clock`.
    fine: int = switch()
    # 1: what one update of a pod may change it changes at once: its annotations, the toleration that it may come to
    # have, the gate that it may lose.
    together: int = choice(0, 1)
    # The order of UIDs means nothing. 1: a pod that is created again has the smaller one.
    turned: int = choice(0, 1)

    @property
    def expiry(self) -> int:
        """From 1.23 on an assumed pod never expires unless a flag says so."""
        return 0
