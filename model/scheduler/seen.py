"""What was looked at of the scheduler's Go files, and of those of the API server's binding.

From 1.32 on the trees of a minor were compared. Those of its files that are named here are the same in all of them,
byte for byte, except schedule_one.go, which changes in 1.34.8 and in 1.35.5, preemption.go, which changes in 1.34.2,
and a part of types.go that no rule is about. Of the plugins' files the functions were compared that rules are about:
`EventsToRegister`, `isSchedulableAfter…` and what these call. openshift/kubernetes-autoscaler vendors Kubernetes as it
is.
"""

from attrs import evolve

from model.feature_gates import FEATURES_GO, VERSIONED_FEATURES_GO
from model.rules import Moved, Seen, read
from model.scheduler.go_files import (
    ACTIVE_QUEUE_GO,
    AFFINITY_GO,
    AFFINITY_SCORING_GO,
    BACKEND_CACHE_GO,
    BACKEND_QUEUE_GO,
    BACKOFF_QUEUE_GO,
    BACKOFF_UTILS_GO,
    CACHE_GO,
    CALL_QUEUE_GO,
    COMPONENT_REQUESTS_GO,
    CREATE_GO,
    DEFAULT_PLUGINS_GO,
    EVALUATOR_GO,
    EXECUTOR_GO,
    EXTENDER_GO,
    FACTORY_GO,
    FIT_GO,
    FRAMEWORK_GO,
    GATES_GO,
    GENERIC_GO,
    HANDLERS_GO,
    INTER_POD_AFFINITY_GO,
    NODE_TREE_GO,
    POD_REQUESTS_GO,
    POD_STORAGE_GO,
    PORTS_GO,
    PREDICATES_GO,
    PREEMPTION_GO,
    QUEUE_GO,
    RUNTIME_GO,
    SCHEDULE_ONE_GO,
    SCHEDULER_GO,
    SPREAD_FILTERING_GO,
    SPREAD_GO,
    SPREAD_SCORING_GO,
    STATUS_PATCH_GO,
    TAINT_GO,
    TYPES_GO,
    UNSCHEDULABLE_GO,
    VOLUME_ZONE_GO,
    WAITING_PODS_GO,
    ZONE_KEY_GO,
)
from model.scheduler.seen_by_rule import SEEN_IN_CYCLES, SEEN_IN_QUEUE
from model.trees import BOTH, KUBELET_ONLY, SCHEDULER_ONLY, read_below

QUEUE = "pkg/scheduler/internal/queue/"
# The plugins whose files were read in 1.32.
PLUGINS_READ = (AFFINITY_GO, FIT_GO, GATES_GO, SPREAD_GO, TAINT_GO, UNSCHEDULABLE_GO)
K3S = "rancher/k3s"
AUTOSCALER = "kubernetes/autoscaler"


def _recorded(path: str, first: str, last: str, where: str) -> Seen:
    return Seen(path, first, last, "recorded", where)


