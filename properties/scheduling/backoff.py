"""Properties of failed attempts: a pod backs off after each, and the queue knows what rejected the pod.

How long a pod backs off is the duration that the queue is configured with, from the moment on at which the pod came
back from its attempt. What the release's own rules make of this is what is judged. Without the clock all backoffs are
0, and there is nothing to judge.
"""

from model.evolve import evolve
from model.machine import Action
from model.objects import Pod
from model.scheduler.queue.events import always_worth_requeuing
from model.scheduler.queue.state import QueuedPodInfo, find
from model.systems.scheduling import SchedulingMachine
from model.which_rule import is_one_of
from model.world.times import MOMENT, NOW
from properties.property import SetupInvariant
from properties.scheduling.view import State, thread_of

# The steps by which a pod comes back from an attempt that failed.
COMES_BACK = frozenset({"requeue", "add_unschedulable"})


def _backs_off(machine: SchedulingMachine, info: QueuedPodInfo) -> bool:
    """Whether the pod came back from its attempt less than a backoff ago when the next operation of the queue looks."""
    return info.timestamp - MOMENT + machine.setup.queue.config.initial_backoff > NOW


def _without_status(pod: Pod) -> Pod:
    return evolve(pod, resource_version=0, condition="", nominated_node_name="", managed_fields="")


def _updated(before: QueuedPodInfo, after: QueuedPodInfo) -> bool:
    """Whether the step brought an update that matters: the pod is another than before, and not in its status alone."""
    return _without_status(before.pod) != _without_status(after.pod)


def changes_queue(machine: SchedulingMachine) -> frozenset[str]:
    """All actions but the passing of time, where there are backoffs. One that leaves the queue alone breaks nothing."""
    return frozenset(machine.action_names) - {"tick"} if machine.scope.clock else frozenset()


# --- the backoff queue -----------------------------------------------------------------------------------------------


def _left_early(machine: SchedulingMachine, before: State, after: State) -> list[str]:
    """Pods that leave the backoff queue for activeQ while they back off, for no reason."""
    if not before.queue.backoff or before.queue.backoff is after.queue.backoff:
        return []
    found = []
    for info in before.queue.backoff:
        active = find(after.queue.active, info.pod.name)
        if active is not None and _backs_off(machine, info) and not _updated(info, active):
            found.append(info.pod.name)
    return found


def leaves_backoff_queue_in_time(machine: SchedulingMachine, before: State, action: Action, after: State) -> bool:
    return not _left_early(machine, before, after)


def some_back_off(machine: SchedulingMachine, before: State, action: Action, after: State) -> bool:
    return bool(before.queue.backoff)


def _explain_early(machine: SchedulingMachine, before: State, action: Action, after: State) -> str:
    name = _left_early(machine, before, after)[0]
    return f"{action.name} takes {name} out of the backoff queue before its backoff ends, and nothing asks for it"


# --- after a failed attempt ------------------------------------------------------------------------------------------


def _tried_at_once(machine: SchedulingMachine, before: State, action: Action, after: State) -> list[str]:
    """Pods whose attempt has failed, and that are put into activeQ without a backoff, for no reason."""
    queue = before.queue
    found = []
    if action.name in COMES_BACK:
        name = action["pod"]
        waited = find(queue.active, name) or find(queue.backoff, name) or find(queue.unschedulable, name)
        if waited is None and find(after.queue.active, name) is not None:
            found.append(name)
    if queue.unschedulable is not after.queue.unschedulable:
        for info in queue.unschedulable:
            active = find(after.queue.active, info.pod.name)
            if active is not None and _backs_off(machine, info) and not _updated(info, active):
                found.append(info.pod.name)
    return found


def failed_attempt_backs_off(machine: SchedulingMachine, before: State, action: Action, after: State) -> bool:
    return not _tried_at_once(machine, before, action, after)


def some_failed(machine: SchedulingMachine, before: State, action: Action, after: State) -> bool:
    return action.name in COMES_BACK or bool(before.queue.unschedulable)


def _explain_at_once(machine: SchedulingMachine, before: State, action: Action, after: State) -> str:
    name = _tried_at_once(machine, before, action, after)[0]
    return f"the attempt of {name} has failed, and {action.name} puts {name} into activeQ without a backoff"


# --- what rejected the pod -------------------------------------------------------------------------------------------


def requeues_knowing_plugins(machine: SchedulingMachine) -> frozenset[str]:
    """Up to 1.20 no record says which plugins rejected the pod, and every event moves every pod."""
    knows = not is_one_of(machine.rules.worth_requeuing, (always_worth_requeuing,))
    return frozenset({"requeue"}) if knows else frozenset()


def _filed(before: State, action: Action, after: State) -> tuple[frozenset[str], frozenset[str]] | None:
    """Which plugins rejected the pod in the attempt that ends here, and which the record says; None: no new record."""
    goroutine = thread_of(before, action)
    if goroutine is None:
        return None
    name = goroutine.pod.name
    for was, now in (
        (before.queue.unschedulable, after.queue.unschedulable),
        (before.queue.backoff, after.queue.backoff),
        (before.queue.active, after.queue.active),
    ):
        info = find(now, name)
        if info is not None and find(was, name) is None:
            return goroutine.rejected_by, info.unschedulable_plugins
    return None


def rejected_by_last_attempt(machine: SchedulingMachine, before: State, action: Action, after: State) -> bool:
    filed = _filed(before, action, after)
    return filed is None or filed[0] == filed[1]


def files_plugins(machine: SchedulingMachine, before: State, action: Action, after: State) -> bool:
    return _filed(before, action, after) is not None


def _explain_filed(machine: SchedulingMachine, before: State, action: Action, after: State) -> str:
    filed = _filed(before, action, after)
    assert filed is not None
    by, said = (", ".join(sorted(names)) or "no plugin" for names in filed)
    name = action["pod"]
    return f"the last attempt of {name} was rejected by {by}, and {name} waits as if it was rejected by {said}"


IN_TIME = SetupInvariant(
    name="leaves-backoff-queue-in-time",
    sentence="A pod that backs off leaves the backoff queue for activeQ only by an update that is not of its status.",
    broken_by=("update_from_backoff_to_active",),
    actions=changes_queue,
    holds=leaves_backoff_queue_in_time,
    premise=some_back_off,
    explain=_explain_early,
)
BACKS_OFF = SetupInvariant(
    name="failed-attempt-backs-off",
    sentence="After a failed attempt a pod is put into activeQ only when its backoff is over, or by an update.",
    broken_by=("failed_pod_by_flag", "move_to_active", "failed_pod_to_active"),
    actions=changes_queue,
    holds=failed_attempt_backs_off,
    premise=some_failed,
    explain=_explain_at_once,
)
REJECTED_BY_LAST = SetupInvariant(
    name="rejected-by-last-attempt",
    sentence="The plugins that a queued pod waits for are those that rejected it in its last attempt.",
    broken_by=("pop_counting_attempts",),
    actions=requeues_knowing_plugins,
    holds=rejected_by_last_attempt,
    premise=files_plugins,
    explain=_explain_filed,
)
