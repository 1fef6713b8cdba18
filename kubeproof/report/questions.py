"""The questions that a bug's report asks, each answered by a minimal run of its own, as parts of the bug's page."""

import json
from collections.abc import Callable
from typing import Any

from attrs import evolve

from kubeproof.bugs.bug import Bug, Question
from kubeproof.bugs.counterexample import Counterexample, minimal_counterexample
from kubeproof.errors import InputError
from kubeproof.report.told import ToldRun
from kubeproof.store.store import Store
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import bounds_text, kept_scope_text
from kubeproof.verdict.itf import to_itf


def asked_alone(bug: Bug, question: Question) -> Bug:
    """The bug with this question only: what `minimal_counterexample` looks for."""
    return evolve(bug, violates=question.violates, given=question.given, questions=())


def answered(bug: Bug, question: Question, store: Store | None = None) -> Counterexample:
    """The minimal run that answers `question`. Raises InputError if none does: the model or the property has a hole."""
    example = minimal_counterexample(asked_alone(bug, question), store)
    if example is None:
        raise InputError(f"{bug.id}: {question.asked} No run answers that: the model or the property has a hole")
    return example


def itf_name(bug: Bug, number: int) -> str:
    """The file of the run that answers the question of this number, from 1 on."""
    return f"{bug.folder}-question-{number}.itf.json"


def itf_text(example: Counterexample, question: Question) -> str:
    """The run as an ITF trace."""
    assert example.result.trace is not None
    meta = {
        "description": f"{example.bug.id}: {question.asked} {example.result.explanation}",
        "system": example.bug.system,
        "release": example.bug.release,
        "scope": kept_scope_text(example.scope),
        "property": question.violates,
    }
    return json.dumps(to_itf(example.result.trace, meta), indent=1, ensure_ascii=True) + "\n"


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
            "file": itf_name(bug, number),
        }
        for number, (question, example) in enumerate(zip(bug.questions, examples, strict=True), start=1)
    ]
