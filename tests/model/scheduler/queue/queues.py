"""Queues for the tests beside this file: of a release, and with one pod that failed."""

from attrs import evolve

from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueRules, QueueSetup
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo


def setup_of(release: str, config: QueueConfig | None = None) -> QueueSetup:
    at = parse_release(release)
    return QueueSetup(rules_for(QueueRules, at), rules_for(NominatorRules, at), config or QueueConfig())


def names(infos: tuple[QueuedPodInfo, ...]) -> list[str]:
    return [info.pod.name for info in infos]


P1 = Pod("p1", "p1#1", condition="no node fits")
P2 = Pod("p2", "p2#1", condition="no node fits")


def failed(setup: QueueSetup, pod: Pod = P1, now: int = 0) -> Queue:
    """A queue whose only pod has failed once, at `now`."""
    info, state = queue.pop(setup, queue.add(setup, Queue(), pod, now))
    info = evolve(info, unschedulable_plugins=frozenset({"NodeResourcesFit"}))
    error, state = queue.add_unschedulable_if_not_present(setup, state, info, state.scheduling_cycle, now)
    assert error is None
    return state
