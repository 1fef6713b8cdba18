"""What a hunt found so far, as a file: a hunt that was stopped goes on where it was."""

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import cattrs
from attrs import Factory, evolve, frozen

from kubeproof.errors import InputError
from kubeproof.hunt.found import Asked, FoundBug
from kubeproof.input.documents import json_value
from kubeproof.input.files import read_text, shown
from kubeproof.output.files import write_whole
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
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
    scopes: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    # A digest of the code that found this: see `digest_of_code`.
    code: str = ""


def _action(value: Any, kind: Any) -> Action:
    name, args = value
    if not isinstance(name, str) or not all(isinstance(arg, str | int) for _, arg in args):
        raise ValueError(name)
    return Action(name, tuple((str(key), arg) for key, arg in args))


_CONVERTER = cattrs.Converter(forbid_extra_keys=True)
_CONVERTER.register_unstructure_hook(Action, lambda action: [action.name, [list(pair) for pair in action.args]])
_CONVERTER.register_structure_hook(Action, _action)


@cache
def digest_of_code() -> str:
    """A digest of all modules that decide what a scope shows: the model, the properties, and the search."""
    found = sha256()
    for room in ("model", "properties", "kubeproof.engines", "kubeproof.systems", "kubeproof.hunt"):
        with as_file(files(room)) as folder:
            for path in sorted(folder.rglob("*.py")):
                found.update(f"{room} {path.relative_to(folder)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def as_document(value: Any) -> Any:
    """A Kept, or a part of one, as JSON data."""
    return _CONVERTER.unstructure(value)


def write_kept(path: Path, kept: Kept) -> None:
    """Write the file whole. Raises InputError."""
    write_whole(path, json.dumps(as_document(evolve(kept, code=digest_of_code())), indent=1) + "\n")


def _check(system: System, bug: FoundBug) -> None:
    """Raises InputError or ValueError for what no hunt finds in the system."""
    for name in (bug.property, *bug.also, *(way.property for way in bug.ways)):
        system.property_named(name)
    system.parse_scope(bug.scope)
    if not (bug.actions and bug.ways and all(cure.swaps for cure in bug.cures)):
        raise ValueError(bug.property)
    _check_cures(system, ((swap.field, swap.cured_by) for cure in bug.cures for swap in cure.swaps))


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
        system = system_named(kept.asked.system)
        for name in kept.scopes:
            system.parse_scope(name)
        _check_cures(system, kept.cures.items())
        for bug in kept.bugs:
            _check(system, bug)
    except _NOT_KEPT:
        raise InputError(f"{shown(path)}: not what a hunt found: expected {_EXPECTED}, or no file") from None
    if kept.asked != asked:
        raise InputError(
            f"{shown(path)}: found by a hunt of {kept.asked.system} {kept.asked.release} with other options: "
            "expected the same system, release, --rule, --feature-gates, and --fix with the same text, or no file"
        )
    if kept.code != digest_of_code():
        raise InputError(
            f"{shown(path)}: found by another version of kubeproof, with other rules, properties or search: "
            "expected a file of this version, or no file"
        )
    return kept
