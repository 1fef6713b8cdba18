"""The forms of operations that several recorded components have. A key that a form does not name is passed over."""

from typing import TypedDict


class Bare(TypedDict):
    """An operation without arguments, and a config without entries that count."""


class Topology(TypedDict):
    """A machine."""

    # CPU, core, socket and NUMA node of each CPU.
    cpus: list[list[int]]


class Assigned(TypedDict):
    """The CPU sets of a state."""

    default: str
    # Pod -> container -> set.
    assignments: dict[str, dict[str, str]]
