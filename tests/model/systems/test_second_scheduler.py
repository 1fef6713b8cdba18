"""Two schedulers over one API server: each hears of all that is written, and neither knows what the other assumed."""

import random
from typing import Any

import pytest

from kubeproof.check.check import check_system
from kubeproof.engines.explicit import explore
from kubeproof.engines.explicit.search import Limits
from kubeproof.verdict.result import Outcome
from model.machine import Action
from model.objects import Pod
from model.releases import known_release, rules_for
from model.systems.scheduling.actors import SCHEDULING
from model.systems.scheduling.controller import with_few_uids
from model.systems.scheduling.machine import SchedulingMachine
from model.systems.scheduling.records import Scheduling
from model.systems.scheduling.rules import OTHER_SCHEDULER, SchedulingRules
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling.second_scheduler import NAMES, with_objects
from model.variables import Places
from properties.scheduling.view import delivered
from tests.model.systems.plain import plain_counts

REPLICAS = SchedulingScope(pods=2, nodes=1, goroutines=1, deletes=1, recreates=1, node_shrinks=1, updates=1, second=1)
NAMED = SchedulingScope(pods=2, nodes=2, goroutines=1, high=1, preemption=1, lost_replies=1, controllers=1, second=2)

# Together they take each step of the second scheduler.
STEPS = [
    ("1.17.10", SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, relists=1, bind_errors=1, second=1)),
    ("1.17.10", SchedulingScope(pods=3, nodes=1, goroutines=1, high=2, preemption=1, second=2)),
    (
        "1.22.3",
        SchedulingScope(pods=1, nodes=1, goroutines=1, deletes=1, listeners=1, resyncs=1, node_shrinks=1, second=1),
    ),
    ("1.36.2", SchedulingScope(pods=1, nodes=1, goroutines=1, deletes=1, listeners=1, bind_errors=1, second=1)),
]


def machine_of(release: str, scope: SchedulingScope) -> SchedulingMachine:
    return SchedulingMachine(scope, rules_for(SchedulingRules, known_release(release)))


def a_run(machine: SchedulingMachine, seed: int, length: int) -> list[tuple[Scheduling, Action, Scheduling]]:
    """A random run, after which everything is delivered."""
    draw, state = random.Random(seed), machine.initial_states()[0]
    steps = []
    for number in range(4 * length):
        offered = list(machine.actions(state))
        if number >= length:
            offered = [each for each in offered if "deliver" in each.name]
        if not offered:
            break
        action = draw.choice(offered)
        after = machine.step(state, action)
        steps.append((state, action, after))
        state = after
    return steps


def test_each_step_that_a_scope_offers_the_second_scheduler_is_taken() -> None:
    offered, taken = set(), set()
    for release, scope in STEPS:
        machine = machine_of(release, scope)
        offered |= NAMES - SCHEDULING.never_offered(scope, machine.rules)
        fired = explore(machine, limits=Limits(states=20_000)).counts.fired
        taken |= {name for name, count in fired.items() if count}
    assert offered <= taken


def turned(pods: tuple[Pod | None, ...]) -> list[Any]:
    return [pod and (pod.uid, pod.node_name, pod.scheduler_name) for pod in pods]


@pytest.mark.parametrize("release", ["1.17.10", "1.24.0", "1.34.1", "1.36.2"])
@pytest.mark.parametrize("scope", [REPLICAS, NAMED], ids=["replicas", "named"])
def test_each_hears_of_all_that_is_written(release: str, scope: SchedulingScope) -> None:
    machine = machine_of(release, scope)
    taken = set()
    for seed in range(12):
        steps = a_run(machine, seed, 60)
        taken |= {action.name for _, action, _ in steps}
        end = steps[-1][2]
        second = with_objects(end)
        assert delivered(end)
        assert delivered(second)
        assert end.lister == end.pods
        others = {"": OTHER_SCHEDULER, OTHER_SCHEDULER: ""} if scope.second == 2 else {"": ""}
        assert turned(second.lister) == [each and (*each[:2], others[each[2]]) for each in turned(end.pods)]
    assert {"bind", "second_bind", "second_deliver_pod"} <= taken


def test_an_action_of_one_changes_nothing_of_the_other_but_what_it_hears() -> None:
    machine = machine_of("1.34.1", REPLICAS)
    for seed in range(12):
        for before, action, after in a_run(machine, seed, 60):
            assert before.second is not None
            assert after.second is not None
            if action.name in NAMES:
                same = (
                    "lister",
                    "queue",
                    "cache",
                    "snapshot",
                    "cycle",
                    "bindings",
                    "assigned",
                    "unassigned",
                    "handler",
                )
                assert all(getattr(before, name) == getattr(after, name) for name in same), action
            else:
                heard = len(before.second.pod_watch), len(before.second.node_watch)
                assert after.second.pod_watch[: heard[0]] == before.second.pod_watch
                assert after.second.node_watch[: heard[1]] == before.second.node_watch


def test_a_pod_that_names_the_other_scheduler_is_in_no_queue_here() -> None:
    machine = machine_of("1.34.1", NAMED)
    for seed in range(12):
        for _, _, after in a_run(machine, seed, 60):
            assert after.second is not None
            assert not {info.pod.name for info in after.queue.active} & {"p2"}
            assert not {info.pod.name for info in after.second.queue.active} & {"p1"}


@pytest.mark.parametrize("second", [0, pytest.param(1, marks=pytest.mark.slow), 2])
def test_two_schedulers_give_the_same_room_twice(second: int) -> None:
    """#136782. One alone does not, in the same scope."""
    scope = f"0,pods=2,nodes=1,room=1,goroutines=1,second={second}"
    report = check_system("scheduling", "1.32.0", scope=scope, engines=["explicit"], properties=["within-capacity"])
    assert report.results[0].outcome is (Outcome.VIOLATED if second else Outcome.HOLDS)


def test_the_engine_finds_the_states_that_a_plain_search_finds() -> None:
    scope = SchedulingScope(pods=1, nodes=1, goroutines=1, deletes=1, controllers=1, second=2)
    machine = machine_of("1.34.1", scope)
    run = explore(machine)
    assert (run.counts.distinct, run.counts.generated, run.counts.depth) == plain_counts(machine)


def test_uids_that_nobody_knows_are_given_anew() -> None:
    machine = machine_of("1.34.1", SchedulingScope(pods=2, nodes=1, deletes=2, controllers=1))
    state = machine.initial_states()[0]
    made = Places((Pod("p1", "p1#7"), None))
    few = with_few_uids(state.__class__(**{**_fields(state), "pods": made, "incarnations": Places((7, 3))}))
    assert few.pods == (Pod("p1", "p1#1"), None)
    # Nobody knows a p2, and there was one.
    assert few.incarnations == (1, 1)


def _fields(state: Scheduling) -> dict[str, Any]:
    return {name: getattr(state, name) for name in state.__slots__ if not name.startswith("_")}


@pytest.mark.parametrize("bound", ["fine", "clock", "heartbeats"])
def test_what_the_second_scheduler_does_not_know_is_refused(bound: str) -> None:
    with pytest.raises(ValueError, match="second=1: expected fine, clock, heartbeats and bound_at_start to be 0"):
        SchedulingScope(second=1, **{bound: 1})
