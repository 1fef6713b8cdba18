"""CYCLE-PREFILTER-NONEXISTENT-NODE: of the named nodes the first that is there.

Wrong: the pod may fit on the next only.
"""

from model.scheduler.filtering_rules import Named, others_are_unresolvable, round_all_nodes

CURES = "CYCLE-PREFILTER-NONEXISTENT-NODE"


def named_nodes(names: tuple[str, ...], nodes: tuple[str, ...]) -> Named:
    there = tuple(name for name in names if name in nodes)
    return others_are_unresolvable(there[:1], nodes)


def start_goes_round(all_nodes: int, asked: int) -> int:
    return round_all_nodes(all_nodes, asked)
