"""How long a pod that waits may go without an attempt in a release, by the rules of its queue. Pure functions."""

from datetime import timedelta

from attrs import evolve, frozen

from model.objects import Pod
from model.releases import LAST_PATCH, Release, known_release, rules_for
from model.scheduler.queue.rules import QueueRules
from model.scheduler.queue.state import Queue, QueueConfig, QueuedPodInfo

# The scheduler's goroutine looks for pods to flush so often (`Run` of the scheduling queue, 1.14 on).
TICK = timedelta(seconds=30)
# How much later an attempt may show in an event that repeats. A series is written again after so long (`refreshTime` of
# client-go/tools/events); of other events the spam filter lets one of a pod through in 5 min (client-go/tools/record).
SERIES = timedelta(minutes=30)
REPEATED = timedelta(minutes=5)
# In a release that never flushes: after this time without an attempt, something went wrong or no event came.
UNFLUSHED = timedelta(minutes=10)
# A pod whose backoff has ended may wait so long behind others.
BEHIND = timedelta(minutes=1)


@frozen
class Timers:
    """The timers of a release's queue, in its default configuration."""

    # How long a pod may stay among the unschedulable ones; None: for ever (1.13.0 to 1.13.2).
    flush: timedelta | None
    # The longest backoff.
    backoff: timedelta
    # Whether a pod that met an error, and that no plugin rejected, backs off and waits for no event (1.29 on, #119105).
    errors_back_off: bool

    def longest(self, shown: timedelta = REPEATED, *, after_error: bool = False) -> timedelta:
        """After so long without an attempt no timer of the release explains the wait.

        `shown`: how much later an attempt may show. `after_error`: the last attempt met an error.
        """
        if after_error and self.errors_back_off:
            return self.backoff + BEHIND + shown
        return (UNFLUSHED if self.flush is None else self.flush + TICK) + self.backoff + shown


def timers(release: Release | None) -> Timers:
    """The timers of `release`; if it is None the longest of any: those of the newest, and errors wait for an event."""
    if release is None:
        newest = max(LAST_PATCH)
        return evolve(timers(known_release(f"1.{newest}.{LAST_PATCH[newest]}")), errors_back_off=False)
    config, rules = QueueConfig(), rules_for(QueueRules, release)
    limit = rules.unschedulable_time_limit(config)
    return Timers(
        flush=None if limit is None else timedelta(milliseconds=limit),
        backoff=timedelta(milliseconds=config.max_backoff),
        errors_back_off=rules.queue_for_failed_pod(Queue(), QueuedPodInfo(Pod("a", "a#1")), 0) == "backoff",
    )
