"""Which bugs leave which symptoms: errors, events, lines of a log, panics, metrics, functions in a profile.

A symptom may also be where no bug is: it says only which bugs to look at, and what else leaves it. Which release has a
bug, `kept` says. Of a bug that no row names no such text is known.
"""

from collections.abc import Iterator

from attrs import evolve

from kubeproof.bugs.catalogue import bugs_against
from kubeproof.bugs.signature import Signature, fewer_reasons_than_nodes, function_at_fault, more_than

# --- Texts that others look for too

# Begins with a small or a capital letter, by release.
NOT_IN_FLIGHT = "n flight Pod isn't found in the scheduling queue"
# 1.34 and 1.35 begin with a capital letter. From 1.36 on this is an error, and the pod stands behind a colon.
TRACKED_TWICE = "he same pod is tracked in multiple places"
SKIPPED = "skip schedule deleting pod: "
LIST_INSERT = "container/list.(*List).insertValue"

# --- The commands that tell more

ALL = "kubectl get pods,events,nodes -A -o json > all.json"
NODES = "kubectl get nodes -o json > nodes.json; kubeproof nodes nodes.json"
POD_EVENTS = f"{ALL}; kubeproof pod-events all.json scheduler.log"
CPU_STATE = (
    "lscpu -e > lscpu.txt; kubeproof cpu-state /var/lib/kubelet/cpu_manager_state --topology lscpu.txt "
    "--config /var/lib/kubelet/config.yaml"
)
MEMORY = "kubeproof scheduler-memory 1.txt 2.txt: two dumps of /metrics, hours apart; also its log at -v=5 and its heap"
CONFIG = "kubeproof scheduler-config CONFIG: what --config of kube-scheduler names"

# --- What else leaves the same

NOTHING = "Nothing else that is known."
TWO_LEAD = "Two schedulers that both lead, or somebody else who binds pods."
FAILS_ONCE = "A plugin that fails once: the pod is tried again."
STATE_FILE = "The file was copied, edited or damaged, or the machine has other CPUs than before."


def _against(property: str, more: str) -> str:
    return f"{' '.join(bugs_against(property))} {more}"


_TWO_ATTEMPTS = "QUEUE-INFLIGHT-DUP QUEUE-RESYNC-DUP"
_KEPT_EVENTS = (
    "QH-DONE-SKIP QH-DUP-ELEMENT QH-RECREATE-LEAK QH-REQUEUED-BEFORE-ADD QH-UPDATE-POP-RACE QH-SLOW-BIND-HOLD "
    "QH-RECORD-ALL"
)
_CPUS_NOT_FREE = (
    "CPU-STALE-AFTER-RESTART CPU-INIT-LEAK CPU-COMPLETED-NOT-RELEASED CPU-RECONCILE-READD CPU-STATE-DEAD-CONTAINER "
    "CPU-LAST-POD-NOT-RECLAIMED"
)
# So many events are in no list of a scheduler that keeps up.
_MANY_EVENTS = 10_000
# Of a function in a profile: the part of all that is hers and her callees', in percent.
_SHARE = r"(?P<value>\d[\d.]{{0,9}})%\s+(?:\|\s+)?\S*{}"
# A line of /metrics.
_METRIC = r"{}(?:\{{[^}}\n]{{0,500}}\}})?\s+(?P<value>\S{{1,40}})"


def _panic(texts: str | tuple[str, ...], functions: dict[str, str], go: str, command: str = "") -> Signature:
    """A panic. `functions`: the function at fault of each bug."""
    other = "A panic of the same text in another function: the lines behind it say in which."
    return Signature(texts, " ".join(functions), go, other, command, "panic", at_fault=tuple(functions.values()))


