"""The scheduling cycle, step by step: from Pop to assume, or to a failure.

Go: scheduleOne in pkg/scheduler/scheduler.go (1.26 on: schedulingCycle in schedule_one.go). One cycle at a time. Steps
of the cycle that touch the cache commute with those of others that touch the queue only, and the other way round.
"""

from collections.abc import Iterator
from typing import TypeVar

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.places import always
from model.scheduler.cache.cache import update_snapshot
from model.scheduler.cache.state import CacheSnapshot, SnapshotUpdate
from model.scheduler.cycle import steps_after_failure
from model.scheduler.eventhandlers import after
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling import fitting
from model.systems.scheduling.normal import with_few_attempts
from model.systems.scheduling.preemption_steps import PREEMPTION
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.systems.scheduling.step import (
    CACHE_LOCK,
    CYCLE,
    NOMINATOR_LOCK,
    QUEUE_LOCK,
    OwnStep,
    Stepped,
    call_done,
    done,
)
from model.world.api_server import live, write_pod
from model.world.calls_in import call_cache, execute, with_queue
from model.world.go_files import CACHE_GO, GENERIC_GO, NOMINATOR_GO, QUEUE_GO, SCHEDULER_GO, at, via
from model.world.goroutines import Choice, always_idle, own_step
from model.world.step import Step, never

G = TypeVar("G", bound=Goroutine)


def failed(setup: SchedulingSetup, goroutine: G, no_node_fits: bool) -> G:
    """The attempt failed: with a FitError if `no_node_fits`, which alone leads to preemption, else with an error."""
    rules = setup.rules
    steps = steps_after_failure(rules.error_func(), rules.preempts_first, no_node_fits)
    if not setup.scope.preemption:
        steps = tuple(step for step in steps if step not in PREEMPTION)
    # Nobody was preempted yet, and after an error nobody will be.
    silent = no_node_fits and not setup.scope.preemption
    nothing = rules.nominate_without_post_filter() if silent else rules.nominate_without_candidate()
    return evolve(goroutine, steps=steps, node=nothing, candidates=(), victims=(), clear=())


def pop(setup: SchedulingSetup, state: Scheduling, action: Action) -> Scheduling:
    """Pop, under PriorityQueue.lock: the first of activeQ is in the cycle."""
    info, queue = popped(setup, state.queue, action["pod"])
    return evolve(state, queue=queue, cycle=None if info is None else Goroutine(("schedule",), info))


def snapshots(setup: SchedulingSetup, state: Scheduling) -> tuple[SnapshotUpdate, ...]:
    """Every way in which UpdateSnapshot may end; from nothing unless the scope keeps the last snapshot."""
    last = state.snapshot if setup.scope.keep_snapshot else CacheSnapshot()
    return update_snapshot(setup.rules, state.cache, last)


