"""The Go tests that play kept runs of async-preemption: formatted, complete, and refused with a reason."""

from pathlib import Path

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.go.further_tests import go_test_of
from kubeproof.go.generated import form_of, go_test_file, played_run, why_not_played
from kubeproof.players.async_preemption import ASYNC_PREEMPTION
from kubeproof.players.player import CannotPlayError
from model.releases import known_release
from tests.kubeproof.go.test_drivers import gofmt

PREEMPTING = [bug for bug in BUGS if bug.system == "async-preemption"]


def written(bug: Bug, release: str) -> str:
    return go_test_file(go_test_of(bug), known_release(release), "scheduler", "")


def test_every_kept_run_is_played_on_some_release(tmp_path: Path) -> None:
    """Each test is as gofmt writes it, and takes each action."""
    for bug in PREEMPTING:
        releases = []
        for release in ASYNC_PREEMPTION.releases:
            try:
                text = written(bug, release)
            except CannotPlayError:
                assert played_run(go_test_of(bug), known_release(release)).ends
                continue
            releases.append(release)
            (tmp_path / f"{bug.folder}_{release}.go").write_text(text)
            assert text.count("\tk.do(") == played_run(go_test_of(bug), known_release(release)).trace.length
        assert releases
        assert form_of(bug) is not None
        assert not why_not_played(bug)
    assert gofmt(*sorted(tmp_path.glob("*.go"))) == ""


def test_a_victim_that_is_gone_is_no_fact_that_is_gone() -> None:
    """In a Go test `= gone` says that a fact is said no more."""
    text = written(bug_named("ASYNC-PREEMPT-STUCK-DELETED"), "1.36.2")
    assert '"v1 = is gone",' in text
    assert '"v1 = gone"' not in text


@pytest.mark.parametrize(("release", "fields"), [("1.33.1", "goneFails"), ("1.34.1", ""), ("1.36.2", "leavesLastOut")])
def test_what_shows_only_when_a_goroutine_goes_on_is_said_by_the_rules_of_the_release(
    release: str, fields: str
) -> None:
    bug = bug_named("ASYNC-PREEMPT-REPEAT" if release != "1.36.2" else "ASYNC-PREEMPT-REPEAT-LATE")
    text = written(bug, release)
    assert [name for name in ("goneFails", "leavesLastOut") if f"{name}: true" in text] == [fields] * bool(fields)


def test_a_run_with_the_gate_off_is_refused() -> None:
    with pytest.raises(CannotPlayError, match=r"the kept run ends|the gate SchedulerAsyncPreemption is off"):
        written(bug_named("ASYNC-PREEMPT-REPEAT"), "1.32.0")


def test_a_victim_at_permit_needs_a_plugin_there() -> None:
    text = written(bug_named("ASYNC-PREEMPT-STUCK-PERMIT"), "1.36.2")
    assert "permit: 1" in text
    assert 'k.do("hold_at_permit", "victim", "v1")' in text