SIGNATURES: tuple[Signature, ...] = (
    # --- Texts of the scheduler
    Signature("is in the cache, so can't be assumed",
              f"CYCLE-EXTRA-ATTEMPT-STATUS CYCLE-EXTRA-ATTEMPT-LABELS {_TWO_ATTEMPTS} "
              "QUEUE-ERROR-FUNC-AHEAD QH-DUP-ELEMENT CYCLE-RESERVE-NOT-FORGOTTEN "
              "CYCLE-UNRESERVE-OTHER-ATTEMPT CYCLE-VOLUMES-NOT-REVERTED",
              "pkg/scheduler/internal/cache/cache.go AssumePod",
              "Nothing else that is known. Whoever writes to pods while they are scheduled makes it frequent.",
              POD_EVENTS),
    Signature("is already assigned to node", f"BIND-TIMEOUT-BOUND {_TWO_ATTEMPTS} EXT-BIND-ASKS-ON",
              "pkg/registry/core/pod/storage/storage.go setPodHostAndAnnotations", TWO_LEAD, POD_EVENTS, may_pass=True),
    Signature("binding rejected: ", "BIND-TIMEOUT-BOUND QUEUE-ERROR-STUCK", "pkg/scheduler/scheduler.go scheduleOne",
              "The API server refuses: the pod was deleted or bound meanwhile, or a webhook says no.", POD_EVENTS,
              may_pass=True),
    Signature("Precondition failed: UID in precondition", "QUEUE-NAMESAKE-BACK QH-RECREATE-LEAK",
              "staging/src/k8s.io/apiserver/pkg/storage/interfaces.go Preconditions.Check",
              "A pod that was deleted and created again while it was being bound: the new one is tried by itself.",
              POD_EVENTS, may_pass=True),
    Signature("/binding", "BIND-TIMEOUT-BOUND QUEUE-ERROR-STUCK STATUS-PATCH-AFTER-BIND API-LATE-PATCH",
              "pkg/scheduler/framework/plugins/defaultbinder/default_binder.go Bind",
              "An API server or an etcd that is slow. The pod may be bound all the same: look at its spec.nodeName.",
              POD_EVENTS,
              form=r"/binding\b.{0,400}(?:timed? ?out|deadline exceeded|connection (?:lost|refused|reset)|\bEOF\b)"),
    Signature("snapshot state is not consistent",
              "SNAP-GHOST-COUNT NODETREE-NAMEONLY-REMOVE SNAP-MAP-STALE SNAP-MAP-LIST-CHECK",
              "pkg/scheduler/internal/cache/cache.go UpdateSnapshot, 1.18 on", NOTHING, NODES),
    Signature("was not found", "NODETREE-NAMEONLY-REMOVE", "pkg/scheduler/internal/cache/node_tree.go removeNode",
              NOTHING, NODES,
              form=r'in group \\?"\\?" was not found|in NodeTree because it was not found" .{0,300}zone=""'),
    Signature("in nodeTree but not in NodeInfoMap", "NODETREE-NAMEONLY-REMOVE",
              "pkg/scheduler/internal/cache/cache.go updateNodeInfoSnapshotList", NOTHING, NODES),
    Signature("nodes are available: ", "NODETREE-CURSOR NODETREE-LIVE-ITER",
              "pkg/scheduler/core/generic_scheduler.go FitError.Error, up to 1.18: more nodes than reasons",
              "From 1.24 on the nodes that PreFilter leaves out have no reason.", NODES,
              form=r"0/(?P<nodes>\d{1,6}) nodes are available: (?P<reasons>\d[^\n]{1,2000})",
              odd=fewer_reasons_than_nodes),
    Signature("nodeinfo not found for node name", "CYCLE-PREFILTER-NONEXISTENT-NODE CACHE-MISSED-NODE-DELETE",
              "pkg/scheduler/internal/cache/snapshot.go Get, 1.18 on",
              "A pod names a node, in its affinity or by a local volume, that is gone or has just gone.", POD_EVENTS),
    Signature(("node not found", '" not found'), "SNAP-MAP-STALE CACHE-MISSED-NODE-DELETE NODETREE-NAMEONLY-REMOVE",
              "pkg/scheduler/framework/plugins, up to 1.17 algorithm/predicates: a NodeInfo without its Node",
              "A node that went while a pod was tried: then it is said once or twice.", may_pass=True,
              form=r'(?<!due to )\bnode not found\b(?!:| when)|\bnodes? \\?"[^\s"]{1,253}" not found'),
    Signature(("cache is corrupted and can badly affect scheduling decisions",
              "updated on a different node than previously added to"),
              "CACHE-RECREATE-UID CACHE-ASSUMED-OTHER-NODE CACHE-RECREATE-EXIT",
              "pkg/scheduler/internal/cache/cache.go UpdatePod and RemovePod",
              "Two schedulers that both lead, or somebody else who binds pods that this scheduler places.", POD_EVENTS),
    Signature(("got added to", "assumed to a different node than added to", "to a different node than it was assumed"),
              "CACHE-ASSUMED-OTHER-NODE", "pkg/scheduler/internal/cache/cache.go AddPod and RemovePod", TWO_LEAD,
              POD_EVENTS,
              form=r"was assumed to be on \S{1,253} but got added to|different node than (?:added to|it was assumed)"),
    Signature("cache mismatch", _against("cache-says-what-api-server-says", "CACHE-MISSED-NODE-DELETE"),
              "pkg/scheduler/internal/cache/debugger/comparer.go Compare, after SIGUSR2",
              "An event that is on its way: send the signal twice, a minute apart. What is there twice stays.",
              form=r"cache mismatch.{0,40}(?:missed|redundant) ?(?:pods|nodes)"),
    Signature(("is already present in the activeQ", "is already present in the active queue"),
              f"QUEUE-STATUS-SELF-RETRY {_TWO_ATTEMPTS} NOM-STALE-RETRY NOM-PHANTOM-DELETED "
              "QUEUE-ASSUMED-UPDATE-LOST QH-RECREATE-LEAK QH-POP-BEFORE-DONE",
              "pkg/scheduler/internal/queue/scheduling_queue.go AddUnschedulableIfNotPresent",
              "An update of a pod while the pod was tried. Once in a while it does no harm.", POD_EVENTS),
    Signature(TRACKED_TWICE, "QH-POP-BEFORE-DONE QH-REQUEUED-BEFORE-ADD QH-UPDATE-POP-RACE QUEUE-DELETE-LEAVES-COPY "
              "QH-RECREATE-LEAK", "pkg/scheduler/backend/queue/active_queue.go unlockedPop, 1.32 on", NOTHING, MEMORY),
    Signature(NOT_IN_FLIGHT, "QH-DUP-ELEMENT QH-REQUEUED-BEFORE-ADD QH-UPDATE-AFTER-DONE QH-BINDFAIL-FALLTHROUGH",
              "pkg/scheduler/internal/queue/scheduling_queue.go clusterEventsForPod, 1.28 on",
              "Nothing else that is known: the scheduler itself calls it a bug.", MEMORY),
    Signature("inFlightEventsSize", _KEPT_EVENTS,
              "pkg/scheduler/backend/queue/active_queue.go clusterEventsForPod, -v=5",
              f"A burst of events: a list of more than {_MANY_EVENTS} that gets shorter again.", MEMORY,
              form=r'inFlightEventsSize"?[=:] ?(?P<value>\d{1,12})', odd=more_than(_MANY_EVENTS)),
    Signature("profile not found for scheduler name", "QUEUE-OTHER-SCHEDULER QUEUE-UPDATE-OTHER-SCHEDULER",
              "pkg/scheduler/schedule_one.go frameworkForPod, 1.18 on", NOTHING, POD_EVENTS),
    Signature("failed to create merge patch for pod", "PREEMPT-STATUS-PATCH-FULL",
              "pkg/scheduler/util/utils.go PatchPodStatus, 1.19 on", NOTHING, POD_EVENTS),
    Signature("%!w(<nil>)", "CYCLE-PREFILTER-ERROR-LOST",
              "pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins",
              "Another program that wraps an error that is none."),
    Signature(("/filter", "/predicates", "/prioritize", "/preempt"), "CYCLE-ERROR-STUCK QUEUE-STALE-PLUGINS",
              "pkg/scheduler/extender.go send", "The extender is down or slow: each pod that needs it fails so.",
              CONFIG, may_pass=True,
              form=r'(?:Post|Get) \\?"?https?://\S+/(?:filter|predicates?|prioritize|preempt)\\?"?: '),
    Signature(("Error preempting pod", '"Preempting pod" err=', '"Preempted pod" err=', "Tried to preempted pod"),
              "PREEMPT-VICTIM-GONE PREEMPT-PARTIAL",
              "pkg/scheduler/framework/preemption/preemption.go prepareCandidate",
              "A victim that its owner deleted at that moment.",
              "kubectl get pods,nodes,pdb,pc -A -o json > all.json; kubeproof preemption all.json --pod NAMESPACE/NAME",
              form="not found"),
    Signature("Error occurred during async preemption", "ASYNC-PREEMPT-GONE-FAILS",
              "pkg/scheduler/framework/preemption/preemption.go prepareCandidateAsync, 1.32 on",
              "The API server refuses or is slow. The preemptor is tried again then.", POD_EVENTS),
    Signature(("Pod QoS is immutable", "status.qosClass: Invalid value"), "PREEMPT-QOS-PATCH",
              "pkg/apis/core/validation/validation.go ValidatePodUpdate",
              "Somebody changes requests or limits of a pod so that its QoS class would change.", POD_EVENTS),
    Signature("expired", "CACHE-ASSUME-TTL", "internal/cache/cache.go cleanupAssumedPods, up to 1.24",
              "A watch that lags for half a minute or more. No second pod need have come meanwhile.", POD_EVENTS,
              form=r"\bpod (\S+/\S+ )?expired"),
    Signature(("Node didn't have enough resource: ", "OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage"),
              # What they leave is a node with more than it has, and the kubelet says so.
              _against("within-capacity", "CACHE-REQUESTED-DRIFT CACHE-UPDATE-NONATOMIC"),
              "pkg/kubelet/lifecycle/predicate.go InsufficientResourceError",
              "The node is full: pods that the scheduler does not count, such as static ones, or a bind by somebody "
              "else.",
              POD_EVENTS),
    Signature("running", "QUEUE-ERROR-STUCK QH-ERROR-STUCK QUEUE-STALE-PLUGINS CYCLE-FORGET-NO-EVENT "
              "NOM-HOST-NOT-CLEARED",
              "pkg/scheduler/framework/runtime/framework.go RunReservePluginsReserve to RunBindPlugins",
              FAILS_ONCE, POD_EVENTS,
              form=r'\brunning (?:\\?"\w+\\?" )?(?:reserve|permit|prebind|bind) plugin\b', may_pass=True),
    Signature("running", "QUEUE-ERROR-STUCK QH-ERROR-STUCK QUEUE-STALE-PLUGINS",
              "pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins to RunScorePlugins",
              FAILS_ONCE, POD_EVENTS,
              form=r'\brunning (?:\\?"\w+\\?" )?(?:(?:pre)?filter|(?:pre)?score) plugins?\b', may_pass=True),
    # --- Texts that healthy clusters have too
    Signature("doesn't exist in informer cache", "QUEUE-TWO-INFORMERS NOM-PHANTOM-DELETED",
              "pkg/scheduler/factory.go MakeDefaultErrorFunc, 1.19 on; schedule_one.go handleSchedulingFailure",
              "A pod that was deleted while its attempt failed.", POD_EVENTS, common=True),
    Signature(SKIPPED, "QH-DONE-SKIP QUEUE-DELETED-ASSUMED-UPDATE", "pkg/scheduler/schedule_one.go skipPodSchedule",
              "A pod that was deleted before the scheduler tried it.", MEMORY, common=True),
    Signature("possibly due to node not found",
              "NODE-REPAIR-REMOVES-NEW NODETREE-NAMEONLY-REMOVE CACHE-MISSED-NODE-DELETE",
              "pkg/scheduler/factory.go MakeDefaultErrorFunc", "A node that went while a pod was tried.", common=True),
    Signature("waiting for the preemption for this pod to be finished",
              "ASYNC-PREEMPT-STUCK ASYNC-PREEMPT-STUCK-DELETED ASYNC-PREEMPT-STUCK-PERMIT ASYNC-PREEMPT-STUCK-ONE-GONE "
              "ASYNC-PREEMPT-REPEAT ASYNC-PREEMPT-REPEAT-LATE",
              "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go PreEnqueue, 1.32 on",
              "Each preemption, for as long as the victims are asked to go.", POD_EVENTS, common=True),
    Signature("rejected due to timeout after waiting",
              "PERMIT-SECOND-PROFILE PERMIT-GROUP-HOLDS PERMIT-LOST-SIGNAL PERMIT-DELETED-EARLY",
              "pkg/scheduler/framework/runtime/waiting_pods_map.go newWaitingPod",
              "A group of pods that does not fit as a whole.", common=True),
    Signature("pod has unbound immediate PersistentVolumeClaims", "CYCLE-VOLUMES-NOT-REVERTED",
              "pkg/scheduler/framework/plugins/volumebinding/volume_binding.go",
              "A claim for which there is no volume, or not yet.", common=True),
    Signature(("Resources cannot be allocated with Topology locality", "TopologyAffinityError"), "CPU-HINTS",
              "pkg/kubelet/cm/topologymanager",
              "The NUMA nodes are too full for the pod: the scheduler does not look at NUMA nodes.", CPU_STATE,
              common=True),
    # --- Texts of the kubelet
    Signature(("SMT Alignment Error: ", "SMTAlignmentError"), "CPU-FULL-PCPUS-READMIT",
              "pkg/kubelet/cm/cpumanager/policy_static.go SMTAlignmentError",
              "The pod asks for a number of CPUs that is no multiple of the threads of a core, or no whole cores are "
              "free.", CPU_STATE),
    Signature("not enough cpus available to satisfy request", _CPUS_NOT_FREE,
              "pkg/kubelet/cm/cpumanager/cpu_assignment.go takeByTopology",
              "Pods that the scheduler does not count, or reserved CPUs that allocatable does not have taken off.",
              CPU_STATE),
    Signature("doesn't match with CPUs in state", "CPU-STATE-TOPOLOGY CPU-CRASH-BETWEEN-WRITES",
              "pkg/kubelet/cm/cpumanager/policy_static.go validateState", STATE_FILE, CPU_STATE),
    Signature("overlaps with default cpuset", "CPU-INIT-OVERLAP CPU-INIT-REMOVE-FREES-SIBLING CPU-INIT-LEAK",
              "pkg/kubelet/cm/cpumanager/policy_static.go validateState", STATE_FILE, CPU_STATE),
    Signature("default cpuset cannot be empty", "CPU-STRICT-EMPTY-POOL",
              "pkg/kubelet/cm/cpumanager/policy_static.go validateState", STATE_FILE, CPU_STATE),
    Signature("[cpumanager] - please drain node and remove policy state file",
              "CPU-STATE-TOPOLOGY CPU-CRASH-BETWEEN-WRITES",
              "pkg/kubelet/cm/cpumanager/policy_static.go Start, up to 1.17",
              f"{STATE_FILE} The line before has the reason.", CPU_STATE),
    Signature("differs from state checkpoint policy", "",
              "pkg/kubelet/cm/cpumanager/state/state_checkpoint.go restoreState",
              "The kubelet is configured with another policy than its state file has. Every release is so by design.",
              CPU_STATE),
    # Other managers of the kubelet say the same of their own files.
    Signature("checkpoint is corrupt", "CPU-CHECKPOINT-V1-CHECKSUM",
              "pkg/kubelet/cm/cpumanager/state/state_checkpoint.go NewCheckpointState", "A damaged file.", CPU_STATE,
              form=r"could not restore state from checkpoint: checkpoint is corrupt"
                   r"(?!.{0,300}(?:memory manager|allocation))|V\d checkpoint is corrupt, falling back"),
    Signature("not found in initial containers list", "CPU-CHECKPOINT-V1-CHECKSUM",
              "pkg/kubelet/cm/cpumanager/state/state_checkpoint.go migrateV1CheckpointToV2Checkpoint, 1.18 on",
              "The containers were deleted between the two kubelets.", CPU_STATE),
    Signature("falling back to default policy", "CPU-POLICY-NAME",
              "pkg/kubelet/cm/cpumanager/cpu_manager.go NewManager, up to 1.15", NOTHING, CPU_STATE,
              form="unknown policy"),
    Signature("with different number than request", "CPU-HINTS",
              "pkg/kubelet/cm/cpumanager/policy_static.go GetTopologyHints", "The CPUs of a container were resized.",
              CPU_STATE),
    # --- Panics
    _panic("integer divide by zero",
           {"FILTER-DIVIDE-BY-ZERO": r"findNodesThat|core/generic_scheduler\.go|\(\*Scheduler\)\.schedulePod"},
           "pkg/scheduler/schedule_one.go findNodesThatPassFilters"),
    _panic("index out of range [0] with length 0", {"PREEMPT-PANIC": "pickOneNodeForPreemption"},
           "pkg/scheduler/framework/plugins/defaultpreemption pickOneNodeForPreemption"),
    _panic("makeslice: cap out of range", {"SCORE-SKIP-PANIC": "RunScorePlugins"},
           "pkg/scheduler/framework/runtime/framework.go RunScorePlugins", CONFIG),
    _panic("nil pointer dereference", {
           "SNAP-NIL-NODE-PANIC": "podFitsOnNode",
           "EXT-NODE-NOT-FOUND": r"\(\*HTTPExtender\)\.(?!convert)|PrioritizeNodes|scheduler/core/\w+\.go"
                                 r"|\(\*genericScheduler\)\.(?:Schedule|selectHost)$",
           "EXT-PREEMPT-CRASH": r"\.convert(?:To\w*Victims|PodUIDToPod)|core/extender\.go",
           "CACHE-NODE-BEFORE-PODS-CRASH": r"\(\*NodeInfo\)\.RemovePod",
           "NODE-REPAIR-CRASH": r"\(\*(?:NodeInfo|schedulerCache)\)\.RemoveNode|scheduler/cache/node_info\.go"},
           "pkg/scheduler"),
    _panic(("fatal error: concurrent map read and map write", "fatal error: concurrent map writes",
           "fatal error: concurrent map iteration and map write"), {"CPU-CONTAINERMAP-RACE": "containermap"},
           "pkg/kubelet/cm/containermap"),
    # --- Metrics
    Signature("scheduler_inflight_events{", _KEPT_EVENTS, "pkg/scheduler/metrics/metrics.go, 1.32 on",
              f"A burst of events: a list of more than {_MANY_EVENTS} that gets shorter again.", MEMORY, kind="metric",
              form=_METRIC.format("scheduler_inflight_events"), odd=more_than(_MANY_EVENTS)),
    Signature("scheduler_pod_scheduled_after_flush_total",
              _against("no-event-lost", "QH-PLUGIN-HINT-MISS QUEUE-NODE-DELETE-EARLY"),
              "pkg/scheduler/metrics/metrics.go, 1.36 on: only the flush after 5 minutes brought pods back",
              "A plugin that is not in the tree and misses an event.", POD_EVENTS, kind="metric",
              form=_METRIC.format("^scheduler_pod_scheduled_after_flush_total"), odd=more_than(0)),
    Signature("kubelet_cpu_manager_pinning_errors_total", f"CPU-FULL-PCPUS-READMIT {_CPUS_NOT_FREE}",
              "pkg/kubelet/metrics/metrics.go",
              "As of the texts `not enough cpus available` and `SMT Alignment Error`: the kubelet's log has them.",
              CPU_STATE, kind="metric",
              form=_METRIC.format("^kubelet_cpu_manager_pinning_errors_total"), odd=more_than(0)),
    # --- Functions in a profile, or among the goroutines
    Signature(LIST_INSERT, _KEPT_EVENTS,
              "pkg/scheduler/backend/queue/active_queue.go: the list of pods in flight and events, 1.28 on",
              "In a heap one sample, 512 kB, is some 10000 events: a burst of events that is over a minute later.",
              MEMORY, kind="function"),
    Signature("nominator).add", "NOM-EMPTY-KEY", "pkg/scheduler/backend/queue/nominator.go addNominatedPodUnlocked",
              "Many pods that are nominated at this moment.", kind="function",
              form=_SHARE.format(r"\(\*nominator\)\.add\w*"), odd=more_than(5)),
    Signature("DryRunPreemption", "PREEMPT-LEAK",
              "pkg/scheduler/framework/preemption/preemption.go DryRunPreemption: a context that nobody cancels",
              "Preemptions that go on at this moment. Look whether the part in context.WithCancel grows.",
              kind="function", form=_SHARE.format(r"[dD]ryRunPreemption(?:\.func\d+)*\b"), odd=more_than(5)),
    Signature("containermap.ContainerMap.Add", "CPU-CONTAINERMAP-LEAK",
              "pkg/kubelet/cm/containermap/container_map.go Add", "Many containers on the node at this moment.",
              kind="function", form=_SHARE.format(r"containermap\.ContainerMap\.Add\b"), odd=more_than(1)),
    Signature("NodeTree).Next", "NODETREE-EXHAUSTED-SET", "pkg/scheduler/internal/cache/node_tree.go Next",
              "Each search for nodes up to 1.16 calls it. It hangs if the same goroutine is there a minute later.",
              kind="function"),
    Signature("takeByTopologyNUMADistributed", "CPU-DISTRIBUTE-HANG",
              "pkg/kubelet/cm/cpumanager/cpu_assignment.go takeByTopologyNUMADistributed, 1.23 on",
              "A pod that is admitted at this moment. It hangs if the same goroutine is there a minute later.",
              CPU_STATE, kind="function"),
)  # fmt: skip


def signatures_in(text: str) -> tuple[Signature, ...]:
    """The signatures of an event, a condition or a line of a log that healthy clusters do not have.

    Of a panic with the functions that were running behind it: only the bugs of the function at fault.

    >>> [found.bugs for found in signatures_in("panic: runtime error: integer divide by zero")]
    [('FILTER-DIVIDE-BY-ZERO',)]
    """
    return tuple(_signatures_in(text))


def _signatures_in(text: str) -> Iterator[Signature]:
    low = text.lower()
    for each, parts in _EVENTS_AND_LOGS:
        if any(part in low for part in parts) and each.fits(text):
            bugs = each.bugs_at(function_at_fault(text)) if each.kind == "panic" else each.bugs
            if bugs:
                yield each if bugs == each.bugs else evolve(each, bugs=bugs)


_EVENTS_AND_LOGS = tuple(
    (each, tuple(text.lower() for text in each.texts))
    for each in SIGNATURES
    if each.bugs and not each.common and each.kind in ("text", "panic")
)


def bugs_with_text(text: str) -> tuple[str, ...]:
    """The ids of the bugs that print what stands in `text`, each once."""
    return tuple(dict.fromkeys(bug for found in signatures_in(text) for bug in found.bugs))
