"""Properties of pods: a pod is in one place, is not forgotten, is bound once, and does not fail after its bind."""

from model.machine import Action
from model.systems.scheduling.failure_steps import RECORDS
from properties.property import Invariant, StepInvariant
from properties.scheduling.view import (
    State,
    assumed,
    attempts,
    events_of,
    goroutines,
    listed,
    live,
    queues_of,
    records_failure,
    thread_of,
)


def _places(state: State) -> tuple[str, list[str]] | None:
    """A pod in more than one place, and the places."""
    names = [info.pod.name for q in (state.queue.active, state.queue.backoff, state.queue.unschedulable) for info in q]
    for goroutine in goroutines(state):
        pod = goroutine.pod
        for attempt in attempts(state, pod.uid):
            # A new incarnation of the pod is another pod.
            queues = queues_of(state, pod.name, pod.uid)
            if queues:
                return pod.name, [*queues, f"an attempt that goes on with {attempt.steps[0]}"]
    for name in names:
        if names.count(name) > 1:
            return name, queues_of(state, name)
    return None


def in_one_place(state: State) -> bool:
    return _places(state) is None


def _explain_place(state: State) -> str:
    found = _places(state)
    assert found is not None
    return f"{found[0]} is in {' and in '.join(found[1])}"


def _twice(state: State) -> list[str]:
    uids = [g.pod.uid for g in goroutines(state) if attempts(state, g.pod.uid)]
    return sorted({uid for uid in uids if len(attempts(state, uid)) > 1})


def one_attempt(state: State) -> bool:
    running = [g for g in goroutines(state) if g.steps]
    return len(running) < 2 or not _twice(state)


def _explain_attempts(state: State) -> str:
    uid = _twice(state)[0]
    steps = " and ".join(attempt.steps[0] for attempt in attempts(state, uid))
    return f"{uid} is scheduled twice at once: {steps} are both still to come"


def _forgotten(state: State) -> list[str]:
    """Pods that the informer has as pending and that are in no queue and in no goroutine."""
    busy = {g.pod.name for g in goroutines(state)}
    return [
        pod.name
        for pod in state.lister
        if pod is not None
        and not (pod.node_name or pod.terminating or pod.name in busy or (state.second and pod.scheduler_name))
        and not events_of(state, pod.name)
        and not queues_of(state, pod.name)
    ]


def not_forgotten(state: State) -> bool:
    return bool(state.crashed) or not _forgotten(state)


def _explain_forgotten(state: State) -> str:
    return f"{_forgotten(state)[0]} is pending, in no queue and in no attempt: only its next update brings it back"


def _pending(state: State) -> bool:
    return any(pod is not None and not pod.node_name for pod in state.lister)


def runs(state: State) -> bool:
    return not _how_one_ended(state)


def _how_one_ended(state: State) -> str:
    """How the process of a scheduler ended, "" while all run."""
    return state.crashed or ("" if state.second is None else state.second.crashed)


def _explain_crash(state: State) -> str:
    return f"the scheduler's process ended: {_how_one_ended(state)}"


# --- steps -----------------------------------------------------------------------------------------------------------


def _failure_of(before: State, action: Action, after: State) -> bool:
    return records_failure(before, action, after) is not None


def no_failure_of_bound(before: State, action: Action, after: State) -> bool:
    pod = records_failure(before, action, after)
    if pod is None:
        return True
    current = live(before, pod.name)
    return current is None or not current.node_name or current.uid != pod.uid


def _explain_failure(before: State, action: Action, after: State) -> str:
    pod = records_failure(before, action, after)
    current = None if pod is None else live(before, pod.name)
    assert pod is not None
    assert current is not None
    return f"FailedScheduling is recorded for {pod.name}, which is bound to {current.node_name}"


def _binds(before: State, action: Action, after: State) -> bool:
    return thread_of(before, action) is not None


# The power after whose first use `bound-once` says nothing: what another scheduler binds is known too late.
ALONE_WITHOUT = "other_binders"


