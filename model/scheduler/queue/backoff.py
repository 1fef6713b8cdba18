"""How long a pod backs off after failed attempts. Pure.

Go: 1.14 pkg/scheduler/util/backoff_utils.go (`PodBackoff`); 1.15 to 1.17 internal/queue/pod_backoff.go
(`PodBackoffMap`), both by pod name beside the queue, with a lock of their own that is taken under `PriorityQueue.lock`
only; 1.18 on `PriorityQueue.getBackoffTime`, from the attempts and timestamp of the queued pod itself; 1.33 on
pkg/scheduler/backend/queue/backoff_queue.go, with a lock of its own, the last but that of the nominator.

From 1.33 on Go keeps the end that it worked out (`BackoffExpiration`) until Pop, and from 1.34 on until the pod comes
back from its attempt. The scheduler hands a record back once after each Pop, so that nothing can tell in a cluster. A
recorder may hand a record back twice: then its player knows what 1.33 keeps.
"""

from model.evolve import evolve
from model.scheduler.queue.rules import QueueSetup
from model.scheduler.queue.state import BackoffEntry, Queue, QueueConfig, QueuedPodInfo
from model.which_rule import ask, is_in


def calculate_backoff_duration(config: QueueConfig, attempts: int) -> int:
    """The backoff in ms after `attempts` attempts: it doubles from the initial to the maximal duration.

    `calculateBackoffDuration`; 1.14's `getBackoff` comes to the same. The subtraction of 1.23 (pull request #105125)
    differs from the doubling before it only where a Go duration overflows.
    """
    duration = config.initial_backoff
    for _ in range(1, attempts):
        duration *= 2
        if duration > config.max_backoff:
            return config.max_backoff
    return duration


def attempts_that_count(config: QueueConfig) -> int:
    """The least number of attempts from which on the duration no longer changes; higher numbers may be cut to it."""
    attempts = 1
    if config.initial_backoff <= 0:
        return attempts
    while calculate_backoff_duration(config, attempts) < config.max_backoff:
        attempts += 1
    # An initial duration above the maximum comes down to it with the second attempt.
    return attempts if calculate_backoff_duration(config, attempts) == config.max_backoff else 2


def _entry(queue: Queue, name: str) -> BackoffEntry | None:
    for entry in queue.pod_backoff:
        if entry.name == name:
            return entry
    return None


