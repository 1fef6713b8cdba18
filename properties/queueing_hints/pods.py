"""Properties of pods: a pod is in one place, is not forgotten, and waits with the object that was delivered last."""

from properties.property import Invariant
from properties.queueing_hints.view import State, events_of, goroutines, queues_of

# While one of these steps is still to come, the attempt goes on. Later steps only handle its failure.
_ATTEMPT = frozenset(
    {"schedule", "assume", "wait_on_permit", "done_after_permit", "pre_bind", "bind", "finish_binding"}
)


def _places(state: State) -> tuple[str, list[str]] | None:
    """A pod in more than one place, and the places."""
    for goroutine in goroutines(state):
        # A new incarnation of the pod is another pod.
        queues = queues_of(state, goroutine.pod.name, goroutine.uid)
        if queues and goroutine.steps[0] in _ATTEMPT:
            return goroutine.uid, [*queues, f"an attempt that goes on with {goroutine.steps[0]}"]
    for pod in state.lister:
        if pod is not None and len(queues := queues_of(state, pod.name)) > 1:
            return pod.uid, queues
    return None


def _explain_place(state: State) -> str:
    found = _places(state)
    assert found is not None
    return f"{found[0]} is in {' and in '.join(found[1])}"


ONE_PLACE = Invariant(
    name="pod-in-one-place",
    sentence="A pod is in at most one sub-queue, and in none while an attempt of this pod goes on.",
    broken_by=("update_respecting_backoff", "update_asking_hints"),
    holds=lambda state: _places(state) is None,
    premise=lambda state: any(True for _ in goroutines(state)),
    explain=_explain_place,
)


def _forgotten(state: State) -> list[str]:
    """Pods that the informer has as pending and that are in no queue and in no goroutine."""
    busy = {goroutine.pod.name for goroutine in goroutines(state)}
    return [
        pod.uid
        for pod in state.lister
        if pod is not None
        and not (pod.node_name or pod.terminating or pod.name in busy)
        and not events_of(state, pod.name)
        and not queues_of(state, pod.name)
    ]


def _waits_for_scheduler(state: State) -> bool:
    """Whether some pod is pending and the scheduler runs. A pod of no profile is no pod of this scheduler."""
    if state.crashed or state.used.of("unknown_profiles"):
        return False
    return any(pod is not None and not pod.node_name for pod in state.lister)


NOT_FORGOTTEN = Invariant(
    name="pending-pod-not-forgotten",
    sentence="A pending pod is in a queue or in an attempt.",
    broken_by=("discard_what_is_in_flight",),
    holds=lambda state: not _waits_for_scheduler(state) or not _forgotten(state),
    premise=_waits_for_scheduler,
    explain=lambda state: (
        f"{_forgotten(state)[0]} is pending, in no queue and in no attempt: only its next update brings the pod back"
    ),
)


def _stale(state: State) -> list[str]:
    """Pods that wait with an object that is not the informer's, though nothing about them is under way."""
    busy = {goroutine.pod.name for goroutine in goroutines(state)}
    return [
        info.pod.uid
        for infos in (state.queue.active, state.queue.backoff, state.queue.unschedulable)
        for info in infos
        if info.pod.name not in busy
        and not events_of(state, info.pod.name)
        and info.pod != state.lister[int(info.pod.name[1:]) - 1]
    ]


QUEUED_IS_CURRENT = Invariant(
    name="queued-object-is-current",
    sentence="When nothing about a pod is under way, the queue has the pod's object as the informer has it.",
    broken_by=("update_respecting_backoff",),
    holds=lambda state: not _stale(state),
    premise=lambda state: bool(state.queue.active or state.queue.backoff or state.queue.unschedulable),
    explain=lambda state: f"{_stale(state)[0]} waits with an object that is not the informer's",
)
