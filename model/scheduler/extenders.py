"""Extenders in a scheduling cycle: they refuse nodes, score them, and may bind the pod.

Go: `findNodesThatPassExtenders`, the extenders' part of `prioritizeNodes`, `extendersBinding` in
pkg/scheduler/schedule_one.go, 1.28 to 1.31. Up to 1.17 `findNodesThatFit` in
core/generic_scheduler.go asks them in the same way.
"""

from collections.abc import Callable, Sequence

from attrs import frozen

from model.go.errors import NIL_POINTER, GoError
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
        _file_refusals(answer, statuses)
        gone = {node for node, _ in (*answer.refused, *answer.refused_for_good)}
        passed = tuple(node for node in nodes if node not in gone) if answer.nodes is None else answer.nodes
        nodes = tuple(node for node in passed if node is not None)
        if len(nodes) != len(passed):
            # Whatever comes next asks each node for its name: the next request, the scores, the answer of `Schedule`.
            return NIL_POINTER
    return nodes


def _file_refusals(answer: ExtenderAnswer, statuses: dict[str, Status]) -> None:
    """Adds the reasons of an extender. A node that is refused for good is refused for good only."""
    for_good = dict(answer.refused_for_good)
    for node, reason in for_good.items():
        known = statuses[node].reasons if node in statuses else ()
        statuses[node] = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (*known, reason))
    for node, reason in answer.refused:
        if node not in for_good:
            status = statuses.get(node, Status(Code.UNSCHEDULABLE))
            statuses[node] = Status(status.code, (*status.reasons, reason))


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


def only_the_first_binder(interested: tuple[bool, ...]) -> tuple[int, ...]:
    """To 1.15: the first extender with the verb Bind is asked, or none if it is not interested in the pod."""
    return (0,) if interested and interested[0] else ()


def interested_binders(interested: tuple[bool, ...]) -> tuple[int, ...]:
    """1.16 on (#79804): those that are interested in the pod, in turn."""
    return tuple(at for at, is_interested in enumerate(interested) if is_interested)


@frozen(slots=False, kw_only=True)
class BinderRules:
    """What releases do differently when extenders bind."""

    # (of each extender with the verb Bind whether it is interested in the pod) -> the places of those to be asked, as
    # long as none has decided.
    binders_asked: Callable[[tuple[bool, ...]], tuple[int, ...]]
    # (whether the binder is ignorable) -> whether others are asked after its error.
    asks_on_after_bind_error: Callable[[bool], bool]


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
