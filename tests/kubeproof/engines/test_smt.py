"""The Z3 engine's verdicts: bounded, inductive, inconclusive, not applicable; and proofs that can fail."""

import pytest
from attrs import evolve
from z3 import And, FreshInt, Or, Solver, sat

from kubeproof.engines import smt
from kubeproof.engines.smt.bounded import EncodingError
from kubeproof.errors import InputError
from kubeproof.verdict.result import Outcome, Strength
from model.releases import newest
from model.scheduler.cache import node_list as snapshot, node_tree
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.systems.node_listing import NodeListingMachine, NodeListingRules, NodeListingScope
from properties.node_listing.listing import (
    LIST_LENGTH,
    LISTED_EXACTLY_ONCE,
    OFFERED_WHEN_QUIET,
    PROPERTIES,
    RELISTED_SAME_NODES,
)
from properties.smt.form import SmtForm
from properties.smt.node_listing.node_tree import SmtTree, list_stateless
from properties.smt.node_listing.node_tree_proof import Listing, cursor_obligations
from properties.smt.node_listing.system import encode
from properties.smt.node_listing.watched_tree import number
from tests.conftest import node_listing_rules

RESUMING, RESET, STATELESS = (
    node_tree.list_from_resuming_cursors,
    node_tree.list_from_reset_cursors,
    node_tree.list_stateless,
)
EVERY_CYCLE, ON_CHANGE = snapshot.update_snapshot_every_cycle, snapshot.update_snapshot_on_node_change
SMALL = NodeListingScope(nodes=3, zones=2)


def system(list_nodes, update_snapshot=EVERY_CYCLE, scope=SMALL, fix=None) -> tuple[NodeListingMachine, SmtForm]:
    rules = node_listing_rules(list_nodes=list_nodes, update_snapshot=update_snapshot)
    form = encode(scope, rules, fix)
    assert isinstance(form, SmtForm)
    return NodeListingMachine(scope, rules), form


@pytest.mark.slow
def test_no_counterexample_is_a_bounded_claim() -> None:
    machine, form = system(RESET)
    for result in smt.check(machine, form, PROPERTIES, depth=4):
        assert result.outcome is Outcome.HOLDS
        assert result.claim is not None
        assert result.claim.strength is Strength.BOUNDED
        assert result.claim.details["depth"] == result.depth == 4


@pytest.mark.slow
def test_what_holds_of_runs_too_short_for_the_premise_is_inconclusive() -> None:
    """A node joins, the scheduler takes a snapshot, and takes another one: what the three premises wait for."""
    machine, form = system(RESET)
    needs = {LISTED_EXACTLY_ONCE.name: 2, RELISTED_SAME_NODES.name: 3, OFFERED_WHEN_QUIET.name: 1}
    for depth in range(4):
        for result in smt.check(machine, form, [p for p in PROPERTIES if p.name in needs], depth=depth):
            if depth >= needs[result.property]:
                assert result.outcome is Outcome.HOLDS
            else:
                assert (result.outcome, result.claim) == (Outcome.INCONCLUSIVE, None)
                assert result.reason is not None
                assert result.reason.startswith("vacuous: no state of this scope meets")


@pytest.mark.parametrize("limits", [{"rlimit": 1}, {"timeout": 0.0}])
def test_unknown_is_inconclusive(limits) -> None:
    machine, form = system(RESET)
    (result,) = smt.check(machine, form, [LISTED_EXACTLY_ONCE], depth=6, **limits)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.claim is None
    assert result.trace is None
    assert result.reason is not None
    assert "rlimit" in result.reason or "time" in result.reason


def test_a_depth_that_is_not_reached_is_the_bound_that_was() -> None:
    machine, form = system(RESET)
    (result,) = smt.check(machine, form, [LISTED_EXACTLY_ONCE], depth=6, rlimit=100_000)
    assert result.outcome is Outcome.HOLDS
    assert result.claim is not None
    assert result.claim.strength is Strength.BOUNDED
    assert 2 <= result.claim.details["depth"] == result.depth < 6
    assert result.claim.details["undecided"].startswith(f"runs of {result.depth + 1} actions (")


def test_the_environment_may_limit_each_query_by_units_in_place_of_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    _, form = system(RESET)
    monkeypatch.setenv("KUBEPROOF_Z3_RLIMIT", "1")
    (result,) = smt.check_inductive(form, [LISTED_EXACTLY_ONCE])
    assert result.reason is not None
    assert "rlimit" in result.reason
    monkeypatch.setenv("KUBEPROOF_Z3_RLIMIT", "much")
    with pytest.raises(InputError, match="KUBEPROOF_Z3_RLIMIT=much: not a number of Z3's resource units"):
        smt.check_inductive(form, [LISTED_EXACTLY_ONCE])


def test_unknown_obligation_is_inconclusive() -> None:
    _, form = system(RESET)
    (result,) = smt.check_inductive(form, [LISTED_EXACTLY_ONCE], rlimit=1)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.reason is not None
    assert "rlimit" in result.reason


