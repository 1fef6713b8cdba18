"""What recordings ask of a rule: most mutants answer the few calls alike, and need no replay."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from attrs import define

from kubeproof.conform.conform import replay_file
from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.errors import InputError
from kubeproof.input.files import Content
from kubeproof.mutants.sources import Rule
from kubeproof.validate.same_answers import answer_of
from model.go.errors import with_errors_met

CALLS = 20_000  # of one rule in one recording that are noted; a recording with more is always replayed


@define
class Recorded:
    """One recording, and what it asks of one rule."""

    path: Content
    # What the rule was given; what it answered, or the error that it raised; and the errors of Go that were met.
    calls: list[tuple[tuple[Any, ...], Any]]

    def asks_nothing_of(self, mutant: Rule) -> bool:
        """Whether `mutant` answers every call as the rule did, so that a replay cannot diverge."""
        if len(self.calls) >= CALLS:
            return False
        return all(with_errors_met(partial(answer_of, mutant, args)) == answer for args, answer in self.calls)


class Recordings:
    """Recordings of the real Go components, each replayed once for each rule that is asked about."""

    def __init__(self, paths: Sequence[Content]) -> None:
        self.paths = paths
        self._rule: Rule | None = None
        self._recorded: list[Recorded] = []

    def of(self, rule: Rule) -> list[Recorded]:
        """What each recording asks of `rule`. Those that ask nothing are left out."""
        if rule is not self._rule:
            found = [Recorded(path, _calls(path, rule)) for path in self.paths]
            self._rule, self._recorded = rule, [each for each in found if each.calls]
        return self._recorded


def _calls(path: Content, rule: Rule) -> list[tuple[tuple[Any, ...], Any]]:
    """The calls of `rule`; none if the recording cannot be played."""
    calls: list[tuple[tuple[Any, ...], Any]] = []
    ended = False

    def noting(*args: Any) -> Any:
        # Another rule that is given all rules may call this one later.
        if not ended and len(calls) < CALLS:
            calls.append((args, with_errors_met(partial(answer_of, rule, args))))
        return rule(*args)

    try:
        with in_place_of(rule, noting):
            replay_file(path)
    except InputError:
        return []
    ended = True
    return calls
