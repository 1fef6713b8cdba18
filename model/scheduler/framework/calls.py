"""What a scheduling cycle asks of others, one call after the other, and what they answer.

A cycle is written as a generator, in the order of the Go code. It yields a call, and is sent the answer. So a cycle is
a pure function of the answers so far. Whoever drives it decides what plugins and the API server answer, and executes
the calls of cache and queue.
"""

from collections.abc import Callable, Generator
from typing import Any, Literal, TypeVar

from attrs import frozen

from model.objects import Pod
from model.scheduler.framework.status import Code, Status

Point = Literal[
    "PreFilter", "Filter", "PostFilter", "PreScore", "Score", "NormalizeScore", "Reserve", "Unreserve", "Permit",
    "PreBind", "Bind", "PostBind",
]  # fmt: skip


@frozen
class PluginCall:
    """A plugin is asked at a point. The answer is a `PluginAnswer`."""

    plugin: str
    point: Point
    # "" where the point is not of a node.
    node: str = ""
    # Of PostFilter: the status of each node that has one.
    statuses: tuple[tuple[str, Code], ...] = ()
    # Of PostFilter up to 1.17: the feasible nodes.
    nodes: tuple[str, ...] = ()


@frozen
class PluginAnswer:
    """What a plugin answers."""

    status: Status = Status()
    # PreFilter: the nodes that the pod may go to; None: all.
    nodes: frozenset[str] | None = None
    # PostFilter: the nominated node; "" takes the nomination back; None: no result.
    nominated: str | None = None
    # Score.
    score: int = 0
    # Permit, of a plugin that waits: for how many ms.
    timeout: int = 0


@frozen
class ExtenderCall:
    """An extender is asked. The answer is an `ExtenderAnswer`."""

    extender: str
    verb: Literal["Filter", "Prioritize", "Bind"]
    # The nodes that are left; of Bind the node.
    nodes: tuple[str, ...]


@frozen
class ExtenderAnswer:
    """What an extender answers."""

    error: str | None = None
    # Filter: why a node is refused.
    refused: tuple[tuple[str, str], ...] = ()
    # Filter: why a node is refused for good (1.21 on).
    refused_for_good: tuple[tuple[str, str], ...] = ()
    # Filter: the nodes that pass, None for a nil pointer. None for the whole: those asked that are not refused.
    nodes: tuple[str | None, ...] | None = None
    # Prioritize: the score of a node, 0 to 10.
    scores: tuple[tuple[str, int], ...] = ()


@frozen
class CacheCall:
    """A call of the scheduler's cache. The answer is an error text, or None."""

    function: Literal["AssumePod", "FinishBinding", "ForgetPod", "RemoveNode"]
    pod: Pod | None = None
    # Of AssumePod and RemoveNode.
    node: str = ""


@frozen
class QueueCall:
    """A call of the scheduling queue. The answer is an error text, or None."""

    function: Literal[
        "AddUnschedulableIfNotPresent", "Done", "MoveAllToActiveOrBackoffQueue", "AddNominatedPod",
        "DeleteNominatedPodIfExists", "UpdateNominatedPodForNode",
    ]  # fmt: skip
    # The pod; of a move the pod that the cache has forgotten.
    pod: Pod
    # The plugins under whose names the failure is filed, and those that are pending. None: as they were at Pop.
    unschedulable_plugins: frozenset[str] | None = None
    pending_plugins: frozenset[str] | None = None
    # Of AddNominatedPod: None leaves the nomination to the pod's status, "" takes it back.
    nominated: str | None = None
    # Of a move: the pod itself is not moved.
    not_itself: bool = False


@frozen
class Event:
    """An event about the pod is recorded. No answer."""

    type: Literal["Normal", "Warning"]
    reason: str
    action: str
    text: str


@frozen
class PatchStatus:
    """The pod's status is patched. The answer is an error text, or None."""

    # Reason and message of the condition PodScheduled=False.
    reason: str
    message: str
    # status.nominatedNodeName, "" where it is taken away; None: not in the patch.
    nominated: str | None = None


@frozen
class ErrorFuncCall:
    """The error function is called (to 1.18). No answer."""

    text: str
    # The node that the API server does not know, if that is the error.
    missing_node: str = ""


@frozen
class PodRequest:
    """The API server is asked for the pod (to 1.18). The answer is the pod, or None."""

    purpose: Literal["preempt"]


@frozen
class UpdateStatus:
    """The pod's status is written (to 1.18). The answer is an error text, or None.

    Either the condition PodScheduled=False gets a reason and a message, or the nomination is written.
    """

    reason: str = ""
    message: str = ""
    nominated: str | None = None


@frozen
class Panic:
    """Go panics, and the process ends. No call follows, and there is no answer."""

    text: str


@frozen
class Ask:
    """What the scheduler reads.

    snapshot: the names of the nodes in order. pod: the version in the informer's store, or None. permit: the status
    with which the pod stops waiting. assumed: whether the cache has assumed the pod. nominated: whether pods that are
    nominated to `node` count for this pod. host: which of `nodes` is chosen, each as likely as the others.
    nodes with pods: the snapshot's nodes as preemption reads them, by name. number of nodes, next node: what the
    cache's node tree has and gives now (to 1.16).
    """

    what: Literal[
        "snapshot", "pod", "permit", "assumed", "nominated", "host", "nodes with pods", "number of nodes", "next node",
    ]  # fmt: skip
    # Of "nominated".
    node: str = ""
    # Of "host".
    nodes: tuple[str, ...] = ()
    # Of "permit": the plugins that wait, with their timeouts in ms.
    waiting: tuple[tuple[str, int], ...] = ()


Call = (
    PluginCall
    | ExtenderCall
    | CacheCall
    | QueueCall
    | Event
    | PatchStatus
    | ErrorFuncCall
    | PodRequest
    | UpdateStatus
    | Panic
    | Ask
)
T = TypeVar("T")
# A part of a cycle: what it asks, and what it answers in the end.
Steps = Generator[Call, Any, T]


def driven(steps: Steps[T], answer: Callable[[Call], Any]) -> T:
    """What `steps` answers in the end, if `answer` answers each call."""
    try:
        call = next(steps)
        while True:
            call = steps.send(answer(call))
    except StopIteration as end:
        result: T = end.value
        return result


class _Unanswered(Exception):
    """A function asks what has not been answered yet."""

    def __init__(self, call: Call) -> None:
        self.call = call


def asked_again(compute: Callable[[Callable[[Call], Any]], T]) -> Steps[T]:
    """What `compute` answers, which is given a function that asks. It is run again with each answer."""
    answers: list[Any] = []
    while True:
        left = iter(answers)

        def ask(call: Call, left: Any = left) -> Any:
            for answer in left:
                return answer
            raise _Unanswered(call)

        try:
            return compute(ask)
        except _Unanswered as missing:
            answers.append((yield missing.call))
