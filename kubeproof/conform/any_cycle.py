"""Plays recordings of whole scheduling cycles of any release whose cycle is modelled."""

from collections.abc import Mapping
from typing import Any, ClassVar

from kubeproof.conform.cycle_calls import CycleCallsPlayer
from kubeproof.conform.cycle_calls_1_17 import CycleCalls117Player
from kubeproof.conform.operations import NotCovered
from model.releases import MINORS, Release, has_rules
from model.scheduler.scheduling_cycle import CycleCallRules


class AnyCyclePlayer:
    """One case: a scheduler of 1.17, or of 1.19 on."""

    # The recordings of whole cycles of the real code end here. From 1.32 on Done comes at another place.
    MINORS: ClassVar[range] = MINORS
    CONFIG: ClassVar[type] = CycleCallsPlayer.CONFIG
    OPERATIONS: ClassVar[Mapping[str, type]] = CycleCallsPlayer.OPERATIONS

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        is_1_17 = release.minor == 17 and release.version.pre is None
        if not is_1_17 and not has_rules(CycleCallRules, release):
            raise NotCovered("whole cycles are modelled of 1.17.0 to 1.17.17, and from 1.19 on")
        player = CycleCalls117Player if is_1_17 else CycleCallsPlayer
        self._player = player(release, config)

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        return self._player.play(op)

    def agrees(self, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
        return self._player.agrees(op, expected, got)
