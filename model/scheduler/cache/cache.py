"""The scheduler's cache: pods and nodes as the informers and the scheduler itself report them.

Go: pkg/scheduler/internal/cache/cache.go, from 1.32 on pkg/scheduler/backend/cache/cache.go. Each public function is
one hold of `schedulerCache.mu` (`cacheImpl.mu` from 1.24), so one atomic step. It touches nothing but its arguments.

`Node.zone` is taken as the zone key that the tree goes by; see `zone_key`. A pod's key is its uid.

What releases do differently stands in `pods`, `assumed`, `nodes`, `snapshot` beside this file; the state and the choice
of rules in `state`; renumbering for explorers in `canonical`.
"""

from model.go.errors import met_error
from model.objects import Node, Pod
from model.scheduler.cache.nodes import set_node_object, with_tree
from model.scheduler.cache.pods import add_pod_to_node, forget_pod_state
from model.scheduler.cache.state import (
    OK,
    Cache,
    CacheRules,
    CacheSnapshot,
    Outcome,
    PodState,
    Result,
    SnapshotUpdate,
    find_pod_state,
    put_pod_state,
)


def update_snapshot(rules: CacheRules, cache: Cache, snapshot: CacheSnapshot) -> tuple[SnapshotUpdate, ...]:
    """Bring `snapshot` up to date (`UpdateSnapshot`; `UpdateNodeInfoSnapshot` to 1.17): every way it may end.

    More than one only where Go deletes some of several stale names in map order (1.18 on). An error fails the
    scheduling cycle; the snapshot is updated all the same. The scheduling cycle calls it before it filters.
    """
    return rules.take_snapshot(rules, cache, snapshot)


def assume_pod(rules: CacheRules, cache: Cache, pod: Pod) -> Result:
    """Count `pod` on the node its spec.nodeName names, before it is bound (`AssumePod`)."""
    if find_pod_state(cache, pod.uid) is not None:
        return Outcome(f"pod {rules.cached_pod_text(pod)} is in the cache, so can't be assumed"), cache
    return OK, put_pod_state(add_pod_to_node(rules, cache, pod), PodState(pod.uid, pod, assumed=True))


def finish_binding(rules: CacheRules, cache: Cache, pod: Pod, now: int) -> Result:
    """An assumed pod is bound, at `now` (ms; `FinishBinding`); nothing for any other pod, and never an error.

    Go holds the mutex for reading only while it writes the podState: other readers may run, no other writer.
    """
    state = find_pod_state(cache, pod.uid)
    if state is None or not state.assumed:
        return OK, cache
    return OK, rules.mark_finished_binding(rules, cache, state, now)


def forget_pod(rules: CacheRules, cache: Cache, pod: Pod) -> Result:
    """Take an assumed pod out again, because its binding failed (`ForgetPod`)."""
    return rules.forget_assumed_pod(rules, cache, pod)


def add_pod(rules: CacheRules, cache: Cache, pod: Pod) -> Result:
    """The informer has an assigned pod: it confirms an assumed pod, or counts an unknown one (`AddPod`).

    The caller is `addPodToCache`; so is that of `updatePodInCache` for another uid of the name (1.19 to 1.23), in a
    second hold of the mutex after `remove_pod`'s: two steps (CACHE-UPDATE-NONATOMIC).
    """
    state = find_pod_state(cache, pod.uid)
    if state is None:
        return OK, put_pod_state(add_pod_to_node(rules, cache, pod), PodState(pod.uid, pod))
    if not state.assumed:
        return Outcome(f"pod {rules.cached_pod_text(pod)} was already in added state"), cache
    return rules.confirm_assumed_pod(rules, cache, state, pod)


def update_pod(rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod) -> Result:
    """The informer has a newer version of an assigned pod (`UpdatePod`). An assumed pod is not updated.

    The caller is `updatePodInCache`. From 1.19 to 1.23 it does not call this for another uid, but `remove_pod(old)`
    and then `add_pod(new)`, each in a hold of its own: two steps. From 1.24 on it does call this.
    """
    return rules.update_added_pod(rules, cache, old_pod, pod)


def remove_pod(rules: CacheRules, cache: Cache, pod: Pod) -> Result:
    """The informer lost an assigned pod (`RemovePod`). `pod` may be the last state known, without node name."""
    return rules.remove_known_pod(rules, cache, pod)


def is_assumed_pod(cache: Cache, pod: Pod) -> bool:
    """Whether `pod` is assumed and not yet confirmed (`IsAssumedPod`; read lock)."""
    state = find_pod_state(cache, pod.uid)
    return state is not None and state.assumed


def get_pod(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[str | None, Pod | None]:
    """The error text or None, and the pod object that podStates has (`GetPod`; read lock)."""
    state = find_pod_state(cache, pod.uid)
    if state is None:
        return f"pod {rules.cached_pod_text(pod)} does not exist in scheduler cache", None
    return None, state.pod


def add_node(rules: CacheRules, cache: Cache, node: Node) -> Result:
    """The informer has a node (`AddNode`): a ghost or placeholder gets its Node back. Never an error."""
    tree = rules.add_node(cache.node_tree, node.name, node.zone)
    return OK, with_tree(set_node_object(rules, cache, node), tree)


def update_node(rules: CacheRules, cache: Cache, old_node: Node, node: Node) -> Result:
    """The informer has a newer version of a node (`UpdateNode`). Never an error."""
    return OK, rules.update_known_node(rules, cache, old_node, node)


def remove_node(rules: CacheRules, cache: Cache, node: Node) -> Result:
    """The informer lost a node (`RemoveNode`).

    The error handler of a failed scheduling cycle calls it too, with an object that has a name only: its zone is
    "", so that the tree keeps the node if it stands in a zone (NODETREE-NAMEONLY-REMOVE).
    """
    return rules.remove_known_node(rules, cache, node)


def cleanup_assumed_pods(rules: CacheRules, cache: Cache, now: int) -> Result:
    """Take out assumed pods whose deadline is before `now` (ms; `cleanupAssumedPods`, a goroutine, every second).

    Go goes through assumedPods in map order. The order shows only in how generations of nodes that all changed
    compare with each other, which nothing reads. An error leaves that pod assumed and is only logged.
    """
    for state in cache.pod_states:
        if state.assumed and state.binding_finished and state.deadline is not None and now > state.deadline:
            outcome, cache = forget_pod_state(rules, cache, state, state.pod)
            if outcome.ends_process:
                return outcome, cache
            met_error("expirePod", outcome.error, state.pod.uid)
    return OK, cache
