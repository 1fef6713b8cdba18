"""The CPU policy in Z3: proofs for any state, counterexamples to induction, and which states validateState accepts."""

from collections.abc import Sequence
from functools import cache

import pytest
from attrs import evolve

from kubeproof.engines import smt
from kubeproof.engines.smt.induction import ObligationResult
from kubeproof.verdict.result import Outcome
from model.cpu.policy import allocate as policy_allocate
from model.cpu.rows import CPU_ROWS
from model.releases import known_release, rules_for
from model.systems.cpu_manager import CPUManagerRules, CPUManagerScope
from properties.cpu_manager.catalogue import allocate_reserved
from properties.cpu_manager.sets import DISJOINT, PARTITION, RESERVED
from properties.cpu_manager.validate import judge
from properties.smt.cpu_manager import policy_replay
from properties.smt.cpu_manager.policy import ALLOCATE, REMOVE, UPDATE_REUSE, VALIDATE, AllocateForm, without_taken
from properties.smt.cpu_manager.policy_proof import proofs_for
from tests.properties.smt import cpu_validate_claims

EVERY_POWER = CPUManagerScope(init=1, sidecars=1, jobs=1, removals=1, restarts=1, crashes=1, hotplug=1)
NO_REMOVALS = evolve(EVERY_POWER, removals=0)
NO_SIDECARS = evolve(EVERY_POWER, sidecars=0)
THREE = (PARTITION.name, DISJOINT.name, RESERVED.name)


def rules_of(release: str) -> CPUManagerRules:
    return rules_for(CPUManagerRules, known_release(release))


@cache
def answers(release: str, scope: CPUManagerScope, width: int) -> dict[str, list[ObligationResult]]:
    """By property, the answers to the proof that speaks of it."""
    return asked(rules_of(release), scope, width)


def asked(rules: CPUManagerRules, scope: CPUManagerScope, width: int) -> dict[str, list[ObligationResult]]:
    found: dict[str, list[ObligationResult]] = {}
    for proof in proofs_for(scope, rules, (width,)):
        found |= dict.fromkeys(proof.applies, smt.prove(proof, timeout=120))
    return found


def proved(found: dict[str, list[ObligationResult]]) -> set[str]:
    return {name for name, results in found.items() if all(r.outcome is Outcome.HOLDS for r in results)}


def refuted(results: Sequence[ObligationResult]) -> list[ObligationResult]:
    assert all(r.outcome is not Outcome.INCONCLUSIVE for r in results)
    return [r for r in results if r.outcome is Outcome.VIOLATED]


WHERE_PROVED = {
    ("1.14.0", EVERY_POWER): THREE,
    ("1.17.0", EVERY_POWER): THREE,
    ("1.18.2", EVERY_POWER): (RESERVED.name,),
    ("1.20.0", EVERY_POWER): (RESERVED.name,),
    ("1.20.0", NO_REMOVALS): THREE,
    ("1.22.0", NO_REMOVALS): (PARTITION.name, RESERVED.name),
    ("1.22.0", evolve(NO_REMOVALS, crashes=0)): THREE,
    ("1.23.0", NO_REMOVALS): THREE,
    ("1.24.0", EVERY_POWER): THREE,
    ("1.28.0", EVERY_POWER): (PARTITION.name, RESERVED.name),
    ("1.28.0", NO_SIDECARS): THREE,
    ("1.31.0", EVERY_POWER): THREE,
}


@pytest.mark.slow
@pytest.mark.parametrize(("release", "scope"), WHERE_PROVED, ids=lambda each: str(each)[:80])
def test_what_is_inductive_in_which_release(release: str, scope: CPUManagerScope) -> None:
    """One row for each generation of the policy's rules, on any machine of up to 4 CPUs, for any state."""
    found = answers(release, scope, 4)
    assert set(found) == set(THREE)
    assert proved(found) == set(WHERE_PROVED[release, scope])


@pytest.mark.slow
@pytest.mark.parametrize(("release", "width"), [("1.16.0", 64), ("1.31.0", 8), ("1.31.0", 64), ("1.31.0", 512)])
def test_it_stays_inductive_on_large_machines(release: str, width: int) -> None:
    assert proved(answers(release, EVERY_POWER, width)) == set(THREE)


@pytest.mark.parametrize(
    ("release", "of", "operation"),
    [
        ("1.18.2", PARTITION, "Allocate(p/"),
        ("1.20.0", PARTITION, "RemoveContainer(p/init"),
        ("1.28.0", DISJOINT, "Allocate(p/sidecar"),
    ],
)
def test_a_release_that_breaks_it_has_a_counterexample_to_induction(release: str, of, operation: str) -> None:
    """As CPU sets on which the Python policy, run on them, does what the formulas say (else it raises)."""
    broken = refuted(answers(release, EVERY_POWER, 4)[of.name])
    assert broken
    assert all(result.model is not None and operation in result.model for result in broken)


def test_a_formula_that_says_something_else_is_found_when_it_accuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reserved CPUs are taken in the formula and not by the policy, which is run on the counterexample."""
    wrong = AllocateForm(lambda default, reserved, reuse: default, without_taken, remembers=True)
    monkeypatch.setitem(ALLOCATE.by_rule, policy_allocate.allocate, wrong)
    with pytest.raises(policy_replay.DisagreementError):
        asked(rules_of("1.31.0"), EVERY_POWER, 4)


def test_every_release_has_forms() -> None:
    by_field = {table.field: table.by_rule for table in (ALLOCATE, UPDATE_REUSE, REMOVE, VALIDATE)}
    for row in CPU_ROWS:
        assert row.field not in by_field or row.rule in by_field[row.field]


def test_a_rule_from_outside_is_not_proved() -> None:
    assert proofs_for(EVERY_POWER, evolve(rules_of("1.31.0"), allocate=allocate_reserved)) == ()


@pytest.mark.parametrize("release", sorted({row.since for row in CPU_ROWS if row.field == "validate_state"}))
def test_validate_state_asks_for_all_but_disjointness(release: str) -> None:
    """On 2 CPUs, one of them reserved, and files with 3 CPUs: an accepted state is sound, or its containers overlap."""
    judged = judge(rules_of(release), 2, frozenset({0}), 3)
    assert judged.states == 2**3 * (2**3 + 1) ** 3
    accepted = {broken: judged.first[how, broken] for how, broken in judged.counts if how == "accepted"}
    assert set(accepted) == {(), (DISJOINT.name,)}
    assert ("refused", ()) not in judged.counts
    overlapping = accepted[DISJOINT.name,]
    assert overlapping.default == {0}
    assert dict(overlapping.assignments) == {("p", "i0"): {1}, ("q", "a0"): {1}}


def test_a_sound_state_with_an_empty_pool_is_refused_where_nothing_is_reserved() -> None:
    judged = judge(rules_of("1.31.0"), 2, frozenset(), 3)
    state = judged.first["refused", ()]
    assert not state.default
    assert {broken for how, broken in judged.counts if how == "accepted"} == {(), (DISJOINT.name,)}


@pytest.mark.parametrize("width", [4, 64, 512])
def test_z3_says_the_same_of_validate_state_for_any_state(width: int) -> None:
    found = smt.prove(cpu_validate_claims.obligations(width))
    assert [each.name for each in found if each.outcome is not Outcome.HOLDS] == []
    assert sum("accepted although not" in each.name for each in found) == 2
