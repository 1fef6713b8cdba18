"""Extenders in a scheduling cycle: they refuse nodes, score them, and may bind the pod.

Go: `findNodesThatPassExtenders`, the extenders' part of `prioritizeNodes`, `extendersBinding` in
pkg/scheduler/schedule_one.go, 1.28 to 1.31.
"""

from collections.abc import Callable, Sequence

from attrs import frozen

from model.go.errors import GoError
from model.scheduler.framework.calls import ExtenderAnswer, ExtenderCall, Steps
from model.scheduler.framework.runtime import failed
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.scoring import PrioritizeExtender


@frozen
class Extender:
    """How an extender is configured. Each extender has the verb Filter."""

    name: str
    weight: int = 1
    # Whether the scheduler goes on without the extender if the extender fails.
    ignorable: bool = False
    # Whether the pod asks for a resource that the extender manages.
    interested: bool = True
    # Whether the extender has the verb Bind.
    binder: bool = False


Extenders = Sequence[Extender]


def find_nodes_that_pass_extenders(
    extenders: Extenders, nodes: tuple[str, ...], statuses: dict[str, Status]
) -> Steps[tuple[str, ...] | GoError]:
    """The nodes that no extender refuses. `statuses` gets the reasons."""
    for extender in extenders:
        if not nodes:
            break
        if not extender.interested:
            continue
        answer: ExtenderAnswer = yield ExtenderCall(extender.name, "Filter", nodes)
        if answer.error is not None:
            if extender.ignorable:
                continue
            return GoError(answer.error)
        for refused, code in (
            (answer.refused_for_good, Code.UNSCHEDULABLE_AND_UNRESOLVABLE),
            (answer.refused, Code.UNSCHEDULABLE),
        ):
            for node, reason in refused:
                known = statuses.get(node, Status(code))
                kept = known.code if code is Code.UNSCHEDULABLE else code
                statuses[node] = Status(kept, (*known.reasons, reason))
        gone = {node for node, _ in (*answer.refused, *answer.refused_for_good)}
        nodes = tuple(node for node in nodes if node not in gone)
    return nodes


def ask_to_prioritize(extenders: Extenders, nodes: tuple[str, ...]) -> Steps[list[PrioritizeExtender]]:
    """The scores of those that answer. Go asks all of them at the same time."""
    found = []
    for extender in extenders:
        if not extender.interested:
            continue
        answer: ExtenderAnswer = yield ExtenderCall(extender.name, "Prioritize", nodes)
        if answer.error is None:
            found.append(PrioritizeExtender(extender.name, extender.weight, dict(answer.scores)))
    return found


def first_binder_decides(ignorable: bool) -> bool:
    """To 1.29: whether the next extender, or the Bind plugins, are asked after an error of a binder."""
    return False


def ignorable_binder_is_passed_over(ignorable: bool) -> bool:
    """1.30 on."""
    return ignorable


def extenders_binding(
    extenders: Extenders, node: str, goes_on_after_error: Callable[[bool], bool]
) -> Steps[Status | None]:
    """The answer of the extender that binds the pod; None: no extender does."""
    for extender in extenders:
        if not extender.binder or not extender.interested:
            continue
        answer: ExtenderAnswer = yield ExtenderCall(extender.name, "Bind", (node,))
        if answer.error is None:
            return SUCCESS
        if not goes_on_after_error(extender.ignorable):
            return failed(answer.error)
    return None
