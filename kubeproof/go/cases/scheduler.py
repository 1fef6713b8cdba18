"""Operations of the scheduler: runs of scheduling and scheduling-cycle, kept ones and others by chance."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from random import Random
from typing import Any

import cattrs
from hypothesis import strategies as st

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.played import played_of
from kubeproof.bugs.runs import kept_run
from kubeproof.conform.recorded_rules import rules_for
from kubeproof.conform.scheduler import SYSTEMS_PLAYED, operation
from kubeproof.go.cases.case import Blind, Case
from kubeproof.players.player import CannotPlayError
from kubeproof.players.registry import PLAYERS
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from model.machine import Action, Machine
from model.releases import Release, known_release
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling_cycle.scope import SchedulingCycleScope

MOST = 24  # operations of a case

# What only the halves of the driver for 1.16 and 1.17 have, and where Go goes on in the middle of two actions of a run:
# the failure of an extender that binds is heard of at once. Where a pod
# shrinks, two goroutines of the pod may have to be told apart by their objects, which no operation names.
_NOT_RECORDED = ("reserves", "failures", "volumes", "binder_extenders", "shrinks")

# Clusters and powers of the cases that are drawn: few powers at a time, so that they meet.
_SCOPES = (
    SchedulingScope(pods=2, high=1, nodes=1, preemption=1, deletes=1, node_deletes=1),
    SchedulingScope(pods=3, high=1, nodes=1, room=2, preemption=1, graceful=1, deletes=1),
    SchedulingScope(pods=3, high=2, top=1, nodes=1, preemption=1),
    SchedulingScope(pods=2, nodes=1, deletes=1, recreates=1, relists=1),
    SchedulingScope(pods=2, nodes=1, deletes=1, bind_errors=1, lost_replies=1),
    SchedulingScope(pods=1, nodes=2, late_nodes=1, node_deletes=1, node_adds=1, other_binders=1),
    SchedulingScope(pods=2, nodes=2, node_zones=2, late_nodes=1, node_deletes=1, keep_snapshot=1),
    SchedulingScope(pods=1, nodes=1, labels=2, finalizers=1, updates=1, resyncs=1),
    SchedulingScope(pods=2, nodes=1, labels=2, anti_affinity=1, bind_errors=1),
    SchedulingScope(pods=2, nodes=1, deletes=1, cordons=2),
    SchedulingScope(pods=2, big=1, nodes=1, node_grows=1, deletes=1),
    SchedulingScope(pods=1, nodes=2, extender=1, preemption=1, bind_errors=1, deletes=1),
    SchedulingScope(pods=2, nodes=1, listeners=1, bound_at_start=1, updates=1, deletes=1),
    SchedulingScope(pods=2, nodes=1, listeners=1, labels=1, deletes=1, recreates=1),
    SchedulingScope(pods=1, big=1, nodes=1, cordons=1, node_grows=1),
    SchedulingScope(pods=2, high=1, nodes=1, preemption=1, node_deletes=1, node_adds=1),
    SchedulingScope(pods=1, nodes=1, node_deletes=1, node_adds=1, cordons=1),
    SchedulingScope(pods=1, big=1, nodes=2, late_nodes=1, node_grows=1),
    SchedulingScope(pods=1, nodes=1, labels=1, finalizers=1, updates=1),
    SchedulingCycleScope(pods=2, nodes=1, permit=1, deletes=1),
    SchedulingCycleScope(pods=2, high=1, nodes=1, permit=2, preemption=1),
    SchedulingCycleScope(pods=1, nodes=1, permit=1, deletes=1, recreates=1, bind_errors=1),
)
# The releases whose rules say which actions a run may take: one of each order of the steps of a cycle.
RELEASES = ("1.31.13", "1.28.14", "1.22.6", "1.17.17")
# How many long runs there are of each cluster and release.
_LONG = 3

# Rules that no operation of this form tells from each other.
BLIND = (
    Blind("binding_honours_uid", "a case names what the API server does"),
    Blind("clears_nomination_of_bound", "a case names what the API server does"),
    Blind("handlers_sync_first", "the driver stands in for kube-scheduler around the package, and begins at once"),
)


def config(system: str, scope: Any, rules: Any) -> dict[str, Any]:
    """The world of a scope, with the API server of a release."""
    bounds = {name: value for name, value in cattrs.unstructure(scope).items() if value}
    clears = {"clears_nomination": True} if rules.clears_nomination_of_bound() else {}
    return {"system": system, "scope": bounds, "binds_any_uid": not rules.binding_honours_uid(), **clears}


def kept_runs() -> Iterator[Case]:
    """(config, operations) of each kept run that every half of the driver can play."""
    for bug in BUGS:
        if bug.system not in SYSTEMS_PLAYED or not bug.violates:
            continue
        run, system = kept_run(bug), system_named(bug.system)
        rules = rules_for(system.rules_class, known_release(run.release))
        machine, scope = system.machine(run.scope, rules), run.scope
        # What the real code is known to do otherwise, says the page of the bug.
        known = any(row.result.startswith("differs") for row in played_of(bug) if not row.run)
        if not _playable(bug.system, machine, run.actions) or known:
            continue
        ops = [operation(each) for each in run.actions]
        # Not where a goroutine stands in the log of an older release. Else the page says what differs.
        waits = isinstance(scope, SchedulingCycleScope) and scope.permit
        if not waits or not any(_meets_a_difference(scope, known_release(each), ops) for each in RELEASES):
            yield {**config(bug.system, scope, rules), "name": bug.id}, ops


def _playable(system: str, machine: Machine[Any], actions: Iterable[Action]) -> bool:
    scope = cattrs.unstructure(machine.scope)  # type: ignore[attr-defined]
    try:
        PLAYERS[system].begin(machine, "", ())
        for action in actions:
            PLAYERS[system].call(action, None)
    except CannotPlayError:
        return False
    return not any(scope.get(name) for name in _NOT_RECORDED)


def _walk(scope: SchedulingScope, release: Release, length: int, choose: Callable[[list[Any]], Any]) -> Case:
    """A run of the system of the scope; `choose` takes one of a list."""
    system = _system_of(scope)
    rules = rules_for(system.rules_class, release)
    machine = system.machine(scope, rules)
    state, ops = machine.initial_states()[0], []
    for _ in range(length):
        enabled = [action for action in machine.actions(state) if not _goes_otherwise_in_go(state, action)]
        if not enabled:
            break
        # So that an action of many forms does not crowd out the others.
        name = choose(sorted({action.name for action in enabled}))
        action = choose([each for each in enabled if each.name == name])
        ops.append(operation(action))
        state = machine.step(state, action)
    return config(system.name, scope, rules), ops


def _system_of(scope: SchedulingScope) -> System:
    return system_named("scheduling-cycle" if isinstance(scope, SchedulingCycleScope) else "scheduling")


def _goes_otherwise_in_go(state: Any, action: Action) -> bool:
    """Whether the driver or the model is known to take the action otherwise than the other.

    - Up to 1.18 the goroutine of the error function replaces `podInfo.Pod`, which `recordSchedulingFailure` reads
      without a lock. In the model it reads the one that there was before.
    - Up to 1.17 a goroutine that is about to listen at Permit is held while it writes to the log, which nobody else
      can then.
    - Of two goroutines of a pod that stand at the same gate the driver takes the one that came last.
    """
    if _stands_in_the_log(state, action):
        return True
    if action.name == "record_failure" and all(each.pod.name != action["pod"] for each in state.retries):
        return True
    at = [each for each in (state.cycle, *state.bindings, *state.retries) if each is not None]
    mine = [each for each in at if each.steps[0] == action.name and each.pod.name == dict(action.args).get("pod")]
    return len(mine) > 1


# What goes on without a line in the log.
_LOGS_NOTHING = frozenset({"listen", "allow_waiting_pod", "create_pod", "recreate_pod", "delete_pod"})


def _stands_in_the_log(state: Any, action: Action) -> bool:
    """Whether a goroutine is about to listen at Permit, and `action` may need the log."""
    return action.name not in _LOGS_NOTHING and any(each.steps[0] == "listen" for each in state.bindings)


def cases(release: Release) -> st.SearchStrategy[Case]:
    """Runs of scheduling under the rules of `release`, by chance: to choose each action is dear."""

    drawn = st.tuples(st.sampled_from(_SCOPES), st.just(release), st.integers(1, MOST), st.integers(0, 9999))
    return drawn.map(lambda each: _drawn(*each)).filter(lambda run: run is not None)  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def _drawn(scope: SchedulingScope, release: Release, length: int, seed: int) -> Case | None:
    """A run by chance, or None if a checkout of some release is known to go otherwise: who looks draws it often."""
    run = _walk(scope, release, length, Random(seed).choice)
    return None if any(_meets_a_difference(scope, known_release(other), run[1]) for other in RELEASES) else run


def long_runs() -> Iterator[Case]:
    """Long runs in each cluster under the rules of each release, by chance: nothing was looked for in them."""
    for number, scope in enumerate(_SCOPES):
        for name in RELEASES:
            for turn in range(_LONG):
                run = _walk(scope, known_release(name), MOST, Random(f"{number} {name} {turn}").choice)
                if not any(_meets_a_difference(scope, known_release(other), run[1]) for other in RELEASES):
                    yield run


def _meets_a_difference(scope: SchedulingScope, release: Release, ops: list[dict[str, Any]]) -> bool:
    """Whether Go is known to take one of `ops` otherwise than the model, in a checkout of `release`."""
    system = _system_of(scope)
    machine = system.machine(scope, rules_for(system.rules_class, release))
    state = machine.initial_states()[0]
    for op in ops:
        action = next((each for each in machine.actions(state) if operation(each) == op), None)
        if action is None:
            return False
        if _goes_otherwise_in_go(state, action):
            return True
        state = machine.step(state, action)
    return False
