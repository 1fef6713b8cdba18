"""How values travel between kubeproof and the process of a fix.

What kubeproof sends is its own data, and is pickled. What comes back is a stranger's, so it is inert: JSON, of which
`reading.py` builds plain values and records of the model. Nothing in it runs code, and its size is bounded.

A JSON list is a tuple. An object has one key, the kind of the value, and a list of its parts:
{"frozenset": [0, 1]}, {"model.objects.Node": ["n1", "z1"]}, {"function": ["model.scheduler.cache.node_tree.add_node"]}.

A function that has no name in the model, such as the lister that a rule is given, travels as its number in the call;
whoever has the number calls back. A rule of the fix travels as the name of its field.
"""

import io
import json
import pickle
import re
import socket
import sys
from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache, partial
from importlib import import_module
from time import monotonic
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import attrs

from model.variables import Places, Variable

FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial, type(cache(len)))
# What results are made of. `kubeproof.verdict`: what Z3 says of a formula that the fix brings.
_PACKAGES = ("model.", "kubeproof.verdict.")
_NAME = re.compile(r"(model|kubeproof\.verdict)(\.[a-z0-9_]+)+\.\w+", re.ASCII)
SCALARS = frozenset((type(None), bool, int, float, str))


class NotSent(Exception):
    """A value that cannot travel. The text says what it is."""


