"""The mutants of a rule: the rule with one small change, as functions that can take its place."""

import __future__

import ast
import sys
from collections.abc import Iterable, Iterator
from itertools import count

from attrs import field, frozen
from cosmic_ray.mutating import mutate_code

from kubeproof.mutants.operators import OPERATORS
from kubeproof.mutants.sources import Rule, digest, sources_of

MADE = "<mutant of "  # how the file name of a mutant's code begins


@frozen
class Mutant:
    """One small change of a rule, or of a private function that the rule calls."""

    # The function that was changed, and the operator.
    function: str
    operator: str
    # The line in the function, from 1 on, and the text of the line before and after.
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
    sources = sources_of(rule)
    found = []
    for name, source in sources.items():
        for operator, changed in _changed(source):
            lines = list(zip(source.splitlines(), changed.splitlines(), strict=False))
            at, (before, after) = next((i, (a.strip(), b.strip())) for i, (a, b) in enumerate(lines) if a != b)
            made = _function(rule, sources | {name: changed})
            found.append(Mutant(name, operator, at + 1, before, after, made))
    return found


def digest_of_mutants(mutants: Iterable[Mutant]) -> str:
    """Tells the mutants of a rule from those that other operators make of it."""
    return digest("\n".join(sorted(each.name for each in mutants)))


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


def _function(rule: Rule, sources: dict[str, str]) -> Rule:
    """The rule as `sources` say it, beside what its module has otherwise."""
    namespace = dict(vars(sys.modules[rule.__module__]))
    for source in sources.values():
        code = compile(source, f"{MADE}{rule.__name__}>", "exec", flags=__future__.annotations.compiler_flag)
        exec(code, namespace)
    made: Rule = namespace[rule.__name__]
    return made
