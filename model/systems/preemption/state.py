"""What a state of the system `preemption` is, and its rules."""

from collections.abc import Callable

from attrs import field, frozen

from model.objects import SELDOM
from model.scheduler.extender_preemption import ExtenderPreemptionRules
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.disruption_budgets import BudgetsApiRules
from model.scheduler.preemption.objects import Budgets, Pods, PreemptionNode, PreemptionPod, Victims
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.preemption.writes import PodStatus, WriteRules

NamedStatuses = tuple[tuple[str, PodStatus], ...]


@frozen(slots=False, kw_only=True)
class PreemptionSystemRules(PreemptionRules, ExtenderPreemptionRules, WriteRules, BudgetsApiRules):
    """All rules of this system in one choice."""

    # As in `CycleCallRules`.
    statuses_of_rejected_pre_filter: Callable[[tuple[str, ...], Status], dict[str, Status]]


@frozen
class Extender:
    """What an extender with the verb Preempt answers whenever it is asked."""

    # The nodes that the extender leaves out of its answer.
    refuses: tuple[str, ...] = ()
    # The nodes that it names without a victim.
    empties: tuple[str, ...] = ()
    # Whether nobody answers.
    fails: bool = False
    # Whether the scheduler goes on without the extender.
    ignorable: bool = False


@frozen(cache_hash=True)
class Cluster:
    """What the scheduler finds when the pod fits nowhere. Does not change while the attempt lasts."""

    preemptor: PreemptionPod
    nodes: tuple[PreemptionNode, ...]
    budgets: Budgets = ()
    # What PreFilter says of the pod: Success, or a rejection. Then no filter is asked.
    pre_filter: Code = Code.SUCCESS
    # The nodes on which a filter says UnschedulableAndUnresolvable; on each other one that the pod does not fit.
    unresolvable: tuple[str, ...] = ()
    extender: Extender | None = None
    # The victims of an earlier attempt, which no budget's status counts yet.
    earlier: Pods = ()
    # Whether spec.imagePullSecrets of the preemptor has an entry without a name.
    unnamed_secret: bool = False

    def node(self, name: str) -> PreemptionNode:
        """The node of this name."""
        return next(node for node in self.nodes if node.name == name)

    def helps(self, node: str) -> bool:
        """Whether some pod that goes may let the preemptor fit on the node, as the plugins say."""
        return self.pre_filter is not Code.UNSCHEDULABLE_AND_UNRESOLVABLE and node not in self.unresolvable


NOBODY = Cluster(PreemptionPod(""), ())


@frozen
class Candidate:
    """A node on which the preemptor would fit."""

    node: str
    victims: Victims


@frozen(cache_hash=True)
class Preemption:
    """A state of the system: how far the attempt is."""

    cluster: Cluster = NOBODY
    # What comes next: "begin", "search", "extenders", "select", "prepare", "record"; "": the attempt is over.
    next: str = "begin"
    # As the dry run has found them, then as extenders have left them.
    candidates: tuple[Candidate, ...] = ()
    # The node that was chosen, "" for none.
    chosen: str = ""
    # Why the attempt ended early: a status's text, or an error's; "" if it did not.
    ended: str = field(default="", metadata={SELDOM: True})
    # How Go panics; "" if it does not.
    panic: str = field(default="", metadata={SELDOM: True})
    # What the attempt does with status.nominatedNodeName: a node, "" takes the nomination back, None leaves it.
    nominated: str | None = None
    # The pods that were deleted, in order.
    deleted: tuple[str, ...] = ()
    # The status of each pod in the API server, by name: the preemptor first.
    statuses: NamedStatuses = ()
    # How many contexts the attempt has left.
    contexts: int = 0

    def status(self, pod: str) -> PodStatus:
        """The status of the pod of this name."""
        return dict(self.statuses)[pod]

    def candidate(self, node: str) -> Candidate:
        """The candidate on this node."""
        return next(each for each in self.candidates if each.node == node)
