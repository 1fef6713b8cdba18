"""What a hunt found so far, as a file: a hunt that was stopped goes on where it was."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import cattrs
from attrs import Factory, evolve, frozen

from kubeproof.errors import InputError
from kubeproof.hunt.found import Asked, FoundBug
from kubeproof.input.documents import json_value
from kubeproof.input.files import read_text, shown
from kubeproof.output.files import write_whole
from kubeproof.processes.sources import digest_of_files
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import System, kept_scope_text
from model.machine import Action

SIZE = 64 << 20  # bytes
_EXPECTED = "a file that `kubeproof hunt --kept` wrote"
# What a document that no hunt wrote ends in.
_NOT_KEPT = (
    *(cattrs.BaseValidationError, InputError, ValueError, TypeError, KeyError, AttributeError, OverflowError),
    RecursionError,
)


@frozen
class Kept:
    """What is known so far."""

    asked: Asked
    bugs: tuple[FoundBug, ...] = ()
    # Field -> rule: the cures that are in force from now on.
    cures: dict[str, str] = Factory(dict)
    # The scopes that were looked through, in order.
    scopes: tuple[Any, ...] = ()
    cut: tuple[str, ...] = ()
    # A digest of the code that found this: see `digest_of_code`.
    code: str = ""


@frozen
class _Asked:
    """An `Asked` as texts."""

    system: str
    release: str
    # The file of a fix, and built-in rules as `--rule` takes them.
    fix: str | None
    rules: tuple[str, ...]
    # Of the file: what was found with an older text of it is not what is asked.
    digest: str
    feature_gates: str

    @staticmethod
    def of(asked: Asked) -> "_Asked":
        fix = asked.fix
        path, rules, digest = (None, (), "") if fix is None else (fix.path, fix.choices, fix.digest)
        file = None if path is None else str(path)
        return _Asked(asked.system.name, str(asked.release), file, rules, digest, asked.feature_gates)


def _action(value: Any, kind: Any) -> Action:
    name, args = value
    if not isinstance(name, str) or not all(isinstance(arg, str | int) for _, arg in args):
        raise ValueError(name)
    return Action(name, tuple((str(key), arg) for key, arg in args))


_CONVERTER = cattrs.Converter(forbid_extra_keys=True)
_CONVERTER.register_unstructure_hook(Action, lambda action: [action.name, [list(pair) for pair in action.args]])
_CONVERTER.register_structure_hook(Action, _action)
_CONVERTER.register_unstructure_hook(Asked, lambda asked: _CONVERTER.unstructure(_Asked.of(asked)))
_CONVERTER.register_structure_hook(Asked, lambda value, _: _CONVERTER.structure(value, _Asked))
for _system in SYSTEMS.values():
    _CONVERTER.register_unstructure_hook(_system.scope_class, kept_scope_text)


@cache
def digest_of_code() -> str:
    """A digest of all modules that decide what a scope shows: the model, the properties, and the search."""
    rooms = ("model", "properties", "kubeproof.engines", "kubeproof.systems", "kubeproof.hunt")
    return digest_of_files((room, "*.py") for room in rooms)


def as_document(value: Any) -> Any:
    """A Kept, or a part of one, as JSON data."""
    return _CONVERTER.unstructure(value)


def write_kept(path: Path, kept: Kept) -> None:
    """Write the file whole. Raises InputError."""
    write_whole(path, json.dumps(as_document(evolve(kept, code=digest_of_code())), indent=1) + "\n")


def _checked(system: System, bug: FoundBug) -> FoundBug:
    """`bug` with its scope. Raises InputError or ValueError for what no hunt finds in the system."""
    for name in (bug.property, *bug.also, *(way.property for way in bug.ways)):
        system.property_named(name)
    if not (bug.actions and bug.ways and all(cure.swaps for cure in bug.cures)):
        raise ValueError(bug.property)
    _check_cures(system, ((swap.field, swap.cured_by) for cure in bug.cures for swap in cure.swaps))
    return evolve(bug, scope=system.parse_scope(str(bug.scope)))


def _check_cures(system: System, cures: Iterable[tuple[str, str]]) -> None:
    """Raises ValueError for a field and a rule that the system does not have."""
    for field, rule in cures:
        if field not in system.rule_fields or rule not in system.rules_to_choose(field):
            raise ValueError(field)


def read_kept(path: Path, asked: Asked) -> Kept:
    """What the file says; nothing if there is no file.

    Raises InputError also for the file of another hunt, and for one that another version of kubeproof found.
    """
    if not path.exists():
        return Kept(asked)
    text = read_text(path, SIZE, _EXPECTED)
    try:
        kept = _CONVERTER.structure(json_value(text), Kept)
        found: Any = kept.asked
        system = system_named(found.system)
        scopes = tuple(system.parse_scope(str(name)) for name in kept.scopes)
        _check_cures(system, kept.cures.items())
        bugs = tuple(_checked(system, bug) for bug in kept.bugs)
    except _NOT_KEPT:
        raise InputError(f"{shown(path)}: not what a hunt found: expected {_EXPECTED}, or no file") from None
    if found != _Asked.of(asked):
        raise InputError(
            f"{shown(path)}: found by a hunt of {found.system} {found.release} with other options: "
            "expected the same system, release, --rule, --feature-gates, and --fix with the same text, or no file"
        )
    if kept.code != digest_of_code():
        raise InputError(
            f"{shown(path)}: found by another version of kubeproof, with other rules, properties or search: "
            "expected a file of this version, or no file"
        )
    return evolve(kept, asked=asked, bugs=bugs, scopes=scopes)
