"""scheduling-cycle in TLA+ against Python: each property's verdict, counts beyond the manifest's, what is left out."""

import pytest
from attrs import evolve

from kubeproof.check import manifest
from kubeproof.engines import explicit, tlc
from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.engines.tlc.question import Question
from kubeproof.systems.scheduling_cycle.scopes import SCOPES
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import replay
from model.releases import known_release, rules_for
from model.scheduler import done
from model.systems.scheduling_cycle import SchedulingCycleMachine, SchedulingCycleRules, SchedulingCycleScope
from properties.preemption.mutants import no_pod_counts
from properties.property import Property
from properties.scheduling import nominations as of_nominations, pods as of_pods
from properties.scheduling_cycle import (
    binders,
    catalogue,
    cycle_state,
    node_repair,
    nominations,
    owners,
    permit,
    preemption,
    profiles,
    progress,
    search,
    searching,
)
from properties.tla.scheduling import operators as of_scheduling
from properties.tla.scheduling_cycle import system
from properties.tla.scheduling_cycle.operators import CONSTANTS
from properties.tla.scheduling_cycle.system import form
from tests.conftest import ROOT

RESERVING = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=2, failures=1)
WAITING = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, permit=2)
GROUP = SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1)
BINDING = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, binder_extenders=2)
NAMED = SchedulingCycleScope(pods=1, nodes=2, goroutines=1, named_nodes=2, node_deletes=1)
# What needs a power that most scopes do not have: each question costs TLC seconds.
OF_ONE_POWER = (
    preemption.VICTIMS_ARE_TOLD, preemption.ONE_PREEMPTION, preemption.EXTENDER_AGREES, preemption.ROOM_IS_KEPT,
    of_nominations.NOMINATION_CAN_COME_TRUE, owners.VOLUMES_HAVE_OWNER, node_repair.REMOVED_IS_GONE,
    searching.ASKS_EACH_ONCE, searching.KEEPS_TO_SNAPSHOT, searching.EXAMINED_IN_TURN,
    preemption.ONLY_VICTIMS_GO, preemption.PREEMPTS_FOR_PENDING, preemption.ONE_DELETE, nominations.HARMS_LEAST,
    nominations.NOMINATION_ENDS, of_nominations.NOMINATED_IS_PENDING, profiles.QUEUED_IS_OWN,
    profiles.NOMINATED_IS_OWN, profiles.BOUND_IS_OWN, cycle_state.READS_ITS_OWN,
)  # fmt: skip
OF_EVERY_SCOPE = tuple(p for p in catalogue.PROPERTIES if p not in OF_ONE_POWER)
PREEMPTING = SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1)
VOLUMES = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, volumes=1, reserves=1, failures=1)
NAMESAKES = evolve(PREEMPTING, deletes=1, recreates=1)
OTHERS = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, late_nodes=1, deletes=1, recreates=1, unknown_profile=1)
MISSING = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, node_deletes=1, node_adds=1, node_not_found=1)


def rules_of(release: str) -> SchedulingCycleRules:
    return rules_for(SchedulingCycleRules, known_release(release))


@pytest.fixture
def java() -> None:
    try:
        find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))


needs_java = pytest.mark.usefixtures("java")


# --- properties ------------------------------------------------------------------------------------------------------


def violated_of(scope: SchedulingCycleScope, rules: SchedulingCycleRules, *wanted: Property) -> set[str]:
    """What both engines find violated: the same, by shortest runs of one length; TLC's runs replay.

    Where no run meets its premise the explicit engine leaves a property open, and TLC says that it holds.
    """
    machine, stated = SchedulingCycleMachine(scope, rules, (catalogue.bind_without_waiting,)), form(scope, rules)
    asked = [p for p in wanted or catalogue.PROPERTIES if p.name in stated.properties]
    found = tlc.check(machine, stated, asked)
    for ours, theirs in zip(explicit.check(machine, asked), found, strict=True):
        violated = ours.outcome is Outcome.VIOLATED
        assert theirs.outcome is (Outcome.VIOLATED if violated else Outcome.HOLDS), theirs
        if theirs.trace is not None:
            assert replay(machine, theirs.trace.actions, loop=theirs.trace.loop) == theirs.trace
            assert theirs.trace.loop is not None or (theirs.minimal and theirs.trace.length == ours.trace.length)
    return {result.property for result in found if result.outcome is Outcome.VIOLATED}


