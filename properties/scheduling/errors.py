"""No operation of the scheduler fails that would not have to.

An error is needless if what it says is not so: the scheduler does not find what it has, or has already what it lacks.
The snapshot has no reason at all to fail a cycle. An error that tells of the truth is not needless: the attempt may
have been the fault, which other properties judge.
"""

from model.go.errors import MetError
from model.machine import Action
from model.scheduler.cache.state import find_pod_state
from properties.property import ErrorInvariant
from properties.scheduling.view import State, assumed, queues_of, thread_of

# They are about the scheduler's own data alone, whatever the cluster does.
_NEVER_NEEDED = frozenset({"UpdateSnapshot", "updateNodeInfoSnapshotList"})
_SAYS_MISSING = frozenset({"RemovePod", "UpdatePod", "GetPod"})
_SAYS_PRESENT = frozenset({"AssumePod", "AddPod"})


def needless(before: State, action: Action, error: MetError) -> bool:
    about = error.about
    if error.function in _NEVER_NEEDED:
        return True
    if error.function in _SAYS_MISSING:
        return find_pod_state(before.cache, about) is not None
    if error.function in _SAYS_PRESENT:
        return find_pod_state(before.cache, about) is None
    if error.function == "ForgetPod":
        return _assumed_there(before, action, about)
    if error.function == "RemoveNode":
        return about in before.cache.node_tree.names()
    if error.function == "AddUnschedulableIfNotPresent":
        return not queues_of(before, action["pod"])
    return False


def _assumed_there(before: State, action: Action, uid: str) -> bool:
    """Whether the pod is assumed on the node to which the goroutine meant to bind it."""
    goroutine, state = thread_of(before, action), find_pod_state(before.cache, uid)
    if goroutine is None or state is None:
        return False
    return assumed(before, uid) and state.pod.node_name == goroutine.pod.node_name


def _explain(before: State, action: Action, error: MetError) -> str:
    return f"{error.function} answers '{error.text}', which is not so"


# The actions that call what `needless` speaks of.
_CALL = frozenset(
    {
        "schedule", "assume", "forget_pod", "bind_failed", "requeue", "add_unschedulable", "deliver_pod",
        "handle_assigned", "handle_unassigned", "handle_pod", "deliver_node", "resync_pod", "relist_pods",
    }
)  # fmt: skip

NO_NEEDLESS_ERROR = ErrorInvariant(
    name="no-needless-error",
    sentence="No call fails with an error that says what is not so, and no snapshot fails a scheduling cycle.",
    broken_by=("snapshot_counting_cache_nodes",),
    actions=_CALL,
    needless=needless,
    premise=lambda before, action, after: True,
    explain=_explain,
)