RECORDED: tuple[Seen, ...] = (
    _recorded(NODE_TREE_GO, "1.14.0-beta.1", "1.14.10", f"{AUTOSCALER} branch cluster-autoscaler-release-1.14"),
    _recorded(NODE_TREE_GO, "1.17.0", "1.17.17", f"{AUTOSCALER} 9501a3d7aa"),
    _recorded(NODE_TREE_GO, "1.18.0", "1.18.20", f"{K3S} 6f56fa1d68a5"),
    _recorded(NODE_TREE_GO, "1.19.0-rc.1", "1.19.14", f"{AUTOSCALER} 671a2fdfe6"),
    _recorded(NODE_TREE_GO, "1.20.0-beta.2", "1.20.15", f"{K3S} 355fff3017b0; {AUTOSCALER} 305f1ac68e"),
    _recorded(NODE_TREE_GO, "1.21.0", "1.21.9", f"{K3S} 5a67e8dc473f"),
    _recorded(NODE_TREE_GO, "1.22.0-beta.1", "1.22.17", "dweomer/k3s a52fc49bdf5e"),
    _recorded(NODE_TREE_GO, "1.28.0", "1.31.14", f"{AUTOSCALER} a91025aa1f, branch cluster-autoscaler-release-1.31"),
    _recorded(CACHE_GO, "1.14.0-beta.1", "1.14.10", f"{AUTOSCALER} branch cluster-autoscaler-release-1.14"),
    _recorded(CACHE_GO, "1.17.0", "1.17.17", f"{AUTOSCALER} 9501a3d7aa"),
    _recorded(CACHE_GO, "1.18.0", "1.18.0", f"{K3S} 53ed13bf29c4"),
    _recorded(CACHE_GO, "1.18.2", "1.18.6", f"{K3S} 6f56fa1d68a5"),
    _recorded(CACHE_GO, "1.18.7", "1.18.8", f"{K3S} 6b5953186668; 1.18.8 is 1.18.7 built with another Go"),
    _recorded(CACHE_GO, "1.18.9", "1.18.9", f"{K3S} 630bebf94b9d"),
    _recorded(CACHE_GO, "1.18.10", "1.18.20", f"{K3S} 57b73dc9ffb0"),
    _recorded(CACHE_GO, "1.19.0-rc.1", "1.19.0-rc.1", f"{AUTOSCALER} 671a2fdfe6"),
    _recorded(CACHE_GO, "1.19.0", "1.19.2", f"{K3S} d38505b124c9"),
    _recorded(CACHE_GO, "1.19.3", "1.19.14", f"{K3S} 974ad30be7b7"),
    _recorded(CACHE_GO, "1.20.0-beta.2", "1.20.0-beta.2", f"{AUTOSCALER} 305f1ac68e"),
    _recorded(CACHE_GO, "1.20.0", "1.20.10", f"{K3S} 355fff3017b0"),
    _recorded(CACHE_GO, "1.20.15", "1.20.15", "kubernetes-sigs/cluster-capacity cf35c2d6c0e5"),
    _recorded(CACHE_GO, "1.21.0", "1.21.4", f"{K3S} 5a67e8dc473f"),
    _recorded(CACHE_GO, "1.21.9", "1.21.9", "kubernetes-sigs/cluster-capacity 469f6dc518d2"),
    _recorded(CACHE_GO, "1.22.0-beta.1", "1.22.4", "dweomer/k3s a52fc49bdf5e"),
    _recorded(CACHE_GO, "1.22.5", "1.22.17", "dereknola/k3s ab215f4a32db"),
    _recorded(CACHE_GO, "1.28.0", "1.28.14", f"{AUTOSCALER} a91025aa1f"),
    _recorded(CACHE_GO, "1.31.8", "1.31.14", f"{AUTOSCALER} branch cluster-autoscaler-release-1.31"),
    _recorded(QUEUE, "1.14.0-beta.1", "1.14.10", f"{AUTOSCALER} branch cluster-autoscaler-release-1.14"),
    _recorded(QUEUE, "1.17.3", "1.17.17", f"{AUTOSCALER} 9501a3d7aa"),
    _recorded(QUEUE, "1.18.0", "1.18.20", f"{K3S} 6f56fa1d68a5"),
    _recorded(QUEUE, "1.19.0", "1.19.11", f"{K3S} 974ad30be7b7"),
    _recorded(QUEUE, "1.19.12", "1.19.14", f"{K3S} 559d0c472949"),
    _recorded(QUEUE, "1.20.0", "1.20.7", f"{K3S} 355fff3017b0"),
    _recorded(QUEUE, "1.20.8", "1.20.10", f"{K3S} 5d0a12a6168b"),
    _recorded(QUEUE, "1.21.2", "1.21.9", f"{K3S} 5a67e8dc473f"),
    _recorded(QUEUE, "1.22.0-beta.1", "1.22.6", "dweomer/k3s a52fc49bdf5e"),
    _recorded(QUEUE, "1.28.0", "1.28.0", f"{AUTOSCALER} 35b7fa3cea"),
    _recorded(QUEUE, "1.28.3", "1.28.10", f"{AUTOSCALER} a91025aa1f"),
    _recorded(QUEUE, "1.31.0", "1.31.14", f"{AUTOSCALER} branch cluster-autoscaler-release-1.31"),
)

