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
from kubeproof.systems.system import Rule, System

RULE_SECONDS = 5.0  # a rule is a pure function over a handful of nodes; it takes microseconds


@frozen
class Fix:
    """`rules` by rule field, unguarded; `module` is the file's namespace, for the forms it may bring for Z3."""

    label: str
    rules: dict[str, Rule]
    path: Path | None = None
    module: types.ModuleType | None = None


def named_rules(system: System, choices: Sequence[str]) -> Fix:
    """The fix that chooses built-in rules: `("list_nodes=list_from_reset_cursors",)`. Raises InputError."""
    rules: dict[str, Rule] = {}
    for choice in choices:
        field, _, name = (part.strip() for part in choice.partition("="))
        if field not in system.rule_fields:
            fields = ", ".join(system.rule_fields)
            raise InputError(f"--rule {choice}: {system.name} has no rule '{field}': expected one of {fields}")
        known = system.built_in_rules(field)
        if name not in known:
            raise InputError(f"--rule {choice}: no built-in rule '{name}': expected one of {', '.join(known)}")
        rules[field] = known[name]
    return Fix(", ".join(choices), rules)


def load_fix(system: System, path: Path) -> Fix:
    """The rules that the file at `path` defines. Raises InputError, in one line with file and place.

    A module-level function whose name is a rule field takes that rule's place, and so does an imported one that is
    given such a name; an import under its own name is a helper like all other names.
    """
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
        raise InputError(f"{path}: line {error.lineno}: {error.msg}") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:
        place = _line_in(error, str(path))
        raise InputError(f"{path}: line {place}: {type(error).__name__}: {_one_line(error)}") from None
    rules = {
        field: value
        for field in system.rule_fields
        if callable(value := vars(module).get(field))
        and (getattr(value, "__module__", None) == module.__name__ or getattr(value, "__name__", field) != field)
    }
    if not rules:
        raise InputError(f"{path}: no function that is a rule: expected one of {', '.join(system.rule_fields)}")
    for field, rule in rules.items():
        _check_signature(system, path, field, rule)
    return Fix(path.name, rules, path, module)


def _check_signature(system: System, path: Path, field: str, rule: Rule) -> None:
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
