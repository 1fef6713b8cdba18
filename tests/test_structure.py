"""The shape of the code: no circle of imports, those for type checkers counted, and no long file without a reason."""

import ast
from itertools import groupby
from pathlib import Path

import grimp
import networkx as nx

from tests.conftest import ROOT
from tests.long import LIMIT, chosen, durations_of, long_tests


def test_there_are_no_import_circles() -> None:
    imports = grimp.build_graph("model", "properties", "kubeproof", exclude_type_checking_imports=False)
    arrows = ((name, other) for name in imports.modules for other in imports.find_modules_directly_imported_by(name))
    circles = [sorted(group) for group in nx.strongly_connected_components(nx.DiGraph(arrows)) if len(group) > 1]
    assert circles == []


LONGEST = 250


def test_a_long_file_of_the_models_says_why_it_is_long() -> None:
    long = [path for path in (ROOT / "model").rglob("*.py") if path.read_text("utf-8").count("\n") > LONGEST]
    heads = {path.relative_to(ROOT).as_posix(): ast.get_docstring(ast.parse(path.read_text("utf-8"))) for path in long}
    assert [name for name, head in heads.items() if "longer than others because" not in (head or "")] == []


def _which_rule_asked(tree: ast.AST) -> list[int]:
    """The lines in which a rule of a choice of rules is compared with other rules, not by `is_one_of`."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        and any(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn | ast.Eq | ast.NotEq) for op in node.ops)
        and any(
            isinstance(side, ast.Attribute)
            and "rules" in (getattr(side.value, "id", None), getattr(side.value, "attr", None))
            for side in (node.left, *node.comparators)
        )
    ]


def test_which_rule_it_is_is_asked_by_is_one_of() -> None:
    """A stand-in takes the place of a rule while calls are noted: only `is_one_of` knows for what it stands.

    One property asked otherwise, and the page of its bug said yes for releases that cannot have the bug.
    """
    assert _which_rule_asked(ast.parse("a = self.rules.f is g")) == [1]
    assert _which_rule_asked(ast.parse("if rules.f not in KNOWN: pass")) == [1]
    assert _which_rule_asked(ast.parse("if rules.f() == 1: pass")) == []
    folders = [ROOT / "model", *(ROOT / "properties" / name for name in ("cpu_manager", "node_listing", "scheduling"))]
    found = [
        f"{path.relative_to(ROOT)}, line {line}"
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        for line in _which_rule_asked(ast.parse(path.read_text("utf-8")))
    ]
    assert not found


def test_each_test_that_takes_long_is_there() -> None:
    """`make durations` names them. A test that is gone or has another name would hide one that is new."""
    for file, names in groupby(sorted(long_tests()), lambda test: test.partition("::")[0]):
        text = (ROOT / file).read_text(encoding="utf-8")
        defined = {name.split("::")[1].partition("[")[0] for name in names}
        assert not [name for name in defined if name not in text], file


def test_of_each_file_a_test_stays_fast(tmp_path: Path) -> None:
    cases = (
        *(("tests.test_a", "one", 2.5), ("tests.test_a", "two[x.y]", 1.5)),
        *(("tests.b.test_c", "long", 1.0), ("tests.b.test_c.TestClass", "short", 0.01)),
    )
    rows = "".join(f'<testcase classname="{module}" name="{name}" time="{time}"/>' for module, name, time in cases)
    (tmp_path / "durations.xml").write_text(f"<testsuites><testsuite>{rows}</testsuite></testsuites>")
    durations = durations_of(tmp_path / "durations.xml")
    assert list(durations) == [
        *("tests/test_a.py::one", "tests/test_a.py::two[x.y]"),
        *("tests/b/test_c.py::long", "tests/b/test_c.py::TestClass::short"),
    ]
    assert min(seconds for test, seconds in durations.items() if "short" not in test) > LIMIT
    assert chosen(durations) == ["tests/b/test_c.py::long", "tests/test_a.py::one"]
