"""How a release puts a pod back that could not be scheduled or bound: what its error function reads. Pure data.

Go: `MakeDefaultErrorFunc` in factory/factory.go (1.13 to 1.16), factory.go (1.17 to 1.23), scheduler.go (1.24);
part of `handleSchedulingFailure` in schedule_one.go (1.25 on). None is atomic: the pod is looked up in the API or in
an informer's store, then `AddUnschedulableIfNotPresent` takes `PriorityQueue.lock`. In which order the other steps of
a failure come is in model/scheduler/cycle.py.

All of them agree on this: a pod that the look-up does not find, or finds bound, is not queued again; the look-up is by
name, so another incarnation of it is; and the failure is recorded all the same.
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen


@frozen
class ErrorFunc:
    """What an error function reads."""

    # Where the pod is looked up; "second informer": not in the store of the informer whose events fill the queue.
    reads: Literal["api", "second informer", "informer"]
    # When the cycle's number that goes with the pod into the queue is read: not at all, in the cycle before the
    # goroutine of the look-up starts, or right before queueing. For a failed binding other cycles began meanwhile.
    scheduling_cycle: Literal["none", "before the goroutine", "at queueing"]
    # Whether a node that the error says is not found, and that the API does not find either, is removed from the cache,
    # by a Node object that has nothing but the name.
    repairs_nodes: bool

    @property
    def own_goroutine(self) -> bool:
        """Whether look-up and queueing run beside the cycle (1.13 to 1.18): only a request to the API takes long."""
        return self.reads == "api"


ErrorFuncRule = Callable[[], ErrorFunc]


def error_func_without_cycle() -> ErrorFunc:
    """1.13: as `error_func_with_api_get`, but a flag of the queue, not a number, says that an event came meanwhile."""
    return ErrorFunc("api", "none", True)


def error_func_with_api_get() -> ErrorFunc:
    """1.14 to 1.18: a goroutine GETs the pod from the API, again and again until there is an answer."""
    return ErrorFunc("api", "before the goroutine", True)


def error_func_with_second_informer() -> ErrorFunc:
    """1.19.0 to 1.19.14 (#90660): in the cycle, by a lister whose store may lag behind the queue's events.

    A pod that this store does not have yet is dropped for good (QUEUE-TWO-INFORMERS).
    """
    return ErrorFunc("second informer", "at queueing", True)


def error_func_with_lister() -> ErrorFunc:
    """1.19.15 and 1.20 to 1.29 (#93044): in the cycle, by the lister of the informer that fills the queue."""
    return ErrorFunc("informer", "at queueing", True)


def error_func_without_node_repair() -> ErrorFunc:
    """1.30 on (#121981): as `error_func_with_lister`, and nodes are left to their own events."""
    return ErrorFunc("informer", "at queueing", False)


# --- Whether the error function is given the error of the API server as it is, when a Binding fails
#
# Go: `bind` in pkg/scheduler/scheduler.go (1.24 on schedule_one.go), `RunBindPlugins` in framework.go. Only of an error
# of the API server itself the error function asks whether a node was not found (`err.(APIStatus)`).


def kept() -> bool:
    """To 1.17: `bind` returns what the binder returns, if it is not a Bind plugin."""
    return True


def told_as_text() -> bool:
    """1.18 on: a Bind plugin fails with a status, of which a text is left; from 1.20 on an error around the error."""
    return False


@frozen(slots=False, kw_only=True)
class BindingErrorRules:
    """What releases do differently with the error of a Binding."""

    # Whether the error function gets the error as it is.
    binding_error_is_kept: Callable[[], bool]
