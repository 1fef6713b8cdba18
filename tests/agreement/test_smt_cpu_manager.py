"""cpu-manager's formulas for runs: the same steps as the Python machine, the explicit engine's shortest lengths."""

from collections import deque
from collections.abc import Iterable

import pytest
from attrs import evolve
from z3 import Bool, BoolRef, Not, Or, PbEq, Solver, unsat

from kubeproof.engines import smt
from kubeproof.engines.explicit.check import check as explicit_check
from kubeproof.verdict.result import Outcome
from model.cpu.policy import remove as policy_remove
from model.cpu.rows import CPU_ROWS
from model.releases import parse_release, rules_for
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope
from properties.cpu_manager.catalogue import PROPERTIES, allocate_reserved
from properties.cpu_manager.errors import enough
from properties.cpu_manager.sets import ALLOCATABLE, DISJOINT, NOT_REPORTED, PARTITION
from properties.property import Invariant, Liveness, StepInvariant
from properties.smt.cpu_manager.cells import Layout
from properties.smt.cpu_manager.forms import REMOVE_CONTAINER, RUNS
from properties.smt.cpu_manager.system import encode
from properties.smt.cpu_manager.violations import Judge
from properties.smt.form import Cells, SmtForm
from tests.agreement.columns import Columns, Literals

ONE_POD = CPUManagerScope(cores=2, pods=1, containers=2, size=1, init=1, exits=1, restarts=1, removals=1)
TWO_PODS = CPUManagerScope(cores=2, pods=2, containers=1, size=1, restarts=1, jobs=1)
SIDECARS = CPUManagerScope(cores=3, pods=1, containers=2, size=1, init=1, sidecars=1, exits=1, restarts=1, removals=1)
BUSY = CPUManagerScope(cores=2, pods=2, containers=2, size=1, init=1, removals=1)
# One release for each rule of the manager and the policy that there is a formula for.
RELEASES = ("1.18.2", "1.20.0", "1.22.0", "1.23.0", "1.28.0", "1.31.0")


def system(release: str, scope: CPUManagerScope) -> tuple[CPUManagerMachine, SmtForm]:
    rules = rules_for(CPUManagerRules, parse_release(release))
    form = encode(scope, rules)
    assert isinstance(form, SmtForm)
    return CPUManagerMachine(scope, rules), form


def column(bits: Iterable[bool]) -> int:
    """Bit r of the int is value r."""
    return int("".join("1" if bit else "0" for bit in bits)[::-1], 2)


def columns(cells: Cells, rows: Iterable[tuple[bool, ...]]) -> dict[BoolRef, int]:
    return dict(zip(cells, map(column, zip(*rows, strict=True)), strict=True))


def lowest(odd: int) -> int:
    return (odd & -odd).bit_length() - 1


