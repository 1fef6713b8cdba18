"""The scheduler's cache: recordings, the documented bugs by release, every Go map order."""

from pathlib import Path

import pytest
from attrs import evolve

from kubeproof.conform.conform import replay_file
from model.objects import Node, Pod
from model.releases import EVERY_MINOR, newest
from model.scheduler.cache.cache import (
    add_node,
    add_pod,
    assume_pod,
    cleanup_assumed_pods,
    finish_binding,
    forget_pod,
    get_pod,
    is_assumed_pod,
    remove_node,
    remove_pod,
    update_node,
    update_pod,
    update_snapshot,
)
from model.scheduler.cache.nodes import next_generation_of_node
from model.scheduler.cache.pods import confirm_keeping_pod_state
from model.scheduler.cache.snapshot import snapshot_by_equal_generation
from model.scheduler.cache.state import (
    CORRUPTED,
    NIL_POINTER,
    OK,
    Cache,
    CacheRules,
    CacheSnapshot,
    Outcome,
    SnapshotUpdate,
    find_node_info,
)
from tests.conftest import DATA, modelled
from tests.model.scheduler.cache.caches import pod, rules_of

EXCERPTS = sorted(DATA.glob("cache-*.jsonl"))
N1, N2 = Node("n1", "r:\x00:z1", 4000), Node("n2", "r:\x00:z2", 4000)


def done(result: tuple[Outcome, Cache]) -> Cache:
    outcome, cache = result
    assert outcome == OK
    return cache


def only(updates: tuple[SnapshotUpdate, ...]) -> SnapshotUpdate:
    (update,) = updates
    return update


def cache_of(rules: CacheRules, nodes: tuple[Node, ...], pods: tuple[Pod, ...] = ()) -> Cache:
    cache = Cache()
    for node in nodes:
        cache = done(add_node(rules, cache, node))
    for known in pods:
        cache = done(add_pod(rules, cache, known))
    return cache


# --- recordings


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.cases > 0
    assert replay.divergences == []


@pytest.mark.slow
def test_all_recordings_replay(conformance: Path) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "scheduler", "cache", EVERY_MINOR)]
    assert [d for replay in replays for d in replay.divergences] == []
    assert (len(replays), sum(r.cases for r in replays), sum(r.operations for r in replays)) == (24, 41_592, 520_650)


def test_the_excerpts_have_process_ends_and_inconsistent_snapshots() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in EXCERPTS)
    for seen in ('"panic":"runtime error', '"fatal":true', "snapshot state is not consistent", '"truncated":true'):
        assert seen in text


# --- documented bugs, by release


@pytest.mark.parametrize(
    ("release", "end"), [("1.17", OK), ("1.18.0", NIL_POINTER), ("1.18.1", NIL_POINTER), ("1.18.2", OK), ("1.31", OK)]
)
def test_a_node_removed_before_its_two_pods(release: str, end: Outcome) -> None:
    """CACHE-NODE-BEFORE-PODS-CRASH."""
    rules = rules_of(release)
    cache = cache_of(rules, (N1,), (pod("p1"), pod("p2")))
    cache = done(remove_node(rules, cache, N1))
    cache = done(update_pod(rules, cache, pod("p1"), pod("p1", resource_version=1)))
    assert update_pod(rules, cache, pod("p2"), pod("p2", resource_version=1))[0] == end


@pytest.mark.parametrize(
    ("release", "fails"),
    [("1.17", False), ("1.18.8", False), ("1.18.9", True), ("1.18.10", False), ("1.19.0-rc.1", False), ("1.19.0", True),
     ("1.19.3", False), ("1.20.0", False), ("1.31", False)],
)  # fmt: skip
def test_a_ghost_in_the_count_of_nodes_fails_every_cycle(release: str, fails: bool) -> None:
    """SNAP-GHOST-COUNT."""
    rules = rules_of(release)
    cache = cache_of(rules, (N1, N2), (pod("p1", "n2"),))
    first = only(update_snapshot(rules, cache, CacheSnapshot()))
    assert first.error is None
    removed = done(remove_node(rules, first.cache, N2))
    second = only(update_snapshot(rules, removed, first.snapshot))
    assert (second.error is not None) is fails
    third = only(update_snapshot(rules, second.cache, second.snapshot))
    assert third.snapshot.node_info_list == ("n1",)
    # The list recovers after the first failure; the map keeps the node, in 1.14 to 1.17 too, where it does no harm.
    assert (third.snapshot.get("n2") is not None) is (fails or release == "1.17")


