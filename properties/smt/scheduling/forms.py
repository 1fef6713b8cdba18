"""What the formulas for runs of scheduling have to know of each rule: a table for each field.

A field without a table has no say in the scopes of these formulas, or its rule is called.
"""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from model.scheduler import cycle, error_func, eventhandlers as event_handlers, extender, skip
from model.scheduler.preemption import node_resources_fit, preempt, waiting_victims, writes
from model.scheduler.queue import move, nominations, nominator, pop, scheduling_queue, update
from properties.forms import Forms
from properties.smt.bits import Bit, negate


@frozen
class NominatorAddForm:
    """Whom the nominator's `add` nominates, and where."""

    # The node "" is a node, and does not stand for the node of the status.
    overrides: bool = False
    # A pod that the store does not have is not nominated.
    refuses_unlisted: bool = True
    # A pod that the store shows bound is not nominated.
    refuses_bound: bool = False


@frozen
class Answer:
    """What the extender answers."""

    # All nodes pass; else none does.
    passed: Bit
    error: Bit
    # The extender annotates the pod.
    annotates: Bit


def _empty_when_allocated(allocated: Bit) -> Answer:
    return Answer(negate(allocated), False, negate(allocated))


def _error_when_allocated(allocated: Bit) -> Answer:
    return Answer(negate(allocated), allocated, negate(allocated))


def keeps_all(allocated: Bit) -> Answer:
    """All nodes pass."""
    return Answer(True, False, False)


def _rejects_all(allocated: Bit) -> Answer:
    return Answer(False, False, False)


