"""Repairs: each takes away its bug, and tells the bug from others where the page names other powers."""

from collections.abc import Sequence

import pytest
from attrs import evolve

from kubeproof.bugs.catalogue import BUGS, Bug, bug_named
from kubeproof.bugs.counterexample import release_ranges
from kubeproof.bugs.known import known_bugs, shown_in
from kubeproof.bugs.runs import kept_run
from kubeproof.engines import explicit
from kubeproof.engines.question import question
from kubeproof.engines.table import answer
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import Repair, System
from kubeproof.verdict.result import Outcome, Result
from model.releases import known_release, parse_release, rules_for
from model.scheduler.done import only_popped_pod_goes_back
from properties.property import Property

# A system that extends another one has the repairs of that one too.
REPAIRS = [
    (system, repair)
    for system in SYSTEMS.values()
    for repair in system.repairs
    if bug_named(repair.bug).system == system.name
]
RELEASES = ("1.14.10", "1.18.4", "1.22.3", "1.27.0", "1.31.14")


@pytest.mark.parametrize(
    ("system", "repair"),
    [
        # Two attempts at once, and preemption: the scope is large.
        pytest.param(*each, marks=[pytest.mark.slow] if each[1].bug == "PREEMPT-NAMESAKE" else [])
        for each in REPAIRS
    ],
    ids=lambda each: getattr(each, "bug", ""),
)
def test_a_repair_takes_its_bug_away(system: System, repair: Repair) -> None:
    bug = bug_named(repair.bug)
    # The newest: in the oldest ones another bug may violate the same property.
    releases = (first for first, _ in reversed(release_ranges([repair.field])) if shown_in(bug, first))
    rules = (rules_for(system.rules_class, release) for release in releases)
    with_bug = next(each for each in rules if getattr(each, repair.field) is repair.faulty)
    scope = kept_run(bug).scope
    property = system.property_named(bug.violates)

    def result(of: object) -> Result:
        return explicit.check(system.machine(scope, of), [property])[0]

    assert result(with_bug).outcome is Outcome.VIOLATED
    assert result(evolve(with_bug, **{repair.field: repair.rule})).trace is None


@pytest.mark.parametrize("release", ["1.22.3", "1.31.13", "1.34.7"])
def test_a_namesake_that_is_left_alone_is_tried_once_with_and_without_hints(release: str) -> None:
    """#138324 asks for the UID whatever the gate is. Other bugs, up to 1.31, take longer runs."""
    system = SYSTEMS["scheduling"]
    rules = rules_for(system.rules_class, known_release(release))
    run, property = kept_run(bug_named("QUEUE-NAMESAKE-BACK")), of(system, "pod-in-one-place")

    def result(of: object) -> Result:
        return explicit.check(system.machine(run.scope, of), [property])[0]

    trace, left = (result(each).trace for each in (rules, evolve(rules, goes_back=only_popped_pod_goes_back)))
    assert trace is not None
    assert left is None if release == "1.34.7" else left is not None and left.length > trace.length


def test_no_release_has_a_repair() -> None:
    for system, repair in REPAIRS:
        assert repair.rule not in system.built_in_rules(repair.field).values()
        assert repair.faulty in system.built_in_rules(repair.field).values()


# Of each system and release. Some take long.
_SLOW = {("cpu-manager", release) for release in RELEASES} | {
    ("scheduling-cycle", release) for release in ("1.27.0", "1.31.14")
}
DEFAULTS = [
    pytest.param(name, release, marks=[pytest.mark.slow] if (name, release) in _SLOW else [])
    for name in ("node-listing", "scheduling", "scheduling-cycle", "cpu-manager")
    for release in RELEASES
]


@pytest.mark.parametrize(("name", "release"), DEFAULTS)
def test_a_page_explains_each_violation_of_a_default_scope(name: str, release: str) -> None:
    system, at = SYSTEMS[name], parse_release(release)
    found = [result for result in answer(question(system, at, "explicit")) if result.outcome is Outcome.VIOLATED]
    assert not [result.property for result in found if not known_bugs(system, at, result)]


def test_a_bug_that_is_set_off_by_a_power_that_no_page_names_is_told_by_its_repair() -> None:
    # An extender patches the pod; the page has a user who changes an annotation.
    system, release = SYSTEMS["scheduling"], parse_release("1.31.14")
    scope = system.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,extender=1")
    (found,) = answer(question(system, release, "explicit", scope=scope, properties=[of(system, "pod-in-one-place")]))
    assert [bug.id for bug in known_bugs(system, release, found)] == ["QUEUE-INFLIGHT-DUP"]
    without = evolve(system, repairs=())
    assert known_bugs(without, release, found) == []


@pytest.mark.parametrize(
    ("release", "scope", "name", "expected"),
    [
        ("1.28.8", "lost_replies=1,room=1,goroutines=1", "bound-once", "BIND-TIMEOUT-BOUND"),
        ("1.28.8", "updates=1,room=2,goroutines=2", "one-attempt-at-a-time", "QUEUE-INFLIGHT-DUP"),
        # The update is the scheduler's own, of the status of the pod whose plugin failed.
        ("1.31.13", "reserves=1,failures=1,room=1,goroutines=1", "no-failure-of-bound-pod", "QUEUE-INFLIGHT-DUP"),
    ],
)
def test_a_system_shows_the_bugs_of_the_system_that_it_extends(
    release: str, scope: str, name: str, expected: str
) -> None:
    system, at = SYSTEMS["scheduling-cycle"], parse_release(release)
    bounds = system.parse_scope(f"0,pods=1,nodes=1,{scope}")
    (found,) = answer(question(system, at, "explicit", scope=bounds, properties=[of(system, name)]))
    assert [bug.id for bug in known_bugs(system, at, found)] == [expected]


