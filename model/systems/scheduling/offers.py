"""Which actions of scheduling a scope and a release leave out: powers that are off, steps of another grain. Pure."""

from collections.abc import Iterator

from model.scheduler.cycle import steps_after_failure
from model.systems.scheduling.cycle_steps import PREEMPTION
from model.systems.scheduling.rules import SchedulingRules
from model.systems.scheduling.scope import SchedulingScope
from model.systems.scheduling.threads import EMPTY, GLUED, STEPS

# Steps of the cycle and the binding that every release has.
_SUCCESS = frozenset(
    {
        "schedule", "find_nodes", "call_extenders", "assume", "delete_nominated_pod", "bind", "bind_failed",
        "finish_binding",
    }
)  # fmt: skip
_RETRY = frozenset({"get_pod", "add_unschedulable"})


def never_offered(scope: SchedulingScope, rules: SchedulingRules) -> frozenset[str]:
    """Names of actions that no state enables in `scope` under `rules`, as far as the two tell without looking."""
    return frozenset(_switched_off(scope)) | (STEPS.keys() - _own_actions(scope, rules))


def _switched_off(scope: SchedulingScope) -> Iterator[str]:
    """Actions of users, informers and the clock whose power the scope has not."""
    nodes_change = scope.node_deletes or scope.node_adds or scope.late_nodes
    needed = {
        "recreate_pod": scope.recreates,
        "update_annotations": scope.updates,
        "update_finalizers": scope.finalizers,
        "update_labels": scope.labels,
        "delete_pod": scope.deletes,
        "finish_termination": scope.graceful and (scope.deletes or scope.preemption),
        "bind_elsewhere": scope.other_binders,
        "delete_node": scope.node_deletes,
        "add_node": scope.node_adds or scope.late_nodes,
        "heartbeat": scope.heartbeats,
        "handle_assigned": scope.listeners or scope.fine,
        "handle_unassigned": scope.listeners or scope.fine,
        "deliver_node": nodes_change or scope.heartbeats,
        "resync_pod": scope.resyncs,
        "relist_pods": scope.relists,
        "tick": scope.clock,
        "flush_backoff_q_completed": scope.clock,
        "flush_unschedulable_q_leftover": scope.clock and scope.flush,
        "cleanup_assumed_pods": scope.clock and scope.expiry,
    }
    return (name for name, power in needed.items() if not power)


def _own_actions(scope: SchedulingScope, rules: SchedulingRules) -> frozenset[str]:
    """The goroutines' steps that may be an action of their own."""
    after_failure = frozenset(steps_after_failure(rules.error_func(), no_node_fits=True))
    steps = _SUCCESS | after_failure | frozenset(rules.after_bind_error())
    if rules.error_func().own_goroutine:
        steps |= _RETRY
    if not scope.preemption:
        steps -= PREEMPTION
    if not scope.extender:
        steps -= {"call_extenders"}
    steps -= EMPTY
    if scope.fine:
        return steps
    return steps - GLUED - ({"delete_victims"} if "post_filter" in after_failure else frozenset())
