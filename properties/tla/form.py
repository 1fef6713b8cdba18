"""What an engine must know to put a system to TLC: modules, constants, property operators, how a state reads.

A form is made for one scope and one choice of rules. Rules that TLA+ cannot express make a form with a `reason`.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal, Protocol

from attrs import Factory, field, frozen

from properties.forms import Forms, NoFormError, Rule

Kind = Literal["invariant", "step", "liveness"]


class Module(Protocol):
    """A .tla file: a path, or what was read."""

    @property
    def name(self) -> str: ...

    def read_text(self, encoding: str) -> str: ...


@frozen
class TlaProperty:
    """A property as the module states it."""

    kind: Kind
    # The operator: a state predicate for an invariant, a temporal formula for the other kinds.
    operator: str


@frozen(kw_only=True)
class TlaForm:
    """A system in a scope under its rules, as TLC takes a system."""

    # The root module.
    module: str
    # The .tla files that the root module needs, its own file included.
    modules: tuple[Traversable, ...] = ()
    # The .tla files of a fix, which extend the root module.
    extra_modules: tuple[Module, ...] = ()
    # The lines of a .cfg after CONSTANTS.
    constants: tuple[str, ...] = ()
    # The operator of each property, by the property's name.
    properties: Mapping[str, TlaProperty] = Factory(dict)
    # By the property's name: why there is no operator under these rules.
    unsupported: Mapping[str, str] = Factory(dict)
    # Makes the machine's state from a TLA+ state: a mapping from each variable to its value. Sequences are tuples, sets
    # are frozensets, records and functions are mappings, strings and model values are str.
    decode: Callable[[Mapping[str, Any]], Any] = field(default=dict)
    # The names of operators. `spec` includes fairness.
    init: str = "Init"
    next_state: str = "Next"
    spec: str = "Spec"
    # The operator for SYMMETRY; None if rules may tell identifiers apart.
    symmetry: str | None = None
    # Why these rules have no TLA+ form; then no other field is used.
    reason: str | None = None


@frozen
class RuleConstant:
    """A constant operator that the modules leave open for a rule, such as NominatorAddRule."""

    # The constant's name, which ends in Rule.
    name: str
    # The operator that says the same as each built-in rule.
    operators: Forms[str]
    # What the operator is called that a fix brings.
    own: str

    @classmethod
    def of(cls, name: str, field: str, operators: Mapping[Rule, str], own: str | None = None) -> "RuleConstant":
        """For the rule `field`. Unless `own` says otherwise, a fix's operator is FixedX for the constant XRule."""
        return cls(name, Forms(field, operators), own or f"Fixed{name.removesuffix('Rule')}")


@frozen
class Substitution:
    """What stands for the constants under one choice of rules."""

    # The operator, by the constant's name.
    operators: Mapping[str, str]
    # The modules of a fix that have some of the operators.
    brought: tuple[Module, ...]

    @property
    def lines(self) -> list[str]:
        """The lines of a .cfg."""
        return [f"  {constant} <- {operator}" for constant, operator in self.operators.items()]


def substituted(constants: Iterable[RuleConstant], rules: object, modules: Mapping[str, Module]) -> Substitution:
    """The operators for `rules`. `modules`: by field, a fix's .tla file that says the same as its rule.

    Raises NoFormError for a rule that has neither an operator nor a file.
    """
    operators: dict[str, str] = {}
    brought: list[Module] = []
    for constant in constants:
        rule_field = constant.operators.field
        if constant.operators.has(rules) or rule_field not in modules:
            operators[constant.name] = constant.operators.of(rules)
        else:
            operators[constant.name] = constant.own
            brought.append(modules[rule_field])
    return Substitution(operators, tuple(dict.fromkeys(brought)))


def form_under(
    rules: object,
    brought: Mapping[str, Module] | None,
    rule_constants: Iterable[RuleConstant],
    *,
    module: str,
    modules: Iterable[str],
    constants: Iterable[str],
    properties: Mapping[str, TlaProperty],
    decode: Callable[[Mapping[str, Any]], Any],
    interchangeable: bool,
    unsupported: Mapping[str, str] | None = None,
) -> TlaForm:
    """The form of a system under `rules`, or the reason that a rule has no operator.

    `brought`: by field, the .tla files of a fix; `rule_constants`: the constants that the modules leave open for rules;
    `modules`: the files of specs/; `constants`: the lines of a .cfg for all other constants. `interchangeable`: whether
    identifiers may be exchanged. With operators from outside they may not: a CHOOSE in them may prefer a name.
    """
    try:
        substitution = substituted(rule_constants, rules, brought or {})
    except NoFormError as error:
        return TlaForm(module=module, reason=f"the rule {error} has no operator, and comes without a .tla file")
    return TlaForm(
        module=module,
        modules=tuple(files("specs") / name for name in modules),
        extra_modules=substitution.brought,
        constants=(*constants, *substitution.lines),
        properties=properties,
        unsupported=unsupported or {},
        decode=decode,
        symmetry="Symmetry" if interchangeable and not substitution.brought else None,
    )
