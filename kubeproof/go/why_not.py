"""Why the kept run of a bug is not played on the real Go code."""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.go.generated import go_test_file
from kubeproof.go.players.player import CannotPlayError
from kubeproof.go.queue_runs import SYSTEM as QUEUEING_HINTS, why_no_test
from model.releases import Release


def why_not_played(bug: Bug | ComponentBug, release: Release | None = None) -> str:
    """Why no Go test plays the kept run of `bug` on the code of `release`; "" if one can be written.

    `release`: None is that of the bug.
    """
    if isinstance(bug, ComponentBug):
        return "components show this bug, so that there is no run to play"
    if bug.system == QUEUEING_HINTS:
        return why_no_test(bug)
    try:
        go_test_file(bug, release, "", "")
    except CannotPlayError as error:
        return str(error)
    return ""