def test_a_generation_that_starts_anew_hides_a_node_that_was_added_again() -> None:
    """CACHE-GEN-COLLISION, to 1.10."""
    for next_generation, hidden in (
        (next_generation_of_node, True),
        (newest(CacheRules, "scheduling").next_generation, False),
    ):
        rules = evolve(rules_of("1.13"), next_generation=next_generation, take_snapshot=snapshot_by_equal_generation)
        update = only(update_snapshot(rules, cache_of(rules, (N1,), (pod("p1"),)), CacheSnapshot()))
        cache = done(remove_pod(rules, update.cache, pod("p1")))
        cache = done(remove_node(rules, cache, N1))
        cache = done(add_pod(rules, done(add_node(rules, cache, N1)), pod("p2")))
        info = only(update_snapshot(rules, cache, update.snapshot)).snapshot.get("n1")
        assert info is not None
        assert info.has_pod("p1" if hidden else "p2")


@pytest.mark.parametrize(
    ("release", "ttl"),
    [("1.13", 30_000), ("1.20.13", 30_000), ("1.20.14", 120_000), ("1.21.7", 30_000), ("1.21.8", 120_000),
     ("1.22.4", 30_000), ("1.22.5", 120_000), ("1.23.0", 900_000), ("1.24", 900_000)],
)  # fmt: skip
def test_an_assumed_pod_expires_after_the_ttl(release: str, ttl: int) -> None:
    """CACHE-ASSUME-TTL: its Add event comes later, and in between its room is given away."""
    rules = rules_of(release)
    cache = done(assume_pod(rules, cache_of(rules, (N1,)), pod("p1")))
    assert done(cleanup_assumed_pods(rules, cache, 10**9)) == cache  # its binding is not finished
    cache = done(finish_binding(rules, cache, pod("p1"), 5))
    assert done(cleanup_assumed_pods(rules, cache, 5 + ttl)) == cache
    gone = done(cleanup_assumed_pods(rules, cache, 5 + ttl + 1))
    assert gone.pod_states == ()
    assert gone.nodes[0].requested_cpu == 0


def test_an_assumed_pod_never_expires_from_1_25_on() -> None:
    rules = rules_of("1.25.0")
    cache = done(assume_pod(rules, cache_of(rules, (N1,)), pod("p1")))
    cache = done(finish_binding(rules, cache, pod("p1"), 5))
    assert done(cleanup_assumed_pods(rules, cache, 10**12)) == cache


@pytest.mark.parametrize(("release", "marked"), [("1.24", True), ("1.35.7", True), ("1.36.0", False)])
def test_the_cache_is_told_of_a_binding(release: str, marked: bool) -> None:
    rules = rules_of(release)
    cache = done(assume_pod(rules, cache_of(rules, (N1,)), pod("p1")))
    assert (done(finish_binding(rules, cache, pod("p1"), 5)) != cache) is marked


@pytest.mark.parametrize(("release", "error"), [("1.34.9", True), ("1.35.0", False)])
def test_a_pod_that_is_gone_is_forgotten(release: str, error: bool) -> None:
    rules = rules_of(release)
    cache = cache_of(rules, (N1,))
    outcome, after = forget_pod(rules, cache, pod("p1"))
    assert after == cache
    assert (outcome.error == "pod p1(ns/p1) wasn't assumed so cannot be forgotten") is error


