"""What the tests of kubeproof share: many judge fixes of one release in one scope, where the release is asked once."""

from typing import Any

import pytest

from kubeproof.engines.question import Question
from kubeproof.validate import one_engine
from kubeproof.verdict.result import Result

_ANSWER = one_engine.answer
_OF_RELEASES: dict[Any, list[Result]] = {}


@pytest.fixture(autouse=True)
def _a_release_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the explicit engine says of a release without a fix is remembered for the tests that come."""

    def answer(asked: Question) -> list[Result]:
        if asked.fix is not None or asked.engine != "explicit":
            return _ANSWER(asked)
        # The rules and the properties themselves: a test may put others in the place of those of the release.
        key = asked.system.name, asked.scope, tuple(vars(asked.rules).items()), asked.properties
        if key not in _OF_RELEASES:
            _OF_RELEASES[key] = _ANSWER(asked)
        return _OF_RELEASES[key]

    monkeypatch.setattr(one_engine, "answer", answer)
