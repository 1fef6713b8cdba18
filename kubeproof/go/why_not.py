"""Why the kept run of a bug is not played on the real Go code."""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.go.generated import go_test_file
from kubeproof.go.players.player import CannotPlayError
from kubeproof.go.players.registry import player_of
from kubeproof.go.queue_runs import SYSTEM as QUEUEING_HINTS, why_no_test
from model.releases import Release, known_release


def why_not_played(bug: Bug | ComponentBug, release: Release | None = None) -> str:
    """Why no Go test plays the kept run of `bug` on the code of `release`; "" if one can be written.

    `release`: None is that of the bug.
    """
    if isinstance(bug, ComponentBug):
        return "components show this bug, so that there is no run to play"
    if bug.system == QUEUEING_HINTS:
        return why_no_test(bug)
    why = _why(bug, release)
    if why or release is not None:
        return why
    player = player_of(bug.system)
    if player.releases and all(_why(bug, known_release(each)) for each in player.releases):
        return f"the run goes in no release whose code the driver {player.driver} plays: {', '.join(player.releases)}"
    return ""


def _why(bug: Bug, release: Release | None) -> str:
    try:
        go_test_file(bug, release, "", "")
    except CannotPlayError as error:
        return str(error)
    return ""
