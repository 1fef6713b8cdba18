"""A node in an extender's answer that the scheduling cycle does not know."""

import pytest

from model.releases import parse_release, rules_for
from model.scheduler.extender_answer import ExtenderAnswerRules


@pytest.mark.parametrize(
    ("release", "nodes", "error"),
    [
        ("1.15.12", ("n1", None), False),
        ("1.16.0", (), True),
        ("1.31.0", (), True),
    ],
)
def test_an_unknown_node_is_nil_or_an_error(release: str, nodes: tuple, error: bool) -> None:
    rules = rules_for(ExtenderAnswerRules, parse_release(release))
    found, text = rules.nodes_of_answer(("n1", "n2"), frozenset({"n1"}))
    assert (found, text is not None) == (nodes, error)
    assert rules.nodes_of_answer(("n1",), frozenset({"n1"})) == (("n1",), None)
