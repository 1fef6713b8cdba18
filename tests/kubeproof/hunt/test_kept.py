"""The kept file of a hunt: what no hunt finds is refused in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.errors import InputError
from kubeproof.hunt.found import Asked, FoundBug, Way, same_bug
from kubeproof.hunt.hunt import hunt
from kubeproof.hunt.kept import as_document, read_kept
from kubeproof.systems.node_listing import NODE_LISTING
from model.machine import Action
from model.releases import parse_release

LISTING, SMALL = Asked(NODE_LISTING, parse_release("1.18.4")), NODE_LISTING.parse_scope("0,nodes=3,zones=2,moves=0")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a hunt keeps that found one bug."""
    path = tmp_path_factory.mktemp("hunt") / "kept.json"
    hunt(LISTING, 60.0, path, workers=1, scopes=[SMALL])
    return json.loads(path.read_bytes())


def put(document: Any, *path: str | int, value: Any) -> None:
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


def nothing_cures_nothing(document: Any) -> None:
    """Two bugs without cures and without actions."""
    put(document, "bugs", 0, "cures", value=[])
    put(document, "bugs", 0, "actions", value=[])
    document["bugs"] *= 2


DAMAGES: dict[str, Callable[[Any], Any]] = {
    "a rule that is none": lambda kept: put(kept, "bugs", 0, "cures", 0, "swaps", 0, "cured_by", value="nonsense"),
    "a rule field that is none": lambda kept: put(kept, "bugs", 0, "cures", 0, "swaps", 0, "field", value="nonsense"),
    "no actions": nothing_cures_nothing,
    "no swaps": lambda kept: put(kept, "bugs", 0, "cures", 0, "swaps", value=[]),
    "another system's property": lambda kept: put(kept, "bugs", 0, "property", value="pod-in-one-place"),
    "a way of another property": lambda kept: put(kept, "bugs", 0, "ways", 0, "property", value="pod-in-one-place"),
    "a scope that is none": lambda kept: put(kept, "bugs", 0, "scope", value="nodes=x"),
    "a number without an end": lambda kept: put(kept, "bugs", 0, "cut", value=float("inf")),
    "cures that are a list": lambda kept: put(kept, "cures", value=[]),
    "a cure that is none": lambda kept: put(kept, "cures", "list_nodes", value="nonsense"),
    "from before ways were kept": lambda kept: kept["bugs"][0].pop("ways"),
    "from before actions without powers were kept": lambda kept: kept["bugs"][0].pop("without_powers"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_no_hunt_finds_is_refused(damage: str, document: Any, tmp_path: Path) -> None:
    path, damaged = tmp_path / "kept.json", json.loads(json.dumps(document))
    path.write_text(json.dumps(damaged))
    assert as_document(read_kept(path, LISTING)) == document
    DAMAGES[damage](damaged)
    path.write_text(json.dumps(damaged))
    with pytest.raises(InputError, match="not what a hunt found"):
        hunt(LISTING, 0.0, path, workers=1)


@pytest.mark.parametrize("damage", [lambda kept: kept.pop("code"), lambda kept: put(kept, "code", value="0" * 16)])
def test_what_another_version_found_is_not_gone_on_with(
    damage: Callable[[Any], Any], document: Any, tmp_path: Path
) -> None:
    path, old = tmp_path / "kept.json", json.loads(json.dumps(document))
    damage(old)
    path.write_text(json.dumps(old))
    with pytest.raises(InputError, match="found by another version of kubeproof"):
        hunt(LISTING, 0.0, path, workers=1)


def test_a_run_in_which_each_action_uses_a_power_is_not_part_of_every_run() -> None:
    def bug(*names: str, without_powers: tuple[str, ...] = ()) -> FoundBug:
        actions = tuple(Action(name, ()) for name in names)
        ways = (Way("p", (), len(actions)),)
        return FoundBug(
            *("p", (), SMALL, actions, "", (), (), 0),
            own=True, under=(), without_powers=without_powers, earlier=(), ways=ways,
        )  # fmt: skip

    shorter = bug("crash", "end")
    assert same_bug(shorter, evolve(shorter, scope=NODE_LISTING.parse_scope("0,nodes=4,zones=2")))
    assert same_bug(shorter, bug("crash", "restart", "end"))
    assert not same_bug(shorter, bug("restart", "end"))
    assert not same_bug(shorter, bug("add", "end", without_powers=("add",)))
