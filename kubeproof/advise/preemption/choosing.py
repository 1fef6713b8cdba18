"""On which node preemption may take place in a release, and which pods go: every answer that Go leaves open.

The model's parts are asked in the order of its `preempt` (`model.scheduler.preemption.preempt`): each node is looked
at once and not once for each node at which the search may begin, and a node may have several answers.
"""

from collections.abc import Iterable, Mapping

from attrs import Factory, define, frozen

from kubeproof.advise.preemption.cluster import Cluster
from kubeproof.advise.preemption.orders import Looked, look
from model.go.errors import GoError
from model.scheduler.framework.status import Status
from model.scheduler.preemption.candidates import select_candidate
from model.scheduler.preemption.dry_run import dry_run
from model.scheduler.preemption.objects import PreemptionNode, Victims
from model.scheduler.preemption.preempt import MinCandidates, why_not_eligible

# So many looks at a node's answer are taken in all: a second or so.
EFFORT = 600_000
# So many orders of the pods and budgets are tried: on one node, if there are few nodes; on all nodes; on one of many.
ORDERS = 120
ALL_ORDERS = 10_000
FEWEST_ORDERS = 8
DEFAULTS = MinCandidates()


@frozen
class Choices:
    """What preemption may do."""

    # Why the pod may not preempt, in the scheduler's words; None: it may.
    not_eligible: str | None
    # Of each node on which preemption might help what may be decided there.
    looked: Mapping[str, Looked]
    # The node and the victims of each possible answer.
    chosen: tuple[tuple[str, Victims], ...]
    # Of how many nodes that may help the search is content with how many candidates.
    helped: int
    enough: int
    # Whether everything that may be decided on the nodes was tried together.
    whole: bool

    @property
    def all_tried(self) -> bool:
        """Whether there are no other answers."""
        return self.whole and all(each.all_orders for each in self.looked.values())


def choices(
    cluster: Cluster,
    statuses: Mapping[str, Status],
    judged: frozenset[str],
    arguments: MinCandidates = DEFAULTS,
    all_orders: int = ALL_ORDERS,
) -> Choices:
    """All that the release may choose among the nodes of `judged`. `statuses`: of nodes on which the pod does not fit.

    `arguments`: those of DefaultPreemption. `all_orders`: so many orders are tried on all nodes together.
    """
    rules = cluster.rules
    reason = why_not_eligible(rules, cluster.preemptor, cluster.nodes, statuses)
    if reason is not None:
        return Choices(reason, {}, (), 0, 0, whole=True)
    helped = tuple(
        node for node in cluster.nodes if node.name in judged and rules.preemption_might_help(statuses.get(node.name))
    )
    orders = max(FEWEST_ORDERS, min(ORDERS, all_orders // max(1, len(helped))))
    looked = {node.name: look(cluster, node, orders) for node in helped}
    offsets, enough = rules.nodes_to_look_at(len(helped), arguments)
    if enough >= len(helped):
        # Every node is looked at, wherever the search begins.
        offsets = range(min(1, len(helped)))
    search = _Search(cluster, helped, looked, offsets, enough)
    # Of the orders of a Go map only the turned ones are tried.
    search.cut = enough < len(helped) and rules.looks_in_any_order(len(statuses))
    chosen = search.all_answers()
    return Choices(None, looked, chosen, len(helped), enough, not search.cut)


@frozen
class _Run:
    """A search that begins at one node, if every node has its worst answer."""

    candidates: frozenset[str]
    picked: tuple[str, ...]


@define
class _Search:
    cluster: Cluster
    helped: tuple[PreemptionNode, ...]
    looked: Mapping[str, Looked]
    offsets: range
    enough: int
    left: int = EFFORT
    # Whether an answer was left out since there was no more work to spend.
    cut: bool = False
    # Of each node its worst answer, with those that are as bad.
    worst: dict[str, tuple[Victims, ...]] = Factory(dict)

    def all_answers(self) -> tuple[tuple[str, Victims], ...]:
        """Each answer of a node that is chosen if every other node has its worst one.

        No other answers can be chosen: nodes are compared by one criterion after the other, so that a worse answer of
        another node never takes an answer out.
        """
        better: list[tuple[str, tuple[Victims, ...]]] = []
        for node, looked in self.looked.items():
            ranked = self._ranked(looked.victims)
            if ranked:
                self.worst[node] = ranked[-1]
                better += [(node, alike) for alike in ranked[:-1]]
        runs = dict.fromkeys(self._run(offset, {}) for offset in self.offsets)
        picked = dict.fromkeys(node for run in runs for node in run.picked)
        found = [(node, each) for node in picked for each in self.worst[node]]
        for node, alike in better:
            if self._may_be_chosen(runs, node, alike[0]):
                found += [(node, each) for each in alike]
        return tuple(found)

    def _ranked(self, answers: tuple[Victims, ...]) -> list[tuple[Victims, ...]]:
        """A node's answers, the best first, those together between which no criterion decides."""
        if len(answers) == 1:
            return [answers]
        ranked = []
        left = {str(at): answer for at, answer in enumerate(answers)}
        while left:
            best = self._select(left)
            ranked.append(tuple(left.pop(at) for at in best))
        return ranked

    def _may_be_chosen(self, runs: Iterable[_Run], node: str, answer: Victims) -> bool:
        """Whether the node may be chosen with an answer that is better than its worst."""
        if (answer.num_pdb_violations > 0) != (self.worst[node][0].num_pdb_violations > 0):
            # Where a search ends depends on which candidates break no budget.
            self.cut = self.cut or self.left <= 0
            return not self.cut and any(node in self._run(offset, {node: answer}).picked for offset in self.offsets)
        rivals = {run.picked[0] for run in runs if node in run.candidates and node not in run.picked}
        if any(node in run.picked for run in runs):
            return True
        return any(node in self._select({rival: self.worst[rival][0], node: answer}) for rival in rivals)

    def _run(self, offset: int, instead: Mapping[str, Victims]) -> _Run:
        answers: dict[str, Victims | Status] = {
            node: self.worst[node][0] if looked.status is None else looked.status
            for node, looked in self.looked.items()
        }
        answers |= instead
        turned = self.helped[offset:] + self.helped[:offset]
        run = dry_run(self.cluster.rules, lambda node: answers[node.name], turned, self.enough)
        self.left -= len(run.candidates) + len(run.statuses)
        return _Run(frozenset(run.candidates), self._select(run.candidates))

    def _select(self, candidates: Mapping[str, Victims]) -> tuple[str, ...]:
        picked = select_candidate(self.cluster.rules, candidates)
        # Go panics where nobody has to leave a node. The pod fits on no node here, so somebody has to.
        assert not isinstance(picked, GoError)
        return picked