@pytest.mark.slow
@pytest.mark.parametrize("list_nodes", [RESET, STATELESS])
def test_proof_for_any_number_of_nodes(list_nodes) -> None:
    _, form = system(list_nodes)
    results = smt.check_inductive(form, PROPERTIES)
    assert [r.property for r in results] == [LISTED_EXACTLY_ONCE.name, LIST_LENGTH.name, RELISTED_SAME_NODES.name]
    for result in results:
        assert result.outcome is Outcome.HOLDS, result.reason
        assert result.claim is not None
        assert result.claim.strength is Strength.INDUCTIVE
        assert result.claim.details["obligations"] == len(form.proofs[0].obligations)


def test_list_that_is_kept_has_no_proof() -> None:
    _, form = system(RESET, ON_CHANGE)
    assert smt.check_inductive(form, PROPERTIES) == []


@pytest.mark.parametrize("zones", [1, 2, 5])
def test_start_without_reset_is_not_in_the_invariant(zones: int) -> None:
    with_reset = {r.name: r.outcome for r in smt.prove(cursor_obligations(zones, reset=True))}
    without = {r.name: r.outcome for r in smt.prove(cursor_obligations(zones, reset=False))}
    start = f"{zones} zones: start"
    assert with_reset[start] is Outcome.HOLDS
    assert without[start] is Outcome.VIOLATED
    # Nothing else depends on how a listing starts.
    assert {k for k, v in without.items() if v is not Outcome.HOLDS} <= {start, f"{start} from uneven cursors"}


def test_counterexample_to_induction_loses_a_node_in_the_model() -> None:
    """From the cursors that Z3 prints, the Python listing does lose a node."""
    obligation = next(o for o in cursor_obligations(2, reset=False) if o.name.endswith("uneven cursors"))
    solver = Solver()
    solver.add(*obligation.build())
    assert solver.check() == sat
    model, listing = solver.model(), Listing.of(2)
    arrays = tuple(
        NodeArray(tuple(f"n{z}.{i}" for i in range(number(model, listing.m[z]))), number(model, listing.last_index[z]))
        for z in range(2)
    )
    tree = NodeTree(("z1", "z2"), arrays, number(model, listing.zone_index), sum(len(a.nodes) for a in arrays))
    names, _ = RESUMING(tree)
    assert sorted(names) != sorted(tree.names())
    assert sorted(RESET(tree)[0]) == sorted(tree.names())


@pytest.mark.slow
def test_resuming_cursors_have_a_counterexample_to_induction() -> None:
    _, form = system(RESUMING)
    (result,) = smt.check_inductive(form, [LISTED_EXACTLY_ONCE])
    assert result.outcome is Outcome.INCONCLUSIVE
    assert result.reason is not None
    assert "lastIndex" in result.reason


def test_vacuous_premise_is_no_proof() -> None:
    obligation = next(o for o in cursor_obligations(1, reset=True) if o.expected == "sat")
    empty = evolve(obligation, build=lambda: [*obligation.build(), Listing.of(1).m[0] < 1])
    (answer,) = smt.prove([empty])
    assert answer.outcome is Outcome.VIOLATED
    assert answer.model is None


def list_by_name(tree: NodeTree) -> tuple[tuple[str, ...], NodeTree]:
    """A rule from outside."""
    return tuple(sorted(tree.names())), tree


def test_rule_from_outside_is_not_applicable() -> None:
    rules = node_listing_rules(list_nodes=list_by_name, update_snapshot=EVERY_CYCLE)
    reason = encode(SMALL, rules)
    assert isinstance(reason, str)
    assert "list_by_name" in reason
    results = smt.check(NodeListingMachine(SMALL, rules), reason, PROPERTIES)
    assert {(r.outcome, r.reason) for r in results} == {(Outcome.NOT_APPLICABLE, reason)}
    assert smt.check_inductive(reason, PROPERTIES) == []


def test_rule_from_outside_with_its_formula() -> None:
    """That the formula, not the function, was judged stands in the claim; no proof for every size speaks of it."""
    machine, form = system(list_by_name, fix={"list_nodes": list_stateless})
    (result,) = smt.check(machine, form, [LISTED_EXACTLY_ONCE], depth=3)
    assert result.claim is not None
    assert "list_nodes" in result.claim.details["form"]
    assert form.proofs == ()


def test_formula_of_a_fix_may_be_of_more_than_bools() -> None:
    """Our own formulas are of Bools alone, and are put to a solver that knows nothing else."""

    def with_a_number(tree: SmtTree):
        listed, after = list_stateless(tree)
        n = FreshInt("n")
        return [[And(Or(n < 1, n * n >= n), cell) for cell in row] for row in listed], after

    machine, form = system(list_by_name, fix={"list_nodes": with_a_number})
    (result,) = smt.check(machine, form, [LISTED_EXACTLY_ONCE], depth=2)
    assert result.claim is not None


def test_formula_that_accuses_wrongly_raises() -> None:
    def nothing(tree: SmtTree):
        return [[False] * tree.max_nodes for _ in range(tree.max_nodes)], tree

    machine, form = system(list_by_name, fix={"list_nodes": nothing})
    with pytest.raises(EncodingError, match="violates nothing"):
        smt.check(machine, form, [LISTED_EXACTLY_ONCE], depth=3)


def test_scope_beyond_the_formulas_is_not_applicable() -> None:
    reason = encode(NodeListingScope(nodes=6, zones=2), newest(NodeListingRules, "node-listing"))
    assert isinstance(reason, str)
    assert "scope" in reason
