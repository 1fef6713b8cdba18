"""A system of a reader's file, in the form that all systems have; and properties of a reader's file for any system."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, fields, frozen, has

from kubeproof.errors import InputError
from kubeproof.input.files import shown
from kubeproof.own.guarded import GuardedMachine
from kubeproof.own.machine import Machine
from kubeproof.own.reading import OwnFile, own_file, prints_to_stderr
from kubeproof.own.symmetry import told_apart
from kubeproof.systems.scopes import Counted, Scopes
from kubeproof.systems.system import Facts, System
from model.machine import Action
from properties.property import StepInvariant
from properties.tla.form import TlaForm

# What a file of a reader may bring for Z3 and TLC, as functions of the scope.
SMT, TLA = "smt_form", "tla_form"


@frozen
class NoRules:
    """A machine of a reader follows no release."""


def own_system(path: Path) -> System:
    """The system that the file at `path` describes: its only class that inherits `Machine`, and its properties.

    Raises InputError.
    """
    file = own_file(path)
    kind = _machine_class(file)
    scope: Any = getattr(kind, "scope", None)
    if not has(type(scope)) or any(type(value) is not int for value in asdict(scope).values()):
        raise InputError(
            f"{shown(path)}: {kind.__name__}.scope is not a scope: expected the default one, a frozen record of attrs "
            "whose fields are numbers"
        )
    properties = file.properties
    begun = _made(file, kind, scope)
    names = begun.action_names
    for p in properties:
        if isinstance(p, StepInvariant) and (strange := sorted(p.actions - set(names))):
            raise InputError(
                f"{shown(path)}: {p.name} is about {strange[0]}, which is not an action of {kind.__name__}: "
                f"expected some of {', '.join(names)}"
            )
    if begun.symmetric:
        wrong = told_apart(begun, properties)
        if wrong:
            raise InputError(
                f"{shown(path)}: {wrong}: expected the same with exchanged names, or no `symmetric = True`"
            )

    def sentence(before: Any, action: Action, after: Any) -> str:
        with prints_to_stderr():
            return str(file.told("sentence", begun.inside.sentence)(before, action, after))

    def facts(state: Any) -> Facts:
        with prints_to_stderr():
            found = file.told("facts", begun.inside.facts)(state)
        return {str(subject): _fact(value) for subject, value in found.items()}

    return System(
        name=path.name,
        file=path,
        summary=" ".join((file.module.__doc__ or "").partition("\n\n")[0].split()),
        scope_class=type(scope),
        rules_class=NoRules,
        machine=lambda scope, rules: _made(file, kind, scope),
        properties=properties,
        # No other scope is looked in.
        scopes=Scopes(default=scope, fix=scope, large=scope, searched=(), least=asdict(scope)),
        counted=Counted(small=(), large=()),
        places=dict.fromkeys(names, (("1.13.0", ""),)),
        tla_form=lambda scope, rules, brought: _form(file, TLA, scope, TlaForm(module="", reason=_none(file, TLA))),
        smt_form=lambda scope, rules, brought: _form(file, SMT, scope, _none(file, SMT)),
        sentence=sentence,
        facts=facts,
        effects=lambda reached: [],
    )


def with_properties(system: System, paths: Sequence[Path]) -> System:
    """`system` with the properties of these files too. Raises InputError."""
    for path in paths:
        brought = own_file(path).properties
        if not brought:
            raise InputError(f"{shown(path)}: no property: expected functions with a decorator of kubeproof.own")
        there = {p.name for p in system.properties}
        for p in brought:
            if p.name in there:
                raise InputError(f"{shown(path)}: {system.name} has a property {p.name} already: expected another name")
        files = (*system.property_files, path)
        system = evolve(system, properties=(*system.properties, *brought), property_files=files)
    return system


def _machine_class(file: OwnFile) -> type[Machine[Any]]:
    found = file.defined(Machine)
    if len(found) == 1:
        return found[0]
    there = f"{len(found)} machines, {', '.join(each.__name__ for each in found)}" if found else "no machine"
    raise InputError(f"{shown(file.path)}: {there}: expected one class that inherits kubeproof.own.Machine")


def _made(file: OwnFile, kind: type[Machine[Any]], scope: Any) -> GuardedMachine:
    named: Any = type(kind.__name__, (GuardedMachine,), {})
    found: GuardedMachine = named(file.told(kind.__name__, kind)(scope), file)
    return found


def _form(file: OwnFile, name: str, scope: Any, none: Any) -> Any:
    """What the function of this name in the file makes of the scope, `none` if there is no such function."""
    function = getattr(file.module, name, None)
    return none if function is None else file.told(name, function)(scope)


def _none(file: OwnFile, name: str) -> str:
    return f"{file.name} has no {name}"


def _fact(value: Any) -> str | tuple[str, ...]:
    """A value of a state for a person; of a tuple or a set what is in it.

    >>> _fact(frozenset({"t2", "t1"})), _fact(False), _fact(("a", ("b", 1)))
    (('t1', 't2'), 'False', ('a', 'b 1'))
    """
    if isinstance(value, frozenset):
        return tuple(sorted(map(_item, value)))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(map(_item, value))
    if has(type(value)):
        return tuple(f"{field.name} {getattr(value, field.name)}" for field in fields(type(value)))
    return str(value)


def _item(value: Any) -> str:
    return " ".join(map(_item, value)) if type(value) is tuple else str(value)
