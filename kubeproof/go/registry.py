"""The drivers, and which half of each part a tree takes."""

from kubeproof.errors import InputError
from kubeproof.go.cases.scheduler import RELEASES
from kubeproof.go.driver import Driver, Half
from kubeproof.visible import shortened
from model.scheduler.api_dispatcher import ApiDispatcherRules
from model.scheduler.cache.node_tree import NodeTreeRules
from model.scheduler.cache.state import CacheRules
from model.scheduler.cycle import CycleRules
from model.scheduler.event_rules import EventRules
from model.scheduler.eventhandlers import StartRules
from model.scheduler.events_to_register import NodeUnschedulableRules
from model.scheduler.extender import ExtenderRules
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules
from model.systems.cpu_manager.kubelet import CPUManagerRules
from model.systems.scheduling.rules import SchedulingRules

# The signature of newCache up to its period.
_NEW = r"^func newCache\(ctx context\.Context, "

# Where the snapshot is one of the cache's package.
_SNAPSHOT = "infos_snapshot.go"

_CACHE = ("pkg/scheduler/backend/cache", "pkg/scheduler/internal/cache")
# How the node tree is listed: anew, or by cursors.
_LISTS = r"^func \(nt \*nodeTree\) list\(\)"
_NEXT = r"^func \(nt \*nodeTree\) next\(\)"

NODE_TREE = Driver(
    "node_tree",
    _CACHE,
    "cache",
    {
        "calls": (
            Half("calls_logger.go", r"^func newNodeTree\(logger klog\.Logger, nodes"),
            Half("calls_plain.go", r"^func newNodeTree\(nodes"),
        ),
        "listing": (Half("listing_list.go", _LISTS), Half("listing_next.go", _NEXT)),
    },
    rules=(NodeTreeRules,),
)

CACHE = Driver(
    "cache",
    _CACHE,
    "cache",
    {
        "new": (
            Half("new_no_ttl.go", _NEW + r"period time\.Duration, \w+ \S+, \w+ bool\)"),
            Half("new_dispatcher.go", _NEW + r"ttl, period time\.Duration, \w+ \S+\)"),
            Half("new_context.go", _NEW + r"ttl, period time\.Duration\)"),
            Half("new_stop.go", r"^func newCache\(ttl, period time\.Duration, stop"),
            Half("new_scheduler_cache.go", r"^func newSchedulerCache\(ttl, period time\.Duration, stop"),
        ),
        "calls": (
            Half("calls_logger.go", r"^func \(cache \*cacheImpl\) AddPod\(logger klog\.Logger, pod"),
            Half("calls_cache_impl.go", r"^func \(cache \*cacheImpl\) AddPod\(pod"),
            Half("calls_node_info_snapshot.go", r"^func \(cache \*schedulerCache\) UpdateNodeInfoSnapshot\("),
            Half("calls_scheduler_cache.go", r"^func \(cache \*schedulerCache\) AddPod\(pod"),
        ),
        "expiry": (
            Half("expiry_logger.go", r"\) cleanupAssumedPods\(logger klog\.Logger, now"),
            Half("expiry_plain.go", r"\) cleanupAssumedPods\(now"),
            # The sweep of expired pods went away with the time to live.
            Half("expiry_none.go", _NEW + r"period time\.Duration, "),
        ),
        "infos": (
            Half("infos_interface.go", r"^\tnodeInfoList \[\]fwk\.NodeInfo", _SNAPSHOT),
            Half("infos_v1alpha1.go", r'"k8s\.io/kubernetes/pkg/scheduler/framework/v1alpha1"', _SNAPSHOT),
            Half("infos_framework.go", r"^\tnodeInfoList \[\]\*framework\.NodeInfo", _SNAPSHOT),
            Half("infos_nodeinfo.go", r"^\tnodeInfoList \[\]\*schedulernodeinfo\.NodeInfo", _SNAPSHOT),
            Half("infos_nodeinfo_snapshot.go", r"nodeSnapshot \*nodeinfosnapshot\.Snapshot\)"),
        ),
        "tree": (Half("tree_list.go", _LISTS), Half("tree_next.go", _NEXT)),
    },
    beside=("listing.go",),
    frame=("frame.go", "played.go"),
    rules=(CacheRules,),
)

