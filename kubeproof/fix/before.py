"""What holds without the fix. The same for all fixes of a release, so the release is explored once for them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from kubeproof.engines.question import Question, question
from kubeproof.engines.table import answer
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Result
from model.releases import Release

REMEMBERED = 128  # questions


def answers_before(asked: Question) -> Sequence[Result]:
    """The answers to `asked` about the release as it is.

    Those of the explicit engine are remembered. The others depend on time and on what is installed, and a system that
    is not one of kubeproof's own is asked each time.
    """
    if asked.engine != "explicit" or asked.system is not SYSTEMS.get(asked.system.name):
        return answer(asked.without_fix())
    return _explored(asked.system.name, asked.release, asked.scope, tuple(p.name for p in asked.properties))


@lru_cache(maxsize=REMEMBERED)
def _explored(system: str, release: Release, scope: Any, properties: tuple[str, ...]) -> tuple[Result, ...]:
    of = SYSTEMS[system]
    wanted = [of.property_named(name) for name in properties]
    return tuple(answer(question(of, release, "explicit", scope=scope, properties=wanted)))
