"""The scheduler's goroutines: which actions each offers, and how an action runs one step, or several in a row.

Without `fine`, a step in GLUED belongs to the action of the step before it. Its docstring says why no property can
tell; tests compare the verdicts of both grains in small scopes.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from model.evolve import evolve
from model.machine import Action
from model.scheduler.cache.state import CacheSnapshot
from model.systems.scheduling import binding_steps, cycle_steps, failure_steps, preemption_steps
from model.systems.scheduling.cycle_steps import Stepped
from model.systems.scheduling.normal import order
from model.systems.scheduling.preemption_steps import options
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import Setup

Thread = Literal["cycle", "binding", "retry"]

STEPS: dict[str, Callable[[Setup, Scheduling, Goroutine, Action | None], Stepped]] = {
    "schedule": cycle_steps.schedule,
    "find_nodes": cycle_steps.find_nodes,
    "call_extenders": cycle_steps.call_extenders,
    "choose": cycle_steps.choose,
    "assume": cycle_steps.assume,
    "delete_nominated_pod": cycle_steps.delete_nominated_pod,
    "start_error_func": failure_steps.start_error_func,
    "record_failure": failure_steps.record_failure,
    "preempt": preemption_steps.preempt,
    "nominate": preemption_steps.nominate,
    "set_nominated_node_name": preemption_steps.set_nominated_node_name,
    "post_filter": preemption_steps.post_filter,
    "delete_victims": preemption_steps.delete_victims,
    "requeue": failure_steps.requeue,
    "add_nominated_pod": failure_steps.add_nominated_pod,
    "patch_failure": failure_steps.patch_failure,
    "bind": binding_steps.bind,
    "bind_failed": binding_steps.bind_failed,
    "finish_binding": binding_steps.finish_binding,
    "forget_pod": binding_steps.forget_pod,
    "move_after_forget": binding_steps.move_after_forget,
    "get_pod": failure_steps.get_pod,
    "add_unschedulable": failure_steps.add_unschedulable,
}

GLUED = frozenset(
    {
        "find_nodes", "call_extenders", "delete_nominated_pod", "start_error_func", "nominate", "patch_failure",
        "finish_binding", "forget_pod", "move_after_forget",
    }
)  # fmt: skip
# What touches nothing is an action in no grain.
EMPTY = frozenset({"choose"})
# Steps that choose: nobody else may choose for them.
CHOOSING = frozenset({"assume", "preempt", "post_filter", "bind", "schedule"})
# A failure of the extenders may lead on to preemption.
NEEDS_SNAPSHOT = frozenset({"find_nodes", "call_extenders", "preempt", "post_filter"})


def _joins(setup: Setup, before: str, goroutine: Goroutine) -> bool:
    """Whether the goroutine's next step belongs to the action of the step `before`."""
    step = goroutine.steps[0]
    if step in EMPTY:
        return True
    if step == "delete_victims" and not goroutine.victims and not goroutine.clear:
        return True
    if setup.scope.fine or step in CHOOSING:
        return False
    return step in GLUED or (step == "delete_victims" and before == "post_filter")


def run(setup: Setup, state: Scheduling, goroutine: Goroutine, action: Action) -> Stepped:
    """The action's step of the goroutine, and those that belong to it."""
    given: Action | None = action
    while True:
        step = goroutine.steps[0]
        state, goroutine = STEPS[step](setup, state, evolve(goroutine, steps=goroutine.steps[1:]), given)
        given = None
        if not goroutine.steps or state.crashed or not _joins(setup, step, goroutine):
            return state, goroutine


def run_cycle(setup: Setup, state: Scheduling, action: Action) -> Scheduling:
    """The scheduling cycle in hand goes on."""
    assert state.cycle is not None
    state, goroutine = run(setup, state, state.cycle, action)
    state = evolve(state, cycle=goroutine if goroutine.steps else None)
    if not setup.scope.keep_snapshot and NEEDS_SNAPSHOT.isdisjoint(goroutine.steps):
        state = evolve(state, snapshot=CacheSnapshot())
    return state


def run_other(setup: Setup, state: Scheduling, action: Action, field: str) -> Scheduling:
    """A goroutine of `bindings` or `retries` goes on: the one that the action tells of."""
    others: tuple[Goroutine, ...] = getattr(state, field)
    at = next(i for i, offered in _named(others, field) if offered == _without_choice(action))
    state = evolve(state, **{field: (*others[:at], *others[at + 1 :])})
    state, goroutine = run(setup, state, others[at], action)
    if goroutine.steps:
        state = evolve(state, **{field: tuple(sorted((*getattr(state, field), goroutine), key=order))})
    return state


def _named(others: tuple[Goroutine, ...], field: str) -> Iterator[tuple[int, Action]]:
    """Each goroutine's place and action; `nth` tells those apart that go by the same names, equal ones once."""
    seen: dict[Action, list[Goroutine]] = {}
    for i, goroutine in enumerate(others):
        arguments = {"pod": goroutine.pod.name}
        if field == "bindings":
            arguments["by"] = "binding"
            if goroutine.pod.node_name:
                arguments["node"] = goroutine.pod.node_name
        action = Action.of(goroutine.steps[0], **arguments)
        same = seen.setdefault(action, [])
        if goroutine in same:
            continue
        if same:
            arguments["nth"] = str(len(same) + 1)
        same.append(goroutine)
        yield i, Action.of(goroutine.steps[0], **arguments)


def _without_choice(action: Action) -> Action:
    return Action(action.name, tuple(pair for pair in action.args if pair[0] != "reply"))


def cycle_actions(setup: Setup, state: Scheduling) -> Iterator[Action]:
    """What the scheduling cycle may do next."""
    goroutine = state.cycle
    if goroutine is None:
        return
    step, pod = goroutine.steps[0], goroutine.pod.name
    if step == "assume":
        for node in goroutine.candidates:
            yield Action.of("assume", pod=pod, node=node)
    elif step in ("preempt", "post_filter"):
        yield from options(setup, state, goroutine, step)
    elif step == "schedule" and setup.scope.keep_snapshot:
        ways = len(cycle_steps.snapshots(setup, state))
        for way in range(ways):
            yield Action.of(step, pod=pod, way=way) if ways > 1 else Action.of(step, pod=pod)
    else:
        yield Action.of(step, pod=pod)


def other_actions(setup: Setup, state: Scheduling) -> Iterator[Action]:
    """What binding goroutines and retries may do next."""
    for _, action in _named(state.bindings, "bindings"):
        yield action
        if action.name == "bind":
            if state.used.of("lost_replies") < setup.scope.lost_replies:
                yield Action(action.name, (*action.args, ("reply", "lost")))
            if state.used.of("bind_errors") < setup.scope.bind_errors:
                yield Action(action.name, (*action.args, ("reply", "refused")))
    for _, action in _named(state.retries, "retries"):
        yield action
