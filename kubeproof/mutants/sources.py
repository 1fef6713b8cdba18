"""The text of a rule. Knows nothing of how rules are changed."""

import inspect
import sys
from collections.abc import Callable
from hashlib import sha256
from textwrap import dedent
from types import CodeType, FunctionType
from typing import Any

Rule = Callable[..., Any]
# What `digest_of` watches, in the words of the report and of `--help`.
WATCHED = (
    "What was found out about a rule counts as long as the text of the rule, and of the private functions of its "
    "module that the rule calls, stays the same. If a public function that it calls, a property or a scope changes, "
    "nothing is judged again."
)


def sources_of(rule: Rule) -> dict[str, str]:
    """The text of `rule` and of the private functions that it calls, by name; {} if it is no function of a module."""
    named = sys.modules.get(rule.__module__)
    if not isinstance(rule, FunctionType) or named is None or vars(named).get(rule.__name__) is not rule:
        return {}
    return {function.__name__: dedent(inspect.getsource(function)) for function in _with_helpers(rule)}


def digest_of(rule: Rule) -> str:
    """A digest of the text of a rule and of the private functions that the rule calls."""
    return digest("\n".join(text for _, text in sorted(sources_of(rule).items())))


def digest(text: str) -> str:
    """Tells `text` from any other."""
    return sha256(text.encode()).hexdigest()[:16]


def _with_helpers(rule: FunctionType) -> list[FunctionType]:
    """The rule, and the private functions of its module that it calls."""
    found, left = [rule], [rule]
    own = {name: f for name, f in rule.__globals__.items() if isinstance(f, FunctionType) and name.startswith("_")}
    while left:
        for name in sorted(_names(left.pop().__code__)):
            helper = own.get(name)
            if helper is not None and helper.__module__ == rule.__module__ and helper not in found:
                found.append(helper)
                left.append(helper)
    return found


def _names(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*(_names(each) for each in inner))
