"""Whether a value from a JSON document has the form of a type: a TypedDict, a class of attrs, or what they are made of.

cattrs does the work. Its own hooks take `5` for a string and a string for a list; those here do not.
"""

from collections.abc import Callable
from typing import Any, TypeVar, get_origin, is_typeddict

import attrs
from cattrs import BaseValidationError, Converter, gen, transform_error
from cattrs.cols import homogenous_tuple_structure_factory, list_structure_factory, mapping_structure_factory
from cattrs.gen import typeddicts

from kubeproof.input.documents import kind_text, value_text

T = TypeVar("T")

# Go's int64. A number of a recording or a state file is one.
_LIMIT = 1 << 63


class _Unexpected(Exception):
    """A value of another kind than the type says."""


def misfit(value: Any, kind: Any) -> str | None:
    """Where and why `value` does not have the form of `kind`, as `pod.uid: expected a string, found a number`."""
    try:
        _CONVERTER.structure(value, kind)
    except _Unexpected as error:
        return str(error)
    except BaseValidationError as error:
        first = transform_error(error, path="", format_exception=_words)[0]
        what, _, place = first.rpartition(" @ ")
        return f"{place.lstrip('.')}: {what}" if place else what
    return None


def structured(value: Any, kind: type[T]) -> T:
    """The value of `kind` that such a value stands for: of what `misfit` finds nothing wrong with."""
    return _CONVERTER.structure(value, kind)


def _words(error: BaseException, kind: type | None) -> str:
    if isinstance(error, KeyError):
        return "missing"
    return str(error)


def _strict(expected: str, fits: Callable[[Any], bool]) -> Callable[[Any, Any], Any]:
    def check(value: Any, _: Any) -> Any:
        if not fits(value):
            raise _Unexpected(f"expected {expected}, found {value_text(value)}")
        return value

    return check


def _only(kind: type, made: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A factory of hooks as `made` has them, which take whatever can be iterated, for values of `kind` alone."""

    def factory(target: Any, converter: Any) -> Callable[[Any, Any], Any]:
        inner = made(target, converter)

        def check(value: Any, _: Any) -> Any:
            if not isinstance(value, kind):
                raise _Unexpected(f"expected {kind_text(kind())}, found {value_text(value)}")
            return inner(value, target)

        return check

    return factory


def _made_of(kind: Any) -> Any:
    return get_origin(kind)


def _converter() -> Converter:
    made = Converter()
    made.register_structure_hook(str, _strict("a string", lambda value: isinstance(value, str)))
    made.register_structure_hook(bool, _strict("true or false", lambda value: isinstance(value, bool)))
    whole = _strict("a whole number of 64 bits", lambda value: type(value) is int and -_LIMIT <= value < _LIMIT)
    made.register_structure_hook(int, whole)
    made.register_structure_hook_factory(lambda kind: _made_of(kind) is list, _only(list, list_structure_factory))
    made.register_structure_hook_factory(lambda kind: _made_of(kind) is dict, _only(dict, mapping_structure_factory))
    made.register_structure_hook_factory(
        lambda kind: _made_of(kind) is tuple, _only(list, homogenous_tuple_structure_factory)
    )
    made.register_structure_hook_factory(is_typeddict, _only(dict, typeddicts.make_dict_structure_fn))
    made.register_structure_hook_factory(attrs.has, _only(dict, gen.make_dict_structure_fn))
    return made


_CONVERTER = _converter()
