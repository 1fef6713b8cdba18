"""Which documented bugs leave the symptoms of a text, and which of them a release has: the answer as data."""

from attrs import frozen

from kubeproof.advise.pod_events.bugs import Range, known_bug
from kubeproof.advise.symptoms.reading import Line, OtherPanic, Sighting, Symptoms
from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS, documented_bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.signature import Kind
from kubeproof.bugs.signatures import SIGNATURES
from model.gates import switched_on
from model.releases import Release

# How a page says of a bug that nothing shows that no modelled release has it.
ENDED = ("The bug ended ", "No release has ")


@frozen
class FittingBug:
    """A bug that leaves the symptom."""

    bug: str
    title: str
    # Whether the release has it; None: no release was named, or it is not known of this one.
    in_release: bool | None
    # The gates that it needs on, and that are off by default in the release; of a release that was named.
    gates: tuple[str, ...]
    # The releases that have it, as computed; none of a bug that nothing shows.
    affected: tuple[Range, ...]
    # Of a bug that nothing shows: why.
    why: str
    # The first later release without it, if one is known.
    cured_in: str | None
    # The command that replays it; of a bug that nothing shows, the one that shows its page.
    reproduce: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]


@frozen
class Match:
    """A symptom that stands in the text."""

    kind: Kind
    # How many lines, of the first `MOST` that may have it, and the first of them.
    count: int
    lines: tuple[Line, ...]
    # Of a panic the function at fault, or "".
    function: str
    # The bugs, the likeliest first. None: no documented bug leaves it.
    bugs: tuple[FittingBug, ...]
    # Where the text is in Go, what else leaves the same, and the command that tells more.
    go: str
    normal: str
    command: str
    # It stands in the logs of healthy clusters too.
    common: bool


@frozen
class LookedFor:
    """What was looked for, found or not."""

    # How many of each kind.
    texts: int
    panics: int
    metrics: int
    functions: int
    # How many documented bugs leave one of these, and of how many no such text is known.
    bugs: int
    silent: int


@frozen
class SymptomsAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    # The release as it was named, and the upstream release that was asked; None: no release was named.
    release: str | None
    judged_as: str | None
    file: str
    lines: int
    # Whether a symptom that healthy clusters do not have fits a bug that the release has, or may have.
    found: bool
    matches: tuple[Match, ...]
    # Panics that no documented bug has.
    other_panics: tuple[OtherPanic, ...]
    looked_for: LookedFor


def analyse(symptoms: Symptoms, release: Release | None = None) -> SymptomsAnswer:
    """The symptoms with the bugs of `release`, or of all modelled releases if `release` is None."""
    matches = sorted((_match(each, release) for each in symptoms.sightings), key=_rank)
    return SymptomsAnswer(
        release=None if release is None else str(release),
        judged_as=None if release is None else release.upstream,
        file=symptoms.file,
        lines=symptoms.lines,
        found=any(is_found(match) for match in matches),
        matches=tuple(matches),
        other_panics=symptoms.other_panics,
        looked_for=looked_for(),
    )


def is_found(match: Match) -> bool:
    """Whether the symptom fits a bug that the release has, or may have, and is none of healthy clusters."""
    return not match.common and any(bug.in_release is not False for bug in match.bugs)


def looked_for() -> LookedFor:
    """What the table has."""
    kinds = [each.kind for each in SIGNATURES]
    with_one = {bug for each in SIGNATURES for bug in each.bugs}
    every = len(EVERY_BUG) + len(UNSHOWN_BUGS)
    return LookedFor(
        texts=kinds.count("text"),
        panics=kinds.count("panic"),
        metrics=kinds.count("metric"),
        functions=kinds.count("function"),
        bugs=len(with_one),
        silent=every - len(with_one),
    )


def _rank(match: Match) -> tuple[bool, bool]:
    """First what is found, last what healthy clusters have too."""
    return match.common, not is_found(match)


def _match(found: Sighting, release: Release | None) -> Match:
    bugs = tuple(_fitting(bug, release) for bug in found.bugs)
    first = next((bug for bug in bugs if bug.in_release is not False), None)
    return Match(
        kind=found.signature.kind,
        count=found.count,
        lines=tuple(found.lines),
        function=found.function,
        # Those that the release has come first.
        bugs=tuple(sorted(bugs, key=lambda bug: bug.in_release is False)),
        go=found.signature.go,
        normal=found.signature.normal,
        command=found.signature.command or ("" if first is None else first.reproduce),
        common=found.signature.common,
    )


def _fitting(id: str, release: Release | None) -> FittingBug:
    bug = documented_bug(id)
    if isinstance(bug, UnshownBug):
        why = bug.reason.partition(". ")[0]
        ended = release is not None and why.startswith(ENDED)
        show = f"kubeproof show {id}"
        return FittingBug(id, bug.title, False if ended else None, (), (), why, None, show, bug.issues, bug.fixes)
    known = known_bug(id)
    return FittingBug(
        bug=id,
        title=bug.title,
        in_release=None if release is None else known.in_release(release),
        gates=_gates_off(bug, release),
        affected=known.affected,
        why="",
        cured_in=known.cured_in(release),
        reproduce=f"kubeproof reproduce {id}",
        issues=bug.issues,
        fixes=bug.fixes,
    )


def _gates_off(bug: Bug | ComponentBug, release: Release | None) -> tuple[str, ...]:
    if release is None or not isinstance(bug, Bug):
        return ()
    return tuple(gate.name for gate in switched_on(bug.given) if not gate.is_on(release))
