"""What the kept runs of queueing-hints ask of the queue, as operations: the calls, in their order, without the rest."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from attrs import Factory, define

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_run
from kubeproof.conform.scheduling_queue import SchedulingQueuePlayer
from kubeproof.go.cases.case import Case
from model.objects import Pod
from model.releases import ReleaseError, known_release
from model.scheduler.queue import scheduling_queue
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.queueing_hints import failure_steps, step

SYSTEM = "queueing-hints"
# A plugin of the driver that waits for the events of the plugin that rejects pods in these runs.
_PLUGIN = "AlwaysQueue"
# Longer than every backoff and every deadline.
_TICK = 600_000


@define
class _Calls:
    """The operations so far."""

    ops: list[dict[str, Any]] = Factory(list)
    # By uid: the cycle that the pod's last Pop began.
    popped: dict[str, int] = Factory(dict)
    pops: int = 0

    def add(self, pod: Pod, *_: object) -> None:
        self.ops.append({"op": "add", "pod": _recorded(pod)})

    def update(self, old: Pod, new: Pod, *_: object) -> None:
        self.ops.append({"op": "update", "old": _recorded(old), "new": _recorded(new)})

    def delete(self, pod: Pod) -> None:
        self.ops.append({"op": "delete", "pod": _recorded(pod)})

    def activate(self, pod: Pod, *_: object) -> None:
        self.ops.append({"op": "activate", "pod": _recorded(pod)})

    def pop(self, *_: object) -> None:
        self.ops.append({"op": "pop"})

    def move(self, now: int, event: Any, *_: object) -> None:
        self.ops.append({"op": "move_all", "event": event.label})

    def flush_backoff(self, *_: object) -> None:
        self.ops.append({"op": "flush_backoff"})

    def flush_unschedulable(self, *_: object) -> None:
        self.ops.append({"op": "flush_unschedulable"})

    def put_back(self, info: QueuedPodInfo, *_: object) -> None:
        uid = info.pod.uid
        # The handler may find another pod of the name of the one that was popped.
        of = uid if uid in self.popped else next(each for each in reversed(self.popped) if _name(each) == _name(uid))
        more = {"record": of} if of != uid else {}
        plugins = [_PLUGIN] if info.unschedulable_plugins else []
        self.ops.append(
            {
                "op": "add_unschedulable",
                "pod": _recorded(info.pod),
                "cycle": self.popped[of],
                "unschedulable_plugins": plugins,
                **more,
            }
        )

    def done(self, uid: str) -> None:
        before = self.ops[-1]
        # AddUnschedulableIfNotPresent ends with a Done of its own.
        if before["op"] != "add_unschedulable" or before["pod"]["uid"] != uid:
            self.ops.append({"op": "done", "pod": {"uid": uid}})


def _name(uid: str) -> str:
    return uid.partition("#")[0]


def _recorded(pod: Pod) -> dict[str, Any]:
    found = {
        "uid": pod.uid,
        "priority": pod.priority,
        "cpu_milli": pod.cpu_milli,
        "resource_version": pod.resource_version,
        "node": pod.node_name,
        "nominated": pod.nominated_node_name,
        "condition": pod.condition,
        "annotations": dict(pod.annotations),
    }
    return {key: value for key, value in found.items() if value or key == "uid"}


# Where a system calls the model's queue, by which name -> what notes a call.
_CALLED: dict[tuple[Any, str], Callable[..., None]] = {
    (scheduling_queue, "add"): _Calls.add,
    (scheduling_queue, "update"): _Calls.update,
    (scheduling_queue, "delete"): _Calls.delete,
    (scheduling_queue, "activate"): _Calls.activate,
    (scheduling_queue, "pop"): _Calls.pop,
    (scheduling_queue, "move_all_to_active_or_backoff_queue"): _Calls.move,
    (scheduling_queue, "flush_backoff_q_completed"): _Calls.flush_backoff,
    (scheduling_queue, "flush_unschedulable_q_leftover"): _Calls.flush_unschedulable,
    (scheduling_queue, "put_back_if_not_present"): _Calls.put_back,
    (step, "done_in_queue"): _Calls.done,
    (failure_steps, "done_in_queue"): _Calls.done,
}


@contextmanager
def _noting(calls: _Calls) -> Iterator[None]:
    """Inside, the calls of the queue by a system are noted."""

    def noted(function: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
        def call(setup: Any, queue: Queue, *args: Any) -> Any:
            note(calls, *args)
            return function(setup, queue, *args)

        return call

    with ExitStack() as stack:
        for (module, name), note in _CALLED.items():
            stack.enter_context(patch.object(module, name, noted(getattr(module, name), note)))
        yield


def queue_run(bug: Bug) -> list[dict[str, Any]] | None:
    """The operations of the kept run of `bug`; None if they do not lead the queue to where the run leads it.

    They do not where another goroutine comes between two calls of one operation, where a plugin holds pods back, and
    where it matters how much time passed: the run has no times.
    """
    run = kept_run(bug)
    machine = run.machine()
    calls, state = _Calls(), machine.initial_states()[0]
    for action in run.actions:
        if action.name == "tick":
            calls.ops.append({"op": "advance", "ms": _TICK})
        with _noting(calls):
            state = machine.step(state, action)
        if action.name == "pop" and state.cycle is not None:
            calls.pops += 1
            calls.popped[state.cycle.uid] = calls.pops
    return calls.ops if _places(state.queue) == _played(run.release, calls.ops) else None


Places = tuple[list[str], list[str], list[str], list[str]]


def _places(queue: Queue) -> Places:
    """The uids in activeQ, in the backoff queue, in unschedulablePods, and in flight."""
    parts = (queue.active, queue.backoff, queue.unschedulable)
    active, backoff, unschedulable = (sorted(info.pod.uid for info in part) for part in parts)
    return active, backoff, unschedulable, sorted(pod.uid for pod in queue.in_flight_pods)


def _played(release: str, ops: list[dict[str, Any]]) -> Places | None:
    try:
        player = SchedulingQueuePlayer(known_release(release), {"queueing_hints": True})
        seen = [player.play(op) for op in ops][-1]
    except (ReleaseError, ValueError, KeyError, IndexError):
        return None
    backoff = sorted(uid for uid, _ in seen["backoff"])
    return sorted(seen["active"]), backoff, seen["unschedulable"], sorted(seen["in_flight"])


def queue_runs() -> Iterator[Case]:
    """(config, operations) of each bug of queueing-hints whose kept run the operations of a queue can play."""
    for bug in BUGS:
        if bug.system == SYSTEM and bug.violates:
            ops = queue_run(bug)
            if ops is not None:
                yield {"kind": "kept_run", "name": bug.id, "queueing_hints": True}, ops
