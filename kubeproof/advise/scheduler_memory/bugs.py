"""Which bugs of queueing hints make memory grow, and which release has each: found by runs of the queue's own rules.

One run for each bug, under the rules of a release with the gate on: what is retained at the end says whether the
release has the bug. So the release rows decide, not a table of this file.
"""

from collections.abc import Callable
from functools import cache
from itertools import dropwhile, groupby, takewhile

from attrs import evolve, frozen

from kubeproof.advise.scheduler_memory.question import FIRST_WITH_HINTS, default_gate, release_of
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from model.objects import Pod
from model.releases import LAST_PATCH, Release, rules_for
from model.scheduler.done import DoneRules
from model.scheduler.queue import events, scheduling_queue as queue
from model.scheduler.queue.events import Registration
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import InFlightEvent, Queue, QueueConfig, QueuedPodInfo

# Events that come in each run after what sets the bug off.
EVENTS = 3
UPSTREAM = "https://github.com/kubernetes/kubernetes"
PODS = (Pod("a", "a#1"), Pod("b", "b#1"))


@frozen
class HintsBug:
    """A bug that retains events."""

    id: str
    title: str
    # Whether what is retained stays after every cycle has ended (a leak), or until the oldest cycle ends.
    leaks: bool
    # What must have happened.
    how: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    # How many of `EVENTS` events are retained at the end of the bug's run, in a queue of this release.
    retained: Callable[[Release], int]

    def in_release(self, release: Release) -> bool:
        """Whether the release has the bug with the gate on."""
        return release.version >= FIRST_WITH_HINTS and self.retained(release) > 0


def setup_of(release: Release) -> QueueSetup:
    """The queue of the release with the gate on, in which some plugin waits for new nodes."""
    config = QueueConfig(cluster_event_map=(Registration("NodeResourcesFit", events.NODE_ADD),))
    hints = rules_for(QueueingHintRules, release)
    return QueueSetup(rules_for(QueueRules, release), rules_for(NominatorRules, release), config, hints, True)


def _popped(setup: QueueSetup, state: Queue, pod: Pod) -> Queue:
    """The queue with one more pod, which Pop hands out."""
    _, state = queue.pop(setup, queue.add(setup, state, pod, 0))
    return state


def _with_events(setup: QueueSetup, state: Queue, event: events.ClusterEvent = events.NODE_ADD) -> Queue:
    for now in range(EVENTS):
        state = queue.move_all_to_active_or_backoff_queue(setup, state, now, event)
    return state


def _retained(state: Queue) -> int:
    return sum(isinstance(each, InFlightEvent) for each in state.in_flight_events)


def done_is_missed(release: Release) -> int:
    """Pod a is popped and skipped. Events come. A cycle of pod b begins and ends."""
    setup = setup_of(release)
    state = _popped(setup, Queue(), PODS[0])
    if rules_for(DoneRules, release).done_when_skipped():
        state = queue.done(setup, state, PODS[0].uid)
    return _retained(queue.done(setup, _with_events(setup, _popped(setup, state, PODS[1])), PODS[1].uid))


def popped_twice(release: Release) -> int:
    """Pod a is popped and updated after events, and popped again if the update queued the pod.

    Both cycles end. Events come in a cycle of pod b, which ends too.
    """
    setup, (a, b) = setup_of(release), PODS
    state = _with_events(setup, _popped(setup, Queue(), a))
    state = queue.update(setup, state, a, evolve(a, labels=(("key", "value"),)), 1)
    state = queue.discard_before_pop(setup, state)
    cycles = 1
    if state.active:
        _, state = queue.pop(setup, state)
        cycles = 2
    for _ in range(cycles):
        state = queue.done(setup, state, a.uid)
    return _retained(queue.done(setup, _with_events(setup, _popped(setup, state, b)), b.uid))


def created_again(release: Release) -> int:
    """Pod a is popped, deleted, and created again; then its attempt fails, and the new pod has an attempt.

    Both attempts end. Events come in a cycle of pod b, which ends too.
    """
    setup, (a, b) = setup_of(release), PODS
    new = evolve(a, uid="a#2")
    state = queue.add(setup, queue.delete(setup, _popped(setup, Queue(), a), a), new, 0)
    if rules_for(DoneRules, release).goes_back(a.uid, new.uid):
        _, state = queue.add_unschedulable_if_not_present(setup, state, QueuedPodInfo(new), 0, 0)
    else:
        state = queue.done(setup, state, a.uid)
    _, state = queue.pop(setup, state)
    state = queue.done(setup, state, new.uid)
    return _retained(queue.done(setup, _with_events(setup, _popped(setup, state, b)), b.uid))


