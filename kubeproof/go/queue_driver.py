"""The driver of the scheduling queue: 1.22, and 1.28 on."""

from kubeproof.go.driver import Driver, Half, Part
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueingHintRules, QueueRules

_PACKAGES = ("pkg/scheduler/backend/queue", "pkg/scheduler/internal/queue")
_FWK = r'^\tfwk "k8s\.io/kube-scheduler/framework"'

SCHEDULING_QUEUE = Driver(
    "scheduling_queue",
    _PACKAGES,
    "queue",
    frame=("frame.go", "played.go"),
    rules=(QueueRules, NominatorRules, QueueingHintRules),
    releases=("1.22.6", "1.28.0", "1.28.4", "1.31.13", "1.32.0", "1.33.1", "1.34.1", "1.36.2"),
    parts=(
        Part(
            "events",
            (
                Half("events_fwk.go", (_FWK,)),
                Half("events_method.go", (r"\.Label\(\)",)),
                Half(
                    "events_field.go",
                    (r"^func \(p \*PriorityQueue\) MoveAllToActiveOrBackoffQueue\(.*framework\.ClusterEvent",),
                ),
            ),
        ),
        Part(
            "hints",
            (
                Half("hints_fwk.go", (_FWK, r"^\tQueueingHintFn fwk\.QueueingHintFn")),
                Half(
                    "hints_labels.go",
                    (r"AssignedPodUpdated\(.*framework\.ClusterEvent\)",),
                    ("hints_registered.go", "hints_error.go"),
                ),
                Half("hints_immediately.go", (r"framework\.QueueImmediately",), ("hints_registered.go",)),
                Half(
                    "hints_framework.go",
                    (r"^\tQueueingHintFn framework\.QueueingHintFn",),
                    ("hints_registered.go", "hints_error.go"),
                ),
                Half("hints_none.go", (r"^func WithClusterEventMap\(m map\[framework\.ClusterEvent\]sets\.String\)",)),
            ),
        ),
        Part(
            "new",
            (
                Half(
                    "new_recorder_pointer.go",
                    (r"^func WithMetricsRecorder\(recorder \*metrics\.",),
                    ("new_recorder.go",),
                ),
                Half(
                    "new_recorder_value.go",
                    (r"^func WithMetricsRecorder\(recorder metrics\.",),
                    ("new_recorder.go",),
                ),
                Half("new_plain.go", (r"^func WithClock\(clock util\.Clock\)",)),
            ),
        ),
        Part(
            "assigned",
            (
                Half(
                    "assigned_event_fwk.go",
                    (r"AssignedPodUpdated\(.*event fwk\.ClusterEvent\)",),
                ),
                Half(
                    "assigned_event_method.go",
                    (
                        r"AssignedPodUpdated\(.*event framework\.ClusterEvent\)",
                        r"\.Label\(\)",
                    ),
                ),
                Half(
                    "assigned_event_field.go",
                    (r"AssignedPodUpdated\(.*event framework\.ClusterEvent\)",),
                ),
                Half(
                    "assigned_old_new.go",
                    (r"AssignedPodUpdated\(.*oldPod, newPod \*v1\.Pod\)",),
                ),
                Half("assigned_new.go", (r"AssignedPodUpdated\(.*pod \*v1\.Pod\)",)),
            ),
        ),
        Part(
            "pending",
            (
                Half("pending_set.go", (r"\.PendingPlugins\b",)),
                Half("pending_none.go", (r"\.UnschedulablePlugins\b",)),
            ),
        ),
        Part(
            "nominate",
            (
                Half("nominate_fwk.go", (r"nominatingInfo \*fwk\.NominatingInfo",)),
                Half("nominate_framework.go", (r"nominatingInfo \*framework\.NominatingInfo",)),
                Half(
                    "nominate_name.go",
                    (r"^func \(npm \*nominator\) AddNominatedPod\(pi \*framework\.PodInfo, nodeName string\)",),
                ),
            ),
        ),
        Part(
            "nominated",
            (
                Half("nominated_refs.go", (r"^\tnominatedPods map\[string\]\[\]podRef",)),
                Half("nominated_exported.go", (r"^\tnominatedPods map\[string\]\[\]PodRef",)),
                Half(
                    "nominated_infos.go",
                    (r"^\tnominatedPods map\[string\]\[\]\*framework\.PodInfo", r"^\t\*nominator$"),
                ),
                Half(
                    "nominated_interface.go",
                    (r"^\tnominatedPods map\[string\]\[\]\*framework\.PodInfo", r"^\tframework\.PodNominator$"),
                ),
            ),
        ),
        Part(
            "shape",
            (
                Half("shape_backoff_queue.go", (r"^type backoffQueue struct", r"^type activeQueue struct")),
                Half(
                    "shape_active_queue.go",
                    (r"^type activeQueue struct", r"^\tpodBackoffQ +\*heap\.Heap"),
                    ("shape_one_backoff.go",),
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
        ),
        Part(
            "in_flight",
            (
                Half("in_flight_active_queue.go", (r"^type activeQueue struct", r"^\tinFlightEvents \*list\.List")),
                Half("in_flight_list.go", (r"^\tinFlightEvents \*list\.List",)),
                Half("in_flight_counted.go", (r"^\treceivedEvents \*list\.List",)),
                # A queue of this time does not know what is in flight.
                Half("in_flight_none.go", (r"^\tunschedulableQ \*UnschedulablePodsMap",)),
            ),
        ),
    ),
)