def names(*properties: Property) -> set[str]:
    return {p.name for p in properties}


def test_of_a_property_that_is_not_stated_tlc_says_so() -> None:
    stated = form(RESERVING, rules_of("1.17.10"))
    unstated = [p for p in catalogue.PROPERTIES if p.name not in stated.properties]
    assert set(stated.unsupported) <= names(*unstated)
    assert all(stated.properties[p.name].kind == p.kind for p in catalogue.PROPERTIES if p not in unstated)
    found = tlc.check(SchedulingCycleMachine(RESERVING, rules_of("1.17.10")), stated, unstated)
    assert {result.outcome for result in found} == {Outcome.NOT_APPLICABLE}
    said = {result.property: result.reason for result in found}
    assert {name: said[name] for name in stated.unsupported} == stated.unsupported


@pytest.mark.slow
@needs_java
def test_what_plugins_have_reserved_stays_reserved() -> None:
    found = violated_of(RESERVING, rules_of("1.17.10"), owners.RESERVED_HAS_OWNER, owners.RESERVED_IS_KEPT)
    assert found == names(owners.RESERVED_HAS_OWNER)


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "violated"),
    [
        # PERMIT-DELETED-EARLY is all that is wrong.
        ("1.32.0", evolve(WAITING, permit=1, deletes=1, bind_errors=1), {"gone-pod-does-not-wait"}),
        ("1.36.2", evolve(WAITING, permit=1, failures=1), set()),
    ],
)
def test_what_is_violated_where_pods_are_in_flight(
    release: str, scope: SchedulingCycleScope, violated: set[str]
) -> None:
    assert violated_of(scope, rules_of(release)) == violated


@pytest.mark.slow
@needs_java
def test_a_wait_at_permit_does_not_end() -> None:
    """Up to 1.17 an Allow before the goroutine listens is lost. TLC finds it under its own fairness."""
    assert violated_of(WAITING, rules_of("1.17.10"), permit.WAIT_ENDS) == names(permit.WAIT_ENDS)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("time", "violated"),
    [({}, True), ({"clock": 1}, True), ({"clock": 1, "flush": 1}, False)],
)
def test_a_pod_waits_until_the_flush_after_a_refused_binding(time: dict[str, int], violated: bool) -> None:
    """Up to 1.22 nobody is told that the binding has given its room back. TLC finds it under its own fairness."""
    scope = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, bind_errors=1, **time)
    found = violated_of(scope, rules_of("1.19.0"), progress.FITTING_POD_IS_BOUND)
    assert found == (names(progress.FITTING_POD_IS_BOUND) if violated else set())


@pytest.mark.slow
@needs_java
def test_a_plugin_reads_what_another_cycle_has_written() -> None:
    scope = evolve(RESERVING, pods=2, reserves=1, cycle_state=1)
    assert violated_of(scope, rules_of("1.14.0"), cycle_state.READS_ITS_OWN) == names(cycle_state.READS_ITS_OWN)


