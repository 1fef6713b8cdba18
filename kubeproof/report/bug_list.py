"""`kubeproof bugs`: the documented bugs that a query fits, with the releases that have each and what is known of it."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any

from attrs import asdict, frozen
from packaging.version import Version

from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS, upstream_number, upstream_numbers
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.facts import known_upstream, seen_on
from kubeproof.bugs.kept import KeptRow, kept_releases, row_of
from kubeproof.bugs.load import AnyBug
from kubeproof.bugs.played import played_of
from kubeproof.bugs.signatures import bugs_with_text
from kubeproof.errors import InputError, nearest, not_one_of
from kubeproof.report.component import component_json
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.releases import names_a_minor, patches_text
from kubeproof.visible import shortened
from model.gates import switched_on
from model.releases import LAST_PATCH, Release, known_release


@frozen
class Query:
    """What is asked of the bugs. What is empty or None asks nothing."""

    # Part of an id, a number of upstream, or words all of which have to occur.
    text: str = ""
    system: str | None = None
    # A property that the bug violates.
    property: str | None = None
    # Only bugs that this release has. No pre-release.
    release: Release | None = None


@frozen
class Listed:
    """A bug of the list."""

    bug: AnyBug
    # The releases that have the bug, as computed when its page was made: first and last in a row, oldest first. Of a
    # bug of pre-releases alone, of which no page tells, its own release. None of a bug that nothing shows.
    releases: tuple[tuple[str, str], ...]
    # The releases on whose real Go code the bug was seen; where a release is asked, those of the same minor.
    seen_on: tuple[str, ...]
    # Where a release is asked: the gates that the bug needs, if the release lets them be off.
    gates: tuple[str, ...] = ()
    # Where a release is asked: how the rules of the release are known that the page's exploration reads.
    evidence: tuple[str, ...] = ()


def query(text: str, system: str | None, property: str | None, release: Release | None) -> Query:
    """What is asked. Raises InputError for a name that is not there, and for a pre-release, of which no page tells."""
    if release is not None and release.version.is_prerelease:
        raise InputError(f"--release: {release} is a pre-release, and the pages have none: expected such as 1.36.3")
    if system is not None:
        system = system_named(system).name
    if property is not None:
        asked = SYSTEMS.values() if system is None else [SYSTEMS[system]]
        names = list(dict.fromkeys(each.name for of in asked for each in of.properties))
        if property not in names:
            wrong = not_one_of(property, f"property{f' of {system}' if system else ''}", names, "kubeproof list SYSTEM")
            raise InputError(f"--property: {wrong}")
    return Query(text.strip(), system, property, release)


def listed(asked: Query) -> list[Listed]:
    """The bugs that `asked` fits: first those whose id or number it names.

    Then newer releases come first, and in one release what is not known upstream.
    """
    ranks = {bug.id: rank for rank, bug in _fitting(asked)}
    fitting = (_listed(bug, asked.release) for _, bug in _fitting(asked))
    return sorted(newest_first(each for each in fitting if each is not None), key=lambda each: ranks[each.bug.id])


def newest_first(bugs: Iterable[Listed]) -> list[Listed]:
    """Bugs of newer releases come first, and of one release first what is not known upstream."""

    def newest(each: Listed) -> Version:
        return known_release(each.releases[-1][1]).version if each.releases else Version("0")

    return sorted(sorted(bugs, key=lambda each: known_upstream(each.bug)), key=newest, reverse=True)


def _fitting(asked: Query) -> Iterator[tuple[int, AnyBug]]:
    """The bugs that `asked` fits in whatever release, each with its rank; also those that print the text."""
    printed = bugs_with_text(asked.text)
    for bug in (*EVERY_BUG, *UNSHOWN_BUGS):
        rank = _rank(bug, asked.text)
        if rank is None and bug.id in printed:
            rank = 2
        if rank is not None and _is_of(bug, asked):
            yield rank, bug


def _rank(bug: AnyBug, text: str) -> int | None:
    """How well `text` names `bug`: 0 by its id or number, 1 by a part of the id, 2 by words; None: not at all."""
    number = upstream_number(text)
    if not text or text.lower() == bug.id.lower() or number in upstream_numbers(bug):
        return 0
    if number is not None and number != text:
        return None  # "#5" and an address name a number and nothing else.
    words = _words(text)
    if all(word.replace("_", "-") in bug.id.lower() for word in words):
        return 1
    return 2 if _without(words, [_told(bug)]) == [] else None


def _words(text: str) -> list[str]:
    """The words of a query, or of an error text: without the signs around them."""
    return [word for each in text.lower().split() if (word := each.strip("\"'`.,:;()[]"))] or [text.lower()]


def _without(words: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Those of `words` that are in none of `texts`."""
    return [word for word in words if not any(word in text for text in texts)]


