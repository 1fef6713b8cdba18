"""The first half of the upstream fix of CYCLE-PREFILTER-NONEXISTENT-NODE: a name that is not there is passed over.

Pull request #124559, #124764 in 1.28. It needs the other half, `skip_missing_nodes_and_go_round_all.py`: if no node is
left, the scheduler divides by their number, which is 0. Try it:

    kubeproof validate examples/fixes/skip_missing_nodes.py --release 1.28.8
"""

from model.scheduler.filtering_rules import Named, others_are_unresolvable

CURES = "CYCLE-PREFILTER-NONEXISTENT-NODE"


def named_nodes(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """schedule_one.go findNodesThatFitPod."""
    return others_are_unresolvable(names, nodes)
