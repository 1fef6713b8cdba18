"""Fixes of preemption as examples/fixes has them: what each cures, what it leaves, what it breaks."""

from pathlib import Path

import pytest

from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Part, Validation
from kubeproof.verdict.result import Outcome
from tests.conftest import ROOT

BUDGETS = "0,nodes=1,pods=2,cpus=2,priorities=1,budgets=1"
DISRUPTED = "0,nodes=1,pods=2,cpus=2,priorities=1,budgets=1,disrupted=1"
ONE_NODE = "0,nodes=1,pods=2,cpus=2,priorities=2"


def judged(name: str, release: str, scope: str) -> tuple[Validation, Part]:
    """The verdict on a file of examples/fixes, in one scope and by replay of the kept runs."""
    path: Path = ROOT / "examples" / "fixes" / name
    verdict = validate(path, release, systems=["preemption"], scope=scope, engines=["explicit"])
    (part,) = verdict.parts
    return verdict, part


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "release", "scope", "bug", "cured"),
    [
        ("decrement_budgets.py", "1.17.10", BUDGETS, "PREEMPT-PDB-COUNT", "violations-are-counted"),
        ("count_disrupted_pods_once.py", "1.18.20", DISRUPTED, "PREEMPT-PDB-DISRUPTED", "violations-are-founded"),
        ("patch_the_victim.py", "1.28.4", BUDGETS, "PREEMPT-QOS-PATCH", "only-owned-fields-are-written"),
    ],
)
def test_an_upstream_fix_cures_its_bug(name: str, release: str, scope: str, bug: str, cured: str) -> None:
    verdict, part = judged(name, release, scope)
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    assert [run.bug.id for run in part.cured] == [bug]
    assert [row.after.property for row in part.cured_rows] == [cured]


@pytest.mark.slow
def test_a_fix_of_the_count_changes_who_goes_where_a_budget_has_room() -> None:
    _, part = judged("decrement_budgets.py", "1.17.10", BUDGETS)
    changed = {effect.subject: effect.changed for effect in part.effects}
    assert changed["how many violations of budgets are counted"] > 0
    assert changed["which pods are deleted"] > 0
    assert changed["what the status of the preemptor is"] == 0


@pytest.mark.slow
def test_the_page_of_what_is_violated_anew_is_named_though_its_cure_is_of_the_same_rule() -> None:
    _, part = judged("decrement_budgets.py", "1.17.10", DISRUPTED)
    (row,) = (row for row in part.rows if row.change == "violated anew")
    assert (row.after.property, row.known) == ("violations-are-founded", ("PREEMPT-PDB-DISRUPTED",))


def test_a_fix_that_writes_no_condition_is_refused(tmp_path: Path) -> None:
    """Nothing of others is overwritten then, and the release does not know its victims again."""
    fix = tmp_path / "write_nothing.py"
    whole = (ROOT / "examples" / "fixes" / "patch_the_victim.py").read_text()
    fix.write_text(whole.replace("return with_condition(victim, DISRUPTION_TARGET)", "return None"))
    verdict = validate(fix, "1.28.4", systems=["preemption"], scope=BUDGETS, engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.reasons == ["victims-are-known is broken (explicit)"]


@pytest.mark.slow
def test_half_of_the_cure_leaves_disrupted_pods_that_take_of_the_budget() -> None:
    """#91986 without #92476: another pod is protected in vain, and which one hangs on the order of the pods."""
    verdict, part = judged("count_disrupted_pods.py", "1.18.20", DISRUPTED)
    assert verdict.outcome is Outcome.VIOLATED
    cured = "where a known cure of PREEMPT-PDB-DISRUPTED leaves no such run"
    assert verdict.reasons == [f"violations-are-founded is still violated (explicit), {cured}"]
    (row,) = (row for row in part.rows if row.after.property == "violations-are-founded")
    assert (row.before.outcome, row.after.outcome) == (Outcome.VIOLATED, Outcome.VIOLATED)
    assert row.change == "still violated"
    assert row.before.trace is not None
    assert row.after.trace is not None
    assert len(row.after.trace.actions) > len(row.before.trace.actions)


@pytest.mark.slow
def test_to_spare_the_least_important_evicts_a_more_important_pod() -> None:
    verdict, part = judged("spare_the_least_important_first.py", "1.31.13", ONE_NODE)
    assert verdict.outcome is Outcome.VIOLATED
    (row,) = (row for row in part.refused_by if row.after.property == "least-important-go-first")
    assert row.change == "broken"
    assert row.after.trace is not None
    end = row.after.trace.last
    (gone,) = (pod for node in end.cluster.nodes for pod in node.pods if pod.name in end.deleted)
    stayed = [pod for node in end.cluster.nodes for pod in node.pods if pod.name not in end.deleted]
    assert stayed
    assert all(pod.priority < gone.priority for pod in stayed)


@pytest.mark.slow
def test_to_spare_the_least_important_means_fewer_evictions_somewhere() -> None:
    """What is proposed is true: several small pods stay, and one large pod goes."""
    _, part = judged("spare_the_least_important_first.py", "1.31.13", "0,nodes=1,pods=3,cpus=2,priorities=2")
    (effect,) = (effect for effect in part.effects if effect.subject == "which pods are deleted")
    assert effect.changed
