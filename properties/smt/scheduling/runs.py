"""Runs of the system scheduling with one pod as Z3 formulas: one transition formula, the properties negated.

Covered are scopes with one pod and none of the environment's powers but the extender and preemption, in the coarse
grain: what NOM-EXT-LEAK takes. Tests compare every reachable step, and see to it that no run needs a longer watch.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

from attrs import define, fields
from z3 import BoolRef

from model.scheduler.queue.hints import gate_stays_on
from model.systems.scheduling import Scheduling, SchedulingRules, SchedulingScope
from properties.forms import rule_name, without_form
from properties.scheduling import nominations as scheduling_nominations, pods as scheduling_pods
from properties.smt.bits import Bit, all_of, any_of, exactly_one, formula, negate, same
from properties.smt.form import Cells
from properties.smt.parts import Shape, flat
from properties.smt.scheduling.forms import RUNS
from properties.smt.scheduling.one_pod import KINDS, View, fresh, nothing, view
from properties.smt.scheduling.one_pod_steps import Steps

MAX_NODES, MAX_GOROUTINES = 3, 3
SIZES = ("pods", "high", "nodes", "room", "goroutines")
COVERED = (*SIZES, "extender", "preemption")

OfState = Callable[[View], Bit]
OfStep = Callable[[View, View], Bit]


def not_covered(scope: SchedulingScope, rules: SchedulingRules) -> str | None:
    """Why there are no formulas for runs, or None."""
    if scope.pods > 1:
        return "the formulas for runs know one pod: give --scope pods=1"
    for each in fields(SchedulingScope):
        if each.name not in COVERED and getattr(scope, each.name):
            return f"the formulas for runs have no {each.name}: give --scope {each.name}=0"
    if scope.nodes > MAX_NODES or scope.goroutines > MAX_GOROUTINES:
        return f"the formulas for runs are made for {MAX_NODES} nodes and {MAX_GOROUTINES} goroutines at most"
    if rules.hints_stay_on is gate_stays_on:
        return f"the formulas for runs have no pods in flight, which hints_stay_on={rule_name(gate_stays_on)} brings"
    unknown = without_form(rules, RUNS)
    return None if unknown is None else f"the rule {unknown} has no Z3 formula for runs"


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

    @cached_property
    def _shape(self) -> Shape[View]:
        return Shape(self._empty)

    def cells(self, tag: str) -> Cells:
        return tuple(fresh(self.scope, tag))

    def view(self, cells: Cells) -> View:
        return self._shape.view(cells)

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
        return {
            scheduling_nominations.NOMINATED_IS_PENDING.name: (_left_over, lambda v: any_of(*v.nominated)),
            scheduling_pods.ONE_PLACE.name: (
                lambda v: all_of(any_of(v.active, v.waiting), any_of(_in_cycle(v), *v.binding)),
                lambda v: any_of(*v.at, *v.binding),
            ),
            scheduling_pods.ONE_ATTEMPT.name: (
                lambda v: all_of(_in_cycle(v), any_of(*v.binding)),
                lambda v: all_of(any_of(*v.at), any_of(*v.binding)),
            ),
        }

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


def _in_cycle(v: View) -> Bit:
    """The scheduling cycle still places the pod. A binding goroutine always does, as no binding is refused here."""
    return any_of(*(v.at[KINDS.index(kind)] for kind in ("schedule", "assume")))


def _left_over(v: View) -> Bit:
    """Nominated to a node, bound in the store, and nothing about it is under way."""
    quiet = negate(any_of(v.busy, *(event.here for event in v.watch)))
    return all_of(any_of(*v.nominated[:-1]), v.known, v.listed.bound, quiet)
