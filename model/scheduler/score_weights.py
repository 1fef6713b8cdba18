"""Which weights of scores a release takes from its configuration, and which it refuses. Pure.

Go: `ValidatePolicy` in pkg/scheduler/apis/config/validation/validation.go (to 1.16 pkg/scheduler/api/validation,
1.22 validation_legacy.go), `validateSelectedConfigs` in pkg/scheduler/algorithm_factory.go (to 1.16
factory/plugins.go), `NewFramework` in framework/v1alpha1/framework.go (1.19 on framework/runtime/framework.go), from
1.23 on `getScoreWeights` there; `validateExtenders` in validation.go.

A KubeSchedulerConfiguration has the weight of a plugin as an int32, which may be negative. A Policy, which is read up
to 1.22, has the weights of priorities, and both have those of extenders, as int64.
"""

from collections.abc import Callable, Sequence

from attrs import frozen

from model.go.integers import MAX_INT64, int32, int64

# What a priority may answer at most, up to 1.16, and MaxCustomPriorityScore: the limit of a priority's weight uses it.
_OLD_MAX_PRIORITY = 10
_TAKES_NO_POLICY = "no Policy is read"


@frozen(slots=False, kw_only=True)
class ScoreWeightRules:
    """What releases do differently."""

    # (the weights of a Policy's priorities) -> why the scheduler does not start with them, or None.
    refuses_priorities: Callable[[Sequence[int]], str | None]
    # (the weight of a priority in a Policy) -> by what the score is multiplied.
    weight_of_priority: Callable[[int], int]
    # (the weights of the score plugins, as they are taken) -> why the scheduler does not start with them, or None.
    refuses_plugins: Callable[[Sequence[int]], str | None]
    # (the weight of an extender with the verb Prioritize) -> why the scheduler does not start with it, or None.
    refuses_extender: Callable[[int], str | None]


def weight_of_plugin(weight: int) -> int:
    """By what the score of a plugin is multiplied: 0 means 1."""
    return weight or 1


def positive(weight: int) -> str | None:
    """All releases: nobody asks how large the weight is."""
    return None if weight > 0 else "must have a positive weight applied to it"


def _outside_of_limits(weights: Sequence[int]) -> str | None:
    if all(0 < weight < MAX_INT64 // _OLD_MAX_PRIORITY for weight in weights):
        return None
    return "should have a positive weight applied to it or it has overflown"


def _sum_overflows(weights: Sequence[int], max_score: int) -> bool:
    """The check of `validateSelectedConfigs` and `NewFramework`, computed in int64 as Go does."""
    total = 0
    for weight in weights:
        most = int64(weight * max_score)
        if most > int64(MAX_INT64 - total):
            return True
        total = int64(total + most)
    return False


def sum_of_tens(weights: Sequence[int]) -> str | None:
    """To 1.16: a priority answers 10 at most, and the sum of weights by 10 must be an int64."""
    refused = _outside_of_limits(weights)
    return refused or ("total priority of priority functions has overflown" if _sum_overflows(weights, 10) else None)


def sum_of_hundreds(weights: Sequence[int]) -> str | None:
    """1.17: a priority answers 100 at most, but the limit of one weight is still that for 10."""
    refused = _outside_of_limits(weights)
    return refused or ("total priority of priority functions has overflown" if _sum_overflows(weights, 100) else None)


def limit_of_each(weights: Sequence[int]) -> str | None:
    """1.18 to 1.22: the sum is checked of the plugins into which the priorities are turned."""
    return _outside_of_limits(weights)


def no_policy(weights: Sequence[int]) -> str | None:
    """1.23 on."""
    return _TAKES_NO_POLICY


def as_in_the_policy(weight: int) -> int:
    """To 1.16."""
    return weight


def cut_to_int32(weight: int) -> int:
    """1.17 on: the weight becomes that of a plugin, an int32. What does not fit wraps around, and 0 means 1."""
    return weight_of_plugin(int32(weight))


def no_score_plugins(weights: Sequence[int]) -> str | None:
    """To 1.15."""
    return "the framework asks no score plugins"


def sum_is_not_checked(weights: Sequence[int]) -> str | None:
    """1.16 and 1.17."""
    return None


def sum_is_checked(weights: Sequence[int]) -> str | None:
    """1.18 on."""
    return "total score of Score plugins could overflow" if _sum_overflows(weights, 100) else None
