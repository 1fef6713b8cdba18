"""What is kept of mutants: it reads as it was written, is known to be stale, and each survivor has its reason."""

import random
from pathlib import Path

import pytest
from attrs import evolve

from kubeproof.conform.conform import read_recordings
from kubeproof.mutants.judged import Judge, judge_of
from kubeproof.mutants.kept import (
    Judged,
    JudgedRule,
    Kept,
    Mutants,
    Reason,
    kept_in_tree,
    kept_text,
    needless,
    read_kept,
    reason_for,
    reasons,
    write_kept,
)
from kubeproof.mutants.mutants import digest_of_mutants, mutants_of
from kubeproof.mutants.run import rules_of
from kubeproof.mutants.sources import digest_of
from kubeproof.report.mutants import NO_REASON, mutants_told
from kubeproof.systems.registry import SYSTEMS
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import add_node, list_stateless

ROOT = Path(__file__).parents[3]
# As in the Makefile.
RECORDINGS = {
    "node-listing": ("node_tree", "cache"),
    "scheduling": ("cache", "scheduling_queue"),
    "queueing-hints": ("scheduling_queue",),
    "preemption": (),
    "async-preemption": (),
    "api-calls": (),
    "scheduling-cycle": ("scheduling_queue",),
    "cpu-manager": ("cpu", "static_policy", "take_by_topology"),
}
# Of each system these are judged again in the slow tests, in one release: mutants that are not found out, of few rules,
# and small rules, each as a whole.
SAMPLED = 6
WHOLE, SMALL = 2, 12


def some_rule(**changes: object) -> JudgedRule:
    survivor = Judged('f line 1: "a" -> "b" (Operator)', "by nothing")
    rule = JudgedRule("add_node", "add_node", "1.31.14", digest_of(add_node), "digest", 2, refused=1, open=[survivor])
    return evolve(rule, **changes)


def test_a_kept_file_reads_as_it_was_written(tmp_path: Path) -> None:
    other = some_rule(field="list_nodes", rule="list_stateless", named=1, open=[])
    kept = Kept("node-listing", {each.key: each for each in (other, some_rule())})
    write_kept(tmp_path / "kept.json", kept)
    again = read_kept(tmp_path / "kept.json", "node-listing")
    assert kept_text(again) == kept_text(kept)
    assert again.rules["list_nodes", "list_stateless"] == other
    lines = kept_text(kept).splitlines()
    assert sum("line 1" in line for line in lines) == 1
    assert [line.split('"rule": ')[1].split(",")[0] for line in lines if '"rule": ' in line] == [
        '"add_node"',
        '"list_stateless"',
    ]


def test_a_kept_file_says_what_another_release_showed(tmp_path: Path) -> None:
    elsewhere = Judged("f line 3: a -> b", "by recordings only", "r", release="1.18.4")
    rule = some_rule(count=3, open=[*some_rule().open, elsewhere], also=["1.18.4"])
    write_kept(tmp_path / "kept.json", Kept("node-listing", {rule.key: rule}))
    again = read_kept(tmp_path / "kept.json", "node-listing").rules[rule.key]
    assert again == rule
    assert kept_text(Kept("node-listing", {rule.key: rule})).count('"1.18.4"') == 2


def test_what_is_found_out_is_counted_and_the_rest_kept_one_by_one() -> None:
    named, alike = Judged("g", "named", "effect"), Judged("f", "by nothing", differs=False)
    rule = some_rule(count=4, refused=0, open=[])
    assert not rule.is_judged
    rule.take([Judged("h", "undecided"), named, alike, Judged("e", "refused", "p")])
    assert (rule.refused, rule.named, [each.mutant for each in rule.open]) == (1, 1, ["f", "h"])
    assert rule.is_judged
    rule.take([alike, Judged("h", "refused", "p")])
    assert (rule.refused, rule.named, rule.open) == (2, 1, [alike])


