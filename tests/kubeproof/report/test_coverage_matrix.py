"""The report's coverage matrix: recordings that diverge do not count, and what a rule breaks is computed."""

import json
from collections import Counter
from pathlib import Path

import pytest
from attrs import evolve, make_class

from kubeproof.conform.conform import replay_file
from kubeproof.errors import InputError
from kubeproof.report import coverage
from kubeproof.report.coverage import coverage_rows, killed_by_field, operations_of
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from model.releases import newest, parse_release, rules_for
from tests.conftest import DATA

RECORDING = DATA / "node_tree-1.17.10.jsonl"


def test_operations_are_counted_where_the_model_agrees(tmp_path: Path) -> None:
    text = RECORDING.read_text("utf-8")
    operations = Counter(("node_tree", op["op"]) for line in text.splitlines() for op in json.loads(line)["ops"])
    replayed = replay_file(RECORDING)
    assert operations_of([replayed]) == operations
    diverging = tmp_path / "wrong.jsonl"
    diverging.write_text(text.replace('"num_nodes":1', '"num_nodes":2'), encoding="utf-8")
    wrong = replay_file(diverging)
    assert operations_of([wrong]) == Counter()
    assert operations_of([replayed, wrong]) == operations
    with pytest.raises(InputError, match="expected a recording"):
        replay_file(tmp_path / "none.jsonl")


@pytest.mark.slow
def test_killed_is_what_the_rule_in_force_keeps() -> None:
    in_force = newest(NODE_LISTING.rules_class, NODE_LISTING.name)
    killed = {k.rule: k.properties for k in dict(killed_by_field(NODE_LISTING, [in_force]))["list_nodes"]}
    assert in_force.list_nodes.__name__ not in killed
    assert killed["list_from_reset_cursors"] == ()
    assert {"listed-exactly-once", "offered-again-when-quiet"} <= set(killed["list_from_resuming_cursors"])
    # Under the rules of 1.18 the node is lost already, so that is nothing that the mutant breaks.
    old = rules_for(NODE_LISTING.rules_class, parse_release("1.18.4"))
    killed = {k.rule: k.properties for k in dict(killed_by_field(NODE_LISTING, [old]))["list_nodes"]}
    assert killed["list_one_per_zone"] == ("list-as-long-as-tree", "no-needless-error")


def test_rows_are_the_actions_and_then_the_other_rules() -> None:
    taken = dict.fromkeys(NODE_LISTING.places, (1, None))
    rows = {row.name: row for row in coverage_rows(NODE_LISTING, taken, Counter({("node_tree", "list"): 3}), {})}
    assert list(rows) == [*NODE_LISTING.places, "list_nodes"]
    assert (rows["update_snapshot"].recordings, rows["add_node"].recordings) == (3, 0)
    assert (rows["list_nodes"].taken, rows["list_nodes"].recordings) == (None, None)
    assert rows["update_node"].killed is None


def test_what_a_rule_breaks_is_looked_for_in_the_scopes_given() -> None:
    in_force = rules_for(CPU_MANAGER.rules_class, parse_release("1.31.0"))
    init = CPU_MANAGER.parse_scope(
        "cores=2,pods=1,containers=2,size=1,init=1,exits=0,removals=0,restarts=0,crashes=0,hotplug=0"
    )
    restarts = CPU_MANAGER.parse_scope(
        "cores=2,pods=1,containers=1,size=1,init=0,exits=0,removals=0,restarts=1,crashes=0,hotplug=0"
    )

    def killed(field: str, rule: str, *scopes: object) -> tuple[str, ...]:
        found = dict(killed_by_field(evolve(CPU_MANAGER, rules_class=_only(field)), [in_force], scopes))
        return next(k.properties for k in found[field] if k.rule == rule)

    assert "cpus-partition-machine" in killed("allocate", "allocate_returning_init_cpus", init)
    assert killed("allocatable_cpus", "allocatable_cpus_free_now", init) == ()
    assert killed("allocatable_cpus", "allocatable_cpus_free_now", init, restarts) == ("allocatable-is-unreserved",)


@pytest.mark.slow
def test_of_a_search_that_was_cut_the_matrix_says_that_nothing_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer states than the scope has, neither the rule in force nor another one is explored to the end."""
    in_force = newest(NODE_LISTING.rules_class, NODE_LISTING.name)

    def decided() -> dict[str, bool]:
        return {k.rule: k.decided for k in dict(killed_by_field(NODE_LISTING, [in_force]))["list_nodes"]}

    assert all(decided().values())
    monkeypatch.setattr(coverage, "STATES", 20)
    assert not any(decided().values())


def test_rules_that_do_not_go_together_tell_nothing() -> None:
    in_force = rules_for(CPU_MANAGER.rules_class, parse_release("1.31.0"))
    system = evolve(CPU_MANAGER, rules_class=_only("allocate"), machine=lambda scope, rules: _Torn())
    assert all(not k.fits and not k.properties for k in dict(killed_by_field(system, [in_force]))["allocate"])


class _Torn:
    """A machine whose first state cannot be named."""

    action_names = ()
    symmetric = True
    sorts = CPU_MANAGER.machine(CPU_MANAGER.scope, CPU_MANAGER.rules_class).sorts

    def initial_states(self) -> tuple[object, ...]:
        raise ValueError("no such state")


def _only(field: str) -> type:
    """A rules class of one field: for a matrix of one row."""
    return make_class("Rules", [field])
