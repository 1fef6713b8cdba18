"""For any number of priorities or plugins: weights that are admitted have a sum of highest scores that is an int64.

Go: the check `weight*MaxNodeScore > MaxTotalScore-totalPriority` of `validateSelectedConfigs` (to 1.17) and of
`NewFramework` and `getScoreWeights` (1.18 on), computed in int64 as Go does. The weights are positive: a negative one,
which a KubeSchedulerConfiguration may have, makes `totalPriority` less, so that the check refuses less.
"""

from attrs import frozen
from z3 import And, ArithRef, BoolRef, BoolVal, Int, Not

from model.go.integers import MAX_INT32, MAX_INT64
from model.scheduler import score_weights
from properties.forms import Forms
from properties.smt.scheduling_cycle.argument import Argument, Claim, CycleStep, Lemma

NO_OVERFLOW = "admitted-weights-do-not-overflow"


@frozen
class Check:
    """What a release checks of each weight."""

    # The highest score that is counted.
    score: int
    # The weight is below that.
    below: int


PLUGINS = Forms("refuses_plugins", {score_weights.sum_is_checked: Check(100, MAX_INT32 + 1)})


@frozen
class Summing:
    """After some weights."""

    # totalPriority as Go has it, and the sum as a number of any size.
    total: ArithRef
    exact: ArithRef
    # The last weight.
    weight: ArithRef

    @classmethod
    def of(cls, tag: str) -> "Summing":
        """Fresh variables."""
        return cls(Int("total" + tag), Int("exact" + tag), Int("weight" + tag))


def _int64(number: ArithRef) -> ArithRef:
    return (number + 2**63) % 2**64 - 2**63


def argument(check: Check) -> Argument[Summing]:
    """That no sum of admitted weights overflows."""

    def admits(now: Summing, then: Summing) -> BoolRef:
        most = _int64(then.weight * check.score)
        return And(
            then.weight > 0,
            then.weight < check.below,
            Not(most > _int64(MAX_INT64 - now.total)),
            then.total == _int64(now.total + most),
            then.exact == now.exact + then.weight * check.score,
        )

    return Argument(
        name="the sum of weights",
        state=Summing.of,
        start=lambda now: And(now.total == 0, now.exact == 0),
        steps=(CycleStep("a weight is admitted", admits),),
        lemmas=(
            Lemma(
                "The total is the sum, and an int64.",
                lambda now: And(now.total == now.exact, now.exact >= 0, now.exact <= MAX_INT64),
            ),
        ),
        claims=(
            Claim(NO_OVERFLOW, "what is left for the sum is never less than 0", lambda now: now.exact > MAX_INT64),
        ),
        small=lambda now, size: BoolVal(True),
        details={"weights": "any number"},
    )
