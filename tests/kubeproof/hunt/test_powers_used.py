"""Which powers a run takes, and the scopes that a hunt looks in."""

from itertools import islice
from time import time

import pytest

from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.kept import reproduce
from kubeproof.bugs.runs import kept_run
from kubeproof.engines import explicit
from kubeproof.hunt.blame import machine_with
from kubeproof.hunt.found import Asked
from kubeproof.hunt.one_scope import Task, _fewest_powers
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.growing import growing_scopes, powers_of
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System
from model.machine import Action
from model.releases import parse_release, rules_for
from model.systems.cpu_manager import CPUManagerScope
from model.systems.node_listing import NodeListingScope
from model.systems.scheduling import SchedulingScope

NO_POWERS = CPUManagerScope(cores=2)


def _actions(bug: str) -> tuple[Action, ...]:
    trace = reproduce(bug_named(bug)).trace
    assert trace is not None
    return trace.actions


def test_powers_are_those_that_the_run_takes() -> None:
    used = CPU_MANAGER.powers_used
    assert used(NO_POWERS, _actions("CPU-RECONCILE-READD")) == {"exits"}
    assert used(NO_POWERS, _actions("CPU-INIT-REMOVE-FREES-SIBLING")) == {"init", "removals"}
    full_pcpus = CPUManagerScope(threads=2, full_pcpus=1)
    assert used(full_pcpus, _actions("CPU-FULL-PCPUS-READMIT")) == {"full_pcpus", "restarts"}
    own = [Action.of("create_pod", pod="p1", containers="pod-level: init 1, app 1")]
    assert used(CPUManagerScope(pod_level=1), own) == {"init", "pod_level"}
    assert used(CPUManagerScope(pod_level=1, pod_level_gate=1), own) == {"init", "pod_level", "pod_level_gate"}
    assert used(CPUManagerScope(pod_level=1, pod_level_gate=1), ()) == frozenset()
    # The end of an init container takes no power.
    assert used(NO_POWERS, [Action.of("exit_container", pod="p1", container="i0")]) == frozenset()


def test_each_kept_run_takes_the_powers_of_its_bug() -> None:
    for name in ("CPU-STATE-TOPOLOGY", "CPU-SIDECAR-REUSE", "CPU-OFFLINE-SIBLING", "CPU-POLICY-NAME"):
        assert CPU_MANAGER.powers_used(NO_POWERS, _actions(name)) == set(bug_named(name).powers)


def test_powers_of_scheduling_are_those_that_the_run_takes() -> None:
    for bug in BUGS:
        if not (bug.system == "scheduling" and bug.id.startswith(("QUEUE-", "CACHE-", "SNAP-"))):
            continue
        run = kept_run(bug)
        taken = SCHEDULING.powers_used(run.scope, run.actions)
        given = {name for name, value in bug.given if value} - {"room", "goroutines", "pods", "nodes"}
        assert set(bug.powers) <= taken <= given, bug.id
    joins = [Action.of("add_node", node="n1")]
    assert SCHEDULING.powers_used(SchedulingScope(), joins) == {"node_adds"}
    assert SCHEDULING.powers_used(SchedulingScope(late_nodes=1), joins) == {"late_nodes"}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_the_scopes_of_a_hunt_differ(system: System) -> None:
    scopes = list(islice(growing_scopes(system), 2000))
    assert {type(scope) for scope in scopes} == {system.scope_class}
    assert len(set(scopes)) == len(scopes)
    assert set(system.scopes.few_powers) <= set(scopes)


def test_a_hunt_begins_with_the_pairs_of_powers_in_the_smallest_size() -> None:
    assert next(growing_scopes(SYSTEMS["node-listing"])) == NodeListingScope(nodes=1, zones=1, moves=0)
    scopes = growing_scopes(SCHEDULING)
    pairs = set(islice(scopes, 400))
    least = {"pods": 1, "nodes": 1, "room": 1, "goroutines": 1}
    assert SchedulingScope(**least, updates=1, bind_errors=1) in pairs
    assert all((scope.pods, scope.nodes, scope.room) == (1, 1, 1) for scope in pairs)
    # Or more, where a power comes with others: a pod that is created again was deleted first.
    assert min(sum(getattr(scope, power) for power in powers_of(SCHEDULING)) for scope in pairs) == 2
    assert all(scope.deletes for scope in pairs if scope.recreates)
    # `numbering` and `fine` are no powers.
    assert not {"numbering", "fine", "attempts", "turned", "together"} & {
        *powers_of(CPU_MANAGER),
        *powers_of(SCHEDULING),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scheduling", "scheduling-cycle"])
def test_a_hunt_has_three_priorities(name: str) -> None:
    """Every power alone is 1, and a pod that is above the only pod of higher priority is that pod."""
    with_top = [scope for scope in islice(growing_scopes(SYSTEMS[name]), 9000) if scope.top]
    assert with_top
    assert all(scope.high > scope.top for scope in with_top)


def test_a_hunt_grows_the_scope_in_which_a_nomination_comes_back_in_1_31() -> None:
    (bug,) = (bug for bug in BUGS if bug.id == "NOM-CLEAR-OVERTAKEN-BY-PRIORITY")
    wanted = kept_run(bug).scope
    # Among the first thousand, of which a hunt of ten minutes comes through some hundreds: after the pairs of powers.
    assert wanted in set(islice(growing_scopes(SCHEDULING), 1000))


def test_a_hunt_leaves_the_clock_on_where_each_hold_of_a_lock_is_an_action() -> None:
    """Without the clock no failed pod backs off, and a shorter run would be one that no scheduler takes."""
    release = parse_release("1.36.3", QUEUEING_HINTS.minors)
    scope = QUEUEING_HINTS.parse_scope("0,pods=1,goroutines=2,gate=1,bind_errors=2,clock=1,fine=1,updates=1")
    rules = rules_for(QUEUEING_HINTS.rules_class, release)
    machine = machine_with(QUEUEING_HINTS, scope, rules)
    (result,) = explicit.check(machine, [QUEUEING_HINTS.property_named("pod-in-one-place")], until_violated=True)
    asked = Asked(QUEUEING_HINTS, release)
    fewest, again = _fewest_powers(QUEUEING_HINTS, scope, rules, result, Task(asked, scope, {}, (), time() + 60))
    assert fewest.clock == fewest.fine == 1
    assert again.trace is not None
    assert result.trace is not None
    assert again.trace.length <= result.trace.length