class Pipe:
    """One end of a socket. A message is its length in 4 bytes, and as many bytes."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._timeout: float | None = None
        # What has come of the next message.
        self._come = bytearray()

    def send(self, data: bytes, until: float | None = None) -> None:
        """Raises TimeoutError if the other end does not take it `until` this moment, OSError if there is none."""
        self._limit(until)
        self.end.sendall(len(data).to_bytes(4, "big") + data)

    def receive(self, most: int | None = None, until: float | None = None) -> bytes:
        """Raises TimeoutError, EOFError if the other end is closed, NotSent if it sends more than `most` bytes."""
        size = int.from_bytes(self._bytes(4, until), "big")
        if most is not None and size > most:
            raise NotSent(f"more than {most >> 10} KiB")
        return self._bytes(size, until)

    def _bytes(self, size: int, until: float | None) -> bytes:
        while len(self._come) < size:
            self._limit(until)
            part = self.end.recv(1 << 16)
            if not part:
                raise EOFError
            self._come += part
        found = bytes(self._come[:size])
        del self._come[:size]
        return found

    def _limit(self, until: float | None) -> None:
        left = None if until is None else max(1e-3, until - monotonic())
        # Each change is a call of the system, so a limit that is right to a tenth of a second stays.
        if left is None or self._timeout is None or not left - 0.1 <= self._timeout <= left + 0.1:
            self.end.settimeout(left)
            self._timeout = left


def has_name(function: Any) -> bool:
    """Whether the other process finds `function` by its name: a function at the top level of a module of the model."""
    module, name = getattr(function, "__module__", None) or "", _name_of(function)
    if not module.startswith(_PACKAGES) or module not in sys.modules:
        return False
    return getattr(sys.modules[module], name, None) is function


def _name_of(function: Any) -> str:
    return str(getattr(function, "__qualname__", ""))


class Given:
    """A function that a rule was given, in the process of the fix. It may be called until the rule returns."""

    def __init__(self, ask: Callable[[int, int, tuple[Any, ...]], Any], call: int, number: int) -> None:
        self._ask, self._call = ask, call
        # Its number among the functions that this call was given.
        self.number = number

    def __call__(self, *args: Any) -> Any:
        return self._ask(self._call, self.number, args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Given) and (self._call, self.number) == (other._call, other.number)

    def __hash__(self) -> int:
        return hash((self._call, self.number))


def _of_number(kind: str, number: Any) -> Any:
    """Stands in a message for what the receiver makes of the number of a function."""
    raise AssertionError("it is named in messages, and never called")


class _Sender(pickle.Pickler):
    def __init__(self, file: io.BytesIO, to_number: Callable[[Any], tuple[str, Any]]) -> None:
        super().__init__(file, protocol=5)
        self._to_number = to_number

    # Asked of records and functions alone. `persistent_id` is asked of each text and each number too.
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FUNCTIONS) and value is not _of_number and not has_name(value):
            return _of_number, self._to_number(value)
        return NotImplemented


class _Receiver(pickle.Unpickler):
    def __init__(self, data: bytes, of_number: Callable[[str, Any], Any]) -> None:
        super().__init__(io.BytesIO(data))
        self._of_number = of_number

    def find_class(self, module: str, name: str) -> Any:
        return (
            self._of_number if (module, name) == (__name__, _of_number.__name__) else super().find_class(module, name)
        )


def pickled(value: Any, to_number: Callable[[Any], tuple[str, Any]]) -> bytes:
    """What kubeproof sends to the process of a fix. `to_number` says what stands for a function that has no name."""
    file = io.BytesIO()
    _Sender(file, to_number).dump(value)
    return file.getvalue()


def unpickled(data: bytes, of_number: Callable[[str, Any], Any]) -> Any:
    """The value that kubeproof sent, in the process of the fix."""
    return _Receiver(data, of_number).load()


def written(value: Any, to_number: Callable[[Any], tuple[str, Any]]) -> bytes:
    """What the process of a fix sends to kubeproof. Raises NotSent for what `kubeproof.fix.reading` would not read."""

    def parts(values: Any) -> list[Any]:
        return [each if type(each) in SCALARS else plain(each) for each in values]

    def plain(value: Any) -> Any:
        kind: Any = type(value)
        if kind in SCALARS:
            return value
        if kind is tuple:
            return parts(value)
        if kind is dict:
            return {"dict": parts(value.items())}
        if kind in (list, set, frozenset):
            return {kind.__name__: parts(value)}
        if kind is range:
            return {"range": [value.start, value.stop, value.step]}
        if kind is Given:
            return {"given": [value.number]}
        if isinstance(value, FUNCTIONS):
            if has_name(value):
                return {"function": [f"{value.__module__}.{_name_of(value)}"]}
            name, of = to_number(value)
            return {name: [of]}
        name, fields = _sent_as(kind)
        if isinstance(value, Enum):
            return {name: [value.value]}
        return {name: parts(value if isinstance(value, tuple) else [getattr(value, field) for field in fields])}

    try:
        return json.dumps(plain(value), separators=(",", ":"), allow_nan=False, check_circular=False).encode()
    except NotSent:
        raise
    except Exception as error:
        raise NotSent(f"a value that cannot be copied: {' '.join(str(error).split())[:200]}") from None


@lru_cache(maxsize=1024)
def _sent_as(kind: type[Any]) -> tuple[str, list[str]]:
    """The name of a class of the model, and the fields of which a record of it is made. Raises NotSent."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if record_named(name) is not kind:
        raise NotSent(f"a value of the class {name}, which is no record of the model")
    return name, made_of(kind) if attrs.has(kind) else []


@lru_cache(maxsize=4096)
def record_named(name: str) -> type[Any] | None:
    """The class of the model that is called `name` and whose values may travel: a record, an enum or a variable."""
    found = _named(name)
    if not isinstance(found, type) or f"{found.__module__}.{found.__qualname__}" != name or found.__hash__ is None:
        return None
    return found if attrs.has(found) or issubclass(found, Enum | Variable | Places) else None


@lru_cache(maxsize=1024)
def function_named(name: str) -> Callable[..., Any] | None:
    """The function of the model that is called `name`."""
    found = _named(name)
    return found if isinstance(found, FUNCTIONS) and has_name(found) else None


def _named(name: str) -> Any:
    """What has this name at the top level of a module of the model; None if there is nothing."""
    if not _NAME.fullmatch(name):
        return None
    module, _, own = name.rpartition(".")
    try:
        return vars(import_module(module)).get(own)
    except ImportError:
        return None


def made_of(record: type[Any]) -> list[str]:
    """The fields that the constructor of a record takes."""
    return [field.name for field in attrs.fields(record) if field.init]
