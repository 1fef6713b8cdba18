"""A proposed fix: a Python file, or built-in rules by name, that take the place of a release's rules.

The file's functions are a stranger's code: they are executed in processes of their own (`stranger.py`) and guarded
(`guarded.py`).
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from kubeproof.errors import InputError, RuleError, not_one_of
from kubeproof.fix.guarded import guarded
from kubeproof.fix.new import is_written
from kubeproof.fix.rule_results import returned_by
from kubeproof.fix.said import with_notes
from kubeproof.fix.stranger import Stranger
from kubeproof.input.files import Content, read_bytes, read_text
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import Rule, System
from kubeproof.visible import visible
from model.releases import Release

FIX_SIZE = 1 << 20  # bytes
_COPY = 1 << 16  # bytes of a file that may be one that was written: the longest rule takes some thousands
EVERY_SYSTEM = tuple(SYSTEMS.values())


@frozen
class Fix:
    """What takes the place of a release's rules. A field has the same rules in every system that has the field."""

    # How the fix is named to people: its file, and the built-in rules that were chosen.
    label: str
    # The functions by rule field. Those of a file call the processes of the file.
    rules: dict[str, Rule]
    # The file, or None if all rules are built-in ones.
    path: Path | None = None
    # The processes that have executed the file.
    stranger: Stranger | None = None
    # The built-in rules that were chosen, as `--rule` takes them.
    choices: tuple[str, ...] = ()
    # The names of the systems whose rules were meant.
    among: tuple[str, ...] = tuple(SYSTEMS)
    # The file FIX.tla beside FIX.py, if there is one: TLA+ operators for the rules.
    beside: Content | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process a fix travels as its names and the texts of its files: there it is executed once."""
        source = None if self.stranger is None else self.stranger.source
        return _received, (self.path, source, self.beside, self.choices, self.among)

    @property
    def digest(self) -> str:
        """SHA-256 of the text of the file; "" if there is none."""
        return "" if self.stranger is None else sha256(self.stranger.source).hexdigest()

    @property
    def cures(self) -> Any | None:
        """What the file names as CURES, unchecked, or None."""
        return self.stranger.cures if self.stranger is not None else None

    @property
    def forms(self) -> frozenset[str]:
        """The rules for which the file brings a formula for Z3: a function FIELD_smt beside the function FIELD."""
        brought = self.stranger.forms if self.stranger is not None else ()
        return frozenset(field for field in self.rules if f"{field}_smt" in brought)

    @property
    def outside(self) -> tuple[str, ...]:
        """The rules that a guard blames where something goes wrong; () if all are built-in ones."""
        return () if self.path is None else tuple(self.rules)

    @property
    def operators(self) -> dict[str, Content]:
        """The rules for which there are TLA+ operators, and the file that has them."""
        return {} if self.beside is None else dict.fromkeys(self.rules, self.beside)

    def with_built_in(self, rules: Mapping[str, Rule]) -> "Fix":
        """The fix with further built-in rules, by field, as `--rule` takes them."""
        choices = tuple(f"{field}={rule.__name__}" for field, rule in rules.items())
        return evolve(self, rules={**self.rules, **rules}, choices=(*self.choices, *choices))

    def close(self) -> None:
        """End the processes of the file, if there is one."""
        if self.stranger is not None:
            self.stranger.close()


def chosen_fix(
    path: Path | None,
    choices: Sequence[str],
    among: Sequence[System] = EVERY_SYSTEM,
    read: tuple[bytes, Content | None] | None = None,
) -> Fix | None:
    """The fix that the file at `path` and the built-in rules `choices` ("NAME=RULE") make together, or None.

    `among`: the systems that are asked about. `read`: see `load_fix`. Raises InputError.
    """
    named = named_rules(choices, among)
    if path is None:
        return named if choices else None
    loaded = load_fix(path, among, read)
    both = sorted(set(loaded.rules) & set(named.rules))
    if both:
        loaded.close()
        raise InputError(f"--rule {both[0]}=...: {path} defines {both[0]} too: expected one of the two")
    label = ", ".join(part for part in (loaded.label, named.label) if part)
    rules = {**loaded.rules, **named.rules}
    return evolve(loaded, label=label, rules=rules, choices=named.choices, among=named.among)


@contextmanager
def opened_fix(
    path: Path | None, choices: Sequence[str], among: Sequence[System] = EVERY_SYSTEM
) -> Iterator[Fix | None]:
    """The same for as long as a block takes: then its processes are ended."""
    fix = chosen_fix(path, choices, among)
    try:
        yield fix
    finally:
        if fix is not None:
            fix.close()


@lru_cache(maxsize=1)
def _received(
    path: Path | None, source: bytes | None, beside: Content | None, choices: tuple[str, ...], among: tuple[str, ...]
) -> Fix | None:
    """The fix of another process, maybe on another machine. Its own processes end with this one."""
    read = None if source is None else (source, beside)
    return chosen_fix(path, choices, [system_named(name) for name in among], read)


def systems_with(fix: Fix, among: Sequence[System] = EVERY_SYSTEM) -> tuple[System, ...]:
    """The systems of `among` that have all rules of `fix`, without those that extend one of them.

    Raises InputError if there is none.
    """
    found = [system for system in among if set(fix.rules) <= set(system.rule_fields)]
    names = {system.name for system in found}
    if found:
        return tuple(system for system in found if names.isdisjoint(system.extends))
    if len(among) == 1:
        missing = next(field for field in fix.rules if field not in among[0].rule_fields)
        raise InputError(f"{fix.label}: {_unknown(missing, among)}")
    rules = ", ".join(f"{field} (of {', '.join(s.name for s in _having(field, among))})" for field in fix.rules)
    raise InputError(f"{fix.label}: no system has all of these rules: {rules}: expected rules of one system")


def systems_asked(names: Sequence[str], fix: Fix | None) -> tuple[System, ...]:
    """The systems of these `names`; without names all that have the rules of `fix`.

    Raises InputError for a name that no system has, and for a named system that lacks a rule of `fix`.
    """
    named = tuple({name: system_named(name) for name in names}.values())
    if fix is None:
        return named or EVERY_SYSTEM
    return tuple(found for system in named for found in systems_with(fix, [system])) or systems_with(fix)


def asking(
    systems: tuple[System, ...], fix: Fix | None, release: Release, *, every: bool
) -> tuple[tuple[System, ...], tuple[tuple[str, str], ...]]:
    """Those of `systems` in which a step asks a rule of `fix` in `release`, and (system, why not) of all others.

    All of them if `every` was named, if there is no fix, or if no step of any asks. The others may be in no list of
    systems: they have the rules of `fix`, and no step of theirs asks one of them in any release.
    """
    found = tuple(each for each in systems if fix is None or set(fix.rules) & set(each.fields_asked_in(release)))
    if every or fix is None:
        return systems, ()
    never = tuple(
        (each.name, f"no step asks {', '.join(unasked)} there")
        for each in EVERY_SYSTEM
        if release.minor in each.minors and set(fix.rules) <= {field.name for field in fields(each.rules_class)}
        if (unasked := [field for field in fix.rules if field in each.never_asked])
    )
    if not found:
        return systems, never
    idle = tuple((each.name, f"no step asks this in {release}") for each in systems if each not in found)
    return found, (*idle, *never)


def named_rules(choices: Sequence[str], among: Sequence[System] = EVERY_SYSTEM) -> Fix:
    """The fix that chooses built-in rules: `("list_nodes=list_from_reset_cursors",)`. Raises InputError."""
    rules: dict[str, Rule] = {}
    for choice in choices:
        field, _, name = (part.strip() for part in choice.partition("="))
        having = _having(field, among)
        if not having:
            raise InputError(f"--rule {choice}: {_unknown(field, among)}")
        known = {name: rule for system in having for name, rule in system.rules_to_choose(field).items()}
        if name not in known:
            raise InputError(f"--rule {choice}: {not_one_of(name, f'built-in rule for {field}', known)}")
        rules[field] = known[name]
    return Fix(", ".join(choices), rules, choices=tuple(choices), among=tuple(system.name for system in among))


def load_fix(
    path: Path, among: Sequence[System] = EVERY_SYSTEM, read: tuple[bytes, Content | None] | None = None
) -> Fix:
    """The rules that the file at `path` defines. Raises InputError, in one line with file and place.

    A module-level function whose name is a rule field of any system takes that rule's place, and so does an imported
    one that is given such a name; an import under its own name is a helper like all other names. `among`: the systems
    whose rules an error names. `read`: the text of the file and the file of its operators, if they were read.
    """
    source, beside = read or (read_text(path, FIX_SIZE, "a Python file with a rule").encode(), _beside(path))
    wanted = {field: len(_parameters(field)) for field in _fields(EVERY_SYSTEM)}
    stranger = Stranger(path, source, wanted)
    try:
        rules = _rules_of(stranger, among)
        names = tuple(system.name for system in among)
        return Fix(visible(path.name), rules, path, stranger, among=names, beside=beside)
    except InputError:
        stranger.close()
        raise


def _beside(path: Path) -> Content | None:
    """The file of TLA+ operators beside the file of a fix."""
    module = path.with_suffix(".tla")
    return Content(module, read_bytes(module, FIX_SIZE, "TLA+ operators")) if module.is_file() else None


def _rules_of(stranger: Stranger, among: Sequence[System]) -> dict[str, Rule]:
    """The rules of the file by field: a built-in function itself, else what calls the file's. Raises InputError."""
    path = stranger.path
    if not stranger.found:
        raise InputError(
            f"{path}: no function is a rule: expected a function with the name of a rule{_whose(among)}; "
            f"`{_listed_by(among)}` lists the rules"
        )
    rules: dict[str, Rule] = {}
    for field, found in stranger.found.items():
        if found.unbound is not None:
            place = f"line {found.line}: " if found.line else ""
            called = f"{field}({', '.join(_parameters(field))})"
            raise InputError(f"{path}: {place}{field} is called as {called}: {found.unbound}")
        built_in = _having(field, EVERY_SYSTEM)[0].built_in_rules(field).get(found.name)
        same = built_in is not None and built_in.__module__ == found.module
        known = built_in if built_in is not None and same else _copied(field, stranger) or _constant(field, stranger)
        rules[field] = known or stranger.rule(field)
    return rules


