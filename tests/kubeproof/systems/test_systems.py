"""What is said of a system once: the Go place of each of its actions, in every release."""

import ast

import pytest
from attrs import evolve, fields

from kubeproof.engines.explicit import Limits, explore
from kubeproof.errors import InputError
from kubeproof.fix.fix import named_rules, systems_with
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.releases import release_notes
from kubeproof.systems.system import System
from model.releases import parse_release, rules_for
from tests.conftest import ROOT

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


def _asked_by_name(tree: ast.AST) -> list[int]:
    """The lines in which a system's name is a key of a table, is compared with, or stands in square brackets."""
    keys = (ast.Dict, ast.Compare, ast.Subscript)
    found = [part for node in ast.walk(tree) if isinstance(node, keys) for part in _names_in(node)]
    return [part.lineno for part in found if _is_name(part)]


def _names_in(node: ast.Dict | ast.Compare | ast.Subscript) -> list[ast.expr]:
    if isinstance(node, ast.Dict):
        return [key for key in node.keys if key is not None]
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else [node.slice]
    return [part for side in sides for part in (side.elts if isinstance(side, ast.Tuple | ast.List) else [side])]


def _is_name(part: ast.expr) -> bool:
    """`"scheduling"` or `SCHEDULING.name`."""
    constants = {name.upper().replace("-", "_") for name in SYSTEMS}
    if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
        return part.attr == "name" and part.value.id in constants
    return isinstance(part, ast.Constant) and part.value in SYSTEMS


@pytest.mark.slow
def test_nothing_but_a_systems_description_goes_by_its_name() -> None:
    assert _asked_by_name(ast.parse("X = {'scheduling': 1}")) == [1]
    assert _asked_by_name(ast.parse("x = 1\nif bug.system != 'node-listing': pass")) == [2]
    assert _asked_by_name(ast.parse("X = {SCHEDULING.name: 1}\nY = X['cpu-manager']")) == [1, 2]
    files = [path for folder in ("kubeproof", "benchmarks", "properties") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 100
    for path in files:
        found = _asked_by_name(ast.parse(path.read_text("utf-8")))
        assert not found, f"{path.relative_to(ROOT)}, line {found[0]}: a field of System says that"


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.28.0", "1.32.0"])
def test_queueing_hints_asks_none_of_the_rules_that_it_says_it_never_asks(release: str) -> None:
    def asked(*arguments: object) -> object:
        raise AssertionError("a step asks this rule")

    system = QUEUEING_HINTS
    rules = rules_for(system.rules_class, parse_release(release, system.minors))
    for scope in (*system.scopes.fix_narrow, evolve(system.scopes.large, fine=1)):
        machine = system.machine(scope, evolve(rules, **dict.fromkeys(system.never_asked, asked)))
        assert explore(machine, limits=Limits(states=200)).counts.distinct > 1


def test_a_rule_that_no_step_asks_is_no_rule_of_the_system() -> None:
    assert {field.name for field in fields(QUEUEING_HINTS.rules_class)} > set(QUEUEING_HINTS.rule_fields)
    with pytest.raises(InputError, match="'list_nodes' is not a rule of queueing-hints"):
        systems_with(named_rules(["list_nodes=list_stateless"]), [QUEUEING_HINTS])


@EACH_SYSTEM
def test_a_note_on_an_inferred_rule_says_what_the_rule_is(system: System) -> None:
    notes = [note for release in ("1.15.12", "1.17.10") for note in _notes(system, release)]
    assert all(note.partition(": ")[2].strip() for note in notes)


def _notes(system: System, release: str) -> tuple[str, ...]:
    return release_notes(parse_release(release), system.rule_fields)


def test_a_bound_that_is_not_named_and_too_small_so_is_to_be_named() -> None:
    with pytest.raises(
        InputError, match=r"'goroutines' must be >= 1: 0; a bound that is not named is 0 here: name this one too"
    ):
        QUEUEING_HINTS.parse_scope("0,pods=1,gate=1")
    with pytest.raises(InputError, match=r"'goroutines' must be >= 1: 0$"):
        QUEUEING_HINTS.parse_scope("0,pods=1,gate=1,goroutines=0")
