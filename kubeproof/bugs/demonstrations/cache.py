"""The runs of the scheduler's cache and its snapshot behind bugs that components show, under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from kubeproof.bugs.component import Demonstration, Under
from model.evolve import evolve
from model.objects import Node, Pod
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.image_states import ImageStateRules, ImageStates, set_node_images, update_image_snapshot
from model.scheduler.cache.snapshot import snapshot_by_equal_generation, snapshot_of_newer_nodes
from model.scheduler.cache.state import Cache, CacheRules, CacheSnapshot, find_pod_state
from model.scheduler.cycle import CycleRules
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import PodNotification, on_assigned, on_unassigned
from model.scheduler.pod_handlers import (
    AssumedPodDeletionRules,
    PodHandlerRules,
    on_pod,
    with_assumed_pod_forgotten,
)
from model.scheduler.queue.nominator import Nominator
from model.systems.scheduling.fitting import rejected_by

ROOM = 1000  # milli-CPU: what each node has and each pod asks for


def _pod(name: str, uid: str = "", node: str = "") -> Pod:
    return Pod(name, uid or name, cpu_milli=ROOM, node_name=node)


# --- CACHE-UPDATE-NONATOMIC ---------------------------------------------------------------------------------------


def _free(rules: CacheRules, cache: Cache, node: str) -> bool:
    """Whether a cycle that takes its snapshot now finds room for another pod on the node."""
    snapshot = cache_functions.update_snapshot(rules, cache, CacheSnapshot())[0].snapshot
    info = snapshot.get(node)
    return info is not None and info.node is not None and not rejected_by(info, Nominator(), _pod("p2"))


def _node(rules: CacheRules, cache: Cache, name: str) -> Cache:
    return cache_functions.add_node(rules, cache, Node(name, cpu_milli=ROOM))[1]


def replaced_on_its_node(under: Under) -> Demonstration:
    """A bound pod and its successor, bound to the same node, come as one update; a cycle begins after each call."""
    rules, events = under.rules(CacheRules), under.rules(EventRules)
    old, new = _pod("p1", "p1#1", node="n1"), _pod("p1", "p1#2", node="n1")
    cache = cache_functions.add_pod(rules, _node(rules, Cache(), "n1"), old)[1]
    lines, shown = [f"p1#1 is on n1, which is full; an update from p1#1 to p1#2 arrives, {under.release}"], []
    for call in on_assigned(events, PodNotification(old, new)):
        if call.component == "cache":
            outcome, cache = getattr(cache_functions, call.function)(rules, cache, *call.args)
            free = _free(rules, cache, "n1")
            ends = f" (the process ends: {outcome.error or outcome.panic})" if outcome.ends_process else ""
            lines.append(f"{call.function}{ends}: a snapshot taken now has {'room' if free else 'no room'} on n1")
            if free:
                shown.append("another pod fits on the node in between")
    return Demonstration(tuple(shown), tuple(lines))


# --- CACHE-BINDING-DELETED-OCCUPIES -------------------------------------------------------------------------------


def deleted_while_binding(under: Under) -> Demonstration:
    """A pod is assumed, its binding waits; it is deleted, and all its handlers have done what they do."""
    rules, events, pod = under.rules(CacheRules), under.rules(EventRules), _pod("p1")
    cache = cache_functions.assume_pod(rules, _node(rules, Cache(), "n1"), evolve(pod, node_name="n1"))[1]
    deleted = PodNotification(old=pod)
    if under.rules(PodHandlerRules).one_pod_handler():
        calls = on_pod(events, deleted)
    else:
        calls = (*on_assigned(events, deleted), *on_unassigned(events, deleted))
    if under.rules(AssumedPodDeletionRules).forgets_deleted_assumed_pod():
        calls = with_assumed_pod_forgotten(calls, deleted)
    for call in calls:
        if call.function == "forget_assumed_pod":
            # No plugin at Permit has the pod wait: `handleAssumedPodDeletion` forgets the pod that the cache has.
            assumed = find_pod_state(cache, pod.uid)
            assert assumed is not None
            cache = cache_functions.forget_pod(rules, cache, assumed.pod)[1]
        elif call.component == "cache":
            cache = getattr(cache_functions, call.function)(rules, cache, *call.args)[1]
    free = _free(rules, cache, "n1")
    lines = (
        "p1 is assumed on n1, and its binding has not ended; p1 is deleted",
        f"the handlers call {', '.join(call.function for call in calls)}",
        f"a snapshot taken now has {'room' if free else 'no room'} on n1",
    )
    return Demonstration(() if free else ("the deleted pod holds its room until its binding fails",), lines)


# --- CACHE-IMAGESTATE-STALE ---------------------------------------------------------------------------------------


def image_counts(under: Under) -> Demonstration:
    """Two nodes get the same image, one after the other; then a snapshot is taken."""
    rules = under.rules(ImageStateRules)
    states = set_node_images(ImageStates(), "n1", frozenset({"image"}))
    states = update_image_snapshot(rules, set_node_images(states, "n2", frozenset({"image"})))
    counts = {node: dict(images)["image"] for node, images in states.snapshot}
    lines = tuple(f"by {node}'s NodeInfo {count} of 2 nodes have the image" for node, count in counts.items())
    return Demonstration(("equal nodes score differently",) if len(set(counts.values())) > 1 else (), lines)


# --- SNAP-NIL-NODE-PANIC ------------------------------------------------------------------------------------------

# Up to 1.16 findNodesThatFit takes the names from the live tree, NodeTree.Next, and NodeInfos from the snapshot.
NAMES_FROM_TREE = (snapshot_by_equal_generation, snapshot_of_newer_nodes)


def filtered_nodes(under: Under) -> Demonstration:
    """A node joins between a cycle's snapshot and its filter."""
    rules = under.rules(CacheRules)
    update = cache_functions.update_snapshot(rules, _node(rules, Cache(), "n1"), CacheSnapshot())[0]
    cache, snapshot = _node(rules, update.cache, "n2"), update.snapshot
    names = snapshot.node_info_list
    if rules.take_snapshot in NAMES_FROM_TREE:
        names, _ = rules.list_nodes(cache.node_tree)
    infos = {name: snapshot.get(name) for name in names}
    lines = ["the cycle's snapshot has n1; n2 joins"]
    lines += [f"the filter is given {name} with {'its' if info else 'no'} NodeInfo" for name, info in infos.items()]
    missing = [name for name, info in infos.items() if info is None or info.node is None]
    unchecked = bool(missing) and under.rules(CycleRules).panics_at_nil_node()
    return Demonstration(("the filter goes on with a NodeInfo that is nil",) if unchecked else (), tuple(lines))
