"""Reads kubectl's lists of pods, events and nodes into a Picture, or refuses them in one line.

`kubectl get pods,events,nodes -A -o json` writes one List of mixed kinds. Several files are put together. Only the
fields that are used are read, and only events with a reason that is used.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from attrs import Factory, define, evolve

from kubeproof.advise.kubectl import (
    REQUIRED,
    Node,
    constraints,
    listed_objects,
    read_node,
    resource_version,
    tolerations,
)
from kubeproof.advise.log_lines import HEAD, is_log
from kubeproof.advise.pod_events.admission import missing
from kubeproof.advise.pod_events.attempt_log import dated, read_log
from kubeproof.advise.pod_events.fields import Fields, Moment
from kubeproof.advise.pod_events.picture import AttemptLog, Condition, Event, Picture, Pod
from kubeproof.advise.pod_events.requests import pod_resources
from kubeproof.errors import InputError
from kubeproof.input.documents import MAX_BYTES, Expected, parse
from kubeproof.input.files import read_bytes, several, shown

COMMAND = "kubectl get pods -A -o json, or of events or nodes"
EXPECTED = Expected(COMMAND, "pods and events of one cluster, or of one of its namespaces", 128 << 20, 16 << 20)
KINDS = ("Pod", "Event", "Node")
FILES = 16
# The first three are the scheduler's. The others say when a node got room, and when a node or a scheduler went away.
REASONS = ("FailedScheduling", "Scheduled", "Preempted", "Killing", "LeaderElection", "RemovingNode")


@define
class _Lists:
    """What was read so far. An object that is read twice is kept once. The fields are those of `Picture`."""

    pods: dict[str, Pod] = Factory(dict)
    nodes: dict[str, Node] = Factory(dict)
    events: dict[tuple[str, ...], Event] = Factory(dict)
    kinds: set[str] = Factory(set)
    events_seen: set[tuple[str, ...]] = Factory(set)
    whole_nodes: bool = False
    passed_over: int = 0
    until: Moment | None = None
    now: Moment | None = None
    at_work: bool = False
    events_from: Moment | None = None

    def saw(self, moment: Moment | None) -> Moment | None:
        """Notes a time that tells of the cluster at work."""
        self.at_work = self.at_work or moment is not None
        return self.saw_made(moment)

    def saw_made(self, moment: Moment | None) -> Moment | None:
        """Notes a time at which a pod was made."""
        self.now = _later(self.now, moment)
        return self.saw_node(moment)

    def saw_node(self, moment: Moment | None) -> Moment | None:
        """Notes a time at which a node was made or changed."""
        self.until = _later(self.until, moment)
        return moment

    def saw_event(self, moment: Moment | None) -> None:
        self.saw(moment)
        if moment is not None and (self.events_from is None or moment.at < self.events_from.at):
            self.events_from = moment


def _later(known: Moment | None, moment: Moment | None) -> Moment | None:
    return known if moment is None or (known is not None and known.at >= moment.at) else moment


def read_files(paths: Iterable[str | os.PathLike[str]]) -> Picture:
    """The picture that all files together give; `-` is standard input. Raises InputError, one line."""
    names, documents, logs = [], [], []
    for path in several(paths, FILES, "with pods, events and nodes"):
        names.append(name := shown(path))
        data = read_bytes(path, EXPECTED.max_bytes or MAX_BYTES, EXPECTED.what)
        if is_log(data[:HEAD].decode(errors="replace")):
            logs.append(read_log(data.decode(errors="replace"), name))
        else:
            documents.append((parse(data, name, EXPECTED), name))
    return evolve(picture_of(documents, logs), files=tuple(names))


def picture_of(documents: Iterable[tuple[Any, str]], logs: Iterable[AttemptLog] = ()) -> Picture:
    """The picture that parsed documents and logs give, each document with the name of its file. Raises InputError."""
    lists, names = _Lists(), []
    for document, name in documents:
        names.append(name)
        found = listed_objects(document, name, KINDS, COMMAND)
        lists.kinds |= found.kinds
        lists.passed_over += found.passed_over
        lists.whole_nodes |= found.whole and "Node" in found.kinds
        for kind, item in found.objects:
            _object(lists, kind, item)
    dated_logs = tuple(dated(log, lists.now or lists.until, _binds(lists)) for log in logs)
    for log in dated_logs:
        lists.saw(log.ends)
    return Picture(
        logs=dated_logs,
        files=tuple(names),
        pods=tuple(lists.pods.values()) if "Pod" in lists.kinds else None,
        nodes=tuple(lists.nodes.values()) if "Node" in lists.kinds else None,
        events=tuple(lists.events.values()),
        events_given="Event" in lists.kinds,
        events_read=len(lists.events_seen),
        whole_nodes=lists.whole_nodes,
        passed_over=lists.passed_over,
        until=lists.until,
        now=lists.now,
        at_work=lists.at_work,
        events_from=lists.events_from,
    )


def _binds(lists: _Lists) -> dict[str, Moment]:
    """When each pod was bound, by its condition, or by its event."""
    binds = {
        pod.full_name: pod.scheduled.since
        for pod in lists.pods.values()
        if pod.node and pod.scheduled is not None and pod.scheduled.since is not None
    }
    for event in lists.events.values():
        if event.reason == "Scheduled" and event.first is not None:
            binds[f"{event.namespace}/{event.name}"] = event.first
    return binds


def _object(lists: _Lists, kind: str, item: Fields) -> None:
    match kind:
        case "Pod":
            pod = _pod(lists, item)
            before = lists.pods.get(pod.uid)
            if before is None or before.version <= pod.version:
                lists.pods[pod.uid] = pod
        case "Node":
            node = _node(lists, item)
            lists.nodes[node.name] = node
        case _:
            _event(lists, item)


def _pod(lists: _Lists, item: Fields) -> Pod:
    metadata, spec, status = item.map("metadata"), item.map("spec"), item.map("status")
    scheduled = None
    for each in status.maps("conditions"):
        since = lists.saw(each.moment("lastTransitionTime"))
        if each.text("type") == "PodScheduled":
            scheduled = Condition(each.text("status"), each.text("reason"), each.text("message")[:4096], since)
    return Pod(
        namespace=metadata.name("namespace"),
        name=metadata.name("name"),
        uid=metadata.name("uid"),
        node=spec.text("nodeName"),
        nominated=status.text("nominatedNodeName"),
        phase=status.text("phase"),
        priority=spec.number("priority"),
        scheduler=spec.text("schedulerName") or "default-scheduler",
        version=resource_version(metadata),
        deleted=metadata.moment("deletionTimestamp"),
        created=lists.saw_made(metadata.moment("creationTimestamp")),
        reason=status.text("reason")[:200],
        message=status.text("message")[:4096],
        mirror="kubernetes.io/config.mirror" in metadata.map("annotations").value,
        runs=_runs(status) if "scheduler" in metadata.text("name") else "",
        gates=tuple(each.text("name") for each in spec.maps("schedulingGates")),
        scheduled=scheduled,
        finished=lists.saw(_finished(status)),
        nominated_written=_nominated_written(metadata),
        resources=pod_resources(item),
        selector=tuple(spec.texts("nodeSelector").items()),
        tolerations=tolerations(spec),
        constraints=tuple(_constraints(spec)),
    )


def _runs(status: Fields) -> str:
    """How the containers of a pod do."""
    said = [status.text("phase") or "no phase"]
    for container in status.maps("containerStatuses"):
        restarts, ended = container.number("restartCount"), container.map("lastState").map("terminated")
        said += [f"{restarts} restarts"] if restarts else []
        said += [
            f"waits: {reason}" for reason in (container.map("state").map("waiting").text("reason")[:60],) if reason
        ]
        if ended.value:
            said.append(f"ended {ended.moment('finishedAt') or ''}: {ended.text('reason')[:60] or 'no reason'}")
    return ", ".join(said)


def _finished(status: Fields) -> Moment | None:
    """When the last container ended."""
    ends = [
        end
        for container in status.maps("containerStatuses")
        if (end := container.map("state").map("terminated").moment("finishedAt")) is not None
    ]
    return max(ends, default=None, key=lambda end: end.at)


def _nominated_written(metadata: Fields) -> Moment | None:
    """When the scheduler wrote nominatedNodeName, from metadata.managedFields (kubectl: --show-managed-fields)."""
    for entry in metadata.maps("managedFields"):
        if "scheduler" in entry.text("manager"):
            status = entry.map("fieldsV1").value.get("f:status")
            if isinstance(status, dict) and "f:nominatedNodeName" in status:
                return entry.moment("time")
    return None


def _constraints(spec: Fields) -> Iterator[str]:
    if spec.map("affinity").map("nodeAffinity").value.get(REQUIRED):
        yield "its node affinity"
    yield from constraints(spec)
    if any(port.number("hostPort") for container in spec.maps("containers") for port in container.maps("ports")):
        yield "its host ports"
    if spec.value.get("schedulingGates"):
        yield "its scheduling gates"


def _node(lists: _Lists, item: Fields) -> Node:
    for condition in item.map("status").maps("conditions"):
        lists.saw(condition.moment("lastHeartbeatTime"))
        lists.saw_node(condition.moment("lastTransitionTime"))
    node = read_node(item)
    lists.saw_node(node.created)
    return node


def _event(lists: _Lists, item: Fields) -> None:
    """Reads a v1 Event or an Event of events.k8s.io, which has other names for the same fields."""
    new = "regarding" in item.value
    if not new and "involvedObject" not in item.value:
        raise InputError(
            f"{item.file}: {item.place or 'top level'}: expected an Event, with involvedObject or regarding"
        )
    metadata = item.map("metadata")
    about = item.map("regarding" if new else "involvedObject")
    reason = item.text("reason")
    # Both APIs show one event with the same name and the same uid.
    key = (metadata.text("namespace"), metadata.text("name"), metadata.text("uid"))
    if not any(key):
        key = ("", "", str(len(lists.events_seen)))
    lists.events_seen.add(key)
    if reason not in REASONS and missing(reason) is None:
        lists.saw_event(_some_moment(item))
        return
    source = item.map("deprecatedSource" if new else "source")
    series = item.map("series")
    begun = item.moment("eventTime")
    first = item.moment("deprecatedFirstTimestamp" if new else "firstTimestamp") or begun
    again = series.moment("lastObservedTime")
    last = again or item.moment("deprecatedLastTimestamp" if new else "lastTimestamp") or first
    related = item.map("related")
    event = Event(
        reason=reason,
        kind=about.text("kind"),
        namespace=about.text("namespace"),
        name=about.text("name"),
        uid=about.text("uid"),
        message=item.text("note" if new else "message")[:4096],
        # eventTime has a fraction of the second, which the other times do not have.
        first=begun or first,
        last=last,
        count=max(1, series.number("count"), item.number("deprecatedCount" if new else "count")),
        series=again is not None,
        by=item.text("reportingController" if new else "reportingComponent") or source.text("component"),
        instance=item.text("reportingInstance"),
        host=source.text("host"),
        related=related.text("uid") if related.text("kind") == "Pod" else "",
    )
    before = lists.events.get(key)
    if before is not None and before.last is not None and (event.last is None or before.last.at > event.last.at):
        event = evolve(before, count=max(before.count, event.count))
    lists.saw_event(event.last)
    lists.events[key] = event


def _some_moment(item: Fields) -> Moment | None:
    """A time of an event that is not used otherwise: so nothing of it is refused."""
    for key in ("eventTime", "lastTimestamp", "deprecatedLastTimestamp"):
        with suppress(InputError):
            if (moment := item.moment(key)) is not None:
                return moment
    return None
