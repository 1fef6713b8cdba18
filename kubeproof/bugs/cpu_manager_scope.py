"""Which bounds of cpu-manager a bug gives; what it does not give is searched for the smallest scope."""

from attrs import fields

from model.systems.cpu_manager import CPUManagerScope

_SMALLEST = {"cores": 1, "threads": 1, "reserved": 1, "pods": 1, "containers": 1, "size": 1}
_SEARCHED = ("cores", "pods")


def needs(**bounds: int) -> tuple[tuple[str, int], ...]:
    """`bounds`, and for every other bound but cores and pods the smallest machine, pods and power.

    All twenty bounds cannot be searched. A power of the environment is part of what a bug says ("when a container
    restarts"); how many CPUs and pods it takes is what the search finds.
    """
    names = [field.name for field in fields(CPUManagerScope) if field.name in bounds or field.name not in _SEARCHED]
    return tuple((name, bounds.get(name, _SMALLEST.get(name, 0))) for name in names)
