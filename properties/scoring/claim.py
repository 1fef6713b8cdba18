"""A claim about scores, and whether a release keeps the claim.

No run of a system is needed: a claim speaks of one function, for all inputs, or for all inputs of a grid.
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.scheduler.score_weights import ScoreWeightRules
from model.scheduler.scoring import ScoringRules
from model.scheduler.select_host import SelectHostRules


@frozen(slots=False, kw_only=True)
class ScoreRules(ScoringRules, SelectHostRules, ScoreWeightRules):
    """All that releases do differently with scores."""


Verdict = Literal["holds", "violated", "not-applicable"]


@frozen
class Judged:
    """Whether a release keeps a claim."""

    verdict: Verdict
    # `violated`: a smallest case that refutes the claim. `not-applicable`: why. `holds`: for which inputs.
    why: str


@frozen
class Claim:
    """What must hold of scores."""

    name: str
    # In one sentence.
    says: str
    judge: Callable[[ScoreRules], Judged]


def holds(inputs: str) -> Judged:
    return Judged("holds", inputs)


def violated(case: str) -> Judged:
    return Judged("violated", case)
