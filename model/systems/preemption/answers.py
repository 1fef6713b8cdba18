"""What PostFilter hears of what the filters have said, and what the extender answers to the verb Preempt."""

from collections.abc import Mapping

from model.scheduler.extender_preemption import MetaVictims, PreemptReply
from model.scheduler.framework.status import Code, Status
from model.scheduler.preemption.node_statuses import NodeToStatus
from model.scheduler.preemption.objects import PreemptionNode, Victims
from model.systems.preemption.state import Cluster, Extender, PreemptionSystemRules

_REFUSED = "Insufficient cpu"


def statuses_of(rules: PreemptionSystemRules, cluster: Cluster) -> NodeToStatus:
    """What PostFilter hears of the nodes."""
    names = tuple(node.name for node in cluster.nodes)
    if cluster.pre_filter is not Code.SUCCESS:
        return rules.statuses_of_rejected_pre_filter(names, Status(cluster.pre_filter, ("rejected by PreFilter",)))
    return {node.name: _refusal(rules, cluster, node) for node in cluster.nodes}


def _refusal(rules: PreemptionSystemRules, cluster: Cluster, node: PreemptionNode) -> Status:
    """What the first filter says that refuses the node. Where the pod has room, that is a plugin of another kind."""
    if node.name in cluster.unresolvable:
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (_REFUSED,))
    status = rules.fits_node(cluster.preemptor, node)
    return Status(Code.UNSCHEDULABLE, (_REFUSED,)) if status.ok else status


def reply(extender: Extender, candidates: Mapping[str, Victims]) -> PreemptReply:
    """The candidates as they were sent, without the nodes that it refuses; or no answer."""
    if extender.fails:
        return PreemptReply(failed="context deadline exceeded")
    return PreemptReply(
        victims={
            name: MetaVictims(
                () if name in extender.empties else tuple(pod.name for pod in victims.pods), victims.num_pdb_violations
            )
            for name, victims in candidates.items()
            if name not in extender.refuses
        }
    )