@pytest.mark.slow
@needs_java
def test_a_pod_goes_that_has_the_name_of_a_victim() -> None:
    found = violated_of(NAMESAKES, rules_of("1.28.0"), preemption.ONLY_VICTIMS_GO)
    assert found == names(preemption.ONLY_VICTIMS_GO)


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "violated"),
    [
        ("1.17.10", SCOPES.default, (owners.RESERVED_HAS_OWNER, permit.DECISION_ARRIVES, permit.WAIT_ENDS)),
        ("1.16.0", WAITING, (permit.DECISION_ARRIVES, permit.ALL_ALLOW, permit.WAIT_ENDS)),
        ("1.18.4", WAITING, ()),
        ("1.17.10", GROUP, (permit.DECISION_ARRIVES, permit.WAIT_ENDS)),
        ("1.28.0", GROUP, ()),
        ("1.19.0-rc.4", RESERVING, (owners.ASSUMED_HAS_OWNER,)),
        ("1.28.10", evolve(NAMED, named_nodes=1), (of_pods.RUNS,)),
        ("1.28.0", NAMED, ()),
        ("1.15.0", evolve(BINDING, unmanaged=1), (binders.MANAGED_BY_EXTENDER,)),
        ("1.30.2", evolve(BINDING, extender_errors=1, ignorable=1), (binders.ONE_BINDER_BINDS,)),
        ("1.17.10", evolve(RESERVING, fine=1), (owners.RESERVED_HAS_OWNER,)),
        ("1.16.0", evolve(WAITING, fine=1), (permit.DECISION_ARRIVES, permit.ALL_ALLOW, permit.WAIT_ENDS)),
        ("1.19.0-rc.4", evolve(RESERVING, fine=1), (owners.ASSUMED_HAS_OWNER,)),
    ],
)
def test_all_properties(release: str, scope: SchedulingCycleScope, violated: tuple[Property, ...]) -> None:
    assert names(*violated) <= violated_of(scope, rules_of(release), *OF_EVERY_SCOPE)


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "violated"),
    [
        ("1.22.3", evolve(PREEMPTING, permit=1), preemption.VICTIMS_ARE_TOLD),
        ("1.19.0", evolve(PREEMPTING, preempt_extender=1), preemption.EXTENDER_AGREES),
        ("1.13.4", evolve(PREEMPTING, pods=3), preemption.ROOM_IS_KEPT),
        ("1.23.0", evolve(PREEMPTING, node_deletes=1), of_nominations.NOMINATION_CAN_COME_TRUE),
        ("1.17.10", VOLUMES, owners.VOLUMES_HAVE_OWNER),
        ("1.15.0", MISSING, node_repair.REMOVED_IS_GONE),
        ("1.31.13", evolve(PREEMPTING, room=2, goroutines=2, updates=1), preemption.PREEMPTS_FOR_PENDING),
        ("1.19.4", PREEMPTING, of_nominations.NOMINATED_IS_PENDING),
        ("1.22.3", PREEMPTING, nominations.NOMINATION_ENDS),
        ("1.24.0", OTHERS, profiles.QUEUED_IS_OWN),
        ("1.24.0", evolve(NAMESAKES, unknown_profile=2), profiles.NOMINATED_IS_OWN),
        ("1.17.10", OTHERS, profiles.BOUND_IS_OWN),
    ],
)
def test_a_property_of_one_power(release: str, scope: SchedulingCycleScope, violated: Property) -> None:
    assert violated_of(scope, rules_of(release), violated) == names(violated)


@needs_java
@pytest.mark.slow
def test_a_pod_that_preempts_again() -> None:
    rules = evolve(rules_of("1.24.0"), terminating_pod_counts=no_pod_counts)
    scope = evolve(PREEMPTING, pods=3, room=2, graceful=1)
    assert violated_of(scope, rules, preemption.ONE_PREEMPTION) == names(preemption.ONE_PREEMPTION)


@needs_java
@pytest.mark.slow
def test_a_victim_that_is_deleted_again() -> None:
    rules = evolve(rules_of("1.28.0"), terminating_pod_counts=no_pod_counts)
    assert violated_of(evolve(PREEMPTING, graceful=1), rules, preemption.ONE_DELETE) == names(preemption.ONE_DELETE)


