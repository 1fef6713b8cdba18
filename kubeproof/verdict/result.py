"""What an engine says of a property: an outcome, and how strongly this outcome was established."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from attrs import Factory, evolve, frozen

from kubeproof.verdict.trace import Trace


class Outcome(StrEnum):
    HOLDS = "holds"
    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not-applicable"


class Strength(StrEnum):
    """How strongly `holds` was established, from the weakest to the strongest.

    A violation needs no strength: the trace of the violation is the proof.
    """

    SAMPLED = "sampled"
    BOUNDED = "bounded"
    EXHAUSTIVE = "exhaustive"
    INDUCTIVE = "inductive"


class Cause(StrEnum):
    """What kept an engine from an answer, where a command has to know. `Result.reason` says more, to a reader."""

    # No state that was looked at meets the premise of the property.
    PREMISE = "premise"
    # The search ended before its end: a limit of time, states or memory, or the user.
    LIMIT = "limit"


@frozen
class Claim:
    """How strongly the outcome `holds` was established."""

    strength: Strength
    # The figures that bound the claim, by name: runs, depth, states, ...
    details: dict[str, Any] = Factory(dict)

    def __str__(self) -> str:
        figures = ", ".join(f"{shown(key)} {value}" for key, value in self.details.items())
        return f"{self.strength} ({figures})" if figures else str(self.strength)


def shown(key: str) -> str:
    """A key of `Claim.details` as people read it: in data it keeps its name."""
    return "environment actions" if key == "powers" else key


@frozen(kw_only=True)
class Result:
    """What one engine says of one property. A count is None where the engine has no such count."""

    # The names of the property and of the engine.
    property: str
    engine: str
    outcome: Outcome
    # Set with `holds`.
    claim: Claim | None = None
    # Why the outcome is inconclusive or not-applicable, and what is needed to go on.
    reason: str | None = None
    # The kind of the reason, if a command asks for it.
    cause: Cause | None = None
    # How many distinct states were explored.
    states: int | None = None
    # How many initial states and successors were generated.
    transitions: int | None = None
    # How many actions the longest of the shortest runs has.
    depth: int | None = None
    seconds: float = 0.0
    # The run that violates the property.
    trace: Trace | None = None
    # Whether no shorter trace exists.
    minimal: bool = False
    # What is wrong, in the words of Kubernetes.
    explanation: str | None = None
    # How often each action was taken, by name; 0 for an action that never was.
    fired: dict[str, int] = Factory(dict)
    # The bounds of the exploration.
    scope: Any | None = None
    # Of a violation the ids of the documented bugs that explain it. None: nobody has looked.
    known: tuple[str, ...] | None = None
    # How a rule of a fix went wrong. Such an error ends the search and says nothing of the property itself.
    rule_error: str | None = None

    def evolve(self, **changes: Any) -> "Result":
        """This result with other values in some fields."""
        return evolve(self, **changes)


NO_PREMISE = "vacuous: no state of this scope meets the property's premise"


class Interrupted(KeyboardInterrupt):
    """The user stopped an engine.

    `results` has what the engine can still say: inconclusive for each property that had no outcome yet.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        super().__init__()
        self.results = list(results)


def exit_status(outcomes: list[Outcome]) -> int:
    """1 if any outcome is violated, else 3 if any is inconclusive, else 0. Not-applicable changes nothing."""
    if Outcome.VIOLATED in outcomes:
        return 1
    return 3 if Outcome.INCONCLUSIVE in outcomes else 0
