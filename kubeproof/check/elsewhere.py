"""What the default scope says nothing of: a property whose premise no state there meets is asked in other scopes."""

from collections.abc import Iterator, Sequence

from kubeproof.engines.question import Question
from kubeproof.engines.table import answer
from kubeproof.systems.system import scope_text
from kubeproof.verdict.result import Cause, Outcome, Result


def unmet(results: Sequence[Result]) -> list[str]:
    """The properties whose premise no state that the explicit engine saw meets, unless another engine violates them."""
    violated = {result.property for result in results if result.outcome is Outcome.VIOLATED}
    return [
        result.property
        for result in results
        if result.engine == "explicit" and result.cause is Cause.PREMISE and result.property not in violated
    ]


def elsewhere(asked: Question, names: Sequence[str]) -> Iterator[Result]:
    """For each property of `names` the explicit engine's result in the first scope of `besides` that meets its premise.

    `asked` is the question of the explicit engine in the default scope. A property gets no result if none of the scopes
    meets its premise. Raises KeyboardInterrupt, and InputError as the engine does.
    """
    system = asked.system
    left = [system.property_named(name) for name in names]
    for scope in system.scopes.besides:
        if not left or not asked.watch.left():
            return
        asked.watch.tell(f"explicit again: {len(left)} properties in the scope {scope_text(scope)}")
        met = [
            result.evolve(scope=scope)
            for result in answer(asked.in_scope(scope).of(left))
            if result.cause is not Cause.PREMISE
        ]
        yield from met
        answered = {result.property for result in met}
        left = [property for property in left if property.name not in answered]