API_DISPATCHER = Driver(
    "api_dispatcher", ("pkg/scheduler/backend/api_dispatcher",), "apidispatcher", {}, rules=(ApiDispatcherRules,)
)

# What the whole scheduler of 1.16 has: its configuration is in a package of its own.
_FACTORY = r'"k8s\.io/kubernetes/pkg/scheduler/factory"'
_ONE_FRAMEWORK = r"^\tFramework framework\.Framework"
_ADD_NOMINATED = r"sched\.SchedulingQueue\.AddNominatedPod\("

SCHEDULER = Driver(
    "scheduler",
    ("pkg/scheduler",),
    "scheduler",
    {
        "names": (
            Half("names_factory.go", _FACTORY, "names_heaps.go"),
            Half(
                "names_v1alpha1.go",
                (
                    r'framework "k8s\.io/kubernetes/pkg/scheduler/framework/v1alpha1"',
                    r'"k8s\.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"',
                ),
                "names_heaps.go",
            ),
            Half(
                "names_fwk_only.go",
                r"^type FailureHandlerFn .*nominatingInfo \*fwk\.NominatingInfo",
                ("names_backend.go", "names_queue.go"),
            ),
            Half(
                "names_fwk.go",
                (r'"k8s\.io/kubernetes/pkg/scheduler/backend/queue"', r"state fwk\.CycleState, pod \*v1\.Pod\)"),
                ("names_backend.go", "names_queue.go"),
            ),
            Half(
                "names_moved_queue.go",
                (
                    r'"k8s\.io/kubernetes/pkg/scheduler/backend/queue"',
                    r"internalqueue\.WithClock\(",
                    r'"k8s\.io/kubernetes/pkg/scheduler/framework"',
                ),
                ("names_types.go", "names_queue.go"),
            ),
            Half(
                "names_framework.go",
                (r'"k8s\.io/kubernetes/pkg/scheduler/internal/queue"', r'"k8s\.io/kubernetes/pkg/scheduler/framework"'),
                ("names_types.go", "names_heaps.go"),
            ),
        ),
        "calls": (
            Half("calls.go", (r"^\tProfiles +profile\.Map", r"^\tnominator := |^\tFailureHandler ")),
            Half("calls_no_context.go", _ONE_FRAMEWORK),
        ),
        "points": (
            Half("points_profiles.go", r"^\tProfiles +profile\.Map"),
            Half("points_plugin_context.go", (_ONE_FRAMEWORK, r"framework\.NewPluginContext\(\)")),
            Half("points_state.go", (_ONE_FRAMEWORK, r"framework\.NewCycleState\(\)")),
        ),
        "permit": (
            Half("permit_times.go", r"pluginsWaitTime, .* := .*\.RunPermitPlugins\("),
            Half("permit_status.go", (r"\.RunPermitPlugins\(", r"^\tProfiles +profile\.Map")),
            Half("permit_in_binding.go", (r"\.RunPermitPlugins\(", _ONE_FRAMEWORK)),
        ),
        "exit": (
            Half("exit_os.go", r"^\tFailureHandler FailureHandlerFn"),
            Half("exit_klog_v2.go", r'^\t"k8s\.io/klog/v2"$'),
            Half("exit_klog.go", r'^\t"k8s\.io/klog"$'),
        ),
        "config": (
            Half("config_v1.go", r'"k8s\.io/kube-scheduler/config/v1"'),
            Half("config_policy.go", (r"^\tpodPreemptor podPreemptor", r"^func WithFrameworkPlugins\(")),
            Half("config_factory.go", r"factory\.NewConfigFactory\("),
            Half("config_v1beta2.go", r'"k8s\.io/kube-scheduler/config/v1beta2"'),
        ),
        "hold": (
            Half(
                "hold_fields.go",
                (r"^\tFailureHandler FailureHandlerFn", r"nominatingInfo \*(framework|fwk)\.NominatingInfo"),
            ),
            Half(
                "hold_error_func.go",
                (_ONE_FRAMEWORK, r"^\tError func\(\*framework\.PodInfo, error\)"),
                "hold_volumes.go",
            ),
            Half("hold_pod.go", (_ONE_FRAMEWORK, r"^\tError func\(\*v1\.Pod, error\)"), "hold_volumes.go"),
            Half(
                "hold_algorithm.go",
                (r"^\tAlgorithm ScheduleAlgorithm", r"^\tError func\(\*framework\.QueuedPodInfo, error\)"),
            ),
        ),
        "start": (
            Half("start_dispatcher.go", (r"^func New\(ctx context\.Context,", r"^\tAPIDispatcher \*")),
            Half("start_context.go", r"^func New\(ctx context\.Context,"),
            Half("start_informers.go", (r"^\tcsiNodeInformer storageinformersv1beta1\.CSINodeInformer,", _FACTORY)),
            Half(
                "start_pod_informer.go",
                (r"^\tpodInformer coreinformers\.PodInformer,", r"^\trecorder events\.EventRecorder,"),
            ),
            Half("start_recorder.go", (r"^func New\(client clientset\.Interface,", r"^type Configurator struct")),
            Half("start_stop.go", r"^func New\(client clientset\.Interface,"),
        ),
        "cycle": (
            Half("cycle_exported.go", r"^func \(sched \*Scheduler\) ScheduleOne\(ctx"),
            Half("cycle_internal.go", r"^func \(sched \*Scheduler\) scheduleOne\(ctx"),
            Half("cycle_no_context.go", r"^func \(sched \*Scheduler\) scheduleOne\(\)"),
        ),
        "queue": (
            Half("queue_fwk.go", (_ADD_NOMINATED + "logger, ", r'"k8s\.io/kube-scheduler/framework"')),
            Half("queue_logger.go", _ADD_NOMINATED + "logger, "),
            Half("queue_plain.go", _ADD_NOMINATED + r"podInfo\.PodInfo, nominatingInfo\)"),
            Half(
                "queue_preemptor.go", (r"^type podPreemptor interface", r"SchedulingQueue\.UpdateNominatedPodForNode\(")
            ),
            Half("queue_exported_preemptor.go", r"^\tPodPreemptor factory\.PodPreemptor"),
            Half("queue_node_name.go", _ADD_NOMINATED + r"podInfo\.PodInfo, nominatedNode\)"),
        ),
        "flight": (
            Half("flight_done.go", r"\.SchedulingQueue\.Done\("),
            Half("flight_none.go", r"^package scheduler$"),
        ),
        "rejecting": (
            Half(
                "rejecting_fwk.go",
                (r"\.EventsToRegister\(ctx\)", r'"k8s\.io/kube-scheduler/framework"'),
                ("rejecting_plugin.go", "rejecting_context.go"),
            ),
            Half(
                "rejecting_context.go", r"\.EventsToRegister\(ctx\)", ("rejecting_plugin.go", "rejecting_framework.go")
            ),
            Half(
                "rejecting_plain.go",
                (r"\.EventsToRegister\(\)", r"\.SchedulingQueue\.Done\("),
                ("rejecting_plugin.go", "rejecting_framework.go"),
            ),
            Half("rejecting_none.go", r"^package scheduler$"),
        ),
        "preempting": (
            Half("preemption.go", r"\.SetPodActivator\(", "preemption_observed.go"),
            Half("preemption_none.go", r"^package scheduler$"),
        ),
        "api_calls": (
            Half("api_calls.go", r"^\tAPIDispatcher \*", "api_calls_observed.go"),
            Half("api_calls_none.go", r"^package scheduler$"),
        ),
    },
    beside=("observed.go", "hints.go", "recorded.go", "reflector.go", "race_on.go", "race_off.go"),
    frame=("frame.go", "played.go"),
    rules=(SchedulingRules,),
    own_rules=(EventRules, CycleRules, NodeUnschedulableRules, ExtenderRules, StartRules),
    # From the oldest on: later releases ask less of some rules that they still have.
    releases=RELEASES[::-1],
)

