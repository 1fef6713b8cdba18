"""A proposed fix: a Python file, or built-in rules by name, that take the place of a release's rules.

The file's functions are the caller's own code and run in this process, as `pytest` runs a conftest. They are
guarded: a rule that raises, does not return in time, or returns something of another shape is a `RuleError`.
"""

import inspect
import signal
import threading
import types
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from kubeproof.errors import InputError, RuleError
from kubeproof.fix.rule_results import returned_by, wrong_result
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import Rule, System

RULE_SECONDS = 5.0  # a rule is a pure function over a handful of nodes; it takes microseconds


EVERY_SYSTEM = tuple(SYSTEMS.values())


@frozen
class Fix:
    """What takes the place of a release's rules. A field has the same rules in every system that has the field."""

    # How the fix is named to people: its file, and the built-in rules that were chosen.
    label: str
    # The functions by rule field, unguarded.
    rules: dict[str, Rule]
    # The file, or None if all rules are built-in ones.
    path: Path | None = None
    # The namespace of the file, which may bring more: `CURES`, and forms for Z3.
    module: types.ModuleType | None = None
    # The built-in rules that were chosen, as `--rule` takes them.
    choices: tuple[str, ...] = ()

    @property
    def cures(self) -> Any | None:
        """What the file names as CURES, unchecked, or None."""
        return vars(self.module).get("CURES") if self.module is not None else None


def chosen_fix(path: Path | None, choices: Sequence[str], among: Sequence[System] = EVERY_SYSTEM) -> Fix | None:
    """The fix that the file at `path` and the built-in rules `choices` ("NAME=RULE") make together, or None.

    The file is executed here, and nowhere else. `among`: the systems that are asked about. Raises InputError.
    """
    named = named_rules(choices, among)
    if path is None:
        return named if choices else None
    loaded = load_fix(path, among)
    both = sorted(set(loaded.rules) & set(named.rules))
    if both:
        raise InputError(f"--rule {both[0]}=...: {path} defines {both[0]} too: expected one of the two")
    label = ", ".join(part for part in (loaded.label, named.label) if part)
    return Fix(label, {**loaded.rules, **named.rules}, loaded.path, loaded.module, named.choices)


def systems_with(fix: Fix, among: Sequence[System] = EVERY_SYSTEM) -> tuple[System, ...]:
    """The systems of `among` that have all rules of `fix`. Raises InputError if there is none."""
    found = tuple(system for system in among if set(fix.rules) <= set(system.rule_fields))
    if found:
        return found
    if len(among) == 1:
        missing = next(field for field in fix.rules if field not in among[0].rule_fields)
        raise InputError(f"{fix.label}: {_unknown(missing, among)}")
    rules = ", ".join(f"{field} (of {', '.join(s.name for s in _having(field, among))})" for field in fix.rules)
    raise InputError(f"{fix.label}: no system has all of these rules: {rules}: expected rules of one system")


def systems_asked(names: Sequence[str], fix: Fix | None) -> tuple[System, ...]:
    """The systems of these `names`; without names all that have the rules of `fix`.

    Raises InputError for a name that no system has, and for a named system that lacks a rule of `fix`.
    """
    named = tuple({system.name: system for system in map(system_named, names)}.values())
    if fix is None:
        return named or EVERY_SYSTEM
    return tuple(found for system in named for found in systems_with(fix, [system])) or systems_with(fix)


def named_rules(choices: Sequence[str], among: Sequence[System] = EVERY_SYSTEM) -> Fix:
    """The fix that chooses built-in rules: `("list_nodes=list_from_reset_cursors",)`. Raises InputError."""
    rules: dict[str, Rule] = {}
    for choice in choices:
        field, _, name = (part.strip() for part in choice.partition("="))
        having = _having(field, among)
        if not having:
            raise InputError(f"--rule {choice}: {_unknown(field, among)}")
        known = {name: rule for system in having for name, rule in system.built_in_rules(field).items()}
        if name not in known:
            raise InputError(f"--rule {choice}: '{name}' is not a built-in rule: expected one of {', '.join(known)}")
        rules[field] = known[name]
    return Fix(", ".join(choices), rules, choices=tuple(choices))