# Rules of recorded files that the recordings do not tell from the rule before or after, or do not touch at all.
NOT_TOLD = frozenset(
    {
        "active_q_heads",
        "count_failure",
        "forget_deleted",
        "gated_pod_is_passed_over",
        "gated_pod_may_back_off",
        "gated_when_activated",
        "hint_for_in_flight_pod",
        "image_counts",
        "mark_finished_binding",
        "move_holds",
        "nominator_accesses",
        "nominator_update",
        "pods_for_assigned_pod",
        "pods_for_assigned_pod_update",
        "pending_plugins_known",
        "pods_for_move_request",
        "pop_from_backoff_q",
        "pop_lock",
        "still_backs_off",
        "strip_for_queue",
        "update_holds_pop_lock",
        "update_snapshot",
    }
)

# --- From 1.32 on

_BACKEND_CACHE = "pkg/scheduler/backend/cache/"
_FIRST = "1.33.1=6b1d2ef88e19 1.34.1=838a5957d0be 1.35.0=521e545fb92e 1.36.2=70920d3c6f5f"
_FIRST_WITH_1_32 = f"1.32.0=33b149850474 {_FIRST}"
_LAST = (
    "1.33.13=78a395343031 1.34.7=e318e213ecd4 1.34.8=fb3c7e773f7d 1.34.9=473c3de15d9a 1.35.4=160d34fefe78 "
    "1.35.5=4f61957a9c78 1.35.6=5019821e0eb2 1.36.3=ab25d11482f8"
)
# Those of which the trees of 1.32 are named one by one in `SEEN`.
_NOT_1_32 = ("pkg/scheduler/backend/queue/", SCHEDULE_ONE_GO, FEATURES_GO)
# Of these `PreFilter` and `PreScore` were read of each first and last tree of a minor.
_SKIPS = (AFFINITY_SCORING_GO, PORTS_GO, SPREAD_FILTERING_GO, SPREAD_SCORING_GO, VOLUME_ZONE_GO)
_PLUGINS = (AFFINITY_GO, FIT_GO, GATES_GO, INTER_POD_AFFINITY_GO, SPREAD_GO, TAINT_GO, UNSCHEDULABLE_GO)
_FROM_1_32 = (
    _BACKEND_CACHE,
    HANDLERS_GO,
    SCHEDULER_GO,
    DEFAULT_PLUGINS_GO,
    TYPES_GO,
    COMPONENT_REQUESTS_GO,
    *_PLUGINS,
)

# Recorded release -> the branch.
_BRANCHES = {
    "1.32.0": "release-4.19",
    "1.33.1": "release-4.20",
    "1.34.1": "release-4.21",
    "1.35.0": "release-4.22",
    "1.36.2": "main",
}
# Of the cache's and the node tree's files, each release whose files are those of a recorded one.
_SAME_CACHE = (("1.32.0", "1.32.13"), ("1.33.1", "1.33.13"), ("1.34.1", "1.34.9"), ("1.35.0", "1.35.7"),
               ("1.36.2", "1.36.3"))  # fmt: skip


def _recorded_from_1_32(path: str, first: str, last: str, *fields: str) -> Seen:
    where = f"openshift/kubernetes-autoscaler branch {_BRANCHES[first]}"
    return Seen(path, first, last, "recorded", where, frozenset(fields))


_RECORDED_CACHES = tuple(
    seen
    for first, last in _SAME_CACHE
    for seen in (
        _recorded_from_1_32(BACKEND_CACHE_GO, first, last),
        _recorded_from_1_32(f"{_BACKEND_CACHE}node_tree.go", first, last),
        _recorded_from_1_32(TYPES_GO, first, first, "subtracted_pod"),
    )
)

