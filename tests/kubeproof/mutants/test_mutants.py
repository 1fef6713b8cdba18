"""Mutants of rules: which there are, what finds them out, and that a run goes on where the last one ended."""

import json
import re
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from time import time

import pytest

from kubeproof.cli import app, run
from kubeproof.conform.conform import read_recordings
from kubeproof.errors import InputError
from kubeproof.mutants import base, judged
from kubeproof.mutants.kept import Judged, read_kept
from kubeproof.mutants.mutants import Mutant, mutants_of
from kubeproof.mutants.run import judge_mutants, rules_of
from kubeproof.store.digests import digests_of_sources
from kubeproof.store.store import Store
from kubeproof.systems.registry import SYSTEMS
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeTree, list_from_resuming_cursors, list_stateless
from model.scheduler.queue.events import every_event_is_of_interest

RECORDINGS = (Path(__file__).parents[2] / "data" / "cache-1.31.13.jsonl",)


def one_of_two(first: int, second: int, both: tuple[int, int]) -> tuple[int, int]:
    """A docstring is no statement that could be dropped."""
    low = min(first, second)
    if first in both:
        low = low - 1
    return low, second


def has_private_half(number: int) -> int:
    return _half(number) + 1


def _half(number: int) -> int:
    return number // 2


def perhaps(number: int) -> int | None:
    return _half(has_private_half(number))


def calls(number: int) -> tuple[int, ...]:
    return (number, *range(number), _half(number))


def changes(rule: object) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for mutant in mutants_of(rule):  # type: ignore[arg-type]
        found.setdefault(mutant.operator, set()).add(f"{mutant.before} -> {mutant.after}")
    return found


def test_the_small_ways_in_which_code_is_wrong() -> None:
    found = changes(one_of_two)
    assert found["StatementDropped"] == {"low = min(first, second) -> pass", "low = low - 1 -> pass"}
    assert "low = min(first, second) -> low = min( second,first)" in found["ArgumentsSwapped"]
    assert found["ConditionNegated"] == {"if first in both: -> if not (first in both):"}
    assert found["MembershipNegated"] == {"if first in both: -> if first not in both:"}
    assert found["ReturnedAsGiven"] == {
        f"return low, second -> return {other}" for other in ("first, second", "second, second", "low, first", "both")
    }
    assert "low = low - 1 -> low = low + 1" in found["ReplaceBinaryOperator_Sub_Add"]
    assert {"low = low - 1 -> low = low - 2", "low = low - 1 -> low = low - 0"} == found["NumberReplacer"]


def test_what_may_be_left_out_of_what_is_returned() -> None:
    found = changes(perhaps)
    assert found["NothingReturned"] == {"return _half(has_private_half(number)) -> return None"}
    assert found["CallDropped"] == {
        "return _half(has_private_half(number)) -> return has_private_half(number)",
        "return _half(has_private_half(number)) -> return _half(number)",
    }
    before = "return (number, *range(number), _half(number))"
    assert {text.removeprefix(f"{before} -> ").replace(" ", "") for text in changes(calls)["MemberDropped"]} == {
        "return(*range(number),_half(number),)",
        "return(number,_half(number),)",
        "return(number,*range(number),)",
    }
    assert "NothingReturned" not in changes(one_of_two)


def test_a_mutant_does_what_its_text_says_and_leaves_the_rule_alone() -> None:
    made = {(mutant.function, mutant.after): mutant.rule for mutant in mutants_of(has_private_half)}
    assert made["has_private_half", "return _half(number) + 2"](4) == 4
    assert made["has_private_half", "return number"](4) == 4
    assert made["_half", "return number"](4) == 5
    assert has_private_half(4) == 3
    assert {mutant.function for mutant in mutants_of(has_private_half)} == {"has_private_half", "_half"}
    assert mutants_of(lambda tree: tree) == []


@pytest.mark.slow
def test_no_two_mutants_are_the_same_code() -> None:
    names = [mutant.name for mutant in mutants_of(list_stateless)]
    assert names
    assert len(names) == len(set(names))
    assert all(mutant.rule is not list_stateless for mutant in mutants_of(list_stateless))


@pytest.mark.slow
def test_what_was_found_out_is_kept_and_not_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept.json"
    monkeypatch.setattr("kubeproof.mutants.run.side_by_side", lambda **_: nullcontext(map))
    found = judge_mutants("node-listing", parse_release("1.31"), ["list_nodes"], kept=kept)
    (rule,) = found.rules
    assert rule.refused
    assert rule.is_judged
    assert found.found_out == 1 - len(found.survivors) / (rule.found_out + sum(each.differs for each in rule.open))
    monkeypatch.setattr(judged.Judge, "fate", None)
    again = judge_mutants("node-listing", parse_release("1.31"), ["list_nodes"], kept=kept)
    assert again.rules == found.rules
    text = kept.read_text("utf-8")
    # Another text of the rule, other operators, counts that do not fit, and a release that follows another rule by now.
    for stale in (
        text.replace('"source": "', '"source": "other'),
        text.replace('"mutants": "', '"mutants": "other'),
        text.replace('"count": ', '"count": 1'),
        re.sub('"release": "[^"]*"', '"release": "1.18.4"', text),
    ):
        assert stale != text
        kept.write_text(stale, encoding="utf-8")
        with pytest.raises(TypeError):
            judge_mutants("node-listing", parse_release("1.31"), ["list_nodes"], kept=kept)


