"""`kubeproof show RULE`: what a fix replaces, of every rule."""

import ast

import pytest

from kubeproof.errors import InputError
from kubeproof.report.page import page_of, rendered
from kubeproof.report.rule_page import rule_page_markdown, rule_page_of
from kubeproof.systems.registry import SYSTEMS
from model.releases import ROWS
from tests.kubeproof.test_cli import Captured, document, kubeproof

FIELDS = sorted({field for system in SYSTEMS.values() for field in system.rule_fields})


@pytest.mark.parametrize("field", FIELDS)
def test_every_rule_has_a_page(field: str) -> None:
    page = rule_page_of(field)
    text = rule_page_markdown(page)
    functions = {each.name for each in ast.parse(page.source).body if isinstance(each, ast.FunctionDef)}
    assert page.in_force.rule in functions
    assert page.signature.startswith(f"{field}(")
    (called,) = ast.parse(f"def {page.signature}: ...").body
    assert isinstance(called, ast.FunctionDef)
    assert called.returns is not None
    assert page.meaning or ast.get_docstring(ast.parse(page.source).body[0])  # type: ignore[arg-type]
    for row in ROWS:
        if row.field == field:
            assert f"| {row.since} | `{row.rule.__name__}` | " in text
    assert [name for name, system in SYSTEMS.items() if field in system.rule_fields] == [*page.systems]
    assert all(f"| `{mutant.__name__}` | " in text for mutant in page.mutants)
    rendered(text)


def test_the_page_is_of_the_release(capsys: Captured) -> None:
    old, new = (document(capsys, "show", "list_nodes", "--release", each)[1] for each in ("1.18.4", "1.20"))
    assert (old["is"], new["is"]) == ("list_from_resuming_cursors", "list_stateless")
    assert (old["evidence"], old["rows"]) == ("recorded", new["rows"])
    assert "def list_stateless(" in new["source"]
    assert "list_one_per_zone" in old["mutants"]
    status, out, _ = kubeproof(capsys, "show", "list_nodes", "--release", "v1.18")
    assert status == 0
    assert out.startswith("# list_nodes\n")
    assert "kubeproof fix new list_nodes --release 1.18.20" in out or "--release v1.18" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["list_nodes", "--itf"], "--itf: 'list_nodes' is a rule, which has no run: expected a bug"),
        (["NODETREE-CURSOR", "--release", "1.18"], "--release: NODETREE-CURSOR is a bug, whose page has all releases"),
        (["list_nodes", "--release", "1.2"], "--release: release '1.2' is outside the modelled range"),
        (["list_stateless"], "'list_stateless' is a function for the rule list_nodes: `kubeproof show list_nodes`"),
    ],
)
def test_what_has_no_such_page_gets_one_line(capsys: Captured, words: list[str], expected: str) -> None:
    status, out, err = kubeproof(capsys, "show", *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"kubeproof: {expected}")


def test_a_function_of_a_rule_is_no_bug() -> None:
    with pytest.raises(InputError, match="is a function for the rule"):
        page_of("list_from_reset_cursors")
