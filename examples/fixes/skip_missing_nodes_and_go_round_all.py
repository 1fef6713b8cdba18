"""The upstream fix of CYCLE-PREFILTER-NONEXISTENT-NODE, both halves.

Pull requests #124559 (#124764 in 1.28) and #124933 (#125042 in 1.28): a name that is not there is passed over, and the
next search begins round all nodes, also if none of the named nodes is there. Try it:

    kubeproof validate examples/fixes/skip_missing_nodes_and_go_round_all.py --release 1.28.8
"""

from model.scheduler.filtering_rules import Named, others_are_unresolvable, round_all_nodes

CURES = "CYCLE-PREFILTER-NONEXISTENT-NODE"


def named_nodes(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    """schedule_one.go findNodesThatFitPod, where the nodes are chosen."""
    return others_are_unresolvable(names, nodes)


def start_goes_round(all_nodes: int, asked: int) -> int:
    """schedule_one.go findNodesThatFitPod, where nextStartNodeIndex moves."""
    return round_all_nodes(all_nodes, asked)
