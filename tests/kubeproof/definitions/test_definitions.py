"""What depends on what, in small packages that are made up."""

from pathlib import Path
from textwrap import dedent

import pytest

from kubeproof.definitions import Definitions, UnknownDefinitionError, definition_of
from tests.conftest import ROOT


def read(**sources: str) -> Definitions:
    """The definitions of the package `p`: each keyword is a module, `__init__` among them."""
    return Definitions({f"p/{name.replace('__in__', '/')}.py": dedent(text) for name, text in sources.items()})


@pytest.mark.parametrize(
    ("imports", "use"),
    [
        ("from p.x import f", "f()"),
        ("from p.x import f as g", "g()"),
        ("import p.x", "p.x.f()"),
        ("import p.x as y", "y.f()"),
        ("from p import x", "x.f()"),
        ("from . import x as z", "z.f()"),
        ("from .x import f", "f"),
        ("from p import f", "f()"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.x import f", "'f'.upper() and f"),
        ("try:\n    from p.x import f\nexcept ImportError:\n    f = None", "f"),
        ("", "__import__('p.x')"),
        ("", "'from p.x import f; f()'"),
        ("", "run('p.x.f')"),
        ("import p.x", "getattr(p.x, 'f')"),
        ("from p.x import f", "[f(each) for each in ()]"),
        ("from p.x import f", "(lambda: f)"),
    ],
)
def test_a_name_is_followed_through_each_form_of_import(imports: str, use: str) -> None:
    definitions = read(
        __init__="from p.x import f",
        x="def f(): return g()\ndef g(): pass",
        a=f"{imports}\ndef used():\n    return {use}",
    )
    assert {"p.x:f", "p.x:g", "p.x", "p"} <= definitions.closure(["p.a:used"])


@pytest.mark.parametrize(
    "text",
    [
        "def used():\n    from p.x import f\n    return f",
        "def used(*, given=f): pass",
        "def used(given: f): pass",
        "def used(given: 'list[f]'): pass",
        "def used() -> f: pass",
        "@f\ndef used(): pass",
        "class used(f): pass",
        "class used:\n    def method(self):\n        return f",
        "class used:\n    field: f",
        "used = {1: f}",
        "used: f = None",
        "first, used = f()",
        "if 1:\n    used = f()",
        "def used():\n    x = [f for f in ()]\n    return f",
        "def used():\n    def inner(f): pass\n    return f",
    ],
)
def test_a_name_is_found_wherever_it_stands(text: str) -> None:
    definitions = read(__init__="", x="def f(): pass", a=f"from p.x import f\n{text}")
    assert "p.x:f" in definitions.closure(["p.a:used"])


@pytest.mark.parametrize(
    "text",
    [
        "def used(f):\n    return f",
        "def used():\n    f = 1\n    return f",
        "def used():\n    return [f for f in ()]",
        "def used(x):\n    return x.f",
        'def used():\n    """As f does, p.x.f."""',
        "def used():\n    return 1  # as f does",
        "def other():\n    return f\ndef used(): pass",
    ],
)
def test_another_thing_of_that_name_is_not_taken_for_it(text: str) -> None:
    definitions = read(__init__="", x="def f(): pass", a=f"from p.x import f\n{text}")
    assert definitions.closure(["p.a:used"]) == {"p.a:used", "p.a", "p.x", "p"}


def test_what_a_module_does_when_it_is_imported_belongs_to_all_of_it() -> None:
    definitions = read(
        __init__="", x="import p.y\ndef f(): pass", y="from p.z import put\nput(1)\ndef g(): pass", z="def put(x): pass"
    )
    assert definitions.closure(["p.x:f"]) == {"p.x:f", "p.x", "p.y", "p.z:put", "p.z", "p"}


def test_whoever_uses_a_table_may_call_what_a_decorator_puts_there() -> None:
    definitions = read(__init__="", x="app = App()", y="from p.x import app\n@app.command()\ndef g(): pass")
    assert "p.y:g" in definitions.closure(["p.x:app"])


def test_a_digest_changes_with_what_counts() -> None:
    text = 'def f(x):\n    """What f does."""\n    return x + 1'
    digests = {
        name: read(__init__="", a=each).digest("p.a:f")
        for name, each in {
            "same": text,
            "docstring": text.replace("What", "All that"),
            "comment": text + "  # always",
            "layout": text.replace("x + 1", "(x\n  + 1)"),
            "number": text.replace("1", "2"),
            "import": f"from math import x\n{text}",
        }.items()
    }
    assert {name for name, digest in digests.items() if digest != digests["same"]} == {"number"}


def test_a_docstring_counts_where_some_are_answers() -> None:
    one, other = (Definitions({"kubeproof/a.py": f'def f():\n    """{said}."""'}) for said in ("One", "Other"))
    assert one.digest("kubeproof.a:f") != other.digest("kubeproof.a:f")


def test_a_name_that_means_something_else_changes_the_digest() -> None:
    use = "def used():\n    return f()"
    texts = ("from p.x import f", "from p.y import f", "from math import f", "from cmath import f", "f = 1")
    digests = {read(__init__="", x="f = 1", y="f = 1", a=f"{text}\n{use}").digest("p.a:used") for text in texts}
    assert len(digests) == len(texts)


def test_what_changed_and_what_depends_on_it() -> None:
    sources = {
        "__init__": "",
        "x": "def f(): return 1\ndef g(): return 2",
        "a": "from p.x import f, g\na = f()\nb = g()",
    }
    old, new = read(**sources), read(**{**sources, "x": "def g(): return 2\n\ndef f(): return 3\n"})
    assert new.changed_since(old) == {"p.x:f"}
    assert new.dependents(new.changed_since(old)) == {"p.x:f", "p.a:a", "p.x:*", "p.a:*"}
    assert new.changed_since(read(__init__="", x=sources["x"])) >= {"p.x:f", "p.a:a", "p.a:b", "p.a"}


def test_calls_in_a_table_are_definitions_by_their_first_argument() -> None:
    rows = "ROWS = (Row('a', f), *(Row(each, g) for each in ()), *MORE, *made('b', f), Row('a', g))"
    definitions = read(__init__="", x=f"def f(): pass\ndef g(): pass\nMORE = (Row('c', g),)\n{rows}\nOTHER = (f, g)")
    assert definitions.parts("p.x:ROWS") == ["p.x:ROWS[a]", "p.x:ROWS[*]", "p.x:ROWS[b]"]
    assert definitions.parts("p.x:OTHER") == []
    assert {"p.x:f", "p.x:g"} <= definitions.closure(["p.x:ROWS[a]"])
    assert "p.x:g" not in definitions.closure(["p.x:ROWS[b]"])
    assert "p.x:g" in definitions.closure(["p.x:MORE[c]"])


def test_a_closure_may_be_asked_without_some_definitions() -> None:
    sources = {"__init__": "", "x": "def f(): return g()\ndef g(): return h()\ndef h(): return 1"}
    old, new = read(**sources), read(**{**sources, "x": sources["x"].replace("1", "2")})
    assert old.closure(["p.x:f"], without={"p.x:g"}) == {"p.x:f", "p.x", "p"}
    assert old.closure_digest(["p.x:f"]) != new.closure_digest(["p.x:f"])
    assert old.closure_digest(["p.x:f"], without={"p.x:g"}) == new.closure_digest(["p.x:f"], without={"p.x:g"})


def test_a_name_that_is_not_a_definition_is_refused() -> None:
    with pytest.raises(UnknownDefinitionError, match=r"'p\.x:h' is not a definition: expected MODULE:NAME"):
        read(__init__="", x="def f(): pass").closure(["p.x:h"])


def test_a_folder_is_read_and_a_value_has_the_name_of_its_definition() -> None:
    definitions = Definitions.of_folder(ROOT, ["kubeproof"])
    assert definition_of(Definitions.closure) == definition_of(definitions) == "kubeproof.definitions:Definitions"
    assert "kubeproof.definitions:Definitions" in definitions
    assert definition_of(Path) == "pathlib:Path"