def _ways(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Iterator[Choice]:
    """Which of the ways UpdateSnapshot takes."""
    ways = len(snapshots(setup, state)) if setup.scope.keep_snapshot else 1
    for way in range(ways):
        yield (("way", way),) if ways > 1 else ()


def schedule(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """`skipPodSchedule`, then UpdateSnapshot, each a hold of schedulerCache.mu.

    Both are one step. `skipPodSchedule` only asks whether the popped pod is assumed. Between them only the pod's own
    bind event, expiry or failed binding changes this, from assumed to not assumed. The effect is that of a later `Pop`.
    """
    calls = setup.rules.skip_pod_schedule(goroutine.pod)
    while calls and calls[0].component != "cycle":
        answer, state = execute(setup, state, calls[0])
        calls = after(setup.rules, calls, answer)
    if not calls:
        return _skipped(setup, state, goroutine)
    ways = snapshots(setup, state)
    update = ways[action["way"] if action and len(ways) > 1 else 0]
    met_error("UpdateSnapshot", update.error)
    state = evolve(state, snapshot=update.snapshot)
    if update.cache is not state.cache:
        state = evolve(state, cache=update.cache)
    if update.error or not update.snapshot.node_info_list:
        return state, failed(setup, goroutine, no_node_fits=False)
    return state, evolve(goroutine, steps=("find_nodes",))


def _skipped(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Stepped:
    """The cycle ends without an attempt; with the gate SchedulerQueueingHints on, Done is called (1.32 on)."""
    if setup.queue.hints is not None and setup.rules.done_when_skipped():
        state = call_done(setup, state, goroutine)
    return state, done(goroutine)


def find_nodes(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """findNodesThatFit: reads the snapshot, and node by node the nominated pods under the nominator's lock."""
    snapshot = state.snapshot
    if fitting.ghosts(snapshot) and setup.rules.panics_at_nil_node():
        return evolve(state, crashed="podFitsOnNode: nil pointer dereference"), done(goroutine)
    nominations = fitting.nominations(setup.queue, state.queue)
    feasible, plugins = fitting.filtered(snapshot, nominations, goroutine.pod)
    goroutine = evolve(goroutine, rejected_by=plugins)
    if not feasible:
        return state, failed(setup, goroutine, no_node_fits=True)
    return state, found(setup, goroutine, feasible)


def found(setup: SchedulingSetup, goroutine: G, feasible: tuple[str, ...]) -> G:
    """The pod fits on these nodes: the extender is asked about them, or one is chosen."""
    steps = ("call_extenders", "choose") if setup.scope.extender else ("choose",)
    return evolve(goroutine, candidates=feasible, steps=steps)


def call_extenders(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """The extender's filter verb, a call over the network without a lock; what it writes to the pod is there first."""
    reply = setup.rules.extender_filter(goroutine.pod, goroutine.candidates)
    current = live(state, goroutine.pod)
    if reply.annotate and current is not None:
        annotations = tuple(sorted({**dict(current.annotations), **dict(reply.annotate)}.items()))
        state = write_pod(state, evolve(current, annotations=annotations))
    if reply.error:
        met_error("Filter", "the extender answers with an error", goroutine.pod.uid)
        return state, failed(setup, goroutine, no_node_fits=False)
    kept = tuple(node for node in goroutine.candidates if node in reply.nodes)
    if len(kept) < len(goroutine.candidates):
        goroutine = evolve(goroutine, rejected_by=goroutine.rejected_by | setup.rules.extender_plugins())
    if not kept:
        return state, failed(setup, goroutine, no_node_fits=True)
    return state, evolve(goroutine, candidates=kept)


def choose(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """selectHost: scores are not modelled, so any of the nodes is possible; `assume` says which. Touches nothing."""
    nodes = setup.rules.prefer(goroutine.pod.nominated_node_name, goroutine.candidates)
    goroutine = evolve(goroutine, candidates=tuple(sorted(nodes)), rejected_by=frozenset())
    return state, evolve(goroutine, steps=("assume", "delete_nominated_pod"))


def _to_a_node(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Iterator[Choice]:
    for node in goroutine.candidates:
        yield (("node", node),)


def assume(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """AssumePod, under schedulerCache.mu."""
    assert action is not None
    node = action["node"]
    pod = evolve(goroutine.pod, node_name=node)
    goroutine = evolve(goroutine, info=evolve(goroutine.info, pod=pod), candidates=(), node=node)
    outcome, state = call_cache(setup, state, "assume_pod", pod)
    if outcome.error is not None:
        return state, failed(setup, goroutine, no_node_fits=False)
    return state, goroutine


def delete_nominated_pod(
    setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None
) -> Stepped:
    """DeleteNominatedPodIfExists; then the binding goroutine starts.

    With the gate SchedulerQueueingHints on the goroutine calls Done first, as no plugin waits at Permit or works in
    PreBind (1.32 on). One step: what is kept for the pod until then nobody asks for, since a binding that fails is an
    error; and whether Pop discards the pod or the cycle skips it, the pod leaves the queue.
    """
    queue = queue_functions.delete_nominated_pod_if_exists(setup.queue, state.queue, goroutine.pod)
    binding = Goroutine(("bind",), goroutine.info, node=goroutine.node)
    state = call_done(setup, with_queue(state, queue), goroutine)
    return evolve(state, bindings=state.bindings.start(binding)), done(goroutine)


_FILTERS = (("1.13.0", "findNodesThatFit, podFitsOnNode"), ("1.18.0-alpha.1", "findNodesThatPassFilters"))
_CHOOSES = (("1.13.0", "selectHost"), ("1.35.0", "schedulePod"))
_BEGIN = (
    ("1.13.0", "scheduler.go scheduleOne -> generic_scheduler.go Schedule"),
    ("1.18.0-alpha.1", "scheduler.go scheduleOne, skipPodSchedule -> generic_scheduler.go Schedule"),
    ("1.24.0-alpha.1", "schedule_one.go skipPodSchedule, schedulePod"),
)
POP = Step(name="pop", place=at(QUEUE_GO, "Pop"), lock=QUEUE_LOCK)
STEPS: tuple[OwnStep, ...] = (
    own_step(schedule, CYCLE, place=_BEGIN, lock=CACHE_LOCK, chooses=("way",), options=_ways),
    own_step(
        find_nodes,
        CYCLE,
        place=at(GENERIC_GO, _FILTERS),
        lock=NOMINATOR_LOCK,
        part_of=("schedule",),
        why="`schedule` touches the cache and the filters read nominations: a step of others that touches the one only "
        "commutes with the other",
    ),
    own_step(
        call_extenders,
        CYCLE,
        place=always("extender.go Filter"),
        part_of=("schedule",),
        why="a request about the pod and the nodes at hand: what others write to the pod between the two is as if it "
        "was written before the cycle began",
        needs=lambda scope: scope.extender,
    ),
    own_step(
        choose,
        CYCLE,
        place=at(GENERIC_GO, _CHOOSES),
        part_of=("schedule", "find_nodes", "call_extenders"),
        why="it touches nothing",
        apart=never,
        idle=always_idle,
    ),
    own_step(
        assume,
        CYCLE,
        place=via(at(SCHEDULER_GO, "assume"), at(CACHE_GO, "AssumePod")),
        lock=CACHE_LOCK,
        chooses=("node",),
        options=_to_a_node,
    ),
    own_step(
        delete_nominated_pod,
        CYCLE,
        place=via(at(SCHEDULER_GO, "assume"), at(NOMINATOR_GO, "DeleteNominatedPodIfExists")),
        lock=NOMINATOR_LOCK,
        part_of=("assume",),
        why="an update of the pod in between would be forgotten here as it is before `assume`",
    ),
)


def looked_at_first(setup: SchedulingSetup, queue: Queue) -> list[str]:
    """The pods at which Pop may look first; with pods in flight it may discard that one."""
    if setup.queue.hints is None:
        return [queue.active[at].pod.name for at in queue_functions.heads(setup.queue, queue)]
    head = queue_functions.head(setup.queue, queue)
    return [] if head is None else [head.pod.name]


def popped(setup: SchedulingSetup, queue: Queue, name: str) -> tuple[QueuedPodInfo | None, Queue]:
    """The record that Pop hands out, and the queue; no record if Pop discards all pods of activeQ (1.32 on).

    `name`: the pod at which Pop looks first. Up to 1.31 it is the one that Pop hands out.
    """
    queue = queue_functions.discard_before_pop(setup.queue, queue)
    if not queue.active:
        return None, queue
    names = [info.pod.name for info in queue.active]
    info, queue = queue_functions.pop(setup.queue, queue, names.index(name) if setup.queue.hints is None else 0)
    return with_few_attempts(setup, info, popped=True), queue
