"""How many attempts and failures of a pod an explorer tells apart: as many as decide about a backoff."""

from model.evolve import evolve
from model.scheduler.queue import backoff
from model.scheduler.queue.backoff import attempts_that_count
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import QueuedPodInfo
from model.which_rule import ask, is_in

_BACKS_OFF_BY_ATTEMPTS = is_in(
    "backoff_time",
    (
        backoff.backoff_time_by_attempts,
        backoff.backoff_time_of_tried_pod,
        backoff.backoff_time_in_window,
    ),
)
_BACKS_OFF_BY_FAILURES = is_in("backoff_time", (backoff.backoff_time_by_failures,))


def forget_attempts(setup: QueueSetup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
    """The record with attempts and failures cut to what a rule of this release can still tell apart.

    `popped`: the pod is in flight. When it comes back, one more failure is counted.
    """
    if ask(setup.rules, _BACKS_OFF_BY_FAILURES):
        most = attempts_that_count(setup.config)
        return _with_few_failures(evolve(info, attempts=0), most, most - 1 if popped else most)
    most = attempts_that_count(setup.config) if ask(setup.rules, _BACKS_OFF_BY_ATTEMPTS) else 0
    return info if info.attempts <= most else evolve(info, attempts=most)


def _with_few_failures(info: QueuedPodInfo, most: int, keep: int) -> QueuedPodInfo:
    """The record with failures up to `keep`, where backoffs do not grow after `most` failures."""
    rejections, errors = min(info.unschedulable_count, keep), min(info.consecutive_errors_count, keep)
    if most == 1:
        # All backoffs are as long as each other: whether there was a failure is all that counts.
        rejections, errors = max(rejections, errors), 0
    return evolve(info, unschedulable_count=rejections, consecutive_errors_count=errors)
