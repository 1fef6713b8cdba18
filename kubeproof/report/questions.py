"""The questions that a bug's report asks, each answered by a minimal run of its own, as parts of the bug's page."""

from collections.abc import Callable
from typing import Any

from attrs import evolve

from kubeproof.bugs.bug import Bug, Question
from kubeproof.bugs.counterexample import Counterexample, minimal_counterexample
from kubeproof.errors import InputError
from kubeproof.report.told import ToldRun
from kubeproof.store.store import Store
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import bounds_text


def asked_alone(bug: Bug, question: Question) -> Bug:
    """The bug with this question only: what `minimal_counterexample` looks for."""
    return evolve(bug, violates=question.violates, given=question.given, questions=())


def answered(bug: Bug, question: Question, store: Store | None = None) -> Counterexample:
    """The minimal run that answers `question`. Raises InputError if none does: the model or the property has a hole."""
    example = minimal_counterexample(asked_alone(bug, question), store)
    if example is None:
        raise InputError(f"{bug.id}: {question.asked} No run answers that: the model or the property has a hole")
    return example


def page_parts(
    bug: Bug, examples: list[Counterexample], told: Callable[[Counterexample], ToldRun]
) -> list[dict[str, Any]]:
    """What the page says of each question; `told` tells a run."""
    system = system_named(bug.system)
    return [
        {
            "question": question,
            "property": system.property_named(question.violates),
            "explanation": example.result.explanation,
            "run": told(example),
            "scope": bounds_text(example.scope),
        }
        for question, example in zip(bug.questions, examples, strict=True)
    ]
