"""`kubeproof fix new`: a file to begin a fix with. Its function is the release's own rule, ready to be changed."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from textwrap import wrap

from kubeproof.errors import InputError, not_one_of
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.releases import release_named
from kubeproof.systems.rule_text import Import, meaning_of, needs_of, rule_at, source_of, systems_of
from kubeproof.systems.system import Rule
from kubeproof.visible import shell_word
from model.releases import EVERY_MINOR, Release

WIDTH = 100


def new_fix(field: str, release: str | None, system: str | None, path: str) -> tuple[Release, str]:
    """The release, and the text of a file at `path` whose function is the rule that the release follows for `field`.

    `system`: judge in this one only. Raises InputError for what is no rule (of the system), and no release of one.
    """
    among = (*SYSTEMS.values(),) if system is None else (system_named(system),)
    having = [each for each in systems_of(field) if each in among]
    if not having:
        of, listed = ("", "SYSTEM") if system is None else (f" of {among[0].name}", among[0].name)
        names = list(dict.fromkeys(name for each in among for name in each.rule_fields))
        raise InputError(not_one_of(field, f"rule{of}", names, f"kubeproof list {listed}"))
    minors = [minor for minor in EVERY_MINOR if any(minor in each.minors for each in having)]
    at = release_named(release, minors=range(minors[0], minors[-1] + 1))
    knowing = [each for each in having if at.minor in each.minors]
    rule = rule_at(knowing[0], field, at)
    asked = any(field in each.fields_asked_in(at) for each in knowing)
    options = [shell_word(path), f"--release {at}", *([] if system is None else [f"--system {among[0].name}"])]
    command = " ".join(options)
    parts = [
        f"A fix of {field} for Kubernetes {at}. So far the function is the release's own, {rule.__name__}.",
        *([meaning_of(field)] if meaning_of(field) else []),
        *([] if asked else [f"No step asks {field} in {at}: there the fix can change nothing."]),
        "What the function is given and returns are values: it changes none, and answers the same each time. A helper "
        "must not have the name of a rule.",
    ]
    paragraphs = "\n\n".join("\n".join(_lines(part)) for part in parts)
    return at, "\n".join(
        [
            f'"""{paragraphs}\n\nJudge it: kubeproof validate {command}\n"""'.replace("\\", "\\\\"),
            "",
            *_import_lines(_needed(field, rule)),
            "# The documented bug that the fix is to cure, if it is one; a tuple of several.",
            f"# `kubeproof bugs --release {at}` lists the bugs of the release.",
            '# CURES = ""',
            "",
            "",
            _renamed(field, rule),
        ]
    )


def is_written(field: str, rule: Rule, text: str) -> bool:
    """Whether a file with this text says no more than the file that is written of `rule`. Then the two are the same.

    Somewhere the models ask which rule it is: there a copy would be taken for a rule that they do not know.
    """
    try:
        return _says(text) == _says("\n".join([*_import_lines(_needed(field, rule)), _renamed(field, rule)]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _says(text: str) -> list[str]:
    """The statements of a file, in a form that tells nothing of how they are laid out; no docstrings, no CURES."""
    module = ast.parse(text)
    functions = [each for each in module.body if isinstance(each, ast.FunctionDef)]
    for function in functions:
        function.body = [each for each in function.body if not _is_text(each)] or [ast.Pass()]
    said = [each for each in module.body if not _is_text(each) and not ast.unparse(each).startswith("CURES = ")]
    return [ast.dump(each) for each in said]


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _lines(text: str) -> list[str]:
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _other(field: str) -> str:
    """The name that a helper gets which has the name of the rule."""
    return f"_built_in_{field}"


def _needed(field: str, rule: Rule) -> Iterator[Import]:
    """The imports of the file. What has the name of the rule in the models, and is not the rule, gets another name."""
    for each in needs_of(rule):
        if each.known_as != field:
            yield each
        elif rule.__name__ != field:
            yield Import(each.module, each.name, _other(field))


def _import_lines(needed: Iterable[Import]) -> Iterator[str]:
    """The standard library, then other distributions, then kubeproof's own; an empty line after each of them."""
    groups: dict[int, dict[str, set[str]]] = {}
    for each in needed:
        top = each.module.partition(".")[0]
        rank = 0 if top in sys.stdlib_module_names else 2 if top in ("model", "properties", "kubeproof") else 1
        start, names = each.parts
        groups.setdefault(rank, {}).setdefault(start, set()).add(names)
    for _, lines in sorted(groups.items()):
        for start, of_module in sorted(lines.items()):
            line = f"{start}{', '.join(sorted(of_module))}"
            long = [f"{start}(", *(f"    {name}," for name in sorted(of_module)), ")"]
            yield from [line] if len(line) <= WIDTH else long
        yield ""


def _renamed(field: str, rule: Rule) -> str:
    """The text of the rule, as a function of the name of the field."""
    lines = source_of(rule).split("\n")[:-1]
    if rule.__name__ == field:
        return "\n".join([*lines, ""])
    for node in ast.walk(ast.parse(source_of(rule))):
        # A helper of that name would be the function itself.
        if isinstance(node, ast.Name) and node.id == field:
            code = lines[node.lineno - 1].encode()
            start, end = code[: node.col_offset], code[node.end_col_offset :]
            lines[node.lineno - 1] = (start + _other(field).encode() + end).decode()
    head = re.compile(rf"def {rule.__name__}\b")
    at = next(number for number, line in enumerate(lines) if head.match(line))
    lines[at] = head.sub(f"def {field}", lines[at])
    return "\n".join([*lines, ""])