def load_fix(path: Path, among: Sequence[System] = EVERY_SYSTEM) -> Fix:
    """The rules that the file at `path` defines. Raises InputError, in one line with file and place.

    A module-level function whose name is a rule field of any system takes that rule's place, and so does an imported
    one that is given such a name; an import under its own name is a helper like all other names. `among`: the systems
    whose rules an error names.
    """
    module = _executed(path)
    rules = {
        field: value
        for field in _fields(EVERY_SYSTEM)
        if callable(value := vars(module).get(field))
        and (getattr(value, "__module__", None) == module.__name__ or getattr(value, "__name__", field) != field)
    }
    if not rules:
        raise InputError(f"{path}: no function that is a rule: expected one of {', '.join(_fields(among))}")
    for field, rule in rules.items():
        _check_signature(path, field, rule)
    return Fix(path.name, rules, path, module)


def _executed(path: Path) -> types.ModuleType:
    """The namespace that the file at `path` makes. Raises InputError."""
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}: expected a Python file with a rule") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text: expected a Python file with a rule") from None
    module = types.ModuleType(path.stem.replace("-", "_"))
    module.__file__ = str(path)
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise InputError(f"{path}: line {error.lineno}: not Python: {error.msg}") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:
        place = _line_in(error, str(path))
        raise InputError(f"{path}: line {place}: {type(error).__name__}: {_one_line(error)}") from None
    return module


def _having(field: str, among: Sequence[System]) -> list[System]:
    return [system for system in among if field in system.rule_fields]


def _fields(among: Sequence[System]) -> list[str]:
    return list(dict.fromkeys(field for system in among for field in system.rule_fields))


def _unknown(field: str, among: Sequence[System]) -> str:
    """An error text: no system of `among` has the rule `field`, and which rules there are."""
    whose = f" of {among[0].name}" if len(among) == 1 else ""
    return f"'{field}' is not a rule{whose}: expected one of {', '.join(_fields(among))}"


def _check_signature(path: Path, field: str, rule: Rule) -> None:
    system = _having(field, EVERY_SYSTEM)[0]
    wanted = inspect.signature(next(iter(system.built_in_rules(field).values())))
    try:
        inspect.signature(rule).bind(*wanted.parameters)
    except ValueError:
        return  # a builtin without a signature: the first call tells
    except TypeError as error:
        code = getattr(rule, "__code__", None)
        place = f"line {code.co_firstlineno}: " if code else ""
        names = ", ".join(wanted.parameters)
        raise InputError(f"{path}: {place}{field} is called as {field}({names}): {error}") from None


def _line_in(error: BaseException, file: str) -> int | str:
    line: int | str = "?"
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def apply(system: System, rules: Any, fix: Fix | None) -> Any:
    """`rules` with those of `fix` in their places; rules from a file are guarded."""
    if fix is None:
        return rules
    chosen = fix.rules
    if fix.path is not None:
        built_in = {field: system.built_in_rules(field) for field in chosen}
        chosen = {
            field: rule
            if built_in[field].get(getattr(rule, "__name__", "")) is rule
            else guarded(field, rule, returns=returned_by(getattr(rules, field)))
            for field, rule in chosen.items()
        }
    return evolve(rules, **chosen)


def guarded(field: str, rule: Rule, seconds: float = RULE_SECONDS, returns: Any = Any) -> Rule:
    """`rule` so that whatever goes wrong in it is a RuleError that names `field`.

    `returns`: the annotation of what the rule must return, in whose place it is.
    """

    @wraps(rule)
    def call(*args: Any) -> Any:
        try:
            with_result = _within(seconds, lambda: rule(*args))
        except _TooLong:
            raise RuleError(f"{field} did not return within {seconds:g} seconds") from None
        except (Exception, SystemExit) as error:
            raise RuleError(f"{field} raised {type(error).__name__}: {_one_line(error)}") from None
        wrong = wrong_result(field, returns, with_result, args)
        if wrong:
            raise RuleError(f"{field} must return {wrong}")
        return with_result

    return call


class _TooLong(BaseException):
    """The alarm rang inside a rule. No Exception, so that a rule's own `except Exception` does not swallow it."""


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """`call()`, interrupted after `seconds` where the platform can: the main thread of a POSIX process."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return call()

    def ring(signum: int, frame: types.FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    # It rings again and again: a rule that swallows the first alarm does not escape the second.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)
    try:
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
