"""What was looked at of the scheduler's Go files from 1.32 on.

The trees of a minor were compared. The files below are the same in all of them, byte for byte, except schedule_one.go,
which changes in 1.34.8 and in 1.35.5, and a part of types.go that no rule is about. Of the plugins' files the functions
were compared that rules are about: `EventsToRegister`, `isSchedulableAfter…` and what these call.
openshift/kubernetes-autoscaler vendors Kubernetes as it is.
"""

from attrs import evolve

from model.rules import Moved, Seen, read
from model.scheduler.go_files import (
    AFFINITY_GO,
    BACKEND_CACHE_GO,
    BACKEND_QUEUE_GO,
    BACKOFF_QUEUE_GO,
    CACHE_GO,
    CALL_QUEUE_GO,
    CREATE_GO,
    DEFAULT_PLUGINS_GO,
    FEATURES_GO,
    FIT_GO,
    GATES_GO,
    HANDLERS_GO,
    INTER_POD_AFFINITY_GO,
    NODE_TREE_GO,
    POD_STORAGE_GO,
    SCHEDULE_ONE_GO,
    SCHEDULER_GO,
    SPREAD_GO,
    STATUS_PATCH_GO,
    TAINT_GO,
    TYPES_GO,
    UNSCHEDULABLE_GO,
    VERSIONED_FEATURES_GO,
)
from model.scheduler.seen_of_preemption import MOVED_OF_PREEMPTION, SEEN_OF_PREEMPTION

_BACKEND_CACHE = "pkg/scheduler/backend/cache/"
_FIRST = "1.33.1=6b1d2ef88e19 1.34.1=838a5957d0be 1.35.0=521e545fb92e 1.36.2=70920d3c6f5f"
_LAST = (
    "1.33.13=78a395343031 1.34.7=e318e213ecd4 1.34.8=fb3c7e773f7d 1.34.9=473c3de15d9a 1.35.4=160d34fefe78 "
    "1.35.5=4f61957a9c78 1.35.6=5019821e0eb2 1.36.3=ab25d11482f8"
)
# Those of which 1.32 is in seen.py.
_NOT_1_32 = ("pkg/scheduler/backend/queue/", SCHEDULE_ONE_GO, FEATURES_GO)
_PLUGINS = (AFFINITY_GO, FIT_GO, GATES_GO, INTER_POD_AFFINITY_GO, SPREAD_GO, TAINT_GO, UNSCHEDULABLE_GO)
_FROM_1_32 = (
    _BACKEND_CACHE,
    HANDLERS_GO,
    SCHEDULER_GO,
    DEFAULT_PLUGINS_GO,
    TYPES_GO,
    *_PLUGINS,
)

_RECORDED = {
    "1.32.0": "release-4.19",
    "1.33.1": "release-4.20",
    "1.34.1": "release-4.21",
    "1.35.0": "release-4.22",
    "1.36.2": "main",
}
# Of the cache's and the node tree's files, each release whose files are those of a recorded one.
_SAME_CACHE = (("1.32.0", "1.32.13"), ("1.33.1", "1.33.13"), ("1.34.1", "1.34.9"), ("1.35.0", "1.35.7"),
               ("1.36.2", "1.36.3"))  # fmt: skip


def _recorded(path: str, first: str, last: str, *fields: str) -> Seen:
    where = f"openshift/kubernetes-autoscaler branch {_RECORDED[first]}"
    return Seen(path, first, last, "recorded", where, frozenset(fields))


_RECORDED_CACHES = tuple(
    seen
    for first, last in _SAME_CACHE
    for seen in (
        _recorded(BACKEND_CACHE_GO, first, last),
        _recorded(f"{_BACKEND_CACHE}node_tree.go", first, last),
        _recorded(TYPES_GO, first, first, "subtracted_pod"),
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

SEEN_FROM_1_32: tuple[Seen, ...] = _RECORDED_CACHES + tuple(
    seen
    for paths, first, last in ((_NOT_1_32, _FIRST, _LAST),
                               (_FROM_1_32, f"1.32.0=33b149850474 {_FIRST}", f"1.32.13=d4b43f374a5b {_LAST}"))
    for path in paths
    for seen in (*read(path, "openshift/kubernetes-autoscaler", first), *read(path, "openshift/microshift", last),
                 *read(path, "kubernetes-sigs/cluster-capacity", "1.33.0=57922fe894c6"),
                 *read(path, "openshift-kni/scheduler-plugins", "1.35.7=2117d3e301"))
) + tuple(
    seen for path in (CREATE_GO, POD_STORAGE_GO)
    for seen in read(path, "openshift/microshift",
                     f"1.31.14=8eb6c2962b3a 1.32.4=004d9bd35815 1.32.13=d4b43f374a5b {_LAST}")
) + SEEN_OF_PREEMPTION + _SEEN_OF_API_CALLS  # fmt: skip

MOVED_FROM_1_32: tuple[Moved, ...] = (
    *MOVED_OF_PREEMPTION,
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
