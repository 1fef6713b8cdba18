"""What is said of a system once: the Go place of each of its actions, in every release."""

import pytest

from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.releases import parse_release, rules_for

LISTING = "cache.go UpdateSnapshot, updateNodeInfoSnapshotList"
POST_STOP = "internal_container_lifecycle.go PostStopContainer"
EACH_SYSTEM = pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)


@EACH_SYSTEM
def test_every_action_has_a_place(system: System) -> None:
    rules = rules_for(system.rules_class, parse_release("1.31"))
    assert set(system.places) == set(system.machine(system.scope, rules).action_names)


@pytest.mark.parametrize(
    ("name", "action", "release", "place"),
    [
        ("node-listing", "add_node", "1.16.15", "cache.go AddNode -> node_tree.go AddNode"),
        ("node-listing", "add_node", "1.17.0", "cache.go AddNode -> node_tree.go addNode"),
        ("node-listing", "update_snapshot", "1.19.16", f"{LISTING} -> node_tree.go next"),
        ("node-listing", "update_snapshot", "1.20.0", f"{LISTING} -> node_tree.go list"),
        ("cpu-manager", "exit_container", "1.18.3", f"the container -> {POST_STOP}"),
        ("cpu-manager", "exit_container", "1.18.4", "the container"),
        ("cpu-manager", "reconcile_state", "1.16.15", "cpu_manager.go reconcileState"),
        ("cpu-manager", "reconcile_state", "1.31.14", "cpu_manager.go reconcileState, removeStaleState"),
    ],
)  # fmt: skip
def test_a_place_is_that_of_the_release(name: str, action: str, release: str, place: str) -> None:
    assert SYSTEMS[name].place(action, parse_release(release)) == place