@pytest.mark.parametrize(("release", "left"), [("1.32.13", 10), ("1.33.0", 0)])
def test_what_a_removed_pod_no_longer_asks_for(release: str, left: int) -> None:
    """An update whose old object is stale: RemovePod subtracts what that object asks for, or what was counted."""
    rules = rules_of(release)
    old, new = pod("p1", cpu_milli=100), pod("p1", cpu_milli=110)
    cache = done(update_pod(rules, cache_of(rules, (N1,), (old,)), old, new))
    cache = done(update_pod(rules, cache, old, new))
    assert cache.nodes[0].requested_cpu - new.cpu_milli == left


@pytest.mark.parametrize(
    ("release", "stays"), [("1.20.13", True), ("1.20.14", False), ("1.21", False), ("1.22.4", True), ("1.23", False)]
)
def test_a_missed_delete_of_an_assumed_pod(release: str, stays: bool) -> None:
    """CACHE-MISSED-DELETE: the last state known has no node name."""
    rules = rules_of(release)
    cache = done(assume_pod(rules, cache_of(rules, (N1,)), pod("p1")))
    outcome, cache = remove_pod(rules, cache, pod("p1", ""))
    assert (outcome.error is not None) is stays
    assert is_assumed_pod(cache, pod("p1")) is stays


@pytest.mark.parametrize("release", ["1.13", "1.18", "1.24", "1.31"])
def test_another_incarnation_on_another_node_ends_the_process(release: str) -> None:
    """CACHE-RECREATE-UID: delete and create of one name, seen as one update."""
    rules = rules_of(release)
    cache = cache_of(rules, (N1, N2), (pod("u1", name="p"),))
    assert update_pod(rules, cache, pod("u1", name="p"), pod("u2", "n2", name="p")) == (CORRUPTED, cache)


@pytest.mark.parametrize(("release", "key"), [("1.18", "u1"), ("1.23", "u1"), ("1.24", "u2"), ("1.31", "u2")])
def test_another_incarnation_on_the_same_node_is_filed_under(release: str, key: str) -> None:
    rules = rules_of(release)
    cache = cache_of(rules, (N1,), (pod("u1", name="p"),))
    cache = done(update_pod(rules, cache, pod("u1", name="p"), pod("u2", name="p", cpu_milli=300)))
    assert [(state.key, state.pod.uid) for state in cache.pod_states] == [(key, "u2")]
    assert cache.nodes[0].requested_cpu == 300


@pytest.mark.parametrize("release", ["1.24", "1.31"])
def test_an_update_to_an_assumed_incarnation_leaves_it_assumed(release: str) -> None:
    """`addPod` takes nothing out of assumedPods; the node counts the incarnation twice from then on."""
    rules = rules_of(release)
    cache = cache_of(rules, (N1,), (pod("u1", name="p"),))
    cache = done(assume_pod(rules, cache, pod("u2", name="p")))
    cache = done(update_pod(rules, cache, pod("u1", name="p"), pod("u2", name="p")))
    assert is_assumed_pod(cache, pod("u2", name="p"))
    assert cache.nodes[0].requested_cpu == 200


def test_an_update_in_two_holds_lets_a_snapshot_see_the_node_free() -> None:
    """CACHE-UPDATE-NONATOMIC: the event handler of 1.19 to 1.23 removes and adds."""
    rules = rules_of("1.22.4")
    cache = cache_of(rules, (N1,), (pod("u1", name="p", cpu_milli=4000),))
    between = done(remove_pod(rules, cache, pod("u1", name="p", cpu_milli=4000)))
    info = only(update_snapshot(rules, between, CacheSnapshot())).snapshot.get("n1")
    assert info is not None
    assert (info.requested_cpu, info.allocatable_cpu) == (0, 4000)


@pytest.mark.parametrize(("release", "version"), [("1.13", 1), ("1.23", 1), ("1.25", 1), ("1.26", 2), ("1.31", 2)])
def test_a_confirmed_pods_object_in_node_info(release: str, version: int) -> None:
    """CACHE-ASSUMED-OBJ-STALE."""
    rules = rules_of(release)
    cache = done(assume_pod(rules, cache_of(rules, (N1,)), pod("p1", resource_version=1)))
    cache = done(add_pod(rules, cache, pod("p1", resource_version=2)))
    assert get_pod(rules, cache, pod("p1")) == (None, pod("p1", resource_version=2))
    assert [known.resource_version for known in cache.nodes[0].pods] == [version]