def test_a_rule_whose_text_changed_is_stale() -> None:
    rules = [("add_node", add_node), ("list_nodes", list_stateless)]
    kept = Kept("node-listing", {("add_node", "add_node"): some_rule()})
    assert kept.stale(rules) == ["list_nodes=list_stateless"]
    kept.rules["add_node", "add_node"].count += 1
    assert kept.stale(rules[:1]) == ["add_node=add_node"]
    kept.rules["add_node", "add_node"] = some_rule(source="another")
    assert kept.stale(rules) == ["add_node=add_node", "list_nodes=list_stateless"]
    assert kept.stale([]) == ["add_node=add_node"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_kept_is_of_the_rules_as_they_are(name: str) -> None:
    """`make mutants` brings the lists up to date. It judges what is new or changed, and nothing else."""
    system = SYSTEMS[name]
    kept = read_kept(ROOT / "mutants" / f"{name}.json", name)
    tasks = rules_of(system)
    assert kept.stale([(task.field, task.rule) for task in tasks]) == [], "run `make mutants`"
    of_mutants = {(task.field, task.rule.__name__): digest_of_mutants(mutants_of(task.rule)) for task in tasks}
    assert {key: rule.mutants for key, rule in kept.rules.items()} == of_mutants, "run `make mutants`"
    for rule in kept.rules.values():
        assert (
            getattr(rules_for(system.rules_class, parse_release(rule.release, system.minors)), rule.field).__name__
            == rule.rule
        )


def test_every_survivor_has_its_reason() -> None:
    known = reasons()
    without = [
        (name, *rule.key, mutant.mutant)
        for name in SYSTEMS
        for rule, mutant in kept_in_tree(name).survivors
        if not reason_for(known, name, rule, mutant)
    ]
    assert without == [], "name a property or a scope in which it shows, or give the reason in mutants/reasons.yaml"


def test_no_reason_is_needless() -> None:
    known = reasons()
    assert all(each.system in SYSTEMS for each in known)
    assert [each for name in SYSTEMS for each in needless(known, name, kept_in_tree(name).survivors)] == []


def test_a_reason_covers_what_it_names_and_is_needless_otherwise() -> None:
    rule = some_rule()
    (survivor,) = rule.open
    of_rule = Reason("node-listing", "add_*=*", "because", 'line 1: "a"')
    other = Reason("node-listing", "*", "for another mutant", "line 7")
    assert reason_for([other, of_rule], "node-listing", rule, survivor) == "because"
    assert not reason_for([other, of_rule], "scheduling", rule, survivor)
    assert needless([other, of_rule], "node-listing", [(rule, survivor)]) == [other]
    later = Reason("node-listing", "*", "too late")
    assert needless([of_rule, later], "node-listing", [(rule, survivor)]) == [later]


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_report_says_what_is_kept(name: str) -> None:
    told, found = mutants_told(name), kept_in_tree(name)
    assert told["all"][0] == sum(rule.count for rule in found.rules)
    assert sum(told["all"][1:]) == told["all"][0]
    assert all(rule.is_judged for rule in found.rules)
    assert len(told["survivors"]) == len(found.survivors)
    assert all(reason != NO_REASON for _, _, reason in told["survivors"])


def test_what_is_found_out_is_a_part_of_what_differs() -> None:
    rule = some_rule()
    found = Mutants(SYSTEMS["node-listing"], None, [rule])
    assert (found.found_out, len(found.survivors)) == (0.5, 1)
    alike = Judged("f line 3: a -> b", "by nothing", differs=False)
    rule.open.append(alike)
    assert (found.found_out, len(found.survivors)) == (0.5, 1)


def some_release(name: str, rules: list[JudgedRule], drawn: random.Random) -> tuple[Judge, list[JudgedRule]]:
    """A release in which some of `rules` were judged, and these."""
    release = drawn.choice(sorted({rule.release for rule in rules}))
    data = ROOT / "tests" / "data"
    recordings = [path for start in RECORDINGS[name] for path in sorted(data.glob(f"{start}*.jsonl"))]
    judge = judge_of(name, parse_release(release, SYSTEMS[name].minors), tuple(read_recordings(recordings)))
    return judge, [rule for rule in rules if rule.release == release]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SYSTEMS if kept_in_tree(name).open])
def test_a_sample_is_judged_as_it_is_kept(name: str) -> None:
    drawn = random.Random(name)
    judge, rules = some_release(name, [rule for rule in kept_in_tree(name).rules if rule.open], drawn)
    for rule in drawn.sample(rules, min(3, len(rules))):
        mutants = {each.name: each for each in mutants_of(getattr(judge.rules, rule.field))}
        here = [each for each in rule.open if not each.release]
        for kept in drawn.sample(here, min(SAMPLED // 3, len(here))):
            now = judge.fate(rule.field, mutants[kept.mutant])
            # What finds a mutant out first may change with the scopes; whether something does is what the list is for.
            assert (now.is_found_out, now.differs) == (False, kept.differs), kept.mutant


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_small_rules_are_judged_as_they_are_counted(name: str) -> None:
    drawn = random.Random(name)
    # Nothing of these was found out in another release.
    small = [rule for rule in kept_in_tree(name).rules if 0 < rule.count <= SMALL and not rule.also]
    judge, rules = some_release(name, small, drawn)
    for rule in drawn.sample(rules, min(WHOLE, len(rules))):
        now = evolve(rule, refused=0, named=0)
        now.take([judge.fate(rule.field, each) for each in mutants_of(getattr(judge.rules, rule.field))])
        # What finds a mutant out first may change with the scopes.
        assert (now.count, now.found_out) == (rule.count, rule.found_out), rule.key
        assert [(m.mutant, m.differs) for m in now.open] == [(m.mutant, m.differs) for m in rule.open], rule.key
