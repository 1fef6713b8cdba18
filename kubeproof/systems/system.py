"""What a system is: its machine, scopes, rules, properties, its TLA+ and Z3 forms, and its words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cattrs
from attrs import Factory, fields, frozen

from kubeproof.errors import InputError, not_one_of
from kubeproof.systems.gates_taken import GateTaken
from kubeproof.systems.picture import Picture
from kubeproof.systems.read_fields import ReadField, left_out
from kubeproof.systems.scopes import Counted, Scopes
from kubeproof.visible import shortened
from model.machine import Action, Machine
from model.places import Place, place_in
from model.releases import KNOWN_MINORS, Release, knows, rows_of, rules_for
from properties.effect import Effect, Reached
from properties.property import Property
from properties.tla.form import Module, TlaForm

if TYPE_CHECKING:
    from properties.smt.form import SmtForm

Rule = Callable[..., Any]

# What is said of one subject of a state: a text, or a list of which a reader wants to know what came and what went.
Fact = str | tuple[str, ...]
# By subject ("queue: activeQ"), in the order in which they are shown. A subject that is not there is not in it.
Facts = dict[str, Fact]


def fact_text(fact: Fact) -> str:
    """
    >>> fact_text(("pending", "terminating"))
    'pending, terminating'
    """
    if isinstance(fact, str):
        return fact
    return ("; " if any(", " in item for item in fact) else ", ").join(fact)


@frozen
class Repair:
    """A rule that no modelled release has, and that takes a documented bug away.

    A bug that no release cures is told from others by its repair. Nobody proposes a repair as a fix: its only use is to
    name a violation.
    """

    # The id of the bug, e.g. "QUEUE-INFLIGHT-DUP".
    bug: str
    # The rule field.
    field: str
    # The rule of a release that has the bug.
    faulty: Rule
    # The same rule without the bug.
    rule: Rule


def rules_of(mutants: Mapping[str, Sequence[Rule]], repairs: Iterable[Repair] = ()) -> tuple[Rule, ...]:
    """All rules of a table of mutants, and of `repairs`."""
    return (*(rule for rules in mutants.values() for rule in rules), *(repair.rule for repair in repairs))


@frozen
class System:
    """What the commands, engines and reports know of a system."""

    name: str
    # One line, for `kubeproof list`.
    summary: str
    # Its fields are the bounds of the system.
    scope_class: type[Any]
    # Its fields are the rules that releases differ in.
    rules_class: type[Any]
    # (scope, rules) -> the system in that scope under these rules.
    machine: Callable[[Any, Any], Machine[Any]]
    properties: tuple[Property, ...]
    # The scopes of the system, by purpose.
    scopes: Scopes
    # What specs/manifest.json counts of the system.
    counted: Counted
    # Action name -> the Go function behind the action, release by release.
    places: Mapping[str, Place]
    # (scope, rules, what a fix brings for its own rules) -> the system in the language of TLC.
    tla_form: Callable[[Any, Any, Mapping[str, Module]], TlaForm]
    # The same in the language of Z3, or why there is none.
    smt_form: Callable[[Any, Any, Mapping[str, Any]], SmtForm | str]
    # (before, action, after) -> what happened, in the words of Kubernetes: one sentence.
    sentence: Callable[[Any, Action, Any], str]
    # A state in the words of Kubernetes. Whatever an action changes shows in them.
    facts: Callable[[Any], Facts]
    # What else differs between two choices of rules, over states of some scopes.
    effects: Callable[[Iterable[Reached]], list[Effect]]
    # The first state of a run -> what is so from the start and does not go without saying: sentences, or "".
    beginning: Callable[[Any], str] = lambda state: ""
    # How its runs are drawn.
    picture: Picture = Picture()
    # (rules before, rules after) -> what else a change of rules does where no scope leads. Raises what a rule raises.
    effects_alone: Callable[[Any, Any], list[Effect]] = lambda before, after: []
    # The powers that act in a run without an action that shows them.
    options: Collection[str] = ()
    # (scope, actions of a run) -> the other powers of the environment that the run makes use of.
    powers_taken: Callable[[Any, Iterable[Action]], Iterable[str]] = lambda scope, actions: ()
    # When what is broken is whole again: after how many repetitions of the last action; None stands for never.
    describe_back: Callable[[int | None], str] = lambda times: "never" if times is None else f"with {times} more"
    # (component, operation) of a recording -> the action that the operation is.
    recorded: Mapping[tuple[str, str], str] = Factory(dict)
    # (scope, rules) -> actions that both leave out: that nobody took them says nothing.
    never_offered: Callable[[Any, Any], frozenset[str]] = lambda scope, rules: frozenset()
    # The systems that this one extends: what is asked about rules of those is asked there, unless this one is named.
    extends: tuple[str, ...] = ()
    # Which fields of objects the rules read, and the powers that change them.
    read_fields: tuple[ReadField, ...] = ()
    # What else the system leaves out, and what it has in its place: a point each, in sentences.
    left_out: tuple[str, ...] = ()
    # The feature gates that the system takes otherwise than a release may have them by default.
    gates_taken: tuple[GateTaken, ...] = ()
    # Rules of a component that the system has, and that no step asks since the system leaves a part of it out.
    never_asked: frozenset[str] = frozenset()
    # (rules) -> further rules that no step asks under these, since a part of the system is switched off.
    not_asked: Callable[[Any], frozenset[str]] = lambda rules: frozenset()
    # (rule field, the first minor with the rule) -> the system that judges the mutants of the rule if it has the rule.
    judge_of_mutants: Callable[[str, int], str] = lambda field, minor: ""
    # The releases in which the report looks who notices a wrong value: the newest, and one in which backoffs are kept
    # beside the queue.
    noticed_in: tuple[str, ...] = ("1.31.0", "1.17.10")
    # Field of the state ("Queue.active") -> why no property has to notice a wrong value in the field within a step.
    unnoticed: Mapping[str, str] = Factory(dict)
    # Rule field -> mutants, rules that are wrong on purpose.
    mutants: Mapping[str, Sequence[Rule]] = Factory(dict)
    # Rules that no release has, each without one documented bug.
    repairs: tuple[Repair, ...] = ()
    # The file of a reader that describes the system, which then follows no release; None of those of kubeproof.
    file: Path | None = None
    # Files of readers that brought the last of `properties`.
    property_files: tuple[Path, ...] = ()
    # Whether less of a state is kept under rules that are known than under rules from outside.
    reduces_by_rules: bool = False

    @property
    def minors(self) -> range:
        """The minors of Kubernetes that the system knows."""
        return KNOWN_MINORS[self.name]

    @property
    def has_bugs_of(self) -> frozenset[str]:
        """The names of the systems whose bugs this one may show: its own, and those of the systems that it extends."""
        return frozenset({self.name, *self.extends})

    @property
    def scope(self) -> Any:
        """The default scope."""
        return self.scopes.default

    def powers_used(self, scope: Any, actions: Iterable[Action]) -> frozenset[str]:
        """The bounds of `scope` that let the actions of a run happen, and its options."""
        on = (option for option in self.options if getattr(scope, option))
        return frozenset((*on, *self.powers_taken(scope, actions)))

    @property
    def rule_fields(self) -> tuple[str, ...]:
        """The rules that some step asks."""
        return tuple(field.name for field in fields(self.rules_class) if field.name not in self.never_asked)

    def fields_asked(self, rules: Any) -> tuple[str, ...]:
        """The rules that some step asks under `rules`."""
        left_out = self.not_asked(rules)
        return tuple(name for name in self.rule_fields if name not in left_out)

    def fields_asked_in(self, release: Release) -> tuple[str, ...]:
        """The rules that some step asks in `release`."""
        return self.fields_asked(rules_for(self.rules_class, release))

    def built_in_rules(self, field: str) -> dict[str, Rule]:
        """The rules that any release follows which the system knows for `field`, then the mutants, by name."""
        rules = [row.rule for _, row in rows_of(field) if knows(self.name, row)]
        return {rule.__name__: rule for rule in (*rules, *self.mutants.get(field, ()))}

    def rules_to_choose(self, field: str) -> dict[str, Rule]:
        """The built-in rules of `field`, then its repairs, by name."""
        repairs = {repair.rule.__name__: repair.rule for repair in self.repairs if repair.field == field}
        return {**self.built_in_rules(field), **repairs}

    def default_gates_left_out(self, release: Release) -> list[str]:
        """The gates that are on by default in `release`, and that the system takes as off."""
        return [taken.name for taken in self.gates_taken if taken.differs_in(release)]

    def left_out_text(self, release: Release) -> str:
        """How much no verdict on the system in `release` speaks of; "" if nothing is left out."""
        parts = ((len(left_out(self.read_fields)), "field"), (len(self.left_out), "other point"))
        said = [" and ".join(f"{number} {what}{'s' * (number > 1)}" for number, what in parts if number)]
        if gates := self.default_gates_left_out(release):
            said.append(f"of what {release.upstream} has on by default: {', '.join(gates)}")
        found = "; ".join(filter(None, said))
        return f"left out: {found}" if found else ""

    def left_out_line(self, release: Release) -> str:
        """The same in a line of its own, with where to read on."""
        said = self.left_out_text(release).replace("left out:", "left out, so that no verdict speaks of it:")
        return f"{said} (see `kubeproof list {self.name}`)" if said else ""

    def place(self, action: str, release: Release) -> str:
        """The Go function behind the action of this name in `release`."""
        return place_in(self.places[action], release.version)

    def property_named(self, name: str) -> Property:
        for candidate in self.properties:
            if candidate.name == name:
                return candidate
        names = [p.name for p in self.properties]
        raise InputError(not_one_of(name, f"property of {self.name}", names, f"kubeproof list {self.name}"))

    def parse_scope(self, text: str | None) -> Any:
        """The scope that `nodes=4,zones=2` names. What is not named keeps its default, and is 0 after `only `.

        Of a bound that is named twice the last value counts: so one scope may be made of another. None: the default
        scope. Raises InputError.
        """
        if text is None:
            return self.scope
        values = cattrs.unstructure(self.scope)
        parts = scope_parts(text)
        unnamed = set[str]()
        if parts[0] == FROM_ZERO:
            values = dict.fromkeys(values, 0)
            unnamed.update(values)
            del parts[0]
        for part in parts:
            key, _, value = (piece.strip() for piece in part.partition("="))
            if key not in values:
                wrong = not_one_of(key, f"bound of {self.name}", values, f"kubeproof list {self.name}")
                raise InputError(f"--scope {text}: {wrong}")
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                such = f"expected a number such as {key}={getattr(self.scope, key)}"
                raise InputError(f"--scope {text}: {key}: '{shortened(value)}' is not a number: {such}")
            values[key] = int(value)
            unnamed.discard(key)
        try:
            return self.scope_class(**values)
        except ValueError as error:
            line = _first_line(error)
            if any(f"'{key}'" in line for key in unnamed):
                line += "; a bound that is not named is 0 here: name this one too"
            raise InputError(f"--scope {text}: {line}") from None


# Two ways to say that a bound that is not named is 0: for people, before the first bound; in files, a part of its own.
ONLY, FROM_ZERO = "only", "0"


def scope_parts(text: str) -> list[str]:
    """The parts of a scope as `--scope` takes it; the first is FROM_ZERO if a bound that is not named is 0."""
    parts = [part.strip() for part in text.split(",")]
    words = parts[0].split(maxsplit=1)
    return [FROM_ZERO, *words[1:], *parts[1:]] if words[:1] == [ONLY] else parts


def scope_text(scope: Any) -> str:
    """A scope as people read it and `--scope` takes it, whatever the default scope is: `only pods=2,nodes=1`."""
    return shown_scope(kept_scope_text(scope))


def kept_scope_text(scope: Any) -> str:
    """The same for a file and for `--json`: `0,pods=2,nodes=1`. Kept traces have this form, and digests cover it."""
    return ",".join([FROM_ZERO, *_named(scope)])


def shown_scope(text: str) -> str:
    """A scope that a file has, as people read it.

    >>> shown_scope("0,pods=2,nodes=1")
    'only pods=2,nodes=1'
    """
    first, *bounds = scope_parts(text)
    return f"{ONLY} {','.join(bounds)}".rstrip() if first == FROM_ZERO else text


def bounds_text(scope: Any) -> str:
    """The bounds that are not 0, for a sentence: `pods=2, nodes=1`."""
    return ", ".join(_named(scope))


def _named(scope: Any) -> list[str]:
    return [f"{key}={value}" for key, value in cattrs.unstructure(scope).items() if value]


def _first_line(error: ValueError) -> str:
    return str(error.args[0] if error.args else error).splitlines()[0]
