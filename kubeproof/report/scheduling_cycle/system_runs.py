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
from properties.scheduling.order import TAKES_THE_FIRST

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


def next_is_first(release: Release) -> bool:
    """Pop takes the pod of the highest priority, and of equal ones the one that waits longest."""
    return _holds(release, TAKES_THE_FIRST)


def does_not_wait_for_binding(release: Release) -> bool:
    """A cycle begins while the goroutine of another pod binds."""
    return not _holds(release, _NEVER_BESIDE)


def _holds(release: Release, asked: Property) -> bool:
    chosen = rules(SchedulingRules, release)
    return _checked(_FIRST.setdefault(tuple(vars(chosen).values()), release), asked)


_FIRST: dict[object, Release] = {}


@cache
def _checked(release: Release, asked: Property) -> bool:
    (result,) = check(SchedulingMachine(BOTH, rules(SchedulingRules, release)), [asked], until_violated=True)
    if result.outcome not in ("holds", "violated"):
        raise AssertionError(f"{asked.name} in {release}: {result.outcome}")
    return result.outcome == "holds"
