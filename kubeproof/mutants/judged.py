"""What finds out a mutant: a property, an effect that the verdict on a fix would name, a recording, or nothing."""

import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Literal

from attrs import define, evolve, frozen

from kubeproof.check.noted_calls import NotedCalls
from kubeproof.conform.conform import replay_file
from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.engines.explicit import Limits, check, explore
from kubeproof.errors import InputError, RuleError
from kubeproof.fix.careful import careful
from kubeproof.fix.fix import guarded
from kubeproof.fix.new_errors import NewErrors
from kubeproof.fix.rule_results import returned_by
from kubeproof.mutants.mutants import MADE, Mutant, Rule, mutants_of
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, scope_text
from kubeproof.verdict.result import Cause, Outcome
from model.releases import Release, rules_for

Fate = Literal["refused", "named", "by recordings only", "by nothing", "undecided"]
STATES = 10_000  # of one exploration
SECONDS = 30  # for a mutant in one scope, or for one recording
CALL = 3  # seconds after which a call of a mutant has no end
DIFFERING = 6  # scopes in which a mutant behaves otherwise: where nothing is violated in them, no more are searched


@frozen
class Judged:
    """A mutant, and what found it out."""

    field: str
    rule: str
    # The one line that tells the mutant from others.
    mutant: str
    fate: Fate
    # The property, the effect, or the recording.
    by: str = ""
    # Whether the mutant answered some call otherwise in some scope. If not, it may be the same rule in other words.
    differs: bool = True


@define
class _Base:
    """The release in one scope, with a rule that no reduction takes for known: what a mutant is held against."""

    scope: Any
    notes: NotedCalls
    # The properties of which it is known that the release does not violate them there: the search came to its end.
    kept: frozenset[str]


def scopes_for_mutants(system: System) -> tuple[Any, ...]:
    """In scopes of their own, or where the coverage table tells rules apart and then where a fix is judged."""
    of = system.scopes
    first = of.told_apart or (of.report or of.default,)
    return of.mutants or tuple(dict.fromkeys((*first, *of.fix_narrow, of.fix)))


def judged_rule(task: tuple[str, Release, str, Sequence[Path], Collection[str]]) -> list[Judged]:
    """The fates of all mutants of the rule in force for a field: (system, release, field, recordings, known mutants).

    Mutants that are known already are left out.
    """
    name, release, field, recordings, known = task
    system = SYSTEMS[name]
    rules = rules_for(system.rules_class, release)
    judge = _Judge(system, release, field, rules, recordings)
    return [judge.fate(mutant) for mutant in mutants_of(getattr(rules, field)) if mutant.name not in known]


class _TooLong(BaseException):
    """The alarm rang. No Exception, so that nothing on the way takes it for an error of the rule."""


class _NoEnd(_TooLong):
    """One call of the mutant was under way all the time."""


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    """Raises _NoEnd after a call of a mutant that takes CALL seconds, and _TooLong after `seconds`."""
    calls: list[FrameType | None] = []

    def ring(_: int, frame: FrameType | None) -> None:
        while frame is not None and not frame.f_code.co_filename.startswith(MADE):
            frame = frame.f_back
        calls.append(frame)
        if frame is not None and calls[-CALL:] == [frame] * CALL:
            raise _NoEnd
        if len(calls) >= seconds:
            raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Judge:
    """Judges the mutants of one field's rule. What is known of the release without them is found out once."""

    def __init__(self, system: System, release: Release, field: str, rules: Any, recordings: Sequence[Path]) -> None:
        self.system, self.release, self.field, self.rules, self.recordings = system, release, field, rules, recordings
        rule: Rule = getattr(rules, field)
        self.name = rule.__name__
        # In other words the same rule: it is given all that a rule from outside is given.
        self.same = evolve(rules, **{field: guarded(field, lambda *args: rule(*args))})
        self.bases: dict[Any, _Base] = {}

    def base(self, scope: Any) -> _Base:
        if scope not in self.bases:
            notes = NotedCalls(self.same)
            machine = self.system.machine(scope, notes.rules)
            results = check(machine, self.system.properties, symmetry=False, limits=Limits(states=STATES))
            kept = frozenset(r.property for r in results if r.outcome is Outcome.HOLDS or r.cause is Cause.PREMISE)
            self.bases[scope] = _Base(scope, notes, kept)
        return self.bases[scope]

    def fate(self, mutant: Mutant) -> Judged:
        found = Judged(self.field, self.name, mutant.name, "by nothing", differs=False)
        rule = guarded(self.field, mutant.rule, returns=returned_by(getattr(self.rules, self.field)))
        other, differing, late = evolve(self.rules, **{self.field: rule}), [], ""
        for scope in scopes_for_mutants(self.system):
            base = self.base(scope)
            try:
                with _within(SECONDS):
                    if base.notes.read_by(other) is not None:
                        continue
                    differing.append(scope)
                    broken = self.broken(base, other)
            except (_NoEnd, RecursionError):
                return evolve(found, fate="refused", by="a call has no end", differs=True)
            except _TooLong:
                late = f"not judged within {SECONDS} seconds in {scope_text(scope)}"
                continue
            if broken:
                return evolve(found, fate="refused", by=broken, differs=True)
            if len(differing) >= DIFFERING:
                break
        for scope in differing:
            try:
                effect = self.effect(scope, other)
            except RuleError as error:
                return evolve(found, fate="refused", by=str(error), differs=True)
            if effect:
                return evolve(found, fate="named", by=effect, differs=True)
        recording = self.recording(rule)
        if recording:
            return evolve(found, fate="by recordings only", by=recording, differs=True)
        if late:
            return evolve(found, fate="undecided", by=late, differs=True)
        return evolve(found, differs=bool(differing))

    def broken(self, base: _Base, other: Any) -> str:
        """What the mutant violates and the release keeps, or the error that the mutant raises; "" if nothing."""
        machine = careful(self.system.machine(base.scope, other), [self.field])
        try:
            results = check(machine, self.system.properties, symmetry=False, limits=Limits(states=STATES))
        except RuleError as error:
            return str(error)
        failed = next((r.rule_error for r in results if r.rule_error), None)
        after = [r.property for r in results if r.outcome is Outcome.VIOLATED and r.property in base.kept]
        return str(failed) if failed else ", ".join(after)

    def effect(self, scope: Any, other: Any) -> str:
        """The first effect that the verdict on a fix would name. Raises RuleError."""
        old, new, errors = self.system.machine(scope, self.same), self.system.machine(scope, other), NewErrors()
        try:
            with _within(SECONDS):
                run = explore(old, limits=Limits(states=STATES))
                states = errors.heeding(old, new, (run.store.state(number) for number in range(len(run.parents))))
                effects = [*self.system.effects(self.same, other, [(scope, states)]), *errors.effects()]
        except _TooLong:
            return ""
        return effects[0].subject if effects else ""

    def recording(self, rule: Rule) -> str:
        """The first recording of the release, or of one with the same rule, that the mutant does not replay."""
        for path in self.recordings:
            try:
                with in_place_of(getattr(self.rules, self.field), rule), _within(SECONDS):
                    replay = replay_file(path)
            except RuleError as error:
                return f"{path.name}: {error}"
            except (InputError, _TooLong):
                # The player knows no such rule, or does not end.
                continue
            if replay.divergences:
                at = replay.divergences[0]
                return f"{path.name}, case {at.case}, operation {at.operation}"
        return ""
