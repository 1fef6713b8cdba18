"""What is interchangeable in scheduling-cycle. Pure.

As in scheduling, and pods of different groups are told apart. The plugins of a point are asked in turn, so they are
not interchangeable; of those for which a pod waits only the number is kept.
"""

from functools import lru_cache

import attrs

from model.systems.scheduling import symmetry
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.scope import SchedulingCycleScope, group_of, named_nodes
from model.world.api_server import place

NAMING = attrs.evolve(
    symmetry.NAMING,
    record=SchedulingCycle,
    unordered=symmetry.NAMING.unordered | {"reservations", "waiting_pods", "named"},
)


@lru_cache(maxsize=64)
def sorts(scope: SchedulingCycleScope) -> dict[str, tuple[str, ...]]:
    """The sorts of scheduling; where there are groups, those of pods for each group. Nodes that are named are apart."""
    found: dict[str, tuple[str, ...]] = {}
    named = named_nodes(scope)
    for sort, names in symmetry.sorts(scope).items():
        if sort.startswith("node") and named:
            for kind, part in ((f"named {sort}", set(names) & set(named)), (sort, set(names) - set(named))):
                if part:
                    found[kind] = tuple(name for name in names if name in part)
            continue
        if scope.groups < 2 or sort.startswith("node"):
            found[sort] = names
            continue
        for group in range(scope.groups):
            members = tuple(name for name in names if group_of(scope, place(name)) == group)
            if members:
                found[f"{sort} of group {group + 1}"] = members
    return found
