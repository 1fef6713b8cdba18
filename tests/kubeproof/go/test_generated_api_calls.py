"""The Go tests that play kept runs of api-calls: formatted, complete, and refused with a reason."""

from pathlib import Path

import pytest
from attrs import evolve

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.go.further_tests import go_test_of
from kubeproof.go.generated import form_of, go_test_file, played_run, why_not_played
from kubeproof.players.api_calls import API_CALLS
from kubeproof.players.player import CannotPlayError
from model.releases import known_release, rules_for
from model.systems.api_calls import ApiCallsMachine, ApiCallsRules, ApiCallsScope
from model.systems.api_calls.scope import GATE_OFF, GATE_ON
from tests.kubeproof.go.test_drivers import gofmt

OF_CALLS = [bug for bug in BUGS if bug.system == "api-calls"]


def written(bug: Bug, release: str) -> str:
    return go_test_file(go_test_of(bug), known_release(release), "scheduler", "")


def begun(release: str, scope: ApiCallsScope) -> str:
    machine = ApiCallsMachine(scope, rules_for(ApiCallsRules, known_release(release)))
    return "\n".join(API_CALLS.begin(machine, "playedRun{}", ()))


def test_every_kept_run_is_played_on_some_release(tmp_path: Path) -> None:
    """Each test is as gofmt writes it, and takes each action."""
    for bug in OF_CALLS:
        releases = []
        for release in API_CALLS.releases:
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


def test_what_the_driver_cannot_see_is_no_fact() -> None:
    text = written(bug_named("API-LATE-PATCH"), "1.36.2")
    assert '"call that waits = the Binding to n1 (call 0)",' in text
    for unseen in ("wanted last", "the binding waits for", "attempts", "PATCH of a failed binding"):
        assert f'"{unseen} = ' not in text


def test_the_rules_of_the_release_say_what_the_world_does() -> None:
    on = ApiCallsScope(asynchronous_calls=GATE_ON)
    assert "clearsNomination" not in begun("1.34.1", on)
    assert "clearsNomination: true, clearsWithoutCandidate: true" in begun("1.36.2", on)


@pytest.mark.parametrize(
    ("scope", "why"),
    [
        (ApiCallsScope(asynchronous_calls=GATE_OFF), "the gate SchedulerAsyncAPICalls is off"),
        (ApiCallsScope(), "the gate SchedulerAsyncAPICalls is off"),
        (ApiCallsScope(asynchronous_calls=GATE_ON, nodes=2), "one node"),
        (evolve(ApiCallsScope(asynchronous_calls=GATE_ON), pre_bind=1), "no plugin with work at PreBind"),
    ],
)
def test_a_run_that_the_driver_has_no_world_for_is_refused(scope: ApiCallsScope, why: str) -> None:
    with pytest.raises(CannotPlayError, match=why):
        begun("1.36.2", scope)
