"""The systems whose runs Go can play."""

from kubeproof.players.api_calls import API_CALLS
from kubeproof.players.async_preemption import ASYNC_PREEMPTION
from kubeproof.players.cpu_manager import CPU_MANAGER
from kubeproof.players.node_listing import NODE_LISTING
from kubeproof.players.player import CannotPlayError, Player
from kubeproof.players.queueing_hints import QUEUEING_HINTS
from kubeproof.players.scheduling import SCHEDULING, SCHEDULING_CYCLE

PLAYERS = {
    player.system: player
    for player in (
        NODE_LISTING, CPU_MANAGER, SCHEDULING, SCHEDULING_CYCLE, QUEUEING_HINTS, ASYNC_PREEMPTION, API_CALLS,
    )
}  # fmt: skip


def player_of(system: str) -> Player:
    """The player of a system's runs. Raises CannotPlayError."""
    if system not in PLAYERS:
        raise CannotPlayError(f"no driver plays runs of {system}")
    return PLAYERS[system]
