"""The sources of the project with one edit, and the digests that these would have."""

import ast
from collections.abc import Mapping
from functools import cache

from kubeproof.definitions import Definitions
from kubeproof.store.digests import DOES, PACKAGES, ROOT, Digests, digests
from kubeproof.systems.node_listing import NODE_LISTING

ENGINES = {"explicit": "Python 3", "hypothesis": "hypothesis 6", "z3": "z3-solver 4", "tlc": "tla2tools 1"}


@cache
def sources() -> Mapping[str, str]:
    """What node-listing and the engines are made of. All of the sources take seconds, for each edit."""
    paths = {path.relative_to(ROOT).as_posix(): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    every = Definitions({name: path.read_text("utf-8") for name, path in paths.items()})
    system = "kubeproof.systems.node_listing.system:NODE_LISTING"
    reached = every.closure([*(root for roots in DOES.values() for root in roots), system])
    wanted = {name.partition(":")[0] for name in reached}
    return {name: path.read_text("utf-8") for name, path in paths.items() if _module(name) in wanted}


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def specs() -> Mapping[str, str]:
    return {path.name: path.read_text("utf-8") for path in (ROOT / "specs").glob("*.tla")}


@cache
def edited(definition: str = "") -> Digests:
    """The digests after one more statement in `model.x:function` or `model.x:Class.method`."""
    texts = dict(sources())
    if definition:
        module, _, name = definition.partition(":")
        path = next(each for each in texts if _module(each) == module)
        texts[path] = _with_statement(texts[path], name.split("."))
    return digests(Definitions(texts), specs(), ENGINES, [NODE_LISTING])


def _with_statement(text: str, names: list[str]) -> str:
    node: ast.AST = ast.parse(text)
    for name in names:
        inside = ast.iter_child_nodes(node)
        node = next(each for each in inside if isinstance(each, ast.ClassDef | ast.FunctionDef) and each.name == name)
    assert isinstance(node, ast.FunctionDef)
    last = node.body[-1]
    lines = text.splitlines()
    # In the line of the statement, so that no other definition moves.
    lines[last.lineno - 1] = f"{' ' * last.col_offset}pass; {lines[last.lineno - 1].strip()}"
    if isinstance(last, ast.Return | ast.Expr | ast.Assign):
        return "\n".join(lines)
    raise AssertionError(f"{names}: expected a function that ends with a simple statement")
