"""What the scheduler waits for before its first cycle. Pure functions.

Go: `Run` in cmd/kube-scheduler/app/server.go calls `WaitForCacheSync` of the informers, and from 1.28 on
`WaitForHandlersSync` in pkg/scheduler/eventhandlers.go. Up to 1.19 `Scheduler.Run` waits for the informer of pods too.

An informer has synced when its store has the first list. Its handlers hear of the objects in goroutines of their own,
so they may still have to handle some.
"""

from collections.abc import Callable

from attrs import frozen


def waits_for_stores() -> bool:
    """Up to 1.27: the first cycle may begin before the handlers have put all bound pods into the cache (#116717)."""
    return False


def waits_for_handlers() -> bool:
    """1.28 on: every handler has handled the first list (#116729)."""
    return True


@frozen(slots=False, kw_only=True)
class StartRules:
    """What releases do differently when the scheduler starts."""

    # Whether the first cycle waits until the handlers have handled the first list.
    handlers_sync_first: Callable[[], bool]
