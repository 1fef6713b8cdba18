"""Words of Go: literals, names, calls."""

import json


def literal(value: object) -> str:
    """A value as Go writes it: a text, a number, or a truth value.

    >>> literal("p1"), literal(2), literal(True)
    ('"p1"', '2', 'true')
    """
    return json.dumps(value, ensure_ascii=False)


def camel(name: str) -> str:
    """
    >>> camel("reconcile_state")
    'reconcileState'
    """
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def call(function: str, *arguments: object) -> str:
    """A call of a method of `k`.

    >>> call("allocate", "p1", "a0")
    'k.allocate("p1", "a0")'
    """
    return f"k.{camel(function)}({', '.join(map(literal, arguments))})"
