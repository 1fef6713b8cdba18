"""What a kubelet says of a pod that it does not admit: status.reason of the pod, and the reason of its event.

Go: `Admit` of pkg/kubelet/lifecycle/predicate.go (OutOf…, the names of predicates), of the topology, CPU and device
managers in pkg/kubelet/cm, and `rejectPod` in pkg/kubelet/kubelet.go, which sets the phase to Failed.
"""

import re
from typing import Literal

from attrs import frozen

from kubeproof.advise.pod_events.picture import Event, Pod

# What the kubelet misses: room that the scheduler saw; a label, a port, a name; something that no scheduler looks at.
Missing = Literal["room", "match", "own"]

ROOM = "OutOf"
# The first names are those of plugins (1.20 on), the second those of predicates.
_MATCH = (
    "NodeAffinity", "NodeName", "NodePorts", "NodeUnschedulable", "TaintToleration",
    "MatchNodeSelector", "HostName", "PodFitsHostPorts", "PodToleratesNodeTaints", "PodOSSelectorNodeLabelDoesNotMatch",
)  # fmt: skip
_OWN = (
    "UnexpectedAdmissionError", "TopologyAffinityError", "SMTAlignmentError", "InvalidNodeInfo", "UnknownReason",
    "UnexpectedPredicateFailureType", "PodOSNotSupported", "InitContainerRestartPolicyForbidden",
    "SupplementalGroupsPolicyNotSupported", "SysctlForbidden",
)  # fmt: skip
_AMOUNTS = re.compile(r"requested: (\d{1,20}), used: (\d{1,20}), capacity: (\d{1,20})", re.ASCII)


@frozen
class Amounts:
    """What a kubelet counted of the resource that is short, in the units of the scheduler."""

    requested: int
    used: int
    capacity: int


def missing(reason: str) -> Missing | None:
    """What the kubelet misses that gives this reason; None: no kubelet rejects a pod with this reason."""
    if reason.startswith(ROOM) and len(reason) > len(ROOM):
        return "room"
    return "match" if reason in _MATCH else "own" if reason in _OWN else None


def is_rejection(event: Event) -> bool:
    """Whether a kubelet says by this event that it does not admit the pod."""
    return event.by == "kubelet" and event.kind == "Pod" and missing(event.reason) is not None


def rejected(pod: Pod) -> bool:
    """Whether a kubelet has rejected the pod, by its status."""
    return pod.phase == "Failed" and bool(pod.node) and missing(pod.reason) is not None


def amounts_in(message: str) -> Amounts | None:
    """The amounts that a message of OutOf… has."""
    found = _AMOUNTS.search(message)
    return None if found is None else Amounts(*(int(each) for each in found.groups()))
