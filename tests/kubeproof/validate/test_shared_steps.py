"""A fix is judged with the steps that the searches before and after it have in common as it is without."""

from typing import Any

import pytest
from attrs import evolve, fields

from kubeproof.engines.explicit import Limits, explore
from kubeproof.engines.explicit.shared import Shared
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import rules_of
from kubeproof.validate import one_scope
from kubeproof.validate.effects import as_from_outside, reduced_like
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Validation
from model.releases import from_outside, newest, parse_release, rules_for
from model.systems.scheduling import SchedulingRules
from model.systems.scheduling.machine import SchedulingMachine
from model.variables import plain
from tests.conftest import ROOT

FIXES = ROOT / "examples" / "fixes"
KNOWN = rules_of(SCHEDULING.mutants, SCHEDULING.repairs)
RECREATED = "0,pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1"
SMALL = "0,pods=1,nodes=1,room=1,goroutines=1,updates=1,deletes=1"
RELEASE = rules_for(SchedulingRules, parse_release("1.17.10"))
# A fix of a file, in other words what the release does.
FIXED = evolve(RELEASE, queue_update=as_from_outside(RELEASE.queue_update))


def told(verdict: Validation) -> list[Any]:
    """All that the verdict says, but for the time, and for which of several runs of one length stands for them all."""
    (part,) = verdict.parts
    rows = []
    for row in part.rows:
        of_row: list[Any] = [row.change, row.anew, row.known]
        for result in (row.before, row.after):
            length = None if result.trace is None else result.trace.length
            of_row += [result.evolve(seconds=0.0, trace=None, explanation=None), length]
        rows.append(of_row)
    return [rows, part.effects, part.reasons, part.open]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "name", "release", "scope"),
    [
        ("scheduling", "skip_scheduled_pods", "1.17.10", RECREATED),
        ("queueing-hints", "update_ignores_in_flight", "1.28.3", "0,pods=1,plugins=1,goroutines=1,gate=1,updates=1"),
        ("cpu-manager", "forget_mismatch", "1.31.13", "cores=3,pods=2,containers=1,size=1,restarts=1,offline=1"),
        ("node-listing", "reset_on_new_zone", "1.18.4", "nodes=3,zones=2"),
    ],
)
def test_the_verdict_is_the_same(
    system: str, name: str, release: str, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged() -> list[Any]:
        return told(validate(FIXES / f"{name}.py", release, systems=[system], scope=scope, engines=["explicit"]))

    shared = judged()
    monkeypatch.setattr(one_scope, "_shared", lambda *_: None)
    assert judged() == shared


@pytest.mark.slow
def test_the_comparison_takes_few_steps_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """None with the fix, whose search took them all; in the release those in which the fix's rule is looked up."""
    taken: list[Any] = []
    during: list[int] = []
    step, whole = SchedulingMachine.step, one_scope.compare

    def compare(*args: Any, **options: Any) -> one_scope.Compared:
        before = len(taken)
        found = whole(*args, **options)
        during.append(len(taken) - before)
        return found

    monkeypatch.setattr(SchedulingMachine, "step", lambda self, *args: taken.append(args) or step(self, *args))
    monkeypatch.setattr(one_scope, "compare", compare)
    for shared in (one_scope._shared, lambda *_: None):
        monkeypatch.setattr(one_scope, "_shared", shared)
        validate(FIXES / "skip_scheduled_pods.py", "1.17.10", scope=RECREATED, engines=["explicit"])
    few, many = during
    assert 0 < few < many / 5


def test_only_searches_whose_rules_from_outside_are_in_the_same_fields_share() -> None:
    """In other fields other states are kept."""
    shared = one_scope._shared(SCHEDULING, FIXED)
    assert shared is not None
    shared.under(FIXED)
    shared.under(reduced_like(SCHEDULING, RELEASE, FIXED))
    with pytest.raises(ValueError, match="queue_update is a known rule, and from outside in other searches"):
        shared.under(RELEASE)
    with pytest.raises(ValueError, match="pop_lock is not a known rule"):
        shared.under(evolve(FIXED, pop_lock=as_from_outside(RELEASE.pop_lock)))
    with pytest.raises(ValueError, match="queue_update is not a known rule"):
        Shared(KNOWN).under(FIXED)


def test_nothing_is_shared_where_machines_differ_in_what_they_know() -> None:
    field, mutants = next(iter(SCHEDULING.mutants.items()))
    wrong = evolve(RELEASE, **{field: mutants[0]})
    assert from_outside(wrong) == {field}
    assert one_scope._shared(SCHEDULING, wrong) is None


@pytest.mark.parametrize("name", [name for name, system in SYSTEMS.items() if not system.reduces_by_rules])
def test_a_system_that_does_not_reduce_by_rules_has_the_same_states_under_rules_from_outside(name: str) -> None:
    system = SYSTEMS[name]
    rules = newest(system.rules_class, name)
    outside = evolve(rules, **{field: as_from_outside(getattr(rules, field)) for field in system.rule_fields})
    reduced = reduced_like(system, rules, outside)
    limits = Limits(states=500)
    one, other = (explore(system.machine(system.scope, each), limits=limits) for each in (rules, reduced))
    assert [one.state(n) for n in range(300)] == [other.state(n) for n in range(300)]
    assert from_outside(reduced) == set(system.rule_fields)


def test_rules_leave_the_model_as_they_were_given_and_all_of_them_count_as_read() -> None:
    """A rule from outside is given a policy, which has rules. To compare it with that of another call notes nothing."""
    looked_up = Shared(KNOWN).under(RELEASE)
    assert not looked_up.fields
    assert plain((looked_up.rules,))[0] is RELEASE
    assert looked_up.fields == {field.name for field in fields(SchedulingRules)}
