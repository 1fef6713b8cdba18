"""The shape of the code: no circle of imports, those for type checkers counted, and no long file without a reason."""

import ast

import grimp
import networkx as nx
import pytest

from tests.conftest import ROOT


def test_there_are_no_import_circles() -> None:
    imports = grimp.build_graph("model", "properties", "kubeproof", exclude_type_checking_imports=False)
    arrows = ((name, other) for name in imports.modules for other in imports.find_modules_directly_imported_by(name))
    circles = [sorted(group) for group in nx.strongly_connected_components(nx.DiGraph(arrows)) if len(group) > 1]
    assert circles == []


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


@pytest.mark.slow
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
