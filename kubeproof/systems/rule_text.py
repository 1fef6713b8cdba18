"""What the models say of a rule: its meaning, signature and source, and what its text needs from elsewhere."""

import ast
import dis
import inspect
import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any

from attrs import frozen

from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import Rule, System
from model.releases import Release, rules_for

_SEE = re.compile(r"As in `\w+`")


@frozen
class Import:
    """One name that a module imports: `from MODULE import NAME as KNOWN_AS`, or `import MODULE as KNOWN_AS`."""

    module: str
    # "" of a whole module.
    name: str
    known_as: str

    @property
    def parts(self) -> tuple[str, str]:
        """The statement: what several names of a module share, and the name."""
        start, name = (f"from {self.module} import ", self.name) if self.name else ("import ", self.module)
        return start, name if self.known_as == name else f"{name} as {self.known_as}"


def systems_of(field: str) -> tuple[System, ...]:
    """The systems in which a step may ask the rule `field`; () if it is no rule."""
    return tuple(system for system in SYSTEMS.values() if field in system.rule_fields)


def rule_at(system: System, field: str, release: Release) -> Rule:
    """The rule of `release` for the field."""
    rule: Rule = getattr(rules_for(system.rules_class, release), field)
    return rule


def meaning_of(field: str) -> str:
    """What stands above the field in its `Rules` class: what the rule decides; "" if nothing does."""
    classes = dict.fromkeys(of for system in systems_of(field) for of in system.rules_class.__mro__)
    said = [_comments(of).get(field, "") for of in classes if field in vars(of).get("__annotations__", {})]
    # A class that takes a field over says where it is described.
    return next((text for text in said if text and not _SEE.match(text)), "")


@cache
def _comments(of: type[Any]) -> dict[str, str]:
    """The comment above each field of a class, in one line."""
    lines = [line.strip() for line in inspect.getsource(of).splitlines()]
    found = {}
    for number, line in enumerate(lines):
        if named := re.match(r"(\w+): ", line):
            above = [*takewhile(lambda each: each.startswith("# "), reversed(lines[:number]))]
            found[named[1]] = " ".join(each.removeprefix("# ") for each in reversed(above))
    return found


def signature_of(field: str, rule: Rule) -> str:
    """How the rule is called, with the types: `list_nodes(tree: NodeTree) -> ...`."""
    head = ast.unparse(_definition(rule)).partition("\n")[0]
    return head.removeprefix("def ").removesuffix(":").replace(rule.__name__, field, 1)


def source_of(rule: Rule) -> str:
    """The text of the rule."""
    return dedent(inspect.getsource(rule)).rstrip() + "\n"


def _definition(rule: Rule) -> ast.FunctionDef:
    found = ast.parse(source_of(rule)).body[0]
    assert isinstance(found, ast.FunctionDef)
    found.body, found.decorator_list = [ast.Pass()], []
    return found


def needs_of(rule: Rule) -> list[Import]:
    """The imports with which the text of the rule means the same in another file."""
    assert isinstance(rule, FunctionType)
    module = inspect.getmodule(rule)
    assert module is not None
    imported = {each.known_as: each for each in _imports(ast.parse(inspect.getsource(module)))}
    names = dict.fromkeys([*_in_signature(_definition(rule)), *_globals_of(rule.__code__)])
    return [imported.get(name, Import(module.__name__, name, name)) for name in names if name in rule.__globals__]


def _imports(module: ast.Module) -> Iterator[Import]:
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            for name in statement.names:
                yield Import(statement.module, name.name, name.asname or name.name)
        elif isinstance(statement, ast.Import):
            for name in statement.names:
                yield Import(name.name, "", name.asname or name.name)


def _in_signature(node: ast.AST) -> Iterator[str]:
    """The names in the annotations and defaults of a function without a body. A quoted type is a type too."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif (
            isinstance(each, ast.Constant)
            and isinstance(each.value, str)
            and re.match(r"[A-Z]\w*[\w\[\], |]*$", each.value)
        ):
            yield from _in_signature(ast.parse(each.value, mode="eval"))


def _globals_of(code: CodeType) -> Iterator[str]:
    """The names of a module that the code asks for, in the functions inside it too."""
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield each.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_of(constant)
