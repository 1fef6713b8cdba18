"""Which fields of the state each action of scheduling depends on, and which it replaces, in a scope. Pure data.

An action's footprint is that of its step and, without `fine`, of the steps that may follow in the same action. What an
action replaces it also counts as read: nearly all fields are replaced in some states only.
"""

from collections.abc import Mapping

from model.machine import Footprint
from model.systems.scheduling.scope import SchedulingScope

_POD = "pods pod_watch"
# What a pod or node event changes once it is handled.
_HANDLED = "queue cache retries crashed"
_USERS = {
    "create_pod": f"{_POD} incarnations",
    "recreate_pod": f"{_POD} incarnations used",
    "update_annotations": f"{_POD} used",
    "update_finalizers": f"{_POD} used",
    "update_labels": f"{_POD} used",
    "delete_pod": f"{_POD} used",
    "finish_termination": _POD,
    "bind_elsewhere": f"{_POD} used",
    "delete_node": "nodes node_watch used",
    "add_node": "nodes node_watch used",
    "heartbeat": "node_watch",
}
# What each step of a goroutine replaces. A failure may be the cycle's or a binding's.
_EITHER = "cycle bindings snapshot"
_CYCLE = "cycle snapshot"
_STEPS = {
    "pop": "queue cycle",
    "schedule": f"{_CYCLE} cache crashed",
    "find_nodes": f"{_CYCLE} crashed",
    "call_extenders": f"{_CYCLE} {_POD}",
    "choose": _CYCLE,
    "assume": f"{_CYCLE} cache crashed",
    "delete_nominated_pod": f"{_CYCLE} bindings queue",
    "start_error_func": f"{_EITHER} retries",
    "record_failure": f"{_EITHER} {_POD}",
    "preempt": _CYCLE,
    "nominate": f"{_CYCLE} queue",
    "set_nominated_node_name": f"{_CYCLE} {_POD} queue",
    "post_filter": _CYCLE,
    "delete_victims": f"{_CYCLE} {_POD}",
    "requeue": f"{_EITHER} queue",
    "add_nominated_pod": f"{_EITHER} queue",
    "patch_failure": f"{_EITHER} {_POD}",
    "bind": f"bindings {_POD} used",
    "bind_failed": "bindings",
    "finish_binding": "bindings cache crashed",
    "forget_pod": "bindings cache crashed",
    "move_after_forget": "bindings queue retries",
    "get_pod": "retries",
    "add_unschedulable": "retries queue",
}
# What they read besides.
_READS = {
    "pop": "bindings retries",
    "bind_elsewhere": "nodes",
    "heartbeat": "nodes",
    "relist_pods": "pods lister",
    "find_nodes": "queue",
    "start_error_func": "queue",
    "preempt": "pods lister queue",
    "nominate": "lister",
    "post_filter": "lister queue",
    "requeue": "lister",
    "add_nominated_pod": "lister",
    "get_pod": "pods",
    "add_unschedulable": "lister",
}
_CLOCK = {
    "tick": "queue",
    "flush_backoff_q_completed": "queue",
    "flush_unschedulable_q_leftover": "queue retries",
    "cleanup_assumed_pods": "cache crashed",
}
# The steps that may follow a step in its action (see GLUED in threads.py).
_FOLLOWED_BY = {
    "schedule": "find_nodes call_extenders choose start_error_func",
    "assume": "delete_nominated_pod start_error_func",
    "preempt": "nominate",
    "post_filter": "delete_victims",
    "add_nominated_pod": "patch_failure",
    "bind": "finish_binding",
    "bind_failed": "finish_binding forget_pod move_after_forget start_error_func",
}
# Where one step of these is an action, what touches nothing still follows.
_FOLLOWED_BY_FINE = {"find_nodes": "choose", "call_extenders": "choose"}


def footprints(scope: SchedulingScope) -> Mapping[str, Footprint]:
    """The footprint of each action."""
    written = {**_USERS, **_informers(scope), **_STEPS, **_CLOCK}
    followed_by = _FOLLOWED_BY_FINE if scope.fine else _FOLLOWED_BY
    found = {}
    for name in written:
        steps = [name, *followed_by.get(name, "").split()]
        writes = _together(scope, " ".join(written[step] for step in steps))
        reads = " ".join(_READS.get(step, "") for step in steps)
        found[name] = Footprint(_together(scope, f"{' '.join(writes)} {reads} crashed"), writes)
    return found


def _informers(scope: SchedulingScope) -> dict[str, str]:
    """Where the handlers lag, delivery reaches their backlogs only; elsewhere they run at once."""
    handlers = "assigned unassigned" if scope.listeners or scope.fine else _HANDLED
    return {
        "deliver_pod": f"pod_watch lister {handlers}",
        "handle_assigned": f"assigned lister {_HANDLED}",
        "handle_unassigned": f"unassigned lister {_HANDLED}",
        "deliver_node": f"node_watch node_calls {_HANDLED}",
        "resync_pod": f"used lister pod_watch {handlers}",
        "relist_pods": "pod_watch used",
    }


def _together(scope: SchedulingScope, names: str) -> frozenset[str]:
    """Some fields are brought to normal form together: times of queue and cache, generations of cache and snapshot."""
    found = set(names.split())
    if scope.expiry and found & {"queue", "cache"}:
        found |= {"queue", "cache"}
    if scope.keep_snapshot and found & {"cache", "snapshot"}:
        found |= {"cache", "snapshot"}
    return frozenset(found)
