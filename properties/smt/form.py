"""What the Z3 engine knows of a system: variables, formulas, actions and proof obligations; nothing of the model.

A system's encoder (`encode` in its module beside this one) turns a scope and a choice of rules into a `SmtForm`, or
into one line that says why it cannot. A state is a tuple of Bools ("cells"): Z3's fastest form for finite machines.

A rule from outside has no formula, unless the file that defines it brings one: a function named `<field>_smt` beside
the function `<field>` (`list_nodes_smt` beside `list_nodes`). The encoder's `fix_forms` takes such functions by the
field's name; the encoder's docstring gives their signature. Every counterexample that Z3 finds is replayed on the
Python machine, so a form that says something else than its function is found out when it accuses; when it says
`holds`, the claim's `form` tells that the formula, not the function, was judged.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal

from attrs import Factory, frozen
from z3 import BoolRef, BoolVal

from model.machine import Action
from properties.property import Liveness, Property

Cells = tuple[BoolRef, ...]
Reading = Literal["unsat", "sat"]


class FormError(ValueError):
    """A formula of a fix does not have the shape that it must have. The text is one line."""


@frozen
class Obligation:
    """One query of a proof."""

    name: str
    # Gives the formulas.
    build: Callable[[], list[BoolRef]]
    # The answer that the proof needs. `unsat`: the formulas are the negated claim, so a model refutes the claim. `sat`:
    # the formulas are a premise, which must not be empty.
    expected: Reading
    # Prints a model as concrete numbers.
    show: Callable[[Any], str]


@frozen
class Proof:
    """Obligations that together establish some properties for every size."""

    name: str
    # For the name of each property that is established: why this property follows.
    applies: Mapping[str, str]
    obligations: tuple[Obligation, ...]
    # The figures of the claim.
    details: Mapping[str, Any]
    # For each power of the environment that is off: the same proof with this power on besides, or why there is none.
    besides: Mapping[str, Callable[[], "Proof | str"]] = Factory(dict)
    # The same proof with all of those powers on, if a step that one power has is never taken away by another. Then what
    # is `unsat` with all powers is `unsat` with each: no step breaks a lemma, and nothing is violated. A premise
    # that is `sat` with all powers need not be `sat` with each. None: nothing is known of all together.
    together: "Callable[[], Proof | str] | None" = None


def allowed_powers(off: Iterable[str]) -> str:
    """The figure `powers` of a proof: which powers of the environment it allows, those of `off` being off."""
    names = " ".join(off)
    return f"all but {names}" if names else "all"


@frozen(kw_only=True)
class SmtForm:
    """A system in one scope under one choice of rules, as formulas. The variables of one state are its cells."""

    # (tag): fresh cells of one state. Their names end in the tag.
    cells: Callable[[str], Cells]
    # (cells): the state is an initial state.
    initial: Callable[[Cells], BoolRef]
    # Every instance of an action in the scope.
    actions: tuple[Action, ...]
    # (cells, i): `actions[i]` is enabled.
    enabled: Callable[[Cells, int], BoolRef]
    # (before, taken, after): exactly one indicator of `taken` is true, and its action is enabled and leads to `after`.
    transition: Callable[[Cells, Cells, Cells], BoolRef]
    # (cells, state): the cells have the values of this Python state.
    pin: Callable[[Cells, Any], BoolRef]
    # By the property's name: (cells) for an invariant, (before, taken, after) for a step invariant, (cells, entity) for
    # a liveness property, where the formula says that the goal does not hold of the entity.
    violations: Mapping[str, Callable[..., BoolRef]]
    # With the same keys and arguments: the premise of the property.
    premises: Mapping[str, Callable[..., BoolRef]]
    # By the property's name: why there is no formula.
    unsupported: Mapping[str, str] = Factory(dict)
    # What holds for every size under these rules.
    proofs: tuple[Proof, ...] = ()
    # The rule fields whose formula came with a fix.
    from_outside: tuple[str, ...] = ()
    # How many actions bounded model checking looks at unless the caller says otherwise.
    depth: int = 7

    def decode(self, model: Any, taken: Cells) -> Action:
        """The action whose indicator is true in a Z3 model."""
        for action, indicator in zip(self.actions, taken, strict=True):
            if model.eval(indicator, model_completion=True):
                return action
        raise AssertionError("the transition formula lets a step take no action")


def without_runs(
    properties: Iterable[Property], reason: str, proofs: tuple[Proof, ...], from_outside: tuple[str, ...] = ()
) -> SmtForm:
    """The form of a system of which only the proofs apply. `reason`: why it has no runs."""
    return SmtForm(
        cells=lambda tag: (),
        initial=lambda cells: BoolVal(True),
        actions=(),
        enabled=lambda cells, i: BoolVal(False),
        transition=lambda before, taken, after: BoolVal(False),
        pin=lambda cells, state: BoolVal(True),
        violations={},
        premises={},
        unsupported={p.name: reason for p in properties},
        proofs=proofs,
        from_outside=from_outside,
    )


NOT_WRITTEN = "its formula is not written: ask the explicit engine"


def unwritten(
    properties: Iterable[Property], written: Collection[str], not_kept: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Of the properties that are not `written`, why. `not_kept`: what the formulas leave out, by the property."""
    return {
        p.name: "no formula for what must happen in the end: ask the explicit engine"
        if isinstance(p, Liveness)
        else (not_kept or {}).get(p.name, NOT_WRITTEN)
        for p in properties
        if p.name not in written
    }