# Of the gate SchedulerAsyncAPICalls, and of the API dispatcher, whose files are the same in all releases of a minor.
_GATE_SWITCHED = "1.34.2=df47b5b06dac 1.35.1=c91759f1bfdf"
_CALLS_READ = f"{_GATE_SWITCHED} 1.34.9=473c3de15d9a 1.35.6=5019821e0eb2 1.36.3=ab25d11482f8"
_SEEN_OF_API_CALLS = tuple(
    seen for path in (CALL_QUEUE_GO, STATUS_PATCH_GO)
    for seen in (*read(path, "openshift/kubernetes-autoscaler", " ".join(_FIRST.split()[1:])),
                 *read(path, "openshift/microshift", _CALLS_READ))
) + tuple(
    Seen(path, first, last, "recorded", where)
    for path in (CALL_QUEUE_GO, STATUS_PATCH_GO)
    for first, last, where in (
        ("1.34.1", "1.34.9", "openshift/microshift 553d373856fa"),
        ("1.35.0", "1.35.6", "openshift/kubernetes-autoscaler branch release-4.22"),
        ("1.36.2", "1.36.3", "openshift/kubernetes-autoscaler branch main"),
    )
) + tuple(
    evolve(seen, fields=frozenset({"async_api_calls_default"}))
    for seen in read(FEATURES_GO, "openshift/microshift", _GATE_SWITCHED)
)  # fmt: skip

# Of the cycle, of preemption and of zones.
_PREEMPTION = (
    EVALUATOR_GO,
    EXECUTOR_GO,
    PREEMPTION_GO,
    RUNTIME_GO,
    "pkg/scheduler/extender.go",
    "pkg/scheduler/framework/runtime/waiting_pods_map.go",
)
_OTHERS = (
    "1.32.13=d4b43f374a5b 1.33.13=78a395343031 1.34.2=df47b5b06dac 1.34.9=473c3de15d9a 1.35.6=5019821e0eb2 "
    "1.36.3=ab25d11482f8"
)

_SEEN_OF_PREEMPTION = (
    *(
        seen
        for path in (*_PREEMPTION, ZONE_KEY_GO, *_SKIPS)
        for seen in (
            *read(path, "openshift/kubernetes-autoscaler", _FIRST_WITH_1_32),
            *read(path, "openshift/microshift", _OTHERS),
        )
    ),
    *(
        seen
        for path in _PREEMPTION
        for seen in (
            *read(path, "kubernetes-sigs/cluster-capacity", "1.33.0=57922fe894c6"),
            *read(path, "openshift-kni/scheduler-plugins", "1.35.7=2117d3e301"),
        )
    ),
)

_FROM_1_32_ON = _RECORDED_CACHES + tuple(
    seen
    for paths, first, last in ((_NOT_1_32, _FIRST, _LAST),
                               (_FROM_1_32, _FIRST_WITH_1_32, f"1.32.13=d4b43f374a5b {_LAST}"))
    for path in paths
    for seen in (*read(path, "openshift/kubernetes-autoscaler", first), *read(path, "openshift/microshift", last),
                 *read(path, "kubernetes-sigs/cluster-capacity", "1.33.0=57922fe894c6"),
                 *read(path, "openshift-kni/scheduler-plugins", "1.35.7=2117d3e301"))
) + tuple(
    seen for path in (CREATE_GO, POD_STORAGE_GO)
    for seen in read(path, "openshift/microshift",
                     f"1.31.14=8eb6c2962b3a 1.32.4=004d9bd35815 1.32.13=d4b43f374a5b {_LAST}")
) + _SEEN_OF_PREEMPTION + _SEEN_OF_API_CALLS  # fmt: skip

# --- All

