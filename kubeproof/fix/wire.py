"""How values travel between kubeproof and the process of a fix: pickled, functions by name or by number.

Nothing that comes from the process of a fix may run code here, so only classes and functions of the model are found.
A function that has no name there, such as the lister that a rule is given, travels as its number in the call; whoever
has the number calls back. A rule of the fix travels as the name of its field.
"""

import io
import pickle
import sys
from collections.abc import Callable
from enum import Enum
from functools import cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, partial, type(cache(len)))
# What results are made of. `kubeproof.verdict`: what Z3 says of a formula that the fix brings.
_PACKAGES = ("model.", "kubeproof.verdict.")
_BUILTINS = frozenset({"range", "set", "frozenset", "bytearray", "complex"})


class NotSent(Exception):
    """A value that cannot travel. The text says what it is."""


def has_name(function: Any) -> bool:
    """Whether the other process finds `function` by its name: a function at the top level of a module of the model."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
    if not module.startswith(_PACKAGES) or module not in sys.modules:
        return False
    return getattr(sys.modules[module], name, None) is function


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


class _Sender(pickle.Pickler):
    def __init__(self, file: io.BytesIO, to_number: Callable[[Any], tuple[str, Any]]) -> None:
        super().__init__(file, protocol=5)
        self._to_number = to_number

    def persistent_id(self, value: Any) -> tuple[str, Any] | None:
        if isinstance(value, FUNCTIONS) and not has_name(value):
            return self._to_number(value)
        if isinstance(value, Given):
            return "given", value.number
        return None

    def reducer_override(self, value: Any) -> Any:
        # To 3.11.3 Python itself has a member of an enum travel as a call of `getattr`, which may not travel.
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


class _Receiver(pickle.Unpickler):
    def __init__(self, data: bytes, of_number: Callable[[tuple[str, Any]], Any]) -> None:
        super().__init__(io.BytesIO(data))
        self._of_number = of_number

    def persistent_load(self, number: Any) -> Any:
        return self._of_number(number)


class _CarefulReceiver(_Receiver):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _BUILTINS:
            return super().find_class(module, name)
        if module.startswith(_PACKAGES) and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, (type, *FUNCTIONS)) and found.__module__.startswith(_PACKAGES):
                return found
        raise NotSent(f"a value of its own class {module}.{name}")


def sent(value: Any, to_number: Callable[[Any], tuple[str, Any]]) -> bytes:
    """`value` as bytes. `to_number` names a function that has no name. Raises NotSent."""
    file = io.BytesIO()
    try:
        _Sender(file, to_number).dump(value)
    except NotSent:
        raise
    except Exception as error:
        raise NotSent(f"a value that cannot be copied: {' '.join(str(error).split())[:200]}") from None
    return file.getvalue()


def received(data: bytes, of_number: Callable[[tuple[str, Any]], Any], *, trusted: bool) -> Any:
    """The value of `data`. Raises NotSent for what `sent` does not make, and for classes that may not travel."""
    try:
        return (_Receiver if trusted else _CarefulReceiver)(data, of_number).load()
    except NotSent:
        raise
    except Exception as error:
        raise NotSent(f"a value that cannot be read: {' '.join(str(error).split())[:200]}") from None
