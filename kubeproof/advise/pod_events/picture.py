"""What kubectl's lists say of a cluster: pods, nodes, and the events that this command uses."""

from datetime import timedelta

from attrs import evolve, frozen

from kubeproof.advise.kubectl import Node
from kubeproof.advise.pod_events.fields import Moment
from kubeproof.bugs.signature import Signature
from model.scheduler.pod_requests import PodRequests, PodResources

TERMINAL = ("Succeeded", "Failed")


@frozen
class Condition:
    """The PodScheduled condition of a pod."""

    status: str
    reason: str
    # May be of an attempt after `since`.
    message: str
    # The last transition.
    since: Moment | None


@frozen
class Pod:
    """A pod of a real cluster."""

    namespace: str
    name: str
    uid: str
    # spec.nodeName, or "".
    node: str = ""
    # status.nominatedNodeName, or "".
    nominated: str = ""
    phase: str = ""
    priority: int = 0
    scheduler: str = "default-scheduler"
    # metadata.resourceVersion, if it is a number.
    version: int = 0
    # metadata.deletionTimestamp: when the pod should be gone, its grace period included.
    deleted: Moment | None = None
    created: Moment | None = None
    # status.reason and status.message: of a pod that a kubelet rejected, why.
    reason: str = ""
    message: str = ""
    # Whether the pod comes from a file of the kubelet: the annotation kubernetes.io/config.mirror says so.
    mirror: bool = False
    # How the containers of a pod of a scheduler do, in words; "" of any other pod.
    runs: str = ""
    # The names of spec.schedulingGates.
    gates: tuple[str, ...] = ()
    # The PodScheduled condition.
    scheduled: Condition | None = None
    # When the last container ended.
    finished: Moment | None = None
    # When the scheduler last wrote the nomination, by managedFields.
    nominated_written: Moment | None = None
    # What decides about the requests, and these, as a release computes them (see `requested_in`): each resource and its
    # amount, in the scheduler's units.
    resources: PodResources = PodResources()
    requests: tuple[tuple[str, int], ...] = ()
    # spec.nodeSelector.
    selector: tuple[tuple[str, str], ...] = ()
    # Key, operator, value and effect of each toleration.
    tolerations: tuple[tuple[str, str, str, str], ...] = ()
    # What else may keep the pod off a node, in words: not resources, taints or node labels.
    constraints: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def deleting(self) -> bool:
        return self.deleted is not None

    @property
    def terminal(self) -> bool:
        """Whether the pod has ended. Such a pod takes no room."""
        return self.phase in TERMINAL

    @property
    def pending(self) -> bool:
        """Whether the pod waits for a node."""
        return not self.node and not self.terminal and not self.deleting


@frozen
class Event:
    """An Event object of the API server, about one object."""

    reason: str
    # The object: its kind, namespace, name and uid.
    kind: str
    namespace: str
    name: str
    uid: str
    # The message of the last occurrence; in a series, that of the first.
    message: str
    # The first and the last occurrence, and how many were written.
    first: Moment | None
    last: Moment | None
    count: int = 1
    series: bool = False
    # The component that reports the event, its instance, and its host; "" if the event does not say.
    by: str = ""
    instance: str = ""
    host: str = ""
    # The uid of a second pod that the event is about, or "".
    related: str = ""
    # Whether a line of a scheduler's log says so, and no Event object.
    logged: bool = False


@frozen
class SignedLine:
    """A line of a log with an error text that is a signature of bugs."""

    at: Moment | None
    # Namespace/name, or "".
    pod: str
    text: str
    signatures: tuple[Signature, ...]


@frozen
class AttemptLog:
    """What a log of a scheduler says."""

    file: str
    # The times of the first and the last line that has one.
    begins: Moment | None
    ends: Moment | None
    # Scheduled, FailedScheduling and Preempted, with the name of the pod and without a uid.
    events: tuple[Event, ...]
    # Namespace/name of each pod that was tried: when last, and how often.
    tried: dict[str, tuple[Moment | None, int]]
    # The pods of which the scheduler has heard that they wait.
    heard: frozenset[str]
    # The lease that the process asks for, or "", when it got it, and when it lost it.
    lease: str
    leads: tuple[Moment, ...]
    lost: tuple[Moment, ...]
    # What the process said as it ended, or "".
    last_words: str
    signed: tuple[SignedLine, ...]


@frozen
class Picture:
    """All that the files say of a cluster."""

    files: tuple[str, ...] = ()
    # None: no such list was given.
    pods: tuple[Pod, ...] | None = None
    nodes: tuple[Node, ...] | None = None
    # The events that this command uses.
    events: tuple[Event, ...] = ()
    logs: tuple[AttemptLog, ...] = ()
    # Whether a list of events was given, also an empty one, and how many events it had.
    events_given: bool = False
    events_read: int = 0
    # The oldest time of an event.
    events_from: Moment | None = None
    # Whether the nodes came as a list, not one by one.
    whole_nodes: bool = False
    # How many objects of other kinds there were.
    passed_over: int = 0
    # The newest time in the files.
    until: Moment | None = None
    # The same without the times of nodes that were made or changed: how long a pod waits is not told by these alone.
    now: Moment | None = None
    # Whether anything tells of the cluster at work: an event, a condition of a pod, a heartbeat, a line of a log.
    at_work: bool = False

    def requested_in(self, computed: PodRequests) -> "Picture":
        """The picture with the requests of each pod as a release computes them."""
        if self.pods is None:
            return self
        asked = (computed.on_node(p.resources) if p.node else computed.of_tried(p.resources) for p in self.pods)
        pods = (evolve(p, requests=tuple(sorted(of.items()))) for p, of in zip(self.pods, asked, strict=True))
        return evolve(self, pods=tuple(pods))

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
    return duration_text(later.at - earlier.at)


def duration_text(apart: timedelta) -> str:
    """A duration for people, as `seconds_text` has it."""
    if apart < timedelta(seconds=1):
        return f"{apart / timedelta(milliseconds=1):.0f} ms"
    if apart < timedelta(minutes=2):
        return f"{apart.total_seconds():.0f} s"
    if apart < timedelta(hours=2):
        return f"{apart / timedelta(minutes=1):.0f} min"
    if apart < timedelta(days=3):
        return f"{apart / timedelta(hours=1):.0f} h"
    return f"{apart / timedelta(days=1):.0f} days"
