"""Go tests of bugs beside those of the kept runs: what a kept run cannot show, or in another way.

Each prints a report as the test of a kept run does, with what is run in place of the kept run.
"""

from attrs import frozen


@frozen
class OwnTest:
    """A Go file in the folder of a driver, with one test."""

    bug: str
    driver: str
    file: str
    test: str
    # What is run, as the report of the test says.
    run: str
    # What the package must have: a regular expression that matches a line.
    symbol: str
    # Whether `go test -race` says what is wrong.
    race: bool = False


OWN_TESTS = (
    OwnTest(
        "CPU-DISTRIBUTE-HANG", "cpumanager", "take_by_topology.go", "TestCpuDistributeHang",
        "takeByTopologyNUMADistributed", "^func takeByTopologyNUMADistributed",
    ),
    OwnTest(
        "CPU-UNCORE-HALF-CORES", "cpumanager", "take_by_topology.go", "TestCpuUncoreHalfCores",
        "takeByTopologyNUMAPacked", r"\) takePartialUncore\(",
    ),
    OwnTest(
        "FILTER-START-PARALLEL", "scheduler", "start_parallel.go", "TestFilterStartParallelNodes", "120 nodes",
        r"\.RunFilterPluginsWithNominatedPods\(ctx, state, pod",
    ),
    OwnTest(
        "NOM-CLEAR-OVERTAKEN", "scheduler", "another_binder.go", "TestNomClearOvertakenAnotherBinder",
        "another binder", r"^\tProfiles +profile\.Map",
    ),
    OwnTest(
        "NOM-LOCK-RACE", "scheduler", "lock_race.go", "TestNomLockRace", "the race detector",
        r"^\tFailureHandler FailureHandlerFn", race=True,
    ),
    OwnTest(
        "QUEUE-DELETE-LEAVES-COPY", "scheduling_queue", "delete_leaves_copy.go", "TestQueueDeleteLeavesCopy",
        "SchedulerPopFromBackoffQ off", r"^type backoffQueue struct",
    ),
    OwnTest(
        "QUEUE-FLUSH-SKIPS-GATED", "scheduling_queue", "flush_skips_gated.go", "TestQueueFlushSkipsGated",
        "a plugin at PreEnqueue", r"^\tpluginToEventsMap map",
    ),
)  # fmt: skip


def own_tests_of(bug: str) -> tuple[OwnTest, ...]:
    """The tests of the bug."""
    return tuple(each for each in OWN_TESTS if each.bug == bug)