@needs_java
@pytest.mark.slow
def test_a_node_where_more_important_pods_go() -> None:
    rules = evolve(rules_of("1.28.0"), pick_one_node=catalogue.any_candidate)
    scope = evolve(PREEMPTING, pods=3, nodes=2, high=2, top=1)
    assert violated_of(scope, rules, nominations.HARMS_LEAST) == names(nominations.HARMS_LEAST)


@needs_java
@pytest.mark.slow
def test_a_pod_for_which_nobody_waits() -> None:
    rules = evolve(rules_of("1.18.4"), points_in_binding=catalogue.bind_without_waiting)
    assert owners.WAITING_HAS_WAITER.name in violated_of(WAITING, rules, *OF_EVERY_SCOPE)


@needs_java
@pytest.mark.slow
def test_a_search_that_leaves_out_a_node_that_is_named(tmp_path) -> None:
    """The rules of the releases leave out none. A wrong operator does."""
    stated, asked = form(NAMED, rules_of("1.28.0")), Question(properties=("NamedNodesAreTried",))
    assert ask(stated, asked).outcome is Outcome.HOLDS
    module = tmp_path / "some_names.tla"
    module.write_text(
        "---- MODULE some_names ----\nEXTENDS SchedulingCycle\n"
        "SomeNames(names, listed) == [error |-> FALSE, asked |-> {CHOOSE name \\in names : TRUE}]\n====\n"
    )
    constants = tuple(line.replace("<- ErrorForMissingNode", "<- SomeNames") for line in stated.constants)
    assert constants != stated.constants
    wrong = evolve(stated, constants=constants, extra_modules=(module,), symmetry=None)
    assert ask(wrong, asked).outcome is Outcome.VIOLATED
    assert search.NAMED_ARE_TRIED.name in stated.properties


# --- counts ----------------------------------------------------------------------------------------------------------


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "changes"),
    [
        # Three priorities, and nominations that are names.
        ("1.31.13", evolve(PREEMPTING, pods=3, high=2, top=1), {}),
        ("1.15.3", evolve(GROUP, failures=1, reserves=1), {}),
        ("1.28.4", evolve(NAMED, named_nodes=1), {}),
        ("1.20.0", evolve(RESERVING, extender=1, extender_errors=1, ignorable=1, bind_errors=1), {}),
        ("1.18.4", evolve(RESERVING, pods=2, high=1, preemption=1, failures=1), {}),
        # With pods in flight: plugins that wait for every event, and a victim whose wait is decided or not.
        ("1.32.0", RESERVING, {}),
        ("1.33.1", evolve(PREEMPTING, permit=1), {}),
        ("1.36.2", evolve(PREEMPTING, permit=1, graceful=1), {}),
        ("1.36.2", evolve(WAITING, permit=1, failures=1, clock=1, flush=1), {}),
        # A pod is created again while it waits: the handler returns, and the deferred move follows.
        ("1.36.2", evolve(WAITING, permit=1, deletes=1, recreates=1), {}),
        ("1.34.1", evolve(WAITING, permit=1, deletes=1, recreates=1, preemption=1, patch_errors=1), {}),
    ],
)
def test_counts(release: str, scope: SchedulingCycleScope, changes: dict[str, object]) -> None:
    rules = evolve(rules_of(release), **changes)
    counts = explicit.explore(SchedulingCycleMachine(scope, rules)).counts
    answer = ask(form(scope, rules), Question(invariants=("TypeOK",)))
    assert answer.outcome is Outcome.HOLDS, answer.reason
    assert (answer.states, answer.generated, answer.depth) == (counts.distinct, counts.generated, counts.depth)