SEEN: tuple[Seen, ...] = (
    *RECORDED,
    *SEEN_IN_CYCLES,
    *SEEN_IN_QUEUE,
    *read_below("pkg/scheduler/", BOTH, SCHEDULER_ONLY),
    *read_below("pkg/scheduler/framework/plugins/", KUBELET_ONLY),
    *read(QUEUE, K3S, "1.13.1=d0b5e818bf37 1.13.2=0deece1d6d47 1.13.3=596b7950be56 1.13.4=88e88b84f43e "
          "1.13.5=2911d0b51566"),
    *read(SCHEDULER_GO, "kubernetes-sigs/cluster-capacity", "1.19.0-rc.4=4f63337b8"),
    *read(RUNTIME_GO, AUTOSCALER, "1.19.0-rc.1=671a2fdfe6e5"),
    Seen("pkg/scheduler/", "1.18.7", "1.18.7", "read", f"{K3S} 6b5953186668; 1.18.8 is 1.18.7 built with another Go"),
    *read_below(POD_REQUESTS_GO, BOTH, SCHEDULER_ONLY),
    *read_below("pkg/util/node/", BOTH, KUBELET_ONLY),
    *read_below(POD_STORAGE_GO, {repository: BOTH[repository] for repository in (
        K3S, "dweomer/k3s", "dereknola/k3s", "noob512/godel-with-k8s", "cvetkovic/kubernetes_v1.23.13",
        "openshift/microshift", "linmut/kubernetes-x")}),
    Seen(POD_STORAGE_GO, "1.24.0", "1.24.17", "read",
         f"openshift/microshift 84376e9d8e; k8s.io/apiserver in {AUTOSCALER} 75d6c8f1c3"),
    *read(CREATE_GO, AUTOSCALER,
          "1.24.10=75d6c8f1c3 1.24.12=27d03a550d 1.24.14=774460773d 1.24.16=3e08cc227f 1.25.0-alpha.0=00a75d2990 "
          "1.25.0-alpha.2=0e7a86f854 1.25.0=1a02155dae 1.25.6=479a31d08c 1.25.8=6c4c6b8b95 1.25.10=2a7094c320 "
          "1.25.12=5a4d7d25a3 1.26.0-alpha.0=0622aaf301 1.26.0-rc.1=00a963f28e 1.26.0=38ffb4e130 1.26.1=29ac211c9d "
          "1.26.3=12d5585a0c 1.26.5=80e346a8ae 1.26.7=0d3dc40a1a 1.26.11=ac1d162118 1.26.13=149f578402 "
          "1.26.15=166d00af57 1.27.0-alpha.1=09f851d398 1.27.0=0c83e28f76 1.27.1=47560660ba 1.27.2=a0698833ef "
          "1.27.4=540f7b89b5 1.27.8=2e167fa50c"),
    *read(CREATE_GO, "kubernetes-sigs/scheduler-plugins", "1.25.5=056fa7df19 1.25.7=3d7104edb4 1.26.2=679a09e804"),
    *read(CREATE_GO, "openshift-kni/scheduler-plugins", "1.25.14=2496172b7c 1.25.15=10ca93e79a 1.25.16=1c6dd1162b"),
    *read(CREATE_GO, "openshift/microshift", "1.31.14=8eb6c2962b3a"),
    *read(CREATE_GO, "kubernetes-sigs/cluster-capacity", "1.25.2=11b3168c2c 1.26.4=648c7f4ef2"),
    *read_below(CREATE_GO, {AUTOSCALER: BOTH[AUTOSCALER][BOTH[AUTOSCALER].index("1.28.0-alpha.2"):]}),
    *read(FEATURES_GO, AUTOSCALER,
          "1.28.0-beta.0=9c364f976186 1.28.0=35b7fa3cea 1.28.4=f25beb0c92 1.28.6=baa5116b82 1.28.8=b66f2dc98d "
          "1.28.10=9f7b8453f9 1.28.11=e33dcdbdc9 1.28.14=57c72c70c7 1.29.0-alpha.1=3aff54889e54 "
          "1.29.0-alpha.3=4944ed9609fb 1.29.0=095ae9fcbb 1.29.1=da4e1097d0 1.29.3=23b5eb8cda 1.29.5=5e379e429c "
          "1.29.6=34e510f38e 1.29.9=4757ec679d 1.30.0-alpha.3=16588648bae7 1.30.0=c4f7524043 1.30.2=b7a28b2ff3 "
          "1.30.5=06b9450fae 1.30.14=8984706c2b 1.31.0-alpha.2=2244a049128c 1.31.13=2b0c0761f5"),
    *read(FEATURES_GO, "kubernetes-sigs/cluster-capacity", "1.28.3=f39ad5155c"),
    *read(FEATURES_GO, "openshift/kubernetes-autoscaler", "1.31.0=34730793bf40"),
    *read(FEATURES_GO, "openshift/microshift", "1.31.14=8eb6c2962b3a"),
    *_FROM_1_32_ON,
    *read(VERSIONED_FEATURES_GO, "openshift/kubernetes-autoscaler", "1.32.0=33b149850474"),
    *read(VERSIONED_FEATURES_GO, "openshift/microshift", "1.32.4=004d9bd35815 1.32.13=d4b43f374a5b"),
    *read_below(ZONE_KEY_GO, BOTH, SCHEDULER_ONLY, KUBELET_ONLY),
    *(each for path in (SCHEDULE_ONE_GO, *PLUGINS_READ) for each in (
        *read(path, "openshift/kubernetes-autoscaler", "1.32.0=33b149850474"),
        *read(path, "kubernetes-sigs/cluster-capacity", "1.32.2=21fdf5dfaa"),
        *read(path, "openshift/microshift", "1.32.13=d4b43f374a5b"))),
)  # fmt: skip

