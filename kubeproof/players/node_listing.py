"""Runs of node-listing, played by the driver `cache`."""

from typing import Any

from kubeproof.players.player import Player, call
from kubeproof.systems.node_listing import words
from kubeproof.systems.system import Facts
from model.machine import Action, Machine
from model.systems.node_listing import NodeListing


def _begin(_: Machine[Any], run: str, further: tuple[str, ...] = ()) -> list[str]:
    return [f"k := newPlayedListing(t, {run})"]


def _call(action: Action, _: NodeListing | None) -> str:
    return call(action.name, *(name for _, name in action.args))


def _facts(state: NodeListing) -> Facts:
    """Those of the pages, and of the snapshot only when it is taken: nothing changes it before the next one."""
    found = words.facts(state)
    if not state.fresh:
        return {subject: fact for subject, fact in found.items() if subject.startswith("nodeTree: ")}
    # Up to 1.17 the model has no map, which the pages tell only if the list has other names.
    found.pop("snapshot: nodeInfoMap", None)
    names = state.snapshot.node_info_map
    return {**found, "snapshot: nodeInfoMap": names} if names else found


NODE_LISTING = Player("node-listing", "cache", _begin, _call, _facts)
