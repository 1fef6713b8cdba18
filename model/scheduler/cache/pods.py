"""What releases do differently with pods in the scheduler's cache. Touches nothing but its arguments.

Go: `addPod`, `updatePod`, `removePod`, `AddPod`, `UpdatePod`, `RemovePod`, `finishBinding` in
pkg/scheduler/internal/cache/cache.go. Each function here runs with `schedulerCache.mu` held.
"""

from model.go.errors import met_error
from model.objects import NAMESPACE, Pod
from model.scheduler.cache import node_info
from model.scheduler.cache.node_info import NodeInfo
from model.scheduler.cache.state import (
    CORRUPTED,
    NIL_POINTER,
    OK,
    Cache,
    CacheRules,
    Outcome,
    PodState,
    drop_node_info,
    drop_pod_state,
    find_node_info,
    find_pod_state,
    put_node_info,
    put_pod_state,
    with_nodes,
)

# --- how error texts name a pod


def pod_by_key(pod: Pod) -> str:
    """The pod's uid (1.13 to 1.25)."""
    return pod.uid


def pod_by_key_and_name(pod: Pod) -> str:
    """The pod's uid and its name (1.26)."""
    return f"{pod.uid}({NAMESPACE}/{pod.name})"


# --- how long an assumed pod may stay unconfirmed


def ttl_30_seconds() -> int:
    """`internalcache.New(30*time.Second, …)` in the scheduler's factory; in ms."""
    return 30_000


def ttl_2_minutes() -> int:
    """2 minutes (#106412 as 1.20 to 1.22 got it); in ms."""
    return 120_000


def ttl_15_minutes() -> int:
    """`durationToExpireAssumedPod = 15 * time.Minute` (1.23 and 1.24); in ms."""
    return 900_000


def ttl_never() -> int:
    """`durationToExpireAssumedPod = 0`, which means never (1.25, #110925)."""
    return 0


def deadline_after_ttl(now: int, ttl: int) -> int | None:
    """A ttl of 0 expires at once (up to 1.24)."""
    return now + ttl


def deadline_unless_ttl_zero(now: int, ttl: int) -> int | None:
    """A ttl of 0 is no deadline (1.25, #110925)."""
    return now + ttl if ttl else None


# --- the pods of a NodeInfo


def add_pod_to_node(rules: CacheRules, cache: Cache, pod: Pod) -> Cache:
    """Count `pod` on its node; an unknown node gets a placeholder (`addPod`, without podStates; all releases)."""
    info = find_node_info(cache.nodes, pod.node_name) or NodeInfo(pod.node_name)
    info = node_info.add_pod(info, pod, rules.next_generation(cache.generation, info.generation))
    return with_nodes(cache, put_node_info(cache.nodes, info), info.generation)


