"""The results of engines, kept one by one: of a question of many properties only those are asked that are not there."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from math import inf
from typing import Any, TypeVar

import cattrs
from attrs import evolve

from kubeproof.engines import explicit
from kubeproof.engines.explicit import Limits
from kubeproof.engines.explicit.shared import LookedUp, Shared
from kubeproof.engines.question import Question
from kubeproof.engines.table import answer
from kubeproof.store.digests import outside
from kubeproof.store.store import Found, InForce, Store
from kubeproof.store.texts import digest_of, text_of
from kubeproof.systems.system import System, rules_of
from kubeproof.verdict.result import Cause, Claim, Outcome, Result, Strength
from kubeproof.verdict.trace import ReplayError, Trace, replay
from model.machine import Action, Machine
from properties.property import Property

T = TypeVar("T")


class Kept:
    """What a store has of one computation under one choice of rules.

    `does`: one of `digests.DOES`. `given`: what else the computation is given, such as a scope: see `text_of`.
    """

    def __init__(self, store: Store, does: str, system: System, rules: Any, *given: Any) -> None:
        self._store = store
        self._rules = InForce(store.digests, rules)
        self._system = system.name
        asked_as = outside(system, rules)
        # None: a rule is from outside, and nothing is kept.
        self._key = (
            None if asked_as is None else digest_of(store.digests.does[does, system.name], asked_as, text_of(given))
        )

    @property
    def keeps(self) -> bool:
        """Whether anything may be kept: not of a rule from outside."""
        return self._key is not None

    def found(self, *properties: Property) -> Found | None:
        """What was kept of `properties` together."""
        return self._there.get(self._named(properties))

    def keep(self, values: Mapping[tuple[Property, ...], Any], looked_up: Iterable[str]) -> None:
        """Keep each value, which JSON can say, of some properties together. All were computed in one.

        `looked_up`: the rule fields that the computation looked up.
        """
        if self._key is not None:
            named = {self._named(properties): value for properties, value in values.items()}
            self._store.keep(self._key, self._rules, looked_up, named)

    @cached_property
    def _there(self) -> dict[str, Found]:
        return {} if self._key is None else self._store.found(self._key, self._rules)

    def _named(self, properties: Iterable[Property]) -> str:
        return " ".join(self._store.digests.properties[self._system, p.name] for p in properties)


def kept_value(store: Store | None, does: str, given: Any, kind: type[T], compute: Callable[[], T]) -> T:
    """What `compute` answers, an attrs value of this kind. `does`: one of `digests.ALONE`. `given`: see `text_of`."""
    if store is None:
        return compute()
    key, rules = digest_of(store.digests.does[does, ""], text_of(given)), InForce(store.digests)
    found = store.found(key, rules).get("")
    if found is not None:
        with suppress(cattrs.errors.BaseValidationError):
            return cattrs.structure(found.value, kind)
    value = compute()
    store.keep(key, rules, (), {"": cattrs.unstructure(value)})
    return value


def looked_up(system: System, rules: Any) -> LookedUp:
    """`rules`, as a machine or a form takes them, and a note of what is looked up of them.

    A machine that remembers what equal rules answered does not look them up again. But it asks for their hash, and then
    all of them count as looked up.
    """
    return Shared(rules_of(system.mutants, system.repairs)).under(rules)


def kept_answer(store: Store | None, asked: Question) -> list[Result]:
    """What `answer` says to the question. Of the properties whose results are kept the engine is not asked."""
    given: tuple[Any, ...] = ()
    match asked.engine:
        case "explicit":
            given = (True,)
        case "hypothesis":
            given = (asked.budget.runs,)
        case "z3":
            given = (asked.besides,)
        case "tlc" if store is not None:
            given = _modules(store, asked)
    return [result.evolve(scope=asked.scope) for result in _kept(store, asked, given, answer)]


def kept_check(
    store: Store | None,
    asked: Question,
    *,
    symmetry: bool = True,
    limits: Limits = Limits(),  # noqa: B008 frozen
) -> list[Result]:
    """What `explicit.check` says to the question, of the properties that are not kept.

    A search that comes to its end within the limits says the same within any other limits, and only such are kept.
    """

    def check(question: Question) -> list[Result]:
        return explicit.check(question.machine(), question.properties, symmetry=symmetry, limits=limits)

    return _kept(store, asked, (symmetry,), check)


def _kept(
    store: Store | None, asked: Question, given: tuple[Any, ...], ask: Callable[[Question], list[Result]]
) -> list[Result]:
    if store is None or asked.fix is not None:
        return ask(asked)
    kept = Kept(store, asked.engine, asked.system, asked.rules, asked.scope, *given)
    if not kept.keeps:
        return ask(asked)
    machine = asked.machine()
    there = {p.name: result for p in asked.properties if (result := _kept_result(kept, p, machine)) is not None}
    missing = [p for p in asked.properties if p.name not in there]
    if missing:
        notes = looked_up(asked.system, asked.rules)
        found = ask(evolve(asked.of(missing), rules=notes.rules, searches=None))
        there |= {result.property: result for result in found}
        lasting: dict[tuple[Property, ...], Any] = {
            (p,): result_document(there[p.name], machine) for p in missing if _is_lasting(there[p.name])
        }
        # What a limit of the command's own has cut short is for this command alone.
        if asked.watch.until == inf:
            kept.keep(lasting, notes.fields)
    return [there[p.name] for p in asked.properties]


def _modules(store: Store, asked: Question) -> tuple[str, ...]:
    """What TLC reads of specs/."""
    if asked.engine != "tlc":
        return ()
    form = asked.system.tla_form(asked.scope, asked.rules, {})
    return tuple(f"{path.name} {store.digests.specs[path.name]}" for path in form.modules)


def _kept_result(kept: Kept, p: Property, machine: Machine[Any]) -> Result | None:
    found = kept.found(p)
    return None if found is None else result_of(found.value, machine)


def _is_lasting(result: Result) -> bool:
    """Whether the next run would say so too: not, if memory or time went out, or another program failed."""
    if result.outcome is not Outcome.INCONCLUSIVE:
        return True
    return result.engine != "tlc" and result.cause is not Cause.LIMIT


def result_document(result: Result, machine: Machine[Any]) -> dict[str, Any]:
    """The result as data. Of a trace only the actions are kept: the machine takes them again. The scope is left out."""
    document: dict[str, Any] = cattrs.unstructure(result.evolve(trace=None, scope=None))
    if result.trace is not None:
        document["trace"] = trace_document(result.trace, machine)
    return document


def trace_document(trace: Trace, machine: Machine[Any]) -> dict[str, Any]:
    return {
        "initial": list(machine.initial_states()).index(trace.steps[0].state),
        "actions": [[action.name, action.args] for action in trace.actions],
        "loop": trace.loop,
    }


def trace_of(document: Any, machine: Machine[Any]) -> Trace:
    """Raises ReplayError if the machine has no such run, and what a document of another form leads to."""
    actions = [Action(name, tuple((key, value) for key, value in args)) for name, args in document["actions"]]
    return replay(machine, actions, initial=document["initial"], loop=document["loop"])


def result_of(document: Any, machine: Machine[Any]) -> Result | None:
    """The result that `result_document` wrote; None for anything else."""
    try:
        read = dict(document)
        trace = None if read["trace"] is None else trace_of(read["trace"], machine)
        claim = None if read["claim"] is None else Claim(Strength(read["claim"]["strength"]), read["claim"]["details"])
        cause = None if read["cause"] is None else Cause(read["cause"])
        known = None if read["known"] is None else tuple(read["known"])
        read |= {"known": known, "trace": trace, "claim": claim, "cause": cause, "outcome": Outcome(read["outcome"])}
        return Result(**read)
    except (ReplayError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None
