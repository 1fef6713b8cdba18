"""The shape of the code: no circle of imports, those for type checkers counted, and no long file without a reason."""

import ast

import grimp
import networkx as nx

from tests.conftest import ROOT


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