def _binds_alone(before: State, action: Action, after: State) -> bool:
    """Whether a Binding is posted, and no other scheduler has bound a pod."""
    return _binds_itself(before) and thread_of(before, action) is not None


def _binds_itself(state: State) -> bool:
    return state.second is None and not state.used.of(ALONE_WITHOUT)


def binds_unbound(before: State, action: Action, after: State) -> bool:
    goroutine = thread_of(before, action)
    if goroutine is None or not _binds_itself(before):
        return True
    current = live(before, goroutine.pod.name)
    return current is None or current.uid != goroutine.pod.uid or not current.node_name


def _explain_second_bind(before: State, action: Action, after: State) -> str:
    goroutine = thread_of(before, action)
    assert goroutine is not None
    current = live(before, goroutine.pod.name)
    assert current is not None
    return (
        f"a Binding of {goroutine.pod.uid} to {goroutine.pod.node_name} is posted; it is bound to {current.node_name}"
    )


def binds_what_was_decided(before: State, action: Action, after: State) -> bool:
    goroutine = thread_of(before, action)
    if goroutine is None:
        return True
    was, now = live(before, goroutine.pod.name), live(after, goroutine.pod.name)
    return was == now or now is None or now.uid == goroutine.pod.uid


def _explain_other_uid(before: State, action: Action, after: State) -> str:
    goroutine = thread_of(before, action)
    assert goroutine is not None
    now = live(after, goroutine.pod.name)
    assert now is not None
    return f"{now.uid} is bound to {now.node_name}, which was chosen for {goroutine.pod.uid}"


def _schedules(before: State, action: Action, after: State) -> bool:
    return before.cycle is not None


def assumed_not_scheduled(before: State, action: Action, after: State) -> bool:
    """Whether an assumed pod that is popped again is skipped: its cycle ends at once."""
    goroutine = before.cycle
    return goroutine is None or not assumed(before, goroutine.pod.uid) or after.cycle is None


def _explain_assumed(before: State, action: Action, after: State) -> str:
    assert before.cycle is not None
    return f"{before.cycle.pod.name} is assumed, its binding under way, and it is scheduled again"


def _queued_though_assumed(before: State, after: State) -> list[str]:
    return [
        pod.name
        for pod in after.lister
        if pod is not None
        and assumed(before, pod.uid)
        and assumed(after, pod.uid)
        and queues_of(after, pod.name)
        and not queues_of(before, pod.name)
    ]


def assumed_not_queued(before: State, action: Action, after: State) -> bool:
    return not _queued_though_assumed(before, after)


def _some_assumed(before: State, action: Action, after: State) -> bool:
    return any(pod is not None and assumed(before, pod.uid) for pod in before.lister)


def _explain_queued(before: State, action: Action, after: State) -> str:
    name = _queued_though_assumed(before, after)[0]
    return f"{name} is assumed, its binding under way, and an update puts it into a queue again"


def _only_status(before: State, action: Action, after: State) -> bool:
    """Whether the delivered event is the scheduler's own status update of a pod without an attempt under way."""
    event = before.pod_watch[0]
    old = listed(before, event.pod.name)
    if event.kind != "update" or old is None or old.uid != event.pod.uid or event.pod.node_name:
        return False
    in_hand = before.bindings if before.cycle is None else (before.cycle, *before.bindings)
    if any(goroutine.pod.uid == old.uid for goroutine in in_hand):
        return False
    new = event.pod
    if new.terminating:
        return False  # nobody tries to place the pod again
    same = (old.labels, old.annotations, old.finalizers, old.terminating, old.cpu_milli) == (
        new.labels, new.annotations, new.finalizers, new.terminating, new.cpu_milli,
    )  # fmt: skip
    return same and (old.condition, old.nominated_node_name) != (new.condition, new.nominated_node_name)


def own_status_does_not_retry(before: State, action: Action, after: State) -> bool:
    if not _only_status(before, action, after):
        return True
    name = before.pod_watch[0].pod.name
    return "activeQ" in queues_of(before, name) or "activeQ" not in queues_of(after, name)