@pytest.mark.slow
def test_survivors_are_judged_again_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept.json"
    monkeypatch.setattr("kubeproof.mutants.run.side_by_side", lambda **_: nullcontext(map))
    monkeypatch.setattr(judged.Judge, "fate", lambda self, field, mutant: Judged(mutant.name, "by nothing"))
    release = parse_release("1.31")
    found = judge_mutants("node-listing", release, ["list_nodes"], kept=kept)
    (rule,) = found.rules
    assert len(found.survivors) == rule.count
    first, *others = (each.mutant for each in rule.open)

    def refused(*names: str) -> None:
        def fate(self: judged.Judge, field: str, mutant: Mutant) -> Judged:
            return Judged(mutant.name, "refused" if mutant.name in names else "by nothing", "p")

        monkeypatch.setattr(judged.Judge, "fate", fate)

    refused(first, *others)
    assert judge_mutants("node-listing", release, ["list_nodes"], kept=kept).rules == found.rules
    refused(first)
    (one,) = judge_mutants("node-listing", release, ["list_nodes"], kept=kept, again=True).rules
    assert (one.refused, [each.mutant for each in one.open]) == (1, others)
    # The one that is found out is not asked about again.
    refused(*others)
    (every,) = judge_mutants("node-listing", release, ["list_nodes"], kept=kept, again=True).rules
    assert (every.refused, every.open) == (rule.count, [])


@pytest.mark.slow
def test_each_rule_is_judged_once_in_a_release_that_follows_it() -> None:
    tasks = {name: rules_of(system) for name, system in SYSTEMS.items()}
    pairs = [(task.field, task.rule) for own in tasks.values() for task in own]
    assert len(pairs) == len(set(pairs))
    for name, own in tasks.items():
        rules_class = SYSTEMS[name].rules_class
        assert all(getattr(rules_for(rules_class, task.release), task.field) is task.rule for task in own)
        newest = {task.field for task in rules_of(SYSTEMS[name], parse_release("1.31"))}
        assert newest == set(SYSTEMS[name].rule_fields)
    assert {task.rule for task in tasks["node-listing"]} >= {list_stateless, list_from_resuming_cursors}


@pytest.mark.slow
def test_what_one_release_does_not_show_is_judged_in_others_with_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.json"
    monkeypatch.setattr("kubeproof.mutants.run.side_by_side", lambda **_: nullcontext(map))
    (task,) = [task for task in rules_of(SYSTEMS["scheduling"]) if task.rule is every_event_is_of_interest]
    assert task.others
    assert task.release not in task.others

    def fate(self: judged.Judge, field: str, mutant: object) -> Judged:
        name = mutant.name  # type: ignore[attr-defined]
        if self.release == task.release:
            return Judged(name, "by nothing", differs=False)
        return Judged(name, "refused", "no-event-lost")

    monkeypatch.setattr(judged.Judge, "fate", fate)
    found = judge_mutants("scheduling", rule_fields=["event_of_interest"], kept=kept)
    (rule,) = [each for each in found.rules if each.rule == "every_event_is_of_interest"]
    assert (rule.also, rule.refused, rule.open) == ([str(task.others[0])], rule.count, [])
    monkeypatch.setattr(judged.Judge, "fate", None)
    assert judge_mutants("scheduling", rule_fields=["event_of_interest"], kept=kept).rules == found.rules


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("[1]", encoding="utf-8")
    with pytest.raises(InputError, match="not what `kubeproof mutants node-listing --kept` wrote"):
        judge_mutants("node-listing", parse_release("1.31"), ["list_nodes"], kept=kept)


@pytest.mark.slow
def test_a_call_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def list_stateless(tree):\n    while True:\n        pass\n"
    namespace: dict = {}
    exec(compile(source, "<mutant of list_stateless>", "exec"), namespace)
    mutant = next(iter(mutants_of(list_stateless)))
    looping = type(mutant)(mutant.function, "", 1, "", "", namespace["list_stateless"])
    monkeypatch.setattr(judged, "CALL", 1)
    system = SYSTEMS["node-listing"]
    rules = judged.rules_for(system.rules_class, parse_release("1.31"))
    monkeypatch.setattr(judged, "rules_for", lambda *_: rules)
    fate = judged.Judge(system, parse_release("1.31"), ()).fate("list_nodes", looping)
    assert (fate.fate, fate.by) == ("refused", "a call has no end")
    assert NodeTree().names() == ()


