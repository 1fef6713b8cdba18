"""Runs of the system scheduling with one pod as Z3 formulas: one transition formula, the properties negated.

Covered are scopes with one pod and none of the environment's powers but the extender and preemption, in the coarse
grain: what NOM-EXT-LEAK takes. Tests compare every reachable step, and see to it that no run needs a longer watch.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

from attrs import define, fields
from z3 import BoolRef

from model.scheduler import cycle, error_func, extender, skip
from model.scheduler import eventhandlers as event_handlers
from model.scheduler.queue import nominations, nominator
from model.scheduler.queue import scheduling_queue as queue_rules
from model.scheduler.queue import update as queue_update
from model.systems.scheduling import Scheduling, SchedulingRules, SchedulingScope
from properties.scheduling import nominations as scheduling_nominations
from properties.scheduling import pods as scheduling_pods
from properties.smt.bits import Bit, all_of, any_of, exactly_one, formula, negate, same
from properties.smt.form import Cells
from properties.smt.scheduling.alone import View, flat, fresh, nothing, shaped, view
from properties.smt.scheduling.alone_steps import Steps

MAX_NODES, MAX_GOROUTINES = 3, 3
SIZES = ("pods", "high", "nodes", "room", "goroutines")
COVERED = (*SIZES, "extender", "preemption")

# The rules that the steps know. A rule that has no say in these scopes is not among them.
KNOWN: Mapping[str, tuple[object, ...]] = {
    "nominator_add": (
        nominator.add_unchecked, nominator.add_if_listed, nominator.add_if_listed_unbound, nominator.add_overriding,
        nominator.add_overriding_unless_bound,
    ),
    "nominator_delete": (nominator.delete_by_uid,),
    "nominator_update": (
        nominator.update_by_status, nominator.update_keeping_memory, nominator.update_sharing_record,
    ),
    "active_q_heads": (queue_rules.only_head,),
    "begin_cycle": (queue_rules.begin_next_cycle,),
    "queue_for_failed_pod": (queue_rules.failed_pod_by_cycle,),
    "queue_update": (queue_update.update_from_backoff_to_active, queue_update.update_respecting_backoff),
    "nominate_added": (queue_rules.nominate_added_by_status,),
    "nominate_waiting": (queue_rules.nominate_waiting_by_status,),
    "nominate_for_node": (nominations.nominated_at_once,),
    "nominated_pod": (nominations.nominated_as_kept,),
    "skip_pod_update": (skip.skip_pod_update_if_benign, skip.skip_any_pod_update),
    "strip_pod": (
        skip.strip_annotations, skip.strip_managed_fields, skip.strip_finalizers_and_conditions,
        skip.strip_all_benign_fields,
    ),
    "skip_pod_schedule": (skip.skip_terminating_pod, skip.skip_terminating_or_assumed_pod),
    "update_pod_in_cache": (event_handlers.update_pod_in_cache, event_handlers.update_pod_in_cache_by_uid),
    "error_func": (
        error_func.error_func_with_api_get, error_func.error_func_with_second_informer,
        error_func.error_func_with_lister, error_func.error_func_without_node_repair,
    ),
    "nominate_without_candidate": (cycle.keep_nomination, cycle.clear_nomination),
    "preempts_with": (cycle.any_number_of_victims, cycle.at_least_one_victim),
    "prefer": (cycle.look_at_all_nodes, cycle.nominated_node_first),
    "extender_filter": (
        extender.filter_empty_when_allocated, extender.filter_error_when_allocated, extender.filter_keeps_all,
        extender.filter_rejects_all,
    ),
}  # fmt: skip

OfState = Callable[[View], Bit]
OfStep = Callable[[View, View], Bit]


def not_covered(
    scope: SchedulingScope, rules: SchedulingRules, of_releases: Callable[[str], set[object]]
) -> str | None:
    """Why there are no formulas for runs, or None. `of_releases` gives the rules that releases have for a field."""
    if scope.pods > 1:
        return "the formulas for runs know one pod: give --scope pods=1"
    for each in fields(SchedulingScope):
        if each.name not in COVERED and getattr(scope, each.name):
            return f"the formulas for runs have no {each.name}: give --scope {each.name}=0"
    if scope.nodes > MAX_NODES or scope.goroutines > MAX_GOROUTINES:
        return f"the formulas for runs are made for {MAX_NODES} nodes and {MAX_GOROUTINES} goroutines at most"
    for each in fields(SchedulingRules):
        rule = getattr(rules, each.name)
        if rule not in KNOWN.get(each.name, of_releases(each.name)):
            return f"the rule {each.name}={getattr(rule, '__name__', rule)} has no Z3 formula for runs"
    return None


@define(frozen=True, slots=False)
class Runs:
    """The formulas of one scope."""

    steps: Steps

    @property
    def scope(self) -> SchedulingScope:
        return self.steps.scope

    @cached_property
    def _empty(self) -> View:
        return nothing(self.scope)

    def cells(self, tag: str) -> Cells:
        return tuple(fresh(self.scope, tag))

    def view(self, cells: Cells) -> View:
        found: View = shaped(self._empty, list(cells))
        return found

    def initial(self, cells: Cells) -> BoolRef:
        return formula(all_of(*map(same, cells, flat(self._empty))))

    def pin(self, cells: Cells, state: Scheduling) -> BoolRef:
        return formula(all_of(*map(same, cells, flat(view(self.scope, state)))))

    def enabled(self, cells: Cells, i: int) -> BoolRef:
        may, _ = list(self.steps.every.values())[i]
        return formula(may(self.view(cells)))

    def transition(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        now = self.view(before)
        parts: list[Bit] = [exactly_one(taken)]
        reached: list[list[Bit]] = [[] for _ in after]
        for indicator, (may, leads) in zip(taken, self.steps.every.values(), strict=True):
            parts.append(any_of(negate(indicator), may(now)))
            for values, bit in zip(reached, flat(leads(now)), strict=True):
                values.append(all_of(indicator, bit))
        parts += [same(cell, any_of(*values)) for cell, values in zip(after, reached, strict=True)]
        return formula(all_of(*parts))

    def of_states(self) -> Mapping[str, tuple[OfState, OfState]]:
        """By property: that a state violates it, and that a state is one it speaks of."""
        return {scheduling_nominations.NOMINATED_IS_PENDING.name: (_left_over, lambda v: any_of(*v.nominated))}

    def of_steps(self) -> Mapping[str, tuple[Mapping[str, OfStep], frozenset[str]]]:
        """By property: that a step of this action violates it; and the actions of which it speaks in every step."""
        records = "record_failure" if self.steps.own else "add_nominated_pod"
        bound: Mapping[str, OfStep] = {records: lambda before, after: before.live.bound}
        return {
            scheduling_pods.BINDS_ONCE.name: (
                {"bind": lambda before, after: before.live.bound},
                frozenset({"bind"}),
            ),
            scheduling_pods.BINDS_DECIDED.name: ({}, frozenset({"bind"})),
            scheduling_pods.ASSUMED_NOT_SCHEDULED.name: (
                {"schedule": lambda before, after: all_of(before.assumed, any_of(*after.at))},
                frozenset({"schedule"}),
            ),
            scheduling_pods.NO_FAILURE_OF_BOUND.name: (bound, frozenset({records})),
        }

    def broken(self, by: Mapping[str, OfStep], before: Cells, taken: Cells, after: Cells) -> BoolRef:
        one, other = self.view(before), self.view(after)
        chosen = zip(self.steps.every, taken, strict=True)
        return formula(any_of(*(all_of(bit, by[a.name](one, other)) for a, bit in chosen if a.name in by)))

    def taken(self, names: frozenset[str], before: Cells, taken: Cells, after: Cells) -> BoolRef:
        chosen = zip(self.steps.every, taken, strict=True)
        return formula(any_of(*(bit for action, bit in chosen if action.name in names)))


def _left_over(v: View) -> Bit:
    """Nominated to a node, bound in the store, and nothing about it is under way."""
    quiet = negate(any_of(v.busy, *(event.here for event in v.watch)))
    return all_of(any_of(*v.nominated[:-1]), v.known, v.listed.bound, quiet)
