"""Runs of the system queueing-hints with one pod as Z3 formulas: one transition formula, the properties negated.

Covered are scopes in the coarse grain without the clock. Tests compare every step from the states of
small scopes, and see to it that no run there needs a longer watch or a longer list.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

from attrs import define, fields
from z3 import Bool, BoolRef, substitute

from model.systems.queueing_hints import QueueingHints, QueueingHintsRules, QueueingHintsScope
from properties.forms import without_form
from properties.queueing_hints import in_flight as props
from properties.smt.bits import Bit, all_of, any_of, exactly_one, formula, negate, same
from properties.smt.form import Cells
from properties.smt.parts import Shape, flat, names
from properties.smt.queueing_hints.one_pod import BINDING, COUNTED, CYCLE, PATCH_AND_DONE, View, nothing, view
from properties.smt.queueing_hints.one_pod_queue import CALLED, TABLES
from properties.smt.queueing_hints.one_pod_steps import Steps
from properties.smt.queueing_hints.timeline_steps import two_designs

COVERED = ("pods", "plugins", "goroutines", "gate", "graceful", *COUNTED)
# Powers by which a binding fails. Then two bindings of one pod may be under way, if the scope lets them.
FAIL = ("deletes", "bind_errors", "lost_replies")

OfState = Callable[[View], Bit]


def not_covered(scope: QueueingHintsScope, rules: QueueingHintsRules) -> str | None:
    """Why there are no formulas for runs, or None."""
    if scope.pods > 1:
        return "the formulas for runs know one pod: give --scope pods=1"
    for each in fields(QueueingHintsScope):
        if each.name not in COVERED and getattr(scope, each.name):
            return f"the formulas for runs have no {each.name}: give --scope {each.name}=0"
    if scope.goroutines > 1 and any(getattr(scope, power) for power in FAIL):
        return f"the formulas for runs have one binding at a time: give --scope goroutines=1, or no {', '.join(FAIL)}"
    unknown = without_form(rules, TABLES, CALLED)
    return two_designs(rules) if unknown is None else f"the rule {unknown} has no Z3 formula for runs"


@define(frozen=True, slots=False)
class Runs:
    """The formulas of one scope."""

    steps: Steps

    @cached_property
    def _empty(self) -> View:
        return nothing(self.steps.scope, len(self.steps.kinds))

    @cached_property
    def _shape(self) -> Shape[View]:
        return Shape(self._empty)

    def cells(self, tag: str) -> Cells:
        return tuple(Bool(f"{name}@{tag}") for name in names(self._empty))

    def view(self, cells: Cells) -> View:
        return self._shape.view(cells)

    def initial(self, cells: Cells) -> BoolRef:
        return formula(all_of(*map(same, cells, flat(self._empty))))

    def pin(self, cells: Cells, state: QueueingHints) -> BoolRef:
        bits = flat(view(self.steps.scope, self.steps.kinds, self.steps.awaited, state))
        return formula(all_of(*map(same, cells, bits)))

    def enabled(self, cells: Cells, i: int) -> BoolRef:
        may, _ = list(self.steps.every.values())[i]
        return formula(may(self.view(cells)))

    def transition(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        """Made once, with cells of its own, since so many formulas take Python their time."""
        variables, made = self._made
        return substitute(made, *zip(variables, (*before, *taken, *after), strict=True))

    @cached_property
    def _made(self) -> tuple[Cells, BoolRef]:
        before, after = self.cells("before"), self.cells("after")
        taken = tuple(Bool(f"taken.{i}") for i in range(len(self.steps.every)))
        return (*before, *taken, *after), self._transition(before, taken, after)

    def _transition(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        """The last places of watch and list stay free: what needs more is not looked at."""
        now, then = self.view(before), self.view(after)
        parts: list[Bit] = [exactly_one(taken), negate(then.watch[-1].here), negate(then.elements[-1].here)]
        reached: list[list[Bit]] = [[] for _ in after]
        for indicator, (may, leads) in zip(taken, self.steps.every.values(), strict=True):
            parts.append(any_of(negate(indicator), may(now)))
            for values, bit in zip(reached, flat(leads(now)), strict=True):
                values.append(all_of(indicator, bit))
        parts += [same(cell, any_of(*values)) for cell, values in zip(after, reached, strict=True)]
        return formula(all_of(*parts))

    def of_states(self) -> Mapping[str, tuple[OfState, OfState]]:
        """By property of a state, or of the state after a step: that it is violated, and that its premise is met."""
        return {
            props.ONE_ELEMENT.name: (_not_once, lambda v: any_of(*_pods(v))),
            props.ENDS_WITH_CYCLE.name: (lambda v: all_of(v.flying, negate(v.running)), lambda v: v.flying),
            props.NOTHING_RETAINED.name: (_kept_for_nobody, lambda v: negate(v.flying)),
            props.BEGINS_WITH_POD.name: (_begins_wrong, lambda v: any_of(*_pods(v))),
            props.DONE_BEFORE_BIND.name: (
                lambda v: all_of(v.binding[BINDING.index("bind")], v.flying),
                lambda v: v.binding[BINDING.index("bind")],
            ),
        }

    def of_states_after(self) -> Mapping[str, tuple[OfState, OfState]]:
        """The same of the properties that are asked in every step of the state that the step leads to."""
        return {
            props.SINCE_POP.name: (lambda v: all_of(v.running, negate(v.flying)), lambda v: v.running),
            props.RETAINED.name: (_kept_in_vain, lambda v: any_of(*_events(v))),
        }

    def done_again(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        """Done is called of an attempt that has called Done, and takes the pod out of flight."""
        now, then = self.view(before), self.view(after)
        by_cycle = all_of(self._handler_calls_done(now, taken, then, of_binding=False), now.done)
        by_binding = all_of(self._handler_calls_done(now, taken, then, of_binding=True), now.binding_done)
        once_more = all_of(self._takes("done_again", taken, of_binding=True), now.binding_done)
        return formula(all_of(any_of(by_cycle, by_binding, once_more), now.flying, negate(then.flying)))

    def goes_back(self, before: Cells, taken: Cells, after: Cells) -> BoolRef:
        """Done of a failed pod is called, or once more."""
        now, then = self.view(before), self.view(after)
        handlers = (self._handler_calls_done(now, taken, then, of_binding=each) for each in (False, True))
        return formula(any_of(*handlers, self._takes("done_again", taken, of_binding=True)))

    def _handler_calls_done(self, now: View, taken: Cells, then: View, *, of_binding: bool) -> Bit:
        """The failure handler calls Done of a pod that goes back, or at its end."""
        kinds = BINDING if of_binding else CYCLE
        at = kinds.index(PATCH_AND_DONE)
        due, left = (each.binding[at] if of_binding else each.at[at] for each in (now, then))
        requeues, patches = (self._takes(name, taken, of_binding=of_binding) for name in ("requeue", "patch_failure"))
        return any_of(all_of(requeues, negate(left)), all_of(patches, due))

    def _takes(self, name: str, taken: Cells, *, of_binding: bool) -> Bit:
        every = zip(self.steps.every, taken, strict=True)
        return any_of(*(bit for a, bit in every if a.name == name and ("by" in dict(a.args)) == of_binding))


def _pods(v: View) -> list[Bit]:
    return [all_of(each.here, each.popped) for each in v.elements]


def _events(v: View) -> list[Bit]:
    return [all_of(each.here, negate(each.popped)) for each in v.elements]


def _not_once(v: View) -> Bit:
    pods = _pods(v)
    twice = any_of(*(all_of(a, b) for i, a in enumerate(pods) for b in pods[:i]))
    return any_of(twice, all_of(any_of(*pods), negate(v.flying)))


def _kept_for_nobody(v: View) -> Bit:
    return all_of(negate(v.flying), v.elements[0].here)


def _begins_wrong(v: View) -> Bit:
    return all_of(any_of(*_pods(v)), negate(all_of(v.elements[0].popped, v.flying)))


def _kept_in_vain(v: View) -> Bit:
    """More events are kept than awaited ones came to any attempt that is still to call Done."""
    kept = _unary(_events(v))
    most = tuple(any_of(a, b) for a, b in zip(v.came, v.binding_came, strict=True))
    return any_of(*(all_of(a, negate(b)) for a, b in zip(kept, most, strict=True)))


def _unary(bits: list[Bit]) -> list[Bit]:
    """As many true bits as in `bits`, from the first on."""
    found: list[Bit] = [False] * len(bits)
    for bit in bits:
        found = [any_of(each, all_of(bit, found[i - 1] if i else True)) for i, each in enumerate(found)]
    return found