@pytest.mark.slow
def test_a_call_without_end_is_refused_where_a_rule_is_asked_alone_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was taken for the same rule in other words, as no scope has two sockets."""
    source = (
        "def take_by_topology(topo, available, num_cpus, strategy='packed'):\n"
        "    while topo.num_sockets > 1:\n        pass\n"
        "    return own(topo, available, num_cpus, strategy)\n"
    )
    system, release = SYSTEMS["cpu-manager"], parse_release("1.31")
    own = judged.rules_for(system.rules_class, release).take_by_topology
    namespace: dict = {"own": own}
    exec(compile(source, "<mutant of take_by_topology>", "exec"), namespace)
    mutant = next(iter(mutants_of(own)))
    looping = type(mutant)(mutant.function, "", 1, "", "", namespace["take_by_topology"])
    monkeypatch.setattr(judged, "CALL", 1)
    judge = judged.Judge(system, release, ())
    del judge.bases[1:]
    fate = judge.fate("take_by_topology", looping)
    assert (fate.fate, fate.by, fate.differs) == ("refused", "a call has no end", True)


@pytest.mark.slow
def test_a_search_that_was_cut_short_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the release violates beyond the limit nobody knows, so a violation there does not speak against a mutant."""
    system = SYSTEMS["node-listing"]
    release = parse_release("1.31")
    wrong = next(mutant for mutant in mutants_of(list_stateless) if mutant.after == "node_index += 2")
    found = judged.Judge(system, release, ()).fate("list_nodes", wrong)
    assert found.fate == "refused"
    assert "listed-exactly-once" in found.by
    monkeypatch.setattr(base, "KEPT_STATES", 3)
    judge = judged.Judge(system, release, ())
    assert judge.fate("list_nodes", wrong).fate == "named"
    assert all(not each.kept for each in judge.bases)


@pytest.mark.slow
def test_a_state_that_no_subject_of_the_system_tells_is_named() -> None:
    """Nothing of node-listing speaks of a node that is never added: no property, and of effects only those on lists."""
    judge = judged.Judge(SYSTEMS["node-listing"], parse_release("1.31"), ())
    rule = judge.rules.add_node
    lost = next(m for m in mutants_of(rule) if m.line == 10 and m.after == "return tree")
    found = judge.fate("add_node", lost)
    assert (found.fate, found.by) == ("named", "what a step leaves in NodeArray.nodes")


@pytest.mark.slow
def test_which_recordings_tell_a_mutant_from_its_rule() -> None:
    judge = judged.Judge(SYSTEMS["node-listing"], parse_release("1.31"), read_recordings(RECORDINGS))
    rule = judge.rules.add_node
    for mutant in mutants_of(rule):
        asked = [each for each in judge.recordings.of(rule) if not each.asks_nothing_of(mutant.rule)]
        assert bool(asked) == bool(judge.recording(rule, mutant.rule))


@pytest.mark.slow
def test_the_command_prints_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["mutants", "node-listing", "-r", "1.31", "--rule", "list_nodes", "--json"]
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert (document["system"], document["release"]) == ("node-listing", "1.31.14")
    (rule,) = document["rules"]
    assert rule["refused"] > 0
    assert rule["refused"] + rule["named"] + len(document["mutants"]) == rule["count"]
    args[-2] = "list_node"
    assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 2
    assert "'list_node' is not a rule of node-listing" in capsys.readouterr().err


@pytest.mark.slow
def test_what_the_store_has_is_not_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubeproof.mutants.run.side_by_side", lambda **_: nullcontext(map))
    monkeypatch.setattr(judged.Judge, "fate", lambda self, field, mutant: Judged(mutant.name, "refused", "p"))
    store = Store(tmp_path, digests_of_sources(), time() + 1)
    found = judge_mutants("node-listing", parse_release("1.31"), ["list_nodes"], store=lambda: store)
    monkeypatch.setattr(judged.Judge, "fate", None)
    again = judge_mutants("node-listing", parse_release("1.31"), ["list_nodes"], store=lambda: store)
    assert found.rules[0].refused
    assert again.rules == found.rules
    with pytest.raises(TypeError):
        judge_mutants("node-listing", parse_release("1.30"), ["remove_node"], store=lambda: store)


@pytest.mark.slow
def test_a_run_that_was_stopped_within_a_rule_goes_on_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kubeproof.mutants.run.side_by_side", lambda **_: nullcontext(map))
    seen: list[str] = []

    def fate(self: judged.Judge, field: str, mutant: Mutant) -> Judged:
        seen.append(mutant.name)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return Judged(mutant.name, "refused", "p")

    monkeypatch.setattr(judged.Judge, "fate", fate)
    kept, store = tmp_path / "kept.json", Store(tmp_path, digests_of_sources(), time() + 1)
    asked = partial(
        judge_mutants, "node-listing", parse_release("1.31"), ["list_nodes"], kept=kept, store=lambda: store
    )
    with pytest.raises(KeyboardInterrupt):
        asked()
    assert not read_kept(kept, "node-listing").rules
    (rule,) = asked().rules
    # The third one was asked about twice.
    assert len(seen) == len(set(seen)) + 1 == rule.count + 1
    assert rule.refused == rule.count
