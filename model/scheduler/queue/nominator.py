"""Which pods are nominated to run on which nodes, because victims were, or will be, removed for them.

Go: pkg/scheduler/internal/queue/scheduling_queue.go. How releases differ:
 - 1.13: `nominatedPods`, a map from node to pods, in which a pod is looked up by its own status (NOM-STATUS-KEYED);
 - 1.14 (1.13.2 or .3, #72259): `nominatedPodMap` with `nominatedPodToNode`: a pod is looked up by uid; and a nomination
   is made in memory at once (`UpdateNominatedPodForNode`). Up to 1.18 under the queue's lock;
 - 1.15 (#77990): an update that names no node, before and after, keeps the nomination made in memory;
 - 1.19 to 1.26: a lock of its own (`nominatedPodMap.RWMutex`), taken with or without the queue's (NOM-LOCK-RACE);
 - 1.21 to 1.30: the lists share their records with the queue (`update_sharing_record`);
 - 1.22 (#102498; 1.19.12, 1.20.8): `add` asks the pod lister whether the pod still exists;
 - 1.23.2 (#106816): NominatingInfo says whether to override (even with "") or to leave what the status says;
 - 1.24 (#109245; 1.21.12, 1.22.9, 1.23.6): `add` refuses a pod that the lister shows bound;
 - 1.31: the lists hold names and uids (`PodRef`), and again a lock of its own (`nominator.nLock`).

A node is a text, or None for "what the pod's status says" (`NominatingInfo` nil or ModeNoop; "" up to 1.23.1).
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.evolve import evolve
from model.objects import Pod
from model.variables import apart

# What the informer's pod lister knows under a name; None in place of a lister means that there is none.
PodLister = Callable[[str], Pod | None]


@apart
@frozen(cache_hash=True)
class Nominator:
    """Who is nominated where (`nominatedPodMap`, `nominator`)."""

    # Nodes, sorted, each with its pods in the order in which they joined; no node without pods.
    nominated_pods: tuple[tuple[str, tuple[Pod, ...]], ...] = ()
    # (uid, node), sorted. 1.13 has no such map; there it stays empty.
    nominated_pod_to_node: tuple[tuple[str, str], ...] = ()

    def node_of(self, uid: str) -> str | None:
        """The node of `nominatedPodToNode`, or None."""
        for known, node in self.nominated_pod_to_node:
            if known == uid:
                return node
        return None


@frozen(cache_hash=True)
class NominatorCall:
    """What a queue operation asks of the nominator."""

    kind: Literal["add", "delete", "update"]
    # The pod to be added or deleted, or the new version of it.
    pod: Pod
    # Of an update: the version before.
    old: Pod | None = None
    # Of an add: the node, as `add` takes it.
    node: str | None = None


AddNomination = Callable[[Nominator, Pod, str | None, PodLister | None], Nominator]
DeleteNomination = Callable[[Nominator, Pod], Nominator]
UpdateNomination = Callable[["NominatorRules", Nominator, Pod, Pod, PodLister | None], Nominator]


def pods_for_node(nominator: Nominator, node: str) -> tuple[Pod, ...]:
    """`NominatedPodsForNode` (1.13: `WaitingPodsForNode`); under the nominator's lock (up to 1.18 the queue's)."""
    for name, pods in nominator.nominated_pods:
        if name == node:
            return pods
    return ()


def add_by_status(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """Append the pod to the node that its status names, unless it is there (`addNominatedPodIfNeeded`, 1.13).

    The pod stays wherever else it is. `node` and the lister mean nothing here.
    """
    nominated = pod.nominated_node_name
    if not nominated or any(other.uid == pod.uid for other in pods_for_node(nominator, nominated)):
        return nominator
    return Nominator(_append(nominator, nominated, pod))


def delete_by_status(nominator: Nominator, pod: Pod) -> Nominator:
    """Take the pod from the node that the status of this very object names (`deleteNominatedPodIfExists`, 1.13)."""
    return Nominator(_without(nominator, pod.nominated_node_name, pod.uid))


def update_by_status(
    rules: "NominatorRules", nominator: Nominator, old: Pod, new: Pod, lister: PodLister | None
) -> Nominator:
    """`delete` the old object, `add` the new one (`updateNominatedPod` of 1.13, `nominatedPodMap.update` of 1.14)."""
    return rules.nominator_add(rules.nominator_delete(nominator, old), new, None, lister)


def delete_by_uid(nominator: Nominator, pod: Pod) -> Nominator:
    """Take the pod from the node where its uid was nominated (`nominatedPodMap.delete`, 1.14; #72259)."""
    node = nominator.node_of(pod.uid)
    if node is None:
        return nominator
    rest = tuple(entry for entry in nominator.nominated_pod_to_node if entry[0] != pod.uid)
    return Nominator(_without(nominator, node, pod.uid), rest)


def _add_anew(nominator: Nominator, pod: Pod, node: str) -> Nominator:
    """The end of `add`, after its `delete`."""
    to_node = tuple(sorted((*nominator.nominated_pod_to_node, (pod.uid, node))))
    if any(other.uid == pod.uid for other in pods_for_node(nominator, node)):
        return evolve(nominator, nominated_pod_to_node=to_node)
    return Nominator(_append(nominator, node, pod), to_node)


def add_unchecked(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """Nominate the pod to `node`, or where its status says, whether it still exists or not (`add`, 1.14)."""
    nominator = delete_by_uid(nominator, pod)
    node = node or pod.nominated_node_name
    return _add_anew(nominator, pod, node) if node else nominator


def add_if_listed(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_unchecked` for a pod whose *name* the lister knows (`add`; pull request #102498, NOM-PHANTOM-DELETED)."""
    nominator = delete_by_uid(nominator, pod)
    node = node or pod.nominated_node_name
    if not node or (lister is not None and lister(pod.name) is None):
        return nominator
    return _add_anew(nominator, pod, node)


def add_if_listed_unbound(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_if_listed`, unless the lister shows the pod bound (1.21.12, 1.22.9: pull request #109245)."""
    listed = None if lister is None else lister(pod.name)
    if listed is not None and listed.node_name:
        return delete_by_uid(nominator, pod)
    return add_if_listed(nominator, pod, node, lister)


def add_overriding(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_if_listed`, but a `node` of "" overrides too (`add` with NominatingInfo, 1.23.2, pull request #106816).

    So a cleared nomination is kept under the node "" (NOM-EMPTY-KEY).
    """
    nominator = delete_by_uid(nominator, pod)
    if node is None and not pod.nominated_node_name:
        return nominator
    if lister is not None and lister(pod.name) is None:
        return nominator
    return _add_anew(nominator, pod, pod.nominated_node_name if node is None else node)


def add_overriding_unless_bound(
    nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None
) -> Nominator:
    """`add_overriding`, unless the lister shows the pod bound (`add`, 1.24.0, pull request #109245)."""
    listed = None if lister is None else lister(pod.name)
    if listed is not None and listed.node_name:
        return delete_by_uid(nominator, pod)
    return add_overriding(nominator, pod, node, lister)


def add_reference(nominator: Nominator, pod: Pod, node: str | None, lister: PodLister | None) -> Nominator:
    """`add_overriding_unless_bound`, keeping no more than name and uid (`PodRef`, 1.31)."""
    if node is None:
        node = pod.nominated_node_name or None
    return add_overriding_unless_bound(nominator, Pod(pod.name, pod.uid), node, lister)


def update_keeping_memory(
    rules: "NominatorRules", nominator: Nominator, old: Pod, new: Pod, lister: PodLister | None
) -> Nominator:
    """`update_by_status`, but a nomination that neither object's status names is kept (`UpdateNominatedPod`, 1.15).

    Such an update arrives right after a nomination was made in memory only.
    """
    node = None
    if not old.nominated_node_name and not new.nominated_node_name:
        node = nominator.node_of(old.uid)
    return rules.nominator_add(rules.nominator_delete(nominator, old), new, node, lister)


def update_sharing_record(
    rules: "NominatorRules", nominator: Nominator, old: Pod, new: Pod, lister: PodLister | None
) -> Nominator:
    """`update_keeping_memory` where the list of a node holds the very PodInfo of the queue (1.21 to 1.30).

    `PodInfo.Update` puts the new object into it before `UpdateNominatedPod` looks for the old one. As long as the uid
    is the same, nothing comes of it. When the informer brings a deleted pod's namesake as an update, the old uid is in
    no list any more: `delete` forgets only its `nominatedPodToNode`, and a namesake that nobody nominated stays listed
    where no later `delete` looks for it.
    """
    if old.uid != new.uid:
        entries = (
            (node, tuple(new if pod.uid == old.uid else pod for pod in pods)) for node, pods in nominator.nominated_pods
        )
        nominator = evolve(nominator, nominated_pods=tuple(entries))
    return update_keeping_memory(rules, nominator, old, new, lister)


@frozen(slots=False, kw_only=True)
class NominatorRules:
    """What releases do differently in the nominator, and where a proposed fix takes hold.

    Each rule runs under the nominator's lock. Up to 1.18, and from 1.27.0 to 1.30 (pull request #116395; by back-port
    from 1.24.11 or .12, 1.25.7 or .8, and 1.26.3 on), that is the queue's own lock.
    """

    # `add`: nominate a pod to a node, or where its status says; the last argument is the informer's lister, if any.
    nominator_add: AddNomination
    # `delete`: forget the nomination of a pod.
    nominator_delete: DeleteNomination
    # `update`: what a new version of a pod does to its nomination; old object, then new one.
    nominator_update: UpdateNomination


def apply_call(
    rules: NominatorRules, nominator: Nominator, call: NominatorCall | None, lister: PodLister | None
) -> Nominator:
    """The nominator after `call`; a step of its own where the nominator has a lock of its own."""
    if call is None:
        return nominator
    if call.kind == "add":
        return rules.nominator_add(nominator, call.pod, call.node, lister)
    if call.kind == "delete":
        return rules.nominator_delete(nominator, call.pod)
    return rules.nominator_update(rules, nominator, call.old or call.pod, call.pod, lister)


def _append(nominator: Nominator, node: str, pod: Pod) -> tuple[tuple[str, tuple[Pod, ...]], ...]:
    others = [entry for entry in nominator.nominated_pods if entry[0] != node]
    return tuple(sorted([*others, (node, (*pods_for_node(nominator, node), pod))], key=lambda entry: entry[0]))


def _without(nominator: Nominator, node: str, uid: str) -> tuple[tuple[str, tuple[Pod, ...]], ...]:
    """`nominated_pods` without the first pod of this uid on `node`; a node without pods goes too."""
    entries = []
    for name, pods in nominator.nominated_pods:
        if name == node:
            at = next((i for i, pod in enumerate(pods) if pod.uid == uid), len(pods))
            pods = pods[:at] + pods[at + 1 :]
        if pods:
            entries.append((name, pods))
    return tuple(entries)
