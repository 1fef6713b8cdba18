"""cpu-manager in TLA+ against Python: taking CPUs, counts beyond the manifest's, traces, what is left out."""

from itertools import chain, combinations

import pytest
from attrs import evolve

from kubeproof.check import manifest
from kubeproof.engines import explicit, tlc
from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.engines.tlc.question import Question
from kubeproof.engines.tlc.traces import with_unseen_step
from kubeproof.systems.cpu_manager.system import CPU_MANAGER
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import Step, Trace, replay
from model.cpu import new_manager
from model.cpu.policy import validate as policy_validate
from model.cpu.policy.types import StaticPolicyOptions
from model.go.errors import GoError
from model.releases import parse_release, rules_for
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope
from model.systems.cpu_manager.kubelet import packed, topology_of
from model.systems.cpu_manager.records import Node
from properties.cpu_manager import (
    catalogue as props,
    errors,
    pods as of_pods,
    running as running,
    sets as sets,
    starts as starts,
)
from properties.tla.cpu_manager import system as tla
from properties.tla.cpu_manager.operators import CONSTANTS
from properties.tla.cpu_manager.system import form
from properties.tla.form import TlaForm
from tests.conftest import ROOT


def rules_of(release):
    return rules_for(CPUManagerRules, parse_release(release))


NEWEST = rules_of("1.31")
SCOPE = CPUManagerScope(cores=2, containers=1, size=1, restarts=1)


needs_java = pytest.mark.usefixtures("java")


@pytest.fixture
def java():
    try:
        find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))


# --- taking CPUs -----------------------------------------------------------------------------------------------------

TABLE = r"""---- MODULE TakeTable ----
EXTENDS CpuPolicy
VARIABLE row
Table == {%s}
Init == row \in Table
Next == UNCHANGED row
SameAsPython ==
    LET taken == TakeByTopology([cores |-> row[1], offline |-> row[2], reserved |-> 1], row[3], row[4])
    IN  taken = [ok |-> row[5], cpus |-> row[6]]
====
"""


def taken_rows(cores, threads, offline):
    """(cores, offline, available, how many, are there so many, CPUs) for every input on these machines."""
    take = packed(NEWEST)
    for gone in chain.from_iterable(combinations(range(1, cores * threads), k) for k in range(offline + 1)):
        node = Node(cores, threads, frozenset(gone), 1)
        cpus = sorted(node.cpus)
        for size in range(len(cpus) + 1):
            for available in combinations(cpus, size):
                for num in range(size + 2):
                    taken = take(topology_of(node), frozenset(available), num, StaticPolicyOptions())
                    failed = isinstance(taken, GoError)
                    yield cores, gone, available, num, not failed, () if failed else tuple(sorted(taken))


def tla_text(value):
    if isinstance(value, bool):
        return str(value).upper()
    return f"{{{', '.join(map(str, value))}}}" if isinstance(value, tuple) else str(value)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("cores", "threads", "offline"),
    [(2, 2, 1), (3, 2, 1), (2, 3, 0)],
)
def test_takes_what_the_release_takes(tmp_path, cores, threads, offline):
    rows = sorted(set(taken_rows(cores, threads, offline)))
    module = tmp_path / "TakeTable.tla"
    text = ", ".join(f"<<{', '.join(map(tla_text, row))}>>" for row in rows)
    module.write_text(TABLE % text)
    policy = ROOT / "specs" / "CpuPolicy.tla"
    stated = TlaForm(module="TakeTable", modules=(policy, module), constants=(f"  Threads = {threads}",))
    answer = ask(stated, Question(invariants=("SameAsPython",)))
    assert (answer.outcome, answer.states) == (Outcome.HOLDS, len(rows)), answer.reason


# --- counts ----------------------------------------------------------------------------------------------------------


def counted_alike(scope, rules):
    machine, stated = CPU_MANAGER.machine(scope, rules), form(scope, rules)
    counts = explicit.explore(machine).counts
    answer = ask(stated, Question(invariants=("TypeOK",)))
    assert answer.outcome is Outcome.HOLDS, answer.reason
    assert (answer.states, answer.generated, answer.depth) == (counts.distinct, counts.generated, counts.depth)
    if stated.symmetry is not None:
        counts = explicit.explore(machine, symmetry=True).counts
        assert tlc.count(stated, symmetry=True) == (counts.distinct, counts.generated, counts.depth)


MACHINE_CHANGES = CPUManagerScope(
    cores=1, threads=2, pods=1, containers=2, size=1, init=1, restarts=1, crashes=1, hotplug=1, offline=1, wipes=2
)


