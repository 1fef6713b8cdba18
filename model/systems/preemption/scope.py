"""How large the clusters are in which a pod preempts, and what may be special there."""

from attrs import field, frozen
from attrs.validators import ge, in_, le


def _switch() -> int:
    """A power that is off, which 1 switches on."""
    number: int = field(default=0, validator=in_((0, 1)))
    return number


@frozen
class PreemptionScope:
    """Bounds. Every cluster within them is tried."""

    # How many nodes there are. Each is full.
    nodes: int = field(default=1, validator=[ge(1), le(3)])
    # How many pods a node has at most.
    pods: int = field(default=2, validator=[ge(1), le(5)])
    # How many CPUs a pod may ask for.
    cpus: int = field(default=2, validator=[ge(1), le(3)])
    # How many priorities there are below that of the preemptor.
    priorities: int = field(default=2, validator=[ge(1), le(3)])
    # How many disruption budgets there are. A pod may be of any of them.
    budgets: int = field(default=0, validator=[ge(0), le(2)])
    # Whether a budget may count a pod as disrupted: an eviction of the pod is under way.
    disrupted: int = _switch()
    # Whether a budget may have an empty selector.
    empty_selectors: int = _switch()
    # Whether pods have different start times.
    start_times: int = _switch()
    # Whether an extender with the verb Preempt may refuse nodes, or fail.
    extenders: int = _switch()
    # Whether the extender may also name a node without victims.
    empty_answers: int = _switch()
    # Whether PreFilter, or a filter on a node, may say UnschedulableAndUnresolvable.
    unresolvable: int = _switch()
    # Whether a plugin may refuse a node in the search, and accept the same node in the dry run.
    unsteady_filters: int = _switch()
    # Whether the preemptor may have another QoS class than the other pods.
    qos: int = _switch()
    # Whether the preemptor may have an image pull secret without a name.
    unnamed_secrets: int = _switch()
    # Whether a pod of lower priority may be terminating on the node to which the preemptor is nominated already.
    terminating: int = _switch()
    # Whether the preemptor's preemptionPolicy may be Never.
    never: int = _switch()
    # Whether a second pod comes before the disruption controller has seen the victims of the first one go.
    more_pods: int = _switch()
    # Whether the API server may refuse a request about a victim: the victim is gone, or the API server is not there.
    refused_requests: int = _switch()
