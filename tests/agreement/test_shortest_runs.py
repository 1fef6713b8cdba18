"""The engines against each other: the shortest counterexample is as long in the explicit engine, in Z3 and in TLC."""

import pytest

from kubeproof.check.check import check_system
from kubeproof.engines.tlc.java import MissingError, find_java
from kubeproof.verdict.result import Outcome
from tests.conftest import by_engines

RULES = [
    ("list_from_resuming_cursors", "update_snapshot_every_cycle"),
    ("list_from_resuming_cursors", "update_snapshot_on_node_change"),
    ("list_one_per_zone", "update_snapshot_every_cycle"),
]


def lengths(listing: str, snapshot: str, engine: str, properties: list[str]) -> dict[str, int | None]:
    rules = (f"list_nodes={listing}", f"update_snapshot={snapshot}")
    report = check_system("node-listing", rules=rules, scope="nodes=3,zones=2", properties=properties, engines=[engine])
    for result in by_engines(report.results):
        assert result.outcome in (Outcome.HOLDS, Outcome.VIOLATED), result.reason
        assert result.trace is None or result.minimal
    return {result.property: result.trace.length if result.trace else None for result in by_engines(report.results)}


SAFETY = ["listed-exactly-once", "list-as-long-as-tree", "relisting-permutes"]
LIVENESS = ["offered-again-when-quiet", "offered-again-under-churn"]


# Of the second choice test_smt_agreement asks Z3 for the shortest length in the fast run.
@pytest.mark.parametrize(
    ("listing", "snapshot"), [*(pytest.param(*rules, marks=pytest.mark.slow) for rules in RULES[:2]), RULES[2]]
)
def test_z3_finds_traces_as_short_as_the_explicit_engines(listing: str, snapshot: str) -> None:
    explicit = lengths(listing, snapshot, "explicit", SAFETY + LIVENESS)
    assert any(explicit.values())
    assert lengths(listing, snapshot, "z3", SAFETY + LIVENESS) == explicit


@pytest.mark.slow
@pytest.mark.parametrize(("listing", "snapshot"), RULES)
def test_tlc_finds_traces_as_short_as_the_explicit_engines(listing: str, snapshot: str) -> None:
    try:
        find_java()
    except MissingError as error:
        pytest.skip(str(error))
    assert lengths(listing, snapshot, "tlc", SAFETY) == lengths(listing, snapshot, "explicit", SAFETY)
