"""What finds out a mutant: a property, an effect that the verdict on a fix would name, a recording, or nothing."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from types import FrameType
from typing import Any

import cattrs
from attrs import evolve, frozen

from kubeproof.conform.conform import replay_file
from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.engines.explicit import Limits, check
from kubeproof.engines.explicit.again import remembering
from kubeproof.engines.explicit.search import exploration
from kubeproof.engines.explicit.shared import OneMachine
from kubeproof.errors import InputError, RuleError
from kubeproof.fix.guarded import careful, guarded
from kubeproof.fix.rule_results import returned_by
from kubeproof.input.files import Content, shown
from kubeproof.mutants.base import STATES, Base
from kubeproof.mutants.kept import Judged
from kubeproof.mutants.mutants import MADE, Mutant, mutants_of
from kubeproof.mutants.recorded import Recordings
from kubeproof.mutants.sources import Rule
from kubeproof.store.results import Kept as KeptOf
from kubeproof.store.store import Store
from kubeproof.store.texts import digest_of, digest_of_bytes, text_of
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System, scope_text
from kubeproof.validate.effects import NewErrors, OtherStates, ReachedStates
from kubeproof.verdict.result import Outcome
from kubeproof.visible import shortened
from model.releases import Release, rules_for

SECONDS = 30  # of CPU time, for a mutant in one scope, or for one recording
CALL = 3  # seconds of CPU time after which a call of a mutant has no end
LONGEST = 120  # characters that are kept of an error
DIFFERING = 12  # scopes in which a mutant behaves otherwise: where nothing is violated in them, no more are searched


def scopes_for_mutants(system: System) -> tuple[Any, ...]:
    """In scopes of their own, or where the coverage table tells rules apart and then where a fix is judged."""
    of = system.scopes
    first = of.told_apart or (of.report or of.default,)
    return of.mutants or tuple(dict.fromkeys((*first, *of.fix_narrow, of.fix)))


@frozen
class RuleToJudge:
    """A rule whose mutants are to be judged."""

    system: str
    release: Release
    # The field whose rule in force it is.
    field: str
    recordings: tuple[Content, ...]
    # The names of the mutants that are judged.
    mutants: frozenset[str]

    def __str__(self) -> str:
        return f"{self.field} in {self.release}"


def judged_rule(asked: RuleToJudge, store: Store | None = None) -> list[Judged]:
    """The fates of the mutants. What `store` has is not judged again: an earlier run may have ended within the rule."""
    system = system_named(asked.system)
    rules = rules_for(system.rules_class, asked.release)
    mutants = [each for each in mutants_of(getattr(rules, asked.field)) if each.name in asked.mutants]
    if store is None:
        return [_judged(asked, each) for each in mutants]
    # A recording is replayed under the rules of its release, whichever it is.
    recordings = [digest_of_bytes(each.data) for each in asked.recordings]
    properties = [store.digests.properties[system.name, p.name] for p in system.properties]
    given = digest_of(
        str(asked.release),
        asked.field,
        text_of((scopes_for_mutants(system), recordings, properties)),
        store.digests.of_all_rules,
    )
    return [_judged(asked, each, KeptOf(store, "mutants", system, rules, given, each.name)) for each in mutants]


def _judged(asked: RuleToJudge, mutant: Mutant, kept: KeptOf | None = None) -> Judged:
    found = None if kept is None else kept.found()
    if found is not None:
        with suppress(cattrs.errors.BaseValidationError):
            return cattrs.structure(found.value, Judged)
    fate = judge_of(asked.system, asked.release, asked.recordings).fate(asked.field, mutant)
    # What was not judged in time may be the next time.
    if kept is not None and fate.fate != "undecided":
        kept.keep({(): cattrs.unstructure(fate)}, ())
    return fate


@lru_cache(maxsize=1)
def judge_of(system: str, release: Release, recordings: tuple[Content, ...]) -> "Judge":
    """The judge of a release. The last one is remembered: what is known of the release is the same for all fields."""
    return Judge(system_named(system), release, recordings)


class _TooLong(BaseException):
    """The alarm rang. No Exception, so that nothing on the way takes it for an error of the rule."""


class _NoEnd(_TooLong):
    """One call of the mutant was under way all the time."""


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    """Raises _NoEnd after a call of a mutant that takes CALL seconds of CPU time, and _TooLong after `seconds`."""
    calls: list[FrameType | None] = []

    def ring(_: int, frame: FrameType | None) -> None:
        while frame is not None and not frame.f_code.co_filename.startswith(MADE):
            frame = frame.f_back
        calls.append(frame)
        if frame is not None and calls[-CALL:] == [frame] * CALL:
            raise _NoEnd
        if len(calls) >= seconds:
            raise _TooLong

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, 1, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Judge:
    """Judges the mutants of a release's rules. What is known of the release without them is found out once."""

    def __init__(self, system: System, release: Release, recordings: Sequence[Content]) -> None:
        self.system, self.release = system, release
        self.rules = rules_for(system.rules_class, release)
        self.bases = [Base(system, self.rules, scope) for scope in scopes_for_mutants(system)]
        self.recordings = Recordings(recordings)

    def fate(self, field: str, mutant: Mutant) -> Judged:
        """What finds out `mutant`, a change of the rule for `field`."""
        found = Judged(mutant.name, "by nothing", differs=False)
        rule = guarded(field, mutant.rule, returns=returned_by(getattr(self.rules, field)))
        differing: list[Base] = []
        late = ""
        for base in self.bases:
            try:
                base.given(field)
                with _within(SECONDS):
                    if base.is_alike(field, rule):
                        continue
                    differing.append(base)
                    broken = self.broken(base, field, rule)
            except (_NoEnd, RecursionError):
                return evolve(found, fate="refused", by="a call has no end", differs=True)
            except _TooLong:
                late = f"not judged within {SECONDS} seconds in {scope_text(base.scope)}"
                continue
            if broken:
                return evolve(found, fate="refused", by=broken, differs=True)
            if len(differing) >= DIFFERING:
                break
        # Where no scope tells the mutant apart, an effect may: some rules are asked alone.
        for base in differing or self.bases[:1]:
            states = base.states(field)
            try:
                with _within(SECONDS):
                    effect = self.effect(base, states, field, rule)
            except (_NoEnd, RecursionError):
                return evolve(found, fate="refused", by="a call has no end", differs=True)
            except _TooLong:
                late = f"no effect found within {SECONDS} seconds in {scope_text(base.scope)}"
                continue
            except RuleError as error:
                return evolve(found, fate="refused", by=shortened(str(error), LONGEST), differs=True)
            if effect:
                return evolve(found, fate="named", by=effect, differs=True)
        recording = self.recording(getattr(self.rules, field), rule)
        if recording:
            return evolve(found, fate="by recordings only", by=recording, differs=True)
        if late:
            return evolve(found, fate="undecided", by=late, differs=True)
        return evolve(found, differs=bool(differing))

    def broken(self, base: Base, field: str, rule: Rule) -> str:
        """What the mutant violates first and the release keeps, or the error that the mutant raises; "" if nothing."""
        machine = careful(self.system.machine(base.scope, evolve(self.rules, **{field: rule})), [field])
        asked = [p for p in self.system.properties if p.name in base.kept]
        try:
            results = check(machine, asked, symmetry=False, limits=Limits(states=STATES), until_violated=True)
        except RuleError as error:
            return shortened(str(error), LONGEST)
        failed = next((r.rule_error for r in results if r.rule_error), None)
        return (
            shortened(str(failed), LONGEST)
            if failed
            else ", ".join(r.property for r in results if r.outcome is Outcome.VIOLATED)
        )

    def effect(self, base: Base, met: Sequence[Any], field: str, rule: Rule) -> str:
        """The first effect, over the states `met`, that the verdict on a fix would name. Raises RuleError."""
        before = base.given(field).rules
        after = evolve(before, **{field: rule})
        of_old = OneMachine(self.system.machine(base.scope, before))
        old, machine = exploration(of_old), careful(self.system.machine(base.scope, after), [field])
        new = exploration(OneMachine(machine, of_old.numbering))
        errors = NewErrors()
        try:
            numbers = (old.intern(old.memory.values.row(state)) for state in met)
            told = self.system.effects([ReachedStates(old, new, numbers, errors)])
            effects = [*told, *errors.effects(), *self.system.effects_alone(before, after)]
            if not any(effect.changed for effect in effects):
                others = OtherStates(remembering(old), remembering(new))
                others.compare(met)
                effects = others.effects()
        except (RuleError, RecursionError):
            raise
        except Exception as error:  # as where a fix is judged: what the mutant returns makes others raise
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise RuleError(f"what {field} returned cannot be judged: {text}") from None
        return next((effect.subject for effect in effects if effect.changed), "")

    def recording(self, rule: Rule, mutant: Rule) -> str:
        """The first recording of the release, or of one with the same rule, that the mutant does not replay."""
        for each in self.recordings.of(rule):
            path = each.path
            try:
                with in_place_of(rule, mutant), _within(SECONDS):
                    if each.asks_nothing_of(mutant):
                        continue
                    replay = replay_file(path)
            except (InputError, RuleError) as error:  # without the mutant the recording can be played
                return f"{path.name}: {shortened(str(error).removeprefix(f'{shown(path)}: '), LONGEST)}"
            except (_NoEnd, RecursionError):
                return f"{path.name}: a call has no end"
            except _TooLong:
                continue
            if replay.divergences:
                at = replay.divergences[0]
                return f"{path.name}, case {at.case}, operation {at.operation}"
        return ""
