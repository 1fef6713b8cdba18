"""Explorations of a whole system with the general properties, and which documented bugs explain what they find.

second_pass.py prints the result. The scopes are those of `Scopes.second_pass` in the system's description.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from attrs import frozen

from kubeproof.bugs.catalogue import Bug, bug_named
from kubeproof.bugs.counterexample import generations, minimal_counterexample, release_rows_of
from kubeproof.engines import explicit
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import scope_text
from kubeproof.verdict.result import Outcome
from model.machine import Action
from model.releases import Release, parse_release, rules_for

EXPLORED = tuple(system.name for system in SYSTEMS.values() if system.scopes.second_pass)
SYSTEM = EXPLORED[0]  # unless another is asked for
SECONDS = 60.0  # of one exploration


@frozen
class Found:
    """The shortest run that violates a property in a scope, under the rules of some releases in a row."""

    scope: Any
    # The first and the last of the releases.
    first: str
    last: str
    # The property's name.
    property: str
    # The run.
    actions: tuple[Action, ...]
    # What is wrong at the end of the run, in words.
    explanation: str
    # The system's name.
    system: str = SYSTEM

    def powers(self) -> frozenset[str]:
        """The powers of the environment that the run uses, and the options of its scope."""
        return system_named(self.system).powers_used(self.scope, self.actions)


@frozen
class Answer:
    """What explorations gave."""

    # Every violation.
    found: tuple[Found, ...]
    # The explorations that did not come to an end, and why, a line each.
    cut: tuple[str, ...]


@frozen
class Generation:
    """What was found under the rules of the releases from `first` to `last`."""

    first: str
    last: str
    answer: Answer


def spans_of(releases: Sequence[Release] = (), name: str = SYSTEM) -> list[tuple[str, str]]:
    """(first, last) of every generation of releases, or of those that `releases` are of, the oldest first."""
    return [
        (str(first), str(last))
        for first, last in generations(system_named(name))
        if not releases or any(first.version <= release.version <= last.version for release in releases)
    ]


def explore_each(
    pool: ProcessPoolExecutor,
    spans: Sequence[tuple[str, str]],
    scopes: Sequence[Any],
    progress: Callable[[str], None] = lambda text: None,
    name: str = SYSTEM,
) -> Iterator[Generation]:
    """Every property in every scope under the rules of each span, each generation as soon as it is through.

    `progress` is told, before each wait, what is waited for. `name`: of the system.
    """
    answers = pool.map(_explore, [(name, scope, *span) for span in spans for scope in scopes], chunksize=1)
    for first, last in spans:
        parts = []
        for scope in scopes:
            progress(f"{span_text(first, last)}: {scope_text(scope)}")
            parts.append(next(answers))
        yield Generation(first, last, together(parts))


def together(answers: Iterable[Answer]) -> Answer:
    """All that the answers say, in one."""
    every = list(answers)
    return Answer(
        tuple(found for answer in every for found in answer.found),
        tuple(text for answer in every for text in answer.cut),
    )


def _explore(task: tuple[str, Any, str, str]) -> Answer:
    name, scope, first, last = task
    system = system_named(name)
    machine = system.machine(scope, rules_for(system.rules_class, parse_release(first)))
    results = explicit.check(machine, system.properties, limits=explicit.Limits(seconds=SECONDS))
    found, cut = [], []
    for result in results:
        if result.outcome is Outcome.VIOLATED and result.trace is not None:
            text = result.explanation or ""
            found.append(Found(scope, first, last, result.property, result.trace.actions, text, name))
        elif result.outcome is Outcome.INCONCLUSIVE and result.transitions and "premise" not in (result.reason or ""):
            cut.append(f"{scope_text(scope)} {first}: {result.property}: {result.reason}")
    return Answer(tuple(found), tuple(cut))


def explains(bug: Bug, shown: frozenset[str], found: Found) -> bool:
    """Whether the violation is this bug: the same property, a release that shows the bug, and all powers of the bug."""
    if found.property not in bug.properties or found.first not in shown:
        return False
    return set(bug.powers) <= found.powers()


def explaining(bugs: Sequence[Bug], shown: dict[str, frozenset[str]], found: Found) -> list[Bug]:
    """The bugs that explain a violation, without those of which another one takes the same powers and more."""
    mine = [bug for bug in bugs if explains(bug, shown[bug.id], found)]
    return [bug for bug in mine if not any(set(bug.powers) < set(other.powers) for other in mine)]


def releases_shown(
    pool: ProcessPoolExecutor, bugs: Sequence[Bug], spans: Sequence[tuple[str, str]]
) -> dict[str, frozenset[str]]:
    """Bug id -> the first releases of those of the generations `spans` that show it."""
    among = frozenset(first for first, _ in spans)
    return dict(zip((bug.id for bug in bugs), pool.map(_shown, [(bug.id, among) for bug in bugs]), strict=True))


def _shown(task: tuple[str, frozenset[str]]) -> frozenset[str]:
    bug_id, among = task
    example = minimal_counterexample(bug_named(bug_id))
    rows = [] if example is None else release_rows_of(example, among)
    return frozenset(row.first for row in rows if row.shows_bug)


@frozen
class Fate:
    """What became of a bug in a second pass."""

    bug: Bug
    # The shortest of the violations that this bug explains, if there is one.
    best: Found | None
    # The ids of the bugs that explain violations of the same properties in the same releases.
    hidden_by: tuple[str, ...]


def fate(bug: Bug, answer: Answer, bugs: Sequence[Bug], shown: dict[str, frozenset[str]]) -> Fate:
    """What became of `bug`, one of `bugs`; `shown`: as `releases_shown` answers."""
    mine = [each for each in answer.found if bug in explaining(bugs, shown, each)]
    same = [each for each in answer.found if each.property in bug.properties and each.first in shown[bug.id]]
    others = {other.id for each in same for other in explaining(bugs, shown, each)}
    return Fate(bug, min(mine, key=lambda each: len(each.actions), default=None), tuple(sorted(others)))


def unexplained(answer: Answer, bugs: Sequence[Bug], shown: dict[str, frozenset[str]]) -> list[Found]:
    """The violations that no bug explains."""
    return [each for each in answer.found if not explaining(bugs, shown, each)]


def span_text(first: str, last: str) -> str:
    """The releases from `first` to `last`, in words."""
    return first if first == last else f"{first} to {last}"
