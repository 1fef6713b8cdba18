"""A fix that is judged on a Dask cluster: the same verdict, from tasks that are names and texts."""

import os
import pickle
import pickletools
import signal
from pathlib import Path
from typing import Any

import pytest

from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.errors import LostError, RuleError
from kubeproof.fix.fix import load_fix
from kubeproof.processes.tasks import HowFar
from kubeproof.systems.registry import SYSTEMS
from kubeproof.validate.further import Further
from kubeproof.validate.one_engine import Answer, Task, answered, answered_elsewhere
from kubeproof.validate.one_system import judging
from kubeproof.validate.validate import bugs_of, validate, validation_json
from kubeproof.validate.verdict import Validation
from model.releases import known_release
from tests.conftest import ROOT
from tests.kubeproof.fix.test_purity import IMPURE, SCOPE, fix_file
from tests.kubeproof.processes.clusters import remote
from tests.kubeproof.processes.test_dask_pool import daemons
from tests.kubeproof.processes.test_signals import interrupted
from tests.kubeproof.validate.verdicts import only

RELEASE = "1.18.4"
RESET = ROOT / "examples/fixes/reset_cursors.py"
# Both systems of the rule have these bounds.
BOTH = "nodes=2"
LAST_FIRST = "def list_nodes(tree):\n    return tuple(reversed(tree.names())), tree\n"
LAST_FIRST_TLA = """\
---- MODULE my_fix ----
EXTENDS NodeTree
Back(seq) == [i \\in DOMAIN seq |-> seq[Len(seq) + 1 - i]]
RECURSIVE Names(_)
Names(arrays) == IF arrays = <<>> THEN <<>> ELSE Names(Tail(arrays)) \\o Back(Head(arrays).nodes)
ListNodes(t) == [names |-> Names(t.tree), tree |-> t]
====
"""


def last_first(folder: Path) -> Path:
    (folder / "my_fix.tla").write_text(LAST_FIRST_TLA, "utf-8")
    fix = folder / "my_fix.py"
    fix.write_text(LAST_FIRST, "utf-8")
    return fix


def told(verdict: Validation) -> Any:
    return _without_seconds(validation_json(verdict))


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_seconds(each) for key, each in value.items() if key != "seconds"}
    return [_without_seconds(each) for each in value] if isinstance(value, list) else value


def tasks_of(fix: Path, *engines: str, scope: str | None = None, further: Further | None = None) -> list[Task]:
    """What the engines are asked in node-listing."""
    system, asked = SYSTEMS["node-listing"], list[Task]()
    bounds = None if scope is None else system.parse_scope(scope)

    def ask(tasks: Any) -> Any:
        asked.extend(tasks)
        return iter(())

    release = known_release(RELEASE)
    judging(system, release, load_fix(fix), bugs_of(system), None, engines, bounds, further=further, ask=ask)
    return asked


# --- Without a cluster


def test_a_task_is_names_and_texts() -> None:
    tasks = tasks_of(RESET, "explicit", "hypothesis", "z3", "tlc", further=Further())
    assert [str(each) for each in tasks] == [
        f"node-listing by {name}" for name in ("explicit", "hypothesis", "z3", "tlc")
    ]
    sent = [opcode for task in tasks for opcode in pickletools.genops(pickle.dumps(task, protocol=2))]
    assert {arg for opcode, arg, _ in sent if opcode.name == "GLOBAL"} == {
        "_codecs encode",
        "kubeproof.fix.fix _received",
        "kubeproof.systems.registry system_named",
        "kubeproof.validate.further Further",
        "kubeproof.validate.one_engine Task",
        "model.releases Release",
        "model.systems.node_listing NodeListingScope",
        "packaging.version Version",
        f"{type(RESET).__module__} {type(RESET).__name__}",
    }


def test_the_operators_of_a_fix_go_with_it(tmp_path: Path) -> None:
    fix = load_fix(last_first(tmp_path))
    sent = pickle.dumps(fix)
    for file in tmp_path.iterdir():
        file.unlink()
    (module,) = pickle.loads(sent).operators.values()
    assert (module.name, module.read_text("utf-8")) == ("my_fix.tla", LAST_FIRST_TLA)


def test_no_file_of_the_worker_stands_in_for_operators_that_a_fix_lacks(tmp_path: Path) -> None:
    path = last_first(tmp_path)
    (tmp_path / "my_fix.tla").rename(tmp_path / "other.tla")
    sent = pickle.dumps(load_fix(path))
    (tmp_path / "other.tla").rename(tmp_path / "my_fix.tla")
    assert pickle.loads(sent).operators == {}


@pytest.mark.slow
def test_who_is_asked_elsewhere_asks_a_sample_of_the_calls_again(tmp_path: Path) -> None:
    (task,) = tasks_of(fix_file(tmp_path, IMPURE["dict-of-the-module"]), "explicit", scope=SCOPE)
    assert isinstance(answered(task), Answer)
    with pytest.raises(RuleError, match="list_nodes is not a pure function"):
        answered_elsewhere(task)


# --- On a cluster

distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[cluster]'")


@pytest.mark.slow
def test_a_verdict_on_a_cluster_is_what_it_is_in_one_process(tmp_path: Path) -> None:
    try:
        find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))
    path = last_first(tmp_path)
    asked: dict[str, Any] = {"systems": ["node-listing"], "scope": SCOPE, "engines": ["all"]}
    with remote(tmp_path) as found:
        verdict = validate(path, RELEASE, **asked, dask=found.address)
    assert told(verdict) == told(validate(path, RELEASE, **asked))
    # TLC took the operators of the file.
    said = {row.after.outcome for row in only(verdict).rows if row.after.engine == "tlc"}
    assert "holds" in said


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_tasks_time_only(tmp_path: Path) -> None:
    killed: list[int] = []
    asked: dict[str, Any] = {"systems": ["node-listing"], "engines": ["explicit"], "further": Further(states=2_000)}
    with remote(tmp_path) as found:

        def hear(now: HowFar) -> None:
            busy = [] if killed else [each for each in daemons(found) if each.children()]
            if busy:
                killed.append(busy[0].pid)
                busy[0].kill()

        verdict = validate(RESET, RELEASE, **asked, told=hear, dask=found.address)
    assert killed
    assert told(verdict) == told(validate(RESET, RELEASE, **asked))


@pytest.mark.slow
def test_a_lost_scheduler_ends_the_command_in_one_line_with_what_was_established(tmp_path: Path) -> None:
    with remote(tmp_path, workers=1) as found:

        def hear(now: HowFar) -> None:
            if now.done == 1:
                os.kill(found.scheduler.pid, signal.SIGKILL)

        with pytest.raises(LostError) as raised:
            validate(RESET, RELEASE, engines=["explicit"], scope=BOTH, told=hear, dask=found.address)
    assert str(raised.value) == (
        f"--dask {found.address}: the scheduler has ended, or nothing reaches it any more: node-listing: accepted: "
        "the same command with --system scheduling judges the rest"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("after", "sent"), [(2.0, signal.SIGTERM), (8.0, signal.SIGINT)])
def test_a_signal_ends_a_verdict_on_a_cluster_of_this_machine(
    tmp_path: Path, after: float, sent: signal.Signals
) -> None:
    args = ("validate", str(RESET), "--release", RELEASE, "--dask", "local")
    interrupted(args, tmp_path, after, sent, to_group=True)
