"""`kubeproof fix new`: the written file means what the release's rule means, and is judged so."""

import ast
from collections.abc import Iterator
from dis import get_instructions
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from kubeproof.errors import InputError
from kubeproof.fix.fix import load_fix
from kubeproof.fix.new import is_written, new_fix
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.rule_text import rule_at, source_of
from kubeproof.systems.system import System, scope_text
from kubeproof.validate.validate import validate
from model.releases import LAST_PATCH, known_release
from model.scheduler.cache.node_tree import list_from_resuming_cursors, list_stateless
from tests.kubeproof.test_cli import Captured, document, kubeproof


def releases_of(system: System) -> tuple[str, str]:
    """The oldest release that the system knows, and the newest."""
    return f"1.{system.minors[0]}.0", f"1.{system.minors[-1]}.{LAST_PATCH[system.minors[-1]]}"


EVERY = [
    pytest.param(name, field, release, id=f"{name}-{field}-{release}")
    for name, system in SYSTEMS.items()
    for release in releases_of(system)
    for field in system.rule_fields
]


def executed(text: str, name: str) -> dict[str, Any]:
    module = ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), vars(module))
    return vars(module)


def globals_of(function: FunctionType) -> Iterator[Any]:
    """What the function asks of its module, in the functions inside it too."""
    left = [function.__code__]
    while left:
        code = left.pop()
        left += [each for each in code.co_consts if isinstance(each, CodeType)]
        asked = (each.argval for each in get_instructions(code) if each.opname == "LOAD_GLOBAL")
        yield from (function.__globals__[name] for name in asked if name in function.__globals__)


def body_of(text: str, field: str) -> str:
    (function,) = (each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef))
    function.name = "rule"
    return ast.dump(function).replace(f"'_built_in_{field}'", f"'{field}'")


@pytest.mark.parametrize(("name", "field", "release"), EVERY)
def test_the_function_is_the_rule_of_the_release(name: str, field: str, release: str) -> None:
    """The same text, and each name in it is the same thing. So it answers the same."""
    system = system_named(name)
    at, text = new_fix(field, release, name, f"{field}.py")
    rule = rule_at(system, field, known_release(release))
    assert at == known_release(release)
    assert isinstance(rule, FunctionType)
    found = executed(text, field)
    written = found[field]
    assert body_of(text, field) == body_of(source_of(rule), field)
    assert all(one is other for one, other in zip(globals_of(written), globals_of(rule), strict=True))
    assert written.__defaults__ == rule.__defaults__
    assert written.__annotations__ == rule.__annotations__
    # So `validate` takes the file for the rule itself, also where the models ask which rule it is.
    assert is_written(field, rule, text)
    # Nothing else in the file is taken for a rule: an import under another name would be.
    rules = {each for of in SYSTEMS.values() for each in of.rule_fields}
    taken = {each for each in rules & set(found) if found[each].__module__ == field or found[each].__name__ != each}
    assert taken == {field}


def test_a_written_file_is_the_rule_itself(tmp_path: Path) -> None:
    """Of each system one rule whose text asks much of elsewhere; the processes of a fix execute the file."""
    for name, system in SYSTEMS.items():
        release = releases_of(system)[1]
        texts = {field: new_fix(field, release, name, f"{field}.py")[1] for field in system.rule_fields}
        field = max(texts, key=lambda each: texts[each].count("import"))
        path = tmp_path / f"{field}.py"
        path.write_text(texts[field], encoding="utf-8")
        fix = load_fix(path)
        fix.close()
        assert fix.rules == {field: rule_at(system, field, known_release(release))}
        assert fix.cures is None


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("# CURES = ", "CURES = ", True),
        ("return tuple(names),", "return (tuple(names)),", True),
        ("return tuple(names),", "return tuple(sorted(names)),", False),
        ("import bisect_left", "import bisect_right as bisect_left", False),
        ("def list_nodes", "NodeTree = tuple\ndef list_nodes", False),
        ("def list_nodes", "@print\ndef list_nodes", False),
        ("def list_nodes", "if 1:\n  pass\ndef list_nodes", False),
    ],
)
def test_a_file_that_says_more_is_no_copy(old: str, new: str, same: bool) -> None:
    text = new_fix("list_nodes", "1.18.4", None, "my_fix.py")[1]
    assert old in text
    changed = text.replace(old, new)
    assert is_written("list_nodes", list_from_resuming_cursors, changed) is same
    assert not is_written("list_nodes", list_stateless, changed)


@pytest.mark.parametrize("text", ["def list_nodes(", "(" * 5000, "\0", "x = " + "-" * 50_000 + "1"])
def test_a_text_that_is_not_python_is_no_copy(text: str) -> None:
    assert not is_written("list_nodes", list_from_resuming_cursors, text)


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_file_as_it_is_changes_nothing(tmp_path: Path, name: str) -> None:
    """Of each system the first rule and the last one: that the file is the rule itself is shown of all rules above."""
    system = SYSTEMS[name]
    scope = scope_text(system.scopes.fix_narrow[0] if system.scopes.fix_narrow else system.scope)
    for field in (system.rule_fields[0], system.rule_fields[-1]):
        for release in releases_of(system):
            path = tmp_path / f"{field}.py"
            path.write_text(new_fix(field, release, name, str(path))[1], encoding="utf-8")
            verdict = validate(path, release, systems=[name], engines=["explicit"], further=None, scope=scope)
            assert verdict.changes_nothing, (field, release, verdict.reasons)


def test_a_rule_that_nobody_asks_is_said_to_be_one() -> None:
    """A file for 1.13 of a rule that only later releases ask can be judged, and says what to expect."""
    field = next(
        each
        for each in SYSTEMS["scheduling"].rule_fields
        if each not in SYSTEMS["scheduling"].fields_asked_in(known_release("1.13.0"))
    )
    assert f"No step asks {field} in 1.13.0" in " ".join(new_fix(field, "1.13.0", "scheduling", "x.py")[1].split())


@pytest.mark.parametrize(
    ("field", "release", "system", "expected"),
    [
        ("list_node", None, None, "'list_node' is not a rule: did you mean list_nodes"),
        ("allocate", None, "node-listing", "'allocate' is not a rule of node-listing: expected one of "),
        ("list_nodes", "1.2", None, "--release: release '1.2' is outside the modelled range 1.13 to 1.36"),
        ("end_call", "1.18.4", "no-system", "'no-system' is not a system"),
    ],
)
def test_what_is_no_rule_gets_one_line(field: str, release: str | None, system: str | None, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        new_fix(field, release, system, "my_fix.py")
    assert str(caught.value).startswith(expected)


def test_no_file_is_overwritten(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, _ = kubeproof(capsys, "fix", "new", "list_nodes", "--release", "1.18.4", "--system", "node-listing")
    command = "kubeproof validate list_nodes.py --release 1.18.4 --system node-listing"
    text = Path("list_nodes.py").read_text("utf-8")
    assert (status, out.splitlines()[-1]) == (0, command)
    assert f"Judge it: {command}\n" in text
    status, out, err = kubeproof(capsys, "fix", "new", "list_nodes")
    assert (status, out) == (2, "")
    assert err.startswith("kubeproof: list_nodes.py: there is something already: expected a new name")
    assert Path("list_nodes.py").read_text("utf-8") == text
    Path("folder").write_text("")
    status, _, err = kubeproof(capsys, "fix", "new", "list_nodes", "--out", "folder/new.py")
    assert status == 2
    assert len(err.splitlines()) == 1
    assert document(capsys, "fix", "new", "one_pod_handler", "--out", "my.py")[1]["file"] == "my.py"
