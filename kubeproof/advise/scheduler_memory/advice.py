"""What an operator can do, and which further input would tell more. Pure."""

from kubeproof.advise.scheduler_memory.bugs import of_release, upgrades
from kubeproof.advise.scheduler_memory.exposition import COMMAND
from kubeproof.advise.scheduler_memory.figures import GATE
from kubeproof.advise.scheduler_memory.growth import Growth
from kubeproof.advise.scheduler_memory.heap_profile import COMMAND as COMMAND_OF_PROFILE
from kubeproof.advise.scheduler_memory.in_flight import InFlight
from kubeproof.advise.scheduler_memory.question import MemoryQuestion, default_gate

SECOND_DUMP = f"a second dump of the same process, some hours later: {COMMAND}"
PROFILE = f"a heap profile, {COMMAND_OF_PROFILE} FILE: container/list.(*List).insertValue has 48 bytes for each element"
LOG = "the log at -v=5: inFlightEventsSize in the lines `Checking events for in-flight pod`"

SKIPPED = "the events `skip schedule deleting pod`, which name pods that were never done"
AT_REST = (
    "a dump while no pod is being scheduled or bound: pods that scheduler_inflight_events counts then are never done"
)
GOROUTINES = "the goroutines: /debug/pprof/goroutine?debug=1 of the scheduler says where"


def advice_of(asked: MemoryQuestion, fits: bool) -> tuple[str, ...]:
    """What to do if a bug fits, in order."""
    if not fits or asked.release is None:
        return ()
    steps = []
    if asked.may_switch_off:
        steps.append(
            f"switch the gate off: kube-scheduler --feature-gates={GATE}=false. The cost: events move pods in vain, a "
            "scheduling attempt each"
        )
    better = upgrades(asked.release)
    if better.off is not None and default_gate(asked.release):
        first, last = better.off
        steps.append(f"upgrade to a release from {first} to {last}, where the gate is off by default")
    if better.without_leak and any_leak(asked):
        *some, last = better.without_leak
        patches = f"{', '.join(some)} or {last}" if some else last
        lead = "or upgrade" if steps else "upgrade"
        steps.append(f"{lead} to {patches}, or a later patch: with the gate on these have no such leak")
    if any_leak(asked):
        steps.append("until then restart the scheduler before it reaches its limit: the list begins empty")
    else:
        steps.append("find out for what pods wait in Permit or PreBind, and shorten these waits")
    return tuple(steps)


def any_leak(asked: MemoryQuestion) -> bool:
    """Whether the release has a bug that leaks, with the gate on."""
    return asked.release is not None and any(bug.leaks for bug in of_release(asked.release))


def next_input(asked: MemoryQuestion, settled: bool, growth: Growth | None, in_flight: InFlight) -> str:
    """The one further input that would tell most, or "". `settled`: nothing grows, or a bug was seen at work."""
    if settled:
        return ""
    if asked.release is None and asked.gate.on is not False:
        return "the release: --release, or a dump with kubernetes_build_info"
    if in_flight.grows:
        own = () if asked.release is None else of_release(asked.release)
        if any(bug.id == "QH-DONE-SKIP" for bug in own):
            return SKIPPED
        return AT_REST if any_leak(asked) else f"{GOROUTINES} the binding cycles wait"
    if growth is None:
        return SECOND_DUMP
    if growth.memory_grows and not growth.heap_grows:
        return "what the kernel says of the process: RssAnon and AnonHugePages in /proc/PID/smaps_rollup"
    if in_flight.how == "not to be seen in this release":
        return f"{PROFILE}; or {LOG}"
    if growth.grows("goroutines"):
        return f"{GOROUTINES} they wait"
    if in_flight.how == "not in these files":
        return "a dump with scheduler_inflight_events"
    return PROFILE if not in_flight.estimated_long else LOG