def of(system: System, name: str) -> Property:
    return system.property_named(name)


def test_another_power_may_set_off_a_bug() -> None:
    bug = bug_named("BIND-TIMEOUT-BOUND")
    assert (bug.powers, bug.other_powers) == (("lost_replies",), ("other_binders", "extender_errors"))
    assert bug.takes({"other_binders"})
    assert bug.takes({"lost_replies", "updates"})
    assert not bug.takes({"updates"})
    system, release = SYSTEMS["scheduling"], parse_release("1.31.14")
    scope = system.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,other_binders=1")
    (found,) = answer(
        question(system, release, "explicit", scope=scope, properties=[of(system, "no-failure-of-bound-pod")])
    )
    assert known_bugs(system, release, found) == [bug]


# What sets the bug off in a scope that is not the page's with the other power in place of the page's.
OTHERWISE = {
    ("BIND-TIMEOUT-BOUND", "extender_errors"): (
        "0,pods=1,nodes=1,room=1,goroutines=1,binder_extenders=1,extender_errors=1"
    ),
    ("CYCLE-UNRESERVE-ORDER", "failures"): "0,pods=1,nodes=1,room=1,goroutines=1,reserves=2,failures=1",
    ("QUEUE-FORGET-NO-EVENT", "preemption"): "0,pods=2,high=1,nodes=1,room=1,goroutines=1,preemption=1",
    ("CPU-STATE-TOPOLOGY", "offline"): "0,cores=2,threads=1,reserved=1,pods=1,containers=1,restarts=1,offline=1",
    ("CPU-STALE-AFTER-RESTART", "crashes"): "0,cores=2,threads=1,reserved=1,pods=3,containers=1,size=1,crashes=1",
    ("PREEMPT-PANIC", "empty_answers"): "0,nodes=2,pods=1,cpus=1,priorities=1,extenders=1,empty_answers=1",
    ("QH-UPDATE-AFTER-DONE", "bind_errors"): "0,pods=1,goroutines=2,gate=1,bind_errors=2",
    ("QH-UPDATE-AFTER-DONE", "lost_replies"): "0,pods=1,goroutines=2,gate=1,updates=1,lost_replies=1",
    ("QUEUE-OTHER-SCHEDULER", "preemption"): (
        "0,pods=2,high=1,nodes=1,room=1,goroutines=1,recreates=1,unknown_profile=1,preemption=1"
    ),
    ("QUEUE-STALE-PLUGINS", "node_deletes"): "0,pods=1,nodes=1,room=1,goroutines=1,node_deletes=1,node_shrinks=1",
}


# What another system needs besides the powers.
ELSEWHERE = {("QH-UPDATE-AFTER-DONE", "scheduling"): "pods=1,nodes=1,room=1,goroutines=2,updates=1"}


@pytest.mark.parametrize(
    ("bug", "power"), [(bug, power) for bug in BUGS for power in bug.other_powers], ids=lambda each: str(each)[:40]
)
def test_the_other_powers_set_the_bug_off(bug: Bug, power: str) -> None:
    own, release = SYSTEMS[bug.system], known_release(bug.release)
    assert shown_in(bug, release)
    kept = kept_run(bug).scope
    # The power may be of another system that shows the bug.
    showing = [each for each in SYSTEMS.values() if own.name in each.has_bugs_of or each.name in dict(bug.also_in)]
    has = [each for each in showing if hasattr(each.scope_class(), power)]
    system = own if own in has else has[0]
    otherwise = OTHERWISE.get((bug.id, power))
    scope = evolve(kept, **{bug.powers[0]: 0, power: 1}) if otherwise is None else system.parse_scope(otherwise)
    (found,) = answer(question(system, release, "explicit", scope=scope, properties=[of(system, bug.violates)]))
    assert found.outcome is Outcome.VIOLATED
    assert bug in known_bugs(system, release, found)


@pytest.mark.parametrize(
    ("bug", "name", "property"),
    [(bug, name, each) for bug in BUGS for name, properties in bug.also_in for each in properties],
    ids=lambda each: str(each)[:40],
)
def test_another_system_shows_the_bug(bug: Bug, name: str, property: str) -> None:
    """With the powers of the page, and with other ones; without any nothing violates the property."""
    system, release = SYSTEMS[name], known_release(bug.release)
    least = system.parse_scope(f"0,{ELSEWHERE[bug.id, name]}")

    def found(powers: Sequence[str]) -> Result:
        scope = evolve(least, **dict.fromkeys(powers, 1))
        return answer(question(system, release, "explicit", scope=scope, properties=[of(system, property)]))[0]

    assert found(()).trace is None
    for powers in (bug.powers, *((power,) for power in bug.other_powers)):
        assert bug in known_bugs(system, release, found(powers))


def test_what_another_scheduler_binds_is_no_second_binding() -> None:
    system, release = SYSTEMS["scheduling"], parse_release("1.31.14")
    properties = [of(system, "bound-once")]

    def outcome(power: str) -> Outcome:
        scope = system.parse_scope(f"0,pods=1,nodes=1,room=1,goroutines=1,{power}=1")
        return answer(question(system, release, "explicit", scope=scope, properties=properties))[0].outcome

    assert outcome("other_binders") is Outcome.HOLDS
    assert outcome("lost_replies") is Outcome.VIOLATED


@pytest.mark.parametrize("release", ["1.14.10", "1.18.4"])
def test_a_new_incarnation_may_wait_while_the_old_one_is_tried(release: str) -> None:
    system = SYSTEMS["scheduling"]
    scope = system.parse_scope("0,pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1")
    properties = [of(system, "pod-in-one-place")]
    (found,) = answer(question(system, parse_release(release), "explicit", scope=scope, properties=properties))
    assert found.outcome is Outcome.HOLDS
