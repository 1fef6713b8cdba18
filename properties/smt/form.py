"""What the Z3 engine knows of a system: variables, formulas, actions and proof obligations; nothing of the model.

A system's encoder (`encode` in its module beside this one) turns a scope and a choice of rules into a `SmtForm`, or
into one line that says why it cannot. A state is a tuple of Bools ("cells"): Z3's fastest form for finite machines.

A rule from outside has no formula, unless the file that defines it brings one: a function named `<field>_smt` beside
the function `<field>` (`list_nodes_smt` beside `list_nodes`). The encoder's `fix_forms` takes such functions by the
field's name; the encoder's docstring gives their signature. Every counterexample that Z3 finds is replayed on the
Python machine, so a form that says something else than its function is found out when it accuses; when it says
`holds`, the claim's `form` tells that the formula, not the function, was judged.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from attrs import Factory, frozen
from z3 import BoolRef

from model.machine import Action

Cells = tuple[BoolRef, ...]
Reading = Literal["unsat", "sat"]


class FormError(ValueError):
    """A formula that came from outside has not the shape it must have; one line."""


@frozen
class Obligation:
    """One query of a proof. `build()` gives the formulas; `expected` is the answer under which the proof stands.

    `unsat`: the negated claim, so a model refutes it. `sat`: a check that a premise is not vacuous. `show(model)`
    prints a model as concrete numbers.
    """

    name: str
    build: Callable[[], list[BoolRef]]
    expected: Reading
    show: Callable[[Any], str]


@frozen
class Proof:
    """The obligations that together establish the properties named as keys of `applies`, for every size.

    The values of `applies` say why the property follows. `details` are the figures of the claim.
    """

    name: str
    applies: Mapping[str, str]
    obligations: tuple[Obligation, ...]
    details: Mapping[str, Any]


@frozen(kw_only=True)
class SmtForm:
    """A system in one scope under one choice of rules, as formulas.

    `cells(tag)`: fresh variables of one state, their names ending in `tag`. `initial(cells)`: it is an initial
    state. `actions`: every action instance of the scope. `enabled(cells, i)`: `actions[i]` is enabled.
    `transition(before, taken, after)`: exactly one indicator of `taken` is true, its action is enabled, and it leads to
    `after`. `pin(cells, state)`: the cells are those of this Python state.

    `violations[property]` is, by the property's kind, `f(cells)` for an invariant, `f(before, taken, after)` for a step
    invariant, and for a liveness property `f(cells, entity)`: the goal does not hold of `entity`.
    `premises` has the same keys and arguments: it is a state or step that the property speaks of, as its Python
    `premise` says. `unsupported[property]`: why there is no violation formula. `proofs`: what holds for every
    size under these rules. `from_outside`: the rule fields whose formula came with a fix. `depth`: how many actions
    bounded model checking unrolls unless it is told otherwise.
    """

    cells: Callable[[str], Cells]
    initial: Callable[[Cells], BoolRef]
    actions: tuple[Action, ...]
    enabled: Callable[[Cells, int], BoolRef]
    transition: Callable[[Cells, Cells, Cells], BoolRef]
    pin: Callable[[Cells, Any], BoolRef]
    violations: Mapping[str, Callable[..., BoolRef]]
    premises: Mapping[str, Callable[..., BoolRef]]
    unsupported: Mapping[str, str] = Factory(dict)
    proofs: tuple[Proof, ...] = ()
    from_outside: tuple[str, ...] = ()
    depth: int = 7

    def decode(self, model: Any, taken: Cells) -> Action:
        """The action whose indicator is true in a Z3 model."""
        for action, indicator in zip(self.actions, taken, strict=True):
            if model.eval(indicator, model_completion=True):
                return action
        raise AssertionError("the transition formula lets a step take no action")