def _copied(field: str, stranger: Stranger) -> Rule | None:
    """The built-in rule of which the file is what `kubeproof fix new` writes; None if there is none."""
    if len(stranger.found) > 1 or len(stranger.source) > _COPY:
        return None
    text = stranger.source.decode("utf-8", "replace")
    built_in = _having(field, EVERY_SYSTEM)[0].built_in_rules(field).values()
    return next((rule for rule in built_in if is_written(field, rule, text)), None)


def _constant(field: str, stranger: Stranger) -> Rule | None:
    """The built-in rule that answers what the file's rule answers, if the rule has no arguments: the two are the same.

    Engines and reductions know the built-in one. None if there is none, or if the file brings a formula.
    """
    if _parameters(field) or f"{field}_smt" in stranger.forms:
        return None
    try:
        wanted = with_notes(stranger.rule(field))
    except RuleError:
        return None  # whoever asks the rule will hear of it
    built_in = _having(field, EVERY_SYSTEM)[0].built_in_rules(field).values()
    return next((rule for rule in built_in if _is_same(with_notes(rule), wanted)), None)


def _is_same(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    return type(one[0]) is type(other[0]) and one == other  # as 1 equals True


def _parameters(field: str) -> list[str]:
    """The names of what a rule is called with."""
    system = _having(field, EVERY_SYSTEM)[0]
    return list(inspect.signature(next(iter(system.built_in_rules(field).values()))).parameters)


def _having(field: str, among: Sequence[System]) -> list[System]:
    return [system for system in among if field in system.rule_fields]


def _fields(among: Sequence[System]) -> list[str]:
    return list(dict.fromkeys(field for system in among for field in system.rule_fields))


def _unknown(field: str, among: Sequence[System]) -> str:
    """An error text: no system of `among` has the rule `field`, and which rules there are."""
    return not_one_of(field, f"rule{_whose(among)}", _fields(among), _listed_by(among))


def _whose(among: Sequence[System]) -> str:
    return f" of {among[0].name}" if len(among) == 1 else ""


def _listed_by(among: Sequence[System]) -> str:
    """The command that lists the rules of `among`."""
    return f"kubeproof list {among[0].name if len(among) == 1 else 'SYSTEM'}"


def apply(system: System, rules: Any, fix: Fix | None) -> Any:
    """`rules` with those of `fix` in their places; rules from a file are guarded."""
    if fix is None:
        return rules
    return evolve(rules, **in_places(fix, rules, lambda _: system))


def in_places(fix: Fix, rules: Any, system_of: Callable[[str], System] | None = None) -> dict[str, Rule]:
    """The rules of `fix` for the fields that `rules` has; those from a file are guarded.

    `system_of`: the system whose built-in rules of a field are meant; None: the first that has the field.
    """
    known = {field.name for field in fields(type(rules))} if system_of is None else set(fix.rules)
    chosen = {field: rule for field, rule in fix.rules.items() if field in known}
    if fix.path is None:
        return chosen
    built_in = {
        field: (_having(field, EVERY_SYSTEM)[0] if system_of is None else system_of(field)).built_in_rules(field)
        for field in chosen
    }
    return {
        field: rule
        if built_in[field].get(getattr(rule, "__name__", "")) is rule
        else guarded(field, rule, returns=returned_by(getattr(rules, field)))
        for field, rule in chosen.items()
    }