# The driver of the CPU manager, from 1.18 on.
_NEW_MANAGER = r"^func NewManager\(cpuPolicyName string, "
_ADD_CONTAINER = r"^func \(m \*manager\) AddContainer\("
# Up to 1.17 containers get their CPUs when they start: a half for those would be another driver.
_ALLOCATES = r"^func \(m \*manager\) Allocate\("
_UPDATE = r"UpdateContainerResources\("
_KUBELETS_CPUSET = r'"k8s\.io/kubernetes/pkg/kubelet/cm/cpuset"'

CPUMANAGER = Driver(
    "cpumanager",
    ("pkg/kubelet/cm/cpumanager",),
    "cpumanager",
    {
        "manager": (
            Half("new_logger.go", r"^func NewManager\(logger logr\.Logger, cpuPolicyName"),
            Half("new_options.go", _NEW_MANAGER + r"cpuPolicyOptions map", ("new_void.go", "calls_plain.go")),
            Half(
                "new_numa.go",
                (_NEW_MANAGER + r".*numaNodeInfo topology\.NUMANodeInfo", _ALLOCATES),
                ("new_error.go", "calls_plain.go"),
            ),
            Half(
                "new_error.go",
                (_NEW_MANAGER, _ADD_CONTAINER + r".*\) error", _ALLOCATES),
                ("new_plain.go", "calls_plain.go"),
            ),
            Half("new_void.go", (_NEW_MANAGER, _ADD_CONTAINER, _ALLOCATES), ("new_plain.go", "calls_plain.go")),
        ),
        "runtime": (
            Half("runtime_v1alpha2.go", r'"k8s\.io/cri-api/pkg/apis/runtime/v1alpha2"'),
            Half("runtime_linux.go", _UPDATE + r"id string, resources \*runtimeapi\.Linux"),
            Half("runtime_resources.go", _UPDATE + r"id string, resources \*runtimeapi\.Container"),
            Half("runtime_utils_cpuset.go", (_UPDATE + "ctx", r'"k8s\.io/utils/cpuset"')),
            Half("runtime_context.go", (_UPDATE + "ctx", _KUBELETS_CPUSET)),
        ),
    },
    beside=("observed.go", "recorded.go"),
    frame=("frame.go", "played.go"),
    rules=(CPUManagerRules,),
    # First those in which sidecars and the option full-pcpus-only show most.
    releases=(
        *("1.28.0", "1.22.0", "1.18.2", "1.18.4", "1.21.0", "1.22.1", "1.24.2", "1.26.0", "1.27.0", "1.29.0"),
        *("1.31.0", "1.32.0", "1.33.0", "1.34.1", "1.36.2"),
    ),
)

