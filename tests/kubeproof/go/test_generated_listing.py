"""The Go test that plays the kept run of node-listing on the cache: each action a line, and what it says of a state."""

from pathlib import Path

from attrs import evolve

from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.runs import kept_run
from kubeproof.go.further_tests import GoTest
from kubeproof.go.generated import go_test_file, played_run
from kubeproof.go.registry import CACHE
from kubeproof.go.written import write_tests
from kubeproof.players.registry import player_of
from kubeproof.systems.registry import system_named
from model.machine import Action
from model.releases import known_release
from tests.kubeproof.go.test_drivers import gofmt, tree

CURSOR = bug_named("NODETREE-CURSOR")
# What the halves are chosen by.
OF_1_18 = """package cache

func newSchedulerCache(ttl, period time.Duration, stop <-chan struct{}) *schedulerCache {}
func (cache *schedulerCache) AddPod(pod *v1.Pod) error {}
func (cache *schedulerCache) cleanupAssumedPods(now time.Time) {}
func (nt *nodeTree) next() string {}
type Snapshot struct {
	nodeInfoList []*schedulernodeinfo.NodeInfo
}
"""


def test_the_kept_run_is_written_for_the_cache(tmp_path: Path) -> None:
    made = write_tests([CURSOR], known_release("1.18.6"), tree(tmp_path / "tree", OF_1_18), tmp_path / "out")
    (package,) = made.packages
    assert (package.driver, package.tests) == ("cache", {"NODETREE-CURSOR": "TestNodetreeCursor"})
    file = package.out / "zz_nodetree_cursor_test.go"
    text = file.read_text()
    assert 'Halves: "new_scheduler_cache, calls_scheduler_cache, expiry_plain, infos_nodeinfo, tree_next"' in text
    taken = [line.strip() for line in text.splitlines() if line.startswith("\tk.") and "state(" not in line]
    assert taken == [
        "k.mustHold(listedExactlyOnce)", 'k.addNode("n1", "z1")', 'k.addNode("n2", "z1")', "k.updateSnapshot()",
        'k.addNode("n3", "z2")', "k.updateSnapshot()",
    ]  # fmt: skip
    assert '"snapshot: nodeInfoList = [n3, n1, n3]",' in text
    assert gofmt(file, package.out / "zz_property_listedExactlyOnce_test.go") == ""
    assert "the property holds in this run" in go_test_file(
        GoTest(CURSOR, kept_run(CURSOR)), known_release("1.18.7"), "", ""
    )


def test_each_action_is_a_method_of_the_driver() -> None:
    actions = (
        Action.of("add_node", node="n1", zone="z1"), Action.of("update_node", node="n1", zone="z2"),
        Action.of("remove_node", node="n1"), Action.of("update_snapshot"),
    )  # fmt: skip
    lines = [player_of("node-listing").call(action, None) for action in actions]
    assert lines[1:3] == ['k.updateNode("n1", "z2")', 'k.removeNode("n1")']
    driven = CACHE.source("listing.go")
    assert all(f"func (k *playedListing) {line[2:].partition('(')[0]}(" in driven for line in lines)
    machine = played_run(GoTest(CURSOR, kept_run(CURSOR)), known_release("1.18.4")).machine
    assert {action.name for action in actions} == set(machine.action_names)  # type: ignore[attr-defined]


def test_a_snapshot_is_told_when_it_is_taken_and_its_map_where_there_is_one() -> None:
    facts = player_of("node-listing").facts
    told = {}
    for release in ("1.17.17", "1.18.4"):
        steps = played_run(GoTest(CURSOR, kept_run(CURSOR)), known_release(release)).trace.steps
        assert not any(subject.startswith("snapshot") for subject in facts(steps[4].state))
        told[release] = {name: fact for name, fact in facts(steps[5].state).items() if name.startswith("snapshot")}
    assert told["1.17.17"] == {"snapshot: nodeInfoList": "[n3, n1, n3]"}
    assert told["1.18.4"] == {**told["1.17.17"], "snapshot: nodeInfoMap": ("n1", "n2", "n3")}
    failed = evolve(steps[5].state, failed=True)
    assert facts(failed)["the last cycle"] == "failed" == system_named("node-listing").facts(failed)["the last cycle"]
