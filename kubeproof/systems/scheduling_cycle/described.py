"""What is known of scheduling-cycle beside its steps: fields read, repairs, what nothing notices."""

from collections.abc import Mapping

from attrs import evolve

from kubeproof.systems.read_fields import ReadField
from kubeproof.systems.scheduling import described as of_scheduling
from kubeproof.systems.scheduling.scopes import SCOPES as SCHEDULING_SCOPES
from kubeproof.systems.system import Repair
from model.objects import Pod
from model.scheduler.preemption.waiting_victims import delete_by_name
from model.scheduler.waiting_pods import gone_pod_waits

# --- the fields of pods and nodes that the rules read: those of scheduling, where pods may name another scheduler -----

_OF_ANOTHER_SCHEDULER = ReadField("Pod.spec.schedulerName", ("unknown_profile",))
# There is no second scheduler.
_HERE = (
    evolve(each, powers=tuple(power for power in each.powers if power not in SCHEDULING_SCOPES.setups))
    for each in of_scheduling.READ_FIELDS
)
READ_FIELDS = tuple(_OF_ANOTHER_SCHEDULER if each.name == _OF_ANOTHER_SCHEDULER.name else each for each in _HERE)


# --- what the system leaves out besides, and what it has in its place -------------------------------------------------

LEFT_OUT = (
    "It leaves out what scheduling leaves out, except plugins at Reserve, Permit and PreBind, and a second profile.",
    "An error of a plugin at PreFilter, Filter, PreScore or Score is one choice; with `quota` the search is not made "
    "then.",
    "No plugin but that of `named_nodes` rejects a node at will.",
    "Only with `quota` does a search end early, begin where the one before has ended, and up to 1.16 take nodes one "
    "by one.",
    "With `workers=2` each worker takes one node at a time, and up to 1.16 there is one worker.",
    "A plugin at Reserve takes what it needs at once, or nothing. A plugin that fails holds nothing. What it holds, "
    "it holds by pod and node. No filter reads what is held: a pod whose volumes are bound may go to another node.",
    "Each plugin at Permit allows a pod once. The time of all plugins is the same. Both profiles have the same "
    "plugins: only which waiting pods a plugin sees depends on the profile.",
    "A pod names another scheduler only if it is created again. `other_binders` stands for that scheduler, and binds "
    "any pod.",
    "Bind is one POST of the plugin or of an extender. An error of a Bind plugin is not told apart from an error of "
    "the request. No extender answers without having bound. PostBind does nothing.",
    "There is one disruption budget. Nobody evicts by the API, so no pod is counted as disrupted.",
    "Pods have no start times: among pods of one priority preemption takes any.",
    "The deferred move of 1.23 on is one step, with `fine` too.",
    "A node that OpportunisticBatching (on by default from 1.35 on) hints at is one of those that fit. No pod is of a "
    "group (GenericWorkload, off by default).",
    "A plugin at PreBind always has work to do, so from 1.35 on PreBindPreFlight never answers Skip. In 1.36 the pod "
    "is in PreBind from Done on; Go calls AddPodInPreBind a moment later.",
    "From 1.32 on a pod that waits in its binding is in flight, while others are flushed and tried without end. Of "
    "flushes right behind each other one is kept, except where a rule from outside reads the queue: there states "
    "have no end.",
    "From 1.31 on Go files a pod also under the plugin that names nodes. Here a pod is filed under who refuses these "
    "nodes.",
    "Of the queue only is asked whether an event is lost and whether a pod that fits is bound. A plugin refuses a "
    "pod at will, so as many pods as there were refusals may wait. Scheduling asks what else concerns the queue, "
    "backoffs and nominations.",
    "In TLA+ no state says in which order plugins give back, nor which error ended a cycle. There is no node tree, "
    "so `quota` is said from 1.17 on, where no node joins or leaves. `expiry` is not said, and from 1.32 on `fine` "
    "is not either.",
)


# Those of scheduling; what a batch hints at is one of the nodes that fit (see above).
GATES_TAKEN = tuple(taken for taken in of_scheduling.GATES_TAKEN if taken.name != "OpportunisticBatching")


# --- the repairs of scheduling-cycle: those of scheduling, and rules of the points that scheduling does not have ------


def delete_by_uid() -> bool:
    """The DELETE of a victim has the UID as its precondition: refused if a pod of that name was created anew."""
    return True


def gone_pod_is_rejected(pod: Pod, listed: Pod | None) -> bool:
    """A pod that comes into the map of waiting pods is rejected if the informer's store lacks it."""
    return listed is None or listed.uid != pod.uid


REPAIRS = (
    *of_scheduling.REPAIRS,
    Repair("PREEMPT-NAMESAKE", "delete_names_uid", delete_by_name, delete_by_uid),
    Repair("PERMIT-DELETED-EARLY", "rejects_gone_pod", gone_pod_waits, gone_pod_is_rejected),
)


# --- fields of the state in which no property notices a wrong value within a step, and why none has to ----------------

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
    **{field.replace("Scheduling.", "SchedulingCycle."): reason for field, reason in of_scheduling.UNNOTICED.items()},
    **dict.fromkeys(_JUDGED_THERE, _IN_SCHEDULING),
    "CycleGoroutine.asked": "a note of who was asked to bind: the properties of binders judge it when the next one is",
    "CycleGoroutine.at_hand": of_scheduling.UNNOTICED["Goroutine.at_hand"],
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