NOMINATOR_ADD = Forms(
    "nominator_add",
    {
        nominator.add_unchecked: NominatorAddForm(refuses_unlisted=False),
        nominator.add_if_listed: NominatorAddForm(),
        nominator.add_if_listed_unbound: NominatorAddForm(refuses_bound=True),
        nominator.add_overriding: NominatorAddForm(overrides=True),
        nominator.add_overriding_unless_bound: NominatorAddForm(overrides=True, refuses_bound=True),
    },
)
# Whether a nomination that neither status names is kept.
NOMINATOR_UPDATE = Forms(
    "nominator_update",
    {
        nominator.update_by_status: False,
        nominator.update_keeping_memory: True,
        nominator.update_sharing_record: True,
    },
)
# Whether every update of an assumed pod is skipped, and not only a benign one.
SKIP_POD_UPDATE = Forms("skip_pod_update", {skip.skip_pod_update_if_benign: False, skip.skip_any_pod_update: True})
# Whether a benign update may change the condition.
STRIP_POD = Forms(
    "strip_pod",
    {
        skip.strip_annotations: False,
        skip.strip_managed_fields: False,
        skip.strip_finalizers_and_conditions: True,
        skip.strip_all_benign_fields: True,
    },
)
# Whether an assumed pod is not scheduled if its update would be skipped.
SKIP_POD_SCHEDULE = Forms(
    "skip_pod_schedule", {skip.skip_terminating_pod: False, skip.skip_terminating_or_assumed_pod: True}
)
# Whether a move request asks which plugins wait for the event.
MOVE_PODS = Forms(
    "move_pods",
    {
        move.move_to_active: False,
        move.move_to_active_or_backoff_dropping: False,
        move.move_to_active_or_backoff: False,
        move.move_if_worth_requeuing: True,
    },
)
# By whether the pod has the extender's annotation.
EXTENDER_FILTER: Forms[Callable[[Bit], Answer]] = Forms(
    "extender_filter",
    {
        extender.filter_empty_when_allocated: _empty_when_allocated,
        extender.filter_error_when_allocated: _error_when_allocated,
        extender.filter_keeps_all: keeps_all,
        extender.filter_rejects_all: _rejects_all,
    },
)
# Whether the nominated node is looked at first.
PREFER = Forms("prefer", {cycle.look_at_all_nodes: False, cycle.nominated_node_first: True})
# Whether a node is a candidate where nobody has to go.
PREEMPTS_WITH = Forms("preempts_with", {cycle.any_number_of_victims: True, cycle.at_least_one_victim: False})
# Whether a failure without candidate clears the nomination.
NOMINATE_WITHOUT_CANDIDATE = Forms(
    "nominate_without_candidate", {cycle.keep_nomination: False, cycle.clear_nomination: True}
)
# The same where no plugin is at PostFilter.
NOMINATE_WITHOUT_POST_FILTER = Forms(
    "nominate_without_post_filter", {cycle.keep_nomination: False, cycle.clear_nomination: True}
)
# Whether the error function has a goroutine. That of 1.13 asks a flag, which no bit says.
ERROR_FUNC = Forms(
    "error_func",
    {
        rule: rule().own_goroutine
        for rule in (
            error_func.error_func_with_api_get,
            error_func.error_func_with_second_informer,
            error_func.error_func_with_lister,
            error_func.error_func_without_node_repair,
        )
    },
)
# Whether preemption comes before the failure is recorded.
PREEMPTS_FIRST = Forms("preempts_first", {cycle.record_then_preempt: False, cycle.preempt_then_record: True})
# A bound pod keeps the name of the node to which it was nominated. The formulas know no other rule.
KEEPS_NOMINATION = Forms("clears_nomination_of_bound", dict.fromkeys([cycle.nomination_outlives_binding]))
PATCHES_FROM_ATTEMPT = Forms(
    "patches_from_attempt", {cycle.patch_from_pod_that_goes_back: False, cycle.patch_from_attempted_pod: True}
)
# The formulas say the same under each of these.
ALIKE = (
    Forms("preempts_again", dict.fromkeys([cycle.never_preempt_again, cycle.preempt_again_if_unresolvable])),
    KEEPS_NOMINATION,
    Forms("fits_node", dict.fromkeys([node_resources_fit.fits_request, node_resources_fit.fits_request_or_never])),
    Forms("missing_victim_is_an_error", dict.fromkeys([waiting_victims.missing_victim_ends_preemption])),
    Forms("terminating_pod_counts", dict.fromkeys([preempt.any_terminating_pod, preempt.terminating_by_preemption])),
    Forms(
        "status_of_victim",
        dict.fromkeys([writes.not_written, writes.condition_is_applied, writes.from_preemptor, writes.from_victim]),
    ),
    Forms("nominator_delete", dict.fromkeys([nominator.delete_by_uid])),
    Forms("active_q_heads", dict.fromkeys([pop.only_head])),
    Forms("begin_cycle", dict.fromkeys([pop.begin_next_cycle])),
    Forms("queue_for_failed_pod", dict.fromkeys([scheduling_queue.failed_pod_by_cycle])),
    Forms("queue_update", dict.fromkeys([update.update_from_backoff_to_active, update.update_respecting_backoff])),
    Forms("nominate_added", dict.fromkeys([scheduling_queue.nominate_added_by_status])),
    Forms("nominate_waiting", dict.fromkeys([scheduling_queue.nominate_waiting_by_status])),
    Forms("nominate_for_node", dict.fromkeys([nominations.nominated_at_once])),
    Forms("nominated_pod", dict.fromkeys([nominations.nominated_as_kept])),
    Forms(
        "update_pod_in_cache",
        dict.fromkeys([event_handlers.update_pod_in_cache, event_handlers.update_pod_in_cache_by_uid]),
    ),
)

RUNS: tuple[Forms[Any], ...] = (
    NOMINATOR_ADD,
    NOMINATOR_UPDATE,
    SKIP_POD_UPDATE,
    STRIP_POD,
    SKIP_POD_SCHEDULE,
    MOVE_PODS,
    EXTENDER_FILTER,
    PREFER,
    PREEMPTS_WITH,
    NOMINATE_WITHOUT_CANDIDATE,
    NOMINATE_WITHOUT_POST_FILTER,
    ERROR_FUNC,
    PREEMPTS_FIRST,
    PATCHES_FROM_ATTEMPT,
    *ALIKE,
)
