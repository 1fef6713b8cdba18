"""Judging a fix by results before and after it: what changed in each row, what speaks against it. Pure functions."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Literal

from attrs import Factory, evolve, frozen

from kubeproof.bugs.beside import NOTHING_KEPT, Beside
from kubeproof.bugs.catalogue import Bug
from kubeproof.fix.fix import Fix
from kubeproof.systems.system import System
from kubeproof.validate.further import Looked
from kubeproof.verdict.result import Cause, Outcome, Result, Strength
from model.releases import Release
from properties.effect import Effect

Change = Literal[
    "cured", "broken", "violated anew", "uncovered", "still violated", "holds as before", "undecided", "not judged"
]  # fmt: skip


@frozen
class Cures:
    """Cures of documented bugs, which stand beside the release and beside the fix."""

    # The ids of the bugs.
    bugs: tuple[str, ...] = ()
    # The built-in rules that cure them, by field.
    rules: Mapping[str, Any] = Factory(dict)

    def beside(self, rules: Any) -> Any:
        """`rules`, with the cures in their places."""
        return evolve(rules, **self.rules)


@frozen
class Row:
    """One property by one engine in one scope, before and after the fix.

    A property that another bug violates before the fix, and that is violated after the fix, is no reason to refuse the
    fix. This also holds for "violated anew", in a run that the release gets right: the fix may lead the other bug
    there. If no page of a bug explains that run, the verdict is open. In a scope where no other bug violates the
    property, a wrong fix shows: it breaks the property. So narrow scopes are judged too.
    """

    before: Result
    after: Result
    # Whether the run that violates the property after the fix also violates it before; or whether an exhaustive engine
    # found a violation before, where a sample found none.
    known_before: bool = False
    # Whether the property is violated in a run that the release gets right (`side_by_side.py`). None: not looked at, or
    # not to the end.
    anew: bool | None = None
    # Whether the scope is a further one: none that was chosen to show what a fix breaks.
    further: bool = False
    # Beside which cures the row was judged: before the fix too.
    beside: Cures = Cures()
    # Whether after the fix the premise of the property is met only in other scopes.
    met_elsewhere: bool = False
    # Of what is uncovered or violated anew: the ids of the documented bugs of the release that explain the violation.
    # The violation is gone if the bug is cured too, beside the fix. Or it is the bug's own kept run, and the release
    # shows the bug in other runs than those of the scope.
    known: tuple[str, ...] = ()
    # The ids of the claimed bugs that the violation shows to be left: upstream's cure takes it away, and the fix does
    # not.
    left: tuple[str, ...] = ()
    # The ids of the cured bugs with whose cures by upstream the same runs violate the property.
    upstream: tuple[str, ...] = ()

    @property
    def change(self) -> Change:
        old, new = self.before.outcome, self.after.outcome
        if new is Outcome.NOT_APPLICABLE or (new is old is Outcome.INCONCLUSIVE and self._compares_nothing):
            return "not judged"
        if self.met_elsewhere:
            return "cured" if old is Outcome.VIOLATED else "not judged"
        if new is Outcome.INCONCLUSIVE or self._less_deep:
            return "undecided"
        if new is Outcome.VIOLATED:
            return self._violation
        return "cured" if old is Outcome.VIOLATED else "holds as before"

    @property
    def _less_deep(self) -> bool:
        """Whether runs as long as those that were decided before were not decided after the fix."""
        old, new = self.before, self.after
        if new.outcome is not Outcome.HOLDS or new.claim is None or "undecided" not in new.claim.details:
            return False
        if old.outcome is Outcome.VIOLATED:
            return old.trace is None or new.claim.details["depth"] < old.trace.length
        return old.claim is not None and new.claim.details["depth"] < old.claim.details.get("depth", inf)

    @property
    def _violation(self) -> Change:
        if self.before.outcome is Outcome.VIOLATED:
            return "violated anew" if self.anew or (self.anew is None and self.shorter) else "still violated"
        if self.known_before:
            return "still violated"
        if (self.known or self.upstream) and self.anew is not False:
            return "violated anew"
        return "uncovered" if self.anew is False else "broken"

    @property
    def shorter(self) -> bool:
        """No run that violates the property before is as short as one after: a run that was fine is not any more."""
        old, new = self.before, self.after
        return bool(
            old.trace and new.trace and old.minimal and new.minimal and new.trace.length < old.trace.length
        )  # fmt: skip

    @property
    def _compares_nothing(self) -> bool:
        """No state of the scope is one that the property speaks of; or a random sample ended early, twice."""
        return self.before.cause is self.after.cause is Cause.PREMISE or self.after.engine == "hypothesis"

    @property
    def established(self) -> bool:
        """Whether the property was shown to hold after the fix in every state of a scope, or of every size."""
        if self.met_elsewhere:
            return True
        claim = self.after.claim
        return claim is not None and claim.strength in (Strength.EXHAUSTIVE, Strength.INDUCTIVE)


@frozen
class KnownRun:
    """The kept counterexample of a bug, replayed under the rules before and after."""

    bug: Bug
    # The run violates the bug's property in the release without the fix.
    appears_before: bool
    # With the fix the run violates nothing, or is no run any more.
    gone: bool
    # What becomes of the run with the fix, in words.
    after: str
    # The scope of the kept run.
    scope: Any = None
    # Another run that violates the property with the fix, in the scope of the kept one.
    left: Result | None = None

    @property
    def cured(self) -> bool:
        """Whether the release has the violation, and with the fix no run in the scope of the kept run has it."""
        return self.appears_before and self.gone and self.left is None


@frozen
class Objection:
    """What speaks against a fix, or leaves open whether something does. `validate` and the pytest plugin lay it out."""

    text: str
    # False: it leaves open whether something speaks against the fix.
    refuses: bool
    # What it is about: a row, a kept counterexample, or what a kept run violates. None: the fix as a whole.
    row: Row | None = None
    run: KnownRun | None = None
    kept: Result | None = None

    def is_about(self, property: str) -> bool:
        """Whether it is about this property, and about no row."""
        of_run = self.run is not None and self.run.bug.violates == property
        return of_run or (self.kept is not None and self.kept.property == property)


@frozen
class Part:
    """The verdict on a fix in one system that has all its rules."""

    system: System
    release: Release
    # The scopes in which the explicit engine judged; the first is that of `check` with a fix.
    scopes: tuple[Any, ...]
    fix: Fix
    rows: list[Row]
    known: list[KnownRun]
    effects: list[Effect]
    # The bugs of this system that the fix must cure: those that its file names as CURES, which may be none of this
    # system, else the system's only bug. None: whatever it cures counts, here or in another system.
    claims: tuple[str, ...] | None
    # How the fix's own code went wrong, which ended the judging; the one row then leads there, if there is one.
    failure: str | None = None
    # What the kept runs violate with the fix as without it: the bugs that stay.
    stays: Beside = NOTHING_KEPT
    # What a kept run, of whatever release, violates with the fix alone; `known`: the documented bugs that explain it.
    brought: tuple[Result, ...] = ()
    # The scopes that were searched to the end, where every answer of the fix was the release's in all scopes. None:
    # some answer was another one, or the explicit engine was not asked.
    same_in: tuple[Any, ...] | None = None
    # How far the explicit engine looked in further scopes. None: it was not asked to.
    looked: Looked | None = None

    @property
    def changes_nothing(self) -> bool:
        """Whether nothing tells the fix from the release: no answer in any scope, no kept run, and no effect."""
        if self.same_in is None or self.failure is not None or self.brought:
            return False
        alike = all(row.change in ("still violated", "holds as before", "not judged") for row in self.rows)
        return alike and not any(effect.changed for effect in self.effects)

    @property
    def same_text(self) -> str:
        """How strongly it is established that the fix changes nothing."""
        ended, every = len(self.same_in or ()), len(self.scopes)
        text = f"every answer was the release's in {'the scope' if every == 1 else f'all {every} scopes'}"
        return text if ended == every else f"{text}, of which {ended} were searched to the end"

    @property
    def claimed(self) -> list[KnownRun]:
        """The bugs that the fix must cure. What changes nothing claims only what its file names."""
        if self.fix.cures is None and self.changes_nothing:
            return []
        return [run for run in self.known if self.claims is not None and run.bug.id in self.claims]

    @property
    def cured(self) -> list[KnownRun]:
        """The known counterexamples of this release that are gone."""
        return [run for run in self.known if run.cured]

    @property
    def cured_rows(self) -> list[Row]:
        """Violations that an exhaustive search or a proof does not find any more."""
        return [row for row in self.rows if row.change == "cured" and row.established]

    @property
    def cures(self) -> bool:
        """Whether something that is violated in the release is not violated with the fix."""
        return bool(self.cured or self.cured_rows)

    @property
    def violated_anew(self) -> list[Row]:
        """Properties that other bugs violate, and that are violated in other runs too with the fix."""
        return [row for row in self.rows if row.change == "violated anew" and row not in self.refused_by]

    @property
    def refused_by(self) -> list[Row]:
        """The rows that speak against the fix: the fix breaks the property, or leaves a violation of a claimed bug."""
        if self.failure is not None:
            return self.rows
        return [row for row in self.rows if row.change == "broken" or self._leaves_claimed(row)]

    def _leaves_claimed(self, row: Row) -> bool:
        """Whether a claimed bug is left.

        The only bug of a system must be gone in all scopes. One of several bugs must be gone in the scope of its kept
        counterexample, and wherever upstream's cure takes it away.
        """
        return bool(row.left) or any(
            row.after.property in run.bug.properties and (len(self.known) == 1 or row.after.scope == run.scope)
            for run in self.claimed
            if run.appears_before and row.change in ("still violated", "violated anew")
        )

    @property
    def objections(self) -> list[Objection]:
        """What speaks against the fix in this system, then what is open. The verdict is made of this list alone."""
        if self.failure is not None:
            return [Objection(self.failure, refuses=True)]
        found = [Objection(_refusing_text(row), True, row) for row in self.refused_by]
        for run in self.claimed:
            if not run.gone:
                found.append(Objection(f"the counterexample of {run.bug.id} is still there", True, run=run))
        for run in self.unproved_claims:
            text = f"{run.bug.id} is not in {self.release} without the fix, so it shows nothing of the fix"
            found.append(Objection(text, False, run=run))
        if self.changes_nothing and any(each.refuses for each in found):
            found.append(Objection(f"it changes nothing: {self.same_text}", True))
        premises = self.lost_premises
        for of_property in premises.values():
            found += (Objection(_premise_text(of_property), len(of_property) > 1, row) for row in of_property)
        for row in self.rows:
            if row.change == "undecided" and row not in premises.get(row.after.property, ()):
                found.append(Objection(f"{row.after.property} is undecided ({row.after.engine})", False, row))
        found += (Objection(_brought_text(each), False, kept=each) for each in self.unexplained_runs)
        for row in self.unexplained:
            text = f"{row.after.property} is {row.change} ({row.after.engine})"
            found.append(Objection(f"{text}, and no documented bug of {self.release} explains it", False, row))
        return found

    @property
    def lost_premises(self) -> dict[str, list[Row]]:
        """By property, where it held in the release, if the fix meets its premise in no scope. That is no `holds`."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            lost = row.after.cause is Cause.PREMISE and row.after.engine == "explicit"
            if lost and row.change == "undecided" and row.before.outcome is Outcome.HOLDS:
                found.setdefault(row.after.property, []).append(row)
        return found

    @property
    def unexplained_runs(self) -> list[Result]:
        """Of `brought` what no documented bug explains, and no row speaks of."""
        told = {row.after.property for row in (*self.refused_by, *self.unexplained)}
        return [each for each in self.brought if not each.known and each.property not in told]

    @property
    def unexplained(self) -> list[Row]:
        """Violations in runs that end well in the release, which no documented bug of the release explains.

        Either the fix is wrong, or it lets a bug of the release show that has no page. Only a reader can tell.
        """
        uncovered = [row for row in self.rows if row.change == "uncovered"]
        return [row for row in (*uncovered, *self.violated_anew) if not row.known and not row.upstream]

    @property
    def reasons(self) -> list[str]:
        """What speaks against the fix in this system, in words; empty if nothing does."""
        return list(dict.fromkeys(each.text for each in self.objections if each.refuses))

    @property
    def open(self) -> list[str]:
        """What leaves open whether something speaks against the fix, in words."""
        return list(dict.fromkeys(each.text for each in self.objections if not each.refuses))

    @property
    def unproved_claims(self) -> list[KnownRun]:
        """Bugs that the file names as CURES and the release does not have. Their absence says nothing of the fix."""
        return [run for run in self.claimed if self.fix.cures is not None and not run.appears_before]

    @property
    def outcome(self) -> Outcome:
        if self.reasons:
            return Outcome.VIOLATED
        return Outcome.INCONCLUSIVE if self.open else Outcome.HOLDS