def _told(bug: AnyBug) -> str:
    """All that is said of the bug, in small letters."""
    texts = [bug.id, bug.title, bug.consequence, bug.mechanism, *bug.notes, *upstream_numbers(bug)]
    if isinstance(bug, Bug):
        texts += [*(each.asked for each in bug.questions), *(each.answer for each in bug.questions)]
        of = system_named(bug.system)
        texts += [f"{name} {of.property_named(name).sentence}" for name in bug.properties]
    elif isinstance(bug, UnshownBug):
        texts.append(bug.reason)
    return "\n".join(texts).lower()


def _is_of(bug: AnyBug, asked: Query) -> bool:
    """Whether the bug is of the system and violates the property."""
    if asked.property is not None and not (isinstance(bug, Bug) and asked.property in _violated(bug)):
        return False
    return asked.system is None or asked.system == system_of(bug)


def system_of(bug: AnyBug) -> str:
    """The name of the system that the bug belongs to: of one that components show, it is the folder of its text."""
    if not isinstance(bug, ComponentBug):
        return bug.system
    return next(name for name in SYSTEMS if files("bugs").joinpath(name, f"{bug.id.lower()}.md").is_file())


def _violated(bug: Bug) -> set[str]:
    return {*bug.properties, *(each.violates for each in bug.questions)}


def _listed(bug: AnyBug, release: Release | None) -> Listed | None:
    """The bug with what is known of it; None if `release` does not have it. A vendor's goes by the upstream one."""
    if isinstance(bug, UnshownBug):
        return Listed(bug, (), ()) if release is None else None
    rows, seen = kept_releases(bug), seen_on(bug)
    spans = spans_of(bug, rows)
    if release is None:
        return Listed(bug, spans, seen)
    row = row_of(rows, release)
    if row is None or not row.shown:
        return None
    mine = tuple(each for each in seen if known_release(each).minor == release.minor)
    return Listed(bug, spans, mine, tuple(_gates(bug, release)), row.evidence)


def spans_of(bug: Bug | ComponentBug, rows: Iterable[KeptRow]) -> tuple[tuple[str, str], ...]:
    """The releases that have the bug, as in `Listed`."""
    return tuple(_spans((row.first, row.last) for row in rows if row.shown)) or ((bug.release, bug.release),)


def spans_text(spans: Iterable[tuple[str, str]]) -> str:
    return ", ".join(first if first == last else f"{first} to {last}" for first, last in spans)


