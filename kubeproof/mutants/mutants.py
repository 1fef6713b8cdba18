"""The mutants of a rule: the rule with one small change, as functions that can take its place."""

import __future__

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from itertools import count
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any

from attrs import field, frozen
from cosmic_ray.mutating import mutate_code

from kubeproof.mutants.operators import OPERATORS

Rule = Callable[..., Any]
MADE = "<mutant of "  # how the file name of a mutant's code begins


@frozen
class Mutant:
    """One small change of a rule, or of a private function that the rule calls."""

    # The function that was changed, and the operator.
    function: str
    operator: str
    # The line in the file of the function, and the text of the line before and after.
    line: int
    before: str
    after: str
    # What takes the place of the rule.
    rule: Rule = field(eq=False, repr=False)

    @property
    def name(self) -> str:
        """One line that tells the mutant from the rule's other mutants."""
        return f"{self.function} line {self.line}: {self.before} -> {self.after} ({self.operator})"


def mutants_of(rule: Rule) -> list[Mutant]:
    """All mutants of `rule` that differ from it in their code. None for a rule that is no function of a module."""
    named = sys.modules.get(rule.__module__)
    if not isinstance(rule, FunctionType) or named is None or vars(named).get(rule.__name__) is not rule:
        return []
    sources = {function.__name__: dedent(inspect.getsource(function)) for function in _with_helpers(rule)}
    found = []
    for name, source in sources.items():
        first = inspect.getsourcelines(vars(named)[name])[1]
        for operator, changed in _changed(source):
            lines = list(zip(source.splitlines(), changed.splitlines(), strict=False))
            at, (before, after) = next((i, (a.strip(), b.strip())) for i, (a, b) in enumerate(lines) if a != b)
            made = _function(rule, sources | {name: changed})
            found.append(Mutant(name, operator, first + at, before, after, made))
    return found


def _with_helpers(rule: FunctionType) -> list[FunctionType]:
    """The rule, and the private functions of its module that it calls."""
    found, left = [rule], [rule]
    own = {name: f for name, f in rule.__globals__.items() if isinstance(f, FunctionType) and name.startswith("_")}
    while left:
        for name in _names(left.pop().__code__):
            helper = own.get(name)
            if helper is not None and helper.__module__ == rule.__module__ and helper not in found:
                found.append(helper)
                left.append(helper)
    return found


def _names(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*(_names(each) for each in inner))


def _changed(source: str) -> Iterator[tuple[str, str]]:
    """(operator, the changed source) of each change whose code is another one and can be compiled."""
    seen = {_without_types(source)}
    for operator in OPERATORS:
        for occurrence in count():
            changed = mutate_code(source, operator, occurrence)
            if changed is None:
                break
            try:
                code = _without_types(changed)
            except SyntaxError:
                continue
            if code not in seen:
                seen.add(code)
                yield type(operator).__name__, changed


def _without_types(source: str) -> str:
    """What the code does: its tree without annotations."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _function(rule: FunctionType, sources: dict[str, str]) -> Rule:
    """The rule as `sources` say it, beside what its module has otherwise."""
    namespace = dict(rule.__globals__)
    for source in sources.values():
        code = compile(source, f"{MADE}{rule.__name__}>", "exec", flags=__future__.annotations.compiler_flag)
        exec(code, namespace)
    made: Rule = namespace[rule.__name__]
    return made