def agree(machine: CPUManagerMachine, form: SmtForm) -> set[str]:
    """Compare formulas and machine on every reachable state and step; returns the actions that were taken."""
    queue = deque(machine.initial_states())
    seen, steps = dict.fromkeys(queue), []
    while queue:
        state = queue.popleft()
        for action in machine.actions(state):
            after = machine.step(state, action)
            steps.append((state, action, after))
            if after not in seen:
                seen[after] = None
                queue.append(after)
    before, after = form.cells("0"), form.cells("1")
    taken = tuple(Bool(f"a{i}") for i in range(len(form.actions)))
    literals = Literals(before)
    constant = Layout(machine).constant
    bits = {state: tuple(constant(state).values()) for state in seen}
    for state in list(seen)[::50]:
        assert literals.read(form.pin(before, state)) == bits[state]
    assert len(set(bits.values())) == len(seen), "two states have the same cells"

    alone = Columns(columns(before, bits.values()), len(bits))
    enabled = [set(machine.actions(state)) for state in seen]
    assert set().union(*enabled) <= set(form.actions)
    states = list(seen)
    for i, action in enumerate(form.actions):
        odd = alone.of(form.enabled(before, i)) ^ column(action in each for each in enabled)
        assert not odd, f"{action} is enabled in one of the two only: {states[lowest(odd)]}"
    stepwise = Columns(
        columns(before, [bits[s] for s, _, _ in steps])
        | columns(after, [bits[s] for _, _, s in steps])
        | {cell: column(a == action for _, a, _ in steps) for cell, action in zip(taken, form.actions, strict=True)},
        len(steps),
    )
    odd = stepwise.every ^ stepwise.of(form.transition(before, taken, after))
    assert not odd, f"another successor in the formulas: {steps[lowest(odd)]}"
    for p in (each.of(machine) for each in PROPERTIES):
        if p.name not in form.violations:
            assert p.name in form.unsupported
        elif isinstance(p, Invariant):
            assert alone.of(form.violations[p.name](before)) == column(not p.holds(s) for s in states), p.name
            assert alone.of(form.premises[p.name](before)) == column(p.premise(s) for s in states), p.name
        elif isinstance(p, StepInvariant):
            broken = column(a.name in p.actions and not p.holds(s, a, t) for s, a, t in steps)
            assert stepwise.of(form.violations[p.name](before, taken, after)) == broken, p.name
            meant = column(a.name in p.actions and p.premise(s, a, t) for s, a, t in steps)
            assert stepwise.of(form.premises[p.name](before, taken, after)) == meant, p.name
    return {action.name for _, action, _ in steps}


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_step_equals_python_step_with_two_pods(release: str) -> None:
    assert {"create_pod", "allocate", "complete_pod", "start_kubelet"} <= agree(*system(release, TWO_PODS))


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.18.2", "1.31.0"])
def test_step_equals_python_step_with_an_init_container(release: str) -> None:
    assert {"exit_container", "remove_container", "sources_ready"} <= agree(*system(release, ONE_POD))


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), [("1.28.0", SIDECARS), ("1.18.2", BUSY)])
def test_step_equals_python_step_in_larger_scopes(release: str, scope: CPUManagerScope) -> None:
    assert "remove_container" in agree(*system(release, scope))


@pytest.mark.slow
def test_a_wrong_formula_is_found() -> None:
    """The comparison can fail: the machine of one release against the formulas of another."""
    machine, _ = system("1.31.0", ONE_POD)
    _, other = system("1.18.2", ONE_POD)
    with pytest.raises(AssertionError):
        agree(machine, other)


def test_a_step_takes_one_action_and_leads_to_one_state() -> None:
    """For any bits, not only those of a state."""
    _, form = system("1.31.0", TWO_PODS)
    before, after, other = form.cells("0"), form.cells("1"), form.cells("2")
    taken = tuple(Bool(f"a{i}") for i in range(len(form.actions)))
    solver = Solver()
    solver.add(form.transition(before, taken, after))
    assert solver.check(Not(PbEq([(bit, 1) for bit in taken], 1))) == unsat
    solver.add(form.transition(before, taken, other))
    assert solver.check(Or(*(a != b for a, b in zip(after, other, strict=True)))) == unsat


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "least"),
    [
        ("1.18.2", {PARTITION.name: 2}),
        ("1.22.0", {"exclusive-on-its-set": 4}),
        ("1.23.0", {PARTITION.name: 6}),
        ("1.28.0", {DISJOINT.name: 3}),
    ],
)
def test_shortest_runs_have_the_explicit_engines_length(release: str, least: dict[str, int]) -> None:
    """Init containers' CPUs shared, or freed by removal; a pod in admission taken for gone; a sidecar's CPUs reused."""
    depth = 6
    scope = CPUManagerScope(cores=3, pods=1, containers=2, size=2, init=1, sidecars=1, removals=1)
    machine, form = system(release, scope)
    judged = [p for p in PROPERTIES if p.name in form.violations]
    exact = {r.property: r for r in explicit_check(machine, judged)}
    found = {}
    for result in smt.check(machine, form, judged, depth=depth):
        trace = exact[result.property].trace
        if exact[result.property].outcome is Outcome.VIOLATED and trace is not None and len(trace.actions) <= depth:
            assert result.outcome is Outcome.VIOLATED
            assert result.trace is not None
            assert len(result.trace.actions) == len(trace.actions)
            found[result.property] = len(trace.actions)
        else:
            assert result.outcome in (Outcome.HOLDS, Outcome.INCONCLUSIVE)
    assert least.items() <= found.items()


