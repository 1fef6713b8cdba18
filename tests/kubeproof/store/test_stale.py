"""After a change exactly what depends on it is computed again: rules, helpers, properties, scopes, specs, versions."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.engines.question import Question, question
from kubeproof.store import results
from kubeproof.store.digests import Digests
from kubeproof.store.results import kept_answer
from kubeproof.store.store import Store
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Result
from model.releases import known_release
from tests.kubeproof.store.sources import ENGINES, edited, specs

TREE = "model.scheduler.cache.node_tree"
LISTING = "properties.node_listing.listing"
# Releases that follow other rules: 1.13 and 1.18.0 list with cursors that go on, 1.20 without cursors.
RELEASES = ("1.13.0", "1.18.0", "1.20.0")
ASKED = tuple((release, engine) for release in RELEASES for engine in ("explicit", "tlc"))
PROPERTIES = frozenset(p.name for p in NODE_LISTING.properties)

# What was computed: (release, engine, scope, property).
Computed = set[tuple[str, str, str, str]]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Computed:
    found: Computed = set()

    def answer(asked: Question) -> list[Result]:
        """The explicit engine in the place of each engine: rules are looked up as by a machine."""
        found.update((str(asked.release), asked.engine, repr(asked.scope), p.name) for p in asked.properties)
        checked = explicit.check(asked.machine(), asked.properties)
        return [result.evolve(engine=asked.engine) for result in checked]

    monkeypatch.setattr(results, "answer", answer)
    return found


def ask(folder: Path, digests: Digests, scope: str = "nodes=2,zones=2,moves=1") -> list[Result]:
    """All questions of this test."""
    store = Store(folder, digests, begun=time.time() + 1)
    bounds = NODE_LISTING.parse_scope(scope)
    return [
        result
        for release, engine in ASKED
        for result in kept_answer(store, question(NODE_LISTING, known_release(release), engine, scope=bounds))
    ]


def again(folder: Path, computed: Computed, digests: Digests, **other: str) -> Computed:
    """What is computed with these digests after all was computed with those of the sources."""
    before = ask(folder, edited())
    computed.clear()
    assert _plain(ask(folder, digests, **other)) == _plain(before) or other
    again = set(computed)
    computed.clear()
    ask(folder, digests, **other)
    assert not computed
    return again


def _plain(found: list[Result]) -> list[Result]:
    return [result.evolve(seconds=0) for result in found]


def of(releases: tuple[str, ...] = RELEASES, engines: tuple[str, ...] = ("explicit", "tlc")) -> Callable[..., bool]:
    return lambda release, engine, *_: release in releases and engine in engines


def only(computed: Computed, meant: Callable[..., bool]) -> bool:
    """Whether what was computed is what is meant, of each property."""
    scope = repr(NODE_LISTING.parse_scope("nodes=2,zones=2,moves=1"))
    every = {(release, engine, scope, name) for release, engine in ASKED for name in PROPERTIES}
    return computed == {each for each in every if meant(*each)}


def test_nothing_is_computed_again_without_a_change(tmp_path: Path, computed: Computed) -> None:
    assert not again(tmp_path, computed, edited())


@pytest.mark.parametrize(
    ("definition", "releases"),
    [
        # A rule: the releases that follow it. One that no release here follows; a mutant.
        (f"{TREE}:list_stateless", ("1.20.0",)),
        (f"{TREE}:list_from_resuming_cursors", ("1.13.0", "1.18.0")),
        (f"{TREE}:list_from_reset_cursors", ()),
        (f"{LISTING}:list_one_per_zone", ()),
        # A helper that rules alone call; one that the machine calls too; a method of its state; the machine.
        (f"{TREE}:list_error", ("1.20.0",)),
        ("model.scheduler.cache.node_list:not_consistent", ("1.18.0", "1.20.0")),
        (f"{TREE}:reset_exhausted", ()),
        (f"{TREE}:update_node", RELEASES),
        (f"{TREE}:NodeTree.names", RELEASES),
        ("model.systems.node_listing:NodeListingMachine._of_tree", RELEASES),
        # What the system does not have.
        ("model.scheduler.skip:skip_pod_update", ()),
        ("properties.scheduling.pods:in_one_place", ()),
    ],
)
def test_a_rule_or_what_it_calls(
    definition: str, releases: tuple[str, ...], tmp_path: Path, computed: Computed
) -> None:
    assert only(again(tmp_path, computed, _edited(definition)), of(releases))


def _edited(definition: str) -> Digests:
    """What is not among the sources of the system has no digest there."""
    try:
        return edited(definition)
    except StopIteration:
        return edited()


def test_a_property(tmp_path: Path, computed: Computed) -> None:
    found = again(tmp_path, computed, edited(f"{LISTING}:same_length"))
    assert {(release, engine) for release, engine, _, _ in found} == set(ASKED)
    assert {name for *_, name in found} == {"list-as-long-as-tree"}


def test_a_scope(tmp_path: Path, computed: Computed) -> None:
    found = again(tmp_path, computed, edited(), scope="nodes=1,zones=1,moves=0")
    assert {scope for _, _, scope, _ in found} == {repr(NODE_LISTING.parse_scope("nodes=1,zones=1,moves=0"))}
    assert len(found) == len(ASKED) * len(PROPERTIES)


def _with_spec(name: str) -> Digests:
    assert name in specs()
    return evolve(edited(), specs=edited().specs | {name: "another text"})


def test_a_spec(tmp_path: Path, computed: Computed) -> None:
    assert only(again(tmp_path, computed, _with_spec("NodeTree.tla")), of(engines=("tlc",)))
    assert not again(tmp_path, computed, _with_spec("Queue.tla"))


def test_the_version_of_an_engine(tmp_path: Path, computed: Computed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "tlc", "tla2tools 2")
    assert only(again(tmp_path, computed, edited.__wrapped__()), of(engines=("tlc",)))


def test_the_code_of_an_engine(tmp_path: Path, computed: Computed) -> None:
    found = again(tmp_path, computed, edited("kubeproof.engines.explicit.lasso:find_lasso"))
    assert only(found, of(engines=("explicit",)))


def test_what_two_changes_back_was_computed_is_there_still(tmp_path: Path, computed: Computed) -> None:
    again(tmp_path, computed, edited(f"{TREE}:list_stateless"))
    ask(tmp_path, edited())
    assert not computed


def test_a_rule_from_outside_is_never_kept(tmp_path: Path, computed: Computed) -> None:
    def stateless(tree: Any) -> Any:
        return asked.rules.list_nodes(tree)

    asked = question(
        NODE_LISTING, known_release("1.20.0"), "explicit", scope=NODE_LISTING.parse_scope("nodes=1,moves=0")
    )
    own = evolve(asked, rules=evolve(asked.rules, list_nodes=stateless))
    for _ in range(2):
        kept_answer(Store(tmp_path, edited(), begun=time.time() + 1), own)
        assert len(computed) == len(PROPERTIES)
        computed.clear()


def test_sources_that_changed_after_the_command_began_keep_nothing(tmp_path: Path, computed: Computed) -> None:
    asked = question(
        NODE_LISTING, known_release("1.20.0"), "explicit", scope=NODE_LISTING.parse_scope("nodes=1,moves=0")
    )
    for _ in range(2):
        kept_answer(Store(tmp_path, edited(), begun=0.0), asked)
        assert computed
        computed.clear()
