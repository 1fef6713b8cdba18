"""The drivers."""

from kubeproof.errors import InputError
from kubeproof.go.cpumanager_driver import CPUMANAGER
from kubeproof.go.driver import Driver, Half, Part
from kubeproof.go.queue_driver import SCHEDULING_QUEUE
from kubeproof.go.scheduler_runs import RELEASES
from kubeproof.visible import shortened
from model.scheduler.api_dispatcher import ApiDispatcherRules
from model.scheduler.cache.node_tree import NodeTreeRules
from model.scheduler.cache.state import CacheRules
from model.scheduler.cycle import CycleRules
from model.scheduler.event_rules import EventRules
from model.scheduler.events_to_register import NodeUnschedulableRules
from model.scheduler.extender import ExtenderRules
from model.scheduler.start import StartRules
from model.systems.scheduling.rules import SchedulingRules

# The signature of newCache up to its period.
_NEW = r"^func newCache\(ctx context\.Context, "

# Where the snapshot is one of the cache's package.
_SNAPSHOT = ("infos_snapshot.go",)

_CACHE = ("pkg/scheduler/backend/cache", "pkg/scheduler/internal/cache")

NODE_TREE = Driver(
    "node_tree",
    _CACHE,
    "cache",
    (
        Part(
            "calls",
            (
                Half("calls_logger.go", (r"^func newNodeTree\(logger klog\.Logger, nodes",)),
                Half("calls_plain.go", (r"^func newNodeTree\(nodes",)),
            ),
        ),
        Part(
            "listing",
            (
                Half("listing_list.go", (r"^func \(nt \*nodeTree\) list\(\)",)),
                Half("listing_next.go", (r"^func \(nt \*nodeTree\) next\(\)",)),
            ),
        ),
    ),
    rules=(NodeTreeRules,),
)

CACHE = Driver(
    "cache",
    _CACHE,
    "cache",
    (
        Part(
            "new",
            (
                Half("new_no_ttl.go", (_NEW + r"period time\.Duration, \w+ \S+, \w+ bool\)",)),
                Half("new_dispatcher.go", (_NEW + r"ttl, period time\.Duration, \w+ \S+\)",)),
                Half("new_context.go", (_NEW + r"ttl, period time\.Duration\)",)),
                Half("new_stop.go", (r"^func newCache\(ttl, period time\.Duration, stop",)),
                Half("new_scheduler_cache.go", (r"^func newSchedulerCache\(ttl, period time\.Duration, stop",)),
            ),
        ),
        Part(
            "calls",
            (
                Half("calls_logger.go", (r"^func \(cache \*cacheImpl\) AddPod\(logger klog\.Logger, pod",)),
                Half("calls_cache_impl.go", (r"^func \(cache \*cacheImpl\) AddPod\(pod",)),
                Half("calls_node_info_snapshot.go", (r"^func \(cache \*schedulerCache\) UpdateNodeInfoSnapshot\(",)),
                Half("calls_scheduler_cache.go", (r"^func \(cache \*schedulerCache\) AddPod\(pod",)),
            ),
        ),
        Part(
            "expiry",
            (
                Half("expiry_logger.go", (r"\) cleanupAssumedPods\(logger klog\.Logger, now",)),
                Half("expiry_plain.go", (r"\) cleanupAssumedPods\(now",)),
                # The sweep of expired pods went away with the time to live.
                Half("expiry_none.go", (_NEW + r"period time\.Duration, ",)),
            ),
        ),
        Part(
            "infos",
            (
                Half("infos_interface.go", (r"^\tnodeInfoList \[\]fwk\.NodeInfo",), _SNAPSHOT),
                Half("infos_v1alpha1.go", (r'"k8s\.io/kubernetes/pkg/scheduler/framework/v1alpha1"',), _SNAPSHOT),
                Half("infos_framework.go", (r"^\tnodeInfoList \[\]\*framework\.NodeInfo",), _SNAPSHOT),
                Half("infos_nodeinfo.go", (r"^\tnodeInfoList \[\]\*schedulernodeinfo\.NodeInfo",), _SNAPSHOT),
                Half("infos_nodeinfo_snapshot.go", (r"nodeSnapshot \*nodeinfosnapshot\.Snapshot\)",)),
            ),
        ),
    ),
    rules=(CacheRules,),
)

