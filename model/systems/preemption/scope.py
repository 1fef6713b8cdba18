"""How large the clusters are in which a pod preempts, and what may be special there."""

from attrs import frozen

from model.scope import amount, choice, power, switch


@frozen
class PreemptionScope:
    """Bounds. Every cluster within them is tried."""

    # How many nodes there are. Each is full.
    nodes: int = amount(1, 1, 3)
    # How many pods a node has at most.
    pods: int = amount(2, 1, 5)
    # How many CPUs a pod may ask for.
    cpus: int = amount(2, 1, 3)
    # How many priorities there are below that of the preemptor.
    priorities: int = amount(2, 1, 3)
    # How many disruption budgets there are. A pod may be of any of them.
    budgets: int = power(2)
    # Whether a budget may count a pod as disrupted: an eviction of the pod is under way.
    disrupted: int = switch()
    # Whether a budget may have an empty selector.
    empty_selectors: int = switch()
    # Whether pods have different start times.
    start_times: int = switch()
    # Whether an extender with the verb Preempt may refuse nodes, or fail.
    extenders: int = switch()
    # Whether the extender may also name a node without victims.
    empty_answers: int = switch()
    # Whether PreFilter, or a filter on a node, may say UnschedulableAndUnresolvable.
    unresolvable: int = switch()
    # Whether a plugin may refuse a node in the search, and accept the same node in the dry run.
    unsteady_filters: int = switch()
    # Whether the preemptor may have another QoS class than the other pods.
    qos: int = switch()
    # Whether the preemptor may have an image pull secret without a name.
    unnamed_secrets: int = switch()
    # Whether a pod of lower priority may be terminating on the node to which the preemptor is nominated already.
    terminating: int = switch()
    # Whether the preemptor's preemptionPolicy may be Never.
    never: int = switch()
    # Whether a second pod comes before the disruption controller has seen the victims of the first one go.
    more_pods: int = switch()
    # Whether the API server may refuse a request about a victim: the victim is gone, or the API server is not there.
    refused_requests: int = switch()
    # The order of a node's pods and of their names means nothing. 0: the less important first. 1: the more important.
    turned: int = choice(0, 1)
