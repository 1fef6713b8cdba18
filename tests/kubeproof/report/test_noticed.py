"""The table of fields: a wrong value is put where it belongs, and an empty cell has a reason."""

import pytest

from kubeproof.report.noticed import changed, noticed, noticed_in, records
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_list import Snapshot
from model.scheduler.cache.node_tree import NodeArray, NodeTree
from model.systems.node_listing import NodeListing, NodeListingScope

STATE = NodeListing(NodeTree(("z1",), (NodeArray(("n1",)),), 0, 1), Snapshot(("n1",), ("n1",)), fresh=True)


def test_each_record_of_a_state_can_be_changed_where_it_is() -> None:
    ways = dict(records(STATE))
    assert {type(record).__name__ for record in ways.values()} == {"NodeListing", "NodeTree", "NodeArray", "Snapshot"}
    wrong = changed(STATE, ("tree", "tree", 0), "nodes", ("n2",))
    assert wrong.tree.names() == ("n2",)
    assert wrong.snapshot == STATE.snapshot


def test_a_wrong_list_is_noticed_and_a_table_without_properties_is_empty() -> None:
    rules = rules_for(NODE_LISTING.rules_class, parse_release("1.31.0"))
    rows = {row.field: row for row in noticed_in(NODE_LISTING, [rules], [NodeListingScope(nodes=2, zones=1)])}
    assert "listed-exactly-once" in rows["Snapshot.node_info_list"].properties
    assert "list-as-long-as-tree" in rows["NodeListing.fresh"].properties
    # Nobody reads a cursor in 1.31, and there it never moves.
    assert not rows["NodeArray.last_index"].properties
    assert not rows["NodeArray.last_index"].varies


def test_every_empty_cell_of_node_listing_has_a_reason_and_no_reason_is_left_over() -> None:
    rows = noticed("node-listing")
    empty = {row.field for row in rows if row.varies and not row.properties}
    assert empty == set(SYSTEMS["node-listing"].unnoticed)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "node-listing"])
def test_every_empty_cell_has_a_reason(name: str) -> None:
    assert [row.field for row in noticed(name) if row.varies and not row.properties and not row.reason] == []
