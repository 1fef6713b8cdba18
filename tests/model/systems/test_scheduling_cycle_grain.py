"""The coarse grain of scheduling-cycle hides nothing: what is violated is the same where every lock is an action."""

from collections.abc import Sequence

import pytest
from attrs import evolve

from model.releases import parse_release, rules_for
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from properties.scheduling_cycle.catalogue import PROPERTIES
from tests.model.systems import grain

# One release for each order of the points and of what a failure undoes.
RELEASES = ("1.14.10", "1.15.12", "1.17.10", "1.18.20", "1.19.0-rc.4", "1.23.17", "1.28.8", "1.31.13")
# One before the goroutine waits, one that waits there, the newest that has the finer grain.
FEW_RELEASES = ("1.17.10", "1.23.17", "1.31.13")
SMALL = [
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, binder_extenders=2, ignorable=1, extender_errors=1, reserves=1),
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=2, permit=2, failures=1, timeouts=1, bind_errors=1),
    SchedulingCycleScope(pods=1, nodes=1, room=2, goroutines=2, reserves=1, labels=1),
    SchedulingCycleScope(pods=1, nodes=2, goroutines=1, named_nodes=2, node_deletes=1, failures=1, reserves=1),
    SchedulingCycleScope(pods=1, nodes=2, goroutines=1, extender=1, extender_errors=1, reserves=1),
    SchedulingCycleScope(
        pods=1, nodes=1, node_zones=1, goroutines=1, node_deletes=1, node_adds=1, node_not_found=1, reserves=1
    ),
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, volumes=1, reserves=1, permit=1, failures=2),
    SchedulingCycleScope(pods=1, nodes=3, node_zones=2, late_nodes=1, node_adds=1, goroutines=1, quota=3),
]
PREEMPTION = [
    SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, protected=1, preempt_extender=1),
    SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, patch_errors=1),
]
LARGE = [
    SchedulingCycleScope(pods=1, nodes=1, room=2, goroutines=2, volumes=1, failures=1, labels=1),
    SchedulingCycleScope(pods=2, nodes=3, room=2, goroutines=1, quota=1, workers=2),
    SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=1, failures=1),
    SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1, timeouts=1),
    SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=1, permit=1, groups=1, timeouts=1),
]


def violated(release: str, scope: SchedulingCycleScope) -> set[str]:
    rules = rules_for(SchedulingCycleRules, parse_release(release))
    return grain.violated(SchedulingCycleMachine(scope, rules), PROPERTIES)


def grains_agree(scope: SchedulingCycleScope, releases: Sequence[str] = RELEASES) -> set[str]:
    """What is violated in some of the releases, if the grains agree in each."""
    found: set[str] = set()
    for release in releases:
        coarse, fine = violated(release, scope), violated(release, evolve(scope, fine=1))
        assert coarse == fine, release
        found |= coarse
    return found


@pytest.mark.parametrize("scope", [SMALL[0], *(pytest.param(each, marks=pytest.mark.slow) for each in SMALL[1:])])
def test_what_is_violated_does_not_depend_on_the_grain(scope: SchedulingCycleScope) -> None:
    assert grains_agree(scope)


@pytest.mark.slow
@pytest.mark.parametrize(
    "release",
    ["1.17.10", "1.22.3", "1.31.13"],
)
@pytest.mark.parametrize("scope", PREEMPTION)
def test_nor_where_pods_preempt(release: str, scope: SchedulingCycleScope) -> None:
    assert violated(release, scope) == violated(release, evolve(scope, fine=1))


@pytest.mark.slow
@pytest.mark.parametrize("scope", LARGE)
def test_nor_in_larger_scopes(scope: SchedulingCycleScope) -> None:
    assert grains_agree(scope, FEW_RELEASES)
