"""A fix is judged in every system that has all its rules, and its file is executed twice, in processes of its own."""

import json
import os
from pathlib import Path

import pytest

from kubeproof import cli
from kubeproof.check.check import check_system
from kubeproof.errors import InputError
from kubeproof.fix.fix import load_fix, systems_with
from kubeproof.report.items import of_whole_fix
from kubeproof.report.validation import validation_text
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.releases import systems_at
from kubeproof.validate.validate import validate, validation_json
from kubeproof.verdict.result import Outcome
from model.releases import KNOWN_MINORS

# Zones are shown in turn, but only those that have a name. In node-listing every zone has one; in scheduling no node
# has a zone, as in clusters without zone labels.
NAMED_ZONES = """
from itertools import zip_longest

def list_nodes(tree):
    rows = zip_longest(*(array.nodes for zone, array in zip(tree.zones, tree.tree) if zone))
    return tuple(name for row in rows for name in row if name is not None), tree
"""
SKIP = "def skip_pod_schedule(pod): return ()\n"
BOTH = "nodes=2"  # a bound that both systems have


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "my_fix.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_fix_that_one_system_accepts_and_another_refuses_is_refused(tmp_path: Path) -> None:
    verdict = validate(written(tmp_path, NAMED_ZONES), "1.18.4", scope=BOTH, engines=["explicit"])
    listing, scheduling = verdict.parts
    assert (listing.system.name, listing.outcome) == ("node-listing", Outcome.HOLDS)
    assert (scheduling.system.name, scheduling.outcome) == ("scheduling", Outcome.VIOLATED)
    assert verdict.outcome is Outcome.VIOLATED
    assert "scheduling: fitting-pod-is-bound is broken (explicit)" in verdict.reasons
    text = validation_text(verdict)
    assert text.startswith(
        "my_fix.py on 1.18.4: REFUSED in scheduling; ACCEPTED in node-listing\nscheduling: REFUSED: "
    )
    assert "\nnode-listing: ACCEPTED: NODETREE-CURSOR is gone; in the one scope nothing that held breaks; " in text


@pytest.mark.slow
def test_the_worst_part_decides_the_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = [str(written(tmp_path, NAMED_ZONES)), "-r", "1.18.4", "--scope", BOTH, "-e", "explicit", "--json"]
    assert cli.run(lambda: cli.app(["validate", *args], standalone_mode=False)) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "refused"
    assert {part["system"]: part["verdict"] for part in document["parts"]} == {
        "node-listing": "accepted",
        "scheduling": "refused",
    }
    args += ["--system", "node-listing"]
    assert cli.run(lambda: cli.app(["validate", *args], standalone_mode=False)) == 0
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    assert part["system"] == "node-listing"


def test_a_system_without_the_bounds_that_were_named_is_said_not_to_be_judged(tmp_path: Path) -> None:
    verdict = validate(written(tmp_path, NAMED_ZONES), "1.18.4", scope="nodes=2,zones=2", engines=["explicit"])
    assert [part.system.name for part in verdict.parts] == ["node-listing"]
    ((name, why),) = verdict.not_judged
    assert name == "scheduling"
    assert why.startswith("--scope nodes=2,zones=2: 'zones' is not a bound of scheduling")
    assert "not judged in scheduling: " in validation_text(verdict)
    with pytest.raises(InputError, match="'zones' is not a bound of scheduling"):
        validate(None, rules=["list_nodes=list_stateless"], systems=["scheduling"], scope="nodes=2,zones=2")
    assert validation_json(verdict)["not_judged"] == [{"system": name, "reason": why}]


@pytest.mark.slow
def test_a_fix_with_rules_of_one_system_is_not_judged_in_another_by_some_of_them(tmp_path: Path) -> None:
    fix = load_fix(written(tmp_path, NAMED_ZONES + SKIP))
    assert sorted(fix.rules) == ["list_nodes", "skip_pod_schedule"]
    assert [system.name for system in systems_with(fix)] == ["scheduling"]
    with pytest.raises(
        InputError, match=r"my_fix\.py: 'skip_pod_schedule' is not a rule of node-listing: expected one of"
    ):
        check_system("node-listing", fix=written(tmp_path, NAMED_ZONES + SKIP))


