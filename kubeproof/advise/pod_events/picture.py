"""What is known of a cluster from kubectl's lists: pods, nodes, and the events that this command goes by."""

from datetime import timedelta

from attrs import field, frozen

from kubeproof.advise.pod_events.fields import Moment

TERMINAL = ("Succeeded", "Failed")


@frozen
class Condition:
    """A pod's PodScheduled condition. `since`: its last transition; the message may be of a later attempt."""

    status: str
    reason: str
    message: str
    since: Moment | None


@frozen
class Pod:
    """`node`: spec.nodeName, or ''. `nominated`: status.nominatedNodeName, or ''. `requests`: as the scheduler counts.

    `constraints`: what else than resources, taints and node labels may keep it off a node, in words. `finished`: when
    its last container ended. `nominated_written`: when the scheduler last wrote its nomination, by managedFields.
    """

    namespace: str
    name: str
    uid: str
    node: str = ""
    nominated: str = ""
    phase: str = ""
    priority: int = 0
    scheduler: str = "default-scheduler"
    version: int = 0
    deleting: bool = False
    created: Moment | None = None
    scheduled: Condition | None = None
    finished: Moment | None = None
    nominated_written: Moment | None = None
    requests: tuple[tuple[str, int], ...] = ()
    selector: tuple[tuple[str, str], ...] = ()
    tolerations: tuple[tuple[str, str, str, str], ...] = ()
    constraints: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def terminal(self) -> bool:
        """It has ended, and takes no room."""
        return self.phase in TERMINAL

    @property
    def pending(self) -> bool:
        """It waits for a node."""
        return not self.node and not self.terminal and not self.deleting


@frozen
class Node:
    """`allocatable` in the scheduler's units. `taints`: key, value and effect of those that keep pods off."""

    name: str
    created: Moment | None = None
    unschedulable: bool = False
    allocatable: tuple[tuple[str, int], ...] = ()
    taints: tuple[tuple[str, str, str], ...] = ()
    labels: dict[str, str] = field(factory=dict, eq=False)


@frozen
class Event:
    """An event about one object. `first` and `last`: its occurrences; `count`: how many, as far as it was written.

    `by`: the component that reports it, `instance` of it; '' where the event does not say. `related`: the uid of the
    pod that it is about as well. `message` is that of the last occurrence, or, if `series`, of the first.
    """

    reason: str
    kind: str
    namespace: str
    name: str
    uid: str
    message: str
    first: Moment | None
    last: Moment | None
    count: int = 1
    series: bool = False
    by: str = ""
    instance: str = ""
    host: str = ""
    related: str = ""


@frozen
class Picture:
    """`pods` and `nodes`: None where no such list was given. `events`: those that count here; `events_read`: all.

    `events_given`: a list of them was given, if only an empty one. `whole_nodes`: the nodes came as a list, not one by
    one. `passed_over`: how many objects of other kinds there were. `until`: the newest time in pods and nodes.
    """

    files: tuple[str, ...] = ()
    pods: tuple[Pod, ...] | None = None
    nodes: tuple[Node, ...] | None = None
    events: tuple[Event, ...] = ()
    events_given: bool = False
    events_read: int = 0
    whole_nodes: bool = False
    passed_over: int = 0
    until: Moment | None = None

    @property
    def by_uid(self) -> dict[str, Pod]:
        return {pod.uid: pod for pod in self.pods or ()}

    @property
    def namespaces(self) -> frozenset[str]:
        return frozenset(pod.namespace for pod in self.pods or ())


def seconds_text(later: Moment, earlier: Moment) -> str:
    """How much later, for people: 2 s, 5 min, 3 h."""
    if later.exact != earlier.exact:
        later, earlier = (Moment(each.at.replace(microsecond=0)) for each in (later, earlier))
    apart = later.at - earlier.at
    if apart < timedelta(seconds=1):
        return f"{apart / timedelta(milliseconds=1):.0f} ms"
    if apart < timedelta(minutes=2):
        return f"{apart.total_seconds():.0f} s"
    if apart < timedelta(hours=2):
        return f"{apart / timedelta(minutes=1):.0f} min"
    return f"{apart / timedelta(hours=1):.0f} h"
