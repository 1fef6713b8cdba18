"""Wrong fixes whose states look right: a needless error, or a storm of attempts, refuses them.

Errors that Go returns or logs count in a verdict, and a new kind of error is named as an effect.
"""

from pathlib import Path

import pytest

from kubeproof.engines.explicit import explore
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.validate.effects import kind_of
from kubeproof.validate.validate import validate
from kubeproof.validate.verdict import Validation
from kubeproof.verdict.itf import to_itf
from kubeproof.verdict.result import Outcome
from model.go.errors import MetError, errors_met, met_error
from model.releases import parse_release, rules_for
from tests.conftest import ROOT

WRONG = ROOT / "tests" / "kubeproof" / "validate" / "wrong_fixes"
SMALL = "nodes=3,zones=2"


def judged(name: str, release: str, system: str = "node-listing", scope: str = SMALL) -> Validation:
    return validate(WRONG / f"{name}.py", release, scope=scope, systems=[system], engines=["explicit"])


@pytest.mark.slow
def test_a_listing_without_duplicates_is_refused_for_the_error_of_the_snapshot() -> None:
    verdict = judged("list_nodes_without_duplicates", "1.18.4")
    assert verdict.outcome is Outcome.VIOLATED
    (part,) = verdict.parts
    rows = {row.after.property: row for row in part.rows}
    assert {name for name, row in rows.items() if row.change == "broken"} == {"no-needless-error"}
    assert rows["listed-exactly-once"].change == "cured"
    broken = rows["no-needless-error"].after
    assert broken.explanation is not None
    assert "snapshot state is not consistent, length of NodeInfoList=2" in broken.explanation
    assert broken.trace is not None
    assert broken.trace.length == 5
    (effect,) = [effect for effect in part.effects if effect.subject == "a new error of UpdateSnapshot"]
    assert effect.changed > 0
    assert "trying to recover" in str(effect.example)


@pytest.mark.slow
def test_before_the_check_of_1_18_nobody_meets_that_error() -> None:
    verdict = judged("list_nodes_without_duplicates", "1.17.10")
    (part,) = verdict.parts
    rows = {row.after.property: row.change for row in part.rows}
    assert rows["no-needless-error"] == "holds as before"
    assert rows["list-as-long-as-tree"] == "broken"


@pytest.mark.slow
def test_a_list_that_is_made_anew_after_an_error_is_no_offer() -> None:
    (part,) = judged("list_nodes_when_asked_twice", "1.31.14").parts
    rows = {row.after.property: row for row in part.rows}
    assert {name: row.change for name, row in rows.items()} == {
        "listed-exactly-once": "holds as before",
        "list-as-long-as-tree": "holds as before",
        "relisting-permutes": "holds as before",
        "no-needless-error": "broken",
        "offered-again-when-quiet": "holds as before",
        "offered-again-under-churn": "broken",
    }
    churn = rows["offered-again-under-churn"].after
    assert "no cycle that lists it ends without an error of UpdateSnapshot" in str(churn.explanation)
    assert churn.trace is not None
    last = churn.trace.last
    assert last.failed
    assert "n1" in last.snapshot.node_info_list
    written = to_itf(churn.trace, {})
    assert written["vars"][-1] == "failed"
    assert [state["failed"] for state in written["states"]] == [step.state.failed for step in churn.trace.steps]


def test_errors_are_met_where_somebody_asks() -> None:
    met_error("f", "nobody asks")
    assert errors_met(lambda: [met_error("f", "one"), met_error("f", None), met_error("g", "two")]) == (
        MetError("f", "one"),
        MetError("g", "two"),
    )


def test_two_pods_with_the_same_error_have_one_kind() -> None:
    assert kind_of(MetError("f", "pod p1#1 is gone")) == kind_of(MetError("f", "pod p2#12 is gone"))


@pytest.mark.slow
def test_a_storm_of_attempts_is_refused() -> None:
    scope = "0,pods=2,nodes=1,room=1,goroutines=1,clock=1"
    verdict = judged("failed_pods_to_active", "1.27.0", "scheduling", scope)
    assert verdict.outcome is Outcome.VIOLATED
    (part,) = verdict.parts
    rows = {row.after.property: row for row in part.rows}
    assert [name for name, row in rows.items() if row.change == "broken"] == ["failed-attempt-backs-off"]
    # Without a scope named, such a fix is judged in this scope too.
    assert SCHEDULING.parse_scope(scope) in SCHEDULING.scopes.fix_narrow


def test_the_scheduler_meets_the_error_of_a_ghost_and_says_so() -> None:
    """SNAP-GHOST-COUNT: the same run ends without an error from 1.18.10 on."""
    scope = SCHEDULING.parse_scope("0,pods=2,nodes=2,room=1,goroutines=1,node_deletes=1,keep_snapshot=1")
    met = {}
    for release in ("1.18.9", "1.18.10"):
        machine = SCHEDULING.machine(scope, rules_for(SCHEDULING.rules_class, parse_release(release)))
        run = explore(machine, symmetry=True)
        states = (run.state(number) for number in range(run.counts.distinct))
        errors = {
            error.function for state in states for a in machine.actions(state) for error in machine.errors(state, a)
        }
        met[release] = "UpdateSnapshot" in errors
    assert met == {"1.18.9": True, "1.18.10": False}


def test_an_error_that_a_rule_of_a_fix_meets_in_its_own_process_counts(tmp_path: Path) -> None:
    """A rule that is the release's own, in a file: what it logs is met as if the release had logged it."""
    path = tmp_path / "same_update.py"
    path.write_text(
        "from model.scheduler.cache import node_list, node_tree\n"
        "def list_nodes(tree):\n    return tuple(array.nodes[0] for array in tree.tree), tree\n"
        "def update_snapshot(tree, snapshot, list_nodes):\n"
        "    return node_list.update_snapshot_on_node_change(tree, snapshot, list_nodes)\n",
        encoding="utf-8",
    )
    verdict = validate(path, "1.31.0", scope="nodes=2,zones=1", systems=["node-listing"], engines=["explicit"])
    (part,) = verdict.parts
    rows = {row.after.property: row.change for row in part.rows}
    assert rows["no-needless-error"] == "broken"
