"""Proposed fixes: what a file may define, how a bad one is refused, and that a wild one ends in a verdict."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from kubeproof.check.check import check_system
from kubeproof.errors import InputError, RuleError
from kubeproof.fix import guarded as guarded_module
from kubeproof.fix.fix import load_fix, named_rules, systems_with
from kubeproof.fix.guarded import blamed_on, guarded
from kubeproof.fix.rule_results import returned_by
from kubeproof.report.validation import validation_text
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.validate.validate import validate, validation_json
from kubeproof.verdict.result import Outcome
from model.cpu.policy.types import Change
from model.cpu.state.state import CPUManagerState
from model.scheduler.cache.node_tree import NodeTree, list_from_resuming_cursors, list_stateless
from tests.conftest import ROOT, by_engines
from tests.kubeproof.validate.verdicts import only

FIXES = ROOT / "examples" / "fixes"
SMALL = "0,nodes=3,zones=2"


def fix_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "my_fix.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_error_of_kubeproof_is_not_blamed_on_a_fix() -> None:
    """A file of the part that judges met a wrong argument, and the verdict blamed what the fix had returned."""
    with (
        pytest.raises(RuleError, match=r"what list_nodes returned cannot be judged: AttributeError: "),
        blamed_on(["list_nodes"]),
    ):
        list_stateless(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError), blamed_on(["list_nodes"]):
        systems_with(named_rules([]), 0)  # type: ignore[arg-type]


def test_a_fix_takes_functions_named_as_rules_and_renamed_imports(tmp_path: Path) -> None:
    path = fix_file(
        tmp_path,
        "from model.scheduler.cache.node_tree import add_node, list_stateless, remove_node as base\n"
        "list_nodes = list_stateless\n"
        "def helper(tree): return tree\n"
        "def remove_node(tree, node, zone): return base(tree, node, zone)\n",
    )
    assert sorted(load_fix(path).rules) == ["list_nodes", "remove_node"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def list_nodes(tree:\n", r"my_fix.py: line 1: .*never closed"),
        ("\nimport nowhere\n", r"my_fix.py: line 2: ModuleNotFoundError"),
        ("raise SystemExit('bye')\n", r"line 1: SystemExit: bye"),
        ("def list_node(tree): return tree\n", r"no function is a rule: expected .*`kubeproof list SYSTEM`"),
        ("def list_nodes(): return ()\n", r"line 1: list_nodes is called as list_nodes\(tree\)"),
        ("def list_nodes(a, b): return ()\n", r"line 1: list_nodes is called as list_nodes\(tree\)"),
        ("\0", r"my_fix.py"),
    ],
)
def test_a_file_that_is_no_fix_gets_one_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected) as caught:
        load_fix(fix_file(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_missing_file_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_fix(tmp_path / "none.py")


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("list_nodes", "'' is not a built-in rule for list_nodes: expected one of .*list_"),
        (
            "list_node=list_stateless",
            "'list_node' is not a rule: did you mean list_nodes.* `kubeproof list SYSTEM` lists",
        ),
        ("list_nodes=nope", "'nope' is not a built-in rule for list_nodes: expected one of .*list_"),
    ],
)
def test_unknown_rules_are_refused_with_the_names_that_come_near(choice: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        named_rules([choice])


@pytest.mark.parametrize("result", [None, [], ((), None), (["n1"], None), "n1"])
def test_a_rule_that_returns_something_else_is_named(result: Any) -> None:
    with pytest.raises(RuleError, match="list_nodes must return"):
        guarded("list_nodes", lambda tree: result)(None)


def test_one_result_is_looked_through_once_and_a_promise_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    monkeypatch.setattr(guarded_module, "wrong_result", lambda field, returns, value, args: looked.append(value))
    tree, change = NodeTree(), Change(CPUManagerState())
    for result, times in ((tree, 1), (change, 2)):
        looked.clear()
        rule = guarded("add_node", lambda *args, result=result: result)
        assert rule(1) is rule(2) is result
        assert looked == [result] * times


@pytest.mark.parametrize("path", sorted(FIXES.glob("*.py")), ids=lambda path: path.stem)
def test_every_example_imports_what_there_is_and_has_rules_of_one_system(path: Path) -> None:
    assert systems_with(load_fix(path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("reset_cursors", Outcome.HOLDS),
        ("stateless", Outcome.HOLDS),
        ("reset_on_new_zone", Outcome.VIOLATED),
    ],
)
def test_the_examples_get_their_verdicts(name: str, outcome: Outcome) -> None:
    verdict = validate(FIXES / f"{name}.py", "1.18.4", systems=["node-listing"], engines=["explicit"])
    assert verdict.outcome is outcome
    assert [run.gone for run in only(verdict).known] == [True]
    traces = [row.after.trace for row in only(verdict).refused_by]
    assert all(traces)
    assert bool(traces) == (outcome is Outcome.VIOLATED)
    if name == "reset_on_new_zone":
        # The page shows what is said of this fix. A line that ends in ... is cut.
        page = (ROOT / "docs/fixes.md").read_text("utf-8")
        shown = page.partition(f"\n{name}.py on ")[2].partition("\nthe rest: ")[0].splitlines()
        said = validation_text(verdict).partition(f"{name}.py on ")[2].splitlines()
        assert len(shown) > 10
        for line, whole in zip(shown, said, strict=False):
            cut = line.removesuffix(" ...")
            assert whole == line or (cut != line and whole.startswith(cut))


@pytest.mark.slow
@pytest.mark.parametrize("scope", [SMALL, f"{SMALL},moves=1"])
def test_the_wrong_example_is_accepted_where_the_scope_is_too_small(scope: str) -> None:
    """Why a fix is judged in a larger scope than the one that shows the bug."""
    verdict = validate(FIXES / "reset_on_new_zone.py", "1.18.4", scope=scope, engines=["explicit"])
    assert verdict.outcome is Outcome.HOLDS


@pytest.mark.slow
def test_a_check_with_a_fix_takes_the_larger_scope() -> None:
    fix = FIXES / "reset_on_new_zone.py"
    report = check_system("node-listing", "1.18.4", fix=fix, properties=["listed-exactly-once"])
    assert [result.outcome for result in by_engines(report.results)] == [Outcome.VIOLATED]


@pytest.mark.parametrize(
    ("text", "is_built_in"),
    [
        ("def done_when_skipped():\n    return True\n", True),
        ("def done_when_skipped():\n    return 1\n", False),
        ("def done_when_skipped():\n    raise ValueError\n", False),
        ("def done_when_skipped():\n    return True\ndef done_when_skipped_smt():\n    return True\n", False),
    ],
)
def test_a_rule_without_arguments_is_the_built_in_one_that_answers_the_same(
    text: str, is_built_in: bool, tmp_path: Path
) -> None:
    """Reductions and all engines know the built-in one."""
    fix = load_fix(fix_file(tmp_path, text))
    try:
        found = fix.rules["done_when_skipped"]
        assert (found in QUEUEING_HINTS.built_in_rules("done_when_skipped").values()) is is_built_in
    finally:
        fix.close()


@pytest.mark.slow
def test_built_in_rules_are_judged_without_a_file() -> None:
    verdict = validate(None, "1.18.4", rules=["list_nodes=list_from_reset_cursors"], scope=SMALL, engines=["explicit"])
    assert verdict.outcome is Outcome.HOLDS
    changed = {effect.subject: effect.changed for effect in only(verdict).effects}
    assert changed["order of the node list"] > 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [("    return 1 // 0\n", "ZeroDivisionError"), ("    return ()\n", "must return")],
)
def test_a_fix_that_raises_is_refused_with_the_way_there(tmp_path: Path, body: str, expected: str) -> None:
    path = fix_file(tmp_path, "def list_nodes(tree):\n" + body)
    verdict = validate(path, "1.18.4", scope=SMALL, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    assert any(expected in (row.after.explanation or "") for row in only(verdict).refused_by)
    assert validation_json(verdict)["verdict"] == "refused"


@pytest.mark.slow
def test_a_fix_that_breaks_what_held_is_refused(tmp_path: Path) -> None:
    path = fix_file(tmp_path, "def list_nodes(tree):\n    return tree.names()[:1], tree\n")
    verdict = validate(path, "1.31", scope=SMALL, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    assert "broken" in {row.change for row in only(verdict).rows}


LIST_BY_TREE = "def list_nodes(tree): return tree.names(), tree\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("def list_nodes_smt(tree): raise IndexError('no\\nsuch')", "list_nodes_smt raised IndexError: no such"),
        ("def list_nodes_smt(): return ()", "list_nodes_smt raised TypeError: "),
        (
            "def list_nodes_smt(tree): return None",
            "list_nodes_smt must return (names, tree), but did not return 3 one-",
        ),
        ("def list_nodes_smt(tree): return [[1] * 3] * 3, tree", "list_nodes_smt must return (names, tree)"),
        ("def list_nodes_smt(tree): return [[False] * 3] * 3, None", "but did not return an SmtTree like the given"),
        (
            "from attrs import evolve\n"
            "def list_nodes_smt(tree): return [[False] * 3] * 3, evolve(tree, zone_index=[True])",
            "but did not return an SmtTree like the given",
        ),
        ("def list_nodes_smt(tree): return [[False] * 3] * 3, tree", "list_nodes_smt and the Python rule must say the"),
    ],
)
def test_a_formula_of_the_fix_that_fails_is_inconclusive_in_one_line(tmp_path: Path, form: str, expected: str) -> None:
    path = fix_file(tmp_path, f"{LIST_BY_TREE}{form}\n")
    report = check_system("node-listing", "1.18.4", fix=path, scope=SMALL, engines=["z3"])
    results = by_engines(report.results)
    assert len(results) == len(NODE_LISTING.properties)
    for result in results:
        assert result.outcome is Outcome.INCONCLUSIVE
        assert result.reason is not None
        assert expected in result.reason
        assert "\n" not in result.reason


@pytest.mark.slow
def test_a_formula_of_the_fix_is_judged(tmp_path: Path) -> None:
    form = "from properties.smt.node_listing.node_tree import list_stateless as list_nodes_smt\n"
    by_row = "from model.scheduler.cache.node_tree import list_stateless as by\ndef list_nodes(tree): return by(tree)\n"
    path = fix_file(tmp_path, by_row + form)
    wanted = ["listed-exactly-once"]
    report = check_system(
        "node-listing", "1.17.0", fix=path, scope="nodes=2,zones=2", properties=wanted, engines=["z3"]
    )
    (result,) = by_engines(report.results)
    assert result.outcome is Outcome.HOLDS
    assert result.claim is not None
    assert result.claim.details["form"] == "judged is the formula that the fix brings for list_nodes"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("def list_nodes(tree):\n    zone = 'z9'\n    return {}[zone]\n", " (my_fix.py, line 3: return {}[zone])"),
        # The last line of the file on the way, though the models raise.
        (
            "from model.scheduler.cache.node_tree import add_node\ndef list_nodes(tree):\n    return add_node()\n",
            " (my_fix.py, line 3: return add_node())",
        ),
        (
            f"def list_nodes(tree):\n    return 1 / 0  # {'x' * 200}\n",
            f" (my_fix.py, line 2: return 1 / 0 # {'x' * 62}...)",
        ),
        # A form feed ends no line of Python.
        ("#\x0c\ndef list_nodes(tree): return 1 / 0\n", " (my_fix.py, line 2: def list_nodes(tree): return 1 / 0)"),
        # Nothing of the file is on the way.
        ("from operator import truth as list_nodes\n", " must return"),
    ],
)
def test_what_a_rule_raises_shows_its_line(tmp_path: Path, text: str, place: str) -> None:
    fix = load_fix(fix_file(tmp_path, text))
    try:
        with pytest.raises(RuleError) as caught:
            guarded("list_nodes", fix.rules["list_nodes"], returns=returned_by(list_from_resuming_cursors))(NodeTree())
        assert place in str(caught.value)
        assert ("line" in str(caught.value)) is ("line" in place)
    finally:
        fix.close()


def test_to_another_machine_a_fix_goes_as_the_text_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "fix.py"
    file.write_bytes((ROOT / "examples/fixes/reset_cursors.py").read_bytes())
    fix = load_fix(file)
    sent = pickle.dumps(fix)
    file.unlink()
    received = pickle.loads(sent)
    assert (received.label, received.digest, [*received.rules]) == ("fix.py", fix.digest, ["list_nodes"])
    fix.close()
    received.close()