def _refusing_text(row: Row) -> str:
    left = f", where a known cure of {' and of '.join(row.left)} leaves no such run" if row.left else ""
    beside = f" beside the cures of {', '.join(row.beside.bugs)}" if row.beside.bugs else ""
    return f"{row.after.property} is {row.change} ({row.after.engine}){beside}{left}"


def _premise_text(rows: Sequence[Row]) -> str:
    where = f"{len(rows)} scopes" if len(rows) > 1 else "a scope"
    name = rows[0].after.property
    return f"what {name} speaks of does not happen any more: the release meets its premise in {where}, the fix in none"


def _brought_text(each: Result) -> str:
    return f"{each.property} is violated with the fix, and not without it, in a kept run ({each.reason})"


@frozen
class Validation:
    """The verdict on a fix: that of each system which has all its rules; the worst decides."""

    release: Release
    fix: Fix
    parts: tuple[Part, ...]
    # What a reader must know of the release, a line each.
    notes: tuple[str, ...] = ()
    # (system, why): systems that have all rules of the fix, and in which it was not judged.
    not_judged: tuple[tuple[str, str], ...] = ()
    # (bug, system): bugs that the file names as CURES, of systems in which the fix was not judged.
    unjudged_claims: tuple[tuple[str, str], ...] = ()

    @property
    def changes_nothing(self) -> bool:
        """Whether the fix changes nothing in any system, and no file says that it should."""
        return self.outcome is Outcome.HOLDS and all(part.changes_nothing for part in self.parts)

    @property
    def cures_nothing(self) -> str | None:
        """A text that says that the fix claims nothing, changes something and cures nothing; None if that is not so."""
        changing = [part for part in self.parts if not part.changes_nothing]
        if not changing or any(part.claims is not None or part.failure or part.cures for part in changing):
            return None
        return f"it cures no counterexample that {self.release} is known to have"

    @property
    def reasons(self) -> list[str]:
        """What speaks against the fix, in words; of several parts each with its system. Empty if nothing does."""
        several = len(self.parts) > 1
        found = [f"{part.system.name}: {text}" if several else text for part in self.parts for text in part.reasons]
        return found + [text for text in [self.cures_nothing] if text]

    @property
    def open(self) -> list[str]:
        """What leaves the verdict open and is of no part: claims that nobody judged, in words, each with its mend."""
        return [
            f"CURES names {bug}, a bug of {system}, and the fix was not judged in {system}: add --system {system}"
            for bug, system in self.unjudged_claims
        ]

    @property
    def outcome(self) -> Outcome:
        if self.reasons:
            return Outcome.VIOLATED
        if self.open:
            return Outcome.INCONCLUSIVE
        return next((part.outcome for part in self.parts if part.outcome is not Outcome.HOLDS), Outcome.HOLDS)