@pytest.mark.slow
@needs_java
def test_counts_where_cpus_share_cores():
    counted_alike(MACHINE_CHANGES, NEWEST)


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "rules"),
    [
        (evolve(SCOPE, jobs=1, exits=1), rules_of("1.22.1")),
        (evolve(SCOPE, rereserve=1, wipes=2, crashes=1), rules_of("1.18.0")),
        (evolve(SCOPE, pods=3, size=0, restarts=0, crashes=1), NEWEST),
        (SCOPE, evolve(NEWEST, allocate=props.allocate_reserved)),
    ],
)
def test_counts(scope, rules):
    counted_alike(scope, rules)


def test_every_operator_is_counted():
    """Each rule that CpuManager.tla has is one of some release whose states the manifest counts; but the mutant."""
    counted = set()
    for entry in manifest.read_manifest(ROOT / "specs"):
        if entry.system == "cpu-manager":
            rules = entry.scope_and_rules()[1]
            counted |= {getattr(rules, each.operators.field) for each in CONSTANTS}
    said = {rule for each in CONSTANTS for rule in each.operators.by_rule}
    assert said - counted == {props.allocate_reserved}


# --- properties ------------------------------------------------------------------------------------------------------


def agree(scope, rules, *wanted):
    """Both engines' results, which must be the same, shortest runs equally long; TLC's runs must replay."""
    machine = CPU_MANAGER.machine(scope, rules)
    found = tlc.check(machine, form(scope, rules), wanted)
    for ours, theirs in zip(explicit.check(machine, wanted), found, strict=True):
        assert theirs.outcome is ours.outcome, theirs
        if theirs.trace is not None:
            assert replay(machine, theirs.trace.actions, loop=theirs.trace.loop) == theirs.trace
            assert theirs.trace.loop is not None or (theirs.minimal and theirs.trace.length == ours.trace.length)
    return found


@pytest.mark.slow
@needs_java
def test_overlap_keeps_the_kubelet_down():
    scope = evolve(SCOPE, containers=2, pods=1, init=1)
    found = agree(scope, rules_of("1.18.0"), sets.PARTITION, starts.RESTART)
    assert [result.outcome.value for result in found] == ["violated", "violated"]
    assert "overlaps with default cpuset" in found[1].explanation


@pytest.mark.slow
@needs_java
def test_added_cpus_keep_the_kubelet_down():
    scope = evolve(SCOPE, pods=1, hotplug=1)
    (found,) = agree(scope, NEWEST, starts.COMES_UP)
    assert found.outcome is Outcome.VIOLATED
    assert 'current set of available CPUs "0-2" doesn\'t match with CPUs in state "0-1"' in found.explanation


@needs_java
@pytest.mark.slow
def test_what_holds_and_what_does_not():
    wanted = [p for p in props.PROPERTIES if p.name in tla.PROPERTIES and p is not running.OFF_EXCLUSIVE]
    found = agree(SCOPE, NEWEST, *wanted)
    assert {r.property for r in found if r.outcome is not Outcome.HOLDS} == {
        of_pods.GIVEN.name,
        of_pods.RETURNED.name,
    }


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "violated"),
    [
        (
            "1.18.0",
            CPUManagerScope(cores=2, containers=2, size=1, init=1, restarts=1, exits=1),
            (running.ON_ITS_SET, running.OFF_EXCLUSIVE, sets.DISJOINT),
        ),
        (
            "1.22.0",
            CPUManagerScope(cores=3, pods=1, containers=2, size=1, restarts=1),
            (running.ON_ITS_SET, sets.ALLOCATABLE),
        ),
    ],
    ids=["1.18.0", "1.22.0"],
)
def test_old_releases(release, scope, violated):
    found = agree(scope, rules_of(release), *violated)
    assert all(result.outcome is Outcome.VIOLATED for result in found), [r.property for r in found if not r.trace]


@needs_java
@pytest.mark.slow
def test_a_step_that_changes_nothing_may_violate():
    """A pass leaves the container where lastUpdateState says it was told to run: TLC sees no step there."""
    scope = CPUManagerScope(cores=3, pods=3, containers=1, size=1, exits=1)
    (found,) = agree(scope, NEWEST, running.OFF_EXCLUSIVE)
    last = found.trace.steps[-1]
    assert (last.action.name, last.state) == ("reconcile_state", found.trace.steps[-2].state)


@pytest.mark.slow
def test_unseen_step_takes_the_place_of_the_one_shown():
    machine = CPUManagerMachine(CPUManagerScope(cores=3, pods=3, containers=1, size=1, exits=1), NEWEST)
    (ours,) = explicit.check(machine, [running.OFF_EXCLUSIVE])
    before = ours.trace.steps[-2].state
    other = next(action for action in machine.actions(before) if action.name != "reconcile_state")
    shown = Trace((*ours.trace.steps[:-1], Step(other, machine.step(before, other))))
    assert with_unseen_step(machine, shown, running.OFF_EXCLUSIVE) == ours.trace
    assert with_unseen_step(machine, shown, running.KEPT) == shown


