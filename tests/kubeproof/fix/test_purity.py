# ruff: noqa: E501 (the texts of files)
"""A rule that keeps something from one call to the next is refused, and no run that it made up is shown."""

from pathlib import Path

import pytest

from kubeproof.check.check import check_system
from kubeproof.fix.fix import load_fix
from kubeproof.fix.stranger import SAMPLE, Stranger
from kubeproof.validate.validate import validate, validation_json
from kubeproof.verdict.result import Outcome
from model.scheduler.cache.node_tree import NodeTree, add_node
from tests.kubeproof.validate.verdicts import only

SCOPE = "0,nodes=3,zones=2"
RIGHT = """\
import functools, itertools, random, time
from model.scheduler.cache.node_tree import NodeTree, list_from_resuming_cursors, reset_exhausted
def right(tree): return list_from_resuming_cursors(reset_exhausted(tree))
"""
# By what keeps the state: the rule. Most remember the nodes by less than what decides.
IMPURE = {
    "dict-of-the-module": "last = {}\ndef list_nodes(tree): return last.setdefault((tree.zones, tree.num_nodes), right(tree))",
    "attribute-of-the-function": (
        "def list_nodes(tree):\n    known = vars(list_nodes)\n    return known.setdefault(str(tree.num_nodes), right(tree))"
    ),
    "default-argument": "def list_nodes(tree, known={}): return known.setdefault(tree.num_nodes, right(tree))",
    "counter": (
        "n = 0\ndef list_nodes(tree):\n    global n\n    n += 1\n    return (right(tree)[0][: 9 if n < 40 else 1], right(tree)[1])"
    ),
    "cache-of-too-little": (
        "seen = []\n@functools.lru_cache\ndef of(nodes): return right(seen[-1])\n"
        "def list_nodes(tree):\n    seen.append(tree)\n    return of(tree.num_nodes)"
    ),
    "iterator": "turns = itertools.cycle((0, 0, 1))\ndef list_nodes(tree): return right(tree)[0][next(turns):], tree",
    "raises-in-the-end": "n = []\ndef list_nodes(tree):\n    n.append(1)\n    return right(tree) if len(n) < 30 else n[99]",
    "random": "def list_nodes(tree): return right(tree)[0][: random.randrange(9)], tree",
    "time": "def list_nodes(tree): return right(tree)[0][: time.perf_counter_ns() % 3], tree",
}  # fmt: skip
PURE = {
    "lru-cache": "@functools.lru_cache\ndef list_nodes(tree): return right(tree)",
    "dict-by-all-arguments": "known = {}\ndef list_nodes(tree): return known.setdefault(tree, right(tree))",
    "counts-and-ignores": "calls = []\ndef list_nodes(tree):\n    calls.append(tree)\n    return right(tree)",
}


def fix_file(folder: Path, body: str) -> Path:
    path = folder / "my_fix.py"
    path.write_text(f"{RIGHT}{body}\n", "utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", IMPURE)
def test_a_rule_that_keeps_state_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    verdict = validate(
        fix_file(tmp_path, IMPURE[name]), "1.18.4", systems=["node-listing"], scope=SCOPE, engines=["explicit"]
    )
    assert validation_json(verdict)["verdict"] == "refused"
    (reason,) = verdict.reasons
    assert "list_nodes is not a pure function: of the same arguments (NodeTree(" in reason
    assert "\n" not in reason


@pytest.mark.slow
@pytest.mark.parametrize("name", PURE)
def test_a_rule_that_answers_alike_is_accepted_whatever_it_keeps(name: str, tmp_path: Path) -> None:
    path = fix_file(tmp_path, PURE[name])
    verdict = validate(path, "1.18.4", systems=["node-listing"], scope=SCOPE, engines=["explicit"])
    assert (verdict.outcome, verdict.reasons) == (Outcome.HOLDS, [])


def test_no_run_is_shown_of_a_rule_that_keeps_state(tmp_path: Path) -> None:
    path = fix_file(tmp_path, IMPURE["dict-of-the-module"])
    scope = "0,nodes=2,zones=1"
    report = check_system("node-listing", "1.18.4", fix=path, scope=scope, properties=["listed-exactly-once"])
    (result,) = report.results
    assert (result.outcome, result.trace) == (Outcome.INCONCLUSIVE, None)
    assert "list_nodes is not a pure function" in (result.reason or "")


@pytest.mark.parametrize("name", ["dict-of-the-module", "raises-in-the-end"])
def test_the_calls_of_a_run_are_asked_where_nothing_was_asked_before(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stranger, "_sample", lambda self, call: None)
    path = fix_file(tmp_path, IMPURE[name])
    verdict = validate(path, "1.18.4", systems=["node-listing"], scope="0,nodes=3,zones=1", engines=["explicit"])
    assert "is not a pure function" in (only(verdict).failure or "")


def test_the_sample_is_of_all_calls_and_bounded(tmp_path: Path) -> None:
    fix = load_fix(fix_file(tmp_path, "def list_nodes(tree): return right(tree)"))
    assert fix.stranger is not None
    try:
        tree = NodeTree()
        for number in range(SAMPLE + 100):
            tree = add_node(NodeTree(), f"n{number}", "z1")
            fix.rules["list_nodes"](tree)
            fix.rules["list_nodes"](tree)
        sample = fix.stranger.sample
        assert SAMPLE // 2 <= len(sample) < SAMPLE
        asked = [call.args[0].names() for call in sample]
        assert asked[0] == ("n0",)
        assert int(asked[-1][0][1:]) > SAMPLE + 90
    finally:
        fix.close()
