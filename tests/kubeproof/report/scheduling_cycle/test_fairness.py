"""When a node is examined: the sentences of the section."""

import pytest

from kubeproof.report.scheduling_cycle.fairness import at_latest, condition_rows
from model.releases import parse_release


@pytest.mark.slow
def test_which_searches_in_between_break_the_bound() -> None:
    found = dict(condition_rows())
    holds, never = "the bound holds", "**a node may never be examined**"
    assert found["nothing else"] == found["a pod whose filter fails on a node"] == holds
    assert found["a pod whose PreFilter plugin names its node"] == f"to 1.23.17: {holds}; 1.24.0 on: {never}"
    nominated = found["a pod that is tried on its nominated node"]
    assert nominated == f"to 1.21.14: {holds}; 1.22.0 to 1.24.17: {never}; 1.25.0 on: {holds}"


def test_the_bound_of_a_large_cluster() -> None:
    assert at_latest(parse_release("1.31.14"), 5_000, 500) == 10
    assert at_latest(parse_release("1.16.15"), 5_000, 500) == 10
    assert at_latest(parse_release("1.31.14"), 100, 100) == 1
