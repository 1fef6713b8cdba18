"""scheduleOne and what follows a failed attempt: in which order things happen, release by release. Pure data.

Go: pkg/scheduler/scheduler.go (`scheduleOne`, `recordSchedulingFailure`, `preempt`), from 1.26 on schedule_one.go;
`MakeDefaultErrorFunc` in factory/factory.go; preemption in core/generic_scheduler.go up to 1.18, in
framework/plugins/defaultpreemption and framework/preemption later.

What happens is given as names of steps. What each does stands in model/systems/scheduling, where every step is one
request to the API server or one hold of one lock.
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.scheduler.error_func import ErrorFunc

Steps = tuple[str, ...]
# The steps by which a release may undo a failed binding.
Undoing = tuple[Literal["forget_pod", "move_after_forget"], ...]

# The plugin that rejects a node without room.
NODE_RESOURCES_FIT = "NodeResourcesFit"
# The plugin that rejects a cordoned node.
NODE_UNSCHEDULABLE = "NodeUnschedulable"
# The plugin that rejects a node where a pod runs that keeps this one away.
INTER_POD_AFFINITY = "InterPodAffinity"
# The name that stands for all extenders.
EXTENDER_NAME = "Extender"


def record_then_preempt() -> bool:
    """Up to 1.17 `recordSchedulingFailure` is called before `preempt`."""
    return False


def preempt_then_record() -> bool:
    """1.18 on: `preempt`, from 1.19 on PostFilter, is called before `recordSchedulingFailure`."""
    return True


def steps_after_failure(error_func: ErrorFunc, preempts_first: Callable[[], bool], no_node_fits: bool) -> Steps:
    """What follows an attempt that failed, in order; `no_node_fits`: it did with a FitError, so preemption is tried.

    Up to 1.18 preemption nominates, in memory (1.14) and in the API, and deletes the victims. `recordSchedulingFailure`
    starts the error function's goroutine, and writes event and condition; `preempts_first` says which of the two comes
    first. From 1.19 on PostFilter deletes the victims. What it nominates, `recordSchedulingFailure` is told: so it
    always comes first. The error function queues the pod, the pod is nominated, event and patch follow.
    """
    if error_func.own_goroutine:
        preempt: Steps = ("preempt", "nominate", "set_nominated_node_name", "delete_victims")
        recorded: Steps = ("start_error_func", "record_failure")
        if not no_node_fits:
            return recorded
        return (*preempt, *recorded) if preempts_first() else (*recorded, *preempt)
    recorded = ("requeue", "add_nominated_pod", "patch_failure")
    return ("post_filter", "delete_victims", *recorded) if no_node_fits else recorded


def forget_only() -> Undoing:
    """After a failed binding up to 1.22: `ForgetPod`, and nobody hears of it (QUEUE-FORGET-NO-EVENT)."""
    return ("forget_pod",)


def forget_then_move() -> Undoing:
    """After a failed binding from 1.23 on: `ForgetPod`, then AssignedPodDelete moves pods (pull request #103805)."""
    return ("forget_pod", "move_after_forget")


def keep_nomination() -> str | None:
    """What recordSchedulingFailure nominates without a candidate: what the pod's status says (NOM-NOT-CLEARED)."""
    return None


def clear_nomination() -> str | None:
    """NominatingInfo{ModeOverride, ""} (1.23.2 on, #106816; where no plugin is at PostFilter from 1.35 on, #135007)."""
    return ""


def any_number_of_victims(victims: int) -> bool:
    """Up to 1.21 a node where nobody has to go is a candidate, and the best."""
    return True


def at_least_one_victim(victims: int) -> bool:
    """1.22 on: `expected at least one victim pod on node` is an error, the node no candidate."""
    return victims > 0


def never_preempt_again(unresolvable: bool) -> bool:
    """Up to 1.18 nobody looks at why the nominated node was rejected."""
    return False


def preempt_again_if_unresolvable(unresolvable: bool) -> bool:
    """1.19 on: no victim's end makes room on a node that answered UnschedulableAndUnresolvable (#92604)."""
    return unresolvable


def look_at_all_nodes(nominated: str, feasible: tuple[str, ...]) -> tuple[str, ...]:
    """Up to 1.21 a nomination of the pod itself means nothing for where it goes."""
    return feasible


def nominated_node_first(nominated: str, feasible: tuple[str, ...]) -> tuple[str, ...]:
    """1.22 on: the pod goes to the node that its status names if it fits there (PreferNominatedNode)."""
    return (nominated,) if nominated in feasible else feasible


def panic_at_nil_node() -> bool:
    """From 1.16 on filter plugins are asked about `info.Node().Name`, also without a Node (SNAP-NIL-NODE-PANIC)."""
    return True


def nil_node_does_not_fit() -> bool:
    """A node where the pod does not fit; later no snapshot has one.

    To 1.15 the first predicate says so (`node(s) had unknown conditions`), from #89224 and #89270 on `podFitsOnNode`
    (`node being deleted`).
    """
    return False


def extender_is_no_plugin() -> frozenset[str]:
    """Who rejected a pod does not tell of extenders (QUEUE-EXTENDER-REJECT-MISS)."""
    return frozenset()


def extender_as_plugin() -> frozenset[str]:
    """ExtenderName, which every event concerns (#122022)."""
    return frozenset({EXTENDER_NAME})


def never_by_uid() -> bool:
    """Up to 1.22 the API server binds whatever pod has the name (BIND-UID)."""
    return False


def by_uid() -> bool:
    """1.23 on, and not in 1.25.0 to 1.25.8 and 1.26.0 to 1.26.3: a Binding's UID has to be the pod's (#105913)."""
    return True


def nomination_outlives_binding() -> bool:
    """Up to 1.34 a bound pod keeps status.nominatedNodeName."""
    return False


def binding_clears_nomination() -> bool:
    """1.35 on: the API server clears status.nominatedNodeName (the gate ClearingNominatedNodeNameAfterBinding)."""
    return True


def patch_from_pod_that_goes_back() -> bool:
    """The error function replaces the record's object, and what a failure changes is compared with the new one.

    So in 1.19 to 1.24, and from 1.36 on (`pod = podInfo.Pod` after NewPodInfo). Up to 1.18 nothing is patched.
    """
    return False


def patch_from_attempted_pod() -> bool:
    """What a failure changes is compared with the object of the attempt (`pod := podInfo.Pod` comes first; 1.25)."""
    return True


@frozen(slots=False, kw_only=True)
class CycleRules:
    """What releases do differently in a scheduling cycle and after it."""

    # The steps after a failed binding, before those of `steps_after_failure`.
    after_bind_error: Callable[[], Undoing]
    # Whether preemption comes before the failure is recorded; see `steps_after_failure`.
    preempts_first: Callable[[], bool]
    # The node to nominate where preemption found no candidate; None leaves the nomination alone. See `nominator`.
    nominate_without_candidate: Callable[[], str | None]
    # The same where no plugin is at PostFilter.
    nominate_without_post_filter: Callable[[], str | None]
    # (number of victims) -> whether a node with that many victims is a candidate.
    preempts_with: Callable[[int], bool]
    # (the nominated node is UnschedulableAndUnresolvable) -> whether the pod may preempt, whoever terminates there.
    preempts_again: Callable[[bool], bool]
    # (nominated node, feasible nodes) -> the nodes that the pod may go to.
    prefer: Callable[[str, tuple[str, ...]], tuple[str, ...]]
    # Whether the filter panics when it meets a ghost.
    panics_at_nil_node: Callable[[], bool]
    # The names that a rejection by an extender is filed under.
    extender_plugins: Callable[[], frozenset[str]]
    # Whether a failure patches the status by what differs from the pod as it was attempted, and not as it goes back.
    patches_from_attempt: Callable[[], bool]
    # Whether the API server compares the UID of a Binding with the pod's.
    binding_honours_uid: Callable[[], bool]
    # Whether the API server clears status.nominatedNodeName of a pod that gets bound.
    clears_nomination_of_bound: Callable[[], bool]