def no_backoff_time(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
    """There is no backoff (1.13)."""
    return None


def backoff_time_by_name(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
    """When the backoff of the pod's name ends, None when nothing is known of it (`GetBackoffTime`, 1.14 to 1.17)."""
    entry = _entry(queue, info.pod.name)
    if entry is None:
        return None
    return entry.last_update + calculate_backoff_duration(setup.config, entry.attempts)


def backoff_time_by_attempts(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
    """When the pod's backoff ends (`getBackoffTime`, 1.18): counted from its timestamp."""
    return info.timestamp + calculate_backoff_duration(setup.config, info.attempts)


def backoff_time_of_tried_pod(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
    """The same, but a pod that was never popped has no backoff, such as a gated one.

    `calculateBackoffDuration`, 1.32.
    """
    return backoff_time_by_attempts(setup, queue, info) if info.attempts else None


def _in_window(setup: QueueSetup, time: int) -> int:
    """The begin of the window that `time` is in, with SchedulerPopFromBackoffQ (`alignToWindow`, 1.33)."""
    return time - time % setup.config.backoff_window if setup.pop_from_backoff else time


def backoff_time_in_window(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
    """The same, and with SchedulerPopFromBackoffQ a backoff ends with a whole second (`getBackoffTime`, 1.33)."""
    end = backoff_time_of_tried_pod(setup, queue, info)
    return None if end is None else _in_window(setup, end)


def count_of_failures(info: QueuedPodInfo) -> int:
    """The errors since the last rejection if there are any, else all rejections."""
    return info.consecutive_errors_count or info.unschedulable_count


def backoff_time_by_failures(setup: QueueSetup, queue: Queue, info: QueuedPodInfo) -> int | None:
    """When the backoff ends that grows with the failures of one kind (`getBackoffTime`, 1.34).

    A longest backoff of 0 switches backoffs off.
    """
    count = count_of_failures(info)
    if not count or not setup.config.max_backoff:
        return None
    return _in_window(setup, info.timestamp + calculate_backoff_duration(setup.config, count))


def backs_off_before_end(setup: QueueSetup, end: int, now: int) -> bool:
    """At its end a backoff is over (`isPodBackingoff`, up to 1.32)."""
    return end > now


def backs_off_through_window(setup: QueueSetup, end: int, now: int) -> bool:
    """A backoff lasts through its end, and with SchedulerPopFromBackoffQ through the window that begins then (1.33).

    kube-scheduler takes no longest backoff of 0. Here it means that there are no backoffs, as in Go from 1.34 on.
    """
    return bool(setup.config.max_backoff) and end >= _in_window(setup, now)


def failure_is_not_counted(info: QueuedPodInfo) -> QueuedPodInfo:
    """Attempts alone are counted, by Pop (up to 1.33)."""
    return info


def failure_is_counted(info: QueuedPodInfo) -> QueuedPodInfo:
    """A rejection counts, and so does an error, until the next rejection (`AddUnschedulableIfNotPresent`, 1.34)."""
    if info.rejected:
        return evolve(info, unschedulable_count=info.unschedulable_count + 1, consecutive_errors_count=0)
    return evolve(info, consecutive_errors_count=info.consecutive_errors_count + 1)


def is_pod_backing_off(setup: QueueSetup, queue: Queue, info: QueuedPodInfo, now: int) -> bool:
    """Whether the pod must still wait at `now` (`isPodBackingOff`; under `PriorityQueue.lock`)."""
    if info.gated and setup.pre_enqueue_rules is not None and not setup.pre_enqueue_rules.gated_pod_may_back_off():
        return False
    end = setup.rules.backoff_time(setup, queue, info)
    return end is not None and setup.rules.still_backs_off(setup, end, now)


def no_back_off_pod(setup: QueueSetup, queue: Queue, name: str, now: int) -> Queue:
    """Nothing is kept beside the queue (1.13; 1.18 on)."""
    return queue


def _back_off(setup: QueueSetup, queue: Queue, name: str, now: int, keep: int) -> Queue:
    entries = [entry for entry in queue.pod_backoff if now - entry.last_update <= keep]
    known = next((entry for entry in entries if entry.name == name), BackoffEntry(name, 0, now))
    # The first attempt backs off anew, and so does one whose backoff has ended; a running one stays as it is.
    if known.attempts == 0 or known.last_update + calculate_backoff_duration(setup.config, known.attempts) < now:
        entries = [entry for entry in entries if entry.name != name]
        entries.append(BackoffEntry(name, known.attempts + 1, now))
    return evolve(queue, pod_backoff=tuple(sorted(entries, key=lambda entry: entry.name)))


def back_off_pod_kept_for_max(setup: QueueSetup, queue: Queue, name: str, now: int) -> Queue:
    """Forget entries older than the maximal backoff, then begin a backoff of `name` unless one runs.

    `backoffPod` with `Gc` (1.14) or `CleanupPodsCompletesBackingoff` (1.15 to 1.17.2): QUEUE-BACKOFF-LOST.
    """
    return _back_off(setup, queue, name, now, setup.config.max_backoff)


def back_off_pod_kept_for_twice_max(setup: QueueSetup, queue: Queue, name: str, now: int) -> Queue:
    """The same with entries kept for twice the maximal backoff (pull request #87616)."""
    return _back_off(setup, queue, name, now, 2 * setup.config.max_backoff)


def clear_pod_backoff(queue: Queue, name: str) -> Queue:
    """Forget the backoff of `name` (`clearPodBackoff`; no effect where nothing is kept by name)."""
    if _entry(queue, name) is None:
        return queue
    return evolve(queue, pod_backoff=tuple(entry for entry in queue.pod_backoff if entry.name != name))


# --- How many attempts and failures of a pod an explorer tells apart: as many as decide about a backoff

_BACKS_OFF_BY_ATTEMPTS = is_in(
    "backoff_time",
    (
        backoff_time_by_attempts,
        backoff_time_of_tried_pod,
        backoff_time_in_window,
    ),
)
_BACKS_OFF_BY_FAILURES = is_in("backoff_time", (backoff_time_by_failures,))


def forget_attempts(setup: QueueSetup, info: QueuedPodInfo, popped: bool = False) -> QueuedPodInfo:
    """The record with attempts and failures cut to what a rule of this release can still tell apart.

    `popped`: the pod is in flight. When it comes back, one more failure is counted.
    """
    if ask(setup.rules, _BACKS_OFF_BY_FAILURES):
        most = attempts_that_count(setup.config)
        return _with_few_failures(info, most, most - 1 if popped else most)
    most = attempts_that_count(setup.config) if ask(setup.rules, _BACKS_OFF_BY_ATTEMPTS) else 0
    return info if info.attempts <= most else evolve(info, attempts=most)


def _with_few_failures(info: QueuedPodInfo, most: int, keep: int) -> QueuedPodInfo:
    """The record without attempts, and with failures up to `keep`: backoffs do not grow after `most` failures."""
    rejections, errors = min(info.unschedulable_count, keep), min(info.consecutive_errors_count, keep)
    if most == 1:
        # All backoffs are as long as each other: whether there was a failure is all that counts.
        rejections, errors = max(rejections, errors), 0
    if (info.attempts, info.unschedulable_count, info.consecutive_errors_count) == (0, rejections, errors):
        return info
    return evolve(info, attempts=0, unschedulable_count=rejections, consecutive_errors_count=errors)
