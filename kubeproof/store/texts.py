"""Values as texts that are the same in every process: a `repr` has sets in any order, and functions with addresses."""

import json
from collections.abc import Mapping
from enum import Enum
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from attrs import Factory, define, fields, has
from packaging.version import Version

from kubeproof.definitions import Definitions, definition_of

# The packages whose definitions are read.
PACKAGES = ("model", "properties", "kubeproof")


def digest_of(*texts: str) -> str:
    """Tells these texts, in this order, from any others."""
    return sha256(json.dumps(texts).encode()).hexdigest()[:32]


def digest_of_bytes(content: bytes) -> str:
    """Tells the content of a file from any other."""
    return sha256(content).hexdigest()[:32]


def text_of(value: Any) -> str:
    """A text that tells `value` from any other value. Raises TypeError for what has no such text, as a function."""
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return [type(value).__name__, value.name]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, frozenset | set):
        return ["set", *sorted(text_of(each) for each in value)]
    if isinstance(value, Mapping):
        return ["mapping", *([_plain(key), _plain(each)] for key, each in value.items())]
    if has(type(value)):
        return [definition_of(value), *([f.name, _plain(getattr(value, f.name))] for f in fields(type(value)))]
    if isinstance(value, Version | Path):
        return str(value)
    raise TypeError(f"{value!r} has no text of its own: expected what is made of attrs classes, tuples and texts")


@define
class Code:
    """The code that some values lead to, and what else tells them from other values."""

    definitions: Definitions
    # The definitions that the functions among the values are part of.
    named: set[str] = Factory(set)
    # What no definition says: data, and the code of lambdas.
    texts: list[str] = Factory(list)

    def add(self, value: Any) -> None:
        """Take in a function, or a value with functions in it."""
        if isinstance(value, partial):
            self.add((value.func, *value.args, *sorted(value.keywords.items())))
        elif isinstance(value, tuple | list):
            self.texts.append(f"{len(value)} values")
            for each in value:
                self.add(each)
        elif has(type(value)):
            self.named.add(definition_of(value))
            for field in fields(type(value)):
                self.add(getattr(value, field.name))
        elif isinstance(value, FunctionType) and ("<" in value.__qualname__ or value.__closure__):
            self._add_inner(value)
        elif isinstance(value, type | FunctionType):
            self.texts.append(value.__qualname__)
            self.named.add(definition_of(value))
        else:
            self.texts.append(text_of(value))

    def _add_inner(self, function: FunctionType) -> None:
        """A lambda, or a function that another one made: its code, what it holds, and what of ours it names."""
        code = function.__code__
        self.texts.append(json.dumps(_code(code)))
        self.add([cell.cell_contents for cell in function.__closure__ or ()])
        self.add([*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())])
        around = [name for name in self.definitions if name.startswith(f"{function.__module__}:")]
        around = [name for name in around if any(_spans(node, code.co_firstlineno) for node in self._nodes(name))]
        names = _names(code)
        inside = {name for name in names if name in function.__globals__}
        for each in around:
            meant = {name for name in self.definitions.named[each] if name.rpartition(":")[2] in {*names, "*"}}
            # A name that means something under another name there: all that the statement around it names counts.
            found = {name.rpartition(":")[2] for name in meant}
            every = any(name not in found and _is_ours(function.__globals__[name]) for name in inside)
            self.named |= self.definitions.named[each] if every else meant

    def _nodes(self, name: str) -> list[Any]:
        return self.definitions.nodes(name)


def _is_ours(value: Any) -> bool:
    return isinstance(value, type | FunctionType) and value.__module__.partition(".")[0] in (
        "model",
        "properties",
        "kubeproof",
    )


def _spans(node: Any, line: int) -> bool:
    return bool(getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or 0))


def _code(code: CodeType) -> Any:
    inner = [_code(each) if isinstance(each, CodeType) else _constant(each) for each in code.co_consts]
    return [code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, inner]


def _constant(value: Any) -> Any:
    return repr(value) if isinstance(value, bytes | complex) or value is ... else _plain(value)


def _names(code: CodeType) -> set[str]:
    return set(code.co_names).union(*(_names(each) for each in code.co_consts if isinstance(each, CodeType)))
