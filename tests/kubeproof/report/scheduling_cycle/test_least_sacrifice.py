"""The section about the least sacrifice: what it says of releases is what their rules do."""

import pytest

from kubeproof.report.scheduling_cycle.least_sacrifice import _beginning, _node, reading, rules
from model.releases import parse_release
from model.scheduler.preemption.preempt import PreemptionRules


def test_a_cell_is_that_of_the_release() -> None:
    old, new = (reading("fewest-violations", parse_release(release)) for release in ("1.17.17", "1.18.0"))
    assert old.startswith("no: pods 0/1, 0/1 protected, 0/1 protected")
    assert new.startswith("no: pods 0/1, 0/1 protected, 0/2 protected")
    assert reading("nothing-can-be-added-back", parse_release("1.13.0")).startswith("for any number")


@pytest.mark.slow
def test_the_node_and_the_beginning() -> None:
    by_release = {
        release: rules(PreemptionRules, parse_release(release)) for release in ("1.14.10", "1.19.0", "1.31.2")
    }
    # Up to 1.14 the start time is no criterion.
    assert "since 1; m: 0/1 since 2" in _node(by_release["1.14.10"])
    assert "protected" in _node(by_release["1.31.2"])
    assert _beginning(by_release["1.19.0"]).startswith("there is none")
    assert "from 101 nodes" in _beginning(by_release["1.31.2"])
