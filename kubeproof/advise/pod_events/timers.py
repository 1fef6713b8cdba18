"""How long a pod that waits may go without an attempt in a release, by the rules of its queue. Pure functions."""

from datetime import timedelta

from attrs import frozen

from model.releases import LAST_PATCH, Release, known_release, rules_for
from model.scheduler.queue.rules import QueueRules
from model.scheduler.queue.state import QueueConfig

# The scheduler's goroutine looks for pods to flush so often (`Run` of the scheduling queue, 1.14 on).
TICK = timedelta(seconds=30)
# How much later an attempt may show in an event that repeats. A series is written again after so long (`refreshTime` of
# client-go/tools/events); of other events the spam filter lets one of a pod through in 5 min (client-go/tools/record).
SERIES = timedelta(minutes=30)
REPEATED = timedelta(minutes=5)
# In a release that never flushes: after this time without an attempt, something went wrong or no event came.
UNFLUSHED = timedelta(minutes=10)


@frozen
class Timers:
    """The timers of a release's queue, in its default configuration."""

    # How long a pod may stay among the unschedulable ones; None: for ever (1.13.0 to 1.13.2).
    flush: timedelta | None
    # The longest backoff.
    backoff: timedelta

    def longest(self, shown: timedelta = REPEATED) -> timedelta:
        """After so long without an attempt no timer of the release explains the wait.

        `shown`: how much later an attempt may show.
        """
        return (UNFLUSHED if self.flush is None else self.flush + TICK) + self.backoff + shown


def timers(release: Release | None) -> Timers:
    """The timers of `release`; if it is None those of the newest release, which are the longest."""
    if release is None:
        newest = max(LAST_PATCH)
        release = known_release(f"1.{newest}.{LAST_PATCH[newest]}")
    config = QueueConfig()
    limit = rules_for(QueueRules, release).unschedulable_time_limit(config)
    return Timers(None if limit is None else timedelta(milliseconds=limit), timedelta(milliseconds=config.max_backoff))
