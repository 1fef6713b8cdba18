"""What is said of a system once: the Go place of each of its actions, in every release."""

import ast
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from attrs import evolve, fields

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import KeptRun, kept_runs
from kubeproof.engines.explicit import Limits, explore
from kubeproof.engines.explicit.shared import LookedUp, Shared
from kubeproof.errors import InputError
from kubeproof.fix.fix import named_rules, systems_with
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.releases import release_notes
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.scheduling_cycle import SCHEDULING_CYCLE
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.trace import ReplayError, replay
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


# What commands ask of a release, and no step.
OF_COMMANDS = frozenset({"queueing_hints_default", "queueing_hints_locked"})
# A release and a scope for what neither a kept run nor a small scope asks.
DEEPER = {
    "scheduling": [
        ("1.31.0", "only pods=2,high=1,nodes=1,room=1,goroutines=1,preemption=1,graceful=1"),
        ("1.36.2", "only pods=2,high=1,nodes=1,room=1,goroutines=1,recreates=1,preemption=1,fine=1"),
    ]
}
# What is asked in larger scopes alone, or in releases in which only the repository's demonstrations ask.
LARGER = {
    "scheduling": {"panics_at_nil_node", "pop_lock"},
    "scheduling-cycle": {"done_without_profile", "nominated_node_moves_start"},
    "queueing-hints": {"active_q_heads", "error_func", "nominate_for_node", "nominated_pod", "strip_pod"},
    "preemption": {"looks_in_any_order", "no_nodes", "node_not_found_in_victims", "null_victims"},
    "cpu-manager": {
        "container_in_text", "generate_cpu_topology_hints", "pod_guaranteed_cpus", "take_by_topology_numa_distributed",
    },
}  # fmt: skip


def looked_up(system: System, release: str, does: Callable[[LookedUp, Shared], object]) -> frozenset[str]:
    """The rule fields that `does` looks up."""
    shared = Shared(rules_of(system.mutants, system.repairs))
    found = shared.under(rules_for(system.rules_class, parse_release(release, system.minors)))
    does(found, shared)
    return found.fields


def in_kept_runs(system: System) -> set[str]:
    fields = set[str]()
    for bug in BUGS:
        for run in kept_runs(bug.id) if bug.system == system.name else ():

            def play(rules: LookedUp, shared: Shared, run: KeptRun = run) -> None:
                with suppress(ReplayError):
                    replay(system.machine(run.scope, rules.rules), run.actions, loop=run.loop)

            fields |= looked_up(system, bug.release, play)
    return fields


def in_scope(system: System, release: str, scope: Any, states: int) -> frozenset[str]:
    def search(rules: LookedUp, shared: Shared) -> None:
        machine = partial(system.machine, scope)
        explore(shared.search(scope, rules, machine), symmetry=True, limits=Limits(states=states))

    return looked_up(system, release, search)


@pytest.mark.parametrize("system", [SCHEDULING, SCHEDULING_CYCLE], ids=lambda system: system.name)
def test_no_step_asks_a_rule_that_the_system_says_it_never_asks(system: System) -> None:
    assert system.never_asked
    assert in_kept_runs(system).isdisjoint(system.never_asked)


@pytest.mark.slow
@EACH_SYSTEM
def test_some_step_asks_every_rule(system: System) -> None:
    """Else a fix of the rule would be judged where it cannot matter. Systems that extend others share their scopes."""
    asked = set[str](OF_COMMANDS | LARGER.get(system.name, set()))
    for each in (system, *(SYSTEMS[name] for name in system.extends)):
        asked |= in_kept_runs(each) | LARGER.get(each.name, set())
        of = each.scopes
        for release in (f"1.{each.minors[-1]}", f"1.{each.minors[0]}"):
            for scope in dict.fromkeys((*of.fix_narrow, of.fix, of.default, *of.besides, *of.few_powers, *of.mutants)):
                asked |= in_scope(each, release, scope, 300)
        for release, text in DEEPER.get(each.name, ()):
            asked |= in_scope(each, release, each.parse_scope(text), 700)
    assert set(system.rule_fields) - asked == set()


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
