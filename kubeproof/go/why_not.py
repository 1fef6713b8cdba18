"""Why the kept run of a bug is not played on the real Go code."""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.runs import KeptRun
from kubeproof.go.generated import body_of
from kubeproof.players.player import CannotPlayError
from kubeproof.players.registry import player_of
from model.releases import Release, known_release


def why_not_played(bug: Bug | ComponentBug, release: Release | None = None, run: KeptRun | None = None) -> str:
    """Why no Go test plays the kept run of `bug` on the code of `release`; "" if one can be written.

    `release`: None is that of the bug. `run`: the run, if it is not kept yet.
    """
    if isinstance(bug, ComponentBug):
        return "components show this bug, so that there is no run to play"
    why = _why(bug, release, run)
    if why or release is not None:
        return why
    player = player_of(bug.system)
    if player.releases and all(_why(bug, known_release(each), run) for each in player.releases):
        return f"the run goes in no release whose code the driver {player.driver} plays: {', '.join(player.releases)}"
    return ""


def _why(bug: Bug, release: Release | None, run: KeptRun | None) -> str:
    try:
        body_of(bug, release, "", kept=run)
    except CannotPlayError as error:
        return str(error)
    return ""