@pytest.mark.parametrize("release", ["1.13", "1.23", "1.24", "1.31"])
def test_a_pod_assumed_on_one_node_and_added_on_another(release: str) -> None:
    """CACHE-ASSUMED-OTHER-NODE, to 1.8: podStates keeps the assumed node."""
    rules = rules_of(release)
    for confirm, end in ((rules.confirm_assumed_pod, OK), (confirm_keeping_pod_state, CORRUPTED)):
        used = evolve(rules, confirm_assumed_pod=confirm)
        cache = done(assume_pod(used, cache_of(used, (N1, N2)), pod("p1", "n1")))
        cache = done(add_pod(used, cache, pod("p1", "n2")))
        assert [info.requested_cpu for info in cache.nodes] == [0, 100]
        assert not is_assumed_pod(cache, pod("p1"))
        assert update_pod(used, cache, pod("p1", "n2"), pod("p1", "n2", resource_version=1))[0] == end


@pytest.mark.parametrize("release", ["1.13", "1.20", "1.31"])
def test_a_confirmed_pod_can_be_neither_forgotten_nor_assumed(release: str) -> None:
    """CACHE-FORGET-ASSUME-CYCLE: the bind request timed out, but the pod is bound."""
    rules = rules_of(release)
    cache = done(assume_pod(rules, cache_of(rules, (N1,)), pod("p1")))
    cache = done(add_pod(rules, cache, pod("p1")))
    for function in (forget_pod, assume_pod):
        outcome, after = function(rules, cache, pod("p1"))
        assert outcome.error is not None
        assert after == cache


@pytest.mark.parametrize(("release", "listed"), [("1.13", ()), ("1.17", ()), ("1.19", ("n1",)), ("1.31", ("n1",))])
def test_an_update_of_an_unknown_node(release: str, listed: tuple[str, ...]) -> None:
    """NODETREE-UPDATE-UNKNOWN."""
    rules = rules_of(release)
    cache = done(update_node(rules, Cache(), N1, N1))
    assert only(update_snapshot(rules, cache, CacheSnapshot())).snapshot.node_info_list == listed
    assert find_node_info(cache.nodes, "n1") is not None


@pytest.mark.parametrize(
    ("release", "fails"),
    [("1.14", False), ("1.17", False), ("1.18.0", True), ("1.18.9", True), ("1.18.10", False), ("1.19.2", True),
     ("1.19.3", False), ("1.31", False)],
)  # fmt: skip
def test_a_node_removed_by_its_name_only_stays_in_the_tree(release: str, fails: bool) -> None:
    """NODETREE-NAMEONLY-REMOVE: while gone nodes are those that the cache has not, every cycle fails.

    Counted by the tree, the removed node stays in the snapshot, with room for pods.
    """
    rules = rules_of(release)
    update = only(update_snapshot(rules, cache_of(rules, (N1, N2)), CacheSnapshot()))
    cache = remove_node(rules, update.cache, Node("n1"))[1]
    assert cache.node_tree.num_nodes == 2
    for _ in range(2):
        update = only(update_snapshot(rules, cache, update.snapshot))
        assert (update.error is not None) is fails
    assert (update.snapshot.get("n1") is not None) is (release in ("1.18.10", "1.19.3", "1.31"))


def test_of_too_many_stale_names_any_may_go() -> None:
    """Go deletes them in map order, as many as the map is longer than the cache (1.18, 1.19)."""
    rules = rules_of("1.19.0")
    update = only(update_snapshot(rules, cache_of(rules, (N1, N2)), CacheSnapshot()))
    cache = done(remove_node(rules, done(remove_node(rules, update.cache, N1)), N2))
    cache = done(add_pod(rules, cache, pod("p1", "n3")))
    updates = update_snapshot(rules, cache, update.snapshot)
    assert {tuple(info.name for info in update.snapshot.node_info_map) for update in updates} == {("n1",), ("n2",)}
