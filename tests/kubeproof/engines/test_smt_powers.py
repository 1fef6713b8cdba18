"""A proof for any size names the powers that it allows, and is tried under each of the others."""

from functools import cache, partial

import pytest
from attrs import evolve, fields
from z3 import Bool, BoolRef, Not, Or

from kubeproof.check.check import check_system, report_json
from kubeproof.engines import explicit, smt
from kubeproof.engines.explicit import Limits
from kubeproof.report.terminal import below_table
from kubeproof.systems.registry import system_named
from kubeproof.verdict.result import Outcome
from model.releases import parse_release, rules_for
from properties.cpu_manager.sets import DISJOINT, PARTITION, RESERVED
from properties.smt.cpu_manager.policy_proof import proofs_for as cpu_proofs
from properties.smt.form import Obligation, Proof
from properties.smt.node_listing.proof import proofs_for as listing_proofs
from properties.smt.scheduling.proof import proofs_for as scheduling_proofs

CPU, SCHEDULING, LISTING = map(system_named, ("cpu-manager", "scheduling", "node-listing"))


def rules_of(system, release):
    return rules_for(system.rules_class, parse_release(release))


def proof_of(*formulas: BoolRef, machines: str = "any", besides=None) -> Proof:
    asked = tuple(Obligation(str(f), partial(list, [Not(f)]), "unsat", str) for f in formulas)
    return Proof("", {"p": ""}, asked, {"CPUs": machines}, besides or {})


def test_one_line_says_which_powers_keep_the_proof_and_which_break_it() -> None:
    p, q = Bool("p"), Bool("q")
    valid, wrong = Or(p, Not(p)), Or(p, q)
    wider = {
        "a": proof_of(valid, wrong),
        "b": proof_of(valid),
        "c": "the steps do not know it",
        "d": proof_of(valid, valid),
        "e": proof_of(valid, machines="small"),
    }
    one = proof_of(valid, besides={power: partial(wider.get, power) for power in wider})
    expected = "holds with b, d; holds with e on small CPUs; broken by a; no proof with c: the steps do not know it"
    assert smt.besides(one) == expected
    assert smt.besides(one, seconds=0).startswith("a, b, d, e not decided within 0 s")
    assert smt.besides(proof_of(valid)) == ""


def test_what_holds_with_all_powers_together_is_not_asked_of_each() -> None:
    p = Bool("p")
    valid, asked = Or(p, Not(p)), list[str]()

    def one(power: str) -> Proof:
        asked.append(power)
        return proof_of(valid)

    proof = proof_of(valid, besides={power: partial(one, power) for power in "ab"})
    assert smt.besides(evolve(proof, together=lambda: proof_of(valid))) == "holds with a, b"
    assert asked == []
    assert smt.besides(evolve(proof, together=lambda: proof_of(valid, p))) == "holds with a, b"
    assert asked == ["a", "b"]


# (release, the bounds of the scope): by property, the powers that are off, and the line on them.
BY_POWER = {
    ("1.20.0", ""): ("crashes removals", "holds with crashes {}; broken by removals"),
    ("1.22.0", ""): ("crashes removals", "broken by crashes, removals"),
    ("1.28.0", ",crashes=1"): ("sidecars", "broken by sidecars"),
    ("1.31.0", ",sidecars=1"): ("crashes", "holds with crashes {}"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "bounds"),
    BY_POWER,
    ids=str,
)
def test_what_each_power_does_to_the_proofs_of_cpu_manager(release: str, bounds: str) -> None:
    scope = CPU.parse_scope(f"0,cores=2,threads=1,reserved=1,pods=2,containers=2,init=1{bounds}")
    proofs = {name: p for p in cpu_proofs(scope, rules_of(CPU, release), (4,)) for name in p.applies}
    off, expected = BY_POWER[release, bounds]
    assert proofs[DISJOINT.name].details["powers"] == f"all but {off}"
    assert "in their order" in proofs[DISJOINT.name].details["assumes"]
    assert "assumes" not in proofs[RESERVED.name].details
    assert smt.besides(proofs[DISJOINT.name], seconds=60) == expected.format("on any machine of up to 8 CPUs")