@pytest.mark.slow
def test_a_system_that_does_not_know_the_release_is_said_not_to_be_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queueing hints come with 1.28, preemption in a goroutine with 1.32."""
    path = written(tmp_path, SKIP)
    verdict = validate(path, "1.27.0", scope="pods=1", engines=["explicit"])
    assert [part.system.name for part in verdict.parts] == ["scheduling"]
    assert verdict.not_judged == (("queueing-hints", "it knows 1.28 to 1.36"),)
    verdict = validate(path, "1.32.0", scope="pods=1", engines=["explicit"])
    assert [part.system.name for part in verdict.parts] == ["scheduling", "queueing-hints"]
    assert verdict.not_judged == ()
    with pytest.raises(InputError, match=r"'1.27.0' is outside the modelled range 1.28 to 1.36"):
        validate(path, "1.27.0", systems=["scheduling", "queueing-hints"], scope="pods=1")
    with pytest.raises(InputError, match=r"'1.12.0' is outside the modelled range 1.13 to 1.36"):
        validate(path, "1.12.0", scope="pods=1")
    # The newest release of those that the most systems know.
    newest, _, without = systems_at(list(SYSTEMS.values()), None, every=False)
    assert (newest.minor, without) == (36, ())
    monkeypatch.setitem(KNOWN_MINORS, "scheduling-cycle", range(13, 32))
    newest, _, without = systems_at(list(SYSTEMS.values()), None, every=False)
    assert (newest.minor, without) == (36, (("scheduling-cycle", "it knows 1.13 to 1.31"),))


def test_rules_that_no_system_has_together_get_one_line(tmp_path: Path) -> None:
    text = SKIP + "def update_snapshot(tree, snapshot, list_nodes): return tree, snapshot\n"
    with pytest.raises(InputError, match=r"update_snapshot \(of node-listing\), skip_pod_schedule \(of scheduling, "):
        validate(written(tmp_path, text))


@pytest.mark.slow
def test_a_fix_may_claim_a_bug_of_one_system_only(tmp_path: Path) -> None:
    path = written(tmp_path, f"{NAMED_ZONES}CURES = 'NODETREE-CURSOR'\n")
    verdict = validate(path, "1.18.4", scope=BOTH, engines=["explicit"])
    assert [part.claims for part in verdict.parts] == [("NODETREE-CURSOR",), ()]
    path = written(tmp_path, f"{NAMED_ZONES}CURES = 'CPU-INIT-LEAK'\n")
    with pytest.raises(InputError, match="'CPU-INIT-LEAK' is not a bug of node-listing or scheduling: "):
        validate(path, "1.18.4", scope=BOTH, engines=["explicit"])


@pytest.mark.slow
def test_what_is_cured_in_one_system_need_not_be_cured_in_another() -> None:
    rule = ["list_nodes=list_stateless"]
    verdict = validate(None, "1.18.4", rules=rule, scope=BOTH, engines=["explicit"])
    assert verdict.outcome is Outcome.HOLDS, verdict.reasons
    assert [part.cures for part in verdict.parts] == [True, False]
    alone = validate(None, "1.18.4", rules=rule, systems=["scheduling"], scope=BOTH, engines=["explicit"])
    assert alone.reasons == ["it cures no counterexample that 1.18.4 is known to have"]
    assert validation_text(alone).splitlines()[0].endswith(f"REFUSED: {alone.reasons[0]}")


# --- executed elsewhere ----------------------------------------------------------------------------------------------

COUNTED = "import os\nwith open(__file__ + '.count', 'a') as file: file.write(f'{os.getpid()} ')\n"


def executed(path: Path) -> list[int]:
    """The processes that have executed the file."""
    return [int(pid) for pid in path.with_name(path.name + ".count").read_text("utf-8").split()]


@pytest.mark.slow
def test_the_file_is_executed_by_two_other_processes_for_all_of_validate_and_others_ask_again(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, NAMED_ZONES + COUNTED)
    verdict = validate(path, "1.18.4", scope=BOTH, engines=["explicit"])
    assert len(verdict.parts) == 2
    runs = {
        (row.after.scope, row.after.trace.actions) for part in verdict.parts for row in part.rows if row.after.trace
    }
    assert 2 * (2 + 1) <= len(executed(path)) <= 2 * (2 + 1) + len(runs)
    assert len(set(executed(path)) - {os.getpid()}) == len(executed(path))


def test_the_file_is_executed_by_two_other_processes_for_several_engines_and_others_ask_again(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, NAMED_ZONES + COUNTED)
    check_system("node-listing", "1.18.4", fix=path, scope="nodes=2,zones=1", engines=["explicit", "z3"])
    assert len(set(executed(path)) - {os.getpid()}) == len(executed(path)) == 2 + 1


AS_IT_IS = "from model.scheduler.cache import node_tree\ndef list_nodes(tree): return node_tree.list_stateless(tree)\n"


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        (["node-listing"], "CHANGES NOTHING: every answer was the release's in the scope"),
        (["scheduling"], "CHANGES NOTHING: every answer was the release's in the scope"),
        ([], "CHANGES NOTHING in each system"),
    ],
)
def test_a_fix_that_changes_nothing_has_one_outcome_in_every_system(
    tmp_path: Path, systems: list[str], said: str
) -> None:
    scope = "pods=1,nodes=1" if systems == ["scheduling"] else "nodes=1"
    verdict = validate(written(tmp_path, AS_IT_IS), "1.31.0", scope=scope, systems=systems, engines=["explicit"])
    assert validation_text(verdict).splitlines()[0].endswith(said)
    assert validation_json(verdict)["verdict"] == "changes nothing"
    assert {part["verdict"] for part in validation_json(verdict)["parts"]} == {"changes nothing"}
    assert (verdict.outcome, verdict.reasons) == (Outcome.HOLDS, [])
    assert of_whole_fix(verdict).kind == "passed"


def test_a_fix_that_claims_a_cure_and_changes_nothing_is_refused_and_told_so(tmp_path: Path) -> None:
    text = AS_IT_IS.replace("list_stateless", "list_from_resuming_cursors") + "CURES = 'NODETREE-CURSOR'\n"
    path = written(tmp_path, text)
    verdict = validate(path, "1.18.4", scope="nodes=2,zones=1", systems=["node-listing"], engines=["explicit"])
    assert verdict.reasons == [
        "the counterexample of NODETREE-CURSOR is still there",
        "it changes nothing: every answer was the release's in the scope",
    ]
    without = validate(
        None,
        "1.18.4",
        rules=["list_nodes=list_from_resuming_cursors"],
        systems=["node-listing"],
        scope="nodes=2,zones=1",
        engines=["explicit"],
    )
    assert (without.outcome, without.changes_nothing) == (Outcome.HOLDS, True)


def test_a_fix_is_judged_where_a_step_asks_it_and_the_verdict_says_where_not() -> None:
    rule = ["done_before_requeue=requeued_before_done"]
    scope = "only pods=1,goroutines=1"
    verdict = validate(None, "1.36.2", rules=rule, scope=scope, engines=["explicit"])
    assert [part.system.name for part in verdict.parts] == ["queueing-hints"]
    why = "no step asks done_before_requeue there"
    assert verdict.not_judged == (("scheduling", why), ("scheduling-cycle", why))
    with pytest.raises(InputError, match=r"done_before_requeue=.* is not a rule of scheduling"):
        validate(None, "1.36.2", rules=rule, systems=["scheduling"], scope=scope)
