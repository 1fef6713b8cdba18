"""Go tests of bugs beside those of the kept runs: what a kept run cannot show, or in another way.

Each prints a report as the test of a kept run does, with what is run in place of the kept run. A test is a Go file, or
it is generated: from the kept run, played otherwise, or from another run, which

    python -m kubeproof.go.further_tests

looks for and writes into kubeproof/go/runs.
"""

from importlib.resources import files
from pathlib import Path

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.runs import KeptRun, kept_run, read_runs, runs_text
from kubeproof.engines import explicit
from kubeproof.systems.registry import system_named
from model.releases import known_release, rules_for


@frozen
class FurtherTest:
    """One test of a bug."""

    bug: str
    driver: str
    test: str
    # What is run, as the report of the test says.
    run: str
    # A Go file in the folder of the driver; "": the test is generated from a run.
    file: str = ""
    # What the package must have: a regular expression that matches a line.
    symbol: str = ""
    # Whether `go test -race` says what is wrong.
    race: bool = False
    # The scope and the release of the run; "": the run is the kept one.
    scope: str = ""
    release: str = ""
    # Further fields of the Go scope.
    fields: tuple[str, ...] = ()

    @property
    def kept(self) -> str:
        """The name of the file with the run."""
        return f"{self.bug.lower()}-{self.run.replace(' ', '-')}.json"


_REFLECTOR = "the real reflector"


def _with_reflector(bug: str, test: str) -> FurtherTest:
    return FurtherTest(bug, "scheduler", f"{test}Reflector", _REFLECTOR, fields=("reflector: true",))


def _with_answer(bug: str, test: str, run: str) -> FurtherTest:
    return FurtherTest(bug, "scheduler", test, run, "extender_answers.go", r"^\tFailureHandler FailureHandlerFn")


FURTHER_TESTS = (
    FurtherTest(
        "ASYNC-PREEMPT-REPEAT-LATE", "scheduler", "TestAsyncPreemptRepeatLateBehind", "a cache that is behind",
        scope="0,victims=2,goroutines=2,lag=1", release="1.36.2",
    ),
    FurtherTest(
        "ASYNC-PREEMPT-REPEAT-LATE", "scheduler", "TestAsyncPreemptRepeatLatePermit", "a victim at permit",
        scope="0,victims=2,goroutines=2,waiting=1", release="1.36.2",
    ),
    FurtherTest(
        "CPU-DISTRIBUTE-HANG", "cpumanager", "TestCpuDistributeHang", "takeByTopologyNUMADistributed",
        "take_by_topology.go", "^func takeByTopologyNUMADistributed",
    ),
    FurtherTest(
        "CPU-UNCORE-HALF-CORES", "cpumanager", "TestCpuUncoreHalfCores", "takeByTopologyNUMAPacked",
        "take_by_topology.go", r"\) takePartialUncore\(",
    ),
    _with_answer("EXT-FILTER-WIDENS", "TestExtFilterWidens", "a whole Node object"),
    _with_answer("EXT-PREEMPT-CRASH", "TestExtPreemptCrash", "null for a node"),
    _with_answer("EXT-PREEMPT-UNCHECKED", "TestExtPreemptUnchecked", "a more important victim"),
    _with_answer("SCORE-EXTENDER-OVERFLOW", "TestScoreExtenderOverflow", "a large weight"),
    FurtherTest(
        "FILTER-START-PARALLEL", "scheduler", "TestFilterStartParallelNodes", "120 nodes", "start_parallel.go",
        r"\.RunFilterPluginsWithNominatedPods\(ctx, state, pod",
    ),
    FurtherTest(
        "NOM-CLEAR-OVERTAKEN", "scheduler", "TestNomClearOvertakenAnotherBinder", "another binder",
        scope="0,pods=3,high=2,nodes=1,room=1,goroutines=1,other_binders=1,preemption=1", release="1.31.13",
    ),
    FurtherTest(
        "NOM-LOCK-RACE", "scheduler", "TestNomLockRace", "the race detector", "lock_race.go",
        r"^\tFailureHandler FailureHandlerFn", race=True,
    ),
    FurtherTest(
        "QUEUE-DELETE-LEAVES-COPY", "scheduling_queue", "TestQueueDeleteLeavesCopy", "SchedulerPopFromBackoffQ off",
        "delete_leaves_copy.go", r"^type backoffQueue struct",
    ),
    FurtherTest(
        "QUEUE-FLUSH-SKIPS-GATED", "scheduling_queue", "TestQueueFlushSkipsGated", "a plugin at PreEnqueue",
        "flush_skips_gated.go", r"^\tpluginToEventsMap map",
    ),
    FurtherTest(
        "QH-UPDATE-AFTER-DONE", "scheduler", "TestQhUpdateAfterDoneAfterPermit", "done after permit",
        scope="0,pods=1,goroutines=2,gate=1,deletes=1,graceful=1", release="1.36.3",
    ),
    _with_reflector("CACHE-MISSED-DELETE", "TestCacheMissedDelete"),
    _with_reflector("CACHE-RECREATE-EXIT", "TestCacheRecreateExit"),
    _with_reflector("CACHE-RECREATE-LEAK", "TestCacheRecreateLeak"),
    _with_reflector("CACHE-RECREATE-UID", "TestCacheRecreateUid"),
    _with_reflector("CACHE-REQUESTED-DRIFT", "TestCacheRequestedDrift"),
    _with_reflector("PERMIT-DELETE-MISSED", "TestPermitDeleteMissed"),
    _with_reflector("QUEUE-UPDATE-OTHER-SCHEDULER", "TestQueueUpdateOtherScheduler"),
)  # fmt: skip


