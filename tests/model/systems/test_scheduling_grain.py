"""The coarse grain of scheduling hides nothing: the same properties are violated where every lock is an action."""

import pytest
from attrs import evolve

from model.releases import parse_release, rules_for
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from properties.scheduling.catalogue import PROPERTIES
from tests.model.systems import grain

# Asked of the step that changes the queue. With the coarse grain that is one action with the delivery of the event, so
# there the two ask of the state before the delivery. With the fine one a pod may be assumed between a handler's look at
# the cache and its operation of the queue, with the same result as if it was assumed after both; and an operation of
# the queue no longer tells which event brought it.
ASKED_OF_ONE_STEP = {"assumed-pod-not-queued", "own-status-update-does-not-retry"}

SCOPES = [
    (("1.19.0", "1.24.0"), SchedulingScope(pods=1, bind_errors=1, node_deletes=1)),
    (("1.13.0", "1.21.4"), SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, lost_replies=1, goroutines=1)),
    (("1.17.10", "1.24.0"), SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, goroutines=2)),
    (("1.17.10", "1.24.0"), SchedulingScope(pods=1, updates=1, deletes=1, goroutines=1)),
    (("1.13.0", "1.22.3"), SchedulingScope(pods=1, nodes=2, deletes=1, recreates=1, goroutines=1)),
    (("1.22.3", "1.31.13"), SchedulingScope(pods=2, high=1, preemption=1, goroutines=1)),
    (("1.17.10", "1.21.4"), SchedulingScope(pods=1, other_binders=1, relists=1, deletes=1)),
]
SLOW = [
    (("1.14.10", "1.17.10"), SchedulingScope(pods=2, high=1, preemption=1, goroutines=1)),
    (("1.17.10", "1.24.0"), SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, updates=1, goroutines=1)),
    (("1.21.4", "1.24.0"), SchedulingScope(pods=2, bind_errors=1, goroutines=1)),
    (("1.14.10", "1.22.3"), SchedulingScope(pods=1, clock=1, expiry=1, lost_replies=1, goroutines=1)),
    (("1.19.0", "1.31.13"), SchedulingScope(pods=1, node_deletes=1, node_adds=1, keep_snapshot=1, goroutines=1)),
]


def violated(release: str, scope: SchedulingScope) -> set[str]:
    machine = SchedulingMachine(scope, rules_for(SchedulingRules, parse_release(release)))
    return grain.violated(machine, (p for p in PROPERTIES if p.name not in ASKED_OF_ONE_STEP))


def grains_agree(releases: tuple[str, ...], scope: SchedulingScope) -> set[str]:
    found: set[str] = set()
    for release in releases:
        coarse, fine = violated(release, scope), violated(release, evolve(scope, fine=1))
        assert coarse == fine, release
        found |= coarse
    return found


@pytest.mark.parametrize(
    ("releases", "scope"), [SCOPES[0], *(pytest.param(*each, marks=pytest.mark.slow) for each in SCOPES[1:])]
)
def test_what_is_violated_does_not_depend_on_the_grain(releases: tuple[str, ...], scope: SchedulingScope) -> None:
    assert grains_agree(releases, scope)


@pytest.mark.slow
@pytest.mark.parametrize(("releases", "scope"), SLOW)
def test_nor_in_larger_scopes(releases: tuple[str, ...], scope: SchedulingScope) -> None:
    assert grains_agree(releases, scope)