@pytest.mark.slow
def test_another_pod_is_given_an_init_containers_cpus() -> None:
    """1.18.2: the shortest run to two pods with one CPU takes five actions."""
    machine, form = system("1.18.2", CPUManagerScope(cores=3, pods=2, containers=2, size=1, init=1))
    (result,) = smt.check(machine, form, [DISJOINT], depth=6)
    (exact,) = explicit_check(machine, [DISJOINT])
    assert result.trace is not None
    assert exact.trace is not None
    assert len(result.trace.actions) == len(exact.trace.actions) == 5


@pytest.mark.slow
def test_what_is_not_covered_says_why_and_keeps_its_proofs() -> None:
    rules = rules_for(CPUManagerRules, parse_release("1.31.0"))
    for scope, word in (
        (CPUManagerScope(crashes=1), "crashes"),
        (CPUManagerScope(wipes=2), "wipes"),
        (CPUManagerScope(cores=8), "CPUs"),
    ):
        form = encode(scope, rules)
        assert isinstance(form, SmtForm)
        assert form.proofs
        results = smt.check(CPUManagerMachine(scope, rules), form, PROPERTIES)
        assert {r.outcome for r in results} == {Outcome.NOT_APPLICABLE}
        assert all(word in (r.reason or "") for r in results)
    by_id = encode(CPUManagerScope(), rules_for(CPUManagerRules, parse_release("1.17.0")))
    assert isinstance(by_id, SmtForm)
    assert not by_id.violations


def test_a_rule_from_outside_has_no_form() -> None:
    rules = rules_for(CPUManagerRules, parse_release("1.31.0"))
    reason = encode(CPUManagerScope(), evolve(rules, allocate=allocate_reserved))
    assert isinstance(reason, str)
    assert "allocate=allocate_reserved" in reason


def test_which_refusals_are_needless_is_what_python_says() -> None:
    """No release refuses needlessly: every allocation is taken for refused."""
    machine, _ = system("1.23.0", CPUManagerScope(cores=3, pods=2, containers=2, size=2, init=1))
    layout = Layout(machine)
    judge, said, seen = Judge(layout), [], list(machine.initial_states())
    for state in seen:  # which grows
        for action in machine.actions(state):
            if (following := machine.step(state, action)) not in seen:
                seen.append(following)
            if action.name == "allocate":
                before = layout.constant(state)
                after = {**before, ("phase", layout.pod_names.index(action["pod"]), "failed"): True}
                said.append(judge.fails_needlessly(before, {action: True}, after))
                assert said[-1] is enough(state, action["pod"], action["container"])
                assert judge.fails_needlessly(before, {action: True}, before) is False
        if len(seen) > 400:
            break
    assert set(said) == {True, False}


def test_liveness_is_left_to_other_engines() -> None:
    _, form = system("1.31.0", TWO_PODS)
    assert {p.name for p in PROPERTIES if isinstance(p, Liveness)} <= set(form.unsupported)


def test_releases_that_report_no_allocatable_cpus_have_no_formula_for_them() -> None:
    machine, form = system("1.20.0", ONE_POD)
    (found,) = smt.check(machine, form, [ALLOCATABLE], depth=1)
    assert (found.outcome, found.reason) == (Outcome.NOT_APPLICABLE, NOT_REPORTED)
    # Nor does any state break the property or bear on it.
    (found,) = explicit_check(machine, [ALLOCATABLE])
    assert found.outcome is Outcome.INCONCLUSIVE
    assert ALLOCATABLE.name in system("1.21.0", ONE_POD)[1].violations


def test_rules_with_a_formula_are_releases_rules() -> None:
    rows = {(row.field, row.rule) for row in CPU_ROWS}
    assert {(table.field, rule) for table in RUNS for rule in table.by_rule} <= rows
    assert policy_remove.remove_container_by_id not in REMOVE_CONTAINER.by_rule


def test_what_the_formulas_leave_out_is_said_for_each_property() -> None:
    _, form = system("1.31.0", ONE_POD)
    reasons = {name: why for name, why in form.unsupported.items() if "in the end" not in why}
    assert set(reasons) == {"whole-cores-only", "runs-configured-policy"}
    assert all("not written" not in why for why in reasons.values())
