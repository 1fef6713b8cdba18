"""What an engine must know to put a system to TLC: modules, constants, property operators, how a state reads.

A form is made for one scope and one choice of rules. Rules that TLA+ cannot express make a form with a `reason`.
"""

from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

from attrs import Factory, field, frozen

Kind = Literal["invariant", "step", "liveness"]


@frozen
class TlaProperty:
    """`operator` of the module states the property: a state predicate (invariant) or a temporal formula (others)."""

    kind: Kind
    operator: str


@frozen(kw_only=True)
class TlaForm:
    """A system in a scope under its rules, as TLC takes it.

    `module` is the root module, `modules` the .tla files that it needs (its own included), `extra_modules` files from
    outside that it is to be extended with: a fix's operators. `constants` are the lines of a .cfg that follow
    CONSTANTS. `properties` gives the operator for each property name. `init`, `next_state`, `spec` name operators
    (`spec` with its fairness), `symmetry` one for SYMMETRY, None when rules may tell identifiers apart.
    `decode` makes the machine's state of a TLA+ state: variable to value, where sequences are tuples, sets are
    frozensets, records and other functions are mappings, strings and model values are str.
    `unsupported` says why a property has no operator under these rules.
    `reason` says why these rules have no TLA+ form; then nothing else is of use.
    """

    module: str
    modules: tuple[Traversable, ...] = ()
    extra_modules: tuple[Path, ...] = ()
    constants: tuple[str, ...] = ()
    properties: Mapping[str, TlaProperty] = Factory(dict)
    unsupported: Mapping[str, str] = Factory(dict)
    decode: Callable[[Mapping[str, Any]], Any] = field(default=dict)
    init: str = "Init"
    next_state: str = "Next"
    spec: str = "Spec"
    symmetry: str | None = None
    reason: str | None = None
