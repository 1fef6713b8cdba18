"""What the proofs for every size share: a tree of any number of nodes in which one entry is watched, and obligations.

A zone with m_z nodes is the integer m_z ≥ 1, no bound; how many zones there are is the shape of the formulas. Entry
`index` of the zone `watched`, both arbitrary, is watched: what holds of it holds of each node.
"""

from abc import ABC, abstractmethod
from typing import Any

from attrs import field, frozen
from z3 import And, ArithRef, BoolRef, Int, Or, Sum

from properties.smt.form import Obligation


def zone_sizes(zones: int) -> tuple[ArithRef, ...]:
    """The variables for the number of nodes in each of so many zones."""
    return tuple(Int(f"m[{z}]") for z in range(zones))


@frozen(kw_only=True)
class WatchedTree(ABC):
    """A tree of `len(m)` zones that have `m[z]` nodes; its variables are the same before and after a step."""

    m: tuple[ArithRef, ...]
    watched: ArithRef = field(factory=lambda: Int("watched"))
    index: ArithRef = field(factory=lambda: Int("index"))

    @property
    def zones(self) -> range:
        return range(len(self.m))

    def tree(self) -> BoolRef:
        """No zone is empty, and the watched entry exists."""
        chosen = Or(*(And(self.watched == z, self.index < self.m[z]) for z in self.zones))
        return And(*(size >= 1 for size in self.m), self.index >= 0, chosen)

    def total(self) -> ArithRef:
        """How many nodes there are."""
        return Sum(*self.m)

    @abstractmethod
    def show(self, model: Any) -> str:
        """A model as numbers."""

    def claim(self, name: str, *formulas: BoolRef) -> Obligation:
        """Nothing satisfies `formulas`, which negate what is claimed."""
        return Obligation(self._named(name), lambda: list(formulas), "unsat", self.show)

    def possible(self, name: str, *formulas: BoolRef) -> Obligation:
        """Something satisfies `formulas`: what is claimed of it is not empty."""
        return Obligation(self._named(f"{name} can be"), lambda: list(formulas), "sat", self.show)

    def _named(self, name: str) -> str:
        return f"{len(self.m)} zones: {name}"


def number(model: Any, term: ArithRef) -> int:
    """The value of an integer term in a model; any value where the model leaves it open."""
    return int(model.eval(term, model_completion=True).as_long())
