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
class OwnTest:
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


def _with_reflector(bug: str, test: str) -> OwnTest:
    return OwnTest(bug, "scheduler", f"{test}Reflector", _REFLECTOR, fields=("reflector: true",))


def _with_answer(bug: str, test: str, run: str) -> OwnTest:
    return OwnTest(bug, "scheduler", test, run, "extender_answers.go", r"^\tFailureHandler FailureHandlerFn")


OWN_TESTS = (
    OwnTest(
        "ASYNC-PREEMPT-REPEAT-LATE", "scheduler", "TestAsyncPreemptRepeatLateBehind", "a cache that is behind",
        scope="0,victims=2,goroutines=2,lag=1", release="1.36.2",
    ),
    OwnTest(
        "ASYNC-PREEMPT-REPEAT-LATE", "scheduler", "TestAsyncPreemptRepeatLatePermit", "a victim at permit",
        scope="0,victims=2,goroutines=2,waiting=1", release="1.36.2",
    ),
    OwnTest(
        "CPU-DISTRIBUTE-HANG", "cpumanager", "TestCpuDistributeHang", "takeByTopologyNUMADistributed",
        "take_by_topology.go", "^func takeByTopologyNUMADistributed",
    ),
    OwnTest(
        "CPU-UNCORE-HALF-CORES", "cpumanager", "TestCpuUncoreHalfCores", "takeByTopologyNUMAPacked",
        "take_by_topology.go", r"\) takePartialUncore\(",
    ),
    _with_answer("EXT-FILTER-WIDENS", "TestExtFilterWidens", "a whole Node object"),
    _with_answer("EXT-PREEMPT-CRASH", "TestExtPreemptCrash", "null for a node"),
    _with_answer("EXT-PREEMPT-UNCHECKED", "TestExtPreemptUnchecked", "a more important victim"),
    _with_answer("SCORE-EXTENDER-OVERFLOW", "TestScoreExtenderOverflow", "a large weight"),
    OwnTest(
        "FILTER-START-PARALLEL", "scheduler", "TestFilterStartParallelNodes", "120 nodes", "start_parallel.go",
        r"\.RunFilterPluginsWithNominatedPods\(ctx, state, pod",
    ),
    OwnTest(
        "NOM-CLEAR-OVERTAKEN", "scheduler", "TestNomClearOvertakenAnotherBinder", "another binder",
        scope="0,pods=3,high=2,nodes=1,room=1,goroutines=1,other_binders=1,preemption=1", release="1.31.13",
    ),
    OwnTest(
        "NOM-LOCK-RACE", "scheduler", "TestNomLockRace", "the race detector", "lock_race.go",
        r"^\tFailureHandler FailureHandlerFn", race=True,
    ),
    OwnTest(
        "QUEUE-DELETE-LEAVES-COPY", "scheduling_queue", "TestQueueDeleteLeavesCopy", "SchedulerPopFromBackoffQ off",
        "delete_leaves_copy.go", r"^type backoffQueue struct",
    ),
    OwnTest(
        "QUEUE-FLUSH-SKIPS-GATED", "scheduling_queue", "TestQueueFlushSkipsGated", "a plugin at PreEnqueue",
        "flush_skips_gated.go", r"^\tpluginToEventsMap map",
    ),
    OwnTest(
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


def own_tests_of(bug: str) -> tuple[OwnTest, ...]:
    """The tests of the bug."""
    return tuple(each for each in OWN_TESTS if each.bug == bug)


def run_of(bug: Bug, own: OwnTest | None) -> KeptRun:
    """The run from which a test of `bug` is generated."""
    if own is None or not own.scope:
        return kept_run(bug)
    return read_runs(bug, files("kubeproof.go") / "runs" / own.kept, f"kubeproof/go/runs/{own.kept}")[0]


def found_run(bug: Bug, own: OwnTest) -> KeptRun:
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

    for own in OWN_TESTS:
        if own.scope:
            bug = bug_named(own.bug)
            path = Path(__file__).parent / "runs" / own.kept
            path.write_text(runs_text(bug, [found_run(bug, own)]), encoding="utf-8")


if __name__ == "__main__":
    main()