def _spans(rows: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Rows between which there is no release, joined."""
    begun: tuple[str, str] | None = None
    for first, last in rows:
        if begun is not None and release_after(begun[1]) == first:
            begun = begun[0], last
            continue
        if begun is not None:
            yield begun
        begun = first, last
    if begun is not None:
        yield begun


def release_after(release: str) -> str:
    """The release after `release`: the next patch release that is modelled, else the first of the next minor."""
    at = known_release(release)
    patch = at.version.micro
    return f"1.{at.minor}.{patch + 1}" if patch < LAST_PATCH[at.minor] else f"1.{at.minor + 1}.0"


def _gates(bug: Bug | ComponentBug, release: Release) -> Iterator[str]:
    given = bug.given if isinstance(bug, Bug) else ()
    return (gate.name for gate in switched_on(given) if not gate.is_locked(release))


def release_note(asked: Query) -> tuple[str, ...]:
    """If a minor was named: the patch release that is meant, and which patch releases have other bugs that fit."""
    release = asked.release
    if release is None or not names_a_minor(release):
        return ()
    rows = [kept_releases(bug) for _, bug in _fitting(asked) if not isinstance(bug, UnshownBug)]

    def has(at: Release) -> list[bool]:
        found = (row_of(each, at) for each in rows)
        return [row is not None and row.shown for row in found]

    mine = has(release)
    patches = range(LAST_PATCH[release.minor])
    other = [patch for patch in patches if has(known_release(f"1.{release.minor}.{patch}")) != mine]
    besides = f"; of these bugs {patches_text(release.minor, other)} have others" if other else ""
    return (f"{release.text} is taken as {release}, its last patch release that is modelled{besides}",)


def listing_text(asked: Query, found: Sequence[Listed]) -> str:
    """How many bugs fit, then each with its releases and what is known of it."""
    if not found:
        return _nothing(asked)
    lines = [_count(asked, found), ""]
    for each in found:
        lines += [f"{each.bug.id}  {each.bug.title}", f"    {'; '.join(_facts(each))}"]
    return "\n".join([*lines, "", "`kubeproof show ID` has the page of a bug."])


def _count(asked: Query, found: Sequence[Listed]) -> str:
    unknown = sum(not known_upstream(each.bug) for each in found)
    if len(found) == 1:
        return f"1 bug{_of(asked)}, {'nothing is' if unknown else 'which is'} known upstream"
    return f"{len(found)} bugs{_of(asked)}, of {unknown} nothing is known upstream"


def _of(asked: Query) -> str:
    """What the bugs have in common: " of scheduling in 1.36.3"."""
    return "".join(
        (
            f" of {asked.system}" if asked.system else "",
            f" in {asked.release}" if asked.release else "",
            f" against {asked.property}" if asked.property else "",
            f" for '{shortened(asked.text)}'" if asked.text else "",
        )
    )


def _nothing(asked: Query) -> str:
    """That no bug fits, and what to try, in one line."""
    said = f"0 bugs{_of(asked)}"
    words = _words(asked.text)
    every = (*EVERY_BUG, *UNSHOWN_BUGS)
    close = nearest(asked.text, [bug.id for bug in every]) if len(words) == 1 else []
    if close:
        return f"{said}: did you mean {', '.join(close)}?"
    strange = _without(words, [_told(bug) for bug in every]) if asked.text else []
    if strange and len(strange) < len(words):
        return f"{said}: no bug has '{shortened(' '.join(strange))}': try the other words"
    return f"{said}: try fewer words or options; `kubeproof bugs` lists all"


def _facts(each: Listed) -> Iterator[str]:
    bug = each.bug
    if isinstance(bug, ComponentBug):
        yield "shown on components"
    else:
        yield f"{bug.system}, {bug.violates}" if isinstance(bug, Bug) else bug.system
    if each.releases:
        yield spans_text(each.releases)
    if not known_upstream(bug):
        yield "nothing is known upstream"
    for name, addresses in (("issues", bug.issues), ("changes", bug.fixes)):
        if addresses:
            numbers = (address.rpartition("/")[2] for address in addresses)
            yield f"{name} {', '.join(f'#{number}' for number in numbers)}"
    if each.gates:
        yield f"needs the gate {', '.join(each.gates)}"
    if each.seen_on:
        yield f"seen on the real Go code of {', '.join(each.seen_on)}"
    elif each.evidence:
        yield f"seen in the model alone, whose rules are {', '.join(each.evidence)}"
    else:
        yield "nothing shows it" if isinstance(bug, UnshownBug) else "seen in the model alone"


def listing_json(asked: Query, found: Sequence[Listed]) -> dict[str, Any]:
    """The same as JSON, in the order of the pages."""
    order = [bug.id for bug in (*EVERY_BUG, *UNSHOWN_BUGS)]
    ordered = sorted(found, key=lambda each: order.index(each.bug.id))
    if asked.release is not None:
        return {"release": str(asked.release), "bugs": [_in_release_json(each) for each in ordered]}
    shown, not_shown = (
        [bug_json(each.bug) for each in ordered if isinstance(each.bug, UnshownBug) is unshown]
        for unshown in (False, True)
    )
    return {"bugs": shown, "not_shown": not_shown}


def _in_release_json(each: Listed) -> dict[str, Any]:
    """A bug in a release. Where nothing upstream is known, `issues` and `fixes` are empty."""
    assert not isinstance(each.bug, UnshownBug)
    return {
        "id": each.bug.id,
        "title": each.bug.title,
        "system": each.bug.system if isinstance(each.bug, Bug) else None,
        "issues": list(each.bug.issues),
        "fixes": list(each.bug.fixes),
        "gates": list(each.gates),
        "evidence": list(each.evidence),
        "seen_on": list(each.seen_on),
        "folder": f"counterexamples/{each.bug.folder}",
    }


def bug_json(bug: AnyBug) -> dict[str, Any]:
    """All that is said of a bug."""
    if isinstance(bug, ComponentBug):
        return component_json(bug)
    if isinstance(bug, UnshownBug):
        return asdict(bug)
    return {
        **asdict(bug, filter=lambda field, _: field.name != "besides"),
        # The rules that the components go by, of what only components show.
        "besides": None if bug.besides is None else bug.besides.looked_up(known_release(bug.release)),
        "folder": f"counterexamples/{bug.folder}",
        "played_on": [asdict(row) for row in played_of(bug)],
    }
