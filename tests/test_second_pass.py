"""The second pass: what a run takes, which bug explains it, and what it says of bugs hidden by others."""

from attrs import evolve

from kubeproof.catalogue import bug_named
from kubeproof.kept import reproduce
from kubeproof.second_pass import SCOPES, Answer, Found, explains, explore_all, powers_taken, report
from kubeproof.systems import system_named
from model.machine import Action


def _found(bug: str, first: str, scope: str = "cores=2") -> Found:
    trace = reproduce(bug_named(bug)).trace
    assert trace is not None
    return Found(scope, first, first, bug_named(bug).violates, trace.actions, "")


def test_powers_are_those_that_the_run_takes() -> None:
    assert powers_taken("", _found("CPU-RECONCILE-READD", "1.17.0").actions) == {"exits"}
    assert powers_taken("", _found("CPU-INIT-REMOVE-FREES-SIBLING", "1.23.0").actions) == {"init", "removals"}
    assert powers_taken("full_pcpus=1", _found("CPU-FULL-PCPUS-READMIT", "1.31.0").actions) == {
        "full_pcpus",
        "restarts",
    }
    # The end of an init container takes no power.
    assert powers_taken("", [Action.of("exit_container", pod="p1", container="i0")]) == frozenset()


def test_each_kept_run_takes_the_powers_of_its_bug() -> None:
    for name in ("CPU-STATE-TOPOLOGY", "CPU-SIDECAR-REUSE", "CPU-OFFLINE-SIBLING", "CPU-POLICY-NAME"):
        bug = bug_named(name)
        assert powers_taken("", _found(name, bug.release).actions) == set(bug.powers)


def test_a_bug_explains_its_property_in_its_releases_with_its_powers() -> None:
    bug, found = bug_named("CPU-STATE-DEAD-CONTAINER"), _found("CPU-STATE-DEAD-CONTAINER", "1.13.0")
    assert explains(bug, frozenset({"1.13.0"}), found)
    assert not explains(bug, frozenset({"1.17.0"}), found)
    assert not explains(bug, frozenset({"1.13.0"}), evolve(found, property="kubelet-comes-up"))
    assert not explains(bug, frozenset({"1.13.0"}), evolve(found, actions=found.actions[:3]))


def test_the_report_tells_found_hidden_and_unexplained() -> None:
    completed, readd = bug_named("CPU-COMPLETED-NOT-RELEASED"), bug_named("CPU-RECONCILE-READD")
    shown = {completed.id: frozenset({"1.18.0"}), readd.id: frozenset({"1.18.0"})}
    known = _found(completed.id, "1.18.0")
    lines = list(
        report(Answer((known, evolve(known, first="1.31.0", last="1.31.0")), ("cut",)), [completed, readd], shown)
    )
    text = "\n".join(lines)
    assert f"{completed.id}: found, counted-cpus-are-given in 1.18.0, 5 events" in text
    assert f"{readd.id}: NOT found; hidden by shorter runs of {completed.id}" in text
    assert "counted-cpus-are-given, with no power: 1.31.0" in text
    assert lines[-1] == "  cut"


def test_the_scopes_are_scopes() -> None:
    system = system_named("cpu-manager")
    assert len({system.parse_scope(scope) for scope in SCOPES}) == len(SCOPES)


def test_a_small_scope_finds_what_it_must() -> None:
    answer = explore_all(["cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=0"], workers=1)
    reclaimed = [found for found in answer.found if found.property == "gone-pods-return-cpus"]
    assert {found.first for found in reclaimed} >= {"1.22.1", "1.31.0"}
    assert all(len(found.actions) == 4 for found in reclaimed)
    assert answer.cut == ()