def test_every_operator_is_counted() -> None:
    """Each rule of the points that the modules have is one of some release whose states the manifest counts."""
    counted = set()
    for entry in manifest.read_manifest(ROOT / "specs"):
        if entry.system == "scheduling-cycle":
            rules = entry.scope_and_rules()[1]
            counted |= {(each.name, each.operators.of(rules)) for each in CONSTANTS}
    own = [each for each in CONSTANTS if each not in of_scheduling.CONSTANTS]
    # Of an undoing no release follows each rule in each field.
    undoing = {operator for name, operator in counted if name.startswith("AfterFailed")}
    said = {(each.name, operator) for each in own for operator in each.operators.by_rule.values()}
    left = {pair for pair in said - counted if not (pair[0].startswith("AfterFailed") and pair[1] in undoing)}
    # Counted in a test above, and a mutant.
    assert left == {("PickOneNodeRule", "AnyCandidate"), ("KeepsNominatedInStateRule", "Always")}


# --- what is left out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("switch", ["expiry", "keep_snapshot"])
def test_switches_without_a_form(switch: str) -> None:
    assert f"{switch}=1" in form(evolve(WAITING, **{switch: 1}), rules_of("1.24.0")).reason


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"points_in_cycle": lambda: ("assume",)}, "points_in_cycle"),
        ({"timer_runs": lambda waiting: False}, "timer_runs"),
        ({"unreserves_in_reverse": lambda: True}, "unreserves_in_reverse"),
        ({"strip_pod": lambda pod: pod}, "strip_pod"),
    ],
)
def test_rules_without_a_form(changes: dict[str, object], named: str) -> None:
    rules = rules_of("1.24.0")
    assert form(WAITING, rules).reason is None
    assert named in form(WAITING, evolve(rules, **changes)).reason


def test_an_update_of_a_node_that_the_error_function_removes() -> None:
    assert form(MISSING, rules_of("1.17.10")).reason is None
    assert "node tree" in form(evolve(MISSING, cordons=1), rules_of("1.17.10")).reason
    assert form(evolve(MISSING, cordons=1), rules_of("1.18.4")).reason is None


@pytest.mark.parametrize("switch", ["fine", "expiry", "keep_snapshot"])
def test_switches_without_a_form_where_pods_are_in_flight(switch: str) -> None:
    assert form(WAITING, rules_of("1.36.2")).reason is None
    assert f"{switch}=1" in form(evolve(WAITING, **{switch: 1}), rules_of("1.36.2")).reason


def test_several_bindings_of_a_pod_that_preemption_may_cancel() -> None:
    scope = evolve(PREEMPTING, goroutines=2)
    assert form(scope, rules_of("1.35.1")).reason is None
    assert "goroutines=2" in form(scope, rules_of("1.36.2")).reason
    assert form(evolve(scope, preemption=0), rules_of("1.36.2")).reason is None


def test_flushes_that_a_rule_from_outside_may_count() -> None:
    rules, scope = rules_of("1.36.2"), evolve(WAITING, clock=1, flush=1)
    assert form(scope, rules).reason is None
    counting = evolve(
        rules, hint_for_in_flight_pod=lambda setup, queue, info: rules.hint_for_in_flight_pod(setup, queue, info)
    )
    assert "flushes" in form(scope, counting).reason


def test_done_after_bind_where_pods_are_in_flight() -> None:
    rules = evolve(rules_of("1.36.2"), done_in_binding=done.done_after_bind)
    assert "done_in_binding" in form(WAITING, rules).reason


def test_searches_that_go_round_the_tree() -> None:
    assert form(evolve(WAITING, quota=1), rules_of("1.17.10")).reason is None
    assert "node tree" in form(evolve(WAITING, quota=1), rules_of("1.16.0")).reason
    assert "node tree" in form(evolve(WAITING, quota=1, node_deletes=1), rules_of("1.24.0")).reason


def test_a_power_that_the_modules_do_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    assert form(RESERVING, rules_of("1.24.0")).reason is None
    monkeypatch.setattr(system, "SAID", system.SAID - {"reserves"})
    assert "reserves=2" in form(RESERVING, rules_of("1.24.0")).reason