def _explain_retry(before: State, action: Action, after: State) -> str:
    name = before.pod_watch[0].pod.name
    return f"the scheduler's own status update of {name} puts it into activeQ: it is tried again at once"


ONE_PLACE = Invariant(
    name="pod-in-one-place",
    sentence="A pod is in at most one place: activeQ, the backoff queue, unschedulableQ, or an attempt to place it.",
    broken_by=("update_respecting_backoff", "update_from_backoff_to_active", "no_update_is_ignored"),
    holds=in_one_place,
    premise=lambda state: state.cycle is not None or bool(state.bindings),
    explain=_explain_place,
)
ONE_ATTEMPT = Invariant(
    name="one-attempt-at-a-time",
    sentence="A pod is in at most one scheduling or binding cycle.",
    broken_by=("skip_terminating_pod",),
    holds=one_attempt,
    premise=lambda state: state.cycle is not None and bool(state.bindings),
    explain=_explain_attempts,
)
NOT_FORGOTTEN = Invariant(
    name="pending-pod-not-forgotten",
    sentence="A pending pod is in a queue, or in an attempt, or in a retry's hands.",
    broken_by=("skip_annotated_pod",),
    holds=not_forgotten,
    premise=_pending,
    explain=_explain_forgotten,
)
RUNS = Invariant(
    name="scheduler-keeps-running",
    sentence="No order of events ends the scheduler's process.",
    broken_by=("update_keeping_key", "remove_pod_keeping_placeholder"),
    holds=runs,
    premise=lambda state: bool(state.cache.pod_states),
    explain=_explain_crash,
)
NO_FAILURE_OF_BOUND = StepInvariant(
    name="no-failure-of-bound-pod",
    sentence="No FailedScheduling event is made for a pod that is bound.",
    broken_by=("skip_terminating_pod",),
    actions=frozenset({*RECORDS, "add_nominated_pod"}),
    holds=no_failure_of_bound,
    premise=_failure_of,
    explain=_explain_failure,
)
BINDS_ONCE = StepInvariant(
    name="bound-once",
    sentence="A scheduler that alone binds pods posts no Binding for a pod that is bound already.",
    broken_by=("skip_terminating_pod",),
    actions=frozenset({"bind"}),
    holds=binds_unbound,
    premise=_binds_alone,
    explain=_explain_second_bind,
)
BINDS_DECIDED = StepInvariant(
    name="binds-what-was-decided",
    sentence="A node chosen for one incarnation of a pod is never given to another.",
    broken_by=("never_by_uid",),
    actions=frozenset({"bind"}),
    holds=binds_what_was_decided,
    premise=_binds,
    explain=_explain_other_uid,
)
ASSUMED_NOT_SCHEDULED = StepInvariant(
    name="assumed-pod-not-scheduled-again",
    sentence="A pod that is assumed, and so being bound, is not scheduled a second time.",
    broken_by=("skip_terminating_pod", "strip_annotations"),
    actions=frozenset({"schedule"}),
    holds=assumed_not_scheduled,
    premise=_schedules,
    explain=_explain_assumed,
)
ASSUMED_NOT_QUEUED = StepInvariant(
    name="assumed-pod-not-queued",
    sentence="No event puts a pod into a queue that is assumed, and so being bound.",
    broken_by=("strip_annotations", "no_update_is_ignored"),
    actions=frozenset({"deliver_pod", "handle_unassigned", "handle_pod", "resync_pod"}),
    holds=assumed_not_queued,
    premise=_some_assumed,
    explain=_explain_queued,
)
NO_SELF_RETRY = StepInvariant(
    name="own-status-update-does-not-retry",
    sentence="The scheduler's own update of the status of a pod that failed does not put it into activeQ.",
    broken_by=("error_func_with_api_get",),
    actions=frozenset({"deliver_pod"}),
    holds=own_status_does_not_retry,
    premise=_only_status,
    explain=_explain_retry,
)
