"""The Go tests that play kept runs of the scheduler: formatted, complete, and refused with a reason."""

from pathlib import Path

import pytest

from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.errors import InputError
from kubeproof.go.checkout import checkout
from kubeproof.go.driver import choose
from kubeproof.go.generated import go_test_file, played_run
from kubeproof.go.played import played_on
from kubeproof.go.players.player import CannotPlayError
from kubeproof.go.registry import SCHEDULER
from model.releases import known_release
from tests.conftest import ROOT
from tests.kubeproof.go.test_drivers import gofmt

# What the halves are chosen by, in the trees of 1.27 to 1.31.
NEW = {"client": "func New(client clientset.Interface,", "ctx": "func New(ctx context.Context,"}
QUEUE = {"plain": "podInfo.PodInfo, nominatingInfo", "logger": "logger, podInfo.PodInfo, nominatingInfo"}
SOURCE = """package scheduler

import internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"

type Scheduler struct {{
	FailureHandler FailureHandlerFn
}}

{new} opts ...Option) (*Scheduler, error) {{}}
func (sched *Scheduler) {one}(ctx context.Context) {{}}
func (sched *Scheduler) handle(nominatingInfo *framework.NominatingInfo) {{
	sched.SchedulingQueue.AddNominatedPod({queue})
}}
"""


def tree(folder: Path, source: str) -> Path:
    package = folder / "pkg/scheduler"
    package.mkdir(parents=True)
    (folder / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.22.0\n")
    (package / "scheduler.go").write_text(source)
    return folder


def test_every_test_is_as_gofmt_writes_it_and_takes_each_action(tmp_path: Path) -> None:
    """What cannot be played says why; nothing else is left out."""
    played, reasons = set(), {}
    for bug in (bug for bug in BUGS if bug.system in ("scheduling", "scheduling-cycle")):
        try:
            text = go_test_file(bug, None, "scheduler", "")
        except CannotPlayError as error:
            reasons[bug.id] = str(error)
            continue
        played.add(bug.id)
        (tmp_path / f"{bug.folder}.go").write_text(text)
        assert text.count("\tk.do(") == played_run(bug, known_release(bug.release)).trace.length
    assert gofmt(*sorted(tmp_path.glob("*.go"))) == ""
    assert {"NOM-CLEAR-OVERTAKEN", "CACHE-RECREATE-LEAK", "PREEMPT-TWICE", "EXT-BIND-ASKS-ON"} <= played
    assert "fewer than 100" in reasons["FILTER-START-PARALLEL"] or "no form in Go" in reasons["FILTER-START-PARALLEL"]
    assert "no extender with the verb Filter" in reasons["NOM-STALE-RETRY"]
    assert all(reasons.values())


@pytest.mark.parametrize(
    ("new", "one", "queue", "halves"),
    [
        ("client", "scheduleOne", "plain", ["calls.go", "start_stop.go", "cycle_internal.go", "queue_plain.go"]),
        ("ctx", "scheduleOne", "logger", ["calls.go", "start_context.go", "cycle_internal.go", "queue_logger.go"]),
        ("ctx", "ScheduleOne", "logger", ["calls.go", "start_context.go", "cycle_exported.go", "queue_logger.go"]),
    ],
)
def test_the_halves_are_chosen_by_the_source(tmp_path: Path, new: str, one: str, queue: str, halves: list[str]) -> None:
    place = tree(tmp_path / "tree", SOURCE.format(new=NEW[new], one=one, queue=QUEUE[queue]))
    assert [half.file for half in choose(SCHEDULER, checkout(place)).halves.values()] == halves


def test_a_tree_of_an_unknown_half_is_refused_in_one_line(tmp_path: Path) -> None:
    source = SOURCE.format(new=NEW["ctx"], one="ScheduleOne", queue=QUEUE["logger"])
    place = tree(tmp_path / "tree", source.replace("internal/queue", "backend/queue"))
    with pytest.raises(InputError, match=r"scheduler does not know this source: calls: neither .*internal/queue"):
        choose(SCHEDULER, checkout(place))


def test_a_run_of_a_bug_is_played_under_the_rules_of_another_release() -> None:
    bug = bug_named("NOM-CLEAR-OVERTAKEN")
    assert "the property holds in this run" in go_test_file(bug, known_release("1.31.13"), "scheduler", "")
    assert "the property holds in this run" not in go_test_file(bug, known_release("1.28.14"), "scheduler", "")


def test_what_the_real_scheduler_printed_is_read() -> None:
    """Printed on the code of 1.31.13; of each test only what says how it ended."""
    printed = ROOT / "tests/data/go-played-scheduler-1.31.13.txt"
    of = known_release("1.31.13")
    told = {id: played_on(bug_named(id), printed, of).told for id in ("PREEMPT-TWICE", "BIND-UID")}
    assert told == {"PREEMPT-TWICE": "as in the trace", "BIND-UID": "not there, as the model says"}
    with pytest.raises(InputError, match="no report of NOM-EMPTY-KEY"):
        played_on(bug_named("NOM-EMPTY-KEY"), printed, of)