# On the branches of 1.24 to 1.27 #116395 came in a patch; each next minor began without it.
_UNLOCKED = tuple(
    moved
    for without, since in (("1.24.0-rc.1", "1.24.12"), ("1.25.0-alpha.0", "1.25.8"), ("1.26.0-alpha.0", "1.26.3"),
                           ("1.27.0-alpha.0", "1.27.0-beta.0"))
    for moved in (Moved(without, f"{QUEUE_GO} addNominatedPodUnlocked", f"{QUEUE_GO} add"),
                  Moved(since, f"{QUEUE_GO} add", f"{QUEUE_GO} addNominatedPodUnlocked"))
)  # fmt: skip

MOVED: tuple[Moved, ...] = (
    *(Moved("1.14.0-alpha.1", f"{FACTORY_GO} {name}", f"{HANDLERS_GO} {name}") for name in (
        "updatePodInSchedulingQueue", "deletePodFromSchedulingQueue", "skipPodUpdate", "addNodeToCache",
        "updateNodeInCache", "updatePodInCache")),
    Moved("1.14.0-alpha.1", f"{FACTORY_GO} FilterFunc", f"{HANDLERS_GO} AddAllEventHandlers"),
    Moved("1.18.0-alpha.1", f"{HANDLERS_GO} AddAllEventHandlers", f"{HANDLERS_GO} addAllEventHandlers"),
    Moved("1.17.0-alpha.1", f"{FACTORY_GO} NewConfigFactory", f"{SCHEDULER_GO} New"),
    Moved("1.17.0-alpha.1", FACTORY_GO, "pkg/scheduler/factory.go"),
    Moved("1.24.0-beta.0", "pkg/scheduler/factory.go create", f"{SCHEDULER_GO} New"),
    Moved("1.24.0-beta.0", "pkg/scheduler/factory.go", SCHEDULER_GO),
    Moved("1.25.0", f"{SCHEDULER_GO} MakeDefaultErrorFunc", f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Moved("1.14.0-alpha.1", "pkg/scheduler/cache/node_info.go", "pkg/scheduler/nodeinfo/node_info.go"),
    Moved("1.19.0-alpha.1", "pkg/scheduler/nodeinfo/node_info.go", "pkg/scheduler/framework/v1alpha1/types.go"),
    Moved("1.20.0", "pkg/scheduler/framework/v1alpha1/types.go", "pkg/scheduler/framework/types.go"),
    Moved("1.15.0-alpha.1", f"{QUEUE_GO} podTimestamp", f"{QUEUE_GO} newPodInfo"),
    Moved("1.19.0-alpha.1", f"{QUEUE_GO} newPodInfo", f"{QUEUE_GO} newQueuedPodInfo"),
    Moved("1.19.0-rc.1", FRAMEWORK_GO, RUNTIME_GO),
    Moved("1.19.0-rc.1", WAITING_PODS_GO, "pkg/scheduler/framework/runtime/waiting_pods_map.go"),
    Moved("1.18.0-alpha.1", f"{QUEUE_GO} activeQComp", f"{QUEUE_GO} NewPriorityQueue"),
    Moved("1.15.0-alpha.1", f"{BACKOFF_UTILS_GO} Gc", f"{BACKOFF_UTILS_GO} CleanupPodsCompletesBackingoff"),
    Moved("1.15.0-alpha.1", BACKOFF_UTILS_GO, "pkg/scheduler/internal/queue/pod_backoff.go"),
    Moved("1.17.0-alpha.1", f"{QUEUE_GO} movePodsToActiveQueue", f"{QUEUE_GO} movePodsToActiveOrBackoffQueue"),
    Moved("1.17.0-alpha.1", f"{QUEUE_GO} MoveAllToActiveQueue", f"{QUEUE_GO} MoveAllToActiveOrBackoffQueue"),
    Moved("1.28.0-beta.0", f"{QUEUE_GO} podMatchesEvent", f"{QUEUE_GO} isPodWorthRequeuing"),
    Moved("1.24.0-beta.0", f"{QUEUE_GO} flushUnschedulableQLeftover", f"{QUEUE_GO} flushUnschedulablePodsLeftover"),
    Moved("1.14.0-alpha.1", f"{QUEUE_GO} WaitingPodsForNode", f"{QUEUE_GO} NominatedPodsForNode"),
    Moved("1.19.0-alpha.1", f"{QUEUE_GO} UpdateNominatedPodForNode", f"{QUEUE_GO} AddNominatedPod"),
    Moved("1.13.2", f"{QUEUE_GO} updateNominatedPod", f"{QUEUE_GO} update"),
    Moved("1.19.0-alpha.1", f"{QUEUE_GO} update", f"{QUEUE_GO} UpdateNominatedPod"),
    *_UNLOCKED,
    Moved("1.22.0-beta.1", f"{HANDLERS_GO} skipPodUpdate", f"{HANDLERS_GO} updatePodInSchedulingQueue"),
    Moved("1.24.0-beta.0", f"{SCHEDULER_GO} skipPodSchedule", f"{SCHEDULE_ONE_GO} skipPodSchedule"),
    Moved("1.24.0-beta.0", f"{SCHEDULER_GO} scheduleOne", f"{SCHEDULE_ONE_GO} scheduleOne"),
    Moved("1.26.0-rc.1", f"{SCHEDULE_ONE_GO} scheduleOne", f"{SCHEDULE_ONE_GO} handleBindingCycleError"),
    Moved("1.19.0-alpha.1", f"{SCHEDULER_GO} preempt", f"{SCHEDULER_GO} recordSchedulingFailure"),
    Moved("1.24.0-alpha.4", f"{SCHEDULER_GO} recordSchedulingFailure", f"{SCHEDULER_GO} handleSchedulingFailure"),
    Moved("1.24.0-beta.0", f"{SCHEDULER_GO} handleSchedulingFailure", f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Moved("1.19.0-alpha.1", f"{GENERIC_GO} pickOneNodeForPreemption", f"{PREEMPTION_GO} pickOneNodeForPreemption"),
    Moved("1.23.0-alpha.1", f"{PREEMPTION_GO} dryRunPreemption",
          "pkg/scheduler/framework/preemption/preemption.go DryRunPreemption"),
    Moved("1.23.0-alpha.1", f"{PREEMPTION_GO} PrepareCandidate",
          "pkg/scheduler/framework/preemption/preemption.go prepareCandidate"),
    Moved("1.18.0-alpha.1", f"{GENERIC_GO} podFitsOnNode", f"{CACHE_GO} UpdateSnapshot"),
    Moved("1.18.0-alpha.1", f"{GENERIC_GO} findNodesThatFit", f"{GENERIC_GO} findNodesThatFitPod"),
    Moved("1.22.0-beta.1", GENERIC_GO, "pkg/scheduler/generic_scheduler.go"),
    Moved("1.24.0-alpha.4", "pkg/scheduler/generic_scheduler.go", SCHEDULER_GO),
    *(Moved("1.24.0-beta.0", f"{SCHEDULER_GO} {name}", f"{SCHEDULE_ONE_GO} {name}") for name in (
        "evaluateNominatedNode", "findNodesThatFitPod")),
    Moved("1.17.9", f"{GENERIC_GO} snapshot", f"{GENERIC_GO} Snapshot"),
    Moved("1.18.0-alpha.1", f"{PREDICATES_GO} GetResourceRequest", f"{FIT_GO} computePodResourceRequest"),
    Moved("1.32.0", POD_REQUESTS_GO, COMPONENT_REQUESTS_GO),
    Moved("1.35.0", f"{COMPONENT_REQUESTS_GO} determineContainerReqs",
          f"{COMPONENT_REQUESTS_GO} determineEffectiveRequests"),
    Moved("1.18.0-alpha.1", f"{PREDICATES_GO} PodFitsResources",
          "pkg/scheduler/framework/plugins/noderesources/fit.go Filter"),
    Moved("1.18.0-alpha.1", f"{PREDICATES_GO} CheckNodeUnschedulablePredicate", f"{UNSCHEDULABLE_GO} Filter"),
    Moved("1.18.0-alpha.1", f"{PREDICATES_GO} EvenPodsSpreadPredicate",
          "pkg/scheduler/framework/plugins/podtopologyspread/plugin.go New"),
    Moved("1.19.0-alpha.1", f"{EXTENDER_GO} convertToNodeToVictims", f"{EXTENDER_GO} convertToNodeNameToVictims"),
    Moved("1.22.0-beta.1", EXTENDER_GO, "pkg/scheduler/extender.go"),
    Moved("1.24.0-alpha.4", "pkg/scheduler/extender.go convertToNodeNameToVictims",
          "pkg/scheduler/extender.go convertToVictims"),
    Moved("1.17.0-alpha.1", f"{FACTORY_GO} getBinderFunc", "pkg/scheduler/factory.go getBinderFunc"),
    Moved("1.18.0-alpha.1", "pkg/scheduler/factory.go getBinderFunc", f"{SCHEDULER_GO} extendersBinding"),
    Moved("1.24.0-beta.0", f"{SCHEDULER_GO} extendersBinding", f"{SCHEDULE_ONE_GO} extendersBinding"),
    Moved("1.19.0-alpha.1", f"{GENERIC_GO} processPreemptionWithExtenders", f"{PREEMPTION_GO} CallExtenders"),
    Moved("1.23.0-alpha.1", f"{PREEMPTION_GO} CallExtenders",
          "pkg/scheduler/framework/preemption/preemption.go callExtenders"),
    Moved("1.21.0-alpha.1", "pkg/util/node/node.go", ZONE_KEY_GO),
    Moved("1.32.0", f"{FEATURES_GO} defaultKubernetesFeatureGates",
          f"{VERSIONED_FEATURES_GO} defaultVersionedKubernetesFeatureGates"),
    Moved("1.30.0", f"{SCHEDULE_ONE_GO} scheduleOne", f"{SCHEDULE_ONE_GO} ScheduleOne"),
    *(Moved("1.32.0", f"{QUEUE_GO} {old}", f"{ACTIVE_QUEUE_GO} {new}") for old, new in (
        ("Pop", "unlockedPop"), ("done", "done"))),
    Moved("1.32.0", QUEUE_GO, BACKEND_QUEUE_GO),
    Moved("1.36.0-alpha.0", f"{EVALUATOR_GO} NewEvaluator", f"{EXECUTOR_GO} NewExecutor"),
    *(Moved("1.36.0-alpha.0", f"{EVALUATOR_GO} {name}", f"{EXECUTOR_GO} {name}") for name in (
        "prepareCandidate", "prepareCandidateAsync", "IsPodRunningPreemption")),
    Moved("1.32.0", CACHE_GO, BACKEND_CACHE_GO),
    Moved("1.32.0", NODE_TREE_GO, f"{_BACKEND_CACHE}node_tree.go"),
    Moved("1.33.0", f"{POD_STORAGE_GO} assignPod", f"{POD_STORAGE_GO} setPodNodeAndMetadata"),
    Moved("1.33.0", VERSIONED_FEATURES_GO, FEATURES_GO),
    *(Moved("1.33.0", f"{BACKEND_QUEUE_GO} {name}", f"{BACKOFF_QUEUE_GO} {name}") for name in (
        "getBackoffTime", "calculateBackoffDuration", "isPodBackingoff")),
    Moved("1.35.0", f"{HANDLERS_GO} updatePodInCache", f"{HANDLERS_GO} updateAssignedPodInCache"),
    Moved("1.35.0", f"{HANDLERS_GO} addPodToCache", f"{HANDLERS_GO} addAssignedPodToCache"),
    # The handler itself looks at what the informer missed.
    Moved("1.35.0", f"{HANDLERS_GO} addAllEventHandlers", f"{HANDLERS_GO} deletePod"),
)  # fmt: skip