def held_by_a_cycle(release: Release) -> int:
    """Pod a is popped, and its cycle goes on while events come."""
    setup = setup_of(release)
    return _retained(_with_events(setup, _popped(setup, Queue(), PODS[0])))


def of_no_interest(release: Release) -> int:
    """The same with events for which no plugin waits."""
    setup = setup_of(release)
    return _retained(_with_events(setup, _popped(setup, Queue(), PODS[0]), events.PV_ADD))


BUGS = (
    HintsBug(
        "QH-DONE-SKIP", "A pod that is popped and then skipped is never done", True,
        "a pod was deleted while it waited in the active queue, or names a profile that no longer exists: its element "
        "stays, and so does every event behind it",
        (f"{UPSTREAM}/issues/120622",), (f"{UPSTREAM}/pull/126962",), done_is_missed,
    ),
    HintsBug(
        "QH-DUP-ELEMENT", "A pod that is popped twice leaves an element behind", True,
        "something updated a pod while the pod was being scheduled: it was popped a second time, its first element "
        "stays, and so does every event behind it (1.28.0, 1.28.1: only the events between the two)",
        (f"{UPSTREAM}/issues/120622", f"{UPSTREAM}/issues/122725"),
        (f"{UPSTREAM}/pull/125578", f"{UPSTREAM}/pull/127016"), popped_twice,
    ),
    HintsBug(
        "QH-RECREATE-LEAK", "A pod that is created again while its attempt fails is never done", True,
        "a pod was deleted and created again under the same name, as a StatefulSet does, while an attempt of the old "
        "pod failed: the element of the old pod stays, and so does every event behind it",
        (f"{UPSTREAM}/issues/138316",),
        (f"{UPSTREAM}/pull/138324", f"{UPSTREAM}/pull/138434", f"{UPSTREAM}/pull/138435"), created_again,
    ),
    HintsBug(
        "QH-RECORD-ALL", "Events are kept for which no plugin waits", False,
        "as long as any pod is in flight every event of the cluster is kept, also those that can help no pod",
        (), (f"{UPSTREAM}/pull/122629",), of_no_interest,
    ),
    HintsBug(
        "QH-SLOW-BIND-HOLD", "A slow binding cycle holds every event that comes meanwhile", False,
        "a pod waits in Permit, or up to 1.32 in PreBind, or up to 1.31 in Bind: all events since its Pop are kept "
        "until that pod is done",
        (f"{UPSTREAM}/issues/120622", f"{UPSTREAM}/issues/129967"),
        (f"{UPSTREAM}/pull/120586", f"{UPSTREAM}/pull/130189"), held_by_a_cycle,
    ),
)  # fmt: skip


@cache
def of_release(release: Release) -> tuple[HintsBug, ...]:
    """The bugs of a release with the gate on, leaks first."""
    return tuple(bug for bug in BUGS if bug.in_release(release))


@frozen
class Upgrades:
    """Where to go from a release. Each text is a release."""

    # The next release with the gate off by default, and the last one before the gate is on again.
    off: tuple[str, str] | None
    # Of the later releases, the first of each minor from which on no release of the minor leaks with the gate on.
    without_leak: tuple[str, ...]


def upgrades(release: Release) -> Upgrades:
    """The later releases that are better."""
    later = [each for each in _with_the_list() if each.version > release.version]
    off = [*takewhile(lambda each: not default_gate(each), dropwhile(default_gate, later))]
    without = []
    for _, patches in groupby(later, key=lambda each: each.minor):
        newest_first = reversed([*patches])
        safe = [*takewhile(lambda each: not any(bug.leaks for bug in of_release(each)), newest_first)]
        without += [str(each) for each in safe[-1:]]
    return Upgrades((str(off[0]), str(off[-1])) if off else None, tuple(without))


@cache
def _with_the_list() -> tuple[Release, ...]:
    """Each patch release that has the list of pods in flight and events, the oldest first."""
    return tuple(
        release_of(f"1.{minor}.{patch}", "release")
        for minor in QUEUEING_HINTS.minors
        for patch in range(LAST_PATCH[minor] + 1)
    )
