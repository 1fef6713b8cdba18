"""The Go tests that play kept runs of queueing-hints: formatted, complete, and refused with a reason."""

from pathlib import Path

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.go.further_tests import go_test_of
from kubeproof.go.generated import go_test_file, played_run, why_not_played
from kubeproof.players.player import CannotPlayError
from kubeproof.players.queueing_hints import QUEUEING_HINTS
from model.releases import known_release
from tests.kubeproof.go.test_drivers import gofmt

HINTS = [bug for bug in BUGS if bug.system == "queueing-hints"]


def written(bug: Bug, release: str) -> str:
    return go_test_file(go_test_of(bug), known_release(release), "scheduler", "")


@pytest.mark.slow
def test_every_test_is_as_gofmt_writes_it_and_takes_each_action(tmp_path: Path) -> None:
    """What cannot be played in any release says why; nothing else is left out."""
    for bug in HINTS:
        releases = []
        for release in QUEUEING_HINTS.releases:
            try:
                text = written(bug, release)
            except CannotPlayError:
                continue
            releases.append(release)
            (tmp_path / f"{bug.folder}_{release}.go").write_text(text)
            assert text.count("\tk.do(") == played_run(go_test_of(bug), known_release(release)).trace.length
            assert "hints: true" in text
        assert bool(releases) is not bool(why_not_played(bug))
    assert gofmt(*sorted(tmp_path.glob("*.go"))) == ""
    reasons = {bug.id: why_not_played(bug) for bug in HINTS if why_not_played(bug)}
    assert reasons.keys() == {
        "QH-BINDFAIL-FALLTHROUGH",
        "QH-NO-BROADCAST",
        "QH-POP-BEFORE-DONE",
        "QH-UPDATE-POP-RACE",
    }
    assert "each hold of a lock is an action of its own" in reasons["QH-UPDATE-POP-RACE"]


def test_plugins_that_hold_a_pod_back_are_asked_in_the_order_of_the_release() -> None:
    """SchedulingGates comes after DynamicResources up to 1.29."""
    bug = bug_named("QUEUE-GATED-TWICE")
    assert "claimsFirst: true" in written(bug, "1.28.14")
    assert "claimsFirst" not in written(bug, "1.31.13")
