"""The bounds of the system requeueing: which plugins decide, what there is, and what may change.

Each power is a switch (0 or 1), and is off unless the scope names the power. Nothing bounds how often a change comes.
"""

from attrs import field, frozen
from attrs.validators import ge, in_, le

from model.scheduler.filters import FILTERS

_SWITCH = in_((0, 1))


@frozen
class RequeueingScope:
    """What there is, and what may change."""

    # The plugins that may reject the pod: names in `FILTERS`. Only what these look at differs from node to node.
    plugins: frozenset[str] = field()
    # The gate SchedulerQueueingHints.
    gate: int = field(default=1, validator=_SWITCH)
    # Nodes that may be there.
    nodes: int = field(default=2, validator=[ge(1), le(3)])
    # With InterPodAffinity, the terms. Other pods' anti-affinity rejects the pod (0); the pod's own affinity asks for
    # other pods (1), or for pods like the pod itself (2); its own anti-affinity rejects other pods (3).
    terms: int = field(default=0, validator=[ge(0), le(3)])
    # The pod asks for nodes by name and not by a label. The last node of the scope is none of these. This node is
    # always there, and never changes.
    by_name: int = field(default=0, validator=_SWITCH)
    # Between two holds of a lock of a handler the pod may be tried.
    fine: int = field(default=0, validator=_SWITCH)
    # Nodes join.
    joins: int = field(default=0, validator=_SWITCH)
    # Nodes change, one property at a time.
    changes: int = field(default=0, validator=_SWITCH)
    # Nodes go, but none with a bound pod.
    removals: int = field(default=0, validator=_SWITCH)
    # Bound pods that may be there at the beginning.
    assigned: int = field(default=0, validator=[ge(0), le(2)])
    # They come and go.
    assigned_changes: int = field(default=0, validator=_SWITCH)
    # Their labels change.
    assigned_labels: int = field(default=0, validator=_SWITCH)
    # The pod gets a toleration of what a plugin of the scope rejects.
    own_tolerations: int = field(default=0, validator=_SWITCH)
    # The pod loses or gets the labels that its own constraint counts.
    own_labels: int = field(default=0, validator=_SWITCH)

    @plugins.validator
    def _known(self, attribute: object, value: frozenset[str]) -> None:
        unknown = sorted(value - set(FILTERS))
        if unknown or not value:
            raise ValueError(f"not plugins: {', '.join(unknown)}; expected some of {', '.join(FILTERS)}")
