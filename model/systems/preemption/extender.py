"""What the extender of a cluster answers to the verb Preempt."""

from collections.abc import Mapping

from model.scheduler.extender_preemption import MetaVictims, PreemptReply
from model.scheduler.preemption.objects import Victims
from model.systems.preemption.state import Extender


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
