"""Fields of the state in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

from kubeproof.systems.scheduling.unnoticed import UNNOTICED as OF_SCHEDULING

_LATER = "it decides of a later step: the properties of Permit and Reserve judge what comes of the run"
_IN_SCHEDULING = "a property of scheduling, which has the same component, notices a wrong value there"
_COUNTED = "a note of what searches have passed over: node-is-examined-in-turn judges the number that comes of it later"
_READ_LATER = "cycle-state-is-of-one-cycle judges it in the later step in which a plugin reads it"
# What scheduling has too, and judges there.
_JUDGED_THERE = (
    "Cache.node_tree", "CacheSnapshot.node_info_list", "CacheSnapshot.node_info_map", "Goroutine.info",
    "Goroutine.steps", "Node.name", "NodeArray.nodes", "NodeEvent.node", "NodeInfo.generation", "NodeInfo.name",
    "NodeInfo.node", "NodeInfo.requested_cpu", "NodeTree.num_nodes", "NodeTree.tree",
    "Nominator.nominated_pod_to_node", "Nominator.nominated_pods", "Pod.annotations", "Pod.condition", "Pod.cpu_milli",
    "PodEvent.kind", "PodEvent.pod", "Queue.nominator", "Queue.unschedulable", "QueuedPodInfo.timestamp",
    "QueuedPodInfo.unschedulable_plugins", "SchedulingCycle.lister", "SchedulingCycle.node_watch",
    "SchedulingCycle.nodes", "SchedulingCycle.pod_watch", "SchedulingCycle.retries", "SchedulingCycle.snapshot",
)  # fmt: skip

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    **{field.replace("Scheduling.", "SchedulingCycle."): reason for field, reason in OF_SCHEDULING.items()},
    **dict.fromkeys(_JUDGED_THERE, _IN_SCHEDULING),
    "CycleGoroutine.asked": "a note of who was asked to bind: the properties of binders judge it when the next one is",
    "CycleGoroutine.at_hand": OF_SCHEDULING["Goroutine.at_hand"],
    "CycleGoroutine.cycle_state": _READ_LATER,
    "CycleGoroutine.canceled": "it decides of a later step: only-victims-go and what is asked of bindings judge that",
    "CycleGoroutine.candidates": "where the pod goes is any of the nodes that fit: a later step chooses",
    "CycleGoroutine.node": "the node of a nomination: scheduling judges nominations",
    "CycleGoroutine.rejected_by": "the measure of rejected-by-last-attempt, which is asked in scheduling",
    "CycleGoroutine.waits": _LATER,
    "Node.zone": "zones shape the order of nodes alone: node-listing judges the tree",
    "Search.found": "which nodes fit decides of a later step, which chooses among them",
    "Search.refused": "how many nodes have a status decides where the next search begins, a later step",
    "SchedulingCycle.plugin_context": _READ_LATER,
    "SchedulingCycle.searches": _COUNTED,
    "Searches.nodes": _COUNTED,
    "WaitingPod.listening": _LATER,
    "WaitingPod.pending": _LATER,
}
