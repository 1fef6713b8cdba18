"""Sentences of the walk about several pods at once: runs of the system scheduling say whether a release does so.

A sentence that says what may happen holds if a run is found in which the thing happens. A sentence that says what
never happens holds if nothing in the small scope below contradicts it.
"""

from functools import cache

from kubeproof.engines.explicit import check
from kubeproof.report.scheduling_cycle.section import rules
from model.releases import Release
from model.systems.scheduling import Scheduling, SchedulingMachine, SchedulingRules, SchedulingScope
from properties.property import Invariant, Property
from properties.scheduling.cache import WITHIN_CAPACITY
from properties.scheduling.order import TAKES_THE_FIRST

# A pod beside one that is bound when the scheduler starts, and room for one.
START = SchedulingScope(pods=2, nodes=1, goroutines=1, listeners=1, bound_at_start=1)
# Two pods, of which one has a higher priority, and room for both.
BOTH = SchedulingScope(pods=2, high=1, nodes=1, room=2, goroutines=1)


def _cycle_beside_binding(state: Scheduling) -> bool:
    return state.cycle is not None and bool(state.bindings)


_NEVER_BESIDE = Invariant(
    name="cycle-waits-for-binding",
    sentence="No pod is in a scheduling cycle while another one is in a binding cycle.",
    broken_by=(),
    holds=lambda state: not _cycle_beside_binding(state),
    premise=lambda state: bool(state.bindings),
    explain=lambda state: "a pod is in a scheduling cycle, and another one in a binding cycle",
)


def starts_with_all_pods(release: Release) -> bool:
    """No cycle counts on room that a pod has which was bound before the start."""
    return _holds(release, START, WITHIN_CAPACITY)


def next_is_first(release: Release) -> bool:
    """Pop takes the pod of the highest priority, and of equal ones the one that waits longest."""
    return _holds(release, BOTH, TAKES_THE_FIRST)


def does_not_wait_for_binding(release: Release) -> bool:
    """A cycle begins while the goroutine of another pod binds."""
    return not _holds(release, BOTH, _NEVER_BESIDE)


def _holds(release: Release, scope: SchedulingScope, asked: Property) -> bool:
    chosen = rules(SchedulingRules, release)
    return _checked(_FIRST.setdefault(tuple(vars(chosen).values()), release), scope, asked)


_FIRST: dict[object, Release] = {}


@cache
def _checked(release: Release, scope: SchedulingScope, asked: Property) -> bool:
    (result,) = check(SchedulingMachine(scope, rules(SchedulingRules, release)), [asked], until_violated=True)
    if result.outcome not in ("holds", "violated"):
        raise AssertionError(f"{asked.name} in {release}: {result.outcome}")
    return result.outcome == "holds"
