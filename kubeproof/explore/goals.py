"""The shortest run from a state of a run on, by the explicit engine: to a violation, or to a state with some fact."""

from collections.abc import Sequence
from typing import Any, TypedDict

from attrs import frozen

from kubeproof.engines.explicit import Limits, check
from kubeproof.errors import InputError
from kubeproof.explore.run import violated
from kubeproof.input.structure import misfit
from kubeproof.report.told import actions_text
from kubeproof.systems.system import Facts, System, fact_text
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import Step, Trace
from model.machine import Machine
from model.variables import plain
from properties.property import Invariant, Property

SECONDS = 60  # the longest search that is asked for
_STATES = 500_000  # the most states of a search: a page that waits has no more memory to give


class AskedGoal(TypedDict):
    """A goal in JSON: a property to be violated; else, with "" for the property, a fact and what it is to be."""

    property: str
    fact: str
    value: str
    # How long the search may take.
    seconds: int


@frozen
class Found:
    """What a search found."""

    # The actions and states from the state where it began; None if no run leads there, or none was found.
    trace: Trace | None
    # What was found, in a sentence.
    said: str


class _FromHere:
    """Like the machine inside. Its runs begin in another state."""

    def __init__(self, inside: Machine[Any], state: Any) -> None:
        self.inside, self._state = inside, state

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inside, name)

    def initial_states(self) -> Sequence[Any]:
        return (self._state,)


def searched(system: System, machine: Machine[Any], run: Trace, asked: Any) -> Found:
    """The shortest run of the machine from the end of `run` to the goal that JSON names. Raises InputError.

    A lasso that is found goes round states that come after the end of `run`.
    """
    state = run.last
    wrong = misfit(asked, AskedGoal)
    if wrong:
        raise InputError(f"goal: {wrong}")
    seconds = asked["seconds"]
    if not 1 <= seconds <= SECONDS:
        raise InputError(f"goal: seconds: {seconds} is not a time: expected 1 to {SECONDS}")
    goal: Property
    here = violated(system, machine, run).get(asked["property"])
    if here is not None:
        return Found(Trace((Step(None, state),)), f"{asked['property']} is violated here: {here}")
    if asked["property"]:
        goal, what = system.property_named(asked["property"]), f"a violation of {asked['property']}"
    elif asked["fact"] in system.facts(state) or asked["value"]:
        goal, what = _fact(system, asked["fact"], asked["value"]), f"{asked['fact']} = {asked['value'] or 'nothing'}"
    else:
        raise InputError(f"goal: fact: '{asked['fact']}' is not a fact of this state: expected one of the page")
    from_here: Any = _FromHere(machine, state)
    limits = Limits(states=_STATES, seconds=float(seconds))
    # Facts name pods and nodes, and these are not interchangeable in them.
    (result,) = check(from_here, [goal], symmetry=bool(asked["property"]), limits=limits, until_violated=True)
    if result.trace is not None:
        how = result.explanation if asked["property"] else f"then {what}"
        return Found(result.trace, f"A shortest run from here takes {actions_text(result.trace.length)}: {how}")
    if result.outcome is Outcome.INCONCLUSIVE and result.reason:
        return Found(None, f"No run to {what} was found: {result.reason}")
    return Found(None, f"No run in this scope leads from here to {what}: {result.claim}")


def _fact(system: System, fact: str, value: str) -> Invariant:
    """What is violated in a state in which the fact has the value: it is the text, or one item of a list."""

    def is_so(facts: Facts) -> bool:
        found = facts.get(fact, "")
        return fact_text(found) == value or (not isinstance(found, str) and value in found)

    return Invariant(
        name="goal",
        sentence=f"{fact} = {value}",
        broken_by=(),
        holds=lambda state: not is_so(system.facts(plain(state))),
        premise=lambda state: True,
        explain=lambda state: "",
    )