# The driver of the scheduling queue: 1.22, and 1.28 on.
_QUEUE = ("pkg/scheduler/backend/queue", "pkg/scheduler/internal/queue")
_FWK = r'^\tfwk "k8s\.io/kube-scheduler/framework"'

SCHEDULING_QUEUE = Driver(
    "scheduling_queue",
    _QUEUE,
    "queue",
    frame=("frame.go", "played.go"),
    rules=(QueueRules, NominatorRules, QueueingHintRules),
    releases=("1.22.6", "1.28.0", "1.28.4", "1.31.13", "1.32.0", "1.33.1", "1.34.1", "1.36.2"),
    parts={
        "events": (
            Half("events_fwk.go", _FWK),
            Half("events_method.go", r"\.Label\(\)"),
            Half(
                "events_field.go",
                r"^func \(p \*PriorityQueue\) MoveAllToActiveOrBackoffQueue\(.*framework\.ClusterEvent",
            ),
        ),
        "hints": (
            Half("hints_fwk.go", (_FWK, r"^\tQueueingHintFn fwk\.QueueingHintFn")),
            Half(
                "hints_labels.go",
                r"AssignedPodUpdated\(.*framework\.ClusterEvent\)",
                ("hints_registered.go", "hints_error.go"),
            ),
            Half("hints_immediately.go", r"framework\.QueueImmediately", "hints_registered.go"),
            Half(
                "hints_framework.go",
                r"^\tQueueingHintFn framework\.QueueingHintFn",
                ("hints_registered.go", "hints_error.go"),
            ),
            Half("hints_none.go", r"^func WithClusterEventMap\(m map\[framework\.ClusterEvent\]sets\.String\)"),
        ),
        "new": (
            Half("new_recorder_pointer.go", r"^func WithMetricsRecorder\(recorder \*metrics\.", "new_recorder.go"),
            Half("new_recorder_value.go", r"^func WithMetricsRecorder\(recorder metrics\.", "new_recorder.go"),
            Half("new_plain.go", r"^func WithClock\(clock util\.Clock\)"),
        ),
        "assigned": (
            Half("assigned_event_fwk.go", r"AssignedPodUpdated\(.*event fwk\.ClusterEvent\)"),
            Half(
                "assigned_event_method.go", (r"AssignedPodUpdated\(.*event framework\.ClusterEvent\)", r"\.Label\(\)")
            ),
            Half("assigned_event_field.go", r"AssignedPodUpdated\(.*event framework\.ClusterEvent\)"),
            Half("assigned_old_new.go", r"AssignedPodUpdated\(.*oldPod, newPod \*v1\.Pod\)"),
            Half("assigned_new.go", r"AssignedPodUpdated\(.*pod \*v1\.Pod\)"),
        ),
        "pending": (
            Half("pending_set.go", r"\.PendingPlugins\b"),
            Half("pending_none.go", r"\.UnschedulablePlugins\b"),
        ),
        "nominate": (
            Half("nominate_fwk.go", r"nominatingInfo \*fwk\.NominatingInfo"),
            Half("nominate_framework.go", r"nominatingInfo \*framework\.NominatingInfo"),
            Half(
                "nominate_name.go",
                r"^func \(npm \*nominator\) AddNominatedPod\(pi \*framework\.PodInfo, nodeName string\)",
            ),
        ),
        "nominated": (
            Half("nominated_refs.go", r"^\tnominatedPods map\[string\]\[\]podRef"),
            Half("nominated_exported.go", r"^\tnominatedPods map\[string\]\[\]PodRef"),
            Half("nominated_infos.go", (r"^\tnominatedPods map\[string\]\[\]\*framework\.PodInfo", r"^\t\*nominator$")),
            Half(
                "nominated_interface.go",
                (r"^\tnominatedPods map\[string\]\[\]\*framework\.PodInfo", r"^\tframework\.PodNominator$"),
            ),
        ),
        "shape": (
            Half("shape_backoff_queue.go", (r"^type backoffQueue struct", r"^type activeQueue struct")),
            Half(
                "shape_active_queue.go",
                (r"^type activeQueue struct", r"^\tpodBackoffQ +\*heap\.Heap"),
                "shape_one_backoff.go",
            ),
            Half(
                "shape_heaps.go",
                (r"^\tactiveQ +\*heap\.Heap", r"^\tunschedulablePods \*UnschedulablePods"),
                ("shape_one_backoff.go", "shape_lists.go"),
            ),
            Half(
                "shape_unschedulable_q.go",
                (r"^\tactiveQ +\*heap\.Heap", r"^\tunschedulableQ \*UnschedulablePodsMap"),
                ("shape_one_backoff.go", "shape_lists.go"),
            ),
        ),
        "in_flight": (
            Half("in_flight_active_queue.go", (r"^type activeQueue struct", r"^\tinFlightEvents \*list\.List")),
            Half("in_flight_list.go", r"^\tinFlightEvents \*list\.List"),
            Half("in_flight_counted.go", r"^\treceivedEvents \*list\.List"),
            # A queue of this time does not know what is in flight.
            Half("in_flight_none.go", r"^\tunschedulableQ \*UnschedulablePodsMap"),
        ),
    },
)

DRIVERS = {
    driver.name: driver for driver in (NODE_TREE, CACHE, API_DISPATCHER, SCHEDULING_QUEUE, CPUMANAGER, SCHEDULER)
}


def driver_named(name: str) -> Driver:
    """The driver of a component. Raises InputError."""
    if name not in DRIVERS:
        raise InputError(f"'{shortened(name)}' has no driver: expected one of {', '.join(DRIVERS)}")
    return DRIVERS[name]