def further_tests_of(bug: str) -> tuple[FurtherTest, ...]:
    """The tests of the bug."""
    return tuple(each for each in FURTHER_TESTS if each.bug == bug)


@frozen
class GoTest:
    """A Go test that is generated from a run of a bug."""

    bug: Bug
    run: KeptRun
    # Beside the test of the kept run, this one; None: it is that test.
    further: FurtherTest | None = None

    @property
    def name(self) -> str:
        """TestCpuInitLeak of the kept run of CPU-INIT-LEAK."""
        if self.further is not None:
            return self.further.test
        return "Test" + "".join(word.capitalize() for word in self.bug.id.split("-"))

    @property
    def of(self) -> str:
        """The bug, and what is run in place of its kept run."""
        return self.bug.id if self.further is None else f"{self.bug.id} with {self.further.run}"

    @property
    def file(self) -> str:
        """The name of its Go file, without an ending."""
        return self.bug.folder if self.further is None else self.further.kept.removesuffix(".json")


def go_test_of(bug: Bug, further: FurtherTest | None = None) -> GoTest:
    """The test that plays the kept run of `bug`, or a further one, which has no Go file of its own."""
    if further is None or not further.scope:
        return GoTest(bug, kept_run(bug), further)
    place = files("kubeproof.go") / "runs" / further.kept
    return GoTest(bug, read_runs(bug, place, f"kubeproof/go/runs/{further.kept}")[0], further)


def found_run(bug: Bug, own: FurtherTest) -> KeptRun:
    """A shortest run of the test's scope that violates the property of `bug`."""
    system = system_named(bug.system)
    scope = system.parse_scope(own.scope)
    machine = system.machine(scope, rules_for(system.rules_class, known_release(own.release)))
    (result,) = explicit.check(machine, [system.property_named(bug.violates)])
    assert result.trace is not None, result.outcome
    return KeptRun(bug, bug.violates, own.release, scope, result.trace.actions, result.trace.loop)


def main() -> None:
    """Write the runs that are not those of bugs."""
    from kubeproof.bugs.catalogue import bug_named

    for own in FURTHER_TESTS:
        if own.scope:
            bug = bug_named(own.bug)
            path = Path(__file__).parent / "runs" / own.kept
            path.write_text(runs_text(bug, [found_run(bug, own)]), encoding="utf-8")


if __name__ == "__main__":
    main()
