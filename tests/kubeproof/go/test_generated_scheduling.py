"""The Go tests that play kept runs of the scheduler: formatted, complete, and refused with a reason."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from attrs import evolve

from kubeproof.bugs.catalogue import BUGS, any_bug_named, bug_named
from kubeproof.bugs.runs import kept_run, read_runs, runs_text
from kubeproof.errors import InputError
from kubeproof.go.checkout import checkout
from kubeproof.go.driver import choose
from kubeproof.go.further_tests import FURTHER_TESTS, FurtherTest, found_run, further_tests_of, go_test_of
from kubeproof.go.generated import form_of, go_test_file, played_run, why_not_played
from kubeproof.go.played import further_played_on, keep, played_on
from kubeproof.go.registry import SCHEDULER
from kubeproof.go.written import write_further_tests, write_tests
from kubeproof.players.player import CannotPlayError
from model.releases import known_release
from properties.go import go_form, with_go_form
from tests.conftest import ROOT
from tests.kubeproof.go.test_drivers import DECLARED, gofmt

# Lines of the trees by which the halves are chosen, and the halves.
QUEUE = '"k8s.io/kubernetes/pkg/scheduler/internal/queue"'
FRAMEWORK = '"k8s.io/kubernetes/pkg/scheduler/framework"'
V1 = '"k8s.io/kube-scheduler/config/v1"'
PERMIT = "\trunPermitStatus := fwk.RunPermitPlugins(ctx,"
HANDLER = "type FailureHandlerFn func(nominatingInfo *framework.NominatingInfo)"
FIELDS = ("\tProfiles profile.Map", "\tFailureHandler FailureHandlerFn", HANDLER, PERMIT)
NOMINATES = "sched.SchedulingQueue.AddNominatedPod("
BY_CLIENT, BY_CONTEXT = "func New(client clientset.Interface,", "func New(ctx context.Context,"
INTERNAL, EXPORTED = "func (sched *Scheduler) scheduleOne(ctx", "func (sched *Scheduler) ScheduleOne(ctx"
DONE = "sched.SchedulingQueue.Done("
REGISTERS, REGISTERS_WITH_CONTEXT = "events := e.EventsToRegister()", "events, err := e.EventsToRegister(ctx)"
ACTIVATES = "\t\tfwk.SetPodActivator(podQueue)"
LOGGED = NOMINATES + "logger, podInfo.PodInfo, nominatingInfo)"
TREES = {
    "1.16": (
        (
            QUEUE, 'framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"',
            '"k8s.io/kubernetes/pkg/scheduler/factory"', "\tFramework framework.Framework",
            "\tError func(*v1.Pod, error)", "\tPodPreemptor factory.PodPreemptor", BY_CLIENT,
            "\tpodInformer coreinformers.PodInformer,", "\trecorder events.EventRecorder,",
            "\tcsiNodeInformer storageinformersv1beta1.CSINodeInformer,", "factory.NewConfigFactory(",
            "func (sched *Scheduler) scheduleOne() {", PERMIT, '\t"k8s.io/klog"',
            "\tpluginContext := framework.NewPluginContext()",
        ),
        "names_factory, calls_no_context, points_plugin_context, permit_in_binding, exit_klog, config_factory, "
        "hold_pod, start_informers, cycle_no_context, queue_exported_preemptor, flight_none, rejecting_none, "
        "preemption_none, "
        "api_calls_none",
    ),
    "1.17": (
        (
            QUEUE, 'framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"',
            '"k8s.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"', "\tFramework framework.Framework",
            "\tError func(*framework.PodInfo, error)", "\tpodPreemptor podPreemptor", "func WithFrameworkPlugins(",
            BY_CLIENT, "type Configurator struct {", "\tpodInformer coreinformers.PodInformer,",
            "\trecorder events.EventRecorder,", INTERNAL, "type podPreemptor interface {",
            "sched.SchedulingQueue.UpdateNominatedPodForNode(preemptor, nodeName)", PERMIT, '\t"k8s.io/klog"',
            "\tstate := framework.NewCycleState()",
        ),
        "names_v1alpha1, calls_no_context, points_state, permit_in_binding, exit_klog, config_policy, hold_error_func, "
        "start_pod_informer, cycle_internal, queue_preemptor, flight_none, rejecting_none, preemption_none, "
        "api_calls_none",
    ),
    "1.22": (
        (
            QUEUE, FRAMEWORK, '"k8s.io/kube-scheduler/config/v1beta2"', "\tProfiles profile.Map", "\tnominator := x",
            "\tAlgorithm ScheduleAlgorithm", "\tError func(*framework.QueuedPodInfo, error)", BY_CLIENT,
            "type Configurator struct {", INTERNAL, NOMINATES + "podInfo.PodInfo, nominatedNode)",
            PERMIT, '\t"k8s.io/klog/v2"',
        ),
        "names_framework, calls, points_profiles, permit_status, exit_klog_v2, config_v1beta2, "
        "hold_algorithm, start_recorder, cycle_internal, queue_node_name, flight_none, rejecting_none, "
        "preemption_none, api_calls_none",
    ),
    "1.27": (
        (QUEUE, FRAMEWORK, V1, *FIELDS, BY_CLIENT, INTERNAL, NOMINATES + "podInfo.PodInfo, nominatingInfo)"),
        "names_framework, calls, points_profiles, permit_status, exit_os, config_v1, "
        "hold_fields, start_stop, cycle_internal, queue_plain, flight_none, rejecting_none, preemption_none, "
        "api_calls_none",
    ),
    "1.28": (
        (QUEUE, FRAMEWORK, V1, *FIELDS, BY_CONTEXT, INTERNAL, LOGGED, DONE, REGISTERS),
        "names_framework, calls, points_profiles, permit_status, exit_os, config_v1, "
        "hold_fields, start_context, cycle_internal, queue_logger, flight_done, rejecting_plain, preemption_none, "
        "api_calls_none",
    ),
    "1.31": (
        (QUEUE, FRAMEWORK, V1, *FIELDS, BY_CONTEXT, EXPORTED, LOGGED, DONE, REGISTERS_WITH_CONTEXT),
        "names_framework, calls, points_profiles, permit_status, exit_os, config_v1, "
        "hold_fields, start_context, cycle_exported, queue_logger, flight_done, rejecting_context, preemption_none, "
        "api_calls_none",
    ),
    "1.33": (
        (
            '"k8s.io/kubernetes/pkg/scheduler/backend/queue"', "\tinternalqueue.WithClock(options.clock),", FRAMEWORK,
            V1, *FIELDS, BY_CONTEXT, EXPORTED, LOGGED, DONE, REGISTERS_WITH_CONTEXT, ACTIVATES,
        ),
        "names_moved_queue, calls, points_profiles, permit_status, exit_os, config_v1, hold_fields, start_context, "
        "cycle_exported, queue_logger, flight_done, rejecting_context, preemption, api_calls_none",
    ),
    "1.34": (
        (
            '"k8s.io/kubernetes/pkg/scheduler/backend/queue"', FRAMEWORK, '"k8s.io/kube-scheduler/framework"', V1,
            *FIELDS, "state fwk.CycleState, pod *v1.Pod)", BY_CONTEXT, "\tAPIDispatcher *x", EXPORTED, LOGGED,
            DONE, REGISTERS_WITH_CONTEXT, ACTIVATES,
        ),
        "names_fwk, calls, points_profiles, permit_status, exit_os, config_v1, hold_fields, start_dispatcher, "
        "cycle_exported, queue_fwk, flight_done, rejecting_fwk, preemption, api_calls",
    ),
    "1.36": (
        (
            '"k8s.io/kubernetes/pkg/scheduler/backend/queue"', FRAMEWORK, '"k8s.io/kube-scheduler/framework"', V1,
            "\tProfiles profile.Map", "\tFailureHandler FailureHandlerFn", HANDLER.replace("framework", "fwk"),
            "\tpluginsWaitTime, runPermitStatus := schedFramework.RunPermitPlugins(ctx,", BY_CONTEXT,
            "\tAPIDispatcher *x", EXPORTED, LOGGED, DONE, REGISTERS_WITH_CONTEXT, ACTIVATES,
        ),
        "names_fwk_only, calls, points_profiles, permit_times, exit_os, config_v1, hold_fields, start_dispatcher, "
        "cycle_exported, queue_fwk, flight_done, rejecting_fwk, preemption, api_calls",
    ),
}  # fmt: skip


def tree(folder: Path, lines: Iterable[str]) -> Path:
    package = folder / "pkg/scheduler"
    package.mkdir(parents=True)
    (folder / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.22.0\n")
    (package / "scheduler.go").write_text("\n".join(["package scheduler", *lines, ""]))
    return folder


@pytest.mark.slow
def test_every_test_is_as_gofmt_writes_it_and_takes_each_action(tmp_path: Path) -> None:
    """What cannot be played says why; nothing else is left out."""
    played, reasons = set(), {}
    for bug in (bug for bug in BUGS if bug.system in ("scheduling", "scheduling-cycle")):
        try:
            text = go_test_file(go_test_of(bug), None, "scheduler", "")
        except CannotPlayError as error:
            reasons[bug.id] = str(error)
            continue
        played.add(bug.id)
        (tmp_path / f"{bug.folder}.go").write_text(text)
        assert text.count("\tk.do(") == played_run(go_test_of(bug), known_release(bug.release)).trace.length
    assert gofmt(*sorted(tmp_path.glob("*.go"))) == ""
    assert {
        "NOM-CLEAR-OVERTAKEN",
        "CACHE-RECREATE-LEAK",
        "PREEMPT-TWICE",
        "EXT-BIND-ASKS-ON",
        "NOM-STALE-RETRY",
    } <= played
    assert "fewer than 100" in reasons["FILTER-START-PARALLEL"] or "no form in Go" in reasons["FILTER-START-PARALLEL"]
    assert "has no clock" in reasons["CACHE-ASSUME-TTL"]
    assert all(reasons.values())


@pytest.mark.parametrize("release", TREES)
def test_the_halves_are_chosen_by_the_source(tmp_path: Path, release: str) -> None:
    lines, expected = TREES[release]
    chosen = choose(SCHEDULER, checkout(tree(tmp_path / "tree", lines)))
    halves = chosen.halves.values()
    # Of the two files of the race detector one is built.
    names = [name for text in chosen.sources().values() for name in DECLARED.findall(text) if name != "playedRaces"]
    assert sorted(names) == sorted(set(names))
    assert [half.file.removesuffix(".go") for half in halves] == expected.split(", ")


def test_a_tree_of_an_unknown_half_is_refused_in_one_line(tmp_path: Path) -> None:
    lines, _ = TREES["1.31"]
    place = tree(tmp_path / "tree", [line.replace("internal/queue", "another/queue") for line in lines])
    with pytest.raises(InputError, match=r"scheduler does not know this source: names: neither .*internal/queue"):
        choose(SCHEDULER, checkout(place))


def test_what_the_package_cannot_know_goes_by_the_rules_of_the_release() -> None:
    """The API server looks at the UID of a Binding from 1.23 on."""
    bug = bug_named("BIND-UID")
    assert "bindsAnyUID: true" in go_test_file(go_test_of(bug), known_release("1.22.6"), "scheduler", "")
    assert "bindsAnyUID" not in go_test_file(go_test_of(bug), known_release("1.31.13"), "scheduler", "")


def test_a_run_of_a_bug_is_played_under_the_rules_of_another_release() -> None:
    bug = bug_named("NOM-CLEAR-OVERTAKEN")
    assert "the property holds in this run" in go_test_file(go_test_of(bug), known_release("1.31.13"), "scheduler", "")
    assert "the property holds in this run" not in go_test_file(
        go_test_of(bug), known_release("1.28.14"), "scheduler", ""
    )


def test_a_property_that_a_system_shares_has_the_form_of_the_other_system() -> None:
    """NODE-REPAIR-CRASH asks what scheduling asks; CYCLE-FORGET-NO-EVENT asks more than scheduling."""
    assert "scheduler-keeps-running" not in with_go_form("scheduling-cycle")
    assert form_of(bug_named("NODE-REPAIR-CRASH")) == go_form("scheduling", "scheduler-keeps-running")
    assert form_of(bug_named("CYCLE-FORGET-NO-EVENT")) is None


def test_tests_of_their_own_are_written_beside_those_of_the_kept_runs(tmp_path: Path) -> None:
    lines, _ = TREES["1.31"]
    place = tree(tmp_path / "tree", lines)
    bug = bug_named("NOM-CLEAR-OVERTAKEN")
    written = write_tests([bug], known_release("1.31.13"), place, tmp_path / "out").packages[0]
    assert written.tests[f"{bug.id} with another binder"] == "TestNomClearOvertakenAnotherBinder"
    text = (written.out / "zz_nom_clear_overtaken_another_binder_test.go").read_text()
    assert "func TestNomClearOvertakenAnotherBinder(" in text
    assert 'k.do("bind_elsewhere", ' in text
    # In 1.17 a failed attempt has other steps.
    older = tree(tmp_path / "older", TREES["1.17"][0])
    none = write_tests([bug], known_release("1.17.17"), older, tmp_path / "out17")
    assert none.packages == ()
    assert "the kept run ends" in none.not_written[f"{bug.id} with another binder"]


@pytest.mark.parametrize("own", [own for own in FURTHER_TESTS if not own.file], ids=lambda own: own.test)
def test_a_generated_test_of_its_own_plays_a_run_that_violates_the_property(tmp_path: Path, own: FurtherTest) -> None:
    bug = bug_named(own.bug)
    run = played_run(go_test_of(bug, own), known_release(own.release or bug.release))
    assert (run.ends, run.wrong is None) == ("", False)
    text = go_test_file(go_test_of(bug, own), None, "scheduler", "")
    assert f"func {own.test}(t *testing.T) {{" in text
    assert f'Run: "{own.run}"' in text
    assert all(field in text for field in own.fields)
    (tmp_path / "own.go").write_text(text)
    assert gofmt(tmp_path / "own.go") == ""


def test_each_run_with_a_broken_watch_is_played_with_the_real_reflector() -> None:
    """But those that no driver plays in any way."""
    broken = {bug.id for bug in BUGS if getattr(kept_run(bug).scope, "relists", 0) and not why_not_played(bug)}
    assert broken == {own.bug for own in FURTHER_TESTS if own.fields}


@pytest.mark.slow
@pytest.mark.parametrize("own", [own for own in FURTHER_TESTS if own.scope], ids=lambda own: own.test)
def test_the_run_of_a_test_of_its_own_is_found_anew(own: FurtherTest) -> None:
    bug = bug_named(own.bug)
    assert found_run(bug, own) == go_test_of(bug, own).run


@pytest.mark.parametrize("own", [own for own in FURTHER_TESTS if own.scope], ids=lambda own: own.test)
def test_the_run_of_a_test_of_its_own_is_written_as_it_is_read(own: FurtherTest) -> None:
    file, bug = ROOT / "kubeproof/go/runs" / own.kept, bug_named(own.bug)
    assert runs_text(bug, read_runs(bug, file, own.kept)) == file.read_text("utf-8")


def test_what_a_test_of_its_own_said_is_kept_beside_the_kept_run(tmp_path: Path) -> None:
    bug, of = bug_named("NOM-CLEAR-OVERTAKEN"), known_release("1.31.13")
    own = further_tests_of(bug.id)[0]
    digest, length = played_run(go_test_of(bug, own), of).digest, len(go_test_of(bug, own).run.actions)
    report = {
        "bug": bug.id, "run": own.run, "release": "1.31.13", "trace": digest, "halves": "", "property": bug.violates,
        "actions": length, "taken": length, "stopped": "",
        "differs_at": 0, "differs": "", "violated": "p1 stays nominated", "violated_at": length,
    }  # fmt: skip
    printed = tmp_path / "played.txt"
    printed.write_text(f"    x_test.go:1: kubeproof-played {json.dumps(report)}\n--- FAIL: {own.test} (0.00s)\n")
    found = further_played_on(bug, own, printed, of)
    assert (found.told, found.same, found.held) == ("with another binder: the property is violated", True, False)
    with pytest.raises(InputError, match=f"no report of {bug.id}"):
        played_on(bug, printed, of)
    for each in (found, evolve(found, release="1.28.14"), evolve(found, run="", result="differs at state 1: x")):
        path = keep(bug, each, _folder_of(bug.folder, tmp_path))
    rows = json.loads(path.read_text())["played"]
    assert [(row["release"], row.get("run")) for row in rows] == [
        ("1.28.14", own.run), ("1.31.13", None), ("1.31.13", own.run),
    ]  # fmt: skip


def test_a_bug_of_components_has_a_test_for_the_race_detector(tmp_path: Path) -> None:
    place = tree(tmp_path / "tree", TREES["1.31"][0])
    written = write_further_tests("NOM-LOCK-RACE", place, tmp_path / "out").packages[0]
    assert " -race " in written.command
    assert "func TestNomLockRace(" in (written.out / "zz_lock_race_test.go").read_text()
    with pytest.raises(InputError, match="SNAP-NIL-NODE-PANIC is shown on components, and has no Go test"):
        write_further_tests("SNAP-NIL-NODE-PANIC", place, tmp_path / "out")
    with pytest.raises(InputError, match="TestNomLockRace does not know this source"):
        write_further_tests("NOM-LOCK-RACE", tree(tmp_path / "older", TREES["1.22"][0]), tmp_path / "out")


@pytest.mark.parametrize("race", [True, False])
def test_the_race_detector_says_what_is_wrong(tmp_path: Path, race: bool) -> None:
    bug, of = any_bug_named("NOM-LOCK-RACE"), known_release("1.31.13")
    own = further_tests_of(bug.id)[0]
    report = {
        "bug": bug.id, "run": own.run, "release": "", "trace": "", "halves": "", "property": "", "actions": 0,
        "taken": 0,
        "stopped": "", "differs_at": 0, "differs": "", "violated": "", "violated_at": 0,
    }  # fmt: skip
    said = "    testing.go:1490: race detected during execution of test\n--- FAIL" if race else "--- PASS"
    printed = tmp_path / "played.txt"
    printed.write_text(f"    x_test.go:1: kubeproof-played {json.dumps(report)}\n{said}: {own.test} (0.00s)\n")
    found = further_played_on(bug, own, printed, of)
    assert found.held != race
    assert found.told.endswith("is violated" if race else "holds")
    assert "-race" in found.command
    assert '"trace": ""' in keep(bug, found, _folder_of(bug.folder, tmp_path)).read_text()


def _folder_of(name: str, folder: Path) -> Path:
    (folder / name).mkdir(exist_ok=True)
    return folder


def test_what_the_real_scheduler_printed_is_read() -> None:
    """Printed on the code of 1.31.13; of each test only what says how it ended."""
    printed = ROOT / "tests/data/go-played-scheduler-1.31.13.txt"
    of = known_release("1.31.13")
    told = {id: played_on(bug_named(id), printed, of).told for id in ("PREEMPT-TWICE", "BIND-UID")}
    assert told == {"PREEMPT-TWICE": "as in the trace", "BIND-UID": "not there, as the model says"}
    with pytest.raises(InputError, match="no report of NOM-EMPTY-KEY"):
        played_on(bug_named("NOM-EMPTY-KEY"), printed, of)