def test_the_proof_of_reserved_cpus_allows_every_power_but_sidecars() -> None:
    for release, expected in (("1.17.0", "all"), ("1.24.0", "all"), ("1.31.0", "all but sidecars")):
        (proof,) = (p for p in cpu_proofs(CPU.scope, rules_of(CPU, release), (4,)) if RESERVED.name in p.applies)
        assert proof.details["powers"] == expected


# A power, and what a run that uses the power needs besides.
WITH = {
    "init": "", "jobs": "", "exits": "", "hotplug": "", "offline": "", "rereserve": "", "repolicy": "", "wipes": "",
    "numbering": "", "turned": ",init=1", "crashes": "", "restarts": "", "removals": ",init=1", "sidecars": "",
    "full_pcpus": ",cores=2,threads=2,reserved=2,size=2", "strict_reservation": "", "pod_level": "",
}  # fmt: skip
SIZES = {"cores", "threads", "reserved", "pods", "containers", "size"}
GATES = {"pod_level_gate"}


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.17.10", "1.31.14"])
def test_no_power_that_a_proof_of_cpu_manager_allows_breaks_the_property(release: str) -> None:
    """The explicit engine finds no violation, in small scopes, under each power alone."""
    assert set(WITH) == {field.name for field in fields(CPU.scope_class)} - SIZES - GATES
    three, rules = (PARTITION, DISJOINT, RESERVED), rules_of(CPU, release)
    assert {name for p in cpu_proofs(CPU.scope, rules, (4,)) for name in p.applies} == {p.name for p in three}
    for power, more in WITH.items():
        for size in ("pods=2,containers=1", "pods=1,containers=2"):
            base = f"0,cores=2,threads=1,reserved=1,size=1,restarts=1,{size}"
            scope = CPU.parse_scope(f"{base},{power}=1{more}")
            results = explicit.check(CPU.machine(scope, rules), three, limits=Limits(seconds=30))
            assert all(result.outcome is Outcome.HOLDS for result in results), power


@pytest.mark.slow
@pytest.mark.parametrize(("release", "gate"), [("1.32.13", 1), ("1.33.13", 1), ("1.36.3", 0)])
def test_no_pod_with_resources_of_its_own_breaks_what_is_proved(release: str, gate: int) -> None:
    """The releases above have no such pods. The proofs allow them: they take CPUs as others do, or none."""
    rules = rules_for(CPU.rules_class, parse_release(release, CPU.minors))
    scope = CPU.parse_scope(f"0,cores=3,threads=1,reserved=1,size=1,restarts=1,crashes=1,pods=2,containers=1,"
                            f"pod_level=1,pod_level_gate={gate}")  # fmt: skip
    proved = {name for p in cpu_proofs(scope, rules, (4,)) for name in p.applies}
    asked = [each for each in (PARTITION, DISJOINT, RESERVED) if each.name in proved]
    assert asked
    results = explicit.check(CPU.machine(scope, rules), asked, limits=Limits(seconds=60))
    assert [result.outcome for result in results] == [Outcome.HOLDS] * len(asked)


@cache
def tried() -> dict[str, tuple[Proof, str]]:
    """Two proofs of 1.24.0, by name, each with the line on the powers."""
    proofs = scheduling_proofs(SCHEDULING.scope, rules_of(SCHEDULING, "1.24.0"))
    two = [proof for proof in proofs if proof.name in ("nominated pods are pending", "bound once")]
    return {proof.name: (proof, smt.besides(proof, seconds=60)) for proof in two}