API_DISPATCHER = Driver(
    "api_dispatcher",
    ("pkg/scheduler/backend/api_dispatcher",),
    "apidispatcher",
    (),
    rules=(ApiDispatcherRules,),
)

# What the whole scheduler of 1.16 has: its configuration is in a package of its own.
_FACTORY = r'"k8s\.io/kubernetes/pkg/scheduler/factory"'
_ONE_FRAMEWORK = r"^\tFramework framework\.Framework"
_ADD_NOMINATED = r"sched\.SchedulingQueue\.AddNominatedPod\("

SCHEDULER = Driver(
    "scheduler",
    ("pkg/scheduler",),
    "scheduler",
    (
        Part(
            "names",
            (
                Half("names_factory.go", (_FACTORY,), ("names_heaps.go",)),
                Half(
                    "names_v1alpha1.go",
                    (
                        r'framework "k8s\.io/kubernetes/pkg/scheduler/framework/v1alpha1"',
                        r'"k8s\.io/kubernetes/pkg/scheduler/nodeinfo/snapshot"',
                    ),
                    ("names_heaps.go",),
                ),
                Half(
                    "names_fwk_only.go",
                    (r"^type FailureHandlerFn .*nominatingInfo \*fwk\.NominatingInfo",),
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
                    (
                        r'"k8s\.io/kubernetes/pkg/scheduler/internal/queue"',
                        r'"k8s\.io/kubernetes/pkg/scheduler/framework"',
                    ),
                    ("names_types.go", "names_heaps.go"),
                ),
            ),
        ),
        Part(
            "calls",
            (
                Half("calls.go", (r"^\tProfiles +profile\.Map", r"^\tnominator := |^\tFailureHandler ")),
                Half("calls_no_context.go", (_ONE_FRAMEWORK,)),
            ),
        ),
        Part(
            "points",
            (
                Half("points_profiles.go", (r"^\tProfiles +profile\.Map",)),
                Half("points_plugin_context.go", (_ONE_FRAMEWORK, r"framework\.NewPluginContext\(\)")),
                Half("points_state.go", (_ONE_FRAMEWORK, r"framework\.NewCycleState\(\)")),
            ),
        ),
        Part(
            "permit",
            (
                Half("permit_times.go", (r"pluginsWaitTime, .* := .*\.RunPermitPlugins\(",)),
                Half("permit_status.go", (r"\.RunPermitPlugins\(", r"^\tProfiles +profile\.Map")),
                Half("permit_in_binding.go", (r"\.RunPermitPlugins\(", _ONE_FRAMEWORK)),
            ),
        ),
        Part(
            "exit",
            (
                Half("exit_os.go", (r"^\tFailureHandler FailureHandlerFn",)),
                Half("exit_klog_v2.go", (r'^\t"k8s\.io/klog/v2"$',)),
                Half("exit_klog.go", (r'^\t"k8s\.io/klog"$',)),
            ),
        ),
        Part(
            "config",
            (
                Half("config_v1.go", (r'"k8s\.io/kube-scheduler/config/v1"',)),
                Half("config_policy.go", (r"^\tpodPreemptor podPreemptor", r"^func WithFrameworkPlugins\(")),
                Half("config_factory.go", (r"factory\.NewConfigFactory\(",)),
                Half("config_v1beta2.go", (r'"k8s\.io/kube-scheduler/config/v1beta2"',)),
            ),
        ),
        Part(
            "hold",
            (
                Half(
                    "hold_fields.go",
                    (r"^\tFailureHandler FailureHandlerFn", r"nominatingInfo \*(framework|fwk)\.NominatingInfo"),
                ),
                Half(
                    "hold_error_func.go",
                    (_ONE_FRAMEWORK, r"^\tError func\(\*framework\.PodInfo, error\)"),
                    ("hold_volumes.go",),
                ),
                Half("hold_pod.go", (_ONE_FRAMEWORK, r"^\tError func\(\*v1\.Pod, error\)"), ("hold_volumes.go",)),
                Half(
                    "hold_algorithm.go",
                    (r"^\tAlgorithm ScheduleAlgorithm", r"^\tError func\(\*framework\.QueuedPodInfo, error\)"),
                ),
            ),
        ),
        Part(
            "start",
            (
                Half("start_dispatcher.go", (r"^func New\(ctx context\.Context,", r"^\tAPIDispatcher \*")),
                Half("start_context.go", (r"^func New\(ctx context\.Context,",)),
                Half("start_informers.go", (r"^\tcsiNodeInformer storageinformersv1beta1\.CSINodeInformer,", _FACTORY)),
                Half(
                    "start_pod_informer.go",
                    (r"^\tpodInformer coreinformers\.PodInformer,", r"^\trecorder events\.EventRecorder,"),
                ),
                Half("start_recorder.go", (r"^func New\(client clientset\.Interface,", r"^type Configurator struct")),
                Half("start_stop.go", (r"^func New\(client clientset\.Interface,",)),
            ),
        ),
        Part(
            "cycle",
            (
                Half("cycle_exported.go", (r"^func \(sched \*Scheduler\) ScheduleOne\(ctx",)),
                Half("cycle_internal.go", (r"^func \(sched \*Scheduler\) scheduleOne\(ctx",)),
                Half("cycle_no_context.go", (r"^func \(sched \*Scheduler\) scheduleOne\(\)",)),
            ),
        ),
        Part(
            "queue",
            (
                Half("queue_fwk.go", (_ADD_NOMINATED + "logger, ", r'"k8s\.io/kube-scheduler/framework"')),
                Half("queue_logger.go", (_ADD_NOMINATED + "logger, ",)),
                Half("queue_plain.go", (_ADD_NOMINATED + r"podInfo\.PodInfo, nominatingInfo\)",)),
                Half(
                    "queue_preemptor.go",
                    (r"^type podPreemptor interface", r"SchedulingQueue\.UpdateNominatedPodForNode\("),
                ),
                Half("queue_exported_preemptor.go", (r"^\tPodPreemptor factory\.PodPreemptor",)),
                Half("queue_node_name.go", (_ADD_NOMINATED + r"podInfo\.PodInfo, nominatedNode\)",)),
            ),
        ),
        Part(
            "flight",
            (
                Half("flight_done.go", (r"\.SchedulingQueue\.Done\(",)),
                Half("flight_none.go", (r"^package scheduler$",)),
            ),
        ),
        Part(
            "rejecting",
            (
                Half(
                    "rejecting_fwk.go",
                    (r"\.EventsToRegister\(ctx\)", r'"k8s\.io/kube-scheduler/framework"'),
                    ("rejecting_plugin.go", "rejecting_context.go"),
                ),
                Half(
                    "rejecting_context.go",
                    (r"\.EventsToRegister\(ctx\)",),
                    ("rejecting_plugin.go", "rejecting_framework.go"),
                ),
                Half(
                    "rejecting_plain.go",
                    (r"\.EventsToRegister\(\)", r"\.SchedulingQueue\.Done\("),
                    ("rejecting_plugin.go", "rejecting_framework.go"),
                ),
                Half("rejecting_none.go", (r"^package scheduler$",)),
            ),
        ),
        Part(
            "preemption",
            (
                Half("preemption.go", (r"\.SetPodActivator\(",), ("preemption_observed.go",)),
                Half("preemption_none.go", (r"^package scheduler$",)),
            ),
        ),
        Part(
            "api_calls",
            (
                Half("api_calls.go", (r"^\tAPIDispatcher \*",), ("api_calls_observed.go",)),
                Half("api_calls_none.go", (r"^package scheduler$",)),
            ),
        ),
    ),
    beside=("observed.go", "hints.go", "recorded.go", "reflector.go", "race_on.go", "race_off.go"),
    frame=("frame.go", "played.go"),
    rules=(SchedulingRules,),
    own_rules=(EventRules, CycleRules, NodeUnschedulableRules, ExtenderRules, StartRules),
    # From the oldest on: later releases ask less of some rules that they still have.
    releases=RELEASES[::-1],
)

DRIVERS = {
    driver.name: driver for driver in (NODE_TREE, CACHE, API_DISPATCHER, SCHEDULING_QUEUE, CPUMANAGER, SCHEDULER)
}


def driver_named(name: str) -> Driver:
    """The driver of a component. Raises InputError."""
    if name not in DRIVERS:
        raise InputError(f"'{shortened(name)}' has no driver: expected one of {', '.join(DRIVERS)}")
    return DRIVERS[name]
