"""Plays recordings of Go's `NewFramework` on `model.scheduler.framework.plugin_sets`: which plugins score, and weights.

All plugins of a case score, and nothing is disabled.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, TypedDict

from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model.releases import Release
from model.scheduler.framework.plugin_sets import SCORE, PluginSet, PluginSetRules, Weighted


class Named(TypedDict):
    """A plugin. A weight of 0 is none."""

    name: str
    weight: int


class Expand(TypedDict):
    """What score and multiPoint name."""

    own: list[Named]
    multi: list[Named]


def _weighted(given: list[Named]) -> tuple[Weighted, ...]:
    return tuple((each["name"], each["weight"]) for each in given)


class PluginSetPlayer:
    """One case: the operations do not depend on one another."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"expand": Expand}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(PluginSetRules, release)

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        own, multi = PluginSet(_weighted(op["own"])), PluginSet(_weighted(op["multi"]))
        return {
            "asked": list(self._rules.expand_multi_point(own.names, multi.names)),
            "weights": self._rules.score_weights({SCORE: own}, (SCORE,), multi.enabled),
        }