@pytest.mark.slow
def test_what_each_power_does_to_the_proofs_of_scheduling() -> None:
    found = {name: said for name, (_, said) in tried().items()}
    kept = "relists, lost_replies, bind_errors, other_binders, expiry, blocked_deletes"
    assert found["nominated pods are pending"] == f"holds with {kept}; broken by recreates"
    assert found["bound once"] == (
        "holds with recreates, relists, bind_errors, expiry, blocked_deletes; broken by lost_replies"
    )
    powers = "recreates relists lost_replies bind_errors expiry blocked_deletes"
    (once, _) = tried()["bound once"]
    assert once.details["powers"] == f"all but {powers} bound_at_start second controllers"
    assert once.details["assumes"].endswith(
        "The environment action other_binders did not happen yet: after it the property says nothing."
    )
    recreated = SCHEDULING.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,recreates=1")
    (proof, *_) = scheduling_proofs(recreated, rules_of(SCHEDULING, "1.24.0"))
    assert "no proof with relists: the steps of one pod do not know relists together" in smt.besides(
        evolve(proof, besides={"relists": proof.besides["relists"]})
    )


def test_a_power_after_which_a_property_says_nothing_breaks_no_proof_of_it() -> None:
    """`bound-once` says nothing after a use of other_binders. So it holds with that power, and so does the proof."""
    scope = SCHEDULING.parse_scope("0,pods=1,nodes=2,room=1,goroutines=1,other_binders=1")
    rules = rules_of(SCHEDULING, "1.24.0")
    (proof,) = (each for each in scheduling_proofs(scope, rules) if each.name == "bound once")
    assert "other_binders" not in proof.besides
    assert {answer.outcome for answer in smt.prove(proof.obligations, timeout=60)} == {Outcome.HOLDS}
    properties = [SCHEDULING.property_named(name) for name in proof.applies]
    (result,) = explicit.check(SCHEDULING.machine(scope, rules), properties, limits=Limits(seconds=20))
    assert result.outcome is Outcome.HOLDS


def test_a_power_that_keeps_a_proof_of_scheduling_breaks_no_property() -> None:
    rules = rules_of(SCHEDULING, "1.24.0")
    for proof, said in tried().values():
        properties = [SCHEDULING.property_named(name) for name in proof.applies]
        for power in said.removeprefix("holds with ").partition(";")[0].split(", "):
            scope = SCHEDULING.parse_scope(f"0,pods=1,nodes=1,room=1,goroutines=1,deletes=1,{power}=1")
            results = explicit.check(SCHEDULING.machine(scope, rules), properties, limits=Limits(seconds=20))
            assert all(result.outcome is not Outcome.VIOLATED for result in results), power


def test_the_proof_of_a_listing_allows_every_power() -> None:
    """`moves` is the only one: a node that changes its zone leads to a tree, and the proof is about any tree."""
    from model.scheduler.cache.node_list import update_snapshot_every_cycle
    from model.scheduler.cache.node_tree import list_stateless

    rules = evolve(rules_of(LISTING, "1.31.0"), list_nodes=list_stateless, update_snapshot=update_snapshot_every_cycle)
    (proof,) = listing_proofs(rules)
    assert (proof.details["powers"], proof.besides) == ("all", {})
    scope = LISTING.parse_scope("0,nodes=3,zones=2,moves=1")
    results = explicit.check(LISTING.machine(scope, rules), [p for p in LISTING.properties if p.name in proof.applies])
    assert [result.outcome for result in results] == [Outcome.HOLDS] * len(proof.applies)


def test_check_says_it_below_the_table_and_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "holds with relists; broken by recreates"
    monkeypatch.setattr(smt, "besides", lambda proof, watch: line)
    report = check_system("scheduling", "1.24.0", scope="pods=2", properties=["bound-once"], engines=["z3"])
    said = f"one environment action more than the proof of bound-once allows: {line}"
    assert said in below_table(report.results, report.scope)
    (claim,) = [result["claim"] for result in report_json(report)["results"] if result["engine"] == "z3"]
    assert claim["besides"] == line
