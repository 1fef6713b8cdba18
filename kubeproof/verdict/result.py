"""What an engine says of a property: an outcome, and how strongly it was established."""

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
    """From weakest to strongest. A violation needs no strength: its trace is the proof."""

    SAMPLED = "sampled"
    BOUNDED = "bounded"
    EXHAUSTIVE = "exhaustive"
    INDUCTIVE = "inductive"


@frozen
class Claim:
    """How strongly an outcome was established; `details` are the figures that bound it (runs, depth, query ...)."""

    strength: Strength
    details: dict[str, Any] = Factory(dict)

    def __str__(self) -> str:
        figures = ", ".join(f"{key} {value}" for key, value in self.details.items())
        return f"{self.strength} ({figures})" if figures else str(self.strength)


@frozen(kw_only=True)
class Result:
    """One property, one engine.

    `states`, `transitions` and `depth` count what was explored until the verdict: distinct states, generated
    successors with the initial states, and actions on the longest of the shortest runs; None where an engine has no
    such count. `fired` counts how often each action was taken, with 0 for those that never were. `reason` says why
    a result is inconclusive or not applicable, and what is needed to go on. `minimal`: no shorter trace exists.
    `scope` has the bounds of the exploration. `rule_error`: how a rule of a fix went
    wrong, which ended the search and says nothing of the property itself.
    """

    property: str
    engine: str
    outcome: Outcome
    claim: Claim | None = None
    reason: str | None = None
    states: int | None = None
    transitions: int | None = None
    depth: int | None = None
    seconds: float = 0.0
    trace: Trace | None = None
    minimal: bool = False
    explanation: str | None = None
    fired: dict[str, int] = Factory(dict)
    scope: Any | None = None
    rule_error: str | None = None

    def evolve(self, **changes: Any) -> "Result":
        """This result with other values in some fields."""
        return evolve(self, **changes)


NO_PREMISE = "no state of this scope meets the property's premise"


class Interrupted(KeyboardInterrupt):
    """The user stopped an engine; `results` are what it can say all the same, inconclusive where it was under way."""

    def __init__(self, results: Sequence[Result]) -> None:
        super().__init__()
        self.results = list(results)


def exit_status(outcomes: list[Outcome]) -> int:
    """1 when anything is violated, else 3 when anything is inconclusive, else 0; not-applicable changes nothing."""
    if Outcome.VIOLATED in outcomes:
        return 1
    return 3 if Outcome.INCONCLUSIVE in outcomes else 0
