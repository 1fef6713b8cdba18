"""What a checkout did in the kept runs of bugs, held against a release, and against the release with a fix."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import bug_named
from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix, in_places
from kubeproof.go.further_tests import go_test_of
from kubeproof.go.generated import Played, played_run
from kubeproof.go.played import Report, check_report, read_report, reported_bugs
from kubeproof.input.files import shown
from kubeproof.players.player import literal
from kubeproof.players.registry import player_of
from kubeproof.systems.releases import release_named
from kubeproof.systems.system import fact_text
from model.machine import Machine
from model.releases import KNOWN_MINORS, Release

# What `go test -v` printed, beside the overlay.
PLAYED = "played.txt"


@frozen
class Course:
    """How a run went, or goes under some rules: as much of it as a test prints."""

    # How many actions were taken, and the first state that is not that of the release, with the difference; "" if none.
    taken: int
    differs_at: int
    differs: str
    # Whether the property was violated.
    violated: bool

    def beside(self, other: "Course") -> str:
        """What `other`, which is expected, is and this one is not; "" if they are the same."""
        if self == other:
            return ""
        parts = []
        if (self.differs_at, self.differs) != (other.differs_at, other.differs):
            parts.append(f"expected {_first(other)}, got {_first(self)}")
        if self.taken != other.taken:
            parts.append(f"expected {other.taken} actions, got {self.taken}")
        if self.violated != other.violated:
            parts.append(f"expected that the property {_property(other)}, got that it {_property(self)}")
        return "; ".join(parts)


def _first(course: Course) -> str:
    return f"state {course.differs_at}: {course.differs}" if course.differs else "each state that of the release"


def _property(course: Course) -> str:
    return "is violated" if course.violated else "holds"


@frozen
class HeldRun:
    """The kept run of a bug on a checkout."""

    bug: Bug
    checkout: Course
    # The same run under the rules of the release, and under those with the fix; None if no fix was given.
    release: Course
    fix: Course | None

    @property
    def told(self) -> bool:
        """Whether the fix shows in this run."""
        return self.fix is not None and self.fix != self.release

    @property
    def difference(self) -> str:
        """How the checkout differs from what was asked for; "" if it does not."""
        return self.checkout.beside(self.release if self.fix is None else self.fix)


def held_runs_of(folder: Path, release: str, fix: Fix | None) -> tuple[HeldRun, ...]:
    """What the tests of `kubeproof go test` printed into the folder. Raises InputError."""
    path = folder / PLAYED
    bugs = [bug_named(name) for name in reported_bugs(path)]
    if not bugs:
        raise InputError(f"{shown(path)}: no report of a kept run: expected what a test of `kubeproof go test` prints")
    return tuple(_held_run(bug, path, release_named(release, minors=KNOWN_MINORS[bug.system]), fix) for bug in bugs)


def _held_run(bug: Bug, path: Path, release: Release, fix: Fix | None) -> HeldRun:
    report, _ = read_report(bug, path)
    run = played_run(go_test_of(bug), release)
    check_report(bug, report, run, path)
    base = _course(run, run)
    with_fix = None if fix is None else _course(run, played_run(run.test, release, _with_fix(run.machine, fix)))
    return HeldRun(bug, _of_checkout(report), base, with_fix)


def _of_checkout(report: Report) -> Course:
    # Of a run that goes on for ever, the actions that were taken again and again are not counted.
    taken = min(report["taken"], report["actions"])
    return Course(taken, report["differs_at"], report["differs"], bool(report["violated"]))


def _with_fix(machine: Machine[Any], fix: Fix) -> Any:
    """The rules of the machine with those of the fix that it has."""
    of = machine.rules  # type: ignore[attr-defined]
    own = {field.name for field in fields(type(of))}
    return evolve(of, **{name: rule for name, rule in in_places(fix, of).items() if name in own})


def _course(release: Played, run: Played) -> Course:
    """How `run` goes, beside the same run under the rules of the release."""
    differs_at, differs = next(_differences(release, run), (0, ""))
    return Course(run.trace.length, differs_at, differs, run.wrong is not None)


def _differences(release: Played, run: Played) -> Iterator[tuple[int, str]]:
    """(number, difference) of each state that is not that of the release, in the words of the Go frame."""
    facts = player_of(run.bug.system).facts

    def told(state: Any) -> dict[str, str]:
        return {subject: fact_text(fact) for subject, fact in facts(state).items()}

    for number, (expected, got) in enumerate(zip(release.trace.steps, run.trace.steps, strict=False)):
        one, two = told(expected.state), told(got.state)
        wrong = [_difference(subject, one, two) for subject in {**one, **two} if one.get(subject) != two.get(subject)]
        if wrong:
            yield number, "; ".join(sorted(wrong))


def _difference(subject: str, expected: dict[str, str], got: dict[str, str]) -> str:
    in_run = literal(expected[subject]) if subject in expected else "nothing"
    here = literal(got[subject]) if subject in got else "nothing"
    return f"{subject}: in the run {in_run}, here {here}"
