"""Which bounds of scheduling a bug gives; what it does not give is searched for the smallest scope."""

from attrs import fields

from model.systems.scheduling import SchedulingScope

_SMALLEST = {"pods": 1, "nodes": 1, "room": 1, "goroutines": 1}
_SEARCHED = ("pods", "nodes")


def needs(**bounds: int) -> tuple[tuple[str, int], ...]:
    """`bounds`, and for every other bound but pods and nodes the smallest room and no power.

    Nearly thirty bounds cannot be searched. A power of the environment is part of what a bug says ("when a pod is
    deleted"); how many pods and nodes it takes is what the search finds.
    """
    names = [field.name for field in fields(SchedulingScope) if field.name in bounds or field.name not in _SEARCHED]
    return tuple((name, bounds.get(name, _SMALLEST.get(name, 0))) for name in names)
