"""What is interchangeable in scheduling-cycle. Pure.

As in scheduling, and pods are told apart by their group, by the extenders that are interested in them, by whether a
plugin names nodes for them, by schedulerName, by disruption budget and by preemptionPolicy. With `quota` the order of
nodes is part of the state. A renaming keeps the order, since no step compares names. The plugins of a point are asked
in turn, so they are not interchangeable; of those for which a pod waits only the number is kept.
"""

from functools import lru_cache
from itertools import product

import attrs

from model.systems.scheduling import symmetry
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.scope import (
    SchedulingCycleScope,
    changes_scheduler,
    group_of,
    in_second_profile,
    interested_binders,
    is_protected,
    named_nodes,
    names_nodes,
)
from model.world.api_server import place, pod_name

NAMING = attrs.evolve(
    symmetry.NAMING,
    record=SchedulingCycle,
    unordered=symmetry.NAMING.unordered | {"reservations", "waiting_pods", "named", "evictions"},
    nameless=symmetry.NAMING.nameless | {"disruptions_allowed"},
)
# What the name of a sort of pods may end with.
_GROUPS = ("", *(f" of group {group}" for group in (1, 2, 3)))
_BINDERS = ("", " without the first binder")
_NAMED = ("", " with named nodes")
_PROFILES = ("", " of the second profile")
_SCHEDULERS = ("", " of another scheduler later")
_BUDGETS = ("", " of the budget")
_POLICIES = ("", " that preempts nobody")
ENDINGS = tuple(map("".join, product(_GROUPS, _BINDERS, _NAMED, _PROFILES, _SCHEDULERS, _BUDGETS, _POLICIES)))


def _ending(scope: SchedulingCycleScope, at: int) -> str:
    """What tells the pod at this place from others of its sort in scheduling."""
    group = _GROUPS[group_of(scope, at) + 1] if scope.groups > 1 else ""
    binder = _BINDERS[False in interested_binders(scope, at)]
    named = _NAMED[bool(scope.named_pods) and names_nodes(scope, at)]
    profile = _PROFILES[in_second_profile(scope, at)]
    scheduler = _SCHEDULERS[changes_scheduler(scope, at)]
    budget = _BUDGETS[is_protected(scope, pod_name(at))]
    return f"{group}{binder}{named}{profile}{scheduler}{budget}{_POLICIES[at < scope.never]}"


@lru_cache(maxsize=64)
def sorts(scope: SchedulingCycleScope) -> dict[str, tuple[str, ...]]:
    """The sorts of scheduling, those of pods parted by what tells them apart. Nodes that are named are apart."""
    found: dict[str, tuple[str, ...]] = {}
    named = named_nodes(scope)
    for sort, names in symmetry.sorts(scope).items():
        if sort.startswith("node") and named:
            for kind, part in ((f"named {sort}", set(names) & set(named)), (sort, set(names) - set(named))):
                if part:
                    found[kind] = tuple(name for name in names if name in part)
            continue
        if sort.startswith("node"):
            found[sort] = names
            continue
        for ending in dict.fromkeys(_ending(scope, place(name)) for name in names):
            found[f"{sort}{ending}"] = tuple(name for name in names if _ending(scope, place(name)) == ending)
    return found