def remove_pod_dropping_ghost(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[Outcome, Cache]:
    """A node unknown is no error; a ghost goes with its last pod (`removePod`; 1.18.9, 1.19.0, #93938)."""
    info = find_node_info(cache.nodes, pod.node_name)
    return (OK, cache) if info is None else _remove_from(rules, cache, info, pod, drop_ghost=True)


def remove_pod_keeping_placeholder(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[Outcome, Cache]:
    """A node unknown is no error; without Node it stays when its last pod goes (`removePod`; 1.18.0, #86964)."""
    info = find_node_info(cache.nodes, pod.node_name)
    return (OK, cache) if info is None else _remove_from(rules, cache, info, pod, drop_ghost=False)


def remove_pod_of_known_node(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[Outcome, Cache]:
    """A node unknown is an error; a ghost goes with its last pod (`removePod`; 1.14 to 1.17)."""
    info = find_node_info(cache.nodes, pod.node_name)
    if info is None:
        return Outcome(f"node {pod.node_name} is not found"), cache
    return _remove_from(rules, cache, info, pod, drop_ghost=True)


def remove_pod_of_unchecked_node(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[Outcome, Cache]:
    """A node unknown is a nil pointer; a ghost goes with its last pod (`removePod`; 1.13)."""
    info = find_node_info(cache.nodes, pod.node_name)
    return (NIL_POINTER, cache) if info is None else _remove_from(rules, cache, info, pod, drop_ghost=True)


def _remove_from(rules: CacheRules, cache: Cache, info: NodeInfo, pod: Pod, drop_ghost: bool) -> tuple[Outcome, Cache]:
    generation = rules.next_generation(cache.generation, info.generation)
    how, info = node_info.remove_pod(info, pod, generation, rules.subtracted_pod)
    if how == "panic":
        return NIL_POINTER, cache
    if how == "not found":
        return Outcome(f"no corresponding pod {pod.name} in pods of node {info.name}"), cache
    if drop_ghost and info.node is None and not info.pods:
        return OK, with_nodes(cache, drop_node_info(cache.nodes, info.name), generation)
    return OK, with_nodes(cache, put_node_info(cache.nodes, info), generation)


def update_pod_on_any_node(rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod) -> tuple[Outcome, Cache]:
    """`removePod(old)`, and unless that fails `addPod(new)` (`updatePod`, without podStates).

    When the node is gone with its NodeInfo (1.18.0, 1.18.1) this makes a NodeInfo without Node that has only this
    pod, and the next of the node's pods ends in a nil pointer: #89552, CACHE-NODE-BEFORE-PODS-CRASH.
    """
    outcome, cache = rules.remove_pod_from_node(rules, cache, old_pod)
    return (outcome, cache) if outcome != OK else (OK, add_pod_to_node(rules, cache, pod))


def update_pod_on_known_node(rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod) -> tuple[Outcome, Cache]:
    """Nothing when the new pod's node is unknown (`updatePod`; 1.18.2 to 1.18.8, 1.19.0-rc.1, #89908)."""
    if find_node_info(cache.nodes, pod.node_name) is None:
        return OK, cache
    return update_pod_on_any_node(rules, cache, old_pod, pod)


# --- AddPod of an assumed pod: the informer confirms it


def confirm_keeping_object(rules: CacheRules, cache: Cache, state: PodState, pod: Pod) -> tuple[Outcome, Cache]:
    """Counted on another node when it went elsewhere, else NodeInfo keeps the assumed object (`AddPod`, to 1.23).

    CACHE-ASSUMED-OBJ-STALE: `podStates` has the new object, NodeInfo the old one. An error of removing the pod from
    the node it was assumed on is only logged; bindingFinished stays as it was.
    """
    if state.pod.node_name != pod.node_name:
        outcome, cache = rules.remove_pod_from_node(rules, cache, state.pod)
        if outcome.ends_process:
            return outcome, cache
        met_error("removePod", outcome.error, state.pod.uid)
        cache = add_pod_to_node(rules, cache, pod)
    return OK, put_pod_state(cache, PodState(state.key, pod, binding_finished=state.binding_finished))


def confirm_keeping_pod_state(rules: CacheRules, cache: Cache, state: PodState, pod: Pod) -> tuple[Outcome, Cache]:
    """As `confirm_keeping_object`, but podStates keeps the assumed object (`AddPod`, to 1.8).

    CACHE-ASSUMED-OTHER-NODE: podStates names the assumed node, NodeInfo of the other counts the pod, and its next
    update ends the process (#50916; #55262 sets `podStates[key].pod`).
    """
    outcome, cache = confirm_keeping_object(rules, cache, state, pod)
    if outcome.ends_process:
        return outcome, cache
    return OK, put_pod_state(cache, PodState(state.key, state.pod, binding_finished=state.binding_finished))


def confirm_updating_other_node(rules: CacheRules, cache: Cache, state: PodState, pod: Pod) -> tuple[Outcome, Cache]:
    """On the same node as `confirm_keeping_object`, else as `confirm_by_update` (`AddPod`; 1.24 and 1.25)."""
    if state.pod.node_name == pod.node_name:
        return OK, put_pod_state(cache, PodState(state.key, pod, binding_finished=state.binding_finished))
    return confirm_by_update(rules, cache, state, pod)


def confirm_by_update(rules: CacheRules, cache: Cache, state: PodState, pod: Pod) -> tuple[Outcome, Cache]:
    """`updatePod(assumed, pod)`, so that NodeInfo has the new object too (`AddPod`; 1.26, #110279).

    An error of it is only logged: the pod then stays assumed, with the old object.
    """
    outcome, cache = _replace_pod(rules, cache, state.pod, pod)
    met_error("updatePod", outcome.error, pod.uid)
    return (outcome if outcome.ends_process else OK), cache


def _replace_pod(rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod) -> tuple[Outcome, Cache]:
    """`updatePod` as it is from 1.24 on: `removePod` and `addPod` change podStates too, each under its own key."""
    outcome, changed = rules.update_pod_on_node(rules, cache, old_pod, pod)
    if outcome != OK:
        return outcome, cache
    changed = drop_pod_state(changed, old_pod.uid)
    there = find_pod_state(changed, pod.uid)
    # `addPod` writes a new podState; it takes nothing out of assumedPods.
    return OK, put_pod_state(changed, PodState(pod.uid, pod, assumed=there is not None and there.assumed))


# --- UpdatePod


def update_keeping_key(rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod) -> tuple[Outcome, Cache]:
    """Only `podStates[old uid].pod` is replaced, whatever the new uid (`UpdatePod`, to 1.23).

    CACHE-RECREATE-UID: up to 1.18 the event handler calls it with two incarnations of a name; on another node
    that ends the process, on the same one the new pod is filed under the old uid.
    """
    state = find_pod_state(cache, old_pod.uid)
    if state is None or state.assumed:
        return _not_added(rules, old_pod), cache
    if state.pod.node_name != pod.node_name:
        return CORRUPTED, cache
    outcome, changed = rules.update_pod_on_node(rules, cache, old_pod, pod)
    if outcome != OK:
        return outcome, cache
    filed = PodState(state.key, pod, binding_finished=state.binding_finished, deadline=state.deadline)
    return OK, put_pod_state(changed, filed)


def update_by_replacement(rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod) -> tuple[Outcome, Cache]:
    """The old uid out, the new one in, in one hold of the mutex (`UpdatePod`; 1.24 to 1.26, #106744).

    Another incarnation on another node ends the process (CACHE-RECREATE-UID, from 1.24 again).
    """
    state = find_pod_state(cache, old_pod.uid)
    if state is None or state.assumed:
        return _not_added(rules, old_pod), cache
    if state.pod.node_name != pod.node_name:
        return CORRUPTED, cache
    return _replace_pod(rules, cache, old_pod, pod)


def update_by_replacement_naming_assumed(
    rules: CacheRules, cache: Cache, old_pod: Pod, pod: Pod
) -> tuple[Outcome, Cache]:
    """`update_by_replacement` with an error text of its own for an assumed pod (`UpdatePod`; 1.27)."""
    state = find_pod_state(cache, old_pod.uid)
    if state is not None and state.assumed:
        return Outcome(f"assumed pod {rules.cached_pod_text(old_pod)} should not be updated"), cache
    return update_by_replacement(rules, cache, old_pod, pod)


def _not_added(rules: CacheRules, pod: Pod) -> Outcome:
    return Outcome(f"pod {rules.cached_pod_text(pod)} is not added to scheduler cache, so cannot be updated")


# --- RemovePod


def remove_unless_assumed(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[Outcome, Cache]:
    """An assumed pod is "not found", another node name ends the process (`RemovePod`, to 1.22).

    CACHE-MISSED-DELETE: a pod whose Add and Delete a relist merges into one stays assumed.
    """
    state = find_pod_state(cache, pod.uid)
    if state is None or state.assumed:
        return _not_found(rules, pod), cache
    return (
        (CORRUPTED, cache) if state.pod.node_name != pod.node_name else forget_pod_state(rules, cache, state, state.pod)
    )


def remove_even_assumed(rules: CacheRules, cache: Cache, pod: Pod) -> tuple[Outcome, Cache]:
    """An assumed pod too, and an object without node name (`RemovePod`; 1.23, #106102)."""
    state = find_pod_state(cache, pod.uid)
    if state is None:
        return _not_found(rules, pod), cache
    if pod.node_name not in ("", state.pod.node_name):
        return CORRUPTED, cache
    return forget_pod_state(rules, cache, state, state.pod)


def _not_found(rules: CacheRules, pod: Pod) -> Outcome:
    text = rules.cached_pod_text(pod)
    return Outcome(f"pod {text} is not found in scheduler cache, so cannot be removed from it")


def forget_pod_state(rules: CacheRules, cache: Cache, state: PodState, pod: Pod) -> tuple[Outcome, Cache]:
    """`pod` off its node, then `state` out of podStates and assumedPods; an error leaves both (`expirePod`, to 1.23;
    `removePod` from 1.24 on)."""
    outcome, changed = rules.remove_pod_from_node(rules, cache, pod)
    return (outcome, cache) if outcome != OK else (OK, drop_pod_state(changed, state.key))
