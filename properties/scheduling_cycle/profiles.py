"""A scheduler has to do with its own pods alone: those whose schedulerName one of its profiles has."""

from collections.abc import Iterator

from model.machine import Action
from model.objects import Pod
from model.systems.scheduling_cycle.records import SchedulingCycle
from properties.property import Invariant, StepInvariant
from properties.scheduling.view import nominated_pods
from properties.scheduling_cycle.binders import BINDING, binding

State = SchedulingCycle


def _some_of_others(state: State) -> bool:
    """Whether the API server has a pod that names another scheduler."""
    return any(pod is not None and pod.scheduler_name for pod in state.pods)


def _queued_of_others(state: State) -> Iterator[tuple[str, Pod]]:
    """Pods of other schedulers in a sub-queue, and which one it is."""
    queue = state.queue
    parts = (("activeQ", queue.active), ("the backoff queue", queue.backoff), ("unschedulableQ", queue.unschedulable))
    for part, infos in parts:
        for info in infos:
            if info.pod.scheduler_name:
                yield part, info.pod


def _explain_queued(state: State) -> str:
    part, pod = next(_queued_of_others(state))
    return f"{part} has {pod.uid}, whose schedulerName is that of another scheduler"


def _nominated_of_others(state: State) -> Iterator[tuple[str, Pod]]:
    """Nominations of pods of other schedulers. One to the node "" keeps no room."""
    for node, pod in nominated_pods(state):
        if not node:
            continue
        if pod.scheduler_name:
            yield node, pod


def _explain_nominated(state: State) -> str:
    node, pod = next(_nominated_of_others(state))
    return f"{pod.uid} is nominated to {node}, and its schedulerName is that of another scheduler"


def _bound_of_others(before: State, action: Action) -> bool:
    return bool(binding(before, action).pod.scheduler_name)


# Each of them looks a pod up by its name.
_BROKEN_BY = ("error_func_with_api_get", "error_func_with_lister", "error_func_without_node_repair")
QUEUED_IS_OWN = Invariant(
    name="queued-pod-is-the-schedulers-own",
    sentence="The queue has no pod that names another scheduler.",
    broken_by=_BROKEN_BY,
    holds=lambda state: not any(_queued_of_others(state)),
    premise=_some_of_others,
    explain=_explain_queued,
)
NOMINATED_IS_OWN = Invariant(
    name="nominated-pod-is-the-schedulers-own",
    sentence="No pod that names another scheduler is nominated in the scheduler's memory.",
    broken_by=_BROKEN_BY,
    holds=lambda state: not any(_nominated_of_others(state)),
    premise=_some_of_others,
    explain=_explain_nominated,
)
BOUND_IS_OWN = StepInvariant(
    name="bound-pod-is-the-schedulers-own",
    sentence="The scheduler binds no pod that names another scheduler.",
    broken_by=("schedules_any_pod",),
    actions=BINDING,
    holds=lambda before, action, after: not _bound_of_others(before, action),
    premise=lambda before, action, after: _some_of_others(before),
    explain=lambda before, action, after: (
        f"a Binding of {binding(before, action).pod.uid} is posted, whose schedulerName is that of another scheduler"
    ),
)
