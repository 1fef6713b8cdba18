"""The table of fields: which property would notice a wrong value in a field of the state.

Of states that a search reached, one field of one record is given a value that the field has elsewhere. A property
notices the wrong value if the property is violated in this state, in the step that leads there, or in a step from
there, and was not violated before. Pure.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import cattrs
from attrs import Factory, define, evolve, fields, frozen, has

from kubeproof.engines.explicit import Limits, explore
from kubeproof.store.results import Kept
from kubeproof.store.store import InForce, Store
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from model.machine import Action, Machine
from model.releases import parse_release, rules_for
from properties.property import Invariant, Liveness, Property, StepInvariant

STATES = 2_000  # of each search
SAMPLED = 120  # states of each search in which values are changed
STEPS = 5  # of each of these states
AFTERWARDS = 4  # steps that are taken from a state with a wrong value
VALUES = 12  # that are kept of each field
# Wrong values of one field in one search: of a field in which somebody has noticed some, and of any other.
FEW_TRIES, TRIES = 40, 250

# The class of a record and the name of the field: "Queue.backoff".
Field = str
# Where a record is in a state: names of fields and places in tuples.
Way = tuple[str | int, ...]


@frozen
class FieldRow:
    """What is known of one field."""

    field: Field
    # The properties that notice a wrong value.
    properties: tuple[str, ...]
    # Why no property has to notice one; "" if some do, or if nobody has said why.
    reason: str
    # Whether the field has another value in some state, so that a wrong value could be tried.
    varies: bool


def records(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """Every record in `value`, itself first, and where it is."""
    if isinstance(value, tuple):
        for i, each in enumerate(value):
            yield from records(each, (*way, i))
    elif has(type(value)):
        yield way, value
        for field in fields(type(value)):
            yield from records(getattr(value, field.name), (*way, field.name))


def changed(value: Any, way: Way, field: str, new: Any) -> Any:
    """`value` with `new` in the field of the record at `way`."""
    if not way:
        return evolve(value, **{field: new})
    first, *rest = way
    if isinstance(first, int):
        kept = [*value[:first], changed(value[first], tuple(rest), field, new), *value[first + 1 :]]
        return type(value)(kept)
    return evolve(value, **{first: changed(getattr(value, first), tuple(rest), field, new)})


@define
class _Search:
    """The states of one scope, and the properties as they are asked there."""

    machine: Machine[Any]
    properties: Sequence[Property]
    # Field -> values that it has in some state.
    values: dict[Field, list[Any]] = Factory(dict)
    # Field -> how many wrong values were tried.
    tried: dict[Field, int] = Factory(dict)
    # Field -> the properties that noticed a wrong value, in this search or in an earlier one.
    found: dict[Field, set[str]] = Factory(dict)

    def run(self) -> None:
        """Fill `found` and `tried`."""
        run = explore(self.machine, symmetry=True, limits=Limits(states=STATES))
        count = run.counts.distinct
        states = [run.state(number) for number in range(0, count, max(1, count // SAMPLED))]
        for state in states:
            for _, record in records(state):
                for field in fields(type(record)):
                    known = self.values.setdefault(f"{type(record).__name__}.{field.name}", [])
                    value = getattr(record, field.name)
                    if len(known) < VALUES and value not in known:
                        known.append(value)
        # The first transitions of all states, then the second ones: what is tried is spread over the states.
        for nth in range(STEPS):
            for state in states:
                for action in islice(self.machine.actions(state), nth, nth + 1):
                    self._look(state, action, self.machine.step(state, action))

    def _look(self, before: Any, action: Action, after: Any) -> None:
        right = self._violated(before, action, after)
        for way, record in records(after):
            for field in fields(type(record)):
                name = f"{type(record).__name__}.{field.name}"
                noticed, tried = self.found.setdefault(name, set()), self.tried.get(name, 0)
                others = [value for value in self.values.get(name, ()) if value != getattr(record, field.name)]
                if others and tried < (FEW_TRIES if noticed else TRIES):
                    self.tried[name] = tried + 1
                    try:
                        wrong = changed(after, way, field.name, others[tried % len(others)])
                    except ValueError:  # a record of which the value cannot be a part
                        continue
                    noticed |= self._violated(before, action, wrong) - right

    def _violated(self, before: Any, action: Action, after: Any) -> set[str]:
        """The properties that are violated in `after`, in the step to it, or in the first steps from it."""
        steps = [(before, action, after)]
        try:
            enabled = list(self.machine.actions(after))
            some = enabled[:: -max(1, len(enabled) // AFTERWARDS)][:AFTERWARDS]
            steps += [(after, each, self.machine.step(after, each)) for each in some]
        except Exception:  # a state with a wrong value may mean nothing to the machine
            steps = steps[:1]
        return {p.name for p in self.properties if self._wrong(p, steps, after)}

    def _wrong(self, p: Property, steps: Sequence[tuple[Any, Action, Any]], after: Any) -> bool:
        try:
            if isinstance(p, Invariant):
                return any(not p.holds(state) for _, _, state in steps)
            if isinstance(p, StepInvariant):
                return any(action.name in p.actions and not p.holds(a, action, b) for a, action, b in steps)
            assert isinstance(p, Liveness)
            return any(p.premise(after, e) and not p.goal(after, e) for e in p.entities(self.machine.sorts))
        except Exception:
            return False


def noticed(name: str, store: Store | None = None) -> list[FieldRow]:
    """The rows of the system `name`, in its default scope and in those in which a fix is judged.

    If `store` has them, nothing is searched.
    """
    system = system_named(name)
    in_force = [rules_for(system.rules_class, parse_release(each, system.minors)) for each in system.noticed_in]
    scopes = (system.scope, *system.scopes.fix_narrow)
    if store is None:
        return noticed_in(system, in_force, scopes)
    # Wrong values of one search are tried in the next one, so they depend on all of the rules.
    choices = [InForce(store.digests, rules).all for rules in in_force]
    kept = Kept(store, "wrong values", system, in_force[0], scopes, choices, system.unnoticed)
    found = kept.found(*system.properties)
    if found is not None:
        with suppress(cattrs.errors.BaseValidationError):
            return cattrs.structure(found.value, list[FieldRow])
    rows = noticed_in(system, in_force, scopes)
    kept.keep({system.properties: cattrs.unstructure(rows)}, ())
    return rows


def noticed_in(system: System, in_force: Sequence[Any], scopes: Sequence[Any]) -> list[FieldRow]:
    """A row for each field of each record that some state of some of `scopes` has under some of the rules."""
    found: dict[Field, set[str]] = {}
    varies: set[Field] = set()
    for rules in in_force:
        for scope in scopes:
            machine = system.machine(scope, rules)
            search = _Search(machine, [p.of(machine) for p in system.properties], found=found)
            search.run()
            varies |= search.tried.keys()
    reasons = system.unnoticed
    return [
        FieldRow(
            name,
            tuple(p.name for p in system.properties if p.name in properties),
            "" if properties else reasons.get(name, ""),
            name in varies,
        )
        for name, properties in sorted(found.items())
    ]