@needs_java
@pytest.mark.slow
def test_mutant_reserves_nothing():
    found = agree(SCOPE, evolve(NEWEST, allocate=props.allocate_reserved), sets.RESERVED, of_pods.COUNTED)
    assert [result.outcome for result in found] == [Outcome.VIOLATED, Outcome.VIOLATED]


@pytest.mark.slow
@needs_java
def test_an_allocation_that_fails_needlessly(tmp_path) -> None:
    """No release does so in the scopes that the module says. A wrong operator does."""
    scope = CPUManagerScope(cores=2, pods=2, containers=1, size=1)
    (found,) = agree(scope, NEWEST, errors.NO_NEEDLESS_ERROR)
    assert found.outcome is Outcome.HOLDS
    stated, asked = form(scope, NEWEST), Question(properties=("NoNeedlessError",))
    module = tmp_path / "refuse.tla"
    module.write_text(
        "---- MODULE refuse ----\nEXTENDS CpuManager\n"
        "Refuse(policy, s, reuse, pod, shape, at) ==\n"
        "    IF Containers(shape)[at] = 0 THEN AllocateReusing(policy, s, reuse, pod, shape, at)\n"
        "    ELSE Change(s, <<>>, reuse, FALSE)\n"
        "====\n"
    )
    constants = tuple(
        line.replace("AllocateRule <- AllocateReusing", "AllocateRule <- Refuse") for line in stated.constants
    )
    assert constants != stated.constants
    wrong = evolve(stated, constants=constants, extra_modules=(module,), symmetry=None)
    assert ask(wrong, asked).outcome is Outcome.VIOLATED


def test_each_property_that_is_not_stated_has_a_reason() -> None:
    unstated = {p.name for p in props.PROPERTIES} - set(form(SCOPE, NEWEST).properties)
    assert unstated == set(form(SCOPE, NEWEST).unsupported) == {sets.WHOLE_CORES.name, starts.POLICY.name}


# --- what is left out, and what others bring -------------------------------------------------------------------------


@pytest.mark.parametrize("switch", ["sidecars", "repolicy", "full_pcpus", "pod_level", "numbering", "turned"])
def test_switches_without_a_form(switch):
    reason = form(evolve(SCOPE, **{switch: 1}), NEWEST).reason
    assert f"{switch}=1" in reason


def test_releases_that_report_no_allocatable_cpus():
    machine = CPUManagerMachine(SCOPE, rules_of("1.20"))
    (found,) = tlc.check(machine, form(SCOPE, machine.rules), [sets.ALLOCATABLE])
    assert (found.outcome, found.reason) == (Outcome.NOT_APPLICABLE, sets.NOT_REPORTED)
    assert sets.ALLOCATABLE.name in form(SCOPE, rules_of("1.21.0")).properties


def test_rules_without_a_form():
    assert "1.18" in form(SCOPE, rules_of("1.17")).reason
    offline = evolve(SCOPE, threads=2, offline=1)
    assert form(offline, NEWEST).reason is None
    assert "1.22" in form(offline, rules_of("1.21")).reason
    assert form(evolve(SCOPE, offline=1), rules_of("1.21")).reason is None
    other = evolve(NEWEST, initial_containers=new_manager.no_initial_containers)
    assert "no_initial_containers" in form(SCOPE, other).reason


@pytest.mark.slow
@needs_java
def test_fix_with_operators_of_its_own(tmp_path):
    def accept_any_state(policy, state):
        started = policy_validate.set_default_cpu_set(
            state, policy.topology.cpus - policy_validate.assigned_cpus(state)
        )
        return policy_validate.Change(started, stores=(started,))

    rules = evolve(NEWEST, validate_state=accept_any_state)
    scope = evolve(SCOPE, pods=1, hotplug=1)
    assert "accept_any_state" in form(scope, rules).reason
    module = tmp_path / "accept_any_state.tla"
    module.write_text(
        "---- MODULE accept_any_state ----\n"
        "EXTENDS CpuPolicy\n"
        "Renewed(policy, s) == [s EXCEPT !.default = Cpus(policy.node) \\ Assigned(s)]\n"
        "FixedValidateState(policy, s) ==\n"
        "    [ok |-> TRUE, state |-> Renewed(policy, s), stores |-> <<Renewed(policy, s)>>]\n"
        "====\n"
    )
    machine, stated = CPUManagerMachine(scope, rules), form(scope, rules, {"validate_state": module})
    counts = explicit.explore(machine).counts
    assert tlc.count(stated) == (counts.distinct, counts.generated, counts.depth)
    (result,) = tlc.check(machine, stated, [starts.COMES_UP])
    assert result.outcome is Outcome.HOLDS
