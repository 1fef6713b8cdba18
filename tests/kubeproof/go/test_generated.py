"""The Go tests that play kept runs: formatted, complete, and refused with a reason where Go cannot play a run."""

import json
from pathlib import Path

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.errors import InputError
from kubeproof.go.further_tests import go_test_of
from kubeproof.go.generated import form_of, go_test_file, played_run
from kubeproof.go.written import write_tests
from kubeproof.players.player import CannotPlayError
from kubeproof.systems.registry import system_named
from kubeproof.verdict.violation import violation
from model.releases import known_release
from properties.go import go_name
from tests.kubeproof.go.test_drivers import gofmt

CPU_PACKAGE = "pkg/kubelet/cm/cpumanager"
# What the halves are chosen by, in two trees.
OF_1_31 = """package cpumanager

import "k8s.io/utils/cpuset"

type runtimeService interface {
	UpdateContainerResources(ctx context.Context, id string, resources *runtimeapi.ContainerResources) error
}

func NewManager(cpuPolicyName string, cpuPolicyOptions map[string]string) (Manager, error) {}
"""
OF_1_20 = """package cpumanager

import runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"

func NewManager(cpuPolicyName string, reconcilePeriod time.Duration) (Manager, error) {}
func (m *manager) Allocate(p *v1.Pod, c *v1.Container) error {}
func (m *manager) AddContainer(p *v1.Pod, c *v1.Container, containerID string) error {}
"""
OF_1_17 = (
    "package cpumanager\n\nfunc NewManager(cpuPolicyName string, reconcilePeriod time.Duration) (Manager, error) {}\n"
)


def tree(folder: Path, source: str) -> Path:
    (folder / CPU_PACKAGE).mkdir(parents=True)
    (folder / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.22.0\n")
    (folder / CPU_PACKAGE / "cpu_manager.go").write_text(source)
    return folder


def written(bug: Bug, release: str = "") -> str:
    return go_test_file(go_test_of(bug), known_release(release) if release else None, "cpumanager", "")


def test_every_test_is_as_gofmt_writes_it_and_takes_each_action(tmp_path: Path) -> None:
    """What cannot be played says why; nothing else is left out."""
    reasons = {}
    for bug in (bug for bug in BUGS if bug.system == "cpu-manager"):
        try:
            text = written(bug)
        except CannotPlayError as error:
            reasons[bug.id] = str(error)
            continue
        (tmp_path / f"{bug.folder}.go").write_text(text)
        run = played_run(go_test_of(bug), known_release(bug.release))
        assert run.wrong is not None
        taken = [line for line in text.splitlines() if line.startswith("\tk.") and "state(" not in line]
        asked = [line for line in taken if go_name(form_of(bug) or "") in line]
        assert len(asked) == 1
        settings = [line for line in taken if line.endswith(" = true")]
        assert len(taken) - len(asked) - len(settings) == run.trace.length
        assert f"func {go_test_of(bug).name}(t *testing.T)" in text
        assert all(address in text for address in (*bug.issues, *bug.fixes))
    assert gofmt(*sorted(tmp_path.glob("*.go"))) == ""
    before_1_18 = {bug.id for bug in BUGS if bug.system == "cpu-manager" and known_release(bug.release).minor < 18}
    assert set(reasons) == before_1_18
    assert all("the driver begins with 1.18" in reason for reason in reasons.values())


def test_a_release_without_the_bug_gets_a_test_that_says_so() -> None:
    assert "the property holds in this run" in written(bug_named("CPU-SIDECAR-REUSE"), "1.31.13")
    assert "the property holds in this run" not in written(bug_named("CPU-SIDECAR-REUSE"), "1.28.14")
    with pytest.raises(CannotPlayError, match=r"under the rules of 1.22.0 the kept run ends: action 1, create_pod"):
        written(bug_named("CPU-SIDECAR-REUSE"), "1.22.0")


def test_a_release_that_the_system_does_not_know_is_not_played() -> None:
    with pytest.raises(CannotPlayError, match=r"queueing-hints knows 1\.28 to 1\.36"):
        written(bug_named("QH-REQUEUED-BEFORE-ADD"), "1.22.6")


def test_what_the_driver_cannot_know_of_the_kubelet_goes_by_the_rules_of_the_release() -> None:
    during = bug_named("CPU-STALE-DURING-ADMISSION")
    assert "k.activeAfterAdmission = true" in written(during, "1.22.0")
    assert "k.activeAfterAdmission = true" not in written(during, "1.22.2")
    stop = bug_named("CPU-FREE-AT-CONTAINER-STOP")
    assert "k.removesAtStop = true" in written(stop, "1.18.3")
    assert "k.removesAtStop = true" not in written(stop, "1.18.4")


@pytest.mark.parametrize(
    ("source", "halves"), [(OF_1_31, "new_options, runtime_utils_cpuset"), (OF_1_20, "new_error, runtime_v1alpha2")]
)
def test_a_test_is_written_with_the_halves_of_the_tree(tmp_path: Path, source: str, halves: str) -> None:
    place = tree(tmp_path / "tree", source)
    before = sorted(place.rglob("*"))
    made = write_tests([bug_named("CPU-INIT-LEAK")], known_release("1.31.13"), place, tmp_path / "out")
    (package,) = made.packages
    assert package.tests == {"CPU-INIT-LEAK": "TestCpuInitLeak"}
    assert "-run '^TestCpuInitLeak$'" in package.command
    assert f'Halves: "{halves}"' in (package.out / "zz_cpu_init_leak_test.go").read_text()
    replaced = json.loads((package.out / "overlay.json").read_text())["Replace"]
    assert {Path(path).parent for path in replaced} == {place / CPU_PACKAGE}
    assert all(Path(path).read_text().startswith(("package cpumanager\n", "//")) for path in replaced.values())
    assert sorted(place.rglob("*")) == before


def test_a_tree_of_an_unknown_half_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cpumanager does not know this source: manager: neither .*NewManager"):
        write_tests([bug_named("CPU-INIT-LEAK")], None, tree(tmp_path / "tree", OF_1_17), tmp_path / "out")


def test_a_system_without_a_driver_says_so(tmp_path: Path) -> None:
    made = write_tests([bug_named("PREEMPT-LEAK")], None, tree(tmp_path / "tree", OF_1_31), tmp_path / "out")
    assert made.packages == ()
    assert made.not_written["PREEMPT-LEAK"].startswith("no driver plays runs of preemption")


def test_a_run_that_violates_the_property_before_its_end_is_expected_to() -> None:
    """A test asks after each action. In 1.18.2 an init container's CPUs are shared too, until the app takes them."""
    run = played_run(go_test_of(bug_named("CPU-INIT-REMOVE-FREES-SIBLING")), known_release("1.18.2"))
    property = system_named(run.bug.system).property_named(run.bug.violates)
    assert run.wrong is not None
    assert violation(run.machine, property, run.trace) is None
