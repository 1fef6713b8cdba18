"""What queueing hints promise, and whether the queue of a release keeps the promise: a short run for each sentence.

Each run is of the queue alone, with the gate SchedulerQueueingHints on.
"""

from collections.abc import Callable

from attrs import frozen

from kubeproof.advise.scheduler_memory.bugs import of_release
from model.evolve import evolve
from model.go.errors import GoError
from model.objects import Pod
from model.releases import Release, rules_for
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.events import (
    NODE_ADD,
    RESOURCE_CLAIM_ADD,
    HintFunction,
    Registration,
    queue_after_backoff,
    queue_skip,
)
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.pre_enqueue import DYNAMIC_RESOURCES, PreEnqueueRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo, find

A, B = Pod("a", "a#1"), Pod("b", "b#1")
FIRST, SECOND = "FirstPlugin", "SecondPlugin"
# When the attempt fails, and when the pod's backoff of a second is over.
FAILED, BACKED_OFF = 0, 5_000


@frozen
class Promise:
    """A sentence of the design."""

    says: str
    # Whether the queue of the release does so. None: the release has nothing that the sentence speaks of.
    kept: Callable[[Release], bool | None]
    # What a reader of a no must know, or "".
    note: str = ""


def _setup(release: Release, *hints: HintFunction) -> QueueSetup:
    """A queue in which the first plugin, and the second, answer so of a node that joins."""
    waits = tuple(Registration(plugin, NODE_ADD, hint) for plugin, hint in zip((FIRST, SECOND), hints, strict=False))
    rules, nominator = rules_for(QueueRules, release), rules_for(NominatorRules, release)
    return QueueSetup(
        rules, nominator, QueueConfig(cluster_event_map=waits), rules_for(QueueingHintRules, release), True
    )


def _popped(setup: QueueSetup, state: Queue, pod: Pod) -> tuple[QueuedPodInfo, Queue]:
    return queue.pop(setup, queue.add(setup, state, pod, FAILED))


def _back(setup: QueueSetup, state: Queue, info: QueuedPodInfo, *plugins: str, pending: str = "") -> Queue:
    """The pod comes back, rejected by these plugins, or left pending by one."""
    waits = frozenset({pending} - {""})
    info = evolve(info, unschedulable_plugins=frozenset(plugins), pending_plugins=waits)
    error, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, FAILED)
    assert error is None
    return state


def _came(setup: QueueSetup, state: Queue, now: int) -> Queue:
    return queue.move_all_to_active_or_backoff_queue(setup, state, now, NODE_ADD)


def _where(state: Queue, pod: Pod) -> str:
    places = (("active", state.active), ("backoff", state.backoff), ("unschedulable", state.unschedulable))
    return next((name for name, infos in places if find(infos, pod.name)), "")


def _after_event(setup: QueueSetup, *plugins: str, pending: str = "", now: int = BACKED_OFF) -> str:
    """Where a pod is that these plugins rejected, when a node joins after that."""
    info, state = _popped(setup, Queue(), A)
    return _where(_came(setup, _back(setup, state, info, *plugins, pending=pending), now), A)


def _nobody_decides(release: Release) -> bool:
    return _after_event(_setup(release, queue_after_backoff), FIRST) == "active"


def _error_counts(release: Release) -> bool | None:
    if not rules_for(QueueingHintRules, release).pending_plugins_known():
        return None  # both came with 1.29
    return _after_event(_setup(release, _fails), FIRST) == "active"


def _fails(pod: object, old: object, new: object) -> GoError:
    return GoError("the hint function fails")


def _one_suffices(release: Release) -> bool:
    return _after_event(_setup(release, queue_skip, queue_after_backoff), FIRST, SECOND) == "active"


def _all_skip(release: Release) -> bool:
    return _after_event(_setup(release, queue_skip, queue_skip), FIRST, SECOND) == "unschedulable"


def _by_backoff(release: Release) -> bool:
    setup = _setup(release, queue_after_backoff)
    return (_after_event(setup, FIRST, now=500), _after_event(setup, FIRST)) == ("backoff", "active")


def _pending_at_once(release: Release) -> bool:
    return _after_event(_setup(release, queue_after_backoff), pending=FIRST, now=500) == "active"


def _seen_in_cycle(release: Release) -> bool:
    """A is popped; a node joins; B is popped; A is done; another node joins; B comes back."""
    setup = _setup(release, queue_after_backoff)
    _, state = _popped(setup, Queue(), A)
    info, state = _popped(setup, _came(setup, state, FAILED), B)
    state = _came(setup, queue.done(setup, state, A.uid), FAILED)
    return _where(_back(setup, state, info, FIRST), B) == "backoff"


def _dropped(release: Release) -> bool:
    return not any(bug.leaks for bug in of_release(release))


def _error_tried_again(release: Release) -> bool:
    setup = _setup(release, queue_after_backoff)
    info, state = _popped(setup, Queue(), A)
    return _where(_back(setup, state, info), A) == "backoff"


PROMISES = (
    Promise("A plugin without a hint function counts as one that says Queue.", _nobody_decides),
    Promise("A hint function that fails counts as one that says Queue.", _error_counts,
            "A hint function of 1.28 cannot fail (#119290 is of 1.29)."),
    Promise("If any one plugin that rejected the pod says Queue, the pod is tried again.", _one_suffices),
    Promise("If all of them say Skip, the pod stays.", _all_skip),
    Promise("The pod goes to the backoff queue while it backs off, and to activeQ after that.", _by_backoff),
    Promise("What a pending plugin queues does not back off.", _pending_at_once,
            "1.28 has no pending plugins: there a hint function answers QueueImmediately."),
    Promise("A pod that comes back is told each event since its Pop.", _seen_in_cycle, "QH-MARKER-REMOVED."),
    Promise("A pod that met an error is tried again without an event.", _error_tried_again, "QUEUE-ERROR-STUCK."),
    Promise("What no pod needs any more is dropped.", _dropped, "QH-DONE-SKIP, QH-DUP-ELEMENT, QH-RECREATE-LEAK."),
)  # fmt: skip


def passes_over_gated(release: Release) -> bool:
    """Whether a move passes over a gated pod although the event opened the gate (QUEUE-GATED-SKIP)."""
    plugins = frozenset({DYNAMIC_RESOURCES})
    info = QueuedPodInfo(A, unschedulable_plugins=plugins, gating_plugin=DYNAMIC_RESOURCES)
    waits = (Registration(DYNAMIC_RESOURCES, RESOURCE_CLAIM_ADD),)
    return rules_for(PreEnqueueRules, release).gated_pod_is_passed_over(info, RESOURCE_CLAIM_ADD, waits)
