"""What the filters said of each node, as preemption asks for it. Pure.

Go: to 1.31 `NodeToStatusMap`, and `nodesWherePreemptionMightHelp` in pkg/scheduler/framework/preemption/preemption.go.
From 1.32 on (#126022) `NodeToStatus` in framework/types.go; `NodesForStatusCode` gives the nodes that may help.
A Go map of at most 8 entries is listed from a random entry on, round in the order in which the entries were made; here
that is the order of the snapshot. Left out: the entries that extenders make later; and a status for all absent nodes
that is not UnschedulableAndUnresolvable (if PreFilter says Unschedulable, Go lists the nodes as the snapshot does).
"""

from collections.abc import Callable, Mapping

from attrs import frozen

from model.scheduler.framework.status import Code, Status

# Of each node that has one the status of the filters. A node on which the pod fits has none.
NodeToStatus = Mapping[str, Status]
# So many entries a Go map has in one bucket (1.32; Go 1.23), or in one group (Go 1.24 on).
_SMALL_MAP = 8
_ABSENT = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


def absent_node_fits() -> Status | None:
    """To 1.31 a node without a status is one on which the pod fits."""
    return None


def absent_node_is_unresolvable() -> Status | None:
    """1.32 on: such a node has the status of `NewDefaultNodeToStatus`."""
    return _ABSENT


def as_the_snapshot_lists(entries: int) -> bool:
    """To 1.31."""
    return False


def as_a_map_lists(entries: int) -> bool:
    """1.32 on: in the order of a Go map. It decides only where a part of the nodes suffices."""
    return entries > _SMALL_MAP


@frozen(slots=False, kw_only=True)
class NodeStatusRules:
    """What releases do differently."""

    # The status of a node that has none, None for one on which the pod fits.
    status_of_absent_node: Callable[[], Status | None]
    # (how many nodes have a status) -> whether those that may help are looked at in any order.
    looks_in_any_order: Callable[[int], bool]
